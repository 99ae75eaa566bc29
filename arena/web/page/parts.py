"""The one page of `arena serve`, made of its parts: templates, styles and scripts."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.report.viewer.stage import stage

STYLES = (
    "report/viewer/viewer.css",
    "web/page/frame.css",
    "web/page/game.css",
    "web/page/watch.css",
)
"""Below the package `arena`, in the order in which the browser reads them."""
SCRIPTS = (
    "report/viewer/board.js",
    "report/viewer/games.js",
    "report/viewer/graph.js",
    "report/viewer/list.js",
    "report/viewer/stage.js",
    "web/page/frame.js",
    "web/page/playboard.js",
    "web/page/pointer.js",
    "web/page/hand.js",
    "web/page/cells.js",
    "web/page/table.js",
    "web/page/link.js",
    "web/page/dialogs.js",
    "web/page/moves.js",
    "web/page/evaluation.js",
    "web/page/sides.js",
    "web/page/setup.js",
    "web/page/editor.js",
    "web/page/panel.js",
    "web/page/game.js",
    "web/page/view.js",
    "web/page/watch.js",
    "web/page/watch_standings.js",
    "web/page/watch_boards.js",
    "web/page/watch_games.js",
    "web/page/watch_run.js",
)
"""As STYLES."""
KEYS = (
    ("← ↑ → ↓", "go over the squares, when the board has the focus (Tab)"),
    ("Enter", "pick the piece on a square, or where it goes"),
    ("Escape", "put the piece back"),
    ("u", "undo"),
    ("h", "hint"),
    ("f", "turn the board"),
    ("m", "have the program move now"),
    ("p", "pass, where the rules have it"),
    ("space", "pause a game of two programs"),
    (", and .", "look one move back, one forward"),
    ("Home, End", "look at the start; back to the game"),
    ("?", "these keys"),
)
"""What the keyboard does, as the page's help says it."""


def page(nonce: str) -> str:
    """The page as one document that asks for nothing else when it is opened.

    Its one style and its one script have `nonce`, a random text of letters and digits, new for every answer.
    """
    environment = Environment(
        loader=PackageLoader("arena.web", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("index.html").render(
        nonce=nonce,
        style=Markup("".join(map(_text, STYLES))),
        script=Markup("".join(map(_text, SCRIPTS))),
        keys=KEYS,
        stage=stage(""),
    )


def _text(name: str) -> str:
    return files("arena").joinpath(name).read_text(encoding="utf-8")
