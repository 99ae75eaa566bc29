"""Sweeps: an entry of `players:` with the key `sweep` becomes a player for every combination of its values.

    - name: "{evaluation} d{depth}"            # or no name: "simple, depth 4"
      type: negamax
      sweep:
        evaluation: [simple, cis300]           # a list of values,
        depth: {from: 1, to: 10}               # or a range, with a `step` or, for doublings, `factor: 2`

Any key of a player can be swept; dots lead into a mapping (`evaluation.linear.king`). The key `limit` takes a
list of mappings of limits, for the same player at equal depth, at equal nodes and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from itertools import product
from string import Formatter
from typing import Any, NamedTuple

from arena.wording import choices, shown

MAX_PLAYERS = 200
"""Players that the sweeps of a configuration may make together."""
RANGE = ("from", "to", "step", "factor")
LIMIT = "limit"

Keys = tuple[str | int, ...]

_VALUES = {"type": "array", "minItems": 1}
_NUMBER = {"type": "number"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "description": "Settings to try, in every combination: for each a list of values, or a range.",
    "properties": {
        LIMIT: {"type": "array", "minItems": 1, "items": {"type": "object", "minProperties": 1}},
        "name": False,
        "sweep": False,
    },
    "additionalProperties": {
        "anyOf": [
            _VALUES,
            {
                "type": "object",
                "properties": dict.fromkeys(RANGE, _NUMBER),
                "required": ["from", "to"],
                "additionalProperties": False,
                "not": {"required": ["step", "factor"]},
            },
        ]
    },
}
"""The JSON schema of the key `sweep`."""


class Expansion(NamedTuple):
    """Players written out, and where each of their values stands in the file."""

    players: list[Any]
    places: list[dict[Keys, Keys]]
    """For each player the keys of values within its entry -> their keys in the file."""
    problems: list[tuple[Keys, str]]
    """What is wrong in sweeps, by keys in the file; an entry with a problem makes no players."""

    def origin(self, keys: Keys) -> Keys:
        """The keys in the file of what stands at `keys` once players are written out."""
        if keys[:1] != ("players",) or len(keys) < 2 or int(keys[1]) >= len(self.places):
            return keys
        places, inside = self.places[int(keys[1])], keys[2:]
        known = next(inside[:n] for n in range(len(inside), -1, -1) if inside[:n] in places)
        return (*places[known], *inside[len(known) :])


class _Setting(NamedTuple):
    """One value of a sweep: what it puts where, and how names call it."""

    values: dict[Keys, Any]
    places: dict[Keys, Keys]
    """Keys of the values within the entry -> keys within `sweep`."""
    text: str = ""
    """In a template."""
    phrase: str = ""
    """In a name without a template."""


class _Wrong(Exception):
    """A problem at keys within `sweep`."""

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.keys = keys


def expand(players: list[Any], limits: Collection[str]) -> Expansion:
    """The entries of `players:` with those that have a `sweep` written out; `limits` are the keys of limits.

    Entries without `sweep` stay as they are, right or wrong.
    """
    result = Expansion([], [], [])
    made = 0
    for number, entry in enumerate(players):
        place: Keys = ("players", number)
        if not isinstance(entry, dict) or "sweep" not in entry:
            result.players.append(entry)
            result.places.append({(): place})
            continue
        axes: dict[str, list[_Setting]] = {}
        problems = list(_read(entry, limits, axes))
        if not problems:
            made += math.prod(map(len, axes.values()))
            try:
                if made > MAX_PLAYERS:
                    raise _Wrong(f"the sweeps make {made} players, more than {MAX_PLAYERS}")
                new = list(_players(entry, axes))
            except _Wrong as error:
                problems.append(error)
            else:
                for player, places in new:
                    result.players.append(player)
                    result.places.append({(): place} | {key: (*place, *keys) for key, keys in places.items()})
        for problem in problems:
            where: Keys = ("name",) if problem.keys == ("name",) and "name" in entry else ("sweep", *problem.keys)
            result.problems.append(((*place, *where), str(problem)))
    return result


def phrases(name: str, values: list[Any]) -> list[str]:
    """Values of the setting `name` in words: "simple", "depth 4", "pvs" and "no pvs", of mappings what differs."""
    texts = _texts(name, values)
    return [f"{name} {text}" if _is_number(value) else text for value, text in zip(values, texts, strict=True)]


def _read(entry: dict[str, Any], limits: Collection[str], axes: dict[str, list[_Setting]]) -> Iterator[_Wrong]:
    """Fill `axes` with the settings of each key of the sweep; yield what is wrong."""
    sweep = entry["sweep"]
    if not isinstance(sweep, dict) or not sweep:
        yield _Wrong(f"'sweep' must be a mapping of a player's keys to lists or ranges, not {shown(sweep)}")
        return
    taken: dict[Keys, str] = {}
    for key, given in sweep.items():
        try:
            axes[key] = _limit_settings(given, limits) if key == LIMIT else _settings(key, given)
            for path in {path for setting in axes[key] for path in setting.values}:
                _check_free(entry, path, key)
                other = next((other for known, other in taken.items() if _overlap(known, path)), key)
                if other != key:
                    raise _Wrong(f"{_dotted(path)!r} is swept twice, by {other!r} and by {key!r}", key)
                taken[path] = key
        except _Wrong as error:
            yield error


def _settings(key: str, given: Any) -> list[_Setting]:
    """The settings of a key other than `limit`."""
    path: Keys = tuple(key.split("."))
    if path[0] in ("name", "sweep"):
        raise _Wrong(f"{key!r} cannot be swept; a template such as '{{depth}} plies' makes names", key)
    name = str(path[-1])
    if isinstance(given, dict):
        numbers = _range(key, given)
        return [_Setting({path: n}, {path: ("sweep", key)}, str(n), f"{name} {n}") for n in numbers]
    if not isinstance(given, list) or not given:
        raise _Wrong(
            f"{key!r} must be a list of values or a range {{from: 1, to: 10}}, not "
            + (shown(given) if given != [] else "an empty list"),
            key,
        )
    words = zip(given, _texts(name, given), phrases(name, given), strict=True)
    return [
        _Setting({path: value}, {path: ("sweep", key, i)}, text, phrase)
        for i, (value, text, phrase) in enumerate(words)
    ]


def _limit_settings(given: Any, limits: Collection[str]) -> list[_Setting]:
    """The settings of `limit`: each a mapping of limits."""
    if not isinstance(given, list) or not given:
        instead = shown(given) if given != [] else "an empty list"
        raise _Wrong(f"'limit' must be a list such as [{{depth: 6}}, {{seconds: 0.02}}], not {instead}", LIMIT)
    settings = []
    for i, limit in enumerate(given):
        if not isinstance(limit, dict) or not limit:
            raise _Wrong(
                f"an entry of 'limit' must be a mapping such as {{depth: 6}}, not {shown(limit)}", LIMIT, i
            )
        for key in limit:
            if key not in limits:
                raise _Wrong(f"unknown limit {key!r}; {choices(key, limits)}", LIMIT, i, key)
        places: dict[Keys, Keys] = {(key,): ("sweep", LIMIT, i, key) for key in limit}
        text = " ".join(f"{key} {value}" for key, value in limit.items())
        settings.append(_Setting({(key,): value for key, value in limit.items()}, places, text, text))
    return settings


def _range(key: str, given: dict[str, Any]) -> list[int] | list[float]:
    """The numbers of a range, `to` included where a step leads to it; whole ones if all that is given is."""
    for word, value in given.items():
        if word not in RANGE:
            raise _Wrong(f"unknown key {word!r} of a range; {choices(word, RANGE)}", key, word)
        if not _is_number(value):
            raise _Wrong(f"{word!r} must be a number, not {shown(value)}", key, word)
    if not {"from", "to"} <= given.keys():
        raise _Wrong(f"the range of {key!r} needs 'from' and 'to'", key)
    if {"step", "factor"} <= given.keys():
        raise _Wrong("a range has a 'step' or a 'factor', not both", key, "factor")
    first, last, step, factor = given["from"], given["to"], given.get("step", 1), given.get("factor")
    if last < first:
        raise _Wrong(f"'to' must be at least 'from', {first}, not {last}", key, "to")
    if step <= 0:
        raise _Wrong(f"'step' must be above 0, not {step}", key, "step")
    if factor is not None and not (factor > 1 and first > 0):
        raise _Wrong(f"'factor' must be above 1 and 'from' above 0, not {factor} and {first}", key, "factor")
    steps = (last - first) / step if factor is None else math.log(last / first) / math.log(factor)
    if steps >= MAX_PLAYERS:
        raise _Wrong(f"the range of {key!r} has more than {MAX_PLAYERS} values", key)
    # Decimal fractions may fall short of a whole number of steps by their rounding.
    count = math.floor(steps + 1e-9) + 1
    numbers = [first + i * step if factor is None else first * factor**i for i in range(count)]
    return [n if isinstance(n, int) else float(f"{n:.12g}") for n in numbers]


def _check_free(entry: Mapping[str, Any], path: Keys, key: str) -> None:
    """Raise _Wrong if the entry itself has a value at the path, or one that the path cannot go through."""
    inside: Any = entry
    for depth, part in enumerate(path):
        if part not in inside:
            return
        inside = inside[part]
        if depth + 1 == len(path):
            raise _Wrong(f"{_dotted(path)!r} is both set and swept: leave one of the two out", key)
        if not isinstance(inside, dict):
            raise _Wrong(f"{_dotted(path[: depth + 1])!r} is {shown(inside)}, so {key!r} has no place in it", key)


def _players(entry: dict[str, Any], axes: dict[str, list[_Setting]]) -> Iterator[tuple[Any, dict[Keys, Keys]]]:
    """Each player with the places of its values; raises _Wrong if their names cannot be made or are not unique."""
    template = entry.get("name")
    names: set[str] = set()
    for settings in product(*axes.values()):
        player = deepcopy({key: value for key, value in entry.items() if key != "sweep"})
        places: dict[Keys, Keys] = {(key,): (key,) for key in player}
        for setting in settings:
            places |= setting.places
            for path, value in setting.values.items():
                _put(player, path, value)
        if "name" not in entry:
            player["name"] = ", ".join(setting.phrase for setting in settings)
            places["name",] = ("sweep",)
        elif isinstance(template, str):
            words = {key: _text(key, value) for key, value in player.items() if key != "name"}
            words |= dict(zip(axes, (setting.text for setting in settings), strict=True))
            player["name"] = _filled(template, words)
        if player["name"] in names:
            raise _twice(player["name"], template, axes)
        if isinstance(player["name"], str):
            names.add(player["name"])
        yield player, places


def _twice(name: str, template: str | None, axes: dict[str, list[_Setting]]) -> _Wrong:
    """What to say of two players of one name."""
    fields = [f"{{{key}}}" for key, settings in axes.items() if len(settings) > 1]
    missing = [field for field in fields if template is not None and field not in template]
    cause = f"put {' and '.join(missing)} into 'name'" if missing else "is a value listed twice?"
    where = ["name"] if template is not None else []
    return _Wrong(f"the sweep makes two players named {name!r}: {cause}", *where)


def _filled(template: str, words: Mapping[str, str]) -> str:
    """The template with its {keys} replaced; `{{` and `}}` are braces."""
    name = ""
    try:
        for literal, key, form, conversion in Formatter().parse(template):
            name += literal
            if key is None:
                continue
            if form or conversion or key not in words:
                word = key + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
                raise _Wrong(f"unknown key {word!r} in the template of 'name'; {choices(key, words)}", "name")
            name += words[key]
    except ValueError as error:
        raise _Wrong(f"'name' is no template: {error} (write {{{{ for a brace)", "name") from None
    return name


def _put(player: dict[str, Any], path: Keys, value: Any) -> None:
    """Set the value at the path, making the mappings that lead to it."""
    inside: Any = player
    for part in path[:-1]:
        inside = inside.setdefault(part, {})
    inside[path[-1]] = deepcopy(value)


def _texts(name: str, values: list[Any]) -> list[str]:
    """As `phrases`, numbers alone."""
    leaves = [set(map(repr, _leaves(value))) for value in values if isinstance(value, dict)]
    common = set.intersection(*leaves) if len(leaves) > 1 else set()
    return [_text(name, value, common) for value in values]


def _text(name: str, value: Any, common: Collection[str] = ()) -> str:
    if value is None or isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, dict):
        telling = [leaf for leaf in _leaves(value) if common and repr(leaf) not in common]
        return " ".join(f"{path[-1]} {leaf}" for path, leaf in telling) or " ".join(value)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _leaves(value: Any, path: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """What stands in a mapping that is no mapping itself, with its path."""
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from _leaves(inner, (*path, key))


def _overlap(one: Keys, other: Keys) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def _dotted(path: Keys) -> str:
    return ".".join(map(str, path))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
