"""The part of the page that shows games: what its template needs, filled in."""

from __future__ import annotations

import json
from collections.abc import Iterable

from markupsafe import Markup

from arena.report.run import Run
from arena.report.tables.survey import DECIDED
from arena.report.template import environment, part
from arena.report.viewer.games import AT_ONCE, CHARACTERS, Games, games_of
from arena.rules.board.svg import LAST, SYMBOLS, UNIT, board_svg
from arena.rules.custom import build_variant

SCRIPT = "report/viewer/viewer.js"
"""The module that shows them: see `arena.report.scripts`."""
PAGE = 2_500_000
"""Characters of a page, at most, that its charts and its games share: with the tables it stays under 3 MB."""


def room(charts: Iterable[str]) -> int:
    """Characters that a page with these charts has for games."""
    return max(0, min(CHARACTERS, PAGE - sum(map(len, charts))))


def viewer(run: Run, most: int | None = None, characters: int = CHARACTERS) -> Markup:
    """The games of a run as a part of its page, empty if it holds none: `arena.report.viewer.games.games_of`."""
    games = games_of(run, most, characters)
    if not games.inside:
        return Markup("")
    variant = build_variant(run.experiment.variant)
    data = {
        "listed": games.listed,
        "blocks": games.blocks,
        "atOnce": AT_ONCE,
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
    }
    text = (
        environment()
        .get_template("viewer/viewer.html")
        .render(
            inside=inside(games),
            board=Markup(board_svg(variant, variant.start)),
            data=Markup(json.dumps(data).replace("<", r"\u003c")),
        )
    )
    return Markup(text)


def style() -> str:
    """The style of that part."""
    return part("viewer/viewer.css")


def inside(games: Games) -> str:
    """Which games the page holds, in words."""
    swing = (
        "A swing is the difference between two scores that one player gave one after the other, in men; "
        f"scores beyond ±{DECIDED:g} men, and certain wins and losses, count as {DECIDED:g}."
    )
    if games.inside == games.of:
        return f"{'All' if games.of > 1 else 'The'} {_counted(games.of)} of the run, greatest swing first. {swing}"
    chosen = f"The {_counted(games.inside)} of the greatest swings, out of {_counted(games.of)}"
    return f"{chosen}; arena report --games all puts all inside. {swing}"


def _counted(games: int) -> str:
    return f"{games:,} {'game' if games == 1 else 'games'}".replace(",", "\u202f")
