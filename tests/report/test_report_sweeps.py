"""Analyses of sweeps against results computed by hand, by scipy and by simulation; their sentences and charts."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from arena.ratings.interval import Z95
from arena.ratings.joint import Ratings, rate
from arena.report.charts.elo import plot_convergence, plot_sweep
from arena.report.charts.style import figure_of
from arena.report.page.blocks import Chart
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.sentences.answer import answering_chart
from arena.report.tables.comparisons import comparisons
from arena.report.tables.outcomes import openings
from arena.report.tables.settings import families
from arena.report.tables.standings import convergence
from arena.report.tables.sweeps import gains, sweeps
from players.player import Limit, PlayerSpec
from tests.helpers.report_data import (
    MISSING_WORD,
    START,
    assert_nothing_is_cut_off,
    changed,
    drawn,
    experiment,
    frames,
    player,
    rated,
    run_of,
    specs,
    synthetic,
    texts,
)  # fmt: skip

OF_SWEEPS = ("comparisons", "elo_by_nodes", "nodes", "convergence")
"""Charts that show what a sweep asks."""
EVALUATIONS = ("simple", "cis300")
GRID = [player(f"{e} d{d}", d, evaluation=e) for e in EVALUATIONS for d in (1, 2, 4)]
TERMS: list[dict[str, Any]] = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]
EQUAL = [player(f"{e} {term}", evaluation=e, **term) for e in EVALUATIONS for term in TERMS]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two evaluations at three depths, twelve rounds; games numbered as by the schedule."""
    games, moves = frames(GRID, 8, plies=20)
    order = games.sort_values(["opening", "pair"], kind="stable")["game"].tolist()
    number = {game: i + 1 for i, game in enumerate(order)}
    games = games.assign(game=games["game"].map(number), round=games["opening"] + 1).sort_values("game")
    moves = moves.assign(game=moves["game"].map(number)).sort_values(["game", "ply"])
    games, moves = games.reset_index(drop=True), moves.reset_index(drop=True)
    return run_of(tmp_path_factory.mktemp("grid"), experiment(GRID), games, moves)


def by_depth(ratings: Ratings, depths: list[int]) -> pd.DataFrame:
    return ratings.table.assign(per="depth", family="f", x=depths)


# gains


def test_ratings_on_a_line_give_its_slope_with_the_error_of_least_squares() -> None:
    depths = [1, 2, 4, 8]
    ratings = rated({f"d{d}": 50 + 90 * np.log2(d) for d in depths})
    (row,) = gains(ratings, by_depth(ratings, depths)).to_dict("records")
    x = np.log2(depths)
    error = Z95 * 10 / np.sqrt(((x - x.mean()) ** 2).sum())
    assert (row["family"], row["per"], row["players"], row["x_low"], row["x_high"]) == ("f", "depth", 4, 1, 8)
    np.testing.assert_allclose([row["gain"], row["gain_low"], row["gain_high"]], [90, 90 - error, 90 + error])
    np.testing.assert_allclose([row["elo_at_1"], row["misfit"]], [50, 0], atol=1e-9)


def test_ratings_off_the_line_widen_the_interval_by_the_root_of_chi_square_over_its_freedom() -> None:
    depths, off = [1, 2, 4, 8], np.array([30, -40, 10, 50.0])
    ratings = rated({f"d{d}": float(e) for d, e in zip(depths, off, strict=True)})
    (row,) = gains(ratings, by_depth(ratings, depths)).to_dict("records")
    x = np.log2(depths)
    slope, intercept = np.polyfit(x, off, 1)
    residual = off - intercept - slope * x
    error = Z95 * 10 / np.sqrt(((x - x.mean()) ** 2).sum()) * np.sqrt((residual**2).sum() / 100 / 2)
    np.testing.assert_allclose([row["gain"], row["gain_high"] - row["gain"]], [slope, error])
    np.testing.assert_allclose(row["misfit"], np.sqrt((residual**2).mean()))


def test_a_line_that_misses_the_ratings_by_far_is_said_not_to_fit_and_is_not_drawn() -> None:
    depths, rows = [1, 2, 4, 8], {}
    for name, elos in (("bent", [0, 300, 290, 310.0]), ("near", [0, 60, 90, 150.0])):
        ratings = rated({f"d{d}": elo for d, elo in zip(depths, elos, strict=True)})
        table = by_depth(ratings, [int(player[1:]) for player in ratings.table["player"]])
        rows[name] = gains(ratings, table)
        ax: Any = plot_sweep(table, rows[name])
        assert any(len(line.get_xdata()) == 100 for line in ax.lines) == (name == "near")
    assert {name: row["fits"].tolist() for name, row in rows.items()} == {"bent": [False], "near": [True]}


