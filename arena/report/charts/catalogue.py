"""The catalogue of charts: page and files follow from its rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.report.charts.comparisons import plot_ablation, plot_comparisons, plot_sprt
from arena.report.charts.effort import plot_nodes, plot_solved, plot_time, solved_sweeps, swept_depths
from arena.report.charts.elo import plot_convergence, plot_elo_of, plot_number, plot_sweep
from arena.report.charts.grades import plot_errors, plot_errors_by_limit, swept_limit
from arena.report.charts.style import figure_of
from arena.report.run import Run
from arena.report.tables.settings import swept_numbers
from arena.report.tables.sweeps import FEWEST


class _Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """The name of its files, without the suffix."""
    caption: str
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool]
    """Whether a run that has games has the chart."""


def _sweep(per: str) -> _Chart:
    return _Chart(
        f"elo_by_{per}",
        f"Players that differ in their limit only, with 95 % intervals, and the line Elo = a + b log2({per}) "
        "where it describes them; b is the worth of a doubling.",
        lambda run: plot_sweep(run.sweeps[run.sweeps["per"] == per], run.gains, reference=run.zero),
        lambda run: bool((run.sweeps["per"] == per).any()),
    )


def _by_number(number: int) -> _Chart:
    return _Chart(
        f"elo_by_number_{number + 1}" if number else "elo_by_number",
        "Players that differ in one number of their settings only, with 95 % intervals.",
        lambda run: plot_number(run.standings, swept_numbers(run.compared, FEWEST)[number], reference=run.zero),
        lambda run: len(swept_numbers(run.compared, FEWEST)) > number,
    )


def _solved(number: int) -> _Chart:
    return _Chart(
        f"solved_{number + 1}" if number else "solved",
        "Share of a suite's positions that are solved, with 95 % intervals, by players that differ in their "
        "limit only. Broken lines: one ply, and random choice.",
        lambda run: plot_solved(solved_sweeps(run.suites)[number]),
        lambda run: len(solved_sweeps(run.suites)) > number,
    )


def _errors_by(limit: str) -> _Chart:
    return _Chart(
        f"errors_by_{limit}",
        f"Share of the decisions in endings that throw away half a point or more, of those in which a move can, "
        f"by players that differ in {limit} only. Hollow: no error, at the upper end of the interval.",
        lambda run: plot_errors_by_limit(run.endgame_errors, limit),
        lambda run: len(swept_limit(run.endgame_errors, limit)) > 0,
    )


CHARTS: tuple[_Chart, ...] = (
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
        "intervals from the covariance of the ratings; means where there are several limits of one kind.",
        lambda run: plot_comparisons(run.comparisons[run.comparisons["baseline"]]),
        lambda run: len(run.comparisons) > 0 and len(run.players) > 2,
    ),
    _Chart(
        "elo",
        "Joint rating of all players with 95 % intervals.",
        plot_elo_of,
        lambda run: run.standings["elo"].count() > 0,
    ),
    _sweep("depth"),
    _sweep("nodes"),
    *map(_by_number, range(3)),
    _Chart(
        "nodes",
        "Mean nodes of the moves searched to the depth limit, of players that differ in it only; the slope of a "
        "line is its effective branching factor.",
        lambda run: plot_nodes(run.effort),
        lambda run: len(swept_depths(run.effort)) > 0,
    ),
    _Chart(
        "time",
        "Over all moves: median, quartiles (box), 5th and 95th percentile (whiskers).",
        lambda run: plot_time(run.effort),
        lambda run: bool((run.effort["seconds_per_move"] > 0).any()),
    ),
    *map(_solved, range(2)),
    *map(_errors_by, ("depth", "nodes")),
    _Chart(
        "errors",
        "Share of the decisions in endings that threw away half a point or more against Elo, with 95 % intervals.",
        lambda run: plot_errors(
            run.endgame_errors.merge(run.standings[["player", "elo", "elo_low", "elo_high"]], on="player"),
            reference=run.zero,
        ),
        lambda run: bool(run.standings["elo"].count()) and len(run.endgame_errors) > 0,
    ),
    _Chart(
        "convergence",
        "All games up to a round of the schedule, rated again, with 95 % bands.",
        lambda run: plot_convergence(run.convergence, reference=run.zero),
        lambda run: len(run.convergence) > 0,
    ),
)
"""Every chart, in the order of the page."""


def charts_of(run: Run) -> list[_Chart]:
    """The charts that a run has: none before its first game."""
    if not len(run.games):
        return []
    return [chart for chart in CHARTS if run.faults.attempt(chart.name, partial(chart.applies, run), False)]


def draw(run: Run) -> dict[str, Axes]:
    """The charts of a run by name, without those that could not be drawn."""
    drawn = {
        chart.name: run.faults.attempt(chart.name, partial(chart.draw, run), None) for chart in charts_of(run)
    }
    return {name: axes for name, axes in drawn.items() if axes is not None}


def figures(run: Run) -> dict[str, Figure]:
    """The figures of `draw` by name."""
    return {name: figure_of(axes) for name, axes in draw(run).items()}
