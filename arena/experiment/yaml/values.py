"""Values of a YAML file with their places, read more strictly than YAML 1.1.

A plain word that YAML 1.1 takes for something else than it looks (`no`, `012`, `1:30`, `1e3`, a date) is an error
wherever it stands. So are keys given twice, keys that are not text, merge keys, numbers not finite or not below
2**63, and text with a NUL, which no file's name may have. Anchors and aliases work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.constructor import SafeConstructor

from arena.base.wording import cut, quoted, shown
from arena.experiment.yaml.errors import ConfigError, Keys, Mistake

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
_Place = tuple[str, int, int]
"""File, line and column, as in a Mistake."""


class YamlValue(NamedTuple):
    """A value with its place in the file: a mapping's stands at its key, an entry of a list at itself.

    Values of a mapping and entries of a list are nodes, too, which keep their places wherever they are moved.
    """

    value: Any
    place: _Place
    is_refused: bool = False
    """Whether there is a problem already; its value is None."""

    @property
    def plain(self) -> Any:
        """The value as plain data."""
        if isinstance(self.value, dict):
            return {key: node.plain for key, node in self.value.items()}
        return [node.plain for node in self.value] if isinstance(self.value, list) else self.value

    def get(self, key: str) -> YamlValue | None:
        """What a mapping has at a key; None if it is no mapping, or lacks the key."""
        node: YamlValue | None = self.value.get(key) if isinstance(self.value, dict) else None
        return node

    def put(self, path: Keys, value: YamlValue) -> YamlValue:
        """The mapping with a value where these keys lead, through mappings that are made where there are none."""
        if not path:
            return value
        inner = self.get(str(path[0])) or YamlValue({}, value.place)
        return self._replace(value={**self.value, path[0]: inner.put(path[1:], value)})

    def nearest(self, keys: Keys) -> tuple[YamlValue, Keys]:
        """The node at these keys, or that of the first of them that are there, and the keys that are not."""
        node = self
        for number, key in enumerate(keys):
            inside = dict(enumerate(node.value)) if isinstance(node.value, list) else node.value
            if not isinstance(inside, dict) or key not in inside:
                return node, keys[number:]
            node = inside[key]
        return node, ()

    def error(self, message: str) -> ConfigError:
        """The error of a problem here, of none if there is one already."""
        return ConfigError([] if self.is_refused else [(*self.place, message)])


_NOTHING = YamlValue(None, ("", 0, 0))


@dataclass
class Source:
    """A file, or a mapping, of a configuration: its values with their places, and what is wrong with these."""

    path: Path
    root: YamlValue = _NOTHING
    problems: list[Mistake] = field(default_factory=list)
    """Of values that are refused before asking what they are for."""
    about: str = ""
    """What every message begins with, where the data are a part of what the file describes."""

    def problem(self, keys: Keys, message: str) -> Mistake:
        """The problem of what stands at `keys`, at the nearest enclosing key that there is."""
        node, rest = self.root.nearest(keys)
        file, line, column = node.place
        if not file:
            file, line, column = str(self.path), 1, 1
        missing = "" if line else "".join(f"[{key!r}]" for key in rest)
        return Mistake(file + missing, line, column, self.about + message, keys)

    def with_players(self, kept: Sequence[int]) -> Source:
        """The source of an experiment with some of its players only."""
        players = self.root.get("players")
        if players is None or not isinstance(players.value, list):
            return self
        left = players._replace(value=[players.value[number] for number in kept])
        return replace(self, root=self.root.put(("players",), left))

    def refuses(self, keys: Keys) -> bool:
        """Whether the value at `keys` has a problem already."""
        return self.root.nearest(keys)[0].is_refused

    def read(self) -> Any:
        """The file's data, None in the place of what is refused; raises ConfigError if it is not YAML."""
        text, loader, position = "", None, (1, 1)
        try:
            with self.path.open(encoding="utf-8", errors="surrogateescape") as file:
                text = file.read(_MAX_CHARACTERS + 1)
            if len(text) > _MAX_CHARACTERS:
                raise ValueError(f"it has more than {_MAX_CHARACTERS} characters")
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node()
        except OSError as error:
            position, message = (0, 0), f"cannot read the file: {error.strerror}"
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
            if node is not None:
                self.root = _Reader(str(self.path), self.problems).node(node, (1, 1))
                return self.root.plain
            message = "the file is empty"
        raise ConfigError([(str(self.path), *position, message)])


