"""The joint rating of all players from all games at once, as a table (`arena.ratings.fit` has the model).

Games are a table with the columns white, black, result ("white", "draw", "black") and optionally

* pair: games of the same two players with the same value are one cluster, missing values stand alone;
* line: what was played (opening and moves) as any value; games of the same two players with the same colours
  and the same line repeat one another, a missing value repeats nothing;
* linked: games of any players with the same value are one cluster, missing values stand alone;
* count: how many independent games the row stands for, a whole number of 0 or more.

Twins. Players that played the same moves whenever they met are one player: they share a rating, to which the
games between them say nothing, and where there are no other games they have none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr

from arena.base.wording import counted, first_few, unknown
from arena.ratings.clusters import coded, components, pairing_of
from arena.ratings.contrasts import critical
from arena.ratings.fit import JointFit
from arena.ratings.interval import Z95, Floats, Interval, Ints, los
from arena.rules.result import Colour

TIE_DECIMALS = 6  # ratings that are equal to this number of decimals of an Elo tie in the order of the table
FEWEST_LINES = 5  # openings that two players must have played alike from both sides to pass for one player
MAX_NAMES = 8  # pairs of twins, groups, and players of a group, that notes name


NoteKind: TypeAlias = Literal["twins", "repeated", "groups", "by prior", "no advantage"]


@dataclass(frozen=True, eq=False)
class Ratings:
    """A joint rating. Players stand in rank order; intervals hold 95 %.

    `table` has a row per player: rank, player, elo, elo_low, elo_high, los, the likelihood of superiority over the
    next player of the same group, 0.5 where there is none, games, wins, draws, losses, score, and by_prior:
    whether the prior alone keeps the Elo finite. Groups follow one another, the largest first. A player without
    games is a group of its own: score 0.5, and Elo 0 by definition, so without an error. Twins have one rating,
    and no los between them; those that met nobody else have none.
    """

    table: pd.DataFrame
    covariance: pd.DataFrame  # of the Elo ratings, player x player, in Elo^2
    advantage: Interval  # of moving first, in Elo; without width if it was not fitted
    groups: tuple[tuple[str, ...], ...]  # players connected through games; Elo compares only inside a group
    notes: Mapping[NoteKind, str]  # what a reader of the table must know, in sentences
    twins: Mapping[tuple[str, str], int] = field(default_factory=dict)  # two that are one: their games
    joint: JointFit | None = None  # what was fitted; None of ratings that are not from games
    names: tuple[str, ...] = ()  # the players as they are numbered in it

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
        """A contrast in its standard errors, 0 where there is none: standard normal where nothing differs.

        Student's t of the contrast (`JointFit.student`) is turned into the normal number of the same probability.
        """
        found = self.contrast(weights)
        if not found or found.error == 0:
            return 0.0
        deviations = abs(found.value) / found.error * Z95
        if self.joint is not None:
            each = pd.Series(weights).reindex(self.names, fill_value=0.0).to_numpy(float)
            error, freedom = self.joint.student(each)
            deviations = min(deviations, -float(ndtri(stdtr(freedom, -abs(found.value) / error))))
        return math.copysign(deviations, found.value)

    @cached_property
    def family(self) -> Family:
        """All differences of two players: which of them are beyond chance, all together."""
        return Family(self)

    @cached_property
    def _elo(self) -> dict[str, float]:
        """The Elo of each player with games that has one, as contrasts of all players are many."""
        rated = self.table[(self.table["games"] > 0) & self.table["elo"].notna()]
        return dict(zip(rated["player"], rated["elo"].astype(float), strict=True))


class Family:
    """Every difference of two rated players, and further contrasts: all that a report may say of who is stronger.

    A contrast of them is shown where it is further from 0 than `critical` standard errors: the largest of all is
    that far with a probability of 5 % where no two players differ (`arena.ratings.contrasts.critical`).
    """

    def __init__(self, ratings: Ratings, further: Sequence[Mapping[str, float]] = ()) -> None:
        """Of all differences of two, and `further` weights by player, which sum to 0."""
        names = [name for group in ratings.groups for name in group]
        group = np.repeat(np.arange(len(ratings.groups)), [len(group) for group in ratings.groups])
        weights = np.array([[of.get(name, 0.0) for name in names] for of in further]).reshape(-1, len(names))
        self._ratings = ratings
        self.critical = critical(ratings.covariance.loc[names, names].to_numpy(float), group, weights)
        """Standard errors beyond which a contrast is shown: 1.96 of one alone, 3.27 of twelve players in pairs."""

    def shows(self, weights: Mapping[str, float]) -> bool:
        """Whether a contrast is beyond chance among all of the family."""
        return abs(self._ratings.deviations(weights)) > self.critical


def rate(
    games: pd.DataFrame,
    players: Sequence[str] | None = None,
    *,
    first: Colour = "white",
    anchor: Mapping[str, float] = MappingProxyType({}),
    prior: float = 1.0,
) -> Ratings:
    """Rate all players at once from all *games* (see the module docstring).

    *players* lists all players, those without games too; it decides the order of equal ratings (default: by
    name). *first* is the colour that moves first. *prior* multiplies the virtual results; at 0 one-sided ratings
    are finite but meaningless.

    Intervals are of the difference to what is 0: the mean of a player's group, weighted by information. With one
    *anchor*, {"level 4": 0}, its group is shifted to give it that Elo, and its own interval is empty. Several
    anchors keep their Elo in the fit: {"level 1": -294, "level 4": 0} leaves the other players to be rated, and no
    advantage is fitted, since each pairing is taken to be played with both colours. Nor is it where the games
    cannot tell it from the players' strengths, as when one player always moved first.

    Raises ValueError for an unknown result, player or anchor, and for a player who meets itself.
    """
    names = sorted({*games["white"], *games["black"]}) if players is None else list(players)
    size = len(names)
    for name in anchor:
        if name not in names:
            raise ValueError(unknown("anchor", name, names))
    anchors = {names.index(name): elo for name, elo in anchor.items()}
    played = coded(games, names, first)
    twins = _twins(played, size)
    rated_as = _representatives(twins, anchors, size)
    rated = played.assign(first=rated_as[played["first"]], second=rated_as[played["second"]])
    joint = JointFit(rated[rated["first"] != rated["second"]], rated_as, anchors, prior)

    group, covariance = joint.group, joint.covariance
    *elo, advantage = joint.to_elo @ joint.theta
    if len(anchors) == 1:
        ((player, shift),) = anchors.items()
        elo = elo + shift * (group == group[player])
    order = np.lexsort((np.arange(size), -np.round(elo, TIE_DECIMALS), group))
    ranked, spread = [names[player] for player in order], covariance[np.ix_(order, order)]
    table = elo_table(ranked, np.array(elo)[order], spread).assign(**_counts(played, order))
    table["by_prior"] = joint.by_prior[order]
    group, one = group[order], rated_as[order]
    table.loc[np.append(group[:-1] != group[1:], True)[:size], "los"] = 0.5
    table.loc[np.append(one[:-1] == one[1:], False)[:size], "los"] = math.nan
    has_met = np.isin(one, [joint.games.first, joint.games.second])
    table.loc[~has_met & (np.bincount(one)[one] > 1), ["elo", "elo_low", "elo_high", "los"]] = math.nan

    groups = tuple(tuple(table["player"][group == number]) for number in np.unique(group))
    named_twins = {(names[a], names[b]): games for (a, b), games in twins.items()}
    notes: dict[NoteKind, str] = {
        "twins": _twin_note(named_twins),
        "repeated": _repetition_note(played),
        "groups": _group_note(groups),
    }
    if table["by_prior"].any():
        notes["by prior"] = (
            "* As a group they won, or lost, all games against the others: the prior alone bounds the distance."
        )
    if not joint.tells_advantage and len(anchors) < 2 and has_met.any():
        notes["no advantage"] = (
            "These games cannot tell the advantage of moving first from the players' strengths: none is fitted."
        )
    notes = {kind: text for kind, text in notes.items() if text}
    moving_first = Interval.around(float(advantage), Z95 * math.sqrt(max(float(covariance[-1, -1]), 0.0)))
    by_name = pd.DataFrame(spread, ranked, ranked)
    return Ratings(table, by_name, moving_first, groups, notes, named_twins, joint, tuple(names))


def zero(players: Sequence[str], anchor: Mapping[str, float] = MappingProxyType({})) -> Mapping[str, float]:
    """The *anchor*; without one 0 for the last of two players, so that the other's Elo is over it."""
    return {players[-1]: 0.0} if len(players) == 2 and not anchor else anchor