def test_a_gain_does_not_depend_on_the_anchor() -> None:
    runs = [synthetic(Path(), GRID, 6, anchor=anchor) for anchor in (None, "simple d1", "cis300 d4")]
    tables_of = [run.gains.sort_values(["per", "family"]).drop(columns=["elo_at_1"]) for run in runs]
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
        gain = gains(ratings, by_depth(ratings, order)).iloc[0]
        covered += gain["gain_low"] <= 60 <= gain["gain_high"]
    assert 90 <= covered <= 100


def test_elo_against_nodes_needs_three_players_and_tells_families_of_different_limits_apart() -> None:
    players = [player(f"n{n}", nodes=n) for n in (100, 200, 400)] + [player(f"d{d}", d) for d in (1, 2, 3)]
    players += [player(f"t{s}", type="x", seconds=s) for s in (0.1, 0.2)]
    standings = pd.DataFrame({"player": [p["name"] for p in players], "elo": np.arange(8.0), "games": 9})
    standings = standings.assign(elo_low=0.0, elo_high=1.0, nodes_per_move=[90, 180, 300, 7, 8, 9, 5, 6])
    table = sweeps(standings, specs(players))
    table = table[table["per"] == "nodes"]
    assert sorted(map(tuple, table[["family", "player"]].to_numpy().tolist())) == [
        ("alphabeta by depth", "d1"), ("alphabeta by depth", "d2"), ("alphabeta by depth", "d3"),
        ("alphabeta by nodes", "n100"), ("alphabeta by nodes", "n200"), ("alphabeta by nodes", "n400"),
    ]  # fmt: skip
    assert table["x"].tolist() == [7, 8, 9, 90, 180, 300]


# equal terms


def test_a_setting_is_compared_at_each_kind_of_limit_with_the_covariance_of_the_two() -> None:
    elo = dict(zip([p["name"] for p in EQUAL], [0, 10, 20, 40, 10, 0.0], strict=True))
    covariance = np.full((6, 6), 30.0) + np.eye(6) * 70
    table = comparisons(rated(elo, covariance), specs(EQUAL))
    assert table[["setting", "value", "reference", "terms", "at", "pairs"]].to_numpy().tolist() == [
        ["evaluation", "cis300", "simple", "depth", "6", 1],
        ["evaluation", "cis300", "simple", "nodes", "2000", 1],
        ["evaluation", "cis300", "simple", "time", "0.02 s", 1],
    ]
    assert table["elo_difference"].tolist() == [40, 0, -20]
    error = Z95 * np.sqrt(100 + 100 - 2 * 30)
    np.testing.assert_allclose(table["elo_difference_high"] - table["elo_difference"], error)
    assert table["los"].tolist()[1] == 0.5 and table["los"].tolist()[0] > 0.999


def test_the_reference_is_the_value_of_the_anchor() -> None:
    ratings = rated(dict.fromkeys([p["name"] for p in EQUAL], 0.0))
    table = comparisons(ratings, specs(EQUAL), EQUAL[-1]["name"])
    assert set(table["value"]) == {"simple"} and set(table["reference"]) == {"cis300"}


def test_limits_of_one_kind_are_averaged() -> None:
    ratings = rated(dict(zip([p["name"] for p in GRID], [0, 10, 20, 30, 20, 70.0], strict=True)))
    (row,) = comparisons(ratings, specs(GRID)).to_dict("records")
    assert (row["terms"], row["at"], row["pairs"]) == ("depth", "1 to 4", 3)
    np.testing.assert_allclose(row["elo_difference"], 30)
    np.testing.assert_allclose(row["elo_difference_high"] - 30, Z95 * np.sqrt(6 * 100 / 9))


def test_a_factorial_of_switches_gives_main_effects() -> None:
    players = [
        player(f"{pvs}{draws}", 4, pvs=pvs, draws=draws, evaluation={"linear": {"man": 1}})
        for pvs in (True, False)
        for draws in (True, False)
    ]
    ratings = rated(dict(zip([p["name"] for p in players], [10, 4, 6, 0.0], strict=True)))
    table = comparisons(ratings, specs(players))
    assert table[["value", "reference", "pairs", "elo_difference"]].to_numpy().tolist() == [
        ["no pvs", "pvs", 2, -4.0],
        ["no draws", "draws", 2, -6.0],
    ]


@pytest.mark.parametrize(
    "own", [{"command": ["python3", "eng.py", "--old"]}, {"command": "eng.py", "folder": "old"}]
)
def test_the_command_of_a_program_is_no_setting_and_its_name_stands_for_it(own: dict[str, Any]) -> None:
    players = [player(f"new {d}", d, "engine", command="eng.py", reserve=0.1) for d in (1, 2)]
    players += [player(f"old {d}", d, "engine", reserve=0.1, **own) for d in (1, 2)]
    ratings = rated({one["name"]: float(place) for place, one in enumerate(players)})
    assert comparisons(ratings, specs(players)).empty
    assert set(families(specs(players)).values()) == {"engine (new 1, ...)", "engine (old 1, ...)"}


