"""Players at equal terms: which are compared, in which words, and with which interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from arena.ratings.interval import Z95
from arena.ratings.joint import Family, Ratings
from arena.report.tables import comparisons as tables
from arena.report.tables.views import differences, disagreeing, stated
from players.player import PlayerSpec
from tests.helpers.report_data import player, rated, specs

Players = list[dict[str, Any]]
COLUMNS = ["setting", "value", "reference", "terms", "at", "pairs", "baseline", "elo_difference"]
TERMS: Players = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]
EQUAL = [player(f"{e} {term}", evaluation=e, **term) for e in ("simple", "cis300") for term in TERMS]
GRID = [player(f"{e} d{d}", d, evaluation=e) for e in ("simple", "cis300") for d in (1, 2, 4)]
OWN = [player(f"own {name}", 4, evaluation=f"mine.py:{name}") for name in ("fast", "slow", "poor")]
MINE = {"evaluation": "/home/ann/mine.py:advance"}


def ratings_of(players: Players, elo: list[float], covariance: np.ndarray | None = None) -> Ratings:
    return rated(dict(zip([one["name"] for one in players], elo, strict=True)), covariance)


def comparisons(ratings: Ratings, of: tuple[PlayerSpec, ...], anchor: str | None = None) -> pd.DataFrame:
    """All comparisons of players, with those of each level."""
    meetings = tables.meetings(of, anchor)
    return tables.comparisons(ratings, meetings, Family(ratings, [meeting.weights for meeting in meetings]))


def means(ratings: Ratings, of: tuple[PlayerSpec, ...], anchor: str | None = None) -> pd.DataFrame:
    """The rows that are no level."""
    return comparisons(ratings, of, anchor).query("level == ''")


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
def test_players_that_differ_in_one_setting_are_compared(case: str) -> None:
    players, elo, anchor, rows = CASES[case]
    table = means(ratings_of(players, elo), specs(players), anchor)
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
def test_two_players_are_compared_whatever_they_differ_in(
    first: dict[str, Any], second: dict[str, Any], anchor: str | None, row: list[Any]
) -> None:
    """The first against the second, or code of one's own against the built-in player."""
    players = [{"type": "negamax", **given, "name": name} for name, given in (("a", first), ("b", second))]
    (found,) = comparisons(ratings_of(players, [30, 10]), specs(players), anchor).to_dict("records")
    sign = 1 if row[1].startswith("a") else -1
    assert [found[name] for name in COLUMNS] == [*row, True, pytest.approx(20 * sign)]
    assert found["elo_difference_high"] - 20 * sign == pytest.approx(Z95 * np.sqrt(200))


def test_the_interval_has_the_covariance_of_the_players_and_narrows_with_their_pairs() -> None:
    covariance = np.full((6, 6), 30.0) + np.eye(6) * 70
    table = comparisons(ratings_of(EQUAL, [0, 10, 20, 40, 10, 0], covariance), specs(EQUAL))
    error = Z95 * np.sqrt(100 + 100 - 2 * 30)
    np.testing.assert_allclose(table["elo_difference_high"] - table["elo_difference"], error)
    assert table["shown"].tolist() == [True, False, False]
    (row,) = means(ratings_of(GRID, [0.0] * 6), specs(GRID)).to_dict("records")
    assert row["elo_difference_high"] == pytest.approx(Z95 * np.sqrt(6 * 100 / 9))


def test_players_without_common_games_are_not_compared() -> None:
    players = [player("a", 4, evaluation="simple"), player("b", 4, evaluation="cis300")]
    apart = rated({"a": 9, "b": 1}, groups=(("a",), ("b",)))
    assert comparisons(apart, specs(players)).empty
    assert rated({"a": 9.0, "b": 1}).difference("a", "c") is None


FACTORIAL = [
    player(f"{e}{tt}{d}", d, evaluation=e, tt=tt) for e in ("simple", "strong") for tt in (0, 8) for d in (1, 2)
]


def test_a_mean_says_nothing_where_its_pairs_do_not_agree_and_the_grid_has_each() -> None:
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


def test_levels_are_what_the_players_of_a_pair_have_in_common_and_other_pairs_not() -> None:
    table = comparisons(ratings_of(FACTORIAL, [0.0] * 8), specs(FACTORIAL))
    of_evaluation = table.query("setting == 'evaluation'")
    assert of_evaluation["level"].tolist() == ["", *(f"tt {tt}, depth {d}" for tt in (0, 8) for d in (1, 2))]


def test_values_of_the_same_words_are_told_apart_by_their_players() -> None:
    mixes = [{"mix": {"x": 1}}, {"mix": {"x": 1, "y": 2}, "more": {}}, {"mix": {"x": 1}, "less": {}}]
    unlike = [player(f"p{i}", 4, evaluation=value) for i, value in enumerate(["some/where/net.npz", *mixes[:2]])]
    unlike += [player("q1", 5, evaluation=mixes[0]), player("q0", 5, evaluation=mixes[2])]
    bold, neat = {"mix": {"safety": 0}}, {"mix": {"formation": 0}}
    alike = [
        player(f"{name}, depth {depth}", depth, evaluation=mix)
        for depth in (4, 5)
        for name, mix in (("bold", bold), ("neat", neat))
    ]
    found = []
    for players in (unlike, alike):
        table = comparisons(ratings_of(players, [0.0] * len(players)), specs(players))
        found.append({*table["value"], *table["reference"]})
    assert "p0 (net.npz)" in found[0] and len(found[0]) == 4
    assert found[1] == {"mix (bold, depth 4)", "mix (neat, depth 4)"}


def test_a_table_has_a_row_for_each_value_or_pair_and_columns_for_each_kind_of_terms() -> None:
    players = [player(f"{e} {term}", evaluation=e, **term) for e in ("x", "y", "z") for term in TERMS]
    table = comparisons(ratings_of(players, [0, 0, 0, 50, 40, 30, 10, 20, -60]), specs(players))
    against: pd.DataFrame = differences(table).texts()
    assert against.to_numpy().tolist()[0] == ["y", "x", "+50 ± 28", "+40 ± 28", "+30 ± 28"]
    pairs = differences(table, pairs=True).texts()
    assert pairs["Value"].tolist() == ["y", "z", "z"] and pairs.iloc[2].tolist()[1:3] == ["y", "−40 ± 28"]
