"""The charts that a run has: page and files follow from them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.report.charts.comparisons import plot_ablation, plot_comparisons, plot_sprt
from arena.report.charts.elo import plot_elo, plot_sweep
from arena.report.charts.grades import plot_errors
from arena.report.charts.style import figure_of
from arena.report.run import Run
from arena.report.tables.sweeps import DEPTH, NODES
from arena.report.tables.views import stated


class Chart(NamedTuple):
    """A chart of a run."""

    caption: str
    draw: Callable[[], Axes]


def charts(run: Run) -> dict[str, Chart]:
    """The charts of a run, in the order of the page, by the names of their files; none before its first game."""
    found: dict[str, Chart] = {}
    if not len(run.games):
        return found
    if len(run.sprt):
        found["sprt"] = Chart(
            "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends.",
            partial(plot_sprt, run.sprt),
        )
    if len(run.ablation):
        found["ablation"] = Chart(
            "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals.",
            partial(plot_ablation, run.ablation),
        )
    elif len(run.comparisons) and len(run.players) > 2:
        found["comparisons"] = Chart(
            "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % "
            "intervals from the covariance of the ratings; means over several limits where they agree.",
            partial(plot_comparisons, stated(run.comparisons[run.comparisons["baseline"]])),
        )
    for per in run.sweep["per"].drop_duplicates().tolist():
        what, line = "one number of their settings", ""
        if per in (DEPTH, NODES):
            what = "their limit"
            line = f", and the line Elo = a + b log2({per}) where it describes them; b is the worth of a doubling"
        found[_by(per)] = Chart(
            f"Players that differ in {what} only, with 95 % intervals{line}.",
            partial(plot_sweep, run.sweep[run.sweep["per"] == per], reference=run.zero),
        )
    rated = run.standings[run.standings["elo"].notna()]
    if len(rated) and run.sweep.empty:
        found["elo"] = Chart(
            "Joint rating of all players with 95 % intervals.", partial(plot_elo, rated, reference=run.zero)
        )
    if len(rated) and len(run.endgame_errors):
        errors = run.endgame_errors.merge(rated[["player", "elo", "elo_low", "elo_high"]], "left", on="player")
        found["errors"] = Chart(
            "Share of the decisions in endings that threw away half a point or more against Elo, with 95 % "
            "intervals.",
            partial(plot_errors, errors, reference=run.zero),
        )
    return found


def answering_chart(run: Run) -> str:
    """The name of the chart that stands below the answer; "" for none."""
    if run.experiment.sprt:
        return "sprt"
    if run.order or run.sweep.empty:
        return ""
    fitting = run.sweep[run.sweep["fits"]]
    return _by(str((fitting if len(fitting) else run.sweep)["per"].iloc[0]))


def _by(per: str) -> str:
    return "elo_by_" + re.sub(r"\W+", "_", per)


def figures(run: Run) -> dict[str, Figure]:
    """The charts of a run as figures, by name."""
    return {name: figure_of(chart.draw()) for name, chart in charts(run).items()}