MINE = {"evaluation": "/home/ann/mine.py:advance"}


@pytest.mark.parametrize(
    ("first", "second", "anchor", "row"),
    [
        ({"depth": 4}, {"depth": 1}, None, ["player", "a", "b", "", "", 1]),
        ({"type": "mcts", "nodes": 50}, {"nodes": 50, "tt": 0}, None, ["player", "a", "b", "nodes", "50", 1]),
        ({"type": "greedy"}, {"type": "random"}, None, ["player", "a", "b", "", "", 1]),
        ({"depth": 4}, {"depth": 1, **MINE}, None, ["player", "b", "a", "", "", 1]),
        ({"depth": 4, **MINE}, {"depth": 1, **MINE}, None, ["player", "a", "b", "", "", 1]),
        ({"depth": 4}, {"depth": 1}, "a", ["player", "b", "a", "", "", 1]),
        ({"depth": 4, "tt": 0}, {"depth": 4}, None, ["tt", "a (tt 0)", "b (default tt)", "depth", "4", 1]),
        (
            {"depth": 4},
            {"depth": 4, **MINE},
            None,
            ["evaluation", "b (advance)", "a (default evaluation)", "depth", "4", 1],
        ),
    ],
)
def test_two_players_are_compared_whatever_they_differ_in(
    first: dict[str, Any], second: dict[str, Any], anchor: str | None, row: list[Any]
) -> None:
    """The first against the second, or code of one's own against the built-in player."""
    players = [
        {"type": "negamax", **given, "name": name} for name, given in zip("ab", (first, second), strict=True)
    ]
    (found,) = comparisons(rated({"a": 30.0, "b": 10.0}), specs(players), anchor).to_dict("records")
    assert [found[name] for name in ("setting", "value", "reference", "terms", "at", "pairs")] == row
    sign = 1 if row[1].startswith("a") else -1
    assert found["elo_difference"] == 20 * sign and found["baseline"]
    assert found["elo_difference_high"] - 20 * sign == pytest.approx(Z95 * np.sqrt(200))


def test_players_without_common_games_are_not_compared() -> None:
    players = [player("a", 4, evaluation="simple"), player("b", 4, evaluation="cis300")]
    apart = rated({"a": 9, "b": 1}, groups=(("a",), ("b",)))
    assert comparisons(apart, specs(players)).empty
    assert rated({"a": 9.0, "b": 1}).contrast({"a": 1, "c": -1}) is None


# openings


def pairs_of(results: list[tuple[int, str, str]]) -> pd.DataFrame:
    """Pairs of games of (opening, first result, second result)."""
    rows = [
        (2 * i + side, i, opening, START, pair[side])
        for i, (opening, *pair) in enumerate(results)
        for side in (0, 1)
    ]
    return pd.DataFrame(rows, columns=["game", "pair", "opening", "opening_fen", "result"])


def test_an_openings_bias_is_the_first_movers_score_over_pairs() -> None:
    first = [(1, "white", "white"), (1, "white", "draw")] * 5
    games = pairs_of([*first, *[(2, "black", "white"), (2, "draw", "draw")] * 5])
    white = openings(games, "white")
    assert white[["opening", "pairs", "score"]].to_numpy().tolist() == [[1, 10, 0.875], [2, 10, 0.5]]
    assert openings(games, "black")["score"].tolist() == [0.125, 0.5]
    error = t.ppf(0.975, 18) * np.sqrt(10 * 0.125**2 / 18) / np.sqrt(10)
    np.testing.assert_allclose(white["score_low"], [0.875 - error, 0.5 - error])
    np.testing.assert_allclose(white["score_high"], [0.875 + error, 0.5 + error])


def test_an_opening_of_single_games_or_few_pairs_has_no_row() -> None:
    few = [(1, "white", "white")] * 9
    assert openings(pairs_of(few), "white").empty
    assert openings(pairs_of([*few, few[0]]).iloc[:-1], "white").empty


# convergence


def test_convergence_ends_at_the_ratings_of_the_whole_run_and_its_bands_narrow(grid: Run) -> None:
    table = grid.convergence
    assert table["games"].unique().tolist() == [60, 90, 120, 150, 180, 210, 240]
    last = table[table["games"] == 240].set_index("player")["elo"]
    np.testing.assert_allclose(last[grid.players], grid.standings["elo"])
    width = (table["elo_high"] - table["elo_low"]).groupby(table["games"]).mean()
    assert width.iloc[-1] < 0.7 * width.iloc[0]


