"""Ablation: its table against scipy and against ratings, its sentences and its chart."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from arena.ratings.joint import rate
from arena.report.charts.plots import plot_ablation
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.sentences.answer import answer
from arena.report.tables.effort import ablation, elo_difference
from arena.report.tables.table import with_decimals
from arena.report.write import DECIMALS
from tests.helpers.report_data import (
    MISSING_WORD,
    experiment,
    frames,
    player,
    run_of,
    searched,
)

FOUR = [
    player("full", 3),
    player("no_tt", 3, tt=0),
    player("weak", 1, evaluation="simple"),
    player("lost", type="random"),
]
COUNTS = {"full": [100, 200, 400], "no_tt": [300, 500, 1400], "weak": [50, 0, 300], "lost": [5, 7, 9]}


def run_with(players: list[dict[str, Any]], answers: pd.DataFrame, pairs: int = 3) -> Run:
    """A run with these searches of random positions to depth 6."""
    of = experiment(players, suite={"random": 3, "depth": 6})
    return run_of(Path(), of, *frames(players, pairs, plies=6), answers)


def test_ratios_are_geometric_means_over_positions_with_students_interval() -> None:
    table: Any = run_with(FOUR, searched(**COUNTS)).ablation.set_index("player")
    logs = np.log([3, 2.5, 3.5])
    low, high = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    for cost in ("node_ratio", "time_ratio"):
        shown = table.loc["no_tt", [cost, f"{cost}_low", f"{cost}_high"]].to_numpy(dtype=float)
        np.testing.assert_allclose(shown, np.exp([logs.mean(), low, high]))
    measured = ["nodes", "seconds", "branching_factor"]
    assert table.loc["full", measured].tolist() == pytest.approx([200, 200e-6, 200 ** (1 / 6)])


def test_ratios_are_over_the_positions_that_both_searched_to_the_depth() -> None:
    table: Any = run_with(FOUR, searched(**COUNTS)).ablation.set_index("player")
    assert table["positions"].tolist() == [3, 3, 2, 0]
    assert table.loc["weak", "node_ratio"] == pytest.approx(math.sqrt(50 / 100 * 300 / 400))
    assert table.loc["weak", "nodes"] == pytest.approx(math.sqrt(50 * 300))
    measured = ["nodes", "seconds", "branching_factor", "node_ratio", "node_ratio_low", "time_ratio"]
    assert table.loc["lost", measured].isna().all()
    assert np.isfinite(table.loc["lost", "elo_difference"])
    single: Any = run_with(FOUR, searched(full=[100, 100], no_tt=[300, 0])).ablation.set_index("player")
    assert single.loc["no_tt", "node_ratio"] == pytest.approx(3) and np.isnan(
        single.loc["no_tt", "node_ratio_low"]
    )


def test_elo_differences_are_those_of_a_rating_anchored_at_the_reference() -> None:
    games, _ = frames(FOUR, 4, plies=6)
    names = [str(entry["name"]) for entry in FOUR]
    free, anchored = (rate(games, names, first="black", anchor=anchor) for anchor in ({}, {"full": 0.0}))
    expected: Any = anchored.table.set_index("player")
    for name in names[1:]:
        shown = elo_difference(free, name, "full")
        np.testing.assert_allclose(
            shown, expected.loc[name, ["elo", "elo_low", "elo_high"]].astype(float), atol=1e-3
        )
    assert elo_difference(free, "full", "full")[0] == 0


def test_the_reference_is_the_anchor_or_the_first_player_and_comes_first() -> None:
    run = run_with(FOUR, searched(**COUNTS))
    assert run.ablation["player"].tolist() == ["full", "no_tt", "weak", "lost"]
    table = ablation(run.data.answers, run.ratings, run.experiment.model_copy(update={"anchor": {"no_tt": 0.0}}))
    assert table["player"].tolist() == ["no_tt", "full", "weak", "lost"]
    assert table["node_ratio"][1] == pytest.approx(1 / run.ablation["node_ratio"][1])
    assert table["elo_difference"][1] == pytest.approx(-run.ablation["elo_difference"][1])


@pytest.mark.parametrize(
    ("pairs", "counts"),
    [(0, COUNTS), (3, COUNTS), (3, {"full": [0, 0], "no_tt": [0, 0]}), (3, {"full": [100], "no_tt": [100]})],
    ids=["no games", "usual", "nobody reached the depth", "one position"],
)
def test_page_and_chart_show_no_missing_number(pairs: int, counts: dict[str, list[int]]) -> None:
    run = run_with(FOUR, searched(**counts), pairs)
    section = RunPage(run).markdown.partition("## Cost and worth")[2].partition("\n## ")[0]
    assert section and not MISSING_WORD.search(section)
    assert run.ablation["elo_difference"].isna().all() == (pairs == 0)
    assert not MISSING_WORD.search(with_decimals(run.ablation, DECIMALS).to_csv())
    figure: Any = plot_ablation(run.ablation).figure
    measured = [name for name in ("node_ratio", "time_ratio", "elo_difference") if run.ablation[name].count() > 1]
    for ax, column in zip(figure.axes, measured, strict=False):
        assert not [text for text in [*ax.texts, *ax.get_xticklabels()] if MISSING_WORD.search(text.get_text())]
        known = run.ablation[column].dropna()
        assert ax.get_xscale() == ("linear" if column == "elo_difference" else "log")
        np.testing.assert_allclose(ax.lines[-1].get_xdata(), known)
        assert ax.lines[-1].get_ydata().tolist() == known.index.tolist()


def test_the_answer_names_each_change_with_its_interval_the_largest_loss_first() -> None:
    claims = answer(run_with(FOUR, searched(**COUNTS), pairs=20))
    assert {claim.names for claim in claims} == {(name, "full") for name in ("no_tt", "weak", "lost")}
    values = [claim.interval.value for claim in claims if claim.interval]
    assert values == sorted(values) and len(values) == 3
    assert [claim.note for claim in claims if claim.names[0] == "weak"] == ["at another limit"]
