"""The joint rating of all players: one fit of every result at once, with intervals from the whole covariance.

Elo. A difference of d Elo means an expected score of 1 / (1 + 10^(-d/400)) over both colours, in an opening that
favours neither side. The model is Bradley and Terry's with a draw as half a point (`arena.ratings.strengths`), and
ratings are the strengths that mean the same score without the first-move advantage (`both_colours` there). Under
Davidson's model, Elo = 400 / ln 10 * 2 / (2 + nu) * strength, which has that meaning for small differences only.

Games. A table with the columns white, black, result ("1-0", "1/2-1/2", "0-1") and optionally

* pair: games of the same two players with the same value are one cluster, missing values stand alone;
* opening: which opening, as any value; what it adds to the advantage is fitted, unless it is missing, or there
  are more than 1000 openings, or the two players meet nobody else, or no advantage is fitted;
* line: what was played (opening and moves) as any value; games of the same two players with the same colours
  and the same line repeat one another, a missing value repeats nothing;
* count: how many independent games the row stands for, a whole number of 0 or more.

Prior. The fit maximizes the likelihood times a weak prior made of virtual results, *prior* of each kind:

* a win of every player over a virtual opponent 800 Elo below the middle of the player's group, and a loss to one
  800 above it: density ((1 + e^(s - l)) (1 + e^(-s - l)))^-prior for a strength s and l = ln 100;
* for the first-move advantage h, half a win and half a loss of the side that moves first, between equals: density
  (2 cosh(h / 2))^-prior;
* under Davidson's model, a draw and a decisive game between equals: density (q (1 - q))^prior with the draw rate
  of equal players q = nu / (2 + nu).

The prior keeps the Elo of one-sided results finite. It does not grow with the games played and hardly pulls at
players within 400 Elo of the middle: of a match of 100 games it shifts 62 % by 0.04 Elo, and 90 % by 0.5.

Covariance. The inverse Hessian around the sum over clusters of the squared score (the sandwich), a cluster
being the games of one pair: two games from one opening are not independent. Clusters that all ended alike show
no spread, so where a difference rests on such clusters alone, the model's variance replaces theirs if that is
larger. The bootstrap draws the same clusters with replacement instead.

Repeated games. Games that are the same move for move are one observation: the clusters that hold them become
one, and all games of two players together count as many as are distinct, so that six copies of every game
leave ratings and intervals as they are. Players that played the same moves whenever they met
(`arena.ratings.repeats.alike`) are one player: they share a rating, to which the games between them say nothing,
and where there are no other games they have none.

Openings. Where games name their opening, each has an advantage of its own, normal about h. One h for all would
make differences and intervals too small where openings favour one side strongly. Two players alone have two games
an opening, which cannot tell its advantage from chance: none is fitted, and with as many games of either colour
the difference of the two is the Elo of their score. Nor is the advantage of moving first fitted where the games
cannot tell it from the players' strengths, as when one player always moves first.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from arena.base.wording import unknown
from arena.ratings import RatingModel
from arena.ratings.clusters import (
    MAX_OPENINGS,
    ClusteredGames,
    CodedGames,
    Objective,
    names_of,
    objective_of,
)
from arena.ratings.covariance import Estimates, bootstrapped, centred, resample, sandwich
from arena.ratings.dispersion import drawn_share
from arena.ratings.match import los
from arena.ratings.notes import (
    DAVIDSON,
    NO_ADVANTAGE,
    NOT_RESAMPLED,
    many_openings,
    one_player_notes,
    ratings_notes,
)
from arena.ratings.strengths import POINTS, StrengthFit, maximize
from arena.ratings.types import Floats, Ints
from arena.rules.result import Colour

Intervals: TypeAlias = Literal["sandwich", "bootstrap"]

TIE_DECIMALS = 6  # ratings that are equal to this number of decimals of an Elo tie in the order of the table


@dataclass(frozen=True, eq=False)
class Ratings:
    """A joint rating. Players stand in rank order; errors are half widths of 95 % intervals.

    `table` has a row per player: rank, player, elo, elo_low, elo_high (a 95 % interval), games, wins, draws,
    losses, score and los. los is the likelihood of superiority over the next player of the same group, 0.5
    where there is none. Groups follow one another, the largest first. A player without games is a group of
    its own: score 0.5, and Elo 0 by definition, so without an error. Players that are one have one rating, and no
    los between them; those that met nobody else have none.
    """

    table: pd.DataFrame
    covariance: pd.DataFrame  # of the Elo ratings, player x player, in Elo^2
    advantage: float  # of moving first, in Elo
    advantage_error: float
    openings: pd.Series  # what each opening adds to the advantage, in Elo, by opening; empty if it is not fitted
    opening_spread: float  # standard deviation of that over all openings like these, in Elo
    draw_rate: float  # of equal players without first-move advantage
    model: RatingModel
    parameters: Floats  # of the fit, players in rank order: see `arena.ratings.strengths`
    groups: tuple[tuple[str, ...], ...]  # players connected through games; Elo compares only inside a group
    notes: tuple[str, ...] = ()  # what a reader of the table must know, in sentences


def rate(
    games: pd.DataFrame,
    players: Sequence[str] | None = None,
    *,
    first: Colour = "white",
    anchor: str | Mapping[str, float] | None = None,
    model: RatingModel = "bradley-terry",
    advantage: bool = True,
    prior: float = 1.0,
    intervals: Intervals = "sandwich",
    resamples: int = 1000,
    seed: int = 0,
) -> Ratings:
    """Rate all players at once from all *games* by maximum a posteriori (see the module docstring).

    *players* lists all players, those without games too; it decides the order of equal ratings (default: by
    name). *first* is the colour that moves first, *advantage* whether its advantage is fitted.

    Each group's mean is 0, and intervals are of the difference to that mean. With an *anchor*, its group is
    shifted to give it Elo 0, or the Elo in a mapping, and intervals there are of the difference to the anchor,
    whose own is empty. Several anchors keep their Elo in the fit: {"level 1": -294, "level 4": 0} leaves the other
    players to be rated, and no advantage is fitted, since each pairing is taken to be played with both colours.
    *prior* 0 leaves one-sided ratings finite but meaningless.

    *intervals* "bootstrap" takes the 2.5 and 97.5 % quantiles, and the covariance, of *resamples* fits to
    clusters drawn with replacement, the same for the same *seed*. Where results are all alike resamples do not
    differ: intervals are the sandwich's then, and a note says so.

    Raises ValueError for missing columns, unknown results, players, anchor, model, intervals or colour, a player
    who meets itself, counts that are not whole numbers of 0 or more, a negative prior and fewer than 2 resamples.
    """
    _check_options(model, first, intervals, prior, resamples)
    games = games if len(games) else games.reindex(columns=["white", "black", "result"])
    names = names_of(games, players)
    anchors = {anchor: 0.0} if isinstance(anchor, str) else dict(anchor or {})
    for name in anchors:
        _check_choice("anchor", name, names)
    objective = objective_of(games, names, first, anchors)
    clusters, group = objective.clusters, objective.group
    known = {names.index(name): elo for name, elo in anchors.items()}
    fixed = known if len(known) > 1 else {}
    advantage = advantage and not fixed
    fitted = advantage and objective.tells_advantage
    fit = maximize(clusters.cells(len(names)), len(names), model, fitted, prior, fixed)

    reference = centred(group, list(known))
    estimates = sandwich(clusters, fit, reference, len({*group} - {*group[list(fixed)]}))
    if intervals == "bootstrap" and len(clusters.first) and not estimates.one_sided:
        rng = np.random.default_rng(seed)
        found = resample(clusters, fit, reference, fitted, prior, resamples, rng)
        estimates = bootstrapped(estimates, found)
    if len(known) == 1:
        ((player, elo),) = known.items()
        estimates = estimates.shifted(elo * (group == group[player]))

    ratings = _named(objective, fit, estimates.shared(objective.one))
    notes = _notes(objective, ratings, estimates.one_sided, list(anchors), advantage, intervals)
    return replace(ratings, notes=tuple(notes))


def _named(objective: Objective, fit: StrengthFit, estimates: Estimates) -> Ratings:
    """The joint rating by the players' names, in rank order; *estimates* has the same of players that are one."""
    names, one, games = objective.names, objective.one, objective.played
    group = objective.group[one]
    values, low, high, spread, _ = estimates
    order = np.lexsort((np.arange(len(names)), -np.round(values[:-1], TIE_DECIMALS), group))
    ranked = [names[player] for player in order]
    elo = pd.DataFrame({"elo": values[:-1], "elo_low": low[:-1], "elo_high": high[:-1]})
    ratings = Ratings(
        table=_table(names, elo, games).iloc[order].reset_index(drop=True),
        covariance=pd.DataFrame(spread[np.ix_(order, order)], index=ranked, columns=ranked),
        advantage=float(values[-1]),
        advantage_error=float(high[-1] - low[-1]) / 2,
        openings=_openings(objective.openings, fit),
        opening_spread=fit.spread * fit.scale,
        draw_rate=fit.draw_rate if fit.model == "davidson" else _drawn_share(objective.clusters, fit),
        model=fit.model,
        parameters=np.append(fit.parameters[one][order], fit.parameters[len(order) :]),
        groups=tuple(tuple(names[p] for p in order if group[p] == number) for number in np.unique(group)),
    )
    ratings.table["rank"] = np.arange(1, len(names) + 1)
    ratings.table["los"] = _over_the_next(values[order], spread[np.ix_(order, order)], group[order])
    _forget_unknown(ratings.table, objective, order)
    return ratings


