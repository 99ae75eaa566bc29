"""Tests of reports: tables against counts made by hand, charts and page against what a reader would see."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena.report import page, plot_sweeps, plots, tables
from arena.report.run import Run
from arena.report.write import write
from tests.report_data import MOVE_COLUMNS, OPENING, START, config, frames, player

MISSING_WORD = re.compile(r"(?<![A-Za-z])(nan|inf|none|null|<na>)(?![A-Za-z])", re.IGNORECASE)

LONG = [player(f"player-{i:02d} of the forty-character kind abc"[:40], 1 + i % 9, e=i) for i in range(30)]
SWEEP = [player(f"ab-d{depth}", depth) for depth in (1, 2, 3, 5)]
MIXED = [*SWEEP, player("random", type="random")]


def run(folder: Path, players: list[dict[str, Any]], pairs: int, **options: Any) -> Run:
    return Run(folder, *frames(players, pairs, plies=6, **options))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A depth sweep of four players and one that does not search, written to its folder."""
    made = run(tmp_path_factory.mktemp("mixed"), MIXED, 3)
    write(made)
    return made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Names that are markup in HTML, Markdown, TeX, PDN and CSV, written to its folder."""
    players = [player("<script>alert(1)</script>", 2), player("a|b*c_d`e", 3), player('$x^2$ "q", \\n', 4)]
    made = run(tmp_path_factory.mktemp("hostile"), players, 2)
    made.config["name"] = "<b>run</b> & co"
    write(made)
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of one player without games, written to its folder."""
    made = run(tmp_path_factory.mktemp("empty"), [player("alone", 3)], 0)
    write(made)
    return made


def by_hand() -> pd.DataFrame:
    """Five games of three players: a beats b twice, b and a draw, c beats a, c and b draw."""
    rows = [
        ("a", "b", "1-0"),
        ("b", "a", "0-1"),
        ("b", "a", "1/2-1/2"),
        ("a", "c", "0-1"),
        ("c", "b", "1/2-1/2"),
    ]
    games = pd.DataFrame(rows, columns=["white", "black", "result"])
    games["termination"] = ["no_moves", "no_moves", "repetition", "no_moves", "max_plies"]
    return games


