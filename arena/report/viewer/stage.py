"""The part of a page in which a game is gone through: what `arena.Stage` of its JavaScript takes over."""

from __future__ import annotations

from markupsafe import Markup

from arena.report.template import environment


def stage(board: str) -> Markup:
    """The stage with a board, an svg element of `arena.rules.board.svg`, or empty where JavaScript puts one in."""
    text = environment().get_template("viewer/stage.html").render(board=Markup(board))
    return Markup(text.rstrip("\n"))
