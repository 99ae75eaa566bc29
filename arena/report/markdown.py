"""The summary of a report: Markdown, with the sentences and tables of the page."""

from __future__ import annotations

import re
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from arena.report.charts.catalogue import charts_of
from arena.report.content import content
from arena.report.run import Run


def markdown(run: Run) -> str:
    """The report as Markdown: sentences, standings, charts, crosstable, search effort and telemetry."""
    template = files("arena.report").joinpath("summary.md.jinja").read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["escaped"] = escaped
    return environment.from_string(template).render(content(run), charts=charts_of(run))


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included."""
    plain = str(text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain)
