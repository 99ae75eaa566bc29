"""The joint rating of all players: one fit of every result at once, with intervals from the whole covariance.

Model. The player who moves first is expected to score 1 / (1 + e^-(s - t + h)), with s and t the strengths of the
two players and h the advantage of moving first (R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block
Designs", 1952). A draw is half a point: a quasi-likelihood (R. W. M. Wedderburn, 1974). A difference of d Elo
means an expected score of 1 / (1 + 10^(-d/400)) over both colours. Parameters stand in one vector, `float[players
+ 1]`: the strength of each player, then h.

Games. A table with the columns white, black, result ("white", "draw", "black") and optionally

* pair: games of the same two players with the same value are one cluster, missing values stand alone;
* line: what was played (opening and moves) as any value; games of the same two players with the same colours
  and the same line repeat one another, a missing value repeats nothing;
* linked: games of any players with the same value are one cluster, missing values stand alone;
* count: how many independent games the row stands for, a whole number of 0 or more.

Prior. Virtual results keep the Elo of one-sided results finite: a win of every player over an opponent 800 Elo
below the middle of its group and a loss to one 800 above, with the density 1 / ((1 + e^(s - l)) (1 + e^(-s - l)))
and l = ln 100; half a win and half a loss of the side that moves first between equals, 1 / (2 cosh(h / 2)).

Covariance. The sandwich (`arena.ratings.logistic`) by clusters of games that are not independent
(`arena.ratings.clusters`). Clusters that all ended alike show no spread, so where a difference rests on such
clusters alone, the model's variance replaces theirs, multiplied by how much the others vary against the model's.

Twins. Players that played the same moves whenever they met are one player: they share a rating, to which the
games between them say nothing, and where there are no other games they have none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, vstack
from scipy.special import expit, stdtrit

from arena.base.wording import counted, first_few, unknown
from arena.ratings.clusters import Clusters, clustered, components, pairing_of
from arena.ratings.contrasts import Family
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Bools, Floats, Interval, Ints, los
from arena.ratings.logistic import Design, LogisticFit, logistic_fit, meat, scores, weighted_squares
from arena.rules.result import RESULTS, Colour

POINTS_OF = np.array([1.0, 0.5, 0.0])  # of a win, draw and loss
DRAW = 1  # index into POINTS_OF
VIRTUAL_LEAD = math.log(100)  # of the opponents of the prior's results, 800 Elo in logits
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value
TIE_DECIMALS = 6  # ratings that are equal to this number of decimals of an Elo tie in the order of the table
DENSE = 30_000  # numbers of a design up to which an array without gaps is faster than one with gaps
FEWEST_LINES = 5  # openings that two players must have played alike from both sides to pass for one player
MAX_NAMES = 8  # groups, and players of a group, that a note names


class NoteKind(Enum):
    """The kinds of notes on a rating."""

    ONE_PLAYER = auto()
    MORE_TWINS = auto()
    REPEATED = auto()
    GROUPS = auto()
    ALL_ALIKE = auto()
    NO_ADVANTAGE = auto()


class Note(NamedTuple):
    """What a reader of a rating must know."""

    kind: NoteKind
    text: str
    """A sentence."""
    players: tuple[str, ...] = ()
    """The two that are one player."""
    games: int = 0
    """The games between these."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """A joint rating. Players stand in rank order; intervals hold 95 %.

    `table` has a row per player: rank, player, elo, elo_low, elo_high, games, wins, draws, losses, score and los,
    the likelihood of superiority over the next player of the same group, 0.5 where there is none. Groups follow
    one another, the largest first. A player without games is a group of its own: score 0.5, and Elo 0 by
    definition, so without an error. Twins have one rating, and no los between them; those that met nobody else
    have none.
    """

    table: pd.DataFrame
    covariance: pd.DataFrame  # of the Elo ratings, player x player, in Elo^2
    advantage: Interval  # of moving first, in Elo; without width if it was not fitted
    groups: tuple[tuple[str, ...], ...]  # players connected through games; Elo compares only inside a group
    notes: tuple[Note, ...]  # what a reader of the table must know
    joint: JointFit | None = None  # what was fitted; None of ratings that are not from games

    def contrast(self, weights: Mapping[str, float]) -> Interval | None:
        """The sum of weight times Elo over players, `{a: 1, b: -1}` for a difference; the weights sum to 0.

        None unless all these players have ratings and are connected through games.
        """
        names = list(weights)
        if not weights.keys() <= self._elo.keys() or not any(weights.keys() <= {*group} for group in self.groups):
            return None
        weight, elo = np.array(list(weights.values())), np.array([self._elo[name] for name in names])
        variance = float(weight @ self.covariance.loc[names, names].to_numpy(float) @ weight)
        return Interval.around(float(weight @ elo), Z95 * math.sqrt(max(variance, 0.0)))

    def difference(self, player: str, other: str) -> Interval | None:
        """The Elo of a player less that of another; None unless games connect the two."""
        return self.contrast({player: 1.0, other: -1.0})

    def deviations(self, weights: Mapping[str, float]) -> float:
        """A contrast in its standard errors, 0 where there is none: standard normal where nothing differs."""
        found = self.contrast(weights)
        return found.value / found.error * Z95 if found and found.error > 0 else 0.0

    @cached_property
    def family(self) -> Family:
        """All differences of two players: which of them are beyond chance, all together."""
        return Family(self)

    @property
    def has_twins(self) -> bool:
        """Whether two players are one."""
        return any(note.kind is NoteKind.ONE_PLAYER for note in self.notes)

    @cached_property
    def _elo(self) -> dict[str, float]:
        """The Elo of each player with games that has one, as contrasts of all players are many."""
        rated = self.table[(self.table["games"] > 0) & self.table["elo"].notna()]
        return dict(zip(rated["player"], rated["elo"].astype(float), strict=True))


def rate(
    games: pd.DataFrame,
    players: Sequence[str] | None = None,
    *,
    first: Colour = "white",
    anchor: Mapping[str, float] = MappingProxyType({}),
    prior: float = 1.0,
) -> Ratings:
    """Rate all players at once from all *games* by maximum a posteriori (see the module docstring).

    *players* lists all players, those without games too; it decides the order of equal ratings (default: by
    name). *first* is the colour that moves first. *prior* multiplies the virtual results; at 0 one-sided ratings
    are finite but meaningless.

    Each group's mean is 0, and intervals are of the difference to that mean. With one *anchor*, {"level 4": 0},
    its group is shifted to give it that Elo, and intervals there are of the difference to the anchor, whose own is
    empty. Several anchors keep their Elo in the fit: {"level 1": -294, "level 4": 0} leaves the other players to
    be rated, and no advantage is fitted, since each pairing is taken to be played with both colours.

    The advantage is not fitted either where the games cannot tell it from the players' strengths, as when one
    player always moved first.

    Raises ValueError for an unknown result, player or anchor, and for a player who meets itself.
    """
    names = sorted({*games["white"], *games["black"]}) if players is None else list(players)
    size = len(names)
    for name in anchor:
        if name not in names:
            raise ValueError(unknown("anchor", name, names))
    anchors = {names.index(name): elo for name, elo in anchor.items()}
    played = _coded(games, names, first)
    twins = _twins(played, size)
    rated_as = _representatives(twins, anchors, size)
    joint = _fitted(played, names, rated_as, anchors, prior)
    cells, group = joint.cells, joint.group
    elo, covariance, one_sided = _estimate(joint)
    advantage = Interval.around(float(elo[-1]), Z95 * math.sqrt(max(float(covariance[-1, -1]), 0.0)))

    elo, group = elo[rated_as], group[rated_as]
    if len(anchors) == 1:
        ((player, shift),) = anchors.items()
        elo = elo + shift * (group == group[player])
    order = np.lexsort((np.arange(size), -np.round(elo, TIE_DECIMALS), group))
    elo, group, rated_as = elo[order], group[order], rated_as[order]
    ranked = pd.Index([names[player] for player in order], dtype=object)
    covariance = covariance[np.ix_(rated_as, rated_as)]
    table = _table(ranked, elo, covariance, group, _counts(played, order))
    same = rated_as[:-1] == rated_as[1:]
    table.loc[np.append(same, False)[:size], "los"] = math.nan
    unmet = ~np.isin(rated_as, [cells.first, cells.second]) & (np.bincount(rated_as)[rated_as] > 1)
    table.loc[unmet, ["elo", "elo_low", "elo_high", "los"]] = math.nan
    groups = tuple(tuple(ranked[group == number]) for number in np.unique(group))
    notes = [*_twin_notes(twins, names), *_repetition_notes(played), *_group_notes(groups, anchor)]
    if one_sided:
        text = (
            f"The results of {one_sided} pairing{'s' * (one_sided > 1)} were all alike and leave no spread to "
            "measure: intervals that rest on them come from the model and the prior."
        )
        notes.append(Note(NoteKind.ALL_ALIKE, text))
    if not joint.is_free[-1] and len(anchors) < 2 and len(cells.first):
        text = "These games cannot tell the advantage of moving first from the players' strengths: none is fitted."
        notes.append(Note(NoteKind.NO_ADVANTAGE, text))
    return Ratings(table, pd.DataFrame(covariance, ranked, ranked), advantage, groups, tuple(notes), joint)


def zero(players: Sequence[str], anchor: Mapping[str, float] = MappingProxyType({})) -> Mapping[str, float]:
    """The *anchor*; without one 0 for the last of two players, so that the other's Elo is over it."""
    return {players[-1]: 0.0} if len(players) == 2 and not anchor else anchor