def test_convergence_ends_at_the_standings_where_games_repeat_one_another(grid: Run, tmp_path: Path) -> None:
    """As deterministic players make them: of each two openings the second has the games of the first."""
    twin = (grid.games["opening"] // 2 * 2).map(lambda opening: f"{START}{opening}")
    meeting = [grid.games["white"], grid.games["black"], grid.games["opening"] // 2]
    games = grid.games.assign(opening_fen=twin, result=grid.games.groupby(meeting)["result"].transform("first"))
    run = changed(grid, tmp_path, games=games, moves=grid.moves.assign(move="11-15"))
    assert run.repeated_games == len(games) // 2
    table = run.convergence
    last = table[table["games"] == len(games)].drop(columns="games").reset_index(drop=True)
    pd.testing.assert_frame_equal(last, run.standings[["player", "elo", "elo_low", "elo_high"]])


def test_convergence_stops_before_the_first_missing_game(grid: Run) -> None:
    games = grid.rated_games[grid.games["game"] != 125].reset_index(drop=True)
    table = convergence(games, grid.players, "black")
    assert table["games"].unique().tolist() == [60, 90, 120, 124]
    assert convergence(games[games["game"] > 1], grid.players, "black").empty


# charts and files


def short(folder: Path, players: list[dict[str, Any]]) -> Run:
    """A run of few and short games."""
    return synthetic(folder, players, 3, plies=4)


def test_the_chart_of_a_sweep_stands_below_the_answer(grid: Run, tmp_path: Path) -> None:
    assert answering_chart(grid) == "elo_by_depth"
    opening, *_ = RunPage(grid).sections()
    assert [block.name for block in opening.blocks if isinstance(block, Chart)] == ["elo_by_depth"]
    opening, *_ = RunPage(short(tmp_path, EQUAL)).sections()
    assert not [block for block in opening.blocks if isinstance(block, Chart)]


def test_a_run_of_three_limits_has_the_elo_of_each_below_one_another(tmp_path: Path) -> None:
    ax: Any = drawn(short(tmp_path, EQUAL))["elo"]
    parts = [(part.get_title(loc="left"), len(part.get_yticks())) for part in ax.figure.axes]
    assert sorted(parts) == [("At 2 k nodes", 2), ("At 20 ms", 2), ("At depth 6", 2)]
    assert_nothing_is_cut_off(ax.figure, "elo")


def test_a_line_of_nodes_has_three_depths(tmp_path: Path) -> None:
    assert "nodes" not in drawn(short(tmp_path, [player("r", type="random"), player("s", 3), player("t", 4)]))
    assert "nodes" in drawn(short(tmp_path, [player(f"s{depth}", depth) for depth in (2, 3, 4)]))


def test_charts_of_a_sweep_show_no_missing_number_and_cut_no_text_off(grid: Run) -> None:
    charts = drawn(grid)
    assert set(OF_SWEEPS) <= set(charts)
    for name in OF_SWEEPS:
        assert not [text for text in texts(charts[name]) if MISSING_WORD.search(text)], name
        assert_nothing_is_cut_off(charts[name].figure, name)


def test_the_depth_chart_draws_the_fitted_curve_through_its_ends(grid: Run) -> None:
    ax: Any = drawn(grid)["elo_by_depth"]
    fit: Any = grid.gains[grid.gains["per"] == "depth"].iloc[0]
    curve = next(line for line in ax.lines if len(line.get_xdata()) == 100)
    np.testing.assert_allclose(curve.get_xdata()[[0, -1]], [1, 4])
    np.testing.assert_allclose(curve.get_ydata()[[0, -1]], [fit["elo_at_1"], fit["elo_at_1"] + 2 * fit["gain"]])
    assert f"evaluation cis300: +{fit['gain']:.0f} ± " in ax.get_legend().get_texts()[0].get_text()


def test_only_some_of_many_players_are_drawn() -> None:
    names = [f"p{i:02d}" for i in range(20)]
    table = pd.DataFrame([(g, n, 0.0 - i, -9.0, 9.0) for g in (40, 80, 120) for i, n in enumerate(names)])
    table.columns = pd.Index(["games", "player", "elo", "elo_low", "elo_high"])
    ax: Any = plot_convergence(table)
    names = [text for text in texts(ax) if text.startswith("p")]
    assert len(names) == 8 and {"p00", "p19"} <= set(names)
    assert "8 of 20 players" in figure_of(ax).get_suptitle()


def test_families_of_one_type_are_named_by_their_settings_alone() -> None:
    assert set(families(specs(GRID)).values()) == {"evaluation simple", "evaluation cis300"}
    assert families(specs(EQUAL)) == {}
    switched = (
        PlayerSpec(f"{depth}{on}", "cis300", Limit(depth=depth), {"x": on})
        for depth in (2, 4)
        for on in (True, False)
    )
    assert set(families(switched).values()) == {"x", "no x"}
