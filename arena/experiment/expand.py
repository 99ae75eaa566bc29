"""Entries of `players:` written out: short forms, patterns of files, and sweeps.

    - simple@d6                                # a short form
    - type: submissions/*.py                   # a player for each file that matches
    - name: "{evaluation} d{depth}"            # or no name: "simple, depth 4"
      type: negamax
      sweep:                                   # a player for every combination of
        evaluation: [simple, cis300]           # a list of values,
        depth: {from: 1, to: 10}               # a range, with a `step` or, for doublings, `factor: 2`,
        weights: {files: "runs/*.npz"}         # and files that match a pattern

Any key of a player can be swept; dots lead into a mapping (`evaluation.linear.king`). The key `limit` takes a
list of mappings of limits, for the same player at equal depth, at equal nodes and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.wording import shown, unknown
from arena.experiment.names import (
    EntryError,
    distinct_names,
    filled,
    is_number,
    phrases,
    short_entry,
    word_of,
    words_of,
)
from arena.experiment.submissions import matching, pattern_key, submitted
from arena.experiment.yaml.errors import ConfigError, Keys, Mistake
from arena.experiment.yaml.values import YamlValue
from players.player import MEANT_LIMITS, Limit

MAX_PLAYERS = 200
"""Players that the sweeps and patterns of a configuration may make together."""
RANGE = ("from", "to", "step", "factor")
"""The keys of a range."""
_FILE = "file"
"""The word of a template that is the name of a pattern's file."""
_FILES = "files"
"""The key of a pattern of files, each of which is a value."""
LIMIT_KEY = "limit"
"""The key of a sweep that takes mappings of limits."""


class Setting(NamedTuple):
    """One value of an axis."""

    values: dict[Keys, YamlValue]
    """What it puts where in the entry."""
    text: str
    """Its word in a template."""
    phrase: str
    """Its words in a name without a template."""


Axes = dict[str, list[Setting]]
"""The settings of each word that a template may have."""


@contextmanager
def _standing_at(node: YamlValue) -> Iterator[None]:
    """An EntryError as a ConfigError at the place of a node."""
    try:
        yield
    except EntryError as error:
        raise node.error(str(error)) from None


def written_out(players: Sequence[YamlValue], folder: Path) -> tuple[list[YamlValue], list[Mistake]]:
    """The players that entries mean, and what is wrong: an entry with a problem makes no players.

    Files are looked for in `folder`, then in the working directory. Entries of one player stay as they are, right
    or wrong, but that one without a type is a negamax.
    """
    problems: list[Mistake] = []
    entries: list[YamlValue] = []
    made = 0
    for entry in _named(players, folder, problems):
        if not _is_several(entry):
            entries.append(entry)
            continue
        try:
            key = pattern_key(entry)
            where, axes = _swept(entry, folder) if key is None else _of_files(entry, key, folder)
            if (more := made + math.prod(map(len, axes.values()))) > MAX_PLAYERS:
                raise where.error(f"the sweeps and patterns make {more} players, more than {MAX_PLAYERS}")
            entries += _players(entry, axes, where)
            made = more
        except ConfigError as error:
            problems += error.problems
    return list(map(_typed, entries)), problems


def _typed(entry: YamlValue) -> YamlValue:
    """The entry with its type: without one it is that of a search."""
    if not isinstance(entry.value, dict) or "type" in entry.value:
        return entry
    return entry.put(("type",), YamlValue("negamax", entry.place))


def _named(players: Sequence[YamlValue], folder: Path, problems: list[Mistake]) -> list[YamlValue]:
    """The entries, short forms as mappings, and those of one player with names that differ.

    Wrong short forms are left out.
    """
    entries: list[YamlValue] = []
    nameless: dict[int, dict[str, Any]] = {}
    for given in players:
        entry, place = given, given.place
        try:
            if isinstance(given.value, str):
                short = short_entry(given.value, folder)
                entry = YamlValue({key: YamlValue(value, place) for key, value in short.items()}, place)
        except EntryError as error:
            problems += given.error(str(error)).problems
            continue
        lacks_name = isinstance(entry.value, dict) and "name" not in entry.value and not _is_several(entry)
        if lacks_name or isinstance(given.value, str):
            nameless[len(entries)] = entry.plain
        entries.append(entry)
    for number, name in zip(nameless, distinct_names(list(nameless.values())), strict=True):
        entries[number] = entries[number].put(("name",), YamlValue(name, entries[number].place))
    return entries


