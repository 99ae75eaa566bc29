"""Small pieces of HTML: a player's name as a link, an Elo, an interval and results drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from urllib.parse import quote

from markupsafe import Markup

from arena.base.number import known, signed
from arena.ratings.interval import Interval
from arena.report.template import wrapping


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
