"""The charts that a run has: page and files follow from them."""

from __future__ import annotations

import re
from functools import partial

from matplotlib.figure import Figure

from arena.ratings.interval import Interval
from arena.report.charts.plots import plot_ablation, plot_comparisons, plot_elo, plot_errors, plot_sprt, plot_sweep
from arena.report.charts.style import Chart, figure_of
from arena.report.run import Run
from arena.report.tables.comparisons import DEPTH, NODES
from arena.report.tables.views import stated


def charts(run: Run) -> dict[str, Chart]:
    """The charts of a run, in the order of the page, by their names; none before its first game."""
    found: list[Chart] = []
    if not len(run.games):
        return {}
    if len(run.sprt):
        caption = (
            "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends."
        )
        found.append(Chart("sprt", caption, partial(plot_sprt, run.sprt)))
    if len(run.ablation):
        caption = "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals."
        found.append(Chart("ablation", caption, partial(plot_ablation, run.ablation)))
    elif len(run.comparisons) and len(run.players) > 2:
        caption = (
            "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % intervals "
            "from the covariance of the ratings; means over several limits where they agree."
        )
        rows = stated(run.comparisons[run.comparisons["baseline"]])
        found.append(Chart("comparisons", caption, partial(plot_comparisons, rows)))
    for per in run.sweep["per"].drop_duplicates().tolist():
        what, line = "one number of their settings", ""
        if per in (DEPTH, NODES):
            what = "their limit"
            line = f", and the line Elo = a + b log2({per}) where it describes them; b is the worth of a doubling"
        caption = f"Players that differ in {what} only, with 95 % intervals{line}."
        points = run.sweep[run.sweep["per"] == per]
        found.append(Chart(_by(per), caption, partial(plot_sweep, points, reference=run.zero)))
    rated = run.standings[run.standings["elo"].notna()]
    if len(rated) and run.sweep.empty:
        caption = "Joint rating of all players with 95 % intervals."
        found.append(Chart("elo", caption, partial(plot_elo, rated, reference=run.zero)))
    if len(rated) and len(run.endgame_errors):
        caption = (
            "Decisions in endings that threw away half a point or more, against Elo, with 95 % intervals; hollow "
            "at the upper end: no error."
        )
        errors = run.endgame_errors.merge(rated[["player", *Interval.columns_of("elo")]], "left", on="player")
        found.append(Chart("errors", caption, partial(plot_errors, errors, reference=run.zero)))
    return {chart.name: chart for chart in found}


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
    return {name: figure_of(chart.axes) for name, chart in charts(run).items()}
