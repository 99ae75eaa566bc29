"""Comparisons: players that differ in one setting, at equal terms, every two values of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from arena.experiment.names import phrases
from arena.ratings.joint import Ratings
from arena.report.tables.contrasts import contrasts
from arena.report.tables.settings import LIMITS, key, limits, settings, terms_at, without
from players.player import PlayerSpec

COMPARISONS = (
    "setting", "value", "reference", "baseline", "terms", "at", "pairs", "time_used",
    "elo_difference", "elo_difference_low", "elo_difference_high", "los",
)  # fmt: skip


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
) -> pd.DataFrame:
    """Players that differ in one setting other than a limit, at equal terms: every two values of the setting.

    One row for each setting, pair of values and kind of limit: setting, value and reference (in words), baseline
    (whether the reference is what all other values are compared with: the value of the player `anchor`, else of
    the first player), terms ("depth", "nodes", "time", ...; empty without a limit), at (the least and greatest
    such limit, in words), pairs (of players that differ in this setting only), time_used (the greatest that the
    mapping `time_used`, of which `tables.telemetry` says more, has of these players), and the mean of their
    elo_difference (value minus reference) with elo_difference_low, elo_difference_high (95 %) and los.

    The type is a setting only with `types`: players of several types are opponents unless a sweep made them.

    The mean is over all that the two values have in common: limits of one kind, and in a factorial the values of
    the other settings. A value that never meets that of the baseline has the first one that it meets instead.
    """
    rows = []
    weights: list[dict[str, float]] = []
    preferred = next((spec for spec in specs if spec.name == anchor), specs[0]) if specs else None
    for setting in _differing(specs, types):
        assert preferred is not None
        words = _words(setting, specs)
        for meeting in _meetings(setting, specs, key(settings(preferred).get(setting))):
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
        [(*row, *difference) for row, difference in found if difference is not None], columns=list(COMPARISONS)
    )


def _differing(specs: Sequence[PlayerSpec], types: bool) -> list[str]:
    """Settings other than limits in which players differ, in the order of the configuration."""
    all_settings = [settings(spec) for spec in specs]
    excluded = LIMITS if types else (*LIMITS, "type")
    names = dict.fromkeys(name for of_one in all_settings for name in of_one if name not in excluded)
    return [name for name in names if len({key(of_one.get(name)) for of_one in all_settings}) > 1]


def _words(setting: str, specs: Sequence[PlayerSpec]) -> dict[str, str]:
    """The values of a setting in words, by their `settings.key`: of a file its name, where that is unique.

    Values of the same words have the first player's name, too.
    """
    firsts: dict[str, PlayerSpec] = {}
    for spec in specs:
        firsts.setdefault(key(settings(spec).get(setting)), spec)
    whole = phrases(setting, [settings(spec).get(setting) for spec in firsts.values()])
    words = [f"default {setting}" if value == "null" else word for value, word in zip(firsts, whole, strict=True)]
    words = [
        word if words.count(word) == 1 else f"{word} ({spec.name})"
        for word, spec in zip(words, firsts.values(), strict=True)
    ]
    return dict(zip(firsts, words, strict=True))


def _meetings(setting: str, specs: Sequence[PlayerSpec], preferred: str) -> list[Meeting]:
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
            found.setdefault((value, reference, tuple(limits(pair[0]))), []).append(pair)
    baseline: dict[str, str] = {}
    for value, reference, _ in found:
        baseline[value] = min(reference, baseline.get(value, reference), key=place.__getitem__)
    meetings = [Meeting(v, r, baseline[v] == r, players) for (v, r, _), players in found.items()]
    return sorted(meetings, key=lambda m: (not m.baseline, place[m.reference], place[m.value]))
