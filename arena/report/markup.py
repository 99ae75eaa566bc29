"""Templates, scripts, text and small pieces of HTML of a report's pages."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from graphlib import TopologicalSorter
from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.base.number import known, signed, unbroken
from arena.ratings.interval import Interval

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


def anchor(player: str) -> str:
    """The id of a player's page, and behind `#` its address: one for each name, whatever its characters."""
    return f"player={quote(player, safe=':@')}"


def player_html(name: str, linked: Collection[str] = (), file: str = "") -> Markup:
    """A player's name, a link to its page if it is `linked`; its report is another `file`, or this one."""
    if name not in linked:
        return wrapping(name)
    return Markup('<a href="{}#{}">{}</a>').format(quote(file), anchor(name), wrapping(name))


def game_link(id: str, ply: int | None = None, text: str = "") -> Markup:
    """A link to a game of the page, by its id, after so many plies."""
    place = "" if ply is None else Markup("&amp;ply={}").format(ply)
    return Markup('<a href="#game={}{}">{}</a>').format(id, place, text or id)


def elo_html(elo: Interval) -> Markup:
    """A value with its error: the value bold, the error small."""
    error = Markup(" <small>±\N{NO-BREAK SPACE}{:.0f}</small>").format(elo.error) if elo.error > 0 else ""
    return Markup("<b>{}</b>").format(signed(elo.value)) + error


def scale(intervals: Iterable[Interval | None]) -> tuple[float, float]:
    """The ends of an axis for intervals: 0 and all of their ends are on it."""
    ends = [0.0, *(end for interval in intervals if interval for end in interval if known(end))]
    low, high = min(ends), max(ends)
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def whisker(interval: Interval | None, ends: tuple[float, float]) -> Markup:
    """An interval drawn on an axis: a mark at 0, a bar, and a dot at the value."""
    if interval is None or not known(interval.value):
        return Markup('<span class="whisker"></span>')
    low, high = ends

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 1)

    bar = ""
    if known(interval.low) and interval.low < interval.high:
        left, right = at(interval.low), at(interval.high)
        bar = Markup('<i class="range" style="left:{}%;width:{}%"></i>').format(left, round(right - left, 1))
    return Markup(
        '<span class="whisker"><i class="zero" style="left:{}%"></i>{}<i class="dot" style="left:{}%"></i></span>'
    ).format(at(0), bar, at(interval.value))


def results_bar(won: int, drawn: int, lost: int) -> Markup:
    """Results drawn as a bar of three parts, each with its number where that fits."""
    games = max(won + drawn + lost, 1)
    parts = [
        Markup('<i class="{}" style="flex:{}">{}</i>').format(kind, number, number if number > games / 7 else "")
        for kind, number in (("won", won), ("drawn", drawn), ("lost", lost))
        if number
    ]
    return Markup('<span class="results" title="{} won, {} drawn, {} lost">{}</span>').format(
        won, drawn, lost, Markup("").join(parts)
    )
