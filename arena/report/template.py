"""Templates of a report: files of this room, and pages that are one file each."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from arena.base.number import shown, unbroken
from arena.report.scripts import script

STYLES, SCRIPTS = ("page/page.css",), ("report/page/tables.js", "report/page/charts.js")
"""The shared parts of every page: styles of this room, and modules by their paths in the package `arena`."""

_IN_NAME = re.compile(r"(?<=\w)([.:/_])(?=[A-Za-z])")


def wrapping(text: object) -> Markup:
    """Text of a page: a line may end behind ":", ".", "/" and "_" in a name, and not between number and unit."""
    return Markup(_IN_NAME.sub(r"\1<wbr>", str(escape(unbroken(str(text))))))


def sorting(text: object) -> Markup:
    """The attribute of a cell that its table is sorted by, from its text; empty if that begins with no number."""
    value = shown(str(text))
    return Markup("" if value is None else f' data-sort="{value:.12g}"')


@functools.cache
def environment(**filters: Callable[..., str]) -> Environment:
    """Load templates by their paths in this room, with further filters; HTML templates escape."""
    made = Environment(
        loader=PackageLoader("arena.report", ""),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"wrapping": wrapping, "sorting": sorting} | filters
    return made


def part(name: str) -> str:
    """A file of this room as it is, such as a style or a script, by its path."""
    return files("arena.report").joinpath(name).read_text(encoding="utf-8")


def page(name: str, style: str = "", scripts: tuple[str, ...] = (), **values: Any) -> str:
    """A page, from a template that extends `page/frame.html`, with STYLES, SCRIPTS and these inside."""
    inside = {"style": Markup("".join(map(part, STYLES)) + style), "script": Markup(script(*SCRIPTS, *scripts))}
    return environment().get_template(name).render(inside | values) + "\n"