def moves_with(rows: list[tuple[str, int, int, float]]) -> pd.DataFrame:
    """Moves of (player, depth, nodes, seconds)."""
    moves = pd.DataFrame(rows, columns=["player", "depth", "nodes", "seconds"])
    moves["player"] = pd.Categorical(moves["player"], categories=[*dict.fromkeys(moves["player"]), "absent"])
    return moves.assign(leaves=moves["nodes"] // 2, legal_moves=7)


def texts(ax: Axes) -> list[str]:
    """All text that a chart shows."""
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    return [t.get_text() for t in figure.findobj(Text) if t.get_visible() and t.get_text()]


# tables


def test_crosstable_counts_points_of_the_row_player_with_both_colours() -> None:
    table: Any = tables.crosstable(by_hand(), ["c", "a", "b"])
    assert table.loc["a"].tolist() == ["0/1", "", "2.5/3"]
    assert table.loc["b"].tolist() == ["0.5/1", "0.5/3", ""]
    assert table.loc["c"].tolist() == ["", "1/1", "0.5/1"]


def test_crosstable_keeps_the_order_of_the_players_and_is_empty_where_two_never_met() -> None:
    table: Any = tables.crosstable(by_hand(), ["b", "newcomer", "a"])
    assert table.index.tolist() == table.columns.tolist() == ["b", "newcomer", "a"]
    assert table.loc["newcomer"].tolist() == ["", "", ""]


def test_scores_of_a_pair_add_up_to_one() -> None:
    _, games, _ = frames(SWEEP, 3)
    matrix = tables.score_matrix(games, [p["name"] for p in SWEEP]).to_numpy()
    off_diagonal = ~np.eye(len(matrix), dtype=bool)
    assert np.isnan(np.diag(matrix)).all()
    np.testing.assert_allclose((matrix + matrix.T)[off_diagonal], 1)


def test_outcomes_are_counted_by_colour() -> None:
    table: Any = tables.outcomes(by_hand(), ["a", "b", "newcomer"]).set_index(["player", "colour"])
    assert table.loc[("a", "white")].tolist() == [2, 1, 0, 1]
    assert table.loc[("a", "black")].tolist() == [2, 1, 1, 0]
    assert table.loc[("b", "black")].tolist() == [2, 0, 1, 1]
    assert table.loc[("newcomer", "white")].tolist() == [0, 0, 0, 0]


def test_terminations_come_most_frequent_first_with_their_share() -> None:
    table: Any = tables.terminations(by_hand())
    assert table["termination"].tolist() == ["no_moves", "max_plies", "repetition"]
    assert table["games"].tolist() == [3, 1, 1]
    assert table["share"].tolist() == [0.6, 0.2, 0.2]


def test_standings_carry_the_mean_cost_of_a_move_and_no_nodes_for_a_player_that_never_searched() -> None:
    ratings = pd.DataFrame({"player": ["x", "r", "absent"], "games": [2, 1, 0]})
    ratings[["elo", "elo_low", "elo_high", "score", "los"]] = 0.5
    moves = moves_with([("x", 4, 100, 0.5), ("x", 4, 300, 1.5), ("r", 0, 0, 0.25)])
    table: Any = tables.standings(ratings, moves).set_index("player")
    assert table.loc["x", ["nodes_per_move", "seconds_per_move"]].tolist() == [200, 1.0]
    assert np.isnan(table.loc["r", "nodes_per_move"]) and table.loc["r", "seconds_per_move"] == 0.25
    assert table.loc["absent", ["nodes_per_move", "seconds_per_move"]].isna().all()


def test_standings_have_no_rating_without_games_and_no_los_for_the_last_of_a_group() -> None:
    ratings = pd.DataFrame({"player": ["a", "b", "c", "d", "idle"], "games": [4, 4, 2, 2, 0]})
    ratings = ratings.assign(elo=1.0, elo_low=0.0, elo_high=2.0, score=0.5, los=0.7)
    groups = [("a", "b"), ("c", "d"), ("idle",)]
    table: Any = tables.standings(ratings, moves_with([]), groups).set_index("player")
    assert table["los"].dropna().to_dict() == {"a": 0.7, "c": 0.7}
    assert table.loc["idle", ["elo", "elo_low", "elo_high", "score", "los"]].isna().all()
    assert table.loc["d", "elo"] == 1.0


def test_a_repeated_game_has_the_same_players_colours_opening_and_moves() -> None:
    lines = {
        0: ["a-b", "c-d"],
        1: ["a-b", "c-d"],
        2: ["c-d", "a-b"],
        3: ["a-b", "c-d"],
        4: ["a-b", "c-d"],
        5: ["a-b"],
    }
    games = pd.DataFrame({"game": list(lines), "white": "x", "black": "y", "opening_fen": START})
    games.loc[3, ["white", "black"]] = ["y", "x"]
    games.loc[4, "opening_fen"] = OPENING
    rows = [(game, ply, move) for game, line in lines.items() for ply, move in enumerate(line, 1)]
    moves = pd.DataFrame(rows, columns=["game", "ply", "move"])
    assert tables.repeated_games(games, moves) == 1
    assert tables.repeated_games(games[games["game"] != 0], moves) == 0
    assert tables.repeated_games(games[:0], moves[:0]) == 0


def test_effort_by_depth_leaves_out_moves_without_search() -> None:
    moves = moves_with([("x", 4, 100, 0.5), ("x", 4, 300, 1.5), ("x", 0, 0, 9.0), ("x", 2, 10, 0.0)])
    table: Any = tables.by_depth(moves, ["x"])
    assert table["depth"].tolist() == [2, 4]
    assert table["moves"].tolist() == [1, 2]
    assert table["nodes_per_move"].tolist() == [10, 200]
    assert np.isnan(table["nodes_per_second"][0]) and table["nodes_per_second"][1] == 200


def test_branching_factor_is_the_geometric_mean_ratio_per_ply() -> None:
    players = [player("d2", 2), player("d4", 4), player("d5", 5), player("other", 4, type="mcts")]
    moves = moves_with([("d2", 2, 10, 1), ("d4", 4, 160, 1), ("d5", 5, 270, 1), ("other", 4, 7, 1)])
    table: Any = tables.branching(tables.by_depth(moves, ["d5", "d4", "d2", "other"]), config(players))
    table = table.set_index("player")
    assert table.loc["d2", "branching_factor"] == pytest.approx(27 ** (1 / 3))
    assert table.loc["d5", "branching_factor"] == table.loc["d2", "branching_factor"]
    assert np.isnan(table.loc["other", "branching_factor"]) and pd.isna(table.loc["other", "family"])


def test_a_player_of_a_family_is_measured_at_its_configured_depth_and_others_at_their_usual_one() -> None:
    players = [player("d2", 2), player("d4", 4), player("free", type="mcts")]
    moves = moves_with(
        [
            *[("d2", 2, 10, 1), ("d4", 1, 5, 1), ("d4", 1, 5, 1), ("d4", 4, 90, 1)],
            *[("free", 7, 70, 1), ("free", 8, 80, 1), ("free", 8, 90, 1)],
        ]
    )
    table: Any = tables.branching(tables.by_depth(moves, ["free", "d4", "d2"]), config(players))
    assert table["player"].tolist() == ["free", "d4", "d2"]
    assert table["depth"].tolist() == [8, 4, 2]
    assert table["nodes_per_move"].tolist() == [85, 90, 10]


def test_families_differ_in_name_and_depth_only_and_are_named_by_what_tells_them_apart() -> None:
    players = [player(f"{e}{d}", d, evaluation=e, tt=True) for e in ("material", "trained") for d in (2, 4)]
    players += [player("m2", 2, type="minimax"), player("m3", 3, type="minimax")]
    players += [player("lone", 9, tt=True), player("r", type="random")]
    assert tables.families(config(players)) == {
        "material2": "alphabeta, evaluation material",
        "material4": "alphabeta, evaluation material",
        "trained2": "alphabeta, evaluation trained",
        "trained4": "alphabeta, evaluation trained",
        "m2": "minimax",
        "m3": "minimax",
    }


def test_families_whose_weights_differ_have_different_names() -> None:
    players = [player(f"w{w}d{d}", d, evaluation={"linear": {"king": w}}) for w in (1, 2) for d in (2, 4)]
    names = tables.families(config(players))
    assert names["w1d2"] == names["w1d4"] == "evaluation linear (w1d2, ...)"
    assert names["w2d2"] == names["w2d4"] == "evaluation linear (w2d2, ...)"


def test_elo_by_depth_needs_three_depths_with_games() -> None:
    standings = pd.DataFrame({"player": ["a", "b", "c"], "elo": [2.0, 1.0, 0.0], "games": [9, 9, 9]})
    standings = standings.assign(elo_low=-1.0, elo_high=1.0)
    three = config([player("a", 6), player("b", 4), player("c", 1)])
    assert tables.elo_by_depth(standings, three)["depth"].tolist() == [1, 4, 6]
    assert tables.elo_by_depth(standings.assign(games=[9, 9, 0]), three).empty
    assert tables.elo_by_depth(standings, config([player("a", 6), player("b", 4), player("c", 4)])).empty


def test_search_time_gives_quantiles_of_each_player_in_order() -> None:
    moves = moves_with([("slow", 1, 1, s) for s in range(101)] + [("fast", 1, 1, 0.0)])
    table: Any = tables.search_time(moves, ["fast", "slow"]).set_index("player")
    assert table.index.tolist() == ["fast", "slow"]
    assert table.loc["slow", ["moves", "mean", "p05", "p50", "p95"]].tolist() == [101, 50, 5, 50, 95]


def told(**changes: Any) -> pd.DataFrame:
    """Two moves of `busy` that search and two of `idle` that tell nothing, with some columns set."""
    zero = {"deepest": 0, "cutoffs_max": 0, "cutoffs_min": 0, "cutoffs_first": 0, "tt_probes": 0, "tt_hits": 0}
    moves = moves_with([("busy", 3, 100, 0.5), ("busy", 4, 300, 1.5), ("idle", 0, 0, 1.0), ("idle", 0, 0, 9.0)])
    overrun = pd.array(np.full(4, np.nan), dtype="Float64")
    return moves.assign(**zero, overrun=overrun).assign(**changes)


def telemetry(moves: pd.DataFrame, *games: tuple[str, str, str, str]) -> pd.DataFrame:
    """The table of games (white, black, result, termination)."""
    rows = pd.DataFrame(games, columns=["white", "black", "result", "termination"])
    return tables.telemetry(rows, moves, ["idle", "busy"])


def test_telemetry_sums_what_a_player_tells_over_all_its_moves() -> None:
    moves = told(deepest=[5, 9, 0, 0], cutoffs_max=[1, 3, 0, 0], cutoffs_min=[2, 4, 0, 0])
    moves = moves.assign(cutoffs_first=[2, 6, 0, 0], tt_probes=[10, 30, 0, 0], tt_hits=[0, 10, 0, 0])
    table: Any = telemetry(moves).set_index("player")
    assert table.index.tolist() == ["idle", "busy"]
    row = table.loc["busy", ["nodes_per_second", "mean_depth", "deepest", "first_move_cutoffs", "tt_hits"]]
    assert row.tolist() == [200, 3.5, 9, 0.8, 0.25]
    assert table.loc["idle"].isna().all()
    assert table.loc["busy", ["overrun_p99", "overrun_max", "time_losses"]].isna().all()


def test_time_over_the_limit_and_losses_on_time_are_of_players_with_a_limit_of_time() -> None:
    moves = told(overrun=pd.array([np.nan, np.nan, 0.0, 0.2], dtype="Float64"))
    lost = [("idle", "busy", "0-1", "time"), ("busy", "idle", "1-0", "time"), ("idle", "busy", "1-0", "no_moves")]
    table: Any = telemetry(moves, *lost).set_index("player")
    assert table.loc["idle", ["overrun_p99", "overrun_max", "time_losses"]].tolist() == [0.198, 0.2, 2]
    assert table.loc["busy", ["overrun_p99", "overrun_max", "time_losses"]].isna().all()


def test_telemetry_shows_the_columns_and_players_that_have_data() -> None:
    silent = page.telemetry_text(telemetry(told()))
    assert silent.columns.tolist() == ["Player", "Nodes/s", "Mean depth"]
    assert silent["Player"].tolist() == ["busy"]
    hits = page.telemetry_text(telemetry(told(tt_probes=[4, 4, 0, 0])))
    assert hits.columns.tolist()[3:] == ["TT hits"] and hits["TT hits"].tolist() == ["0.0 %"]
    late = page.telemetry_text(telemetry(told(overrun=pd.array([np.nan, np.nan, 0.0, 0.2], dtype="Float64"))))
    assert late["Player"].tolist() == ["idle", "busy"]
    assert late[["Over limit, 99 %", "Over limit, worst", "Lost on time"]].to_numpy().tolist() == [
        ["198 ms", "200 ms", "0"],
        ["", "", ""],
    ]
    assert page.telemetry_text(telemetry(told()[:0])).empty


def test_a_player_that_only_keeps_a_clock_is_in_the_report(tmp_path: Path) -> None:
    _, games, moves = frames([player("r", type="random"), player("s", type="random")], 1)
    overrun = pd.array(np.full(len(moves), 0.25), dtype="Float64")
    whole = config([player("r", type="random"), player("s", type="random")])
    made = Run(tmp_path, whole, games.assign(result="1-0", termination="time"), moves.assign(overrun=overrun))
    text = page.markdown(made)
    assert "## Search effort" in text
    assert "| r | 250 ms | 250 ms | 1 |" in text and "| s | 250 ms | 250 ms | 1 |" in text
    assert "out of time" in texts(plots.draw(made)["terminations"])


def test_rounding_has_one_decimal_of_elo_four_of_score_and_six_digits_of_seconds() -> None:
    table = pd.DataFrame({"elo": [12.3456, -0.04], "score": [0.123456, 1], "seconds": [1.23456789e-5, np.inf]})
    text = tables.rounded(table).to_csv(index=False)
    assert text == "elo,score,seconds\n12.3,0.1235,1.23457e-05\n0.0,1.0,\n"


def test_rounding_to_six_digits_never_shows_more() -> None:
    values = np.random.default_rng(1).lognormal(0, 6, 2000)
    written = tables.rounded(pd.DataFrame({"x": values}))["x"]
    np.testing.assert_allclose(written, values, rtol=5.1e-6)
    digits = [repr(v).split("e")[0].replace(".", "").strip("0") for v in written.tolist()]
    assert max(map(len, digits)) == 6


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0, "s", "0 s"), (5e-4, "s", "500 µs"), (1234, "", "1.23 k"), (999.9e3, "", "1 M"), (7, "", "7")],
)
def test_quantities_have_three_digits_and_a_prefix(value: float, unit: str, text: str) -> None:
    assert tables.quantity(value, unit) == text