def cluster_of_each(games: pd.DataFrame, names: Sequence[str]) -> Ints:
    """The cluster of each game, a number that games share which are not independent."""
    played = _coded(games, names, "white")
    return clustered(played, len(names)).cluster


# --- games as codes


class Cells(NamedTuple):
    """Encounters of two players with given colours."""

    first: Ints
    second: Ints
    points: Floats  # of the first player
    games: Floats


def _coded(games: pd.DataFrame, names: Sequence[str], first: Colour) -> pd.DataFrame:
    """The games as whole numbers, without rows that count no game. Raises ValueError as `rate` does.

    `first` and `second` are places in *names*, `outcome` one in POINTS_OF from the first player's view, `pair`,
    `line` and `linked` are numbers from 0, -1 for a game without one, and `number` is 1 or more.
    """
    white, black = (_codes(games[colour], "player", names) for colour in ("white", "black"))
    if (white == black).any():
        raise ValueError(f"{names[white[white == black][0]]} meets itself: no player can be rated by that")
    outcome = _codes(games["result"], "result", RESULTS)
    coded = pd.DataFrame({"first": white, "second": black, "outcome": outcome})
    if first == "black":
        coded = pd.DataFrame({"first": black, "second": white, "outcome": 2 - outcome})
    for name in ("pair", "line", "linked"):
        coded[name] = pd.factorize(games[name])[0] if name in games else -1
    coded["number"] = games["count"].to_numpy(np.int64) if "count" in games else 1
    return coded[coded["number"] > 0]


