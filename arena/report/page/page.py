"""The page of a report: one self-contained HTML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from arena.report.charts.catalogue import CHARTS
from arena.report.charts.style import GRID, INK, MUTED, PAPER
from arena.report.content import content
from arena.report.files import File
from arena.report.run import Run
from arena.report.viewer.fragment import style

WIDE = 560
"""Points (1/72 inch) above which a chart gets a row of its own."""

NO_VIEWER = Markup("")


def html(run: Run, charts: Mapping[str, str], files_listed: Sequence[File], viewer: Markup = NO_VIEWER) -> str:
    """The report as one self-contained page; `charts` are SVG texts by name, in the order of the page.

    `viewer` shows the games; where there is one, the cells of the crosstable are buttons.
    """
    source = files("arena.report.page")
    template = source.joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    captions = {chart.name: chart.caption for chart in CHARTS}
    text = environment.from_string(template).render(
        content(run),
        style=Markup(source.joinpath("page.css").read_text(encoding="utf-8") + (style() if viewer else "")),
        charts=[
            (name, captions[name], inline_svg(name, captions[name], svg), _wide(svg))
            for name, svg in charts.items()
        ],
        config=json.dumps(run.experiment.as_dict(), indent=2, ensure_ascii=False, default=str),
        files=files_listed,
        viewer=viewer,
    )
    return text + "\n"


def inline_svg(name: str, caption: str, svg: str) -> Markup:
    """An SVG file as an element of a page: ids made unique, theme colours as CSS variables, size by CSS."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\g<1>#{name}-", text)
    for colour, variable in ((INK, "ink"), (MUTED, "muted"), (GRID, "grid")):
        text = text.replace(colour, f"var(--{variable})")
    text = text.replace(PAPER, "none")
    head = f'<svg role="img" aria-label="{Markup.escape(caption)}"'
    return Markup(text.replace("<svg", head, 1).strip())


def _wide(svg: str) -> bool:
    """Whether a chart needs the page's full width to be read."""
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)
    return width is not None and float(width[1]) > WIDE
