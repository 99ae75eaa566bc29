"""Players at equal terms: those that differ in one setting, and the standings at each limit."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.base.number import known, probability, quantity, with_error
from arena.experiment.names import phrases
from arena.ratings.contrasts import contrasts
from arena.ratings.joint import Ratings
from arena.report.tables.columns import columns, interval
from arena.report.tables.settings import LIMITS, key, limits, settings, shared_names, terms_at, without
from arena.report.tables.table import Column, RunTable
from arena.report.tables.telemetry import TOO_LONG
from players.player import Limit, PlayerSpec

MOST = 6
"""Limits of a run that have standings of their own; a run of more has only those of all players."""


class Meeting(NamedTuple):
    """Two values of a setting, as texts of `settings.key`, at limits of one kind."""

    value: str
    reference: str
    baseline: bool
    """Whether all other values are compared with the reference."""
    players: list[tuple[PlayerSpec, PlayerSpec]]
    """The players with the value, each with the one that differs from it in this setting only."""


def comparisons(
    ratings: Ratings,
    specs: Sequence[PlayerSpec],
    anchor: str | None = None,
    time_used: Mapping[str, float] | None = None,
    types: bool = False,
    steps: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Players that differ in one setting other than a limit, at equal terms: every two values of the setting.

    One row for each setting, pair of values and kind of limit, with means over the pairs of players that differ in
    this setting only. All other values are compared with that of the player `anchor`, else of the first player.
    `time_used` is what each player took of its time limit, see `tables.telemetry`.

    The type is a setting only with `types`: players of several types are opponents unless a sweep made them.

    A step of a training is compared with players of the same one of `steps` only: `tables.doublings.elo_by_step`
    has the others.

    The mean is over all that the two values have in common: limits of one kind, and in a factorial the values of
    the other settings. A value that never meets that of the baseline has the first one that it meets instead.
    """
    rows = []
    weights: list[dict[str, float]] = []
    preferred = next((spec for spec in specs if spec.name == anchor), specs[0]) if specs else None
    for setting in _differing(specs, types):
        assert preferred is not None
        words = _words(setting, specs)
        for meeting in _meetings(setting, specs, key(settings(preferred).get(setting)), steps or {}):
            count = len(meeting.players)
            used = [(time_used or {}).get(spec.name, math.nan) for pair in meeting.players for spec in pair]
            rows.append(
                (
                    *(setting, words[meeting.value], words[meeting.reference], meeting.baseline),
                    *(*terms_at([one for one, _ in meeting.players]), count),
                    max((share for share in used if not math.isnan(share)), default=math.nan),
                )
            )
            weights.append({})
            for one, other in meeting.players:
                weights[-1] |= {one.name: 1 / count, other.name: -1 / count}
    found = zip(rows, contrasts(ratings, weights), strict=True)
    return pd.DataFrame(
        [(*row, *difference) for row, difference in found if difference is not None],
        columns=[column.name for column in COMPARISONS.columns],
    )