def elo_table(players: Sequence[str], elo: Floats, covariance: Floats) -> pd.DataFrame:
    """Rank, player, elo, elo_low, elo_high, and los over the next player, missing for the last, in rank order."""
    error = np.sqrt(np.diag(covariance).clip(0))
    to_next = np.diag(covariance)[:-1] + np.diag(covariance)[1:] - 2 * np.diag(covariance, 1)
    chances = los(elo[:-1] - elo[1:], np.sqrt(to_next.clip(0)))
    columns = {"elo": elo, "elo_low": elo - Z95 * error, "elo_high": elo + Z95 * error}
    table = pd.DataFrame(
        {"rank": np.arange(1, len(elo) + 1), "player": pd.Series([*players], dtype=object), **columns}
    )
    return table.assign(los=np.append(chances, math.nan)[: len(elo)])


def _counts(games: pd.DataFrame, players: Ints) -> dict[str, Floats | Ints]:
    """Games, results and score of each of all players, in that order."""
    of = np.concatenate([games["first"], games["second"]])
    points = np.concatenate([games["points"], 1 - games["points"]])
    won, drawn, lost = (np.bincount(of[points == each], minlength=len(players))[players] for each in (1, 0.5, 0))
    played = won + drawn + lost
    score = np.divide(won + drawn / 2, played, out=np.full(len(players), 0.5), where=played > 0)
    return {"games": played, "wins": won, "draws": drawn, "losses": lost, "score": score}


