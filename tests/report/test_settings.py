"""What settings are worth: players at equal terms, sweeps and ablations, against numbers by hand and by scipy."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2, ttest_1samp

from arena.ratings.interval import Z95
from arena.ratings.joint import Family, Ratings, rate
from arena.report.charts.catalogue import answering_chart, charts
from arena.report.charts.plots import plot_ablation, plot_sweep
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.sentences.answer import answer
from arena.report.tables import comparisons as tables
from arena.report.tables.comparisons import doublings, lines, points, sweep
from arena.report.tables.effort import ablation
from arena.report.tables.settings import families
from arena.report.tables.table import with_decimals
from arena.report.tables.views import differences, disagreeing, stated
from arena.report.write import DECIMALS
from players.player import PlayerSpec
from tests.helpers.report_data import (
    EQUAL,
    GRID,
    MISSING_WORD,
    TERMS,
    experiment,
    frames,
    player,
    rated,
    run_of,
    searched,
    specs,
    synthetic,
)

Players = list[dict[str, Any]]
COLUMNS = ["setting", "value", "reference", "terms", "at", "pairs", "baseline", "elo_difference"]
OWN = [player(f"own {name}", 4, evaluation=f"mine.py:{name}") for name in ("fast", "slow", "poor")]
MINE = {"evaluation": "/home/ann/mine.py:advance"}


# players at equal terms


def ratings_of(players: Players, elo: list[float], covariance: np.ndarray | None = None) -> Ratings:
    return rated(dict(zip([one["name"] for one in players], elo, strict=True)), covariance)


def comparisons(ratings: Ratings, of: tuple[PlayerSpec, ...], anchor: str | None = None) -> pd.DataFrame:
    """All comparisons of players, with those of each level."""
    meetings = tables.meetings(of, anchor)
    return tables.comparisons(ratings, meetings, Family(ratings, [meeting.weights for meeting in meetings]))


CASES: dict[str, tuple[Players, list[float], str | None, list[list[Any]]]] = {
    "at each kind of limit": (EQUAL, [0, 10, 20, 40, 10, 0], None, [
        ["evaluation", "cis300", "simple", "depth", "6", 1, True, 40],
        ["evaluation", "cis300", "simple", "nodes", "2000", 1, True, 0],
        ["evaluation", "cis300", "simple", "time", "0.02 s", 1, True, -20],
    ]),
    "with the value of the anchor": (EQUAL, [0, 10, 20, 40, 10, 0], EQUAL[-1]["name"], [
        ["evaluation", "simple", "cis300", "depth", "6", 1, True, -40],
        ["evaluation", "simple", "cis300", "nodes", "2000", 1, True, 0],
        ["evaluation", "simple", "cis300", "time", "0.02 s", 1, True, 20],
    ]),
    "limits of one kind are averaged": (GRID, [0, 10, 20, 30, 20, 70], None, [
        ["evaluation", "cis300", "simple", "depth", "1 to 4", 3, True, 30],
    ]),
    "a factorial has main effects": (
        [
            player(f"{pvs}{draws}", 4, pvs=pvs, draws=draws, evaluation={"linear": {"man": 1}})
            for pvs in (True, False) for draws in (True, False)
        ],
        [10, 4, 6, 0], None, [
            ["pvs", "no pvs", "pvs", "depth", "4", 2, True, -4],
            ["draws", "no draws", "draws", "depth", "4", 2, True, -6],
        ],
    ),
    "every two values, with the baseline first": (
        [player("simple", 4, evaluation="simple"), *OWN], [0, 50, 10, -70], None, [
            ["evaluation", "fast", "simple", "depth", "4", 1, True, 50],
            ["evaluation", "slow", "simple", "depth", "4", 1, True, 10],
            ["evaluation", "poor", "simple", "depth", "4", 1, True, -70],
            ["evaluation", "slow", "fast", "depth", "4", 1, False, -40],
            ["evaluation", "poor", "fast", "depth", "4", 1, False, -120],
            ["evaluation", "poor", "slow", "depth", "4", 1, False, -80],
        ],
    ),
    "with the first that they meet": (
        [player(*it[:2], evaluation=it[2]) for it in (("a", 4, "1"), ("b", 4, "2"), ("c", 5, "3"), ("d", 5, "4"))],
        [0, 0, 0, 9], None, [
            ["evaluation", "b (2)", "a (1)", "depth", "4", 1, True, 0],
            ["evaluation", "d (4)", "c (3)", "depth", "5", 1, True, 9],
        ],
    ),
    "classes are no values": ([player(f"p{i}", 4, type=f"class.py:P{i}") for i in range(3)], [0, 0, 0], None, []),
    "a command is no setting": (
        [
            player(f"{name} {depth}", depth, "engine", **own)
            for name, own in (("new", {"command": "e"}), ("old", {"command": ["e", "-o"], "folder": "f"}))
            for depth in (1, 2)
        ],
        [0, 1, 2, 3], None, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_players_that_differ_in_one_setting_are_compared(case):
    players, elo, anchor, rows = CASES[case]
    table = comparisons(ratings_of(players, elo), specs(players), anchor).query("level == ''")
    assert table[COLUMNS[:-1]].to_numpy().tolist() == [row[:-1] for row in rows]
    assert table["elo_difference"].tolist() == pytest.approx([row[-1] for row in rows], abs=1e-9)


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
            ["evaluation", "b (advance)", "a (simple)", "depth", "4", 1],
        ),
    ],
)
def test_two_players_are_compared_whatever_they_differ_in(first, second, anchor, row):
    """The first against the second, or code of one's own against the built-in player."""
    players = [{"type": "negamax", **given, "name": name} for name, given in (("a", first), ("b", second))]
    (found,) = comparisons(ratings_of(players, [30, 10]), specs(players), anchor).to_dict("records")
    sign = 1 if row[1].startswith("a") else -1
    assert [found[name] for name in COLUMNS] == [*row, True, pytest.approx(20 * sign)]
    assert found["elo_difference_high"] - 20 * sign == pytest.approx(Z95 * np.sqrt(200))