def _codes(values: pd.Series, what: str, choices: Sequence[str]) -> Ints:
    """The place of each value among the choices. Raises ValueError for a value that is none of them."""
    place = pd.Index(list(choices), dtype=object).get_indexer(pd.Index(values))
    if (place < 0).any():
        raise ValueError(unknown(what, str(values[place < 0].iloc[0]), choices))
    return place.astype(np.int64)


def _twins(games: pd.DataFrame, size: int) -> dict[tuple[int, int], int]:
    """Two players each that played the same moves whenever they met, with the games between them.

    Of each game there is one with colours swapped, move for move the same, and there are FEWEST_LINES such lines
    at least.
    """
    if not (games["line"] >= 0).any():
        return {}
    first, second = games["first"].to_numpy(), games["second"].to_numpy()
    games = games.assign(pairing=pairing_of(first, second, size), side=first < second)
    sides = games.groupby(["pairing", "line", "outcome"])["side"].agg(["min", "max"])
    mirrored = (sides["min"] != sides["max"]) & (sides.index.get_level_values("line") >= 0)
    lines = mirrored.groupby("pairing").agg(["all", "size"])
    between = games.groupby("pairing")["number"].sum()
    same = lines.index[lines["all"] & (lines["size"] >= FEWEST_LINES)]
    return {divmod(int(pairing), size): int(between[pairing]) for pairing in same}


