"""Errors of graded decisions: rates with intervals and points from scores.

A decision is a move in a position in which some move loses value. Intervals hold 95 %; decisions of games in one
cluster (`arena.ratings.clusters`: two games of an opening with colours swapped, and copies of a game) are not
independent. What cannot be known is nan.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, stdtrit

from arena.ratings.match import Z95
from arena.ratings.types import Floats

INACCURACY, MISTAKE, BLUNDER = 0.05, 0.10, 0.15
"""Points lost by a move from which on it has these names, as lila counts them (modules/tree/Advice.scala)."""
HALF, WHOLE = 0.5, 1.0
"""Points lost by a move where the tables judge: a win or a draw thrown away, a win turned into a loss."""
SCALES = 1e-3, 20.0
"""The least and the greatest scale that `fitted_scale` finds, per man."""


class Measured(NamedTuple):
    """A rate or a mean with its 95 % interval."""

    value: float
    low: float
    high: float
    trials: float
    """What it is a rate or a mean of; n."""
    variance: float
    """Of one trial: that of the estimate is `variance` / `trials`."""

    def bounds(self, name: str) -> dict[str, float]:
        """The value and its interval as columns: name, name_low, name_high."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


class Scale(NamedTuple):
    """How a judge's score in men becomes points, s = 1 / (1 + exp(-k men)), and what it was fitted on."""

    k: float
    low: float
    high: float
    decisions: int
    games: int


_UNKNOWN = Measured(math.nan, math.nan, math.nan, 0, math.nan)


