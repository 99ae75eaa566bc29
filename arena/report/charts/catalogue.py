"""The catalogue of charts: the rows of all modules. Page, files and the removal of old files follow from them."""

from __future__ import annotations

from matplotlib.axes import Axes

from arena.report.charts import comparisons, course, effort, elo, grades, results
from arena.report.charts.axes import Chart, set_title
from arena.report.charts.style import figure_of
from arena.report.run import Run
from arena.report.sentences.answers import answering_chart

CHARTS: tuple[Chart, ...] = (
    *comparisons.CHARTS,
    *elo.CHARTS,
    *results.CHARTS,
    *effort.CHARTS,
    *grades.CHARTS,
    *course.CHARTS,
)
"""Every chart; see `charts_of`."""


def charts_of(run: Run) -> list[Chart]:
    """The charts that a run has, in the order of the page: first the one that shows its answer."""
    first, _ = answering_chart(run)
    return sorted((chart for chart in CHARTS if chart.applies(run)), key=lambda chart: chart.name != first)


def draw(run: Run) -> dict[str, Axes]:
    """The charts of a run by name, in the order of the page; the answer is the title of the first."""
    first, answer = answering_chart(run)
    charts = {chart.name: chart.draw(run) for chart in charts_of(run)}
    if first in charts and answer:
        set_title(figure_of(charts[first]), answer)
    return charts