def _representatives(twins: Collection[tuple[int, int]], anchors: Collection[int], size: int) -> Ints:
    """For each player the one whose rating it has: the first of its twins, or an anchor among them."""
    pairs = np.array(list(twins), np.int64).reshape(-1, 2)
    part = components(pairs[:, 0], pairs[:, 1], size)
    first = np.unique(part, return_index=True)[1]
    for anchor in anchors:
        first[part[anchor]] = anchor
    return first[part]


def _cells(games: Clusters, size: int) -> Cells:
    cells, cell = np.unique(games.first * size + games.second, return_inverse=True)
    number = games.weight * games.times[games.cluster]
    first, second = np.divmod(cells, max(size, 1))
    points, games_of = np.bincount(cell, number * POINTS_OF[games.outcome]), np.bincount(cell, number)
    return Cells(first, second, points.astype(float), games_of.astype(float))


def _tells_advantage(cells: Cells, size: int) -> bool:
    """Whether no strengths are 1 apart, first less second, in every game: they would pass for the advantage."""
    summed = weighted_squares(_design(cells.first, cells.second, size), np.ones(len(cells.first)))
    strengths, shared = summed[:size, :size], summed[:size, size]
    explained = shared @ np.linalg.lstsq(strengths, shared, rcond=None)[0] if size else 0.0
    return bool(summed[size, size] - explained > 1e-6)


# --- the fit


class JointFit(NamedTuple):
    """The strengths of all players and the advantage of moving first, as fitted to all games: for statistics."""

    names: Sequence[str]
    """Of the players, whose numbers are places in it; of those that are one player the first has all games."""
    games: Clusters
    cells: Cells
    given: Floats  # parameters that were not fitted, nan for the others: strengths, then the advantage
    fit: LogisticFit
    of_prior: Floats  # the part of the meat that is the prior's, whose results count as independent
    group: Ints  # of each player: those of a number are connected through games
    reference: Floats  # matrix that turns strengths into differences to what is 0

    @property
    def is_free(self) -> Bools:
        """Which parameters were fitted."""
        return np.isnan(self.given)

    @property
    def differences(self) -> int:
        """How many differences of strengths were fitted: players less groups without a given one."""
        free = self.is_free[:-1]
        return int(np.count_nonzero(free)) - len({*self.group} - {*self.group[~free]})

    def design(self, first: Ints, second: Ints) -> Design:
        """A row of the fit's design for each two players."""
        return _design(first, second, len(self.names))

    def refitted(self, prior: float) -> JointFit:
        """The fit to the same games with another weight of the prior."""
        fit, of_prior = _fit(self.cells, self.given, prior)
        return self._replace(fit=fit, of_prior=of_prior)

    def elo(self) -> tuple[Floats, Floats]:
        """The Elo of every player and, last, of moving first; its derivatives by the parameters."""
        strengths, slopes = _over_both_colours(self.fit, self.cells)
        elo = np.append(self.reference @ strengths, self.fit.theta[-1])
        jacobian = np.vstack([self.reference @ slopes, np.eye(len(elo))[-1]])
        return ELO_PER_LOGIT * elo, ELO_PER_LOGIT * jacobian


def _fitted(
    played: pd.DataFrame, names: Sequence[str], rated_as: Ints, anchors: Mapping[int, float], prior: float
) -> JointFit:
    """The fit to coded games; several anchors keep their Elo, and then there is no advantage."""
    size = len(rated_as)
    rated = played.assign(first=rated_as[played["first"]], second=rated_as[played["second"]])
    games = clustered(rated[rated["first"] != rated["second"]], size)
    cells = _cells(games, size)
    given = np.full(size + 1, math.nan)
    if len(anchors) > 1:
        given[[*anchors]] = np.fromiter(anchors.values(), float) / ELO_PER_LOGIT
    if len(anchors) > 1 or not _tells_advantage(cells, size):
        given[size] = 0.0
    group = components(cells.first, cells.second, size)
    return JointFit(names, games, cells, given, *_fit(cells, given, prior), group, _centred(group, anchors))