def _over_the_next(elo: Floats, covariance: Floats, group: Ints) -> Floats:
    """Likelihood of superiority of each player over the next one, 0.5 where that is of another group."""
    variance, shared = np.diag(covariance), np.diag(covariance, 1)
    error = np.sqrt(np.maximum(variance[:-1] + variance[1:] - 2 * shared, 0))
    found: Floats = np.where(group[:-1] == group[1:], los(elo[:-1] - elo[1:], error), 0.5)
    return np.append(found, 0.5)[: len(elo)]


def _forget_unknown(table: pd.DataFrame, objective: Objective, order: Ints) -> None:
    """Empty what the games cannot tell: which of one player is better, and Elo from no other games."""
    one, group = objective.one[order], objective.group
    lone = np.bincount(group, minlength=len(group))[group][one] == 1
    table.loc[np.append(one[:-1] == one[1:], False)[: len(one)], "los"] = math.nan
    table.loc[lone & (np.bincount(one)[one] > 1), ["elo", "elo_low", "elo_high", "los"]] = math.nan


def _notes(
    objective: Objective,
    ratings: Ratings,
    one_sided: int,
    anchors: Sequence[str],
    advantage: bool,
    intervals: Intervals,
) -> Iterator[str]:
    """Notes for the reader of the table; *one_sided* pairings had results that were all alike."""
    yield from one_player_notes(objective.twins)
    yield from ratings_notes(objective.played, ratings.groups, one_sided, anchors)
    if ratings.model == "davidson":
        yield DAVIDSON
    if advantage and not objective.tells_advantage and len(objective.clusters.first):
        yield NO_ADVANTAGE
    if advantage and objective.known > MAX_OPENINGS:
        yield many_openings(objective.known, MAX_OPENINGS)
    if one_sided and intervals == "bootstrap":
        yield NOT_RESAMPLED


