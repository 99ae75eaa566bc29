"""Entries of `players:` written out. One with the key `sweep` is a player for every combination of its values.

    - name: "{evaluation} d{depth}"            # or no name: "simple, depth 4"
      type: negamax
      sweep:
        evaluation: [simple, cis300]           # a list of values,
        depth: {from: 1, to: 10}               # or a range, with a `step` or, for doublings, `factor: 2`,
        weights: {files: "runs/*.npz"}         # or files that match a pattern

Any key of a player can be swept; dots lead into a mapping (`evaluation.linear.king`). The key `limit` takes a
list of mappings of limits, for the same player at equal depth, at equal nodes and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from arena.experiment.axes import MAX_PLAYERS, Setting, SweepError, read_axes
from arena.experiment.names import (
    ShortFormError,
    TemplateError,
    distinct_names,
    filled,
    short_entry,
    word_of,
)
from arena.experiment.submissions import PatternError, pattern_key, players_of
from arena.experiment.yaml.errors import Keys, Problem
from arena.experiment.yaml.values import Source
from players.player import Limit


class Expansion(NamedTuple):
    """Players written out, and where each of their values stands in the file."""

    players: list[Any]
    places: list[dict[Keys, Keys]]
    """For each player the keys of values within its entry -> their keys in the file."""
    problems: list[tuple[Keys, str]]
    """Problems in sweeps, by keys in the file; an entry with a problem makes no players."""

    def origin(self, keys: Keys) -> Keys:
        """The keys in the file of what stands at `keys` once players are written out."""
        if keys[:1] != ("players",) or len(keys) < 2 or int(keys[1]) >= len(self.places):
            return keys
        places, inside = self.places[int(keys[1])], keys[2:]
        known = next(inside[:n] for n in range(len(inside), -1, -1) if inside[:n] in places)
        return (*places[known], *inside[len(known) :])


def write_out(source: Source, data: Any) -> list[Problem]:
    """Write short forms, patterns and sweeps out, in the data of a source itself; what is wrong in them."""
    if not isinstance(data, dict) or not isinstance(data.get("players"), list):
        return []
    expansion = expand(data["players"], Limit._fields, source.path.parent)
    problems = [source.problem(*problem) for problem in expansion.problems if not source.refuses(problem[0])]
    data["players"], source.origin = expansion.players, expansion.origin
    return problems


def expand(players: list[Any], limits: Collection[str], folder: Path) -> Expansion:
    """The entries of `players:` with short forms, patterns and sweeps written out.

    `limits` are the keys of limits. Files are looked for in `folder`, then in the working directory.

    Other entries stay as they are, right or wrong.
    """
    result = Expansion([], [], [])
    shorts = _short_entries(players, folder, result.problems)
    for number, given in enumerate(players):
        place: Keys = ("players", number)
        entry = shorts.get(number, given)
        try:
            if (key := pattern_key(entry)) is not None:
                _add_files(result, entry, key, place, folder)
            elif isinstance(entry, dict) and "sweep" in entry:
                _add_sweep(result, entry, place, limits, folder)
            elif not isinstance(entry, str):
                result.players.append(entry)
                result.places.append({(): place})
        except PatternError as error:
            result.problems.append(((*place, *error.keys), str(error)))
    return result


def _short_entries(
    players: list[Any], folder: Path, problems: list[tuple[Keys, str]]
) -> dict[int, dict[str, Any]]:
    """The entries that are texts, by their number, as mappings with names that differ."""
    shorts: dict[int, dict[str, Any]] = {}
    for number, entry in enumerate(players):
        try:
            if isinstance(entry, str):
                shorts[number] = short_entry(entry, folder)
        except ShortFormError as error:
            problems.append((("players", number), str(error)))
    names = distinct_names(list(shorts.values()))
    return {number: {**entry, "name": name} for (number, entry), name in zip(shorts.items(), names, strict=True)}


def _add_files(result: Expansion, entry: dict[str, Any], key: str, place: Keys, folder: Path) -> None:
    """Add a player for each file that the pattern at a key of an entry matches. Raises PatternError."""
    players = players_of(entry, key, folder)
    if why := _too_many(result, len(players)):
        raise PatternError(why, key)
    named: Keys = (*place, "name" if "name" in entry else key)
    for player in players:
        result.players.append(player)
        result.places.append({(): place, ("name",): named})


def _add_sweep(
    result: Expansion, entry: dict[str, Any], place: Keys, limits: Collection[str], folder: Path
) -> None:
    """Add the players of an entry with a sweep, or its problems."""
    axes: dict[str, list[Setting]] = {}
    problems = list(read_axes(entry, limits, axes, folder))
    if not problems:
        try:
            if why := _too_many(result, math.prod(map(len, axes.values()))):
                raise SweepError(why)
            new = list(_players(entry, axes))
        except SweepError as error:
            problems.append(error)
        else:
            for player, places in new:
                result.players.append(player)
                result.places.append({(): place} | {key: (*place, *keys) for key, keys in places.items()})
    for problem in problems:
        where: Keys = ("name",) if problem.keys == ("name",) and "name" in entry else ("sweep", *problem.keys)
        result.problems.append(((*place, *where), str(problem)))


def _too_many(result: Expansion, more: int) -> str:
    """That sweeps and patterns make more players than they may with `more` of them, or ""."""
    made = sum(len(places) > 1 for places in result.places) + more
    return f"the sweeps and patterns make {made} players, more than {MAX_PLAYERS}" if made > MAX_PLAYERS else ""


def _players(entry: dict[str, Any], axes: dict[str, list[Setting]]) -> Iterator[tuple[Any, dict[Keys, Keys]]]:
    template = entry.get("name")
    names: set[str] = set()
    for settings in product(*axes.values()):
        player = deepcopy({key: value for key, value in entry.items() if key != "sweep"})
        places: dict[Keys, Keys] = {(key,): (key,) for key in player}
        for setting in settings:
            places |= setting.places
            for path, value in setting.values.items():
                put(player, path, value)
        if "name" not in entry:
            player["name"] = ", ".join(setting.phrase for setting in settings)
            places["name",] = ("sweep",)
        elif isinstance(template, str):
            words = {key: word_of(key, value) for key, value in player.items() if key != "name"}
            words |= dict(zip(axes, (setting.text for setting in settings), strict=True))
            try:
                player["name"] = filled(template, words)
            except TemplateError as error:
                raise SweepError(str(error), "name") from None
        if player["name"] in names:
            raise _twice(player["name"], template, axes)
        if isinstance(player["name"], str):
            names.add(player["name"])
        yield player, places


def _twice(name: str, template: str | None, axes: dict[str, list[Setting]]) -> SweepError:
    fields = [f"{{{key}}}" for key, settings in axes.items() if len(settings) > 1]
    missing = [field for field in fields if template is not None and field not in template]
    cause = f"put {' and '.join(missing)} into 'name'" if missing else "is a value listed twice?"
    where = ["name"] if template is not None else []
    return SweepError(f"the sweep makes two players named {name!r}: {cause}", *where)


def put(player: dict[str, Any], path: Keys, value: Any) -> None:
    """Put a copy of a value into a player's entry, where its keys lead."""
    inside: Any = player
    for part in path[:-1]:
        inside = inside.setdefault(part, {})
    inside[path[-1]] = deepcopy(value)
