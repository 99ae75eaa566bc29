"""The catalogue of charts: page and files follow from its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.report.charts.comparisons import plot_ablation, plot_comparisons, plot_sprt
from arena.report.charts.elo import plot_elo, plot_number, plot_sweep
from arena.report.charts.grades import plot_errors
from arena.report.charts.style import figure_of
from arena.report.run import Run
from arena.report.tables.settings import SweptNumber, swept_number
from arena.report.tables.sweeps import FEWEST
from arena.report.tables.views import stated


class _Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """The name of its files, without the suffix."""
    caption: str
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool]
    """Whether a run that has games has the chart."""

    def is_of(self, run: Run) -> bool:
        """Whether a run has the chart: none before its first game."""
        return len(run.games) > 0 and self.applies(run)


def _number(run: Run) -> SweptNumber:
    """The number that a run sweeps; without values where it sweeps depth."""
    return swept_number(() if (run.sweeps["per"] == "depth").any() else run.compared, FEWEST)


def _sweep(per: str) -> _Chart:
    return _Chart(
        f"elo_by_{per}",
        f"Players that differ in their limit only, with 95 % intervals, and the line Elo = a + b log2({per}) "
        "where it describes them; b is the worth of a doubling.",
        lambda run: plot_sweep(run.sweeps[run.sweeps["per"] == per], run.gains, reference=run.zero),
        lambda run: bool((run.sweeps["per"] == per).any()),
    )


_CHARTS = (
    _Chart(
        "sprt",
        "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends.",
        lambda run: plot_sprt(run.sprt),
        lambda run: len(run.sprt) > 0,
    ),
    _Chart(
        "ablation",
        "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals.",
        lambda run: plot_ablation(run.ablation),
        lambda run: len(run.ablation) > 0,
    ),
    _Chart(
        "comparisons",
        "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % "
        "intervals from the covariance of the ratings; means over several limits of one kind where they agree.",
        lambda run: plot_comparisons(stated(run.comparisons[run.comparisons["baseline"]])),
        lambda run: len(run.comparisons) > 0 and len(run.players) > 2 and run.ablation.empty,
    ),
    _sweep("depth"),
    _Chart(
        "elo_by_number",
        "Players that differ in one number of their settings only, with 95 % intervals.",
        lambda run: plot_number(run.standings, _number(run), reference=run.zero),
        lambda run: len(_number(run).values) > 0,
    ),
    _Chart(
        "elo",
        "Joint rating of all players with 95 % intervals.",
        lambda run: plot_elo(run.standings[run.standings["elo"].notna()], reference=run.zero),
        lambda run: run.standings["elo"].count() > 0 and run.sweeps.empty and not _number(run).values,
    ),
    _sweep("nodes"),
    _Chart(
        "errors",
        "Share of the decisions in endings that threw away half a point or more against Elo, with 95 % intervals.",
        lambda run: plot_errors(
            run.endgame_errors.merge(run.standings[["player", "elo", "elo_low", "elo_high"]], on="player"),
            reference=run.zero,
        ),
        lambda run: bool(run.standings["elo"].count()) and len(run.endgame_errors) > 0,
    ),
)
CHARTS: dict[str, _Chart] = {chart.name: chart for chart in _CHARTS}
"""Every chart by its name, in the order of the page."""


def figures(run: Run) -> dict[str, Figure]:
    """The charts of a run as figures, by name."""
    return {name: figure_of(chart.draw(run)) for name, chart in CHARTS.items() if chart.is_of(run)}