def test_the_interval_has_the_covariance_of_the_players_and_narrows_with_their_pairs():
    covariance = np.full((6, 6), 30.0) + np.eye(6) * 70
    table = comparisons(ratings_of(EQUAL, [0, 10, 20, 40, 10, 0], covariance), specs(EQUAL))
    error = Z95 * np.sqrt(100 + 100 - 2 * 30)
    np.testing.assert_allclose(table["elo_difference_high"] - table["elo_difference"], error)
    assert table["shown"].tolist() == [True, False, False]
    (row,) = comparisons(ratings_of(GRID, [0.0] * 6), specs(GRID)).query("level == ''").to_dict("records")
    assert row["elo_difference_high"] == pytest.approx(Z95 * np.sqrt(6 * 100 / 9))


def test_players_without_common_games_are_not_compared():
    players = [player("a", 4, evaluation="simple"), player("b", 4, evaluation="cis300")]
    assert comparisons(rated({"a": 9, "b": 1}, groups=(("a",), ("b",))), specs(players)).empty


def test_a_mean_says_nothing_where_its_pairs_do_not_agree_and_the_grid_has_each():
    apart, alike = (ratings_of(GRID, [0.0, 10, 20, *own]) for own in ([-180, 20, 320], [40, 45, 70]))
    table = comparisons(apart, specs(GRID))
    (mean,) = disagreeing(table).to_dict("records")
    q = sum((each - mean["elo_difference"]) ** 2 / 200 for each in (-180, 10, 300))
    assert mean["agreement"] == pytest.approx(chi2.sf(q, 2)) and mean["pairs"] == 3
    assert stated(table)["level"].tolist() == ["depth 1", "depth 2", "depth 4"]
    assert stated(table)["elo_difference"].tolist() == pytest.approx([-180, 10, 300])
    assert differences(table).texts().columns.tolist() == ["Value", "Against", "Depth 1", "Depth 2", "Depth 4"]
    assert stated(comparisons(alike, specs(GRID)))["level"].tolist() == [""]
    assert differences(comparisons(alike, specs(GRID))).texts().shape == (1, 3)


def test_levels_are_what_the_players_of_a_pair_have_in_common_and_other_pairs_not():
    players = [
        player(f"{e}{tt}{d}", d, evaluation=e, tt=tt)
        for e in ("simple", "strong")
        for tt in (0, 8)
        for d in (1, 2)
    ]
    table = comparisons(ratings_of(players, [0.0] * 8), specs(players)).query("setting == 'evaluation'")
    assert table["level"].tolist() == ["", *(f"tt {tt}, depth {d}" for tt in (0, 8) for d in (1, 2))]


