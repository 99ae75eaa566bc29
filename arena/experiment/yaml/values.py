"""A configuration as plain data with the place of every value, read from YAML more strictly than YAML 1.1.

A plain word that YAML 1.1 takes for something else than it looks (`no`, `012`, `1:30`, `1e3`, a date) is an error
wherever it stands. So are keys given twice, keys that are not text, merge keys, numbers not finite or not below
2**63, and text with a NUL, which no file's name may have. Anchors and aliases work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import yaml
from yaml.constructor import SafeConstructor

from arena.base import ArenaError
from arena.base.wording import cut, phrase, quoted

MAX_NESTING, MAX_VALUES = 32, 100_000
"""Levels and values in a file, aliases written out, so that an alias inside itself comes to an end."""
_MAX_CHARACTERS = 16 * 2**20
"""Characters in a file."""
_MAX_QUOTED = 300
"""Characters of a message of the YAML parser, which may quote the input."""
_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "bool": ("(?i)true|false", "true or false"),
    "int": ("[-+]?(0|[1-9][0-9_]*|0[xb].+)", "a number without a leading 0 (octal) or a colon (base 60)"),
    "float": ("[^:]+", "a number without a colon (base 60)"),
    "str": ("(?!([-+]?([0-9.][0-9._]*[eE][-+]?|0)|0o)[0-9]+$).*", "a number in full or like 1.0e+3"),
}
"""For each type in YAML, the plain words that look like it, and what to write in place of others."""
MAPPING = "a mapping of keys to values"
Position = tuple[int, int]
"""Line and column, from 1; (0, 0) outside a file."""
_START: Position = (1, 1)
Keys = tuple[str | int, ...]
"""The way to a value: `("players", 2, "depth")`, entries of a list counted from 0."""
Problem = tuple[Keys, str]
"""The keys of what is wrong, and why."""


class Refusal(ValueError):
    """Says what is wrong in a part of a configuration: `problems`, whose keys lead from there to each fault."""

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.problems: list[Problem] = [(keys, message)]

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> Self:
        """Several problems at once."""
        refusal = cls("")
        refusal.problems = list(problems)
        return refusal


class Mistake(NamedTuple):
    """Something wrong in a configuration."""

    file: str
    line: int
    """From 1; 0 for a value outside a file."""
    column: int
    message: str
    keys: Keys = ()
    """The way to what is wrong, as far as it is known, in the configuration with its sweeps written out."""

    def in_line(self, place: str = "") -> str:
        """The problem in one line, with another name of its place, if one is given."""
        place = place or (f"{self.file}:{self.line}:{self.column}" if self.line else self.file)
        return f"{place}: {self.message}".replace("\n", "\\n")


class ConfigError(ArenaError):
    """All that is wrong with a configuration: `problems` by position, as text one line of each.

    A message that repeats in one line, as for each value of a sweep with an unknown key, is kept once.
    """

    def __init__(self, problems: Iterable[Mistake]) -> None:
        first: dict[tuple[str, int, str], Mistake] = {}
        for problem in sorted(problems, key=lambda problem: problem[:4]):
            first.setdefault((problem.file, problem.line, problem.message), problem)
        self.problems = list(first.values())
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(problem.in_line() for problem in self.problems)


class Source(NamedTuple):
    """The data of a configuration, and where in its file each value stands, also once they were written out."""

    path: Path
    data: Mapping[str, Any] = {}
    places: Mapping[Keys, Position] = {}
    """Where values of the file stand: those of a mapping at their key."""
    moves: tuple[Mapping[Keys, Keys], ...] = ()
    """For each change of the data, the keys of what was moved: after it, and before it."""
    mistakes: tuple[Mistake, ...] = ()
    """What is known to be wrong."""
    refused: frozenset[Keys] = frozenset()
    """The keys, in the file, of values that are wrong whatever they are for; None is in their place."""
    about: str = ""
    """What every message begins with, where the data are a part of what the file describes."""

    def moved(self, data: Mapping[str, Any], moves: Mapping[Keys, Keys]) -> Source:
        """The source with data that were made of its own: `moves` leads back to what they were made of."""
        return self._replace(data=data, moves=(*self.moves, moves))

    def with_mistakes(self, problems: Iterable[Problem]) -> Source:
        """The source with problems of what stands at some keys; a value that is refused has one already."""
        found = []
        for keys, message in problems:
            origin = self._origin(keys)
            if not any(origin[:end] in self.refused for end in range(len(origin) + 1)):
                found.append(self.mistake(keys, message))
        return self._replace(mistakes=(*self.mistakes, *found))

    def mistake(self, keys: Keys, message: str) -> Mistake:
        """The problem of what stands at these keys of the data, at the nearest enclosing key of the file."""
        origin = self._origin(keys)
        known = next((origin[:end] for end in range(len(origin), 0, -1) if origin[:end] in self.places), ())
        line, column = self.places.get(known, _START)
        inside = "" if line else "".join(f"[{key!r}]" for key in origin)
        return Mistake(f"{self.path}{inside}", line, column, self.about + message, keys)

    def _origin(self, keys: Keys) -> Keys:
        """The keys, in the file, of what stands at these keys of the data, or of what that was made of."""
        for moves in reversed(self.moves):
            end = next((end for end in range(len(keys), 0, -1) if keys[:end] in moves), 0)
            keys = (*moves.get(keys[:end], ()), *keys[end:])
        return keys


def source_of(data: Mapping[str, Any], name: str) -> Source:
    """A mapping of Python as the source of a configuration; its places are written like `config['players'][0]`."""
    return Source(Path(name), _plain(data), {(): (0, 0)})


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, PathLike) else value


def read(path: Path) -> Source:
    """The source that is a file. Raises ConfigError if it cannot be read, or is not YAML."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_MAX_CHARACTERS + 1)
        if len(text) > _MAX_CHARACTERS:
            raise ValueError(f"it has more than {_MAX_CHARACTERS} characters")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError([Mistake(str(path), 0, 0, f"cannot read the file: {reason}")]) from None
    return _parsed(text, path)


