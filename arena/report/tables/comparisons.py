"""What settings are worth: players that differ in one of them at equal terms, and Elo against what is swept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.names import words_of
from arena.experiment.submissions import reference as reference_of
from arena.ratings.contrasts import agreement, line
from arena.ratings.interval import Interval
from arena.ratings.joint import Family, Ratings
from arena.ratings.several import holm
from arena.report.tables.settings import (
    LIMITS,
    families,
    key,
    level_words,
    limits,
    settings,
    swept_numbers,
    terms_at,
    without,
)
from arena.report.tables.views import LEAST
from players.options import options_of
from players.player import PlayerSpec
from players.table import PLAYERS

WHOLE_PLAYER = "player"
"""In place of a setting where two players differ in several."""

COLUMNS = [
    "setting", "value", "reference", "baseline", "terms", "at", "level", "pairs", "time_used",
    *Interval.columns_of("elo_difference"), "agreement", "shown",
]  # fmt: skip
DEPTH, NODES = "depth", "nodes"
"""What a doubling is worth something of."""
FEWEST = 3
"""Different depths, or nodes, of a family's players that make a line: any two points lie on one."""

_POINTS = ["per", "family", "x", "player", *Interval.columns_of("elo")]
_LINES = [*Interval.columns_of("gain"), "elo_at_1", "agreement", "fits", "shown"]
_OF_FAMILY = ["per", "family"]


class Meeting(NamedTuple):
    """Two values of a setting, in words, at limits of one kind."""

    setting: str
    value: str
    reference: str
    baseline: bool
    """Whether all other values are compared with the reference."""
    players: list[tuple[PlayerSpec, PlayerSpec]]
    """The players with the value, each with the one that differs from it in this setting only."""

    @property
    def weights(self) -> dict[str, float]:
        """Of players, in the mean difference."""
        share = 1 / len(self.players)
        return {a.name: share for a, _ in self.players} | {b.name: -share for _, b in self.players}


def meetings(specs: Sequence[PlayerSpec], anchor: str | None = None) -> list[Meeting]:
    """Every two values of each setting other than a limit, of players that differ in it alone, at equal terms.

    All other values are compared with that of the reference: the player `anchor`, else the first. Of two players
    there is one meeting in any case, as a match is played to compare them: the first against the second, or the
    one with code of a user's own against a built-in one, whatever they differ in.

    The type is no setting: players of several types are opponents. A value that never meets that of the baseline
    has the first one that it meets instead.
    """
    if not specs:
        return []
    reference = reference_of(specs, anchor)
    found = [
        meeting
        for setting in _differing(specs)
        for meeting in _meetings(setting, specs, key(settings(reference).get(setting)))
    ]
    if len(specs) == 2 and not found:
        first = next(spec for spec in specs if spec is not reference)
        found = [Meeting(WHOLE_PLAYER, first.name, reference.name, True, [(first, reference)])]
    return found


