"""What can be wrong between the values of an experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from arena.experiment.model import _format
from arena.formats.table import FORMATS, TESTED
from arena.wording import choices as _choices
from arena.wording import shown as _shown
from arena.yaml.errors import Problem
from arena.yaml.values import Source


def cross_problems(source: Source, data: Any) -> Iterator[Problem]:
    """What is wrong between values, whatever else is wrong."""
    from arena.rules.custom import VariantError, build_variant

    try:
        if isinstance(data, dict) and isinstance(data.get("variant"), dict):
            build_variant(data["variant"])
    except VariantError as error:
        yield source.problem(("variant", error.key), str(error))
    players = data.get("players") if isinstance(data, dict) else None
    if players == []:
        yield source.problem(("players",), "'players' must list at least one player")
    first: dict[str, int] = {}
    for i, player in enumerate(players if isinstance(players, list) else []):
        name = player.get("name") if isinstance(player, dict) else None
        if isinstance(name, str) and first.setdefault(name, i) != i:
            line = source.problem(("players", first[name], "name"), "")[1]
            message = f"the player {name!r} is already in line {line}: names must differ"
            yield source.problem(("players", i, "name"), message)
        if isinstance(player, dict) and player.get("increment") is not None and player.get("clock") is None:
            yield source.problem(("players", i, "increment"), "'increment' needs a 'clock' to add it to")
    if isinstance(data, dict) and isinstance(players, list):
        yield from _format_problems(source, data, first)
    anchor = data.get("anchor") if first else None
    if isinstance(anchor, str) and anchor not in first:
        message = f"'anchor' must be a player, not {_shown(anchor)}; {_choices(anchor, first)}"
        yield source.problem(("anchor",), message)


def _format_problems(source: Source, data: dict[str, Any], names: Collection[str]) -> Iterator[Problem]:
    """What is wrong between the format or the sequential test and the players, `names`."""
    given = _format(data.get("format", "round-robin"))
    settings = given if isinstance(given, dict) else {}
    kind = str(settings.get("type"))
    if kind not in FORMATS:
        return
    if kind != "round-robin" and (len(names) != 2 if kind == "match" else len(names) < 2):
        least = "exactly" if kind == "match" else "at least"
        yield source.problem(("format", "type"), f"{kind!r} needs {least} two players, not {len(names)}")
    for key, most in (("rounds", len(names) - 1), ("top", len(names))):
        number = settings.get(key) if key in FORMATS[kind].model_fields else None
        if isinstance(number, int) and number > most > 0:
            yield source.problem(("format", key), f"{key!r} must be at most {most} with {len(names)} players")
    yield from _seed_problems(source, settings.get("seeds") if kind == "gauntlet" else None, names)
    if data.get("sprt") is not None and kind not in TESTED:
        message = f"'sprt' does not go with the format {kind!r}; {_choices(kind, TESTED)}"
        yield source.problem(("sprt",), message)
    elif data.get("sprt") is not None and len(names) != 2:
        yield source.problem(("sprt",), f"'sprt' needs exactly two players, not {len(names)}")


def _seed_problems(source: Source, seeds: Any, names: Collection[str]) -> Iterator[Problem]:
    if not isinstance(seeds, list):
        return
    for i, seed in enumerate(seeds):
        if isinstance(seed, str) and seed not in names:
            message = f"a seed must be a player, not {_shown(seed)}; {_choices(seed, names)}"
            yield source.problem(("format", "seeds", i), message)
        elif seed in seeds[:i]:
            yield source.problem(("format", "seeds", i), f"the seed {seed!r} is given twice")
    if not seeds:
        yield source.problem(("format", "seeds"), "'seeds' must list at least one player")
    elif names and set(names) <= {seed for seed in seeds if isinstance(seed, str)}:
        yield source.problem(("format", "seeds"), "'seeds' must leave out a player: seeds do not meet each other")
