"""The page of a report: one self-contained HTML file; and the same sections in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from arena.report.page.blocks import Section, together, together_in_markdown
from arena.report.template import environment, escaped, script

_GENERATOR = "draughts-arena"
"""What every page names as the program that wrote it."""
PAGE_SCRIPT = "report/page/tables.js"
"""The module of every page; its path is below the package `arena`."""


def page_of(sections: Sequence[Section], after: str = "", renewed: int | None = None) -> str:
    """A page of sections, the first of which is its opening; `after` stands behind them.

    A browser loads it again after `renewed` seconds.
    """
    opening, *others = sections
    page = (
        environment()
        .get_template("report/page/frame.html")
        .render(
            generator=_GENERATOR,
            script=Markup(script(PAGE_SCRIPT)),
            title=opening.title,
            opening=together(opening.blocks),
            sections=others,
            body=Markup("\n\n").join(Markup("<section>{}</section>").format(section.html()) for section in others),
            after=after,
            renewed=renewed,
        )
    )
    return f"{page}\n"


def is_page(path: Path) -> bool:
    """Whether a file is a page that the arena wrote."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return f'<meta name="generator" content="{_GENERATOR}">' in file.read(1000)


def markdown_of(sections: Sequence[Section]) -> str:
    """Sections in Markdown, the first of which is the opening."""
    opening, *others = sections
    blocks = together_in_markdown([*opening.blocks, *others])
    return f"# {escaped(opening.title)}\n\n{blocks}\n"
