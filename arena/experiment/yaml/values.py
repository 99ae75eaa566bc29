"""Values of a YAML file with their places, read more strictly than YAML 1.1.

A plain word that YAML 1.1 takes for something else than it looks (`no`, `012`, `1:30`, `1e3`, a date) is an error
wherever it stands. So are keys given twice, keys that are not text, merge keys, numbers not finite or not below
2**63, and text with a NUL, which no file's name may have. Anchors and aliases work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from arena.base.wording import cut, quoted, shown
from arena.experiment.yaml.errors import ConfigError, Keys, Problem

MAX_NESTING, MAX_VALUES = 32, 100_000
"""Levels and values in a file, aliases written out, so that an alias inside itself comes to an end."""
MAX_CHARACTERS = 16 * 2**20
"""Characters in a file."""
MAX_QUOTED = 300
"""Characters of a message of the YAML parser, which may quote the input."""
_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "bool": ("(?i)true|false", "true or false"),
    "int": ("[-+]?(0|[1-9][0-9_]*|0[xb].+)", "a number without a leading 0 (octal) or a colon (base 60)"),
    "float": ("[^:]+", "a number without a colon (base 60)"),
    "str": ("(?!([-+]?([0-9.][0-9._]*[eE][-+]?|0)|0o)[0-9]+$).*", "a number in full or like 1.0e+3"),
}
"""For each type in YAML, the plain words that look like it, and what to write in place of others."""


def inline(text: str, name: str) -> Any:
    """The data of a mapping of YAML on the command line, as `{type: negamax}`; any other text as it is.

    Raises ConfigError, naming `name`.
    """
    if not text.lstrip().startswith("{"):
        return text
    source = Source(Path(name))
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or "this is not text"
        raise ConfigError([(name, 1, 1, f"YAML syntax: {reason}")]) from None
    assert node is not None
    data = source.value(node, ())
    if source.problems:
        raise ConfigError(source.problems[:1])
    return data


def _unmoved(keys: Keys) -> Keys:
    return keys


@dataclass
class Source:
    """A YAML file: where its keys stand, and which values are refused before asking what they are for."""

    path: Path
    positions: dict[Keys, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[Keys] = field(default_factory=set)
    values: int = 0
    is_file: bool = True
    """Whether values stand in lines; those of a mapping stand at their keys."""
    origin: Callable[[Keys], Keys] = field(default=_unmoved, compare=False)
    """The keys in the file of what stands at other keys once the data were rewritten."""
    about: str = ""
    """What every message begins with, where the data are a part of what the file describes."""

    def problem(self, keys: Keys, message: str) -> Problem:
        """The problem of what stands at `keys`, at the nearest enclosing key that the file has."""
        keys, message = self.origin(keys), self.about + message
        if not self.is_file:
            return "".join([str(self.path), *(f"[{key!r}]" for key in keys)]), 0, 0, message
        while keys and keys not in self.positions:
            keys = keys[:-1]
        return str(self.path), *self.positions.get(keys, (1, 1)), message

    def refuses(self, keys: Keys) -> bool:
        """Whether the value at `keys` has a problem already."""
        return self.origin(keys) in self.refused

    def read(self) -> Any:
        """The file's data, None in the place of what is refused; raises ConfigError if it is not YAML."""
        text, loader, position = "", None, (1, 1)
        try:
            with self.path.open(encoding="utf-8", errors="surrogateescape") as file:
                text = file.read(MAX_CHARACTERS + 1)
            if len(text) > MAX_CHARACTERS:
                raise ValueError(f"it has more than {MAX_CHARACTERS} characters")
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node()
        except OSError as error:
            message = f"cannot read the file: {error.strerror}"
        except yaml.reader.ReaderError as error:
            before, bad = text[: error.position], error.character
            position = before.count("\n") + 1, len(before) - before.rfind("\n")
            utf8 = not 0xDC80 <= bad <= 0xDCFF
            message = f"YAML does not allow U+{bad:04X}" if utf8 else f"byte 0x{bad - 0xDC00:x} is not UTF-8"
        except yaml.MarkedYAMLError as error:
            position = _position(error.problem_mark)
            begun = f"{error.context} (line {error.context_mark.line + 1}): " if error.context_mark else ""
            message = f"YAML syntax: {begun}{cut(str(error.problem), MAX_QUOTED)}"
        except (ValueError, OverflowError, RecursionError) as error:
            position = _position(loader.get_mark() if loader else None)
            message = f"cannot read the file: {cut(str(error), MAX_QUOTED)}"
        else:
            if node is not None:
                return self.value(node, ())
            message = "the file is empty"
        raise ConfigError([(str(self.path), *position, message)])

    def value(self, node: yaml.Node, keys: Keys) -> Any:
        """Plain data of the node at `keys`."""
        self.values += 1
        if len(keys) > MAX_NESTING or self.values > MAX_VALUES:
            raise ConfigError([self.problem(keys, "too many levels or values: is an alias inside itself?")])
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self.mapping(node, keys)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            self.positions |= {(*keys, i): _position(item.start_mark) for i, item in enumerate(node.value)}
            return [self.value(item, (*keys, i)) for i, item in enumerate(node.value)]
        try:
            return _scalar(node)
        except ValueError as error:
            self.refused.add(keys)
            self.problems.append(self.problem(keys, str(error)))
            return None

    def mapping(self, node: yaml.MappingNode, keys: Keys) -> dict[str, Any]:
        """Plain data of a mapping, without the keys that are refused."""
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            position = _position(key_node.start_mark)
            try:
                key = _scalar(key_node)
                if not isinstance(key, str):
                    raise ValueError(f"a key must be text, not {shown(key)}: put it in quotes")
                if key in result:
                    line = self.positions[*keys, key][0]
                    raise ValueError(f"the key {quoted(key)} is given twice, first in line {line}")
            except ValueError as error:
                self.problems.append((str(self.path), *position, str(error)))
                continue
            self.positions[*keys, key] = position
            result[key] = self.value(value_node, (*keys, key))
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
