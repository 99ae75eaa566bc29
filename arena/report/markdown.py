"""The summary of a report: Markdown, with the sentences and tables of the page."""

from __future__ import annotations

import re

from arena.base.number import unbroken
from arena.report.charts.catalogue import charts_of
from arena.report.content import content
from arena.report.run import Run
from arena.report.template import environment


def markdown(run: Run) -> str:
    """The report as Markdown: sentences, standings, charts, crosstable, search effort and telemetry."""
    template = environment(escaped=escaped).get_template("summary.md.jinja")
    return template.render(content(run), charts=charts_of(run))


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included, with numbers and units in one line."""
    plain = unbroken(str(text)).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain)
