"""Templates of a report: files of this room, scripts made of modules, and pages that are one file each."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from arena.base.number import unbroken

_IMPORT = re.compile(r'^import (?:\{([\w,\s]+)\} from )?"(\.[^"]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_DOCUMENTED = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
"""A comment for who reads a module and for what checks its types."""
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class ScriptError(ValueError):
    """A module that cannot be put into one script."""


@functools.cache
def modules(*entries: str) -> Mapping[str, str]:
    """The text of some modules and of all that they import, each after those that it imports itself.

    Keys are paths below the package `arena`, such as `report/viewer/board.js`. Raises ScriptError for a circle.
    """
    found: dict[str, str] = {}
    for entry in entries:
        _collect(entry, found, ())
    return found


@functools.cache
def script(*entries: str) -> str:
    """Some modules and all that they import as one script that needs no file beside it.

    Each module is a function that is called once; what it exports is a value in one table. So an import is
    `import { a, b } from "./x.js";` or `import "./x.js";`, and an export stands before a function, a class or
    a constant. Comments that begin with `/**` are left out. Raises ScriptError for any other, and for a circle.
    """
    bodies = [f"modules[{_quoted(name)}] = {_body(name, text)};\n" for name, text in modules(*entries).items()]
    return '"use strict";\n(() => {\nconst modules = {};\n' + "".join(bodies) + "})();\n"


def _collect(name: str, found: dict[str, str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise ScriptError(f"{' imports '.join((*importers, name))}: a circle")
    if name in found:
        return
    text = files("arena").joinpath(name).read_text(encoding="utf-8")
    for match in _IMPORT.finditer(text):
        _collect(_target(name, match[2]), found, (*importers, name))
    found[name] = text


def _target(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _body(name: str, text: str) -> str:
    """A module as an expression: a function that is called, whose value has what the module exports."""
    exported = [match[1] for match in _EXPORT.finditer(text)]
    text = _DOCUMENTED.sub("", text)
    text = _IMPORT.sub(lambda match: _constants(match[1], _target(name, match[2])), text)
    text = _EXPORT.sub("", text)
    if other := _OTHER.search(text):
        raise ScriptError(f"{name}: {other[0]!r} cannot be put into one script")
    return f"(() => {{\n{text}return {{ {', '.join(exported)} }};\n}})()"


def _constants(names: str | None, target: str) -> str:
    """The statement that replaces an import."""
    return f"const {{{names}}} = modules[{_quoted(target)}];" if names else ""


def _quoted(name: str) -> str:
    return f'"{name}"'


STYLES, SCRIPTS = ("page/page.css",), ("report/page/tables.js",)
"""The shared parts of every page: styles of this room, and modules by their paths in the package `arena`."""

_IN_NAME = re.compile(r"(?<=\w)([.:/_])(?=[A-Za-z])")


def wrapping(text: object) -> Markup:
    """Text of a page: a line may end behind ":", ".", "/" and "_" in a name, and not between number and unit."""
    return Markup(_IN_NAME.sub(r"\1<wbr>", str(escape(unbroken(str(text))))))


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included, with numbers and units in one line."""
    return re.sub(r"([\\`*_\[\]|~]|<(?=[\w/!?])|&(?=[\w#]))", r"\\\1", unbroken(str(text)))


@functools.cache
def environment() -> Environment:
    """Load templates by their paths in this room; HTML templates escape."""
    made = Environment(
        loader=PackageLoader("arena.report", ""),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["wrapping"] = wrapping
    return made


def part(name: str) -> str:
    """A file of this room as it is, such as a style or a script, by its path."""
    return files("arena.report").joinpath(name).read_text(encoding="utf-8")


def page(name: str, style: str = "", scripts: tuple[str, ...] = (), **values: Any) -> str:
    """A page, from a template that has the values of `page/frame.html`, with STYLES, SCRIPTS and these inside."""
    inside = {"style": Markup("".join(map(part, STYLES)) + style), "script": Markup(script(*SCRIPTS, *scripts))}
    return environment().get_template(name).render(inside | values) + "\n"
