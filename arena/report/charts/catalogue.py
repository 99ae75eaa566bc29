"""The catalogue of charts: a chart is one row. Page, files and the removal of old files follow from the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from matplotlib.axes import Axes

from arena.report.charts.ablation import plot_ablation
from arena.report.charts.axes import retitle
from arena.report.charts.comparisons import plot_comparisons
from arena.report.charts.convergence import plot_convergence
from arena.report.charts.crosstable import plot_crosstable
from arena.report.charts.doublings import plot_elo_by_depth, plot_elo_by_nodes
from arena.report.charts.effort import plot_nodes, plot_time, plot_time_to_depth
from arena.report.charts.elo import plot_elo
from arena.report.charts.openings import plot_openings
from arena.report.charts.outcomes import plot_outcomes, plot_terminations
from arena.report.charts.phases import plot_phases
from arena.report.charts.sprt import plot_sprt
from arena.report.run import Run
from arena.report.sentences import notes
from arena.report.sentences.answers import answering_chart


class Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """Of its files, without the suffix."""
    caption: str
    csv: str
    """The file of the report that holds its numbers."""
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool] = lambda run: True
    """Whether a run has it."""


CHARTS = (
    Chart(
        "sprt",
        "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends.",
        "sprt.csv",
        lambda run: plot_sprt(run.sprt),
        lambda run: run.experiment.sprt is not None,
    ),
    Chart(
        "ablation",
        "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals.",
        "ablation.csv",
        lambda run: plot_ablation(run.ablation),
        lambda run: len(run.ablation) > 0,
    ),
    Chart(
        "comparisons",
        "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % "
        "intervals from the covariance of the ratings; means where there are several limits of one kind.",
        "comparisons.csv",
        lambda run: plot_comparisons(run.comparisons[run.comparisons["baseline"]]),
        lambda run: len(run.comparisons) > 0,
    ),
    Chart(
        "elo",
        "Joint rating of all players with 95 % intervals.",
        "standings.csv",
        lambda run: plot_elo(run.standings, reference=run.zero),
        lambda run: (
            run.games.empty
            or (run.standings["elo"].count() > 0 and (run.equal_terms.empty or run.comparisons.empty))
        ),
    ),
    Chart(
        "elo_by_depth",
        "What a deeper search is worth: players that differ in depth only, with 95 % intervals, and the line "
        "Elo = a + b log2(depth) fitted with the covariance of the ratings; b is the worth of a doubling.",
        "elo_by_depth.csv",
        lambda run: plot_elo_by_depth(run.elo_by_depth, gains=run.gains, reference=run.zero),
        lambda run: len(run.elo_by_depth) > 0,
    ),
    Chart(
        "elo_by_nodes",
        "Elo against measured nodes per move, with 95 % intervals, and the line "
        "Elo = a + b log2(nodes) fitted in the same way.",
        "elo_by_nodes.csv",
        lambda run: plot_elo_by_nodes(run.elo_by_nodes, gains=run.gains, reference=run.zero),
        lambda run: len(run.elo_by_nodes) > 0,
    ),
    Chart(
        "crosstable",
        "Score of the row player against the column player in per cent, more than 50 blue, less orange; "
        "columns numbered as rows.",
        "crosstable.csv",
        lambda run: plot_crosstable(run.score_matrix),
    ),
    Chart(
        "outcomes",
        "Wins, draws and losses of each player, as White in the upper and as Black in the lower bar.",
        "games.csv",
        lambda run: plot_outcomes(run.outcomes),
    ),
    Chart(
        "nodes",
        notes.NODES,
        "search.csv",
        lambda run: plot_nodes(run.search),
        lambda run: len(run.search) > 0,
    ),
    Chart(
        "time",
        "Time per move over all moves: median, quartiles (box), 5th and 95th percentile (whiskers).",
        "moves.csv",
        lambda run: plot_time(run.search_time),
    ),
    Chart(
        "time_to_depth",
        f"Mean time of the moves searched to the depth limit, of players that differ in it only. {notes.FIXED}.",
        "search.csv",
        lambda run: plot_time_to_depth(run.time_to_depth),
        lambda run: len(run.time_to_depth) > 0,
    ),
    Chart(
        "convergence",
        "All games up to a round of the schedule, rated again, with 95 % bands.",
        "convergence.csv",
        lambda run: plot_convergence(run.convergence, reference=run.zero),
        lambda run: len(run.convergence) > 0,
    ),
    Chart(
        "phases",
        "Decisive games: share of the moves at which a player's own score favours the later winner, level "
        "counting half. It shows when the searches saw the result, not when it was decided.",
        "phases.csv",
        lambda run: plot_phases(run.phases),
        lambda run: len(run.phases) > 0 and not run.small,
    ),
    Chart(
        "openings",
        "Score of the colour that moves first, over pairs of games with colours swapped, so that the players' "
        "strengths cancel; 95 % intervals, the spread pooled over openings: one in twenty misses by chance.",
        "openings.csv",
        lambda run: plot_openings(run.openings, first=run.facts.first),
        lambda run: len(run.openings) > 0,
    ),
    Chart(
        "terminations",
        "Reasons for the end of the game, with their share of all games.",
        "games.csv",
        lambda run: plot_terminations(run.terminations),
    ),
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
    if first in charts:
        retitle(charts[first], answer)
    return charts
