"""The part of a page in which a game is gone through: what `arena.Stage` of its JavaScript takes over."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup


def stage(board: str) -> Markup:
    """The stage with a board, an svg element of `arena.rules.board.svg`, or empty where JavaScript puts one in."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = files("arena.report.viewer").joinpath("stage.html").read_text(encoding="utf-8")
    return Markup(environment.from_string(text).render(board=Markup(board)).rstrip("\n"))