def _is_several(entry: YamlValue) -> bool:
    """Whether an entry has a sweep or a pattern, which makes several players."""
    return pattern_key(entry) is not None or entry.get("sweep") is not None


def _of_files(entry: YamlValue, key: str, folder: Path) -> tuple[YamlValue, Axes]:
    """The files that the pattern at a key matches, and where the pattern stands. Raises ConfigError."""
    where = entry.value[key]
    if "sweep" in entry.value:
        raise where.error("a pattern and 'sweep' do not go together: write an entry for each setting")
    with _standing_at(where):
        files = submitted(where.value, key, folder)
    settings = [Setting({(key,): YamlValue(reference, where.place)}, name, name) for name, reference in files]
    return where, {_FILE: settings}


def _swept(entry: YamlValue, folder: Path) -> tuple[YamlValue, Axes]:
    """The settings of an entry's sweep, and where that stands. Raises ConfigError with all that is wrong."""
    sweep = entry.value["sweep"]
    if not isinstance(sweep.value, dict) or not sweep.value:
        raise sweep.error(
            f"'sweep' must be a mapping of a player's keys to lists or ranges, not {shown(sweep.plain)}"
        )
    axes: Axes = {}
    errors: list[ConfigError] = []
    taken: dict[Keys, str] = {}
    for key, axis in sweep.value.items():
        try:
            axes[key] = _limits(axis) if key == LIMIT_KEY else _settings(key, axis, folder)
            for path in {path for setting in axes[key] for path in setting.values}:
                _check_free(entry, path, key, axis)
                other = next((other for swept, other in taken.items() if _overlap(swept, path)), key)
                if other != key:
                    raise axis.error(f"{_dotted(path)!r} is swept twice, by {other!r} and by {key!r}")
                taken[path] = key
        except ConfigError as error:
            errors.append(error)
    if errors:
        raise ConfigError(problem for error in errors for problem in error.problems)
    return sweep, axes


def _players(entry: YamlValue, axes: Axes, where: YamlValue) -> Iterator[YamlValue]:
    """A player for every combination of settings, which stand at `where`. Raises ConfigError for its names."""
    template = entry.get("name")
    names: set[str] = set()
    for settings in product(*axes.values()):
        player = entry._replace(value={key: node for key, node in entry.value.items() if key != "sweep"})
        for setting in settings:
            for path, value in setting.values.items():
                player = player.put(path, value)
        name = template or YamlValue(", ".join(setting.phrase for setting in settings), where.place)
        if template is not None and isinstance(template.value, str):
            words = {key: word_of(key, node.plain) for key, node in player.value.items() if key != "name"}
            words |= dict(zip(axes, (setting.text for setting in settings), strict=True))
            with _standing_at(template):
                name = template._replace(value=filled(template.value, words))
        if name.value in names:
            fields = [f"{{{key}}}" for key, settings in axes.items() if len(settings) > 1]
            missing = [field for field in fields if template is not None and field not in template.value]
            cause = f"put {' and '.join(missing)} into 'name'" if missing else "is a value listed twice?"
            raise (template or where).error(f"the entry makes two players named {name.value!r}: {cause}")
        if isinstance(name.value, str):
            names.add(name.value)
        yield player.put(("name",), name)


def _settings(key: str, axis: YamlValue, folder: Path) -> list[Setting]:
    """The settings of a key of a sweep, by a list, a range or files."""
    path: Keys = tuple(key.split("."))
    if path[0] in ("name", "sweep"):
        raise axis.error(f"{key!r} cannot be swept; a template such as '{{depth}} plies' makes names")
    if isinstance(axis.value, dict):
        values: list[Any] = _files(axis, folder) if _FILES in axis.value else _range(key, axis)
        nodes = [YamlValue(value, axis.place) for value in values]
    elif not isinstance(axis.value, list) or not axis.value:
        raise axis.error(
            f"{key!r} must be a list of values, a range {{from: 1, to: 10}} or {{files: ...}}, not {_shown(axis)}"
        )
    else:
        nodes, values = axis.value, axis.plain
    name = str(path[-1])
    words = zip(nodes, words_of(name, values), phrases(name, values), strict=True)
    return [Setting({path: node}, text, phrase) for node, text, phrase in words]