def _check_options(model: str, first: str, intervals: str, prior: float, resamples: int) -> None:
    _check_choice("model", model, get_args(RatingModel))
    _check_choice("first", first, get_args(Colour))
    _check_choice("intervals", intervals, get_args(Intervals))
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior must be a number of virtual results, 0 or more, not {prior}")
    if resamples < 2:
        raise ValueError(f"resamples must be 2 or more, not {resamples}")


def _check_choice(what: str, value: str, valid: Sequence[str]) -> None:
    if value not in valid:
        raise ValueError(unknown(what, value, valid))


def _drawn_share(games: ClusteredGames, fit: StrengthFit) -> float:
    expected = 0.5 + fit.probability(games.first, games.second, games.opening) @ POINTS
    number = games.weight * games.times[games.cluster]
    return drawn_share(expected, number * (games.outcome == 1), number)


def _openings(openings: pd.Index, fit: StrengthFit) -> pd.Series:
    """The Elo that each of the *openings* adds to the advantage; the fit has none of them, or the first."""
    found = fit.parameters[fit.size + 2 :] * fit.scale
    return pd.Series(found, openings[: len(found)] if len(found) else [], dtype=float)


def _table(names: list[str], elo: pd.DataFrame, games: CodedGames) -> pd.DataFrame:
    size = len(names)
    counts = np.bincount(games.first * 3 + games.outcome, games.number, 3 * size)
    counts += np.bincount(games.second * 3 + 2 - games.outcome, games.number, 3 * size)
    counts = counts.astype(np.int64).reshape(-1, 3)
    played = counts.sum(axis=1)
    score = np.divide(counts @ (POINTS + 0.5), played, out=np.full(size, 0.5), where=played > 0)
    columns = {
        "rank": np.zeros(size, int),
        "player": pd.Series(names, dtype=object),
        **elo,
        "games": played,
        "wins": counts[:, 0],
        "draws": counts[:, 1],
        "losses": counts[:, 2],
        "score": score,
        "los": np.full(size, 0.5),
    }
    return pd.DataFrame(columns)
