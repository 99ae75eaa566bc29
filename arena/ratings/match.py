"""Statistics of a match between two players from its counts: normalized Elo, sequential tests, resolution.

Counts stand in the order of a player's points, worst result first; their length says what they count.

* 3, trinomial: games ``[losses, draws, wins]``.
* 5, pentanomial: pairs of games with colours swapped ``[LL, LD, WL + DD, WD, WW]``.

The same match from the opponent's view is ``counts[::-1]``. Scores are the fraction of points, 0 to 1.

A count of zero enters variances and likelihoods as 0.001, the convention of fastchess and fishtest, so every
figure is finite. For one-sided counts (only wins, say) normalized Elo depends on that 0.001.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.ratings.interval import ELO_PER_LOGIT, Z80, Z95, Floats, Interval, score_from_elo

NELO_SCALE = 800 / math.log(10)  # M. Van den Bergh, "Comments on normalized Elo"
REGULARISATION = 1e-3  # results that an empty count stands for
ELO_LIMIT = 5000.0  # hypotheses beyond it have scores that floats cannot tell from 0 and 1

Counts: TypeAlias = Sequence[int] | Sequence[float] | NDArray[np.integer] | NDArray[np.floating]
Model: TypeAlias = Literal["normalized", "logistic"]
Verdict: TypeAlias = Literal["H0", "H1", "continue"]


def normalized_elo(counts: Counts) -> Interval:
    """(s - 1/2) / sqrt(v) * 800 / ln 10 of a score s with the variance v of a game, for pairs with 2 v.

    Its 95 % interval is that of s. Raises ValueError for counts that are none.
    """
    weights = np.maximum(_checked(counts), REGULARISATION)
    points, total = np.linspace(-0.5, 0.5, len(weights)), float(weights.sum())
    lead = float(weights @ points) / total
    deviation = math.sqrt(float(weights @ (points - lead) ** 2) / total)
    unit = NELO_SCALE / (deviation * math.sqrt(len(weights) // 2))
    return Interval.around(lead * unit, Z95 * deviation / math.sqrt(total) * unit)


def resolution(games: float, draw_rate: float) -> float:
    """Half width in Elo of the 95 % interval that *games* independent games of equal players leave.

    *draw_rate* is the fraction of draws, 0 to 1. The variance of a game's score is (1 - draw_rate) / 4 and
    the slope of the Elo curve at a score of 1/2 is 1600 / ln 10.

    Raises ValueError for games <= 0 or an impossible rate.
    """
    if not games > 0:
        raise ValueError(f"the number of games must be above 0, not {games}")
    if not 0 <= draw_rate <= 1:
        raise ValueError(f"a draw rate is a fraction from 0 to 1, not {draw_rate}")
    return Z95 * 4 * ELO_PER_LOGIT * math.sqrt((1 - draw_rate) / 4 / games)


def detectable(error: float, critical: float = Z95) -> float:
    """The true difference that games show with a chance of 80 %, if its 95 % interval is so much to either side.

    It is shown beyond `critical` standard errors, where an estimate lies in 80 of 100 cases if its mean lies Z80
    further.
    """
    return (critical + Z80) / Z95 * error


def mcnemar(one: int, other: int) -> float:
    """The p-value, two-sided, of positions that one of two players solved alone, and the other alone.

    Each of these is either's with a probability of 1/2 where both are equally good: McNemar's exact test
    (Q. McNemar, Psychometrika 12, 1947). 1 where there are none.
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(one, other), one + other, 0.5)))


class SprtState(NamedTuple):
    """State of a sequential probability ratio test."""

    llr: float
    lower: float  # at or below: H0 is accepted
    upper: float  # at or above: H1 is accepted
    verdict: Verdict


class SequentialTest:
    """An SPRT over pairs of games, one after the other."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        """Of the arguments of `sprt` behind the counts."""
        self._settings = settings
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.state: SprtState | None = None
        """After the last pair taken in; None before the first."""

    @property
    def decided(self) -> bool:
        """Whether a hypothesis is accepted."""
        return self.state is not None and self.state.verdict != "continue"

    def add(self, first: float, second: float) -> SprtState:
        """Take in a pair, by White's points in its two games: the first player is White in the first of them."""
        self._counts[round(2 * (first + 1 - second))] += 1
        self.games += 2
        self.state = sprt(self._counts, **self._settings)
        return self.state


def sprt(
    counts: Counts,
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: Model = "normalized",
) -> SprtState:
    """Wald's sequential test of H0: strength *elo0* against H1: strength *elo1* (see `llr`).

    *alpha* is the wanted probability of accepting H1 when H0 holds, *beta* that of accepting H0 when H1
    holds. The bounds are ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).

    Raises ValueError, beside the reasons of `llr`, when elo0 >= elo1 or when the bounds would not enclose 0.
    """
    if not elo0 < elo1:
        raise ValueError(f"elo0 must be below elo1, not {elo0} and {elo1}")
    if not (alpha > 0 and beta > 0):
        raise ValueError(f"alpha and beta must be above 0, not {alpha} and {beta}: such a test would never end")
    if not alpha + beta < 1:
        raise ValueError(
            f"alpha + beta must be below 1, not {alpha} + {beta}: such a test decides no better than chance"
        )
    ratio = llr(counts, elo0, elo1, model)
    lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
    verdict: Verdict = "H1" if ratio >= upper else "H0" if ratio <= lower else "continue"
    return SprtState(ratio, lower, upper, verdict)