def test_tables_do_not_import_matplotlib_or_jinja2() -> None:
    code = "import sys, arena.report.tables; print(sorted({'matplotlib', 'jinja2'} & set(sys.modules)))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# charts


@pytest.mark.parametrize("players", [[], MIXED[:1], MIXED, LONG], ids=["0", "1", "5", "30"])
def test_a_run_without_games_says_so_in_every_chart(tmp_path: Path, players: list[dict[str, Any]]) -> None:
    charts = plots.draw(run(tmp_path, players, 0))
    assert set(charts) == set(plots.NAMES) - {"sprt", "ablation", "elo_by_depth", *plot_sweeps.NAMES}
    for ax in charts.values():
        assert "no games yet" in texts(ax)
        assert not ax.axison


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (MIXED, {}),
        (MIXED, {"draws": 1.1}),
        (LONG, {}),
        ([player("r", type="random"), player("s", type="x")], {}),
    ],
    ids=["mixed", "all draws", "thirty long names", "nobody searches"],
)
def test_no_chart_shows_a_missing_number_or_cuts_a_text_off(
    tmp_path: Path, players: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    for name, ax in plots.draw(run(tmp_path, players, 1, **options)).items():
        assert not [text for text in texts(ax) if MISSING_WORD.search(text)], name
        figure: Any = ax.figure
        shown = figure.get_tightbbox()
        assert shown.x0 >= -0.02 and shown.y0 >= -0.02, name
        assert shown.x1 <= figure.get_figwidth() + 0.02, name
        assert shown.y1 <= figure.get_figheight() + 0.02, name
        assert ax.get_window_extent().width > 0.25 * figure.bbox.width, name


def test_the_best_player_is_at_the_top_of_the_elo_chart(mixed: Run) -> None:
    ax: Any = plots.plot_elo(mixed.standings)
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == mixed.players
    assert ax.transData.transform((0, 0))[1] > ax.transData.transform((0, 1))[1]
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), mixed.standings["elo"])