def inline(text: str, name: str) -> Any:
    """The data of a YAML mapping on the command line such as `{type: negamax}`; any other text unchanged.

    Raises ConfigError, naming `name`.
    """
    if not text.lstrip().startswith("{"):
        return text
    problems: list[Mistake] = []
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or "this is not text"
        raise ConfigError([(name, 1, 1, f"YAML syntax: {reason}")]) from None
    assert node is not None
    data = _Reader(name, problems).node(node, (1, 1)).plain
    if problems:
        raise ConfigError(problems[:1])
    return data


def node_of(value: Any, place: str) -> YamlValue:
    """A mapping of Python as YAML would give it; its places are written like `config['players'][0]`."""
    if isinstance(value, Mapping):
        value = {key: node_of(inner, f"{place}[{key!r}]") for key, inner in value.items()}
    elif isinstance(value, list | tuple):
        value = [node_of(inner, f"{place}[{number}]") for number, inner in enumerate(value)]
    return YamlValue(str(value) if isinstance(value, PathLike) else value, (place, 0, 0))


class _Reader:
    """Makes nodes of what the YAML parser found in a file."""

    def __init__(self, file: str, problems: list[Mistake]) -> None:
        self._file, self._problems = file, problems
        self._values = 0

    def node(self, parsed: yaml.Node, position: tuple[int, int], depth: int = 0) -> YamlValue:
        """The value that stands at a position, `depth` levels inside others."""
        place = (self._file, *position)
        self._values += 1
        if depth > MAX_NESTING or self._values > MAX_VALUES:
            raise ConfigError([(*place, "too many levels or values: is an alias inside itself?")])
        if isinstance(parsed, yaml.MappingNode) and parsed.tag == _TAG + "map":
            return YamlValue(self._mapping(parsed, depth + 1), place)
        if isinstance(parsed, yaml.SequenceNode) and parsed.tag == _TAG + "seq":
            entries = [self.node(entry, _position(entry.start_mark), depth + 1) for entry in parsed.value]
            return YamlValue(entries, place)
        try:
            return YamlValue(_scalar(parsed), place)
        except ValueError as error:
            self._problems.append(Mistake(*place, str(error)))
            return YamlValue(None, place, is_refused=True)

    def _mapping(self, parsed: yaml.MappingNode, depth: int) -> dict[str, YamlValue]:
        """The values of a mapping, without the keys that are refused."""
        result: dict[str, YamlValue] = {}
        for key_node, value_node in parsed.value:
            position = _position(key_node.start_mark)
            try:
                key = _scalar(key_node)
                if not isinstance(key, str):
                    raise ValueError(f"a key must be text, not {shown(key)}: put it in quotes")
                if key in result:
                    line = result[key].place[1]
                    raise ValueError(f"the key {quoted(key)} is given twice, first in line {line}")
            except ValueError as error:
                self._problems.append(Mistake(self._file, *position, str(error)))
                continue
            result[key] = self.node(value_node, position, depth)
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
        raise ValueError(f"{shown(text)} is not a valid {kind}") from None
    words, instead = _PLAIN.get(kind, (".*", ""))
    if node.style is None and not re.fullmatch(words, text, re.DOTALL):
        raise ValueError(
            f"YAML 1.1 reads {cut(text)} as {shown(value)}: write {instead}, or '{cut(text)}' in quotes for text"
        )
    if isinstance(value, int | float) and not abs(value) < 2**63:
        raise ValueError(f"a number must be finite and below 2**63, not {text:.60}")
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ValueError(f"text must not have a NUL, as {shown(value)} has")
    return value


def _position(mark: yaml.Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


_WIDTH = 100
"""Characters of a line, about."""


def yaml_text(document: dict[str, Any] | list[Any]) -> str:
    """A mapping or a list of plain data as YAML, in its order, text of several lines as it stands."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as it is."""


def _literal(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _literal)
