"""The players' settings, one by one, and which players differ in one of them only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.experiment.names import is_number, leaves, word_of
from arena.experiment.yaml.values import Keys
from players.player import ENGINE, Limit, PlayerSpec

LIMITS = Limit._fields
"""Settings that limit a player's moves."""
_TIME = ("seconds", "clock", "increment", "moves")
"""Those of time."""
_PROGRAM = ("command", "folder")
"""The options of an outside program that say which program it is."""
_LOG = "log"
"""Its option that changes nothing in its games."""


def settings(player: PlayerSpec) -> dict[str, Any]:
    """All that a player is set to but its name, by the key of the configuration: type, limits, options.

    The type of an outside program includes its command and folder, which say what plays.
    """
    if player.type != ENGINE:
        return {"type": player.type, **limits(player), **player.options}
    program = [player.options.get(name) for name in _PROGRAM]
    options = {name: value for name, value in player.options.items() if name not in (*_PROGRAM, _LOG)}
    return {"type": [ENGINE, *program], **limits(player), **options}


def limits(player: PlayerSpec) -> dict[str, Any]:
    """The limits that a player has."""
    return {name: value for name, value in player.limit._asdict().items() if value is not None}


def key(value: Any) -> str:
    """A text that equal settings share."""
    return json.dumps(value, sort_keys=True, default=str)


def without(player: PlayerSpec, setting: str) -> str:
    """A text that players share who differ in name and this setting only."""
    return key({name: value for name, value in settings(player).items() if name != setting})


def varied(players: Sequence[PlayerSpec]) -> list[str]:
    """The settings in which players differ who are else alike, as in a sweep; limits count as one setting."""
    each = [settings(player) for player in players]
    names = dict.fromkeys(name for of_player in each for name in of_player if name != "type")
    return [name for name in names if _is_varied(each, LIMITS if name in LIMITS else (name,), name)]


def _is_varied(each: Sequence[Mapping[str, Any]], left_out: Sequence[str], name: str) -> bool:
    """Whether a setting differs among players who are alike in all but the settings left out."""
    values: dict[str, set[str]] = {}
    for of_player in each:
        rest = key({other: value for other, value in of_player.items() if other not in left_out})
        values.setdefault(rest, set()).add(key(of_player.get(name)))
    return any(len(different) > 1 for different in values.values())


def terms(kinds: Iterable[str]) -> str:
    """Kinds of limits in words: "depth", "time", "depth and nodes"."""
    return " and ".join(dict.fromkeys("time" if name in _TIME else name for name in kinds))


def terms_at(specs: Sequence[PlayerSpec]) -> tuple[str, str]:
    """Describe the limits of these players, of one kind; and the range of a limit that is one number."""
    kinds = list(limits(specs[0]))
    if len(kinds) != 1:
        return terms(kinds), ""
    numbers = sorted({limits(spec)[kinds[0]] for spec in specs})
    unit = " s" if kinds == ["seconds"] else ""
    return terms(kinds), " to ".join(f"{n}" for n in dict.fromkeys([numbers[0], numbers[-1]])) + unit


def level_words(pair: Sequence[PlayerSpec], pairs: Sequence[Sequence[PlayerSpec]]) -> str:
    """What the players of a pair have in common and others of `pairs` not: "depth 4", "no pvs, depth 4"."""
    each = [[settings(player) for player in players] for players in pairs]
    names = dict.fromkeys(name for players in each for name in players[0])
    own, other = (settings(player) for player in pair)
    words = [
        f"{name} {own[name]}" if is_number(own.get(name)) else word_of(name, own.get(name))
        for name in names
        if key(own.get(name)) == key(other.get(name)) and len({key(first.get(name)) for first, _ in each}) > 1
    ]
    return ", ".join(sorted(words, key=lambda word: word.split()[0] in LIMITS))


def swept_numbers(players: Iterable[PlayerSpec], fewest: int) -> dict[str, dict[str, tuple[str, float]]]:
    """The numbers, but for limits, of `fewest` values or more in a family: options, or weights inside one.

    By the number's name, each player's family and value. A family are players that differ in the number alone; it
    is named by the settings in which others differ, "" if there is one.
    """
    each = {player.name: dict(leaves(settings(player))) for player in players}
    paths = dict.fromkeys(path for own in each.values() for path in own if path[0] not in (*LIMITS, "type"))
    found = {path: of_path for path in paths if (of_path := _swept(each, path, fewest))}
    lasts = [path[-1] for path in found]
    return {
        str(path[-1]) if lasts.count(path[-1]) == 1 else ".".join(map(str, path)): of_path
        for path, of_path in found.items()
    }


def _swept(each: Mapping[str, Mapping[Keys, Any]], path: Keys, fewest: int) -> dict[str, tuple[str, float]]:
    families: dict[str, dict[str, float]] = {}
    rest = {name: {other: value for other, value in own.items() if other != path} for name, own in each.items()}
    for name, own in each.items():
        if is_number(own.get(path)):
            families.setdefault(str(sorted(rest[name].items())), {})[name] = float(own[path])
    lines = [values for values in families.values() if len(set(values.values())) >= fewest]
    firsts = [rest[next(iter(values))] for values in lines]
    words = [", ".join(_telling(own, firsts)) for own in firsts]
    return {name: (word, x) for line, word in zip(lines, words, strict=True) for name, x in line.items()}


def _telling(own: Mapping[Keys, Any], others: Sequence[Mapping[Keys, Any]]) -> list[str]:
    """The settings in which a family differs from others, in words."""
    return [
        word_of(str(path[-1]), value) if isinstance(value, bool) else f"{path[-1]} {value}"
        for path, value in own.items()
        if any(other.get(path) != value for other in others)
    ]


def families(players: Iterable[PlayerSpec], limit: str = "depth") -> dict[str, str]:
    """Player name -> family name, for players that differ from another one in name and in one limit only.

    A family is named by its type, unless all players are of one type and something else tells, and by those
    options in which other players of that type differ from it; if that leaves two of one name, by its first
    player too.
    """
    players = list(players)
    groups: dict[str, list[PlayerSpec]] = {}
    for player in players:
        if limit in limits(player):
            groups.setdefault(without(player, limit), []).append(player)
    members = [group for group in groups.values() if len({getattr(player.limit, limit) for player in group}) > 1]
    names = [_family_name(group[0], players, limit) for group in members]
    names = [
        name if names.count(name) == 1 else f"{name} ({group[0].name}, ...)"
        for name, group in zip(names, members, strict=True)
    ]
    return {player.name: name for name, group in zip(names, members, strict=True) for player in group}


def _family_name(player: PlayerSpec, players: list[PlayerSpec], limit: str) -> str:
    others = [settings(other) for other in players if other.type == player.type]
    options = {name: value for name, value in settings(player).items() if name not in ("type", limit)}
    telling = {
        name: value
        for name, value in options.items()
        if value is not None and any(other.get(name) != value for other in others)
    }
    parts = [
        word_of(name, value) if isinstance(value, bool) else f"{name} {_shortened(value)}"
        for name, value in telling.items()
    ]
    return ", ".join(parts if parts and len(others) == len(players) else [player.type, *parts])


def _shortened(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, Mapping) else str(value)
