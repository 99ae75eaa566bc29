"""What reports and `arena rate` show beside the ratings: superiority, residuals, cycles, Nash averages."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from arena.ratings.joint import rate
from arena.ratings.transitivity import cycles, residuals, threshold
from arena.report.files import FILES
from arena.report.sentences.cautions import misfits, misfits_text
from arena.report.sentences.notes import notes
from arena.report.tables.matrix import FEWEST_POINTS, MOST, certain_cycles, los_matrix, standing_out
from tests.helpers.command_line import invoke
from tests.helpers.report_data import changed, plain, player, synthetic, write_quickly
from tests.helpers.results import frame, repeat, rock_paper_scissors, simulate, written

CYCLE = """\
white,black,wins,draws,losses
ann,bob,15,0,5
bob,ann,5,0,15
bob,cat,15,0,5
cat,bob,5,0,15
cat,ann,15,0,5
ann,cat,5,0,15
"""
LEVEL = "white,black,wins,draws,losses\nann,bob,10,20,10\nbob,cat,10,20,10\ncat,ann,10,20,10\n"


def row(score, expected, z, games=40):
    return {"player": "a", "opponent": "b", "games": games, "score": score, "expected": expected, "z": z}


def cyclic_run(folder):
    """A run of 72 distinct games in which a beats b, b beats c and c beats a."""
    run = synthetic(folder, [player(name, 3) for name in "abc"], 12, plies=20)
    met = zip(run.games["white"], run.games["black"], strict=True)
    return changed(run, games=run.games.assign(result=["1-0" if w + b in "abca" else "0-1" for w, b in met]))


# what stands out


def test_the_bound_is_that_of_the_normal_distribution_over_all_pairings():
    assert threshold(1) == pytest.approx(1.959964, abs=1e-6)
    for pairings in (3, 21, 1000):
        assert pairings * math.erfc(threshold(pairings) / math.sqrt(2)) == pytest.approx(0.05)


def test_pairings_beyond_the_bound_with_points_enough_stand_out():
    bound = threshold(6)
    rows = [
        row(0.7, 0.5, bound + 0.01),
        row(0.3, 0.5, -bound - 0.01),
        row(0.7, 0.5, bound - 0.01),
        row(1 - (FEWEST_POINTS - 0.1) / 40, 0.99, -9),
        row(1 - FEWEST_POINTS / 40, 0.99, -9),
        row(1.0, 1 - FEWEST_POINTS / 40, 9),
    ]
    assert standing_out(pd.DataFrame(rows)).index.tolist() == [0, 1, 4, 5]


@pytest.mark.full
def test_players_on_one_line_stand_out_in_one_tournament_of_twenty():
    """Also where they are far apart and the weaker side scores next to nothing."""
    found = 0
    for seed in range(150):
        games = simulate(list(np.linspace(-3, 3, 6)), 4, nu=0.5, h=0.2, seed=seed)
        found += len(standing_out(residuals(games, rate(games)))) > 0
    assert 0 < found <= 13


def test_a_pairing_that_stands_out_is_named_with_its_scores():
    table = pd.DataFrame([row(0.71, 0.551, 3.14), row(0.5, 0.52, -0.3), row(0.5, 0.5, 0.0)])
    (sentence,) = misfits(table, cycles(frame([]), []))
    assert sentence == (
        "1 of 3 pairings differs from the ratings by more than chance allows (Bonferroni, 5 %): "
        "a against b scored 71.0 % where the ratings expect 55.1 % (z +3.1)."
    )


def test_three_pairings_are_named_and_the_others_counted():
    found = misfits(pd.DataFrame([row(0.3, 0.6, -5.0)] * 5), cycles(frame([]), []))[0]
    assert found.startswith("5 of 5 pairings differ") and found.count("a against b") == 3
    assert "(z −5.0)" in found and found.endswith("; and 2 more.")


def test_a_cycle_is_named_with_its_weakest_lead():
    games = rock_paper_scissors(10)
    ratings = rate(games)
    found = misfits(residuals(games, ratings), cycles(games, list("abc")))
    assert (
        found[1]
        == "Ratings cannot express that a beats b beats c beats a (every lead is 4.5 standard errors or more)."
    )
    assert len(found) == 2


def test_a_cycle_within_chance_is_not_certain():
    games = rock_paper_scissors(2)
    found = cycles(games, list("abc"))
    assert found["z"][0] == pytest.approx(2.0) and certain_cycles(found, 1).index.tolist() == [0]
    assert len(certain_cycles(found, 3)) == 0 and len(misfits(residuals(games, rate(games)), found)) < 2


def test_the_text_says_that_nothing_stands_out():
    games = frame(repeat("a", "b", 5, 5, 5))
    assert misfits_text(residuals(games, rate(games)), cycles(games, list("ab"))) == (
        "No pairing differs from the ratings by more than chance allows (Bonferroni, 5 %).\n"
        "No players beat one another in a circle by more than chance allows."
    )


# files and page of a run


def test_superiority_is_empty_between_groups_and_of_a_player_over_itself():
    ratings = rate(frame(repeat("a", "b", 5, 1, 1) + repeat("c", "d", 3, 1, 1)), ["a", "b", "c", "d", "idle"])
    table = los_matrix(ratings)
    assert table.notna().to_numpy().sum() == 4 and table["idle"].isna().all()
    assert table["b"]["a"] + table["a"]["b"] == pytest.approx(1)
    assert table["b"]["a"] == pytest.approx(ratings.table["los"][0]) and table["b"]["a"] > 0.6


def test_a_run_writes_superiority_residuals_and_cycles(tmp_path):
    run = cyclic_run(tmp_path)
    write_quickly(run)
    los = pd.read_csv(tmp_path / "los.csv", index_col="player")
    assert los.index.tolist() == los.columns.tolist() == run.players and los.notna().to_numpy().sum() == 6
    written_residuals = pd.read_csv(tmp_path / "residuals.csv")
    assert written_residuals.columns.tolist() == [
        "player", "opponent", "games", "score", "expected", "difference", "z",
    ]  # fmt: skip
    assert written_residuals["games"].tolist() == [24] * 3 and written_residuals["z"].abs().min() > 3
    np.testing.assert_allclose(written_residuals["z"], run.residuals["z"], atol=0.005)
    assert pd.read_csv(tmp_path / "cycles.csv")[["a", "b", "c"]].to_numpy().tolist() == [["a", "b", "c"]]


def test_page_and_summary_show_what_stands_out(tmp_path):
    run = cyclic_run(tmp_path)
    found = [note for note in notes(run) if "Bonferroni" in note or "beats" in note]
    assert len(found) == 2 and "a beats b beats c beats a" in found[1]
    write_quickly(run)
    for name in ("report.html", "summary.md"):
        assert all(note in plain((tmp_path / name).read_text()) for note in found)
    assert 'href="cycles.csv"' in (tmp_path / "report.html").read_text()


def test_files_without_rows_are_not_written_and_old_ones_removed(tmp_path):
    run = synthetic(tmp_path, [player("a", 2), player("b", 2)], 16, plies=2)
    for name in ("cycles.csv", "residuals.csv", "los.csv"):
        (tmp_path / name).write_text("stale")
    write_quickly(changed(run, games=run.games[:0], moves=run.moves[:0]))
    assert not [name for name in ("cycles.csv", "residuals.csv", "los.csv") if (tmp_path / name).exists()]
    write_quickly(run)
    assert (tmp_path / "residuals.csv").exists() and not (tmp_path / "cycles.csv").exists()


def test_repeated_games_add_nothing_to_what_stands_out(tmp_path):
    run = cyclic_run(tmp_path)
    again = run.games.assign(game=run.games["game"] + len(run.games), pair=run.games["pair"] + len(run.games))
    moves = run.moves.assign(game=run.moves["game"] + len(run.games))
    twice = changed(run, games=pd.concat([run.games, again]), moves=pd.concat([run.moves, moves]))
    assert twice.residuals["z"].abs().to_numpy() == pytest.approx(run.residuals["z"].abs().to_numpy(), abs=0.01)
    assert twice.cycles["z"].tolist() == pytest.approx(run.cycles["z"].tolist())


def test_a_player_may_be_called_player(tmp_path):
    run = synthetic(tmp_path, [player("player", 2), player("elo", 4)], 16, plies=2)
    write_quickly(run)
    assert (tmp_path / "los.csv").read_text().splitlines()[0] == ",".join(["player", *run.players])
    assert (tmp_path / "crosstable.csv").read_text().splitlines()[0] == ",".join(["player", *run.players])


@pytest.mark.parametrize(("count", "has"), [(1, False), (2, True), (MOST, True), (MOST + 1, False)])
def test_superiority_is_for_two_to_two_hundred_players(tmp_path, monkeypatch, count, has):
    monkeypatch.setattr("arena.report.tables.rated_run.FEW", -1)
    run = synthetic(tmp_path, [player(f"p{i}", 2) for i in range(count)], 0)
    (los,) = (file for file in FILES if file.name == "los.csv")
    assert los.applies(run) is has


# arena rate


def test_nash_weight_and_skill_stand_beside_the_ratings(tmp_path):
    path = written(tmp_path, "cycle.csv", CYCLE + "ann,dan,35,0,5\nbob,dan,35,0,5\ncat,dan,35,0,5\n")
    lines = invoke("rate", path, "--nash", "--no-advantage").output.split("\n")
    assert lines[0].endswith("Nash weight Nash skill") and lines[4].split()[1] == "dan"
    assert [line.split("%")[-1].strip() for line in lines[1:4]] == ["0"] * 3
    document = json.loads(invoke("rate", path, "--nash", "--no-advantage", "--json").output)
    assert [who["nash_weight"] for who in document["players"]] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.01)
    assert document["players"][3]["nash_skill"] < -200 and "residuals" not in document
    assert lines[4].split()[-1] == f"−{-document['players'][3]['nash_skill']:.0f}"


def test_residuals_are_printed_where_they_stand_out_and_all_in_json(tmp_path):
    path = written(tmp_path, "cycle.csv", CYCLE)
    output = invoke("rate", path, "--residuals").output
    assert "3 of 3 pairings differ from the ratings" in output and "Opponent" in output
    assert "ann beats bob beats cat beats ann" in output
    level = written(tmp_path, "level.csv", LEVEL)
    assert "No pairing differs" in invoke("rate", level, "--residuals").output
    assert "Opponent" not in invoke("rate", path).output
    document = json.loads(invoke("rate", level, "--residuals", "--json").output)
    assert len(document["residuals"]) == 3 and document["cycles"] == []
    assert {"player", "opponent", "games", "score", "expected", "difference", "z"} == set(document["residuals"][0])
    assert [
        set(cycle) for cycle in json.loads(invoke("rate", path, "--residuals", "--json").output)["cycles"]
    ] == [{"a", "b", "c", "z"}]


def test_nash_averaging_notes_what_it_assumes_of_groups(tmp_path):
    path = written(tmp_path, "apart.csv", "white,black,result\na,b,1-0\nc,d,1-0\n")
    assert (
        "assumes that groups without games between them have equal means" in invoke("rate", path, "--nash").output
    )
    assert "Nash" not in invoke("rate", path).output