def _fit(cells: Cells, given: Floats, prior: float) -> tuple[LogisticFit, Floats]:
    """The fit to the points of cells and to the prior's virtual results, and the part of the meat of these."""
    size = len(given) - 1
    virtual = _virtual(size, prior)
    fit = logistic_fit(
        _stacked(_design(cells.first, cells.second, size), virtual.design),
        np.concatenate([cells.points, virtual.points]),
        np.concatenate([cells.games, virtual.games]),
        lead=np.concatenate([np.zeros(len(cells.games)), virtual.lead]),
        ridge=RIDGE,
        given=given,
    )
    expected = expit(virtual.design @ fit.theta + virtual.lead)
    of_prior = weighted_squares(_compact(virtual.design), virtual.games * expected * (1 - expected))
    return fit, of_prior + RIDGE * np.eye(size + 1)


class _Virtual(NamedTuple):
    """The virtual results of the prior, a row each, as `logistic_fit` takes them."""

    design: Floats
    points: Floats
    games: Floats
    lead: Floats


def _virtual(size: int, prior: float) -> _Virtual:
    """A win of each player and a loss, then half a win and half a loss of the side that moves first."""
    players, ones = np.eye(size, size + 1), np.ones(size)
    advantage = np.eye(size + 1)[[size]]
    design = np.vstack([players, players, advantage])
    points = np.concatenate([ones, 0 * ones, [0.5]])
    lead = np.concatenate([VIRTUAL_LEAD * ones, -VIRTUAL_LEAD * ones, [0.0]])
    return _Virtual(design, prior * points, np.full(len(points), prior), lead)


def _compact(rows: Floats) -> Design:
    """A design of many numbers, most of which are 0, without these."""
    return rows if rows.size <= DENSE else csr_array(rows)


def _stacked(rows: Design, below: Floats) -> Design:
    """One design of both parts."""
    stacked: Design = (
        np.vstack([rows, below]) if isinstance(rows, np.ndarray) else vstack([rows, csr_array(below)])
    )
    return stacked


def _over_both_colours(fit: LogisticFit, cells: Cells) -> tuple[Floats, Floats]:
    """Strengths whose differences mean the expected score over both colours; their derivatives by the parameters.

    `float[players]` and `float[players, parameters]`. With s(d) = 1 / (1 + e^-d), two players whose strengths
    differ by d expect (s(d + h) + s(d - h)) / 2 over both colours, which is nearer to 1/2 than s(d). So the data
    are made symmetric: each cell has these points. The strengths are the fit to them, without an advantage.

    Where each pairing has as many games of either colours, the points themselves are symmetric and would do (0.04
    Elo at an advantage of 35). Where some are missing they are not: a fit to them is 1 to 16 Elo away.
    """
    size = len(fit.theta) - 1
    strengths, h = fit.theta[:size], fit.theta[size]
    if h == 0:
        return strengths, np.eye(size, size + 1)
    d = strengths[cells.first] - strengths[cells.second]
    ahead, behind = expit(d + h), expit(d - h)
    by_ahead, by_behind = ahead * (1 - ahead), behind * (1 - behind)
    design = _design(cells.first, cells.second, size)[:, :size]
    even = logistic_fit(design, cells.games * (ahead + behind) / 2, cells.games, ridge=RIDGE)
    by_difference = weighted_squares(design, cells.games * (by_ahead + by_behind) / 2)
    by_h = design.T @ (cells.games * (by_ahead - by_behind) / 2)
    return even.theta, even.bread @ np.column_stack([by_difference, by_h])


def _estimate(joint: JointFit) -> tuple[Floats, Floats, int]:
    """Elo of every player and, last, of moving first, and its covariance by clusters of games (the sandwich).

    The number returned is that of pairings whose results were all alike, so that the model's variance replaces
    theirs.
    """
    games, fit, size = joint.games, joint.fit, len(joint.names)
    elo, jacobian = joint.elo()
    design = joint.design(games.first, games.second)
    expected = expit(design @ fit.theta)
    of_cluster = scores(design, games.weight * (POINTS_OF[games.outcome] - expected), games.cluster)
    scale = games.times * _scale(games.times.sum(), joint.differences)
    alike, one_sided = _alike(games, size)
    by_model = games.information * game_variance(games, expected, size)
    by_model *= _dispersion(games, expected, by_model, scale, ~alike)
    middle = (
        meat(of_cluster, scale * ~alike)
        + weighted_squares(design, by_model * alike[games.cluster])
        + joint.of_prior
    )
    return elo, fit.covariance(middle, jacobian), one_sided