def _twins(games: pd.DataFrame, size: int) -> dict[tuple[int, int], int]:
    """Two players each that played the same moves whenever they met, with the games between them.

    Of each game there is one with colours swapped, move for move the same, and there are FEWEST_LINES such lines
    at least.
    """
    if not (games["line"] >= 0).any():
        return {}
    first, second = games["first"].to_numpy(), games["second"].to_numpy()
    games = games.assign(pairing=pairing_of(first, second, size), side=first < second)
    sides = games.groupby(["pairing", "line", "points"])["side"].agg(["min", "max"])
    mirrored = (sides["min"] != sides["max"]) & (sides.index.get_level_values("line") >= 0)
    lines = mirrored.groupby("pairing").agg(["all", "size"])
    between = games.groupby("pairing").size()
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


def _twin_note(twins: Mapping[tuple[str, str], int]) -> str:
    sentences = [
        f"{one} and {other} played the same moves in all {games} games: they are one player."
        for (one, other), games in twins.items()
    ]
    rest = len(sentences) - MAX_NAMES
    return " ".join([*sentences[:MAX_NAMES], *[f"So did {counted(rest, 'more pair')} of players."] * (rest > 0)])


def _repetition_note(games: pd.DataFrame) -> str:
    total, lined = len(games), games[games["line"] >= 0]
    repeated = int(lined.duplicated(["first", "second", "line"]).sum())
    text = (
        f"{total} games, {total - repeated} distinct: {repeated} of {total} games repeat an earlier one move "
        "for move, as deterministic players do; they add nothing to what the intervals rest on."
    )
    return text if repeated else ""


def _group_note(groups: Sequence[Sequence[str]]) -> str:
    members = [f"({number}) {first_few(group, MAX_NAMES)}" for number, group in enumerate(groups, 1)]
    text = (
        f"The players fall into {len(groups)} groups without games between them, so ratings compare "
        f"only inside a group: {first_few(members, MAX_NAMES, '; ')}."
    )
    return text if len(groups) > 1 else ""
