"""Gains against results computed by hand, by scipy and by simulation; their charts."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2

from arena.ratings.interval import Z95
from arena.ratings.joint import Family, Ratings, rate
from arena.report.charts.catalogue import answering_chart, charts
from arena.report.charts.plots import plot_sweep
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.tables.comparisons import doublings, lines, points, sweep
from tests.helpers.report_data import (
    player,
    rated,
    specs,
    synthetic,
)  # fmt: skip

EVALUATIONS = ("simple", "cis300")
GRID = [player(f"{e} d{d}", d, evaluation=e) for e in EVALUATIONS for d in (1, 2, 4)]
TERMS: list[dict[str, Any]] = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]
EQUAL = [player(f"{e} {term}", evaluation=e, **term) for e in EVALUATIONS for term in TERMS]


def by_depth(ratings: Ratings, depths: list[int]) -> pd.DataFrame:
    return ratings.table.assign(per="depth", family="f", x=depths)


# gains


def gains_of(ratings: Ratings, depths: list[int]) -> pd.DataFrame:
    of_depth = by_depth(ratings, depths)
    found = doublings(ratings, of_depth)
    return sweep(ratings, of_depth, found, Family(ratings, [each.weights for each in found]))


@pytest.mark.parametrize(("off", "fits"), [([0, 0, 0, 0], True), ([-6, 9, -2, -8], True), ([0, 90, 20, 0], False)])
def test_a_gain_is_the_slope_of_least_squares_and_fits_by_the_probability_of_its_misfit(
    off: list[float], fits: bool
) -> None:
    depths = [1, 2, 4, 8]
    x = np.log2(depths)
    elo = 50 + 90 * x + off
    ratings = rated(dict(zip((f"d{d}" for d in depths), elo, strict=True)))
    table = gains_of(ratings, depths)
    (row,) = lines(table).to_dict("records")
    slope, intercept = np.polyfit(x, elo, 1)
    error = Z95 * 10 / np.sqrt(((x - x.mean()) ** 2).sum())
    assert (row["family"], row["per"], len(table)) == ("f", "depth", 4)
    found = [row[name] for name in ("gain", "gain_low", "gain_high", "elo_at_1", "agreement")]
    rest = ((elo - intercept - slope * x) ** 2).sum() / 100
    expected = [slope, slope - error, slope + error, intercept, chi2.sf(rest, 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert row["fits"] == fits and row["shown"]
    ax: Any = plot_sweep(table)
    assert any(len(line.get_xdata()) == 100 for line in ax.lines) == fits


def test_a_gain_does_not_depend_on_the_anchor() -> None:
    runs = [synthetic(Path(), GRID, 6, anchor=anchor) for anchor in (None, "simple d1", "cis300 d4")]
    names = ["family", "per", "gain", "gain_low", "gain_high", "agreement", "fits", "shown"]
    tables_of = [lines(run.sweep).sort_values(["per", "family"])[names] for run in runs]
    for other in tables_of[1:]:
        pd.testing.assert_frame_equal(tables_of[0].reset_index(drop=True), other.reset_index(drop=True), rtol=1e-6)


@pytest.mark.full
def test_the_interval_of_a_gain_covers_the_truth_in_simulated_tournaments() -> None:
    rng = np.random.default_rng(1)
    depths = np.array([1, 2, 4, 8])
    names = [f"d{d}" for d in depths]
    pairings = [(a, b) for a, b in combinations(range(4), 2) for _ in range(30) for a, b in ((a, b), (b, a))]
    white, black = np.array(pairings).T
    chance = 1 / (1 + 10 ** (-60 * (np.log2(depths)[white] - np.log2(depths)[black]) / 400))
    covered = 0
    for _ in range(100):
        result = np.where(rng.random(len(white)) < chance, "white", "black")
        games = pd.DataFrame({"white": np.array(names)[white], "black": np.array(names)[black], "result": result})
        ratings = rate(games.assign(pair=np.arange(len(games)) // 2), names)
        order = [int(name[1:]) for name in ratings.table["player"]]
        gain = gains_of(ratings, order).iloc[0]
        covered += gain["gain_low"] <= 60 <= gain["gain_high"]
    assert binom.cdf(covered, 100, 0.95) > 0.001


def test_elo_against_nodes_needs_three_players_and_tells_families_of_different_limits_apart() -> None:
    players = [player(f"n{n}", nodes=n) for n in (100, 200, 400)] + [player(f"d{d}", d) for d in (1, 2, 3)]
    players += [player(f"t{s}", type="x", seconds=s) for s in (0.1, 0.2)]
    standings = pd.DataFrame({"player": [p["name"] for p in players], "elo": np.arange(8.0), "games": 9})
    standings = standings.assign(elo_low=0.0, elo_high=1.0, nodes_per_move=[90, 180, 300, 7, 8, 9, 5, 6])
    table = points(standings, specs(players))
    table = table[table["per"] == "nodes"]
    assert sorted(map(tuple, table[["family", "player"]].to_numpy().tolist())) == [
        ("alphabeta by depth", "d1"), ("alphabeta by depth", "d2"), ("alphabeta by depth", "d3"),
        ("alphabeta by nodes", "n100"), ("alphabeta by nodes", "n200"), ("alphabeta by nodes", "n400"),
    ]  # fmt: skip
    assert table["x"].tolist() == [7, 8, 9, 90, 180, 300]


# charts and files


def test_every_number_in_which_players_differ_alone_is_swept_and_has_its_chart(tmp_path: Path) -> None:
    weights = [{"linear": {"man": man, "king": king}} for man in (1, 2, 4) for king in (3, 5, 7)]
    players = [player(f"p{i}", 2, evaluation=weight) for i, weight in enumerate(weights)]
    players += [player("deeper", 4, evaluation=weights[0]), player("other", 2, evaluation="simple")]
    run = synthetic(tmp_path, players, 2, plies=2)
    elo = run.standings.set_index("player")["elo"]
    assert [*charts(run)] == ["comparisons", "elo_by_man", "elo_by_king"] and answering_chart(run) == "elo_by_man"
    for place, name in enumerate(("man", "king")):
        of_number = run.sweep[run.sweep["per"] == name].set_index("player")
        assert of_number["x"].to_dict() == {f"p{i}": weight["linear"][name] for i, weight in enumerate(weights)}
        other = ("king", "man")[place]
        assert of_number["family"].to_dict() == {
            f"p{i}": f"{other} {w['linear'][other]}" for i, w in enumerate(weights)
        }
        assert (of_number["elo"] == elo[of_number.index]).all() and of_number["gain"].isna().all()
        first: Any = charts(run)[f"elo_by_{name}"].draw().containers[0]
        assert first[0].get_xdata().tolist() == sorted({weight["linear"][name] for weight in weights})
    assert {*synthetic(tmp_path, players[:3], 1, plies=2).sweep["family"]} == {""}


def test_the_chart_of_a_sweep_stands_below_the_answer(tmp_path: Path) -> None:
    grid = synthetic(tmp_path, GRID, 8, plies=20)
    assert answering_chart(grid) == "elo_by_depth"

    def shown(run: Run) -> list[str]:
        opening, *_ = RunPage(run).html.partition("<section>")
        return re.findall('id="chart-([^"]+)"', opening)

    assert shown(grid) == ["elo_by_depth"]
    assert shown(synthetic(tmp_path, EQUAL, 3, plies=4)) == []
