"""The catalogue of charts: the rows of all modules. Page, files and the removal of old files follow from them."""

from __future__ import annotations

from matplotlib.axes import Axes

from arena.report.charts import comparisons, course, effort, elo, grades, results
from arena.report.charts.axes import Chart
from arena.report.run import Run

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
    """The charts that a run has."""
    return [chart for chart in CHARTS if chart.applies(run)]


def draw(run: Run) -> dict[str, Axes]:
    """The charts of a run by name."""
    return {chart.name: chart.draw(run) for chart in charts_of(run)}
