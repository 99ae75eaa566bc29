"""The command `arena compare`: two runs or files on a common scale, and what changed."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from arena.ratings.joint import rate
from arena.report.compare import RatedSide, compare
from tests.helpers.command_line import invoke, refused
from tests.helpers.results import error_of_difference, frame, repeat, simulate, written
from tests.helpers.stored_run import StoredRun


def side(games, name="x"):
    return RatedSide(name, rate(games), {})


def by_player(comparison):
    return comparison.table.set_index("player")


def test_common_players_have_a_common_mean_and_independent_errors():
    one = simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=1)
    other = simulate([0.6, 0.0, -0.6, 1.5], 60, nu=1.0, h=0.3, seed=2)
    a, b = side(one), side(other)
    table = by_player(compare(a, b))
    common = ["p0", "p1", "p2"]
    for end, own in (("a", a), ("b", b)):
        assert table[f"elo_{end}"][common].mean() == pytest.approx(0, abs=1e-9)
        elo = own.ratings.table.set_index("player")["elo"]
        assert table[f"elo_{end}"]["p0"] - table[f"elo_{end}"]["p1"] == pytest.approx(elo["p0"] - elo["p1"])
    assert math.isnan(table["elo_a"]["p3"]) and math.isnan(table["difference"]["p3"])
    assert table["elo_b"]["p3"] > 150 and table["error_b"]["p3"] > 0
    expected = np.hypot(table["error_a"], table["error_b"])[common]
    np.testing.assert_allclose(table["difference_error"][common], expected)
    np.testing.assert_allclose(table["difference"], table["elo_b"] - table["elo_a"])


def test_two_common_players_have_the_error_of_half_their_difference():
    games = simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=1)
    a, b = side(games), side(frame(repeat("p0", "p1", 20, 20, 20)))
    error = 1.959964 * error_of_difference(a.ratings, "p0", "p1") / 2
    assert by_player(compare(a, b))["error_a"]["p0"] == pytest.approx(error)
    anchored = by_player(compare(RatedSide("x", rate(games, anchor={"p2": 1500}), {}), b))
    pd.testing.assert_frame_equal(by_player(compare(a, b)), anchored.loc[by_player(compare(a, b)).index])


def test_changes_beyond_the_intervals_are_put_into_words():
    games = simulate([0.5, 0.0, -0.5], 100, nu=1.0, h=0.0, seed=1)
    better = simulate([0.5, 0.0, 1.5], 100, nu=1.0, h=1.0, seed=2)
    found = compare(side(games, "old"), side(better, "new"))
    row = by_player(found).loc["p2"]
    assert (
        found.changes[0] == f"p2 is {row['difference']:.0f} ± {row['difference_error']:.0f} Elo stronger in new."
    )
    assert any("p0 is" in text and "weaker in new" in text for text in found.changes)
    assert "3 of 3 ratings changed" in found.changes[3]
    assert found.changes[-1].startswith("Moving first is worth") and "more in new" in found.changes[-1]


def test_without_common_players_the_comparison_says_why_it_is_empty():
    a, b = side(frame(repeat("a", "b", 3, 1, 1))), side(frame(repeat("c", "d", 3, 1, 1)))
    found = compare(a, b)
    assert found.table["difference"].isna().all() and len(found.table) == 4
    assert found.changes == () and "no player in common" in found.notes[0]
    assert "one player in common" in compare(a, side(frame(repeat("a", "d", 3, 1, 1)))).notes[0]


def test_players_that_games_do_not_connect_to_the_others_in_both_are_not_compared():
    both = frame(repeat("a", "b", 5, 1, 1) + repeat("b", "c", 1, 1, 5) + repeat("e", "f", 1, 1, 1))
    other = frame(repeat("a", "b", 3, 3, 1) + repeat("b", "c", 1, 1, 3) + repeat("e", "a", 1, 1, 1))
    found = compare(side(both), side(other))
    table = by_player(found)
    for end in ("a", "b"):
        assert table[f"elo_{end}"][["a", "b", "c"]].mean() == pytest.approx(0, abs=1e-9)
    assert table["difference"][["e", "f"]].isna().all() and table["difference"][["a", "b", "c"]].notna().all()
    assert found.notes == ("Games do not connect e to the other common players in both.",)


def test_runs_and_files_compare_with_seconds_a_move_where_they_are_known(tmp_path):
    with StoredRun(tmp_path / "run", "ab", 4) as run:
        for white, black, result in [("a", "b", "white"), ("b", "a", "draw")] * 2:
            run.add(white, black, result, moves=("11-15", "23-19"))
        run.end()
    path = written(tmp_path, "games.csv", "white,black,result,pair\na,b,1-0,1\nb,a,1/2-1/2,1\n")
    document = json.loads(invoke("compare", run.folder, path, "--first", "black", "--json").output)
    for row in document["players"]:
        assert (row["seconds_a"], row["seconds_b"]) == (1, None)
    output = invoke("compare", run.folder, run.folder).output
    assert "Time/move a" in output and "nan" not in output
    assert "interval" not in output
    assert str(tmp_path) in refused("compare", run.folder, tmp_path)