def test_crosstable_cells_show_per_cent_with_fifty_in_the_neutral_colour() -> None:
    names = ["a", "b", "c"]
    matrix = pd.DataFrame([[np.nan, 0.5, 1.0], [0.5, np.nan, 0.25], [0, 0.75, np.nan]], names, names)
    ax: Any = plots.plot_crosstable(matrix)
    shown = {(t.get_position()[1] - 0.5, t.get_position()[0] - 0.5): t.get_text() for t in ax.texts}
    assert shown == {
        (0, 0): "·", (0, 1): "50", (0, 2): "100", (1, 0): "50", (1, 1): "·", (1, 2): "25", (2, 0): "0",
        (2, 1): "75", (2, 2): "·",
    }  # fmt: skip
    assert ax.collections[0].get_clim() == (0, 100)
    neutral = plots.SCORE_COLOURS(0.5)
    assert max(neutral[:3]) - min(neutral[:3]) < 0.02


def test_nodes_chart_names_each_family_with_its_branching_factor(mixed: Run) -> None:
    ax: Any = plots.plot_nodes(mixed.search)
    (label,) = [t.get_text() for t in ax.get_legend().get_texts()]
    assert label == f"alphabeta: branching factor {mixed.search['branching_factor'][0]:.2f}"
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3, 5]
    assert ax.get_yscale() == "log"


