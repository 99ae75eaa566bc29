"""Statistics of a match between two players from its counts: score, Elo, sequential tests, resolution.

Counts stand in the order of a player's points, worst result first; their length says what they count.

* 3, trinomial: games ``[losses, draws, wins]``.
* 5, pentanomial: pairs of games with colours swapped ``[LL, LD, WL + DD, WD, WW]``.

The same match from the opponent's view is ``counts[::-1]``. Scores are the fraction of points, 0 to 1.

A count of zero enters variances, Elo and likelihoods as 0.001, the convention of fastchess and fishtest, so
every figure is finite. For one-sided counts (only wins, say) the figures derived from the variance are then
finite but not trustworthy: the estimate and its width depend on that 0.001. For such data use
`arena.ratings.joint.rate`, which has a prior.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Floats, Interval, elo_from_score, los, score_from_elo
from arena.rules.result import pair_points

NELO_SCALE = 800 / math.log(10)  # M. Van den Bergh, "Comments on normalized Elo"
REGULARISATION = 1e-3  # results that an empty count stands for
SCORE_LIMIT = 1e-3  # confidence limits of a score stay this far from 0 and 1, as in OpenBench
ELO_LIMIT = 5000.0  # hypotheses beyond it have scores that floats cannot tell from 0 and 1

Counts: TypeAlias = Sequence[int] | Sequence[float] | NDArray[np.integer] | NDArray[np.floating]
Model: TypeAlias = Literal["normalized", "logistic"]
Verdict: TypeAlias = Literal["H0", "H1", "continue"]


class Summary(NamedTuple):
    """Figures of a match."""

    games: int
    score: float  # fraction of points
    elo: Interval
    nelo: Interval  # normalized Elo
    los: float  # probability that the player is the stronger one
    draw_ratio: float  # drawn games / games; for pairs, those that ended level (WL or DD) / pairs


def summary(counts: Counts) -> Summary:
    """Score, Elo, normalized Elo and LOS of a match from its counts (see the module docstring).

    Elo's half width is half the distance between the Elos of the score's limits, s +- z sqrt(v / n), these
    kept at least 0.001 away from 0 and 1; n is games or pairs. `score` and `draw_ratio` are of the counts as
    given. Normalized Elo is (s - 1/2) / sqrt(v) * 800 / ln 10, for pairs with 2 v.

    Without games: score 0.5, Elo 0 +- 1200, LOS 0.5, draw ratio 0.

    Raises ValueError for a length other than 3 or 5 or a count that is negative or not finite.
    """
    counts = _checked(counts)
    weights = np.maximum(counts, REGULARISATION)
    points, middle = np.linspace(0, 1, len(counts)), len(counts) // 2
    results, total = float(counts.sum()), float(weights.sum())

    lead = float(weights @ (points - 0.5)) / total
    score = 0.5 + lead
    error = math.sqrt(float(weights @ (points - score) ** 2)) / total
    low = max(score - Z95 * error, min(score, SCORE_LIMIT))
    high = min(score + Z95 * error, max(score, 1 - SCORE_LIMIT))
    unit = NELO_SCALE / (error * math.sqrt(middle * total))
    return Summary(
        games=round(middle * results),  # a result is of 1 game or 2
        score=float(counts @ points) / results if results else 0.5,
        elo=Interval.around(elo_from_score(score), (elo_from_score(high) - elo_from_score(low)) / 2),
        nelo=Interval.around(lead * unit, Z95 * error * unit),
        los=float(los(lead, error)),
        draw_ratio=float(counts[middle]) / results if results else 0.0,
    )


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


class SprtState(NamedTuple):
    """State of a sequential probability ratio test."""

    llr: float
    lower: float  # at or below: H0 is accepted
    upper: float  # at or above: H1 is accepted
    verdict: Verdict


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule."""

    def __init__(self, settings: Mapping[str, Any] | None) -> None:
        """Of the arguments of `sprt` behind the counts; without settings it is never decided."""
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

    def advance(self, points: Mapping[int, float]) -> list[SprtState]:
        """Take in the next pairs as far as both games are known, until decided; returns the state after each.

        `points` are White's by number of the game, from 1. Games 2 k - 1 and 2 k are a pair, and the first player
        is White in the first of them. Some five milliseconds a pair.
        """
        states: list[SprtState] = []
        if self._settings is None:
            return states
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            won = pair_points(points[self.games + 1], points[self.games + 2])
            self._counts[round(2 * won)] += 1
            self.games += 2
            self.state = sprt(self._counts, **self._settings)
            states.append(self.state)
        return states


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
        low, high = (float(_mean_fit(observed, points - score_from_elo(elo))) for elo in (elo0, elo1))
    else:
        games_per_result = len(counts) // 2
        low, high = (_ratio_fit(observed, math.sqrt(games_per_result) * elo / NELO_SCALE) for elo in (elo0, elo1))
    return total * (high - low)