def pairs_to_decide(state: SprtState, elo0: float, elo1: float) -> float:
    """Pairs that a test of normalized Elo takes from a state on, on the mean, where the truth is halfway between.

    That is about the most of any truth. The ratio then walks without a drift until it meets a bound: after
    (upper - llr) (llr - lower) / v steps (A. Wald, 1947), of the variance v = 2 ((elo1 - elo0) / NELO_SCALE)^2.
    """
    return (state.upper - state.llr) * (state.llr - state.lower) / (2 * ((elo1 - elo0) / NELO_SCALE) ** 2)


def llr(counts: Counts, elo0: float, elo1: float, model: Model = "normalized") -> float:
    """Generalized log-likelihood ratio of H1 (strength *elo1*) to H0 (strength *elo0*) given the counts.

    *model* is the unit of elo0 and elo1: "logistic", Elo of the expected score, or "normalized", Elo of
    (mean - 1/2) / deviation. Each hypothesis is taken at the distribution of results that fits the counts
    best among those with its strength. Positive speaks for H1; 0 without games. Finite for one-sided counts
    and for hypotheses that none of the results supports.

    M. Van den Bergh, support_MLE_multinomial.pdf, Proposition 1.1 (logistic) and
    normalized_elo_practical.pdf, section 4.1 (normalized).

    Raises ValueError for wrong counts, an unknown model or a hypothesis beyond +-5000 Elo.
    """
    counts = _checked(counts)
    for elo in (elo0, elo1):
        if not abs(elo) <= ELO_LIMIT:
            raise ValueError(f"a hypothesis must lie within +-{ELO_LIMIT:.0f} Elo, not {elo}")
    if model not in get_args(Model):
        raise ValueError(unknown("model", model, get_args(Model)))
    if not counts.any():
        return 0.0
    weights = np.maximum(counts, REGULARISATION)
    total = float(weights.sum())
    observed = weights / total
    if model == "logistic":
        points = np.linspace(0, 1, len(counts))
        fits = [_nearest(observed, points - score_from_elo(elo)) for elo in (elo0, elo1)]
    else:
        scale = math.sqrt(len(counts) // 2) / NELO_SCALE
        fits = [_nearest_of_ratio(observed, scale * elo) for elo in (elo0, elo1)]
    null, alternative = (float(observed @ np.log(fit / observed)) for fit in fits)
    return total * (alternative - null)


def _nearest(observed: Floats, values: Floats) -> Floats:
    """The distribution nearest to *observed*, by max of sum p ln q, under which *values* have mean 0.

    It is q = p / (1 + x values) with one multiplier x: the root of the decreasing function sum p values / (1 + x
    values) between the poles -1 / max and -1 / min, which lie on both sides of 0, as some values are positive and
    some negative. Newton's method finds it for the function times its distances from both poles, which is nearly a
    straight line; a step that would leave the bracket halves it.
    """
    low = pole = -1 / float(values.max())
    high = other_pole = -1 / float(values.min())
    x = 0.0
    for _ in range(100):
        tilted = values / (1 + x * values)
        slope, curvature = float(observed @ tilted), float(observed @ tilted**2)
        if slope**2 <= 1e-24 * curvature:
            break
        low, high = (x, high) if slope > 0 else (low, x)
        step = slope / (curvature - slope * (1 / (x - pole) - 1 / (other_pole - x)))
        x = x + step if low < x + step < high else (low + high) / 2
    return observed / (1 + x * values)


def _nearest_of_ratio(observed: Floats, t: float) -> Floats:
    """The distribution nearest to *observed*, as in `_nearest`, of which (mean - 1/2) / deviation is *t*.

    With c = score - 1/2 and deviation s, the constraint E[c] = t s, linearized as in normalized_elo_practical.pdf,
    section 4.1, is that b = c - t (s / 2 + (c - t s)^2 / (2 s)) has mean 0. The nearest one under it meets the
    constraint itself if its own deviation is s, that is if E[c^2] = (1 + t^2) s^2: a root in s, at most 1/2. Far
    hypotheses have several, of which the best is taken. Some b must be positive, which bounds s for each c.
    """
    if t < 0:
        return _nearest_of_ratio(observed[::-1], -t)[::-1]
    c = np.linspace(-0.5, 0.5, len(observed))
    if t < 1e-12:
        return _nearest(observed, c)
    from scipy.optimize import brentq  # here, as it takes a tenth of a second to load

    def fit(s: float) -> Floats:
        return _nearest(observed, c - t * (s / 2 + (c - t * s) ** 2 / (2 * s)))

    def excess(s: float) -> float:
        return float(fit(s) @ c**2) - (1 + t**2) * s**2

    root, inside = math.hypot(1, t), 1 + 1e-9
    ends = [(best * t / (root * (root + 1)), min(best * (root + 1) / (root * t), 0.51)) for best in c[c > 0]]
    deviations = sorted(s for low, high in ends for s in np.geomspace(low * inside, high / inside, 16).tolist())
    excesses = [excess(s) for s in deviations]
    fits = [
        fit(float(brentq(excess, low, high, xtol=1e-14)))
        for low, high, at_low, at_high in zip(deviations, deviations[1:], excesses, excesses[1:], strict=False)
        if at_low >= 0 > at_high
    ]
    return max(fits, key=lambda q: float(observed @ np.log(q)))


def _checked(counts: Counts) -> Floats:
    """The counts as an array. Raises ValueError for what are none."""
    checked = np.asarray(counts, float)
    if checked.shape not in ((3,), (5,)):
        raise ValueError(
            "counts must be 3 (losses, draws, wins) or 5 (pairs LL, LD, WL+DD, WD, WW), "
            f"not of shape {checked.shape}"
        )
    if not (np.isfinite(checked).all() and (checked >= 0).all()):
        raise ValueError(f"counts must be finite and not negative: {checked.tolist()}")
    return checked
