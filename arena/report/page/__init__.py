"""The page of a report: one self-contained HTML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from arena.report import player_page
from arena.report.charts.catalogue import CHARTS
from arena.report.charts.style import GRID, INK, MUTED, PAPER
from arena.report.files import File
from arena.report.run import Run
from arena.report.template import page
from arena.report.viewer.games import SCRIPT, style
from arena.report.writers import content

WIDE = 560
"""Points (1/72 inch) above which a chart gets a row of its own."""
FOLDED = 16
"""Players above which the crosstable is folded."""
PIXELS = 96 / 72
"""CSS pixels in a point."""
NO_VIEWER = Markup("")


class Plot(NamedTuple):
    """A chart as the page shows it."""

    name: str
    caption: str
    svg: Markup
    width: int
    """CSS pixels at which its letters are as large as the page's small print."""
    wide: bool
    """Whether it has a row of its own."""


def html(
    run: Run,
    charts: Mapping[str, str],
    files_listed: Sequence[File],
    viewer: Markup = NO_VIEWER,
    kinds: Sequence[str] = ("svg",),
) -> str:
    """The report as one self-contained page; `charts` are SVG texts by name, in the order of the page.

    `viewer` shows the games; where there is one, the cells of the crosstable are buttons. `kinds` are the
    suffixes of the charts' files.
    """
    sections, names = player_page.player_sections(run, linked=bool(viewer))
    return page(
        "page/page.html",
        player_page.style() + (style() if viewer else ""),
        (SCRIPT,) if viewer else (),
        **content(run),
        charts=plots(charts),
        kinds=kinds,
        folded=FOLDED,
        config=json.dumps(_configuration(run), indent=2, ensure_ascii=False, default=str),
        files=files_listed,
        viewer=viewer,
        player_sections=sections,
        pages={name: player_page.anchor(name) for name in names},
    )


def _configuration(run: Run) -> dict[str, Any]:
    """The run's configuration; anonymous players by number, as the order of the file tells who they are."""
    found = run.data.experiment.as_dict()
    if run.data.published is not None:
        found["players"].sort(key=lambda entry: (len(entry["name"]), entry["name"]))
    return found


def plots(charts: Mapping[str, str]) -> list[Plot]:
    """Charts as the page shows them; the first, and one that would stand beside nothing, have a whole row."""
    captions = {chart.name: chart.caption for chart in CHARTS}
    widths = {name: chart_width(svg) for name, svg in charts.items()}
    narrow = [name for name, width in list(widths.items())[1:] if width <= WIDE]
    return [
        plot_of(name, captions[name], svg, wide=name not in narrow or len(narrow) == 1)
        for name, svg in charts.items()
    ]


def plot_of(name: str, caption: str, svg: str, *, wide: bool = True) -> Plot:
    """A chart as a page shows it, from its SVG file."""
    return Plot(name, caption, inline_svg(name, caption, svg), round(PIXELS * chart_width(svg)), wide)


def inline_svg(name: str, caption: str, svg: str) -> Markup:
    """An SVG file as an element of a page: ids made unique, theme colours as CSS variables, size by CSS."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    head = f'<svg role="img" aria-label="{Markup.escape(caption)}"'
    text = re.sub(r"<[^<>]*>", lambda tag: _inline_tag(name, tag[0]), text)  # text between tags may hold anything
    return Markup(text.replace("<svg", head, 1).strip())


def _inline_tag(name: str, tag: str) -> str:
    tag = re.sub(r'\bid="', f'id="{name}-', tag)
    tag = re.sub(r'(href="|url\()#', rf"\g<1>#{name}-", tag)
    for colour, variable in ((INK, "ink"), (MUTED, "muted"), (GRID, "grid")):
        tag = tag.replace(colour, f"var(--{variable})")
    return tag.replace(PAPER, "none")


def chart_width(svg: str) -> float:
    """The width of an SVG file in points."""
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)
    return float(width[1]) if width else 0.0
