"""The joint rating of all players: one fit of every result at once, with intervals from the whole covariance.

Elo. A difference of d Elo means an expected score of 1 / (1 + 10^(-d/400)) over both colours, in openings such as
those played. The model is Bradley and Terry's with a draw as half a point, and ratings are the strengths that mean
the same score without the first-move advantage (`arena.ratings.fit`).

Games. A table with the columns white, black, result ("white", "draw", "black") and optionally

* pair: games of the same two players with the same value are one cluster, missing values stand alone;
* line: what was played (opening and moves) as any value; games of the same two players with the same colours
  and the same line repeat one another, a missing value repeats nothing;
* count: how many independent games the row stands for, a whole number of 0 or more.

Prior. The fit maximizes the likelihood times a weak prior made of virtual results, *prior* of each kind:

* a win of every player over a virtual opponent 800 Elo below the middle of the player's group, and a loss to one
  800 above it: density ((1 + e^(s - l)) (1 + e^(-s - l)))^-prior for a strength s and l = ln 100;
* for the first-move advantage h, half a win and half a loss of the side that moves first, between equals: density
  (2 cosh(h / 2))^-prior.

The prior keeps the Elo of one-sided results finite. It does not grow with the games played and hardly pulls at
players within 400 Elo of the middle: of a match of 100 games it shifts 62 % by 0.04 Elo, and 90 % by 0.5.

Covariance. The inverse Hessian around the sum over clusters of the squared score (the sandwich), a cluster
being the games of one pair: two games from one opening are not independent. Clusters that all ended alike show
no spread, so where a difference rests on such clusters alone, the model's variance replaces theirs if that is
larger.

Repeated games. Games that are the same move for move are one observation: the clusters that hold them become
one, and all games of two players together count as many as are distinct, so that six copies of every game
leave ratings and intervals as they are. Players that played the same moves whenever they met
(`arena.ratings.repeats.alike`) are one player: they share a rating, to which the games between them say nothing,
and where there are no other games they have none.

The advantage of moving first is not fitted where the games cannot tell it from the players' strengths, as when one
player always moved first.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd

from arena.base.wording import unknown
from arena.ratings.clusters import (
    POINTS,
    CodedGames,
    clustered,
    components,
    encode,
    names_of,
    representatives,
    tells_advantage,
)
from arena.ratings.fit import estimate, maximize
from arena.ratings.match import los
from arena.ratings.notes import NO_ADVANTAGE, one_player_notes, ratings_notes
from arena.ratings.repeats import alike
from arena.ratings.types import Bools, Floats, Ints
from arena.rules.result import Colour

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
    groups: tuple[tuple[str, ...], ...]  # players connected through games; Elo compares only inside a group
    notes: tuple[str, ...]  # what a reader of the table must know, in sentences


def rate(
    games: pd.DataFrame,
    players: Sequence[str] | None = None,
    *,
    first: Colour = "white",
    anchor: str | Mapping[str, float] | None = None,
    advantage: bool = True,
    prior: float = 1.0,
) -> Ratings:
    """Rate all players at once from all *games* by maximum a posteriori (see the module docstring).

    *players* lists all players, those without games too; it decides the order of equal ratings (default: by
    name). *first* is the colour that moves first, *advantage* whether its advantage is fitted.

    Each group's mean is 0, and intervals are of the difference to that mean. With an *anchor*, its group is
    shifted to give it Elo 0, or the Elo in a mapping, and intervals there are of the difference to the anchor,
    whose own is empty. Several anchors keep their Elo in the fit: {"level 1": -294, "level 4": 0} leaves the other
    players to be rated, and no advantage is fitted, since each pairing is taken to be played with both colours.
    *prior* 0 leaves one-sided ratings finite but meaningless.

    Raises ValueError for missing columns, unknown results, players, anchor or colour, a player who meets itself,
    counts that are not whole numbers of 0 or more, and a negative prior.
    """
    _check_choice("first", first, get_args(Colour))
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior must be a number of virtual results, 0 or more, not {prior}")
    games = games if len(games) else games.reindex(columns=["white", "black", "result"])
    names = names_of(games, players)
    anchors = {anchor: 0.0} if isinstance(anchor, str) else dict(anchor or {})
    for name in anchors:
        _check_choice("anchor", name, names)

    games = games.astype(dict.fromkeys(("white", "black", "result"), "category"))  # to look up each value once
    played, twins, size = encode(games, names, first), alike(games, names), len(names)
    one = representatives(names, twins, anchors)
    coded = encode(games, names, first, one) if twins else played
    group = components(coded.first, coded.second, size)
    clusters = clustered(coded, size)
    cells, told = clusters.cells(size), tells_advantage(clusters, size)
    known = {names.index(name): elo for name, elo in anchors.items()}
    fixed = known if len(known) > 1 else {}
    advantage = advantage and not fixed
    fit = maximize(cells, size, advantage and told, prior, fixed)
    found = estimate(clusters, cells, fit, _centred(group, known), len({*group} - {*group[list(fixed)]}))

    group, elo, error = group[one], found.elo[:-1][one], found.error[:-1][one]
    if len(known) == 1:
        ((player, shift),) = known.items()
        elo = elo + shift * (group == group[player])
    order = np.lexsort((np.arange(size), -np.round(elo, TIE_DECIMALS), group))
    ranked = [names[player] for player in order]
    covariance = found.covariance[np.ix_(one, one)][np.ix_(order, order)]
    table = _counts(names, played).iloc[order].reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, size + 1))
    for place, (name, values) in enumerate((("elo", elo), ("elo_low", elo - error), ("elo_high", elo + error)), 2):
        table.insert(place, name, values[order])
    table["los"] = _over_the_next(elo[order], covariance, group[order])
    unmet = ~np.isin(one, [coded.first, coded.second])
    _forget_unknown(table, one[order], unmet[order])
    groups = tuple(tuple(names[p] for p in order if group[p] == number) for number in np.unique(group))
    notes = [*one_player_notes(twins), *ratings_notes(played, groups, found.one_sided, list(anchors))]
    if advantage and not told and len(coded.first):
        notes.append(NO_ADVANTAGE)
    return Ratings(
        table=table,
        covariance=pd.DataFrame(covariance, index=ranked, columns=ranked),
        advantage=float(found.elo[-1]),
        advantage_error=float(found.error[-1]),
        groups=groups,
        notes=tuple(notes),
    )


def _centred(group: Ints, anchors: Collection[int]) -> Floats:
    """Matrix that turns strengths into differences to the group's mean, or to the anchor in its group.

    Where several anchors are fixed, strengths stay as they are.
    """
    same = group[:, None] == group
    share = same / np.maximum(same.sum(axis=1, keepdims=True), 1)
    for anchor in anchors:
        share[same[anchor]] = np.arange(len(group)) == anchor if len(anchors) == 1 else 0
    matrix: Floats = np.eye(len(group)) - share
    return matrix


def _over_the_next(elo: Floats, covariance: Floats, group: Ints) -> Floats:
    """Likelihood of superiority of each player over the next one, 0.5 where that is of another group."""
    variance, shared = np.diag(covariance), np.diag(covariance, 1)
    error = np.sqrt(np.maximum(variance[:-1] + variance[1:] - 2 * shared, 0))
    found: Floats = np.where(group[:-1] == group[1:], los(elo[:-1] - elo[1:], error), 0.5)
    return np.append(found, 0.5)[: len(elo)]


def _forget_unknown(table: pd.DataFrame, one: Ints, unmet: Bools) -> None:
    """Empty what the games cannot tell: which of one player is better, and Elo from no other games."""
    shared = np.bincount(one)[one] > 1
    table.loc[np.append(one[:-1] == one[1:], False)[: len(one)], "los"] = math.nan
    table.loc[shared & unmet, ["elo", "elo_low", "elo_high", "los"]] = math.nan


def _check_choice(what: str, value: str, valid: Sequence[str]) -> None:
    if value not in valid:
        raise ValueError(unknown(what, value, valid))


def _counts(names: list[str], games: CodedGames) -> pd.DataFrame:
    """Games, results and score of each player."""
    size = len(names)
    counts = np.bincount(games.first * 3 + games.outcome, games.number, 3 * size)
    counts += np.bincount(games.second * 3 + 2 - games.outcome, games.number, 3 * size)
    counts = counts.astype(np.int64).reshape(-1, 3)
    played = counts.sum(axis=1)
    columns = {
        "player": pd.Series(names, dtype=object),
        "games": played,
        "wins": counts[:, 0],
        "draws": counts[:, 1],
        "losses": counts[:, 2],
        "score": np.divide(counts @ POINTS, played, out=np.full(size, 0.5), where=played > 0),
    }
    return pd.DataFrame(columns)
