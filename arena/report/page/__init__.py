"""The page of a report: one self-contained HTML file, and the same in Markdown."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from arena.base.number import unbroken
from arena.base.wording import joined
from arena.report.markup import (
    anchor,
    elo_html,
    environment,
    player_html,
    results_bar,
    scale,
    script,
    whisker,
    wrapping,
)
from arena.report.sentences.claims import Claim
from arena.report.tables.rated_run import Faults

_GENERATOR = "draughts-arena"
"""What every page names as the program that wrote it."""
PAGE_SCRIPT = "report/page/tables.js"
"""The module of every page; its path is below the package `arena`."""


class Contents:
    """The sections of a page, noted while its template is rendered; one that fails says so in its place."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.sections: list[tuple[str, str]] = []
        """Anchor and title of those that have something to show, in the order of the page."""
        self.faults = faults or Faults()

    def attempt(self, anchor: str, title: str, write: Callable[[], str]) -> str:
        """What `write` makes of a section, "" for nothing; where it fails, the line that says so.

        The opening has no anchor.
        """
        text = self.faults.attempt(title, lambda: write().strip(), "")
        text = self.faults.found.get(title, text)
        if text and anchor:
            self.sections.append((anchor, title))
        return text


def html_of(template: str | None, title: str, *, after: str = "", renewed: int | None = None, **given: Any) -> str:
    """A page by its template below `report/page/`, if it has one; `after` stands behind it.

    A browser loads it again after `renewed` seconds. `page` of what is given, if it is, has the `sections`.
    """
    page = given.setdefault("page", Contents())
    body = rendered(template, "html", title=title, **given) if template else ""
    frame = environment().get_template("report/page/frame.html")
    text = frame.render(
        generator=_GENERATOR,
        script=Markup(script(PAGE_SCRIPT)),
        title=title,
        sections=page.sections,
        body=body,
        after=after,
        renewed=renewed,
    )
    return f"{text}\n"


def markdown_of(template: str, title: str, **given: Any) -> str:
    """The same in Markdown."""
    given.setdefault("page", Contents())
    body = rendered(template, "markdown", title=title, **given)
    return re.sub(r"\n{3,}", "\n\n", f"{body.strip()}\n")


def rendered(template: str, kind: str, **given: Any) -> Markup:
    """A template below `report/page/` as a part of a page of that kind, "html" or "markdown"."""
    given = {"linked": (), "parts": f"report/page/{kind}.jinja", **given}
    return Markup(_environment(kind).get_template(f"report/page/{template}").render(given))


def parts(kind: str) -> Any:
    """The macros that write the parts of a page of that kind: `parts("markdown").table(grid)`."""
    return _environment(kind).get_template(f"report/page/{kind}.jinja").module


@functools.cache
def _environment(kind: str) -> Environment:
    """The templates of pages with what they call."""
    made = environment(kind)
    made.filters |= {"anchor": anchor, "elo": elo_html, "named": player_html, "with_bold_names": _with_bold_names}
    made.globals |= {"joined": joined, "results_bar": results_bar, "scale": scale, "whisker": whisker}
    return made


def _with_bold_names(claim: Claim) -> Markup:
    names = (Markup("<b>{}</b>").format(wrapping(name)) for name in claim.names)
    return Markup(escape(unbroken(claim.words))).format(*names)


def is_page(path: Path) -> bool:
    """Whether a file is a page that the arena wrote."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return f'<meta name="generator" content="{_GENERATOR}">' in file.read(1000)