def inline(text: str, name: str) -> Any:
    """The data of a YAML mapping on the command line such as `{type: negamax}`; any other text unchanged.

    Raises ConfigError, naming `name`.
    """
    if not text.lstrip().startswith("{"):
        return text
    source = _parsed(text, Path(name))
    if source.mistakes:
        raise ConfigError(source.mistakes)
    return source.data


def _parsed(text: str, path: Path) -> Source:
    """The source that a text is. Raises ConfigError if it is not YAML."""
    loader, position = None, _START
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        before, bad = text[: error.position], error.character
        position = before.count("\n") + 1, len(before) - before.rfind("\n")
        utf8 = not 0xDC80 <= bad <= 0xDCFF
        message = f"YAML does not allow U+{bad:04X}" if utf8 else f"byte 0x{bad - 0xDC00:x} is not UTF-8"
    except yaml.MarkedYAMLError as error:
        position = _position(error.problem_mark)
        begun = f"{error.context} (line {error.context_mark.line + 1}): " if error.context_mark else ""
        message = f"YAML syntax: {begun}{cut(str(error.problem), _MAX_QUOTED)}"
    except (ValueError, OverflowError, RecursionError) as error:
        position = _position(loader.get_mark() if loader else None)
        message = f"cannot read the file: {cut(str(error), _MAX_QUOTED)}"
    else:
        reader = _Reader(str(path))
        data = reader.value(node, (), _START) if node is not None else None
        if isinstance(data, dict):
            return Source(path, data, reader.places, (), tuple(reader.mistakes), frozenset(reader.refused))
        message = "the file is empty" if node is None else f"the file must be {MAPPING}, not {phrase(data)}"
    raise ConfigError([Mistake(str(path), *position, message)])


class _Reader:
    """Makes plain data of what the YAML parser found in a file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.places: dict[Keys, Position] = {}
        self.mistakes: list[Mistake] = []
        self.refused: set[Keys] = set()

    def value(self, node: yaml.Node, keys: Keys, position: Position) -> Any:
        """The value that stands at these keys, and there in the file."""
        self.places[keys] = position
        if len(keys) > MAX_NESTING or len(self.places) > MAX_VALUES:
            message = "too many levels or values: is an alias inside itself?"
            raise ConfigError([Mistake(self._file, *position, message)])
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self._mapping(node, keys)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            entries = enumerate(node.value)
            return [self.value(entry, (*keys, n), _position(entry.start_mark)) for n, entry in entries]
        try:
            return _scalar(node)
        except ValueError as error:
            self.mistakes.append(Mistake(self._file, *position, str(error)))
            self.refused.add(keys)
            return None

    def _mapping(self, node: yaml.MappingNode, keys: Keys) -> dict[str, Any]:
        """A mapping without the keys that are refused."""
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            position = _position(key_node.start_mark)
            try:
                key = _scalar(key_node)
                if not isinstance(key, str):
                    raise ValueError(f"a key must be text, not {phrase(key)}: put it in quotes")
                if key in result:
                    line = self.places[*keys, key][0]
                    raise ValueError(f"the key {quoted(key)} is given twice, first in line {line}")
            except ValueError as error:
                self.mistakes.append(Mistake(self._file, *position, str(error)))
            else:
                result[key] = self.value(value_node, (*keys, key), position)
        return result


def _scalar(node: yaml.Node) -> Any:
    """The value of a scalar; raises ValueError for one that a configuration may not hold."""
    kind, text = node.tag.removeprefix(_TAG), node.value
    if not isinstance(node, yaml.ScalarNode) or kind not in (*_PLAIN, "null"):
        what = quoted(text) if isinstance(node, yaml.ScalarNode) else "this"
        raise ValueError(f"YAML 1.1 reads {what} as a {cut(kind)}, which has no place here: put text in quotes")
    try:
        value = SafeConstructor().construct_object(node)
    except (LookupError, ValueError):
        raise ValueError(f"{phrase(text)} is not a valid {kind}") from None
    words, instead = _PLAIN.get(kind, (".*", ""))
    if node.style is None and not re.fullmatch(words, text, re.DOTALL):
        raise ValueError(
            f"YAML 1.1 reads {cut(text)} as {phrase(value)}: write {instead}, or '{cut(text)}' in quotes for text"
        )
    if isinstance(value, int | float) and not abs(value) < 2**63:
        raise ValueError(f"a number must be finite and below 2**63, not {text:.60}")
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ValueError(f"text must not have a NUL, as {phrase(value)} has")
    return value


def _position(mark: yaml.Mark | None) -> Position:
    return (mark.line + 1, mark.column + 1) if mark else _START


def yaml_text(document: Mapping[str, Any]) -> str:
    """A mapping of plain data as YAML, in its order."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