def _dispersion(games: Clusters, expected: Floats, by_model: Floats, scale: Floats, counted: Bools) -> float:
    """The variance of clusters that are *counted*, divided by that which the model has for their games.

    It is below 1 where openings favour a side: a pair has both sides of its opening, of which the model knows
    nothing.
    Two clusters that vary as the model has it are added, so that few clusters say little.
    """
    if not counted.any():
        return 1.0
    excess = np.where(games.first < games.second, 1, -1) * (POINTS_OF[games.outcome] - expected)
    of_cluster = np.bincount(games.cluster, games.weight * excess, len(scale))
    seen, modelled = scale[counted] @ of_cluster[counted] ** 2, by_model[counted[games.cluster]].sum()
    added = 2 * modelled / games.times[counted].sum()
    return float((seen + added) / (modelled + added))


def _scale(clusters: float, differences: int) -> float:
    """By what the squares of few clusters are scaled.

    They are those of the excess over a fit to the same games, so by clusters / (clusters - fitted differences);
    and so that normal quantiles give the intervals of Student's t with these degrees of freedom.
    """
    left = clusters - differences
    return float(clusters / max(left, 1) * (stdtrit(max(left, 2), 0.975) / Z95) ** 2)


def _design(first: Ints, second: Ints, size: int) -> Design:
    """The derivatives of s - t + h by the parameters, a row for each two players, `float[rows, players + 1]`."""
    if len(first) * (size + 1) <= DENSE:
        design = np.zeros((len(first), size + 1))
        design[:, size] = 1
        np.put_along_axis(design, first[:, None], 1, axis=1)
        np.put_along_axis(design, second[:, None], -1, axis=1)
        return design
    row, ones = np.arange(len(first)), np.ones(len(first))
    columns = np.concatenate([first, second, np.full(len(first), size)])
    values = np.concatenate([ones, -ones, ones])
    return coo_array((values, (np.tile(row, 3), columns)), shape=(len(first), size + 1)).tocsr()


def game_variance(games: Clusters, expected: Floats, size: int) -> Floats:
    """The variance of a game's score in each row of *games*, were it as the model has it.

    A game of expected score p is drawn in at most 2 min(p, 1 - p) of cases; where it is in a share c of these, its
    score has the variance p (1 - p) - c min(p, 1 - p) / 2. Each pairing has a share of its own, to which two games
    are added, one that is not drawn and one that is as often as all games are.
    """
    number, room = games.weight * games.times[games.cluster], 2 * np.minimum(expected, 1 - expected)
    pairing = pd.factorize(pairing_of(games.first, games.second, size))[0]
    drawn, possible = np.bincount(pairing, number * (games.outcome == DRAW)), np.bincount(pairing, number * room)
    overall = min(drawn.sum() / (possible.sum() + 1), 1.0)
    share = np.minimum((drawn + overall) / (possible + 2), 1.0)[pairing]
    variance: Floats = expected * (1 - expected) - share * room / 4
    return variance