def test_nodes_chart_has_a_dot_for_each_player_where_no_depths_differ(tmp_path: Path) -> None:
    made = run(tmp_path, [player("x", 3), player("y", 3, type="minimax"), player("r", type="random")], 1)
    ax: Any = plots.plot_nodes(made.search)
    assert sorted(t.get_text() for t in ax.get_yticklabels()) == ["x", "y"]
    assert "depth 3" in texts(ax)


def test_a_legend_of_many_families_is_under_the_axes(tmp_path: Path) -> None:
    players = [player(f"{e}-d{d}", d, evaluation=e * 9) for e in "pqrstu" for d in (2, 4, 6)]
    made = run(tmp_path, players, 1)
    charts: list[Any] = [plots.plot_nodes(made.search), plots.plot_elo_by_depth(made.elo_by_depth)]
    for chart in charts:
        figure: Any = chart.figure
        figure.draw_without_rendering()
        (legend,) = figure.legends
        assert len(legend.get_texts()) == 6
        assert 0 <= legend.get_window_extent().y0 < legend.get_window_extent().y1 < chart.get_tightbbox().y0
        assert chart.get_window_extent().height > 0.4 * figure.bbox.height


def test_a_player_without_measured_time_is_named_and_not_drawn() -> None:
    moves = moves_with([("idle", 0, 0, 0.0), ("busy", 1, 1, 0.02), ("busy", 1, 1, 0.0)])
    shown = texts(plots.plot_time(tables.search_time(moves, ["busy", "idle"])))
    assert {"idle", "busy", "no time measured", "mean 10 ms"} <= set(shown)


