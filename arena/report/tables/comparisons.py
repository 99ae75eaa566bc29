"""Comparisons: players that differ in one setting, at equal terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from arena.experiment.names import phrases
from arena.player import PlayerSpec
from arena.ratings.joint import Ratings
from arena.report.tables.contrasts import contrast
from arena.report.tables.settings import LIMITS, key, limits, settings, terms, without

Pair: TypeAlias = tuple[PlayerSpec, PlayerSpec]
"""A player and the one that it is compared with."""


def comparisons(ratings: Ratings, specs: Sequence[PlayerSpec], anchor: str | None = None) -> pd.DataFrame:
    """Players that differ in one setting other than a limit, at equal terms.

    One row for each setting, value and kind of limit: setting, value and reference (in words: the value of the
    player `anchor`, else the first), terms ("depth", "nodes", "time", ...; empty without a limit), at (the
    least and greatest such limit, in words), pairs (of players that differ in this setting only), and the mean of
    their elo_difference (value minus reference) with elo_difference_low, elo_difference_high (95 %) and los.

    The mean is over all that the two values have in common: limits of one kind, and in a factorial the values of
    the other settings.
    """
    preferred = next((spec for spec in specs if spec.name == anchor), specs[0]) if specs else None
    rows = []
    for setting in _differing(specs):
        values = {key(settings(spec).get(setting)): settings(spec).get(setting) for spec in specs}
        words = dict(zip(values, phrases(setting, list(values.values())), strict=True))
        words |= {"null": f"default {setting}"} if "null" in words else {}
        groups: dict[str, dict[str, PlayerSpec]] = {}
        for spec in specs:
            groups.setdefault(without(spec, setting), {})[key(settings(spec).get(setting))] = spec
        assert preferred is not None
        for reference, value, pairs in _pairs(groups, key(settings(preferred).get(setting))):
            weights: dict[str, float] = {}
            for one, other in pairs:
                weights[one.name], weights[other.name] = 1 / len(pairs), -1 / len(pairs)
            found = contrast(ratings, weights)
            if found is not None:
                kind, at = _terms([one for one, _ in pairs])
                rows.append((setting, words[value], words[reference], kind, at, len(pairs), *found))
    difference = ["elo_difference", "elo_difference_low", "elo_difference_high", "los"]
    return pd.DataFrame(rows, columns=["setting", "value", "reference", "terms", "at", "pairs", *difference])


def _differing(specs: Sequence[PlayerSpec]) -> list[str]:
    """Settings other than limits in which players differ, in the order of the configuration."""
    all_settings = [settings(spec) for spec in specs]
    names = dict.fromkeys(name for of_one in all_settings for name in of_one if name not in LIMITS)
    return [name for name in names if len({key(of_one.get(name)) for of_one in all_settings}) > 1]


def _pairs(
    groups: Mapping[str, Mapping[str, PlayerSpec]], preferred: str
) -> Iterator[tuple[str, str, list[Pair]]]:
    """Reference, other value, and the pairs of players at limits of one kind.

    The reference of a group of players that differ in one setting is `preferred`, or the group's first value.
    """
    found: dict[tuple[str, str, tuple[str, ...]], list[Pair]] = {}
    for group in groups.values():
        reference = preferred if preferred in group else next(iter(group))
        for value, spec in group.items():
            if value != reference:
                found.setdefault((reference, value, tuple(limits(spec))), []).append((spec, group[reference]))
    for (reference, value, _), pairs in found.items():
        yield reference, value, pairs


def _terms(specs: Sequence[PlayerSpec]) -> tuple[str, str]:
    """What limits these players, of one kind of limit, in words; and the range of a limit that is one number."""
    given = list(limits(specs[0]))
    if len(given) != 1:
        return terms(given), ""
    numbers = sorted({limits(spec)[given[0]] for spec in specs})
    unit = " s" if given == ["seconds"] else ""
    return terms(given), " to ".join(f"{n}" for n in dict.fromkeys([numbers[0], numbers[-1]])) + unit