def _alike(games: Clusters, size: int) -> tuple[Bools, int]:
    """Which clusters show no spread of the difference that they measure, and in how many pairings.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    lead = np.where(games.first < games.second, 1, -1) * (POINTS_OF[games.outcome] - 0.5)
    mean = np.bincount(games.cluster, games.weight * lead) / np.bincount(games.cluster, games.weight)
    start = np.unique(games.cluster, return_index=True)[1]
    first, second = games.first[start], games.second[start]
    pairing = pairing_of(first, second, size)
    means = pd.Series(mean).groupby(pairing)
    differ = (means.transform("max") > means.transform("min") + 1e-9).to_numpy()
    part = components(first[differ], second[differ], size)
    alike: Bools = part[first] != part[second]
    return alike, len(np.unique(pairing[alike]))


# --- the table


def _centred(group: Ints, anchors: Collection[int]) -> Floats:
    """Matrix that turns strengths into differences to the group's mean, or to the anchor in its group.

    Several anchors have fixed strengths, and those of their groups stay as they are.
    """
    same = group[:, None] == group
    share = same / np.maximum(same.sum(axis=1, keepdims=True), 1)
    for anchor in anchors:
        share[same[anchor]] = np.arange(len(group)) == anchor if len(anchors) == 1 else 0
    matrix: Floats = np.eye(len(group)) - share
    return matrix


def _counts(games: pd.DataFrame, players: Ints) -> dict[str, Floats | Ints]:
    """Games, results and score of each of all players, in that order."""
    size = len(players)
    counts = np.bincount(games["first"] * 3 + games["outcome"], games["number"], 3 * size)
    counts += np.bincount(games["second"] * 3 + 2 - games["outcome"], games["number"], 3 * size)
    wins, draws, losses = counts.astype(np.int64).reshape(-1, 3)[players].T
    played = wins + draws + losses
    score = np.divide(wins + draws / 2, played, out=np.full(size, 0.5), where=played > 0)
    return {"games": played, "wins": wins, "draws": draws, "losses": losses, "score": score}


def _table(
    players: pd.Index, elo: Floats, covariance: Floats, group: Ints, counts: Mapping[str, Floats | Ints]
) -> pd.DataFrame:
    """`Ratings.table`, of players in rank order."""
    size = len(players)
    table = pd.DataFrame({"rank": np.arange(1, size + 1), "player": players})
    table = table.assign(**elo_columns(elo, covariance), **counts)
    is_last = np.append(group[:-1] != group[1:], True)[:size]
    table["los"] = np.where(is_last, 0.5, np.append(los_over_next(elo, covariance), 0.5)[:size])
    return table


def elo_columns(elo: Floats, covariance: Floats) -> dict[str, Floats]:
    """The columns elo, elo_low and elo_high of players with that covariance."""
    error = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0))
    return {"elo": elo, "elo_low": elo - error, "elo_high": elo + error}


def los_over_next(elo: Floats, covariance: Floats) -> Floats:
    """Likelihood of superiority of each player but the last over the next one."""
    variance, shared = np.diag(covariance), np.diag(covariance, 1)
    deviation = np.sqrt(np.maximum(variance[:-1] + variance[1:] - 2 * shared, 0))
    return los(elo[:-1] - elo[1:], deviation)


def _twin_notes(twins: Mapping[tuple[int, int], int], names: Sequence[str]) -> Iterator[Note]:
    for (a, b), games in [*twins.items()][:MAX_NAMES]:
        text = f"{names[a]} and {names[b]} played the same moves in all {games} games: they are one player."
        yield Note(NoteKind.ONE_PLAYER, text, (names[a], names[b]), games)
    if (rest := len(twins) - MAX_NAMES) > 0:
        yield Note(NoteKind.MORE_TWINS, f"So did {counted(rest, 'more pair')} of players.")


def _repetition_notes(games: pd.DataFrame) -> Iterator[Note]:
    total, lined = int(games["number"].sum()), games["line"] >= 0
    distinct = len(games[lined].drop_duplicates(["first", "second", "line"])) + int(games["number"][~lined].sum())
    if distinct < total:
        text = (
            f"{total} games, {distinct} distinct: {total - distinct} of {total} games repeat an earlier one move "
            "for move, as deterministic players do; they add nothing to what the intervals rest on."
        )
        yield Note(NoteKind.REPEATED, text)


def _group_notes(groups: Sequence[Sequence[str]], anchors: Collection[str]) -> Iterator[Note]:
    if len(groups) < 2:
        return
    members = [f"({number}) {first_few(group, MAX_NAMES)}" for number, group in enumerate(groups, 1)]
    text = (
        f"The players fall into {len(groups)} groups without games between them, so ratings compare "
        f"only inside a group: {first_few(members, MAX_NAMES, '; ')}."
    )
    yield Note(NoteKind.GROUPS, text)
    if anchors:
        text = (
            f"Ratings are relative to {first_few([*anchors], MAX_NAMES)} in a group that has one, "
            "to the group's mean elsewhere."
        )
        yield Note(NoteKind.GROUPS, text)