def test_outcome_bars_end_at_one_hundred_per_cent_and_the_legend_is_outside(mixed: Run) -> None:
    ax: Any = plots.plot_outcomes(mixed.outcomes)
    ends = pd.Series({bar.get_y(): bar.get_x() + bar.get_width() for bar in ax.patches})
    np.testing.assert_allclose(ends, 100)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


def test_depth_chart_places_elo_over_depth(mixed: Run) -> None:
    ax: Any = plots.plot_elo_by_depth(mixed.elo_by_depth)
    line = ax.containers[0].lines[0]
    by_name: Any = mixed.standings.set_index("player")["elo"]
    assert line.get_xdata().tolist() == [1, 2, 3, 5]
    np.testing.assert_allclose(line.get_ydata(), by_name[["ab-d1", "ab-d2", "ab-d3", "ab-d5"]])


def test_charts_draw_on_given_axes_and_change_no_global_style(mixed: Run) -> None:
    before = dict(matplotlib.rcParams)
    ax = Figure().add_subplot()
    for name, table in [
        ("elo", mixed.standings), ("crosstable", mixed.score_matrix), ("nodes", mixed.search),
        ("time", mixed.search_time), ("outcomes", mixed.outcomes), ("terminations", mixed.terminations),
        ("elo_by_depth", mixed.elo_by_depth),
    ]:  # fmt: skip
        ax.clear()
        assert getattr(plots, f"plot_{name}")(table, ax) is ax
        assert ax.get_title(loc="left")
    assert dict(matplotlib.rcParams) == before