def _mean_fit(observed: Floats, values: Floats) -> Floats:
    """Best fit to *observed* by a distribution q under which *values* have mean 0: max of sum p ln(q / p).

    *observed* is p, `float[n]`, all above 0; *values* are `float[..., n]`, and the result has their leading
    shape. It is -inf where all values have one sign. The optimum is q = p / (1 + x values) with x the root of
    the decreasing function sum p values / (1 + x values) between its poles on both sides of 0. It is found inside
    a shrinking bracket by Newton's method, applied to the function times its distances from both poles, which is
    nearly a straight line.
    """
    least, most = values.min(axis=-1), values.max(axis=-1)
    feasible = (least < 0) & (most > 0)
    pole, other_pole = -1 / np.where(feasible, most, 1.0), -1 / np.where(feasible, least, -1.0)
    low, high = np.where(feasible, pole, 0.0), np.where(feasible, other_pole, 0.0)
    x = np.zeros(values.shape[:-1])
    for _ in range(100):
        tilted = values / (1 + x[..., None] * values)
        slope, curvature = tilted @ observed, tilted**2 @ observed
        if (slope**2 <= 1e-18 * curvature)[feasible].all():
            break
        low, high = np.where(slope > 0, x, low), np.where(slope > 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = x + slope / (curvature - slope * (1 / (x - pole) - 1 / (other_pole - x)))
        x = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
    fit = -np.log1p(x[..., None] * values) @ observed
    return np.where(feasible, fit, -np.inf)


def _ratio_fit(observed: Floats, ratio: float) -> float:
    """Best fit to *observed*, as in `_mean_fit`, by a q whose (mean - 1/2) / deviation is *ratio*.

    With c = score - 1/2 and ratio t >= 0, distributions of ratio t form the parabola (1 + t^2) E[c]^2 = t^2
    E[c^2]. Its tangent at deviation sigma is the set of mean 0 of b = c - t (sigma / 2 + (c - t sigma)^2 /
    (2 sigma)), the linearized constraint of normalized_elo_practical.pdf, section 4.1. Ratios above t are
    the union of all tangents, so the best fit among them is the best over the tangents. Ratios below t form
    a convex set, the intersection of the half spaces E[b] <= 0, so the best fit among them is the worst
    over the half spaces. Both are one-dimensional searches that need no starting point and cannot leave the
    feasible set.
    """
    if ratio < 0:
        return _ratio_fit(observed[::-1], -ratio)
    centred = np.linspace(-0.5, 0.5, len(observed))
    mean = float(observed @ centred)
    deviation = math.sqrt(observed @ (centred - mean) ** 2)
    above = mean >= ratio * deviation

    # A tangent meets the distributions only if some b is positive, which bounds sigma for each c > 0.
    t, best = max(ratio, 1e-9), centred[centred > 0]
    root = math.hypot(1, t)
    low = np.maximum(best * t / (root * (root + 1)), 1e-6)
    high = np.minimum(best * (root + 1) / (root * t), 0.5)
    rows = np.arange(len(best))
    for _ in range(3):
        sigma = np.geomspace(low, high, 64, axis=-1)[..., None]
        tangents = centred - t * (sigma / 2 + (centred - t * sigma) ** 2 / (2 * sigma))
        fits = _mean_fit(observed, tangents)
        if above:
            fits = np.where(tangents @ observed > 0, fits, 0.0)
        best_fit = fits.argmin(axis=-1) if above else fits.argmax(axis=-1)
        low, high = sigma[rows, np.maximum(best_fit - 1, 0), 0], sigma[rows, np.minimum(best_fit + 1, 63), 0]
    return float(fits.min() if above else fits.max())


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
