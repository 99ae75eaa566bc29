"""The page of a report: one self-contained HTML file; and the same sections in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from arena.report import player_page
from arena.report.page.blocks import Section, together
from arena.report.page.sections import NOTHING, RunPage
from arena.report.run import Run
from arena.report.template import escaped, page
from arena.report.viewer.games import SCRIPT, style


def html(
    run: Run,
    charts: Mapping[str, str],
    files: Sequence[tuple[str, str]],
    viewer: Markup = NOTHING,
    kinds: Sequence[str] = ("svg",),
) -> str:
    """The report as one self-contained page; `charts` are SVG texts by name.

    `viewer` shows the games. `kinds` are the suffixes of the charts' files, `files` names and contents of others.
    """
    players, names = player_page.player_sections(run, linked=bool(viewer))
    sections = RunPage(run, charts, viewer, kinds, files, names).sections()
    styles = player_page.style() + (style() if viewer else "")
    return page_of(sections, styles, (SCRIPT,) if viewer else (), players)


def markdown(run: Run) -> str:
    """The sections of the page in Markdown."""
    return markdown_of(RunPage(run).sections())


def page_of(
    sections: Sequence[Section], style: str = "", scripts: tuple[str, ...] = (), after: Markup = NOTHING
) -> str:
    """A page of sections, the first of which is its opening; `after` stands behind them."""
    opening, *others = sections
    body = Markup("\n\n").join(Markup("<section>{}</section>").format(section.html()) for section in others)
    return page(
        "page/frame.html", style, scripts,
        title=opening.title, opening=together(opening.blocks), sections=others, body=body, after=after,
    )  # fmt: skip


def markdown_of(sections: Sequence[Section]) -> str:
    """Sections in Markdown, the first of which is the opening."""
    opening, *others = sections
    parts = [f"# {escaped(opening.title)}", *(block.markdown() for block in opening.blocks)]
    parts += [section.markdown() for section in others]
    return "\n\n".join(part for part in parts if part) + "\n"