def test_dollar_signs_in_names_are_text_and_not_formulas(hostile: Run) -> None:
    ax: Any = plots.plot_elo(hostile.standings)
    label = next(t for t in ax.get_yticklabels() if "$" in t.get_text())
    assert not label.get_parse_math()


# page and files


def test_the_page_is_self_contained_and_escapes_names(hostile: Run) -> None:
    text = (hostile.folder / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text and "<b>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "&lt;b&gt;run&lt;/b&gt; &amp; co" in text
    links = re.findall(r'(?:href|src)="([^"]*)"', text) + re.findall(r"url\(([^)]*)\)", text)
    assert links and not [link for link in links if ":" in link or link.startswith("//")]
    assert "@import" not in text


def test_markdown_escapes_names_and_keeps_its_columns(hostile: Run) -> None:
    text = (hostile.folder / "summary.md").read_text(encoding="utf-8")
    assert "<" not in text.replace("< 0.1 %", "")
    assert r"a\|b\*c\_d\`e" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


def test_ids_of_the_page_are_unique_and_every_reference_finds_one(mixed: Run) -> None:
    text = (mixed.folder / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    assert references and references <= set(ids)


def test_every_file_that_the_page_links_is_written(mixed: Run) -> None:
    text = (mixed.folder / "report.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'href="([^"#]+)"', text))
    written = {path.name for path in mixed.folder.iterdir()}
    assert linked == written - {"report.html"}


def test_the_summary_says_who_leads_and_how_many_games_are_played(mixed: Run) -> None:
    mixed_text = " ".join([*page.headline(mixed), *page.facts(mixed)])
    rows: Any = mixed.standings.iloc
    top, second = rows[0], rows[1]
    assert f"5 players, {len(mixed.games)} games played of {len(mixed.games)} planned." in mixed_text
    assert f"{top['player']} leads with +{top['elo']:.0f} ± " in mixed_text
    assert f", {top['elo'] - second['elo']:.0f} Elo ahead of {second['player']}" in mixed_text
    draws = (mixed.games["result"] == "1/2-1/2").sum()
    assert f"{draws} games of {len(mixed.games)} ({100 * draws / len(mixed.games):.1f} %)" in mixed_text


def test_the_anchor_is_zero_and_has_no_interval(tmp_path: Path) -> None:
    made = run(tmp_path, MIXED, 3)
    made.config["anchor"] = "ab-d3"
    shown: Any = page.standings_text(made.standings).set_index("Player")
    assert shown.loc["ab-d3", ["Elo", "95 % interval"]].tolist() == ["0", "anchor"]
    assert " to " in str(shown.loc["ab-d5", "95 % interval"])
    assert plots.draw(made)["elo"].get_xlabel() == "Elo (ab-d3 = 0)"


def test_repeated_games_are_noted(mixed: Run, tmp_path: Path) -> None:
    assert not [note for note in page.notes(mixed) if "repeat" in note]
    games = mixed.games.assign(opening_fen=START, white="ab-d1", black="ab-d2")
    again = Run(tmp_path, mixed.config, games, mixed.moves.assign(move="11-15"))
    assert f"{len(games) - 1} of {len(games)} games repeat" in " ".join(page.notes(again))


def test_players_that_only_draw_are_called_level(tmp_path: Path) -> None:
    made = run(tmp_path, [player("x", 3), player("y", 4)], 2, draws=1.1)
    assert "are level at 0 ± " in " ".join(page.headline(made))


@pytest.mark.parametrize("kind", ["mixed", "hostile", "empty"])
def test_no_file_shows_a_missing_number(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind).folder
    for path in [*folder.glob("*.csv"), folder / "summary.md"]:
        found = MISSING_WORD.search(path.read_text(encoding="utf-8"))
        assert not found, (path.name, found)
    text = re.sub(r"<(style|svg|pre).*?</\1>", "", (folder / "report.html").read_text(), flags=re.DOTALL)
    assert not MISSING_WORD.search(re.sub(r"<[^>]*>", " ", text))


def test_csv_files_hold_the_tables(mixed: Run) -> None:
    standings = pd.read_csv(mixed.folder / "standings.csv")
    assert standings.columns.tolist() == [
        "rank", "player", "elo", "elo_low", "elo_high", "games", "wins", "draws", "losses", "score", "los",
        "nodes_per_move", "seconds_per_move",
    ]  # fmt: skip
    assert standings["player"].tolist() == mixed.players
    np.testing.assert_allclose(standings["elo"], mixed.standings["elo"], atol=0.0501)
    moves = pd.read_csv(mixed.folder / "moves.csv")
    assert moves.columns.tolist() == MOVE_COLUMNS
    assert moves["nodes"].tolist() == mixed.moves["nodes"].tolist()
    assert moves["score"].isna().tolist() == mixed.moves["score"].isna().tolist()
    games = pd.read_csv(mixed.folder / "games.csv")
    pd.testing.assert_frame_equal(games, mixed.games, check_dtype=False)
    crosstable = pd.read_csv(mixed.folder / "crosstable.csv", keep_default_na=False, index_col="player")
    pd.testing.assert_frame_equal(crosstable, mixed.crosstable, check_dtype=False)


def test_pdn_has_every_game_with_its_moves_and_a_fen_only_where_the_start_differs(mixed: Run) -> None:
    texts = (mixed.folder / "games.pdn").read_text(encoding="utf-8").strip().split("\n\n[Event")
    assert len(texts) == len(mixed.games)
    game: Any
    for text, game in zip(texts, mixed.games.itertuples(), strict=True):
        assert f'[Round "{game.round}.{game.game}"]' in text
        assert f'[White "{game.white}"]\n[Black "{game.black}"]\n[Result "{game.result}"]' in text
        assert ("[FEN" in text) == (game.opening_fen == OPENING) != (game.opening_fen == START)
        body = re.sub(r"\d+\.+ ", "", text.split("\n\n")[1]).split()
        assert body == [*mixed.moves.loc[mixed.moves["game"] == game.game, "move"], game.result]


def test_the_same_ledger_gives_the_same_bytes(mixed: Run, tmp_path: Path) -> None:
    again = Run(tmp_path, mixed.config, mixed.games.copy(), mixed.moves.copy())
    paths = write(again)
    assert {path.name for path in paths} == {path.name for path in mixed.folder.iterdir()}
    for path in paths:
        assert path.read_bytes() == (mixed.folder / path.name).read_bytes(), path.name


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(
    empty: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elo.png").write_bytes(b"old")

    def fail(axes: Axes, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(plots, "save_png", fail)
    with pytest.raises(OSError, match="disk full"):
        write(empty, tmp_path)
    assert (tmp_path / "elo.png").read_bytes() == b"old"
    assert not list(tmp_path.glob(".*"))


def test_a_chart_that_no_longer_applies_is_removed(empty: Run, tmp_path: Path) -> None:
    (tmp_path / "elo_by_depth.svg").write_text("stale")
    write(empty, tmp_path)
    assert not (tmp_path / "elo_by_depth.svg").exists()


def test_png_files_have_two_hundred_dots_per_inch(mixed: Run) -> None:
    width = int.from_bytes((mixed.folder / "elo.png").read_bytes()[16:20])
    figure: Any = plots.plot_elo(mixed.standings).figure
    assert width == pytest.approx(200 * figure.get_figwidth(), abs=1)
