"""The one page of `arena serve`, made of its parts: a template, styles and scripts."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

STYLES = (
    "report/viewer/viewer.css",
    "web/page/frame.css",
)
"""Below the package `arena`, in the order in which the browser reads them."""
SCRIPTS = (
    "report/viewer/board.js",
    "report/viewer/games.js",
    "report/viewer/graph.js",
    "report/viewer/list.js",
    "web/page/frame.js",
)
"""As STYLES."""


def page(nonce: str) -> str:
    """The page as one document that asks for nothing else when it is opened.

    Its one style and its one script have `nonce`, a random text of letters and digits, new for every answer.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_text("web/page/index.html")).render(
        nonce=nonce,
        style=Markup("".join(map(_text, STYLES))),
        script=Markup("".join(map(_text, SCRIPTS))),
    )


def _text(name: str) -> str:
    return files("arena").joinpath(name).read_text(encoding="utf-8")
