"""Errors of graded decisions: statistics against counts made by hand and simulations; their part of a report."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.ledger.read import GRADE_COLUMNS, GRADED_COLUMNS
from arena.ratings import errors
from arena.report.run import Run
from arena.report.sentences.answer import answer, endgame_claims
from arena.report.tables.grades import errors_of_games, with_points
from arena.report.viewer import RunGames, linked_games
from arena.report.write import pdn_games
from tests.helpers.report_data import (
    MISSING_WORD,
    changed,
    data_of,
    drawn,
    plain,
    player,
    synthetic,
    texts,
    unpacked,
    write_quickly,
)

PLAYERS = [player("x", 1), player("y", 2), player("z", 4), player("r", type="random")]


def graded_rows(run: Run, judge: str, rows: list[dict]) -> pd.DataFrame:
    """Grades as the ledger gives them: of the movers of a run's games, missing values where nothing is given."""
    moves = run.moves[["game", "ply", "player", "colour", "pieces", "move"]]
    table = pd.DataFrame(rows).assign(judge=judge).merge(moves, on=["game", "ply"])
    table["best_move"] = np.where(table["best"].isna() | (table["best"] > table["played"]), "1-6", table["move"])
    return table.reindex(columns=list(GRADE_COLUMNS))


def graded_games(run: Run) -> pd.DataFrame:
    table = pd.DataFrame({"game": run.games["game"], "judge": "tables", "endgame_pieces": 4})
    return table.reindex(columns=list(GRADED_COLUMNS))


@pytest.fixture(scope="module")
def plain_run() -> Run:
    return synthetic(Path(), PLAYERS, 5, plies=20)