def wilson(share: npt.ArrayLike, trials: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends of the 95 % interval of each share, 0 to 1, of more than 0 independent trials (E. Wilson 1927)."""
    p, n = np.asarray(share, float), np.asarray(trials, float)
    middle = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * np.sqrt(p * (1 - p) / n + Z95**2 / (4 * n**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def rate(hits: npt.ArrayLike, cluster: npt.ArrayLike, effect: float = math.nan) -> Measured:
    """The share of trials that hit, with Wilson's interval for as many independent trials as give its variance.

    The variance is that of clusters, by Student's t for their number (E. Korn and B. Graubard 1998), and at least
    that of independent trials. Where all trials or none hit, no variance can be seen: `effect` is then that of
    clusters on it (Kish's design effect), by default the trials in a cluster, which so counts as one.
    """
    found = mean(hits, cluster)
    n, p = found.trials, found.value
    if not n:
        return found
    independent = p * (1 - p)
    spread = max(found.variance, independent) if found.variance == found.variance else independent
    clusters = len(np.unique(np.asarray(cluster)))
    student = float(stdtrit(clusters - 1, 0.975)) / Z95 if clusters > 1 else 1.0
    unseen = n / clusters if math.isnan(effect) else effect
    trials = n / (student**2 * spread / independent if independent > 0 else unseen)
    low, high = (float(end) for end in wilson(p, trials))
    return Measured(p, min(low, p), max(high, p), n, spread)


def mean(values: npt.ArrayLike, cluster: npt.ArrayLike) -> Measured:
    """The mean of values, with the variance of a ratio of sums of clusters (Cochran 1977, section 9A.2).

    The interval is missing for a single cluster, and where the values show no variance.
    """
    value, codes = np.asarray(values, float), pd.factorize(np.asarray(cluster))[0]
    n = len(value)
    if not n:
        return _UNKNOWN
    average = float(value.mean())
    sums = np.bincount(codes, value - average)
    clusters = len(sums)
    variance = clusters / (clusters - 1) * float(sums @ sums) / n if clusters > 1 else math.nan
    half = Z95 * math.sqrt(variance / n) if variance > 0 else math.nan
    return Measured(average, average - half, average + half, n, variance)


def points_of_men(men: npt.ArrayLike, k: npt.ArrayLike) -> Floats:
    """The points that a score in men makes expect, s = 1 / (1 + exp(-k men)), 0 to 1; both are the mover's.

    K. Regan and G. Haworth, "Intrinsic chess ratings", AAAI 2011, have errors on such a scale.
    """
    found: Floats = expit(np.asarray(k, float) * np.asarray(men, float))
    return found


def fitted_scale(men: npt.ArrayLike, points: npt.ArrayLike, cluster: npt.ArrayLike, games: int) -> Scale | None:
    """The scale by logistic regression of the points that movers got in the end on a judge's scores before it.

    Without intercept, so that an even position is worth half a point; a draw counts as half a win. The interval
    is that of clusters. None where scores do not go with results: k would not lie within SCALES.
    """
    x, y = np.asarray(men, float), np.asarray(points, float)
    known = np.isfinite(x)
    x, y, codes = x[known], y[known], pd.factorize(np.asarray(cluster)[known])[0]

    def slope(k: float) -> float:
        return float(x @ (y - expit(k * x)))

    if not len(x) or slope(SCALES[0]) <= 0 or slope(SCALES[1]) >= 0:
        return None
    k = float(brentq(slope, *SCALES))
    expected = expit(k * x)
    pulls = np.bincount(codes, x * (y - expected))
    half = Z95 * math.sqrt(float(pulls @ pulls)) / float(x**2 @ (expected * (1 - expected)))
    return Scale(k, k - half, k + half, len(x), games)


def endgame_errors(decisions: pd.DataFrame, seats: pd.DataFrame) -> pd.DataFrame:
    """What each player threw away in positions of the tables, in the order of first appearance in `seats`.

    `decisions` are those that can err, judged by the tables: game, player, cluster, best, played, chance_errors,
    best_plies, played_plies. `seats` has a row per game and player: game, player, cluster, points (those of the
    game in the end) and contact, the player's points with best play from the first position of the tables,
    missing if there was none. Skill is 1 − errors / errors that random choice would make in the same positions;
    its interval is that of the error rate. `extra_plies` are plies beyond the quickest win, per decision that
    kept a won ending.
    """
    effect = _typical_effect(decisions.assign(hit=decisions["best"] > decisions["played"]))
    rows = []
    for player, mine in _by_player(decisions, seats):
        played = seats[seats["player"] == player]
        best, after = (mine[name].to_numpy(float) for name in ("best", "played"))
        lost = best - after
        errors = rate(lost > 0, mine["cluster"], effect)
        by_game = played["game"].map(mine.assign(lost=lost).groupby("game")["lost"].sum()).fillna(0.0)
        thrown = mean(by_game, played["cluster"])
        chance = float(mine["chance_errors"].sum()) / len(mine) if len(mine) else math.nan
        kept = mine[(best == 1) & (after == 1)]
        extra = mean(kept["played_plies"] - kept["best_plies"], kept["cluster"])
        won, drawn = (played[played["contact"] == value] for value in (1.0, 0.5))
        rows.append(
            {
                "player": player,
                "decisions": len(mine),
                "errors": int((lost > 0).sum()),
                **errors.bounds("error_rate"),
                **_skill(errors, chance),
                "games": len(played),
                **thrown._replace(low=max(thrown.low, 0.0)).bounds("lost_per_game"),
                "win_to_draw": int(((best == 1) & (after == 0.5)).sum()),
                "draw_to_loss": int(((best == 0.5) & (after == 0)).sum()),
                "win_to_loss": int(((best == 1) & (after == 0)).sum()),
                "won_endings": len(won),
                **rate(won["points"] == 1, won["cluster"]).bounds("converted"),
                "drawn_endings": len(drawn),
                **rate(drawn["points"] >= 0.5, drawn["cluster"]).bounds("held"),
                "kept_wins": len(kept),
                **extra._replace(low=max(extra.low, 0.0)).bounds("extra_plies"),
            }
        )
    return pd.DataFrame(rows)


def judged_losses(decisions: pd.DataFrame, seats: pd.DataFrame) -> pd.DataFrame:
    """What each player lost by a judge's scores, in the whole game and by phase.

    `decisions` are those of judges: player, cluster, phase, lost (points) and agrees (the judge's own move).
    """
    effect = _typical_effect(decisions.assign(hit=decisions["lost"] >= BLUNDER))
    rows = []
    for player, mine in _by_player(decisions, seats):
        phases = [str(phase) for phase in mine["phase"].unique()]
        parts = [("all", mine), *((phase, mine[mine["phase"] == phase]) for phase in phases)]
        for phase, part in parts:
            lost = part["lost"].to_numpy(float)
            average = mean(lost, part["cluster"])
            row: dict[str, Any] = {"player": player, "phase": phase, "decisions": len(part)}
            row |= average._replace(low=max(average.low, 0.0)).bounds("lost_per_move")
            row |= rate(part["agrees"], part["cluster"]).bounds("agreement")
            row["inaccuracies"] = int(((lost >= INACCURACY) & (lost < MISTAKE)).sum())
            row["mistakes"] = int(((lost >= MISTAKE) & (lost < BLUNDER)).sum())
            row["blunders"] = int((lost >= BLUNDER).sum())
            row |= rate(lost >= BLUNDER, part["cluster"], effect).bounds("blunder_rate")
            rows.append(row)
    return pd.DataFrame(rows)


def _by_player(decisions: pd.DataFrame, seats: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    of = dict(tuple(decisions.groupby("player", observed=True)))
    for player in pd.unique(seats["player"]):
        if player in of:
            yield str(player), of[player]


def _typical_effect(decisions: pd.DataFrame) -> float:
    """The mean effect of clusters on the variance of the players' rates, of those that show one; else nan."""
    found = [rate(part["hit"], part["cluster"]) for _, part in decisions.groupby("player", observed=True)]
    effects = [one.variance / (one.value * (1 - one.value)) for one in found if 0 < one.value < 1]
    return float(np.mean(effects)) if effects else math.nan


def _skill(errors: Measured, chance: float) -> dict[str, float]:
    """1 − error rate / chance, and its interval; of positions without a chance to err it is missing."""
    if not chance > 0:
        return _UNKNOWN.bounds("skill")
    value, low, high = (1 - share / chance for share in (errors.value, errors.high, errors.low))
    return {"skill": value, "skill_low": low, "skill_high": high}
