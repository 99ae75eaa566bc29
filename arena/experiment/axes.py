"""Axes of a sweep: the settings that each of its keys stands for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.wording import shown, unknown
from arena.experiment.names import is_number, phrases, words_of
from arena.experiment.submissions import PatternError, matching
from arena.experiment.yaml.errors import Keys
from players.player import MEANT_LIMITS

MAX_PLAYERS = 200
"""Players that the sweeps of a configuration may make together."""
RANGE = ("from", "to", "step", "factor")
"""The keys of a range."""
FILES = "files"
"""The key of a pattern of files, each of which is a value."""
LIMIT = "limit"
"""The key of a sweep that takes mappings of limits."""


class Setting(NamedTuple):
    """One value of a sweep: what it puts where, and how names call it."""

    values: dict[Keys, Any]
    places: dict[Keys, Keys]
    """Keys of the values within the entry -> keys within `sweep`."""
    text: str = ""
    """In a template."""
    phrase: str = ""
    """In a name without a template."""


class SweepError(Exception):
    """A problem at keys within `sweep`."""

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.keys = keys


def read_axes(
    entry: dict[str, Any], limits: Collection[str], axes: dict[str, list[Setting]], folder: Path
) -> Iterator[SweepError]:
    """Fill `axes` with the settings of each key of the entry's sweep; yield what is wrong.

    Files are looked for in `folder`, then in the working directory.
    """
    sweep = entry["sweep"]
    if not isinstance(sweep, dict) or not sweep:
        yield SweepError(f"'sweep' must be a mapping of a player's keys to lists or ranges, not {shown(sweep)}")
        return
    taken: dict[Keys, str] = {}
    for key, given in sweep.items():
        try:
            axes[key] = _limit_settings(given, limits) if key == LIMIT else _settings(key, given, folder)
            for path in {path for setting in axes[key] for path in setting.values}:
                _check_free(entry, path, key)
                other = next((other for known, other in taken.items() if _overlap(known, path)), key)
                if other != key:
                    raise SweepError(f"{_dotted(path)!r} is swept twice, by {other!r} and by {key!r}", key)
                taken[path] = key
        except SweepError as error:
            yield error


def _settings(key: str, given: Any, folder: Path) -> list[Setting]:
    path: Keys = tuple(key.split("."))
    if path[0] in ("name", "sweep"):
        raise SweepError(f"{key!r} cannot be swept; a template such as '{{depth}} plies' makes names", key)
    name, values = str(path[-1]), given
    if isinstance(given, dict):
        values = _files(key, given, folder) if FILES in given else _range(key, given)
    elif not isinstance(given, list) or not given:
        raise SweepError(
            f"{key!r} must be a list of values, a range {{from: 1, to: 10}} or {{files: ...}}, not "
            + (shown(given) if given != [] else "an empty list"),
            key,
        )
    words = zip(values, words_of(name, values), phrases(name, values), strict=True)
    return [
        Setting({path: value}, {path: ("sweep", key, i) if values is given else ("sweep", key)}, text, phrase)
        for i, (value, text, phrase) in enumerate(words)
    ]


def _limit_settings(given: Any, limits: Collection[str]) -> list[Setting]:
    if not isinstance(given, list) or not given:
        instead = shown(given) if given != [] else "an empty list"
        raise SweepError(f"'limit' must be a list such as [{{depth: 6}}, {{seconds: 0.02}}], not {instead}", LIMIT)
    settings = []
    for i, limit in enumerate(given):
        check_limit(limit, "an entry of 'limit'", limits, LIMIT, i)
        places: dict[Keys, Keys] = {(key,): ("sweep", LIMIT, i, key) for key in limit}
        text = " ".join(f"{key} {value}" for key, value in limit.items())
        settings.append(Setting({(key,): value for key, value in limit.items()}, places, text, text))
    return settings


def check_limit(limit: Any, subject: str, limits: Collection[str], *keys: str | int) -> None:
    """Raise SweepError, at `keys`, unless a value is a mapping of some of the limits."""
    if not isinstance(limit, dict) or not limit:
        raise SweepError(f"{subject} must be a mapping such as {{depth: 6}}, not {shown(limit)}", *keys)
    for key in limit:
        if key not in limits:
            raise SweepError(unknown("limit", key, limits, MEANT_LIMITS), *keys, key)


def _range(key: str, given: dict[str, Any]) -> list[int] | list[float]:
    """The numbers of a range, `to` included where a step leads to it; whole ones if all that is given is."""
    for word, value in given.items():
        if word not in RANGE:
            raise SweepError(unknown("key of a range", word, RANGE), key, word)
        if not is_number(value):
            raise SweepError(f"{word!r} must be a number, not {shown(value)}", key, word)
    if not {"from", "to"} <= given.keys():
        raise SweepError(f"the range of {key!r} needs 'from' and 'to'", key)
    if {"step", "factor"} <= given.keys():
        raise SweepError("a range has a 'step' or a 'factor', not both", key, "factor")
    first, last, step, factor = given["from"], given["to"], given.get("step", 1), given.get("factor")
    if last < first:
        raise SweepError(f"'to' must be at least 'from', {first}, not {last}", key, "to")
    if step <= 0:
        raise SweepError(f"'step' must be above 0, not {step}", key, "step")
    if factor is not None and not (factor > 1 and first > 0):
        raise SweepError(f"'factor' must be above 1 and 'from' above 0, not {factor} and {first}", key, "factor")
    steps = (last - first) / step if factor is None else math.log(last / first) / math.log(factor)
    if steps >= MAX_PLAYERS:
        raise SweepError(f"the range of {key!r} has more than {MAX_PLAYERS} values", key)
    # Decimal fractions may fall short of a whole number of steps by their rounding.
    count = math.floor(steps + 1e-9) + 1
    numbers = [first + i * step if factor is None else first * factor**i for i in range(count)]
    return [n if isinstance(n, int) else float(f"{n:.12g}") for n in numbers]


def _files(key: str, given: dict[str, Any], folder: Path) -> list[str]:
    """The files that a pattern matches, in the order of their names."""
    for word in given:
        if word != FILES:
            raise SweepError(unknown("key of files", word, [FILES]), key, word)
    if not isinstance(given[FILES], str) or not given[FILES]:
        raise SweepError(f"{FILES!r} must be text, not {shown(given[FILES])}", key, FILES)
    try:
        return matching(given[FILES], folder)
    except PatternError as error:
        raise SweepError(str(error), key, FILES) from None


def _check_free(entry: Mapping[str, Any], path: Keys, key: str) -> None:
    inside: Any = entry
    for depth, part in enumerate(path):
        if part not in inside:
            return
        inside = inside[part]
        if depth + 1 == len(path):
            raise SweepError(f"{_dotted(path)!r} is both set and swept: leave one of the two out", key)
        if not isinstance(inside, dict):
            outer = _dotted(path[: depth + 1])
            raise SweepError(f"{outer!r} is {shown(inside)}, so {key!r} has no place in it", key)


def _overlap(one: Keys, other: Keys) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def _dotted(path: Keys) -> str:
    return ".".join(map(str, path))