def comparisons(
    ratings: Ratings,
    meetings: Sequence[Meeting],
    family: Family,
    time_used: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """The difference in Elo of each of `meetings`, as the mean over its pairs of players, then of each pair.

    `time_used` is what each player took of its time limit, as in the table `effort`; `family` are all contrasts
    that the run may state. `agreement` is for all means together (S. Holm, 1979).
    """
    rows = [row for meeting in meetings for row in _rows(ratings, meeting, family, time_used or {})]
    table = pd.DataFrame(rows, columns=COLUMNS)
    means = table["agreement"].notna()
    table.loc[means, "agreement"] = holm(table.loc[means, "agreement"].tolist())
    return table


def _rows(
    ratings: Ratings, meeting: Meeting, family: Family, time_used: Mapping[str, float]
) -> Iterator[tuple[object, ...]]:
    """The rows of a meeting whose players are rated on one scale."""
    pairs = meeting.players
    levels = ["", *(level_words(pair, pairs) for pair in pairs)] if len(pairs) > 1 else [""]
    for level, of in zip(levels, [pairs, *([pair] for pair in pairs)], strict=False):
        weights = meeting._replace(players=of).weights
        used = [time_used.get(spec.name, math.nan) for pair in of for spec in pair]
        most_used = max((time for time in used if not math.isnan(time)), default=math.nan)
        if (difference := ratings.contrast(weights)) is not None:
            what, measured = meeting[:4], (len(of), most_used, *difference)
            yield (*what, *_terms(of), level, *measured, _agreement(ratings, of), family.shows(weights))


def _agreement(ratings: Ratings, pairs: Sequence[tuple[PlayerSpec, PlayerSpec]]) -> float:
    """The probability of differences so far apart of pairs that have the same; missing for one pair."""
    if len(pairs) < 2:
        return math.nan
    names = [spec.name for pair in pairs for spec in pair]
    differences = np.kron(np.eye(len(pairs)), [1.0, -1.0])
    elo = ratings.table.set_index("player")["elo"].loc[names].to_numpy(float)
    spread = ratings.covariance.loc[names, names].to_numpy(float)
    return agreement(differences @ elo, differences @ spread @ differences.T)


def _terms(pairs: Sequence[tuple[PlayerSpec, PlayerSpec]]) -> tuple[str, str]:
    """The limits that the players of each pair have in common: see `settings.terms_at`."""
    equal = all(limits(player) == limits(other) for player, other in pairs)
    return terms_at([player for player, _ in pairs]) if equal else ("", "")


def _differing(specs: Sequence[PlayerSpec]) -> list[str]:
    all_settings = [settings(spec) for spec in specs]
    excluded = (*LIMITS, "type")
    names = dict.fromkeys(name for of_one in all_settings for name in of_one if name not in excluded)
    return [name for name in names if len({key(of_one.get(name)) for of_one in all_settings}) > 1]


def _words(setting: str, specs: Sequence[PlayerSpec]) -> dict[str, str]:
    """The values of a setting in words, by their `settings.key`: of a file its name, where that is unique.

    A value of one player alone whose name does not say it has that name: "mine (advance)"; one that ends with the
    value, "kings 1.3" for "king 1.3", says it. Values of the same words have the name of their first player.
    """
    having: dict[str, list[PlayerSpec]] = {}
    for spec in specs:
        having.setdefault(key(settings(spec).get(setting)), []).append(spec)
    plain = [settings(players[0]).get(setting, _default(setting, players[0])) for players in having.values()]
    bare_words = words_of(setting, plain)
    whole = words_of(setting, plain, with_name=True)
    words = [f"default {setting}" if value is None else word for value, word in zip(plain, whole, strict=True)]
    texts = {}
    for (value, (first, *others)), word, bare in zip(having.items(), words, bare_words, strict=True):
        is_said = bare in first.name or bare.split()[-1:] == first.name.split()[-1:]
        if not others and not is_said:
            texts[value] = f"{first.name} ({word})"
        else:
            texts[value] = f"{word} ({first.name})" if words.count(word) > 1 else word
    return texts


def _default(setting: str, spec: PlayerSpec) -> object:
    """The value that a built-in player has where nothing is set; None if it is not known."""
    option = options_of(PLAYERS[spec.type]).get(setting) if spec.type in PLAYERS else None
    return None if option is None or option.is_required else option.default


def _meetings(setting: str, specs: Sequence[PlayerSpec], preferred: str) -> list[Meeting]:
    """Every two values at limits of one kind; those of the baseline first, then in the order of the values.

    Of two values the reference is `preferred`, or the one that comes first in the configuration.
    """
    groups: dict[str, dict[str, PlayerSpec]] = {}
    for spec in specs:
        groups.setdefault(without(spec, setting), {})[key(settings(spec).get(setting))] = spec
    values = dict.fromkeys([preferred, *(key(settings(spec).get(setting)) for spec in specs)])
    place = {value: i for i, value in enumerate(values)}
    meeting_players: dict[tuple[str, str, tuple[str, ...]], list[tuple[PlayerSpec, PlayerSpec]]] = {}
    for group in groups.values():
        for reference, value in combinations(sorted(group, key=place.__getitem__), 2):
            pair = (group[value], group[reference])
            meeting_players.setdefault((value, reference, tuple(limits(pair[0]))), []).append(pair)
    baseline: dict[str, str] = {}
    for value, reference, _ in meeting_players:
        baseline[value] = min(reference, baseline.get(value, reference), key=place.__getitem__)
    words = _words(setting, specs)
    ordered = sorted(meeting_players, key=lambda m: (baseline[m[0]] != m[1], place[m[1]], place[m[0]]))
    return [
        Meeting(setting, words[value], words[reference], baseline[value] == reference, meeting_players[met])
        for met in ordered
        for value, reference, _ in [met]
    ]


def points(standings: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Elo against the depth limit, against measured nodes per move, and against each number of the settings.

    A family against depth are players that differ in name and depth only; against nodes, in name and one limit
    (depth, nodes or seconds); against a number, in name and the number. It needs FEWEST different values with
    games. Families of one name that differ in the limit have " by depth", " by nodes" or " by seconds" behind it.
    """
    specs = list(specs)
    rated = standings[standings["games"] > 0]
    by_depth = rated.assign(x=rated["player"].map({spec.name: spec.limit.depth for spec in specs}))
    by_nodes = rated[rated["nodes_per_move"].notna()].rename(columns={"nodes_per_move": "x"})
    of_nodes = pd.concat(
        [_members(by_nodes, specs, limit).assign(limit=limit) for limit in ("depth", "nodes", "seconds")]
    )
    shared = of_nodes.groupby("family")["limit"].transform("nunique") > 1
    of_nodes["family"] = of_nodes["family"].where(~shared, of_nodes["family"] + " by " + of_nodes["limit"])
    parts = [_members(by_depth, specs, "depth").assign(per=DEPTH), of_nodes.assign(per=NODES)]
    for name, members in swept_numbers(specs, FEWEST).items():
        family, x = (rated["player"].map({who: each[i] for who, each in members.items()}) for i in (0, 1))
        parts.append(of_lines(rated.assign(family=family, x=x), "x").assign(per=name))
    ordered = [part.sort_values(["family", "x"], kind="stable") for part in parts]
    table = pd.concat(ordered, ignore_index=True).astype({"x": float})
    return table[_POINTS]


def _members(table: pd.DataFrame, specs: list[PlayerSpec], limit: str) -> pd.DataFrame:
    """The players of families that differ in this limit, if their `x` makes a line."""
    return of_lines(table.assign(family=table["player"].map(families(specs, limit)).astype(object)), "x")


def of_lines(table: pd.DataFrame, x: str) -> pd.DataFrame:
    """The rows of families with FEWEST different values of a column, or more."""
    table = table[table["family"].notna() & table[x].notna()]
    return table[table.groupby("family")[x].transform("nunique") >= FEWEST]


class Doubling(NamedTuple):
    """The line of a family: Elo = elo_at_1 + gain * log2(x)."""

    members: pd.DataFrame
    """The family's rows of `points`."""
    weights: Mapping[str, float]
    """Of players, in the gain."""
    agreement: float
    """The probability of ratings so far from a line that is right."""


def doublings(ratings: Ratings, points: pd.DataFrame) -> list[Doubling]:
    """The line of each family whose players games connect, against depth and against nodes.

    By generalized least squares with the covariance of the ratings (`arena.ratings.contrasts.line`).
    """
    found = []
    for _, members in points[points["per"].isin((DEPTH, NODES))].groupby(_OF_FAMILY, sort=False):
        names = members["player"].tolist()
        if any(set(names) <= set(group) for group in ratings.groups):
            x, elo = np.log2(members[["x"]].to_numpy(float)), members["elo"].to_numpy(float)
            weights, agreement = line(x, elo, ratings.covariance.loc[names, names].to_numpy(float))
            found.append(Doubling(members, dict(zip(names, weights[0].tolist(), strict=True)), agreement))
    return found


def sweep(ratings: Ratings, points: pd.DataFrame, doublings: Sequence[Doubling], family: Family) -> pd.DataFrame:
    """The points, and with each the line of its family, missing where no games connect it.

    A line fits where `agreement`, for all lines together (S. Holm, 1979), is LEAST or more.
    """
    rows, together = [], holm([doubling.agreement for doubling in doublings])
    for (members, weights, _), probability in zip(doublings, together, strict=True):
        if (gain := ratings.contrast(weights)) is not None:
            at_one = float((members["elo"] - gain.value * np.log2(members["x"])).mean())
            what = members[_OF_FAMILY].iloc[0]
            rows.append((*what, *gain, at_one, probability, probability >= LEAST, family.shows(weights)))
    table = points.merge(pd.DataFrame(rows, columns=_OF_FAMILY + _LINES), "left", on=_OF_FAMILY)
    return table.assign(fits=table["fits"].eq(True), shown=table["shown"].eq(True))


def lines(sweep: pd.DataFrame) -> pd.DataFrame:
    """One row of `sweep` for each family that has a line."""
    return sweep[sweep["gain"].notna()].drop_duplicates(_OF_FAMILY)