def test_values_of_the_same_words_are_told_apart_by_their_players():
    mixes = [{"mix": {"x": 1}}, {"mix": {"x": 1, "y": 2}, "more": {}}, {"mix": {"x": 1}, "less": {}}]
    unlike = [player(f"p{i}", 4, evaluation=value) for i, value in enumerate(["some/where/net.npz", *mixes[:2]])]
    unlike += [player("q1", 5, evaluation=mixes[0]), player("q0", 5, evaluation=mixes[2])]
    named = (("bold", {"mix": {"safety": 0}}), ("neat", {"mix": {"formation": 0}}))
    alike = [player(f"{name}, depth {d}", d, evaluation=mix) for d in (4, 5) for name, mix in named]
    found = []
    for players in (unlike, alike):
        table = comparisons(ratings_of(players, [0.0] * len(players)), specs(players))
        found.append({*table["value"], *table["reference"]})
    assert "p0 (net.npz)" in found[0] and len(found[0]) == 4
    assert found[1] == {"mix (bold, depth 4)", "mix (neat, depth 4)"}


def test_a_table_has_a_row_for_each_value_or_pair_and_columns_for_each_kind_of_terms():
    players = [player(f"{e} {term}", evaluation=e, **term) for e in ("x", "y", "z") for term in TERMS]
    table = comparisons(ratings_of(players, [0, 0, 0, 50, 40, 30, 10, 20, -60]), specs(players))
    assert differences(table).texts().to_numpy().tolist()[0] == ["y", "x", "+50 ± 28", "+40 ± 28", "+30 ± 28"]
    pairs = differences(table, pairs=True).texts()
    assert pairs["Value"].tolist() == ["y", "z", "z"] and pairs.iloc[2].tolist()[1:3] == ["y", "−40 ± 28"]


FAMILIES = [player(f"{e}{d}", d, evaluation=e) for e in ("a", "b") for d in (2, 4)]


@pytest.mark.parametrize(
    ("players", "named"),
    [
        (FAMILIES, {"a2": "evaluation a", "a4": "evaluation a", "b2": "evaluation b", "b4": "evaluation b"}),
        (
            [*FAMILIES[:2], player("m2", 2, "minimax"), player("m3", 3, "minimax"), player("lone", 9, tt=True)],
            {"a2": "alphabeta, evaluation a", "a4": "alphabeta, evaluation a", "m2": "minimax", "m3": "minimax"},
        ),
        (
            [player(f"{on}{d}", d, switch=on) for on in (True, False) for d in (2, 4)],
            {"True2": "switch", "True4": "switch", "False2": "no switch", "False4": "no switch"},
        ),
        (
            [player(f"{w}d{d}", d, evaluation={"linear": {"king": w}}) for w in (1, 2) for d in (2, 4)],
            {f"{w}d{d}": f"evaluation linear ({w}d2, ...)" for w in (1, 2) for d in (2, 4)},
        ),
        (
            [player(f"{c}{d}", d, "engine", command=c, log=d == 1) for c in ("x", "y") for d in (1, 2)],
            {f"{c}{d}": f"engine ({c}1, ...)" for c in ("x", "y") for d in (1, 2)},
        ),
        ([player("r", type="random"), player("s", 3)], {}),
    ],
)
def test_families_differ_in_depth_only_and_are_named_by_what_tells_them_apart(players, named):
    assert families(specs(players)) == named


# sweeps


def gains_of(ratings: Ratings, depths: list[int]) -> pd.DataFrame:
    of_depth = ratings.table.assign(per="depth", family="f", x=depths)
    found = doublings(ratings, of_depth)
    return sweep(ratings, of_depth, found, Family(ratings, [each.weights for each in found]))


