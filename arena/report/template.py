"""Templates, scripts and text of a report's pages, each of which is one file."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.base.number import unbroken

_IMPORT = re.compile(r'^import (?:\{[\w,\s]+\} from )?"(\.[^"]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_DOCUMENTED = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
"""A comment for who reads a module and for what checks its types."""
_IN_NAME = re.compile(r"(?<=\w)([.:/_])(?=[A-Za-z])")
_LONG_WORD = re.compile(r"\w{18,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@functools.cache
def modules(*entries: str) -> Mapping[str, str]:
    """The text of some JavaScript modules and of all that they import, each after those that it imports itself.

    Keys are paths below the package `arena`, such as `report/viewer/board.js`. Raises CycleError for a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = files("arena").joinpath(name).read_text(encoding="utf-8")
            beside = posixpath.join(posixpath.dirname(name), "")
            imports[name] = [posixpath.normpath(beside + path) for path in _IMPORT.findall(texts[name])]
            waiting += imports[name]
    return {name: texts[name] for name in TopologicalSorter(imports).static_order()}


@functools.cache
def script(*entries: str) -> str:
    """Some modules and all that they import as one script that needs no file beside it.

    The modules share one scope: no two name the same thing, and an import renames nothing.
    """
    text = "\n".join(modules(*entries).values())
    for pattern in (_DOCUMENTED, _IMPORT, _EXPORT):
        text = pattern.sub("", text)
    return f'(() => {{\n"use strict";\n{text}}})();\n'


def wrapping(text: object) -> Markup:
    """Text of a page: a line may end behind ":", ".", "/" and "_" in a name, and not between number and unit.

    It may also end before a capital inside a long word, as in the name of a class.
    """
    parted = _LONG_WORD.sub(lambda word: _HUMP.sub("<wbr>", word[0]), str(escape(unbroken(str(text)))))
    return Markup(_IN_NAME.sub(r"\1<wbr>", parted))


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included, with numbers and units in one line."""
    return re.sub(r"([\\`*_\[\]|~]|<(?=[\w/!?])|&(?=[\w#]))", r"\\\1", unbroken(str(text)))


@functools.cache
def environment(kind: str = "html") -> Environment:
    """Load templates by their paths below the package `arena`; those of kind "html" escape what they are given."""
    made = Environment(
        loader=PackageLoader("arena", ""),
        autoescape=kind == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"wrapping": wrapping, "escaped": escaped}
    return made