@pytest.fixture(scope="module")
def graded(plain_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Ply 15 of each game errs unless `z` plays it, by a whole point in game 3; others keep wins, ply 17 draws."""
    rows = []
    for game in plain_run.games["game"]:
        for ply in (15, 16, 17, 18):
            mover = plain_run.moves.query("game == @game and ply == @ply")["player"].item()
            errs = ply == 15 and mover != "z"
            best = 0.5 if ply == 17 else 1.0
            played = (0.0 if game == 3 else 0.5) if errs else best
            rows.append({"game": game, "ply": ply, "best": best, "played": played})
    folder = tmp_path_factory.mktemp("graded")
    return changed(
        plain_run, folder, grades=graded_rows(plain_run, "tables", rows), graded=graded_games(plain_run)
    )


@pytest.fixture(scope="module")
def judged(plain_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A judge that gives the later winner mostly a man more, and sees `r` lose half a man with each move."""
    rows = []
    result: dict[Any, str] = dict(zip(plain_run.games["game"], plain_run.games["result"], strict=True))
    rng = np.random.default_rng(1)
    row: Any
    for row in plain_run.moves.query("ply < 13").itertuples():
        ahead = {"white": 1.0, "black": -1.0}.get(result[row.game], 0.0)
        men = (ahead if row.colour == "white" else -ahead) + rng.normal(0, 1)
        lost = 0.5 if row.player == "r" else 0.0
        rows.append({"game": row.game, "ply": row.ply, "best": np.nan, "played": np.nan,
                     "best_men": men, "played_men": men - lost})  # fmt: skip
    folder = tmp_path_factory.mktemp("judged")
    grades = graded_rows(plain_run, "deep", rows)
    return changed(plain_run, folder, grades=grades, graded=graded_games(plain_run))


def test_a_rate_has_wilsons_interval_where_every_trial_is_its_own_cluster():
    """Of the textbook; those of 100 clusters are Student's."""
    low, high = errors.wilson(np.array([0.1, 0.0]), np.array([20.0, 10.0]))
    assert low == pytest.approx([0.0279, 0.0], abs=1e-3) and high == pytest.approx([0.3010, 0.2775], abs=1e-3)
    found = errors.hit_rate([1] * 10 + [0] * 90, np.arange(100))
    assert found == pytest.approx((0.1, 0.0552, 0.1744), abs=2e-3) and found.low < 0.0552 and found.high > 0.1744


def test_copies_of_a_cluster_tell_no_more_than_the_clusters():
    hits, cluster = np.repeat([1, 0, 0, 0, 1, 0, 0, 0, 0, 0], 7), np.repeat(np.arange(10), 7)
    whole, alone = errors.hit_rate(hits, cluster), errors.hit_rate(hits[::7], np.arange(10))
    assert (whole.low, whole.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    single = errors.cluster_variance(hits[::7], np.arange(10))
    assert errors.cluster_variance(hits, cluster) == pytest.approx(7 * single, rel=1e-9)
    for every in (0, 1):
        found, once = (errors.hit_rate([every] * n, np.arange(n) * 20 // n) for n in (60, 20))
        assert found == pytest.approx(once) and 0 <= found.low <= found.value == every <= found.high <= 1


def test_intervals_of_rates_hold_the_truth_in_some_95_of_100_runs():
    rng = np.random.default_rng(3)
    held = []
    for _ in range(1000):
        size = 1 + rng.poisson(4, 60)
        hits = rng.random(size.sum()) < np.repeat(rng.beta(0.08 * 9, 0.92 * 9, 60), size)
        found = errors.hit_rate(hits, np.repeat(np.arange(60), size))
        held.append(found.low <= 0.08 <= found.high)
    assert 0.925 < np.mean(held) < 0.975


def test_the_scale_that_made_the_results_is_found_again():
    rng = np.random.default_rng(1)
    men = rng.normal(0, 1.5, 20_000)
    points = (rng.random(20_000) < errors.points_of_men(men, 0.8)).astype(float)
    assert errors.fitted_scale(men, points) == pytest.approx(0.8, abs=0.05)
    against = np.array([1.0, 2.0, -1.0, -2.0])
    assert errors.fitted_scale(against, (against < 0).astype(float)) is None
    assert errors.fitted_scale(men[:0], men[:0]) is None


def test_errors_in_endings_are_those_counted_by_hand(graded):
    table = graded.endgame_errors.set_index("player")
    assert table.index.tolist() == list(graded.players)
    mine = graded.data.grades.assign(player=graded.data.grades["player"].astype(str)).groupby("player")
    assert table["decisions"].to_dict() == mine.size().to_dict()
    lost = mine.apply(lambda rows: int((rows["best"] > rows["played"]).sum()))
    assert table["errors"].to_dict() == lost.to_dict() and table.loc["z", "errors"] == 0
    np.testing.assert_allclose(table["error_rate"], table["errors"] / table["decisions"])
    assert table["win_to_loss"].sum() == 1 and table["draw_to_loss"].sum() == 0
    assert table["win_to_draw"].sum() == table["errors"].sum() - 1
    first, last = table.index[0], table.index[-1]
    (claim,) = endgame_claims(graded.endgame_errors)
    assert claim in answer(graded) and claim.names == (first, last)
    rates = table[["error_rate", "error_rate_low", "error_rate_high"]]
    assert claim.is_shown == (rates.loc[first].iloc[2] < rates.loc[last].iloc[1])
    assert list(endgame_claims(graded.endgame_errors.assign(decisions=49))) == []


def test_marks_are_half_and_whole_points_and_the_costliest_come_first(graded):
    marks = graded.grades.set_index(["game", "ply"])["mark"]
    erred = [game for game, plies in errors_of_games(graded.grades).items() if 15 in plies]
    assert set(marks[marks != ""].index) == {(game, 15) for game in erred}
    assert marks[(3, 15)] == "??" and set(marks) == {"", "?", "??"}
    first = graded.costliest_errors.iloc[0]
    assert (first["game"], first["ply"], first["mark"], first["best_move"]) == (3, 15, "??", "1-6")
    assert graded.costliest_errors["lost"].is_monotonic_decreasing and len(graded.costliest_errors) == 10


def test_a_judges_points_follow_from_the_scale_that_its_scores_have_here(judged):
    grades = judged.grades[judged.grades["player"] == "r"]
    odds = grades["best"] / (1 - grades["best"])
    scale = math.log(odds.iloc[0]) / grades["best_men"].iloc[0]
    assert scale > 0
    np.testing.assert_allclose(np.log(odds), scale * grades["best_men"])
    np.testing.assert_allclose(grades["played"], 1 / (1 + np.exp(-scale * grades["played_men"])))
    np.testing.assert_allclose(grades["lost"], grades["best"] - grades["played"])
    assert judged.endgame_errors.empty


def test_what_a_judge_finds_counts_each_move_once(judged):
    table: Any = judged.judged_losses.set_index("player")
    assert (table.drop("r")["lost_per_move"] == 0).all() and (table.drop("r")["blunder_rate"] == 0).all()
    lost = judged.grades.query("player == 'r'")["lost"]
    counts = [int(((lost >= low) & (lost < high)).sum()) for low, high in ((0.05, 0.1), (0.1, 0.15), (0.15, 1))]
    assert table.loc["r", ["inaccuracies", "mistakes", "blunders"]].tolist() == counts and sum(counts)
    assert table["decisions"].to_dict() == judged.grades.groupby("player").size().to_dict()


@pytest.mark.parametrize("which", ["graded", "judged"])
def test_page_and_summary_show_the_errors_and_nothing_that_is_not_known(which, request):
    run: Run = request.getfixturevalue(which)
    written = {path.name for path in write_quickly(run)}
    assert {"grades.csv", f"{'endgame_errors' if which == 'graded' else 'judged_losses'}.csv"} <= written
    summary = plain((run.folder / "summary.md").read_text(encoding="utf-8"))
    section = summary.partition("\n## Errors\n")[2].partition("\n## ")[0]
    assert section and not MISSING_WORD.search(section)
    page = plain((run.folder / "report.html").read_text(encoding="utf-8"))
    shown = page.partition('<h2 id="errors">')[2].partition("<h2")[0]
    links = re.findall(r'href="#game=(\w+)&amp;ply=(\d+)">Game (\w+), ply (\d+)<', shown)
    costliest: Any = zip(run.ids[run.costliest_errors["game"]], run.costliest_errors["ply"], strict=True)
    assert links == [(game, str(ply - 1), game, str(ply)) for game, ply in costliest]
    assert not MISSING_WORD.search(re.sub("<[^>]*>", " ", shown))


def test_errors_are_marked_in_the_pdn_and_on_the_board_with_a_better_move(graded):
    marked = errors_of_games(graded.grades)
    shown = errors_of_games(with_points(graded.grades))
    for number, text in zip(graded.games["game"], pdn_games(graded), strict=True):
        assert re.findall(r"\$\d", text) == ["$4" if number == 3 else "$2"] * len(marked.get(number, ()))
    games = data_of(RunGames(graded).part(12))
    first = linked_games(graded)
    assert first and set(graded.costliest_errors["game"]) <= first
    numbers = graded.games.set_index("id")["game"][games["listed"]["id"]].tolist()
    assert set(numbers[: len(first)]) <= first
    (block,) = map(unpacked, games["blocks"])
    for number, game in zip(numbers, block, strict=True):
        found = {int(ply): (mark, better) for ply, (mark, better, _) in game.get("errors", {}).items()}
        assert found == shown.get(number, {}) and {mark for mark, _ in found.values()} <= {"−½", "−1"}


def test_the_chart_shows_rates_against_elo(graded):
    ax: Any = drawn(graded)["errors"]
    *_, full, hollow = ax.get_lines()
    table = graded.endgame_errors
    erred = table["errors"] > 0
    np.testing.assert_allclose(np.asarray(full.get_ydata(), float), table.loc[erred, "error_rate"])
    np.testing.assert_allclose(np.asarray(hollow.get_ydata(), float), table.loc[~erred, "error_rate_high"])
    assert hollow.get_markerfacecolor() != full.get_markerfacecolor()
    assert ax.get_yscale() == "log" and set(table["player"]) <= set(texts(ax))