def equal_terms(
    standings: pd.DataFrame,
    ratings: Ratings,
    specs: Sequence[PlayerSpec],
    anchor: str | None = None,
    time_used: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """For each limit that several players have: rank, player and Elo against the reference, in rank order.

    The reference of a limit is `anchor` or the first of `specs` if it has that limit, else the player that differs
    from it in limits only, else the first player with the limit; its Elo is 0 and has no interval. Elo is from the
    joint rating of all games; `time_used` is that of `comparisons`; a row has the greater of the player and the
    reference.

    Empty unless limits are of two kinds or more, as depth and nodes, and of MOST values at most.
    """
    place = {name: i for i, name in enumerate(standings.loc[standings["elo"].notna(), "player"])}
    groups: dict[Limit, list[PlayerSpec]] = {}
    for spec in specs:
        if limits(spec) and spec.name in place:
            groups.setdefault(spec.limit, []).append(spec)
    several = [group for group in groups.values() if len(group) > 1]
    kinds = {tuple(limits(group[0])) for group in several}
    if len(kinds) < 2 or len(several) > MOST:
        return pd.DataFrame(columns=[column.name for column in EQUAL_TERMS.columns])
    preferred = next((spec for spec in specs if spec.name == anchor), specs[0])
    parts = [_of_limit(group, _reference(group, preferred), ratings, place) for group in several]
    effort = standings[["player", "nodes_per_move", "seconds_per_move"]]
    table = pd.concat(parts, ignore_index=True).merge(effort, on="player", how="left")
    used = [table[name].map(time_used or {}).astype(float) for name in ("player", "reference")]
    return table.assign(time_used=used[0].combine(used[1], np.fmax))


def _differing(specs: Sequence[PlayerSpec], types: bool) -> list[str]:
    all_settings = [settings(spec) for spec in specs]
    excluded = LIMITS if types else (*LIMITS, "type")
    names = dict.fromkeys(name for of_one in all_settings for name in of_one if name not in excluded)
    return [name for name in names if len({key(of_one.get(name)) for of_one in all_settings}) > 1]


def _words(setting: str, specs: Sequence[PlayerSpec]) -> dict[str, str]:
    """The values of a setting in words, by their `settings.key`: of a file its name, where that is unique.

    Values of the same words have their players' name, too.
    """
    having: dict[str, list[PlayerSpec]] = {}
    for spec in specs:
        having.setdefault(key(settings(spec).get(setting)), []).append(spec)
    whole = phrases(setting, [settings(of_one[0]).get(setting) for of_one in having.values()])
    words = [f"default {setting}" if value == "null" else word for value, word in zip(having, whole, strict=True)]
    names = shared_names([[spec.name for spec in of_one] for of_one in having.values()])
    told = zip(words, names, strict=True)
    return dict(zip(having, [f"{word} ({n})" if words.count(word) > 1 else word for word, n in told], strict=True))


def _meetings(
    setting: str, specs: Sequence[PlayerSpec], preferred: str, steps: Mapping[str, float]
) -> list[Meeting]:
    """Every two values at limits of one kind; those of the baseline first, then in the order of the values.

    Of two values the reference is `preferred`, or the one that comes first in the configuration.
    """
    groups: dict[str, dict[str, PlayerSpec]] = {}
    for spec in specs:
        groups.setdefault(without(spec, setting), {})[key(settings(spec).get(setting))] = spec
    values = dict.fromkeys([preferred, *(key(settings(spec).get(setting)) for spec in specs)])
    place = {value: i for i, value in enumerate(values)}
    found: dict[tuple[str, str, tuple[str, ...]], list[tuple[PlayerSpec, PlayerSpec]]] = {}
    for group in groups.values():
        for reference, value in combinations(sorted(group, key=place.__getitem__), 2):
            pair = (group[value], group[reference])
            if steps.get(pair[0].name) != steps.get(pair[1].name):
                continue
            found.setdefault((value, reference, tuple(limits(pair[0]))), []).append(pair)
    baseline: dict[str, str] = {}
    for value, reference, _ in found:
        baseline[value] = min(reference, baseline.get(value, reference), key=place.__getitem__)
    meetings = [Meeting(v, r, baseline[v] == r, players) for (v, r, _), players in found.items()]
    return sorted(meetings, key=lambda m: (not m.baseline, place[m.reference], place[m.value]))


def _of_limit(
    group: list[PlayerSpec], reference: PlayerSpec, ratings: Ratings, place: dict[str, int]
) -> pd.DataFrame:
    names = sorted((spec.name for spec in group), key=place.__getitem__)
    against = contrasts(ratings, [{name: 1.0, reference.name: -1.0} for name in names])
    over_next = contrasts(ratings, [{a: 1.0, b: -1.0} for a, b in pairwise(names)])
    rows = []
    for rank, (name, found, ahead) in enumerate(zip(names, against, [*over_next, None], strict=True), 1):
        if name == reference.name:
            elo = (0.0, np.nan, np.nan)
        else:
            elo = (np.nan,) * 3 if found is None else (found.value, found.low, found.high)
        los = np.nan if ahead is None else ahead.los
        rows.append((*terms_at(group), rank, name, reference.name, *elo, los))
    return pd.DataFrame(rows, columns=[column.name for column in EQUAL_TERMS.columns[:-3]])


def _reference(group: list[PlayerSpec], preferred: PlayerSpec) -> PlayerSpec:
    same = [spec for spec in group if spec == preferred or _unlimited(spec) == _unlimited(preferred)]
    return same[0] if same else group[0]


def _unlimited(player: PlayerSpec) -> str:
    """A text that players share who differ in name and limits only."""
    return key({name: value for name, value in settings(player).items() if name not in LIMITS})


def comparisons_text(comparisons: pd.DataFrame, *, pairs: bool = False) -> pd.DataFrame:
    """Differences of Elo at equal terms, with their likelihood of superiority, as text for people.

    A row for each value of a setting, against that of the baseline, or for every two values if `pairs`, and two
    columns for each kind of terms. "†": a player took more than TOO_LONG of its time limit.
    """
    rows = comparisons if pairs else comparisons[comparisons["baseline"].astype(bool)]
    keys = list(rows[["setting", "value", "reference"]].drop_duplicates().itertuples(index=False, name=None))
    columns = [] if rows["setting"].nunique() == 1 else [("Setting", [setting for setting, _, _ in keys])]
    if pairs:
        columns.append(("Pair", [f"{value} − {reference}" for _, value, reference in keys]))
    else:
        columns.append(("Value", [value for _, value, _ in keys]))
        if rows["reference"].nunique() > 1:
            columns.append(("Against", [reference for _, _, reference in keys]))
    for terms in rows["terms"].unique():
        of_terms = rows[rows["terms"] == terms]
        found = {(row["setting"], row["value"], row["reference"]): row for row in of_terms.to_dict("records")}
        at = of_terms["at"].unique()
        title = (f"Equal {terms}" if terms else "No limit") + (f" ({at[0]})" if len(at) == 1 and at[0] else "")
        columns.append((title, [_difference(found[key]) if key in found else "" for key in keys]))
        columns.append(("LOS", [probability(found[key]["los"]) if key in found else "" for key in keys]))
    table = pd.DataFrame(dict(enumerate(cells for _, cells in columns)), dtype=object)
    return table.set_axis([name for name, _ in columns], axis=1)


def equal_terms_text(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The standings of each limit as text for people, by the limit: "Equal depth (6)".

    What all names of a limit have in common between commas is left out, LOS above 99.9 %, and the mean of what is
    limited. "†": see `comparisons_text`.
    """
    found = {}
    for (terms, at), rows in table.groupby(["terms", "at"], sort=False):
        los = [probability(value) for value in rows["los"]]
        columns = {
            "#": rows["rank"].map(str).tolist(),
            "Player": _telling(rows["player"].tolist()),
            "Elo": [_difference(row, "elo") if known(row["elo"]) else "" for row in rows.to_dict("records")],
            "LOS": ["" if value.startswith(">") else value for value in los],
            "Nodes/move": [quantity(v) for v in rows["nodes_per_move"] if terms != "nodes"],
            "Time/move": [quantity(v, "s") for v in rows["seconds_per_move"] if terms != "time"],
        }
        shown = {name: cells for name, cells in columns.items() if any(cells)}
        found[f"Equal {terms}" + (f" ({at})" if at else "")] = pd.DataFrame(shown)
    return found


def _telling(names: list[str]) -> list[str]:
    """Names without the parts, between commas, that all have: "simple" of "simple, depth 4"."""
    parts = [name.split(", ") for name in names]
    common = set.intersection(*map(set, parts))
    short = [", ".join(part for part in of_one if part not in common) for of_one in parts]
    return short if all(short) and len(set(short)) == len(short) else names


def _difference(row: dict[Hashable, Any], name: str = "elo_difference") -> str:
    error = (row[f"{name}_high"] - row[f"{name}_low"]) / 2
    return with_error(row[name], error) + (" †" if row["time_used"] > TOO_LONG else "")


COMPARISONS = RunTable(
    "comparisons",
    "Elo of one setting against another at equal terms",
    lambda run: comparisons(
        run.ratings,
        run.compared,
        run.experiment.anchor,
        run.time_used,
        run.experiment.compare_types,
        {name: step for family in run.experiment.steps.values() for name, step in family.items()},
    ),
    columns(
        Column("setting", "key of the configuration in which the players differ"),
        Column("value", "its value, in words"),
        Column("reference", "the value that it is compared with, in words"),
        Column("baseline", "whether all other values are compared with this reference, too: True or False"),
        "terms at pairs time_used elo_difference elo_difference_low elo_difference_high los",
    ),
    note="Players that differ in one setting, every two values of it.",
    as_text=comparisons_text,
    paper="comparisons of settings",
)
EQUAL_TERMS = RunTable(
    "equal_terms",
    "standings of the players with the same limit",
    lambda run: equal_terms(run.standings, run.ratings, run.compared, run.experiment.anchor, run.time_used),
    columns(
        "terms at",
        Column("rank", "place among the players with this limit, from 1"),
        "player",
        Column("reference", "name of the player with this limit whose Elo is 0 here"),
        *interval(
            Column("elo", "rating in the joint fit of all games, minus that of the reference", "Elo", decimals=1)
        ),
        Column("los", "likelihood of superiority over the next player with this limit", "0 to 1", decimals=4),
        "nodes_per_move seconds_per_move time_used",
    ),
    note="Empty unless there are several kinds of limits.",
    as_text=equal_terms_text,
)
TABLES = (COMPARISONS, EQUAL_TERMS)