def _limits(axis: YamlValue) -> list[Setting]:
    """The settings of the key `limit`."""
    if not isinstance(axis.value, list) or not axis.value:
        raise axis.error(f"'limit' must be a list such as [{{depth: 6}}, {{seconds: 0.02}}], not {_shown(axis)}")
    settings = []
    for limit in axis.value:
        check_limit(limit, "an entry of 'limit'")
        text = " ".join(f"{key} {node.plain}" for key, node in limit.value.items())
        settings.append(Setting({(key,): node for key, node in limit.value.items()}, text, text))
    return settings


def check_limit(limit: YamlValue, subject: str) -> None:
    """Raise ConfigError unless a value is a mapping of some limits."""
    if not isinstance(limit.value, dict) or not limit.value:
        raise limit.error(f"{subject} must be a mapping such as {{depth: 6}}, not {shown(limit.plain)}")
    for key, node in limit.value.items():
        if key not in Limit._fields:
            raise node.error(unknown("limit", key, Limit._fields, MEANT_LIMITS))


def _range(key: str, axis: YamlValue) -> list[int] | list[float]:
    """The numbers of a range, `to` included where a step leads to it; whole ones if all four are."""
    for word, node in axis.value.items():
        if word not in RANGE:
            raise node.error(unknown("key of a range", word, RANGE))
        if not is_number(node.value):
            raise node.error(f"{word!r} must be a number, not {shown(node.plain)}")
    if not {"from", "to"} <= axis.value.keys():
        raise axis.error(f"the range of {key!r} needs 'from' and 'to'")
    if {"step", "factor"} <= axis.value.keys():
        raise axis.value["factor"].error("a range has a 'step' or a 'factor', not both")
    words = axis.plain
    first, last, step, factor = words["from"], words["to"], words.get("step", 1), words.get("factor")
    if last < first:
        raise axis.value["to"].error(f"'to' must be at least 'from', {first}, not {last}")
    if step <= 0:
        raise axis.value["step"].error(f"'step' must be above 0, not {step}")
    if factor is not None and not (factor > 1 and first > 0):
        message = f"'factor' must be above 1 and 'from' above 0, not {factor} and {first}"
        raise axis.value["factor"].error(message)
    steps = (last - first) / step if factor is None else math.log(last / first) / math.log(factor)
    if steps >= MAX_PLAYERS:
        raise axis.error(f"the range of {key!r} has more than {MAX_PLAYERS} values")
    # Decimal fractions may fall short of a whole number of steps by their rounding.
    count = math.floor(steps + 1e-9) + 1
    numbers = [first + i * step if factor is None else first * factor**i for i in range(count)]
    return [n if isinstance(n, int) else float(f"{n:.12g}") for n in numbers]


def _files(axis: YamlValue, folder: Path) -> list[str]:
    """The files that a pattern matches, in the order of their names."""
    for word, node in axis.value.items():
        if word != _FILES:
            raise node.error(unknown("key of files", word, [_FILES]))
    pattern = axis.value[_FILES]
    if not isinstance(pattern.value, str) or not pattern.value:
        raise pattern.error(f"{_FILES!r} must be text, not {shown(pattern.plain)}")
    with _standing_at(pattern):
        return matching(pattern.value, folder)


def _check_free(entry: YamlValue, path: Keys, key: str, axis: YamlValue) -> None:
    """Raise ConfigError if the entry has a value already where a key of the sweep leads."""
    inside, rest = entry.nearest(path)
    if not rest:
        raise axis.error(f"{_dotted(path)!r} is both set and swept: leave one of the two out")
    if not isinstance(inside.value, dict):
        outer = _dotted(path[: len(path) - len(rest)])
        raise axis.error(f"{outer!r} is {shown(inside.plain)}, so {key!r} has no place in it")


def _shown(axis: YamlValue) -> str:
    return "an empty list" if axis.value == [] else shown(axis.plain)


def _overlap(path: Keys, other: Keys) -> bool:
    return all(a == b for a, b in zip(path, other, strict=False))


def _dotted(path: Keys) -> str:
    return ".".join(map(str, path))
