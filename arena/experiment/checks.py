"""Checks between the values of an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from arena.base.wording import listed, unknown
from arena.experiment.formats import FORMATS, FormatField
from arena.experiment.formats.base import Format
from arena.experiment.openings import RANDOM_KEYS, Openings
from arena.experiment.suite import suite_problems
from arena.experiment.yaml.errors import Keys, Mistake
from arena.experiment.yaml.values import Source
from players.player import HUMAN

_FORMAT: TypeAdapter[Format] = TypeAdapter(FormatField)


def cross_problems(source: Source, data: Any, with_options: bool = True) -> Iterator[Mistake]:
    """Yield problems between values, and of players' options if they are wanted, whatever else is wrong."""
    if not isinstance(data, dict):
        return
    yield from suite_problems(source, data.get("suite"))
    yield from _opening_problems(source, data.get("openings"))
    yield from _repetition_problems(source, data)
    grade = data.get("grade")
    if isinstance(grade, dict) and isinstance(judge := grade.get("judge"), dict):
        yield from _entry_problems(source, ("grade", "judge"), {"type": "negamax", **judge})
    players = data.get("players")
    if not isinstance(players, list):
        return
    if not players:
        yield source.problem(("players",), "'players' must list at least one player")
    yield from _player_problems(source, players, with_options)
    names = list(dict.fromkeys(filter(None, map(_name, players))))
    yield from _format_problems(source, data, names)
    anchor = data.get("anchor") if names else None
    for name in anchor if isinstance(anchor, dict) else [anchor] if isinstance(anchor, str) else ():
        if name not in names:
            keys = ("anchor", name) if isinstance(anchor, dict) else ("anchor",)
            yield source.problem(keys, unknown("player", name, names))


def _opening_problems(source: Source, openings: Any) -> Iterator[Mistake]:
    """Yield a problem for each key of random openings beside those of a set or a file."""
    given = openings if isinstance(openings, dict) else {}
    origins = [origin for origin in ("set", "file") if given.get(origin) is not None]
    for key in RANDOM_KEYS if len(origins) == 1 else ():
        if key in given:
            yield source.problem(("openings", key), f"{key!r} is of random openings; {origins[0]!r} has others")


def _repetition_problems(source: Source, data: dict[str, Any]) -> Iterator[Mistake]:
    """Yield a problem for an early end by games that may repeat others: their moves are not compared before it."""
    try:
        openings = Openings.model_validate(data.get("openings", {}))
    except ValidationError:
        return
    for key in ("sprt", "until") if openings.are_repeated else ():
        if data.get(key) is not None:
            message = f"{key!r} needs different openings: games from the same one may be alike, and say no more"
            yield source.problem((key,), message)


def _player_problems(source: Source, players: Sequence[Any], with_options: bool) -> Iterator[Mistake]:
    first: dict[str, int] = {}
    for i, player in enumerate(players):
        if not isinstance(player, dict):
            continue
        name = _name(player)
        if name is not None and first.setdefault(name, i) != i:
            line = source.problem(("players", first[name], "name"), "")[1]
            place = f"in line {line}" if line else f"players[{first[name]}]"
            message = f"the player {name!r} is already {place}: names must differ"
            yield source.problem(("players", i, "name"), message)
        if player.get("type") == HUMAN:
            yield source.problem(
                ("players", i, "type"), f"a {HUMAN} plays at the board (arena play), not in a tournament"
            )
        for key, reference in player.items():
            if isinstance(reference, str) and reference.startswith("__main__:"):
                thing = reference.partition(":")[2]
                message = f"{reference!r} is code of the notebook or script itself, which the processes that play "
                message += f"cannot load: keep it in a file (%%writefile own.py) and write own.py:{thing}"
                yield source.problem(("players", i, key), message)
        if player.get("increment") is not None and player.get("clock") is None:
            yield source.problem(("players", i, "increment"), "'increment' needs a 'clock' to add it to")
        if with_options:
            yield from _entry_problems(source, ("players", i), player)


def _entry_problems(source: Source, place: Keys, entry: dict[str, Any]) -> Iterator[Mistake]:
    """Yield problems of the type and the options of the player at a place."""
    from players.table import entry_problems

    for error in entry_problems(entry):
        if not source.refuses(keys := (*place, *error.keys)):
            yield source.problem(keys, str(error))


def _format_problems(source: Source, data: dict[str, Any], names: Sequence[str]) -> Iterator[Mistake]:
    try:
        format = _FORMAT.validate_python(data.get("format", "round-robin"))
    except ValidationError:
        return
    for keys, message in format.problems(names):
        yield source.problem(("format", *keys), message)
    if data.get("sprt") is not None and not format.tested:
        tested = listed([repr(name) for name, kind in FORMATS.items() if kind.tested], "or")
        yield source.problem(("sprt",), f"'sprt' needs the format {tested}, not {format.type!r}")
    elif data.get("sprt") is not None and len(names) != 2:
        yield source.problem(("sprt",), f"'sprt' needs exactly two players, not {len(names)}")
    if data.get("until") is not None and not format.narrowed:
        narrowed = listed([repr(name) for name, kind in FORMATS.items() if kind.narrowed], "or")
        yield source.problem(("until",), f"'until' needs the format {narrowed}, not {format.type!r}")
    elif data.get("until") is not None and data.get("sprt") is not None:
        yield source.problem(("until",), "'until' and 'sprt' both decide when a match ends: give one of them")


def _name(player: Any) -> str | None:
    name = player.get("name") if isinstance(player, dict) else None
    return name if isinstance(name, str) else None