@pytest.mark.parametrize(("off", "fits"), [([-6, 9, -2, -8], True), ([0, 90, 20, 0], False)])
def test_a_gain_is_the_slope_of_least_squares_and_fits_by_the_probability_of_its_misfit(off, fits):
    depths = [1, 2, 4, 8]
    x = np.log2(depths)
    elo = 50 + 90 * x + off
    table = gains_of(rated(dict(zip((f"d{d}" for d in depths), elo, strict=True))), depths)
    (row,) = lines(table).to_dict("records")
    slope, intercept = np.polyfit(x, elo, 1)
    error = Z95 * 10 / np.sqrt(((x - x.mean()) ** 2).sum())
    found = [row[name] for name in ("gain", "gain_low", "gain_high", "elo_at_1", "agreement")]
    rest = ((elo - intercept - slope * x) ** 2).sum() / 100
    expected = [slope, slope - error, slope + error, intercept, chi2.sf(rest, 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert (row["fits"], row["shown"], len(table)) == (fits, True, 4)
    ax: Any = plot_sweep(table)
    assert any(len(line.get_xdata()) == 100 for line in ax.lines) == fits


def test_a_gain_does_not_depend_on_the_anchor():
    runs = [synthetic(Path(), GRID, 6, anchor=anchor, plies=4) for anchor in (None, "cis300 d4")]
    names = ["family", "per", "gain", "gain_low", "gain_high", "agreement", "fits", "shown"]
    free, anchored = (lines(run.sweep).sort_values(["per", "family"])[names] for run in runs)
    pd.testing.assert_frame_equal(free.reset_index(drop=True), anchored.reset_index(drop=True), rtol=1e-6)


@pytest.mark.full
def test_the_interval_of_a_gain_covers_the_truth_in_simulated_tournaments():
    rng = np.random.default_rng(1)
    depths = np.array([1, 2, 4, 8])
    names = [f"d{d}" for d in depths]
    pairings = [(a, b) for a, b in combinations(range(4), 2) for _ in range(30) for a, b in ((a, b), (b, a))]
    white, black = np.array(pairings).T
    chance = 1 / (1 + 10 ** (-60 * (np.log2(depths)[white] - np.log2(depths)[black]) / 400))
    covered = 0
    for _ in range(50):
        result = np.where(rng.random(len(white)) < chance, "white", "black")
        games = pd.DataFrame({"white": np.array(names)[white], "black": np.array(names)[black], "result": result})
        ratings = rate(games.assign(pair=np.arange(len(games)) // 2), names)
        order = [int(name[1:]) for name in ratings.table["player"]]
        (line,) = doublings(ratings, ratings.table.assign(per="depth", family="f", x=order))
        gain = ratings.contrast(line.weights)
        covered += gain is not None and gain.low <= 60 <= gain.high
    assert binom.cdf(covered, 50, 0.95) > 0.001


def test_elo_against_nodes_needs_three_players_and_tells_families_of_different_limits_apart():
    players = [player(f"n{n}", nodes=n) for n in (100, 200, 400)] + [player(f"d{d}", d) for d in (1, 2, 3)]
    players += [player(f"t{s}", type="x", seconds=s) for s in (0.1, 0.2)]
    standings = pd.DataFrame({"player": [p["name"] for p in players], "elo": np.arange(8.0), "games": 9})
    standings = standings.assign(elo_low=0.0, elo_high=1.0, nodes_per_move=[90, 180, 300, 7, 8, 9, 5, 6])
    table = points(standings, specs(players)).query("per == 'nodes'")
    assert sorted(map(tuple, table[["family", "player"]].to_numpy().tolist())) == [
        ("alphabeta by depth", "d1"), ("alphabeta by depth", "d2"), ("alphabeta by depth", "d3"),
        ("alphabeta by nodes", "n100"), ("alphabeta by nodes", "n200"), ("alphabeta by nodes", "n400"),
    ]  # fmt: skip
    assert table["x"].tolist() == [7, 8, 9, 90, 180, 300]


def test_every_number_in_which_players_differ_alone_is_swept_and_has_its_chart(tmp_path):
    weights = [{"linear": {"man": man, "king": king}} for man in (1, 2, 4) for king in (3, 5, 7)]
    players = [player(f"p{i}", 2, evaluation=weight) for i, weight in enumerate(weights)]
    players += [player("deeper", 4, evaluation=weights[0]), player("other", 2, evaluation="simple")]
    run = synthetic(tmp_path, players, 1, plies=2)
    elo = run.standings.set_index("player")["elo"]
    assert [*charts(run)] == ["comparisons", "elo_by_man", "elo_by_king"] and answering_chart(run) == "elo_by_man"
    for name, other in (("man", "king"), ("king", "man")):
        of_number = run.sweep[run.sweep["per"] == name].set_index("player")
        numbers = {f"p{i}": weight["linear"] for i, weight in enumerate(weights)}
        assert of_number["x"].to_dict() == {who: each[name] for who, each in numbers.items()}
        assert of_number["family"].to_dict() == {who: f"{other} {each[other]}" for who, each in numbers.items()}
        assert (of_number["elo"] == elo[of_number.index]).all() and of_number["gain"].isna().all()
    first: Any = charts(run)["elo_by_man"].draw().containers[0]
    assert first[0].get_xdata().tolist() == [1, 2, 4]
    assert {*synthetic(tmp_path, players[:3], 1, plies=2).sweep["family"]} == {""}


# ablations

FOUR = [
    player("full", 3),
    player("no_tt", 3, tt=0),
    player("weak", 1, evaluation="simple"),
    player("lost", type="random"),
]
COUNTS = {"full": [100, 200, 400], "no_tt": [300, 500, 1400], "weak": [50, 0, 300], "lost": [5, 7, 9]}
MEASURED = ["nodes", "seconds", "branching_factor"]


def ablated(counts: dict[str, list[int]], pairs: int = 3) -> Run:
    """A run with these searches of random positions to depth 6."""
    of = experiment(FOUR, suite={"random": 3, "depth": 6})
    return run_of(Path(), of, *frames(FOUR, pairs, plies=6), searched(**counts))


def test_ratios_are_geometric_means_over_positions_that_both_searched_to_the_depth():
    table: Any = ablated(COUNTS).ablation.set_index("player")
    logs = np.log([3, 2.5, 3.5])
    low, high = ttest_1samp(logs, 0).confidence_interval(0.95)
    for cost in ("node_ratio", "time_ratio"):
        shown = table.loc["no_tt", [cost, f"{cost}_low", f"{cost}_high"]].to_numpy(dtype=float)
        np.testing.assert_allclose(shown, np.exp([logs.mean(), low, high]))
    assert table.loc["full", MEASURED].tolist() == pytest.approx([200, 200e-6, 200 ** (1 / 6)])
    assert table["positions"].tolist() == [3, 3, 2, 0]
    assert table.loc["weak", "node_ratio"] == pytest.approx(np.sqrt(50 / 100 * 300 / 400))
    assert table.loc["weak", "nodes"] == pytest.approx(np.sqrt(50 * 300))
    assert table.loc["lost", [*MEASURED, "node_ratio", "node_ratio_low", "time_ratio"]].isna().all()
    single: Any = ablated({"full": [100, 100], "no_tt": [300, 0]}).ablation.set_index("player").loc["no_tt"]
    assert single["node_ratio"] == pytest.approx(3) and np.isnan(single["node_ratio_low"])


def test_the_reference_is_the_anchor_or_the_first_player_and_comes_first():
    run = ablated(COUNTS)
    assert run.ablation["player"].tolist() == ["full", "no_tt", "weak", "lost"]
    table = ablation(run.data.answers, run.ratings, run.experiment.model_copy(update={"anchor": {"no_tt": 0.0}}))
    assert table["player"].tolist() == ["no_tt", "full", "weak", "lost"]
    assert table["node_ratio"][1] == pytest.approx(1 / run.ablation["node_ratio"][1])
    elo, other = run.ablation.set_index("player")["elo_difference"], table.set_index("player")["elo_difference"]
    assert other["full"] == pytest.approx(-elo["no_tt"]) and elo["full"] == other["no_tt"] == 0
    ends = ["elo_difference", "elo_difference_low", "elo_difference_high"]
    found = run.ratings.difference("no_tt", "full")
    assert run.ablation[ends].iloc[1].tolist() == pytest.approx([*found] if found else None)


@pytest.mark.full(but=["usual"])
@pytest.mark.parametrize(
    ("pairs", "counts"),
    [(0, COUNTS), (3, COUNTS), (3, {"full": [0, 0], "no_tt": [0, 0]}), (3, {"full": [100], "no_tt": [100]})],
    ids=["no games", "usual", "nobody reached the depth", "one position"],
)
def test_page_and_chart_of_an_ablation_show_no_missing_number(pairs, counts):
    run = ablated(counts, pairs)
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


def test_the_answer_names_each_change_with_its_interval_the_largest_loss_first():
    claims = answer(ablated(COUNTS, pairs=20))
    assert {claim.names for claim in claims} == {(name, "full") for name in ("no_tt", "weak", "lost")}
    values = [claim.interval.value for claim in claims if claim.interval]
    assert values == sorted(values) and len(values) == 3
    assert [claim.note for claim in claims if claim.names[0] == "weak"] == ["at another limit"]
