"""Tuning: feature counts, the regression and SPSA on known answers, and whole tunings that are stopped."""

import csv
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from arena.experiment.load import load
from arena.experiment.openings.sources import OpeningsError
from arena.learning.columns import Columns, LinearWeights
from arena.learning.games import Failed, Job, play_job, points_of_pairs
from arena.learning.logistic import Loss, logistic_fit, mean_loss
from arena.learning.store import GameStore, Played
from arena.learning.terms import RandomOpenings, check_openings, draw_opening
from arena.learning.tuning_report import caution
from arena.ledger.store import StoreError
from arena.play.probe import positions as probe_positions
from arena.ratings.match import summary
from arena.rules.movegen import legal_moves
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.result import pentanomial
from arena.rules.variants import VARIANTS
from players.evaluation.linear import FEATURES, linear, linear_weights
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import invoke, one_line
from tests.helpers.tunings import games_stored, mark_games, refusal_of, written

FILE = "tuning.sqlite"

ENGLISH = VARIANTS["english"]
VERDICT = "(beat|lose to|are not measurably different from)"
TINY = """\
name: tiny
variant: english
openings: {random_plies: 6}
max_plies: 60
player: {preset: alphabeta, depth: 2}
tuning: {method: texel, features: [man, king], games: 12, rounds: 3, positions: 6, check: 4}
"""
SPSA = TINY.replace(
    "{method: texel, features: [man, king], games: 12, rounds: 3, positions: 6,",
    "{method: spsa, numbers: {evaluation.linear.king: {step: 20}}, steps: 3, pairs: 4,",
).replace("depth: 2", "depth: 2, evaluation: {linear: {man: 100, king: 100}}")


def played(result: str, stage: str = "start", game: int = 1) -> Played:
    return Played(stage, game, result, "", 10, b"")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small Texel tuning that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    result = invoke("tune", written(folder, TINY), "--out", folder / "out", "--workers", 1)
    assert result.exit_code == 0, result.output
    return folder / "out"


def same_outcome(first: Path, second: Path) -> bool:
    names = ("tuned.yaml", "path.csv", "summary.md", "path.png")
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


@pytest.mark.full
@pytest.mark.parametrize("phases", [False, True])
def test_the_design_times_theta_is_the_linear_evaluation(phases: bool) -> None:
    rules, rng = ENGLISH.constants, np.random.default_rng(3)
    columns = Columns(FEATURES, phases, 24)
    positions = probe_positions(ENGLISH, 10, None, 2)
    theta = rng.normal(size=len(FEATURES) * (1 + phases))
    weights = linear_weights(columns.weights(theta), 24)
    values = columns.design(ENGLISH, np.array(positions, dtype=np.int64)) @ theta
    assert values == pytest.approx([linear(position, rules, weights) for position in positions])


def test_weights_become_a_vector_and_back() -> None:
    weights = {"man": [100.0, 90.0], "king": [130.0, 160.0]}
    columns = Columns(("man", "king"), True, 24)
    assert columns.theta(weights).tolist() == [100, 130, 90, 160]
    assert columns.weights(columns.theta(weights)) == weights
    assert LinearWeights(columns, weights).text(np.array([100.0, -130, 90, -160])) == "man 105/95, king −137/−168"
    assert Columns(("king", "man", "edge"), False, 24).theta(weights).tolist() == [145, 95, 0]


@pytest.mark.parametrize(
    ("features", "theta", "expected"),
    [
        (("man", "king"), [0.5, 0.8], [100, 160]),
        (("man", "king"), [-0.5, -0.8], [-100, -160]),
        (("edge", "king"), [-0.25, 0.5], [-50, 100]),
        (("man", "king"), [0.0, 0.0], [0, 0]),
    ],
)
def test_a_man_is_worth_100_and_keeps_its_sign(
    features: tuple[str, ...], theta: list[float], expected: list[float]
) -> None:
    assert Columns(features, False, 24).scaled(np.array(theta)).tolist() == expected


def synthetic(n: int, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, len(theta))) * [1, 3, 0.5]
    return x, (rng.random(n) < 1 / (1 + np.exp(-x @ theta))).astype(float)


def test_regression_finds_the_weights_that_made_the_results() -> None:
    theta = np.array([0.8, -0.2, 1.5])
    x, points = synthetic(20_000, theta)
    fit = logistic_fit(x, points, np.arange(len(x)), 1e-6)
    assert (np.abs(fit.theta - theta) < 4 * fit.errors).all()
    assert (fit.errors < 0.05).all()
    chance = 1 / (1 + np.exp(-x @ fit.theta))
    assert np.abs(x.T @ (points - chance)).max() < 0.1, "the likelihood's slope at its maximum is 0"
    assert fit.loss == pytest.approx(-np.mean(points * np.log(chance) + (1 - points) * np.log(1 - chance)))


@pytest.mark.full
def test_positions_of_one_game_count_as_one_observation() -> None:
    x, points = synthetic(2000, np.array([0.8, -0.2, 1.5]))
    once = logistic_fit(x, points, np.arange(2000), 1e-6)
    five = logistic_fit(np.repeat(x, 5, 0), np.repeat(points, 5), np.repeat(np.arange(2000), 5), 1e-6)
    assert five.theta == pytest.approx(once.theta, rel=1e-3)
    assert five.errors == pytest.approx(once.errors, rel=1e-3)


def test_a_game_is_held_out_as_by_a_fit_to_all_others() -> None:
    x, points = synthetic(600, np.array([0.8, -0.2, 1.5]))
    games = np.arange(600) // 10
    exact = []
    for game in range(60):
        theta = logistic_fit(x[games != game], points[games != game], games[games != game], 1.0).theta
        logits = x[games == game] @ theta
        exact += (np.logaddexp(0, logits) - points[games == game] * logits).tolist()
    fit = logistic_fit(x, points, games, 1.0)
    assert fit.held_out == pytest.approx(mean_loss(np.array(exact), games), abs=1e-3)
    assert fit.loss < fit.held_out.mean < fit.loss + 0.02


def test_the_interval_of_a_loss_counts_games_and_not_positions() -> None:
    losses = np.array([0.2, 0.5, 0.8, 0.4])
    one = mean_loss(losses, np.arange(4))
    assert one == pytest.approx(mean_loss(np.repeat(losses, 9), np.repeat(np.arange(4), 9)))
    assert one == pytest.approx((losses.mean(), 3.182446 * losses.std(ddof=1) / 2))
    assert mean_loss(losses, np.zeros(4, int)).error == math.inf


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    x, _ = synthetic(500, np.array([0.8, -0.2, 1.5]))
    draws = logistic_fit(x, np.full(500, 0.5), np.arange(500), 1.0)
    assert draws.theta == pytest.approx([0, 0, 0], abs=1e-9)
    both = logistic_fit(np.tile(x, (2, 1)), np.repeat([1.0, 0.0], 500), np.arange(1000), 1.0)
    assert both.theta == pytest.approx([0, 0, 0], abs=1e-9)
    assert draws.loss == pytest.approx(np.log(2))


def test_a_column_of_ones_is_the_advantage_of_the_move() -> None:
    points = np.repeat([1.0, 0.0], [600, 400])
    assert logistic_fit(np.ones((1000, 1)), points, np.arange(1000), 1e-6).theta == pytest.approx(np.log(1.5))


@pytest.mark.full
def test_the_penalty_draws_weights_to_0_and_leaves_an_empty_column_there() -> None:
    x, points = synthetic(500, np.array([0.8, -0.2, 1.5]))
    x = np.hstack([x, np.zeros((500, 1))])
    sizes = [np.abs(logistic_fit(x, points, np.arange(500), penalty).theta) for penalty in (0.01, 50.0, 5000.0)]
    assert (sizes[0][:3] > sizes[1][:3]).all()
    assert (sizes[1][:3] > sizes[2][:3]).all()
    assert all(size[3] == 0 for size in sizes)


def test_openings_of_the_check_are_never_drawn_for_tuning() -> None:
    settings = RandomOpenings(random_plies=2, balanced=False)
    kept = check_openings(ENGLISH, settings, 15, seed=1)
    drawn = {draw_opening(ENGLISH, settings, f"seed {i}") for i in range(300)}
    assert len(set(kept)) == 15
    assert len(drawn) > 15
    assert not drawn & set(kept)
    with pytest.raises(OpeningsError, match="raise random_plies or lower check"):
        check_openings(ENGLISH, settings, 60, seed=1)


@pytest.mark.full
def test_positions_taken_from_a_game_are_quiet_and_its_own() -> None:
    weak = PlayerSpec("a", "negamax", Limit(depth=1), {"preset": "alphabeta"})
    job = Job("round 1", 7, 7, ENGLISH, weak, weak, RandomOpenings(), 1, 100, positions=10)
    game = play_job(job)
    assert isinstance(game, Played)
    rows = game.array()
    assert rows.shape == (10, 4)
    left = [int(row[0] | row[1]).bit_count() for row in rows]
    assert left == sorted(left, reverse=True), "in the order of the game"
    assert len({tuple(row) for row in rows.tolist()}) > 5
    for row in rows.tolist():
        position = Position(*row)
        assert not any(move & sides(position)[1] for move in legal_moves(ENGLISH.constants, position))
    assert play_job(job) == game
    assert play_job(job._replace(game=8, pair=8)) != game


@pytest.mark.full
def test_a_player_that_fails_is_named() -> None:
    broken = PlayerSpec("a", "negamax", Limit(depth=99), {})
    job = Job("round 1", 7, 7, ENGLISH, broken, broken, RandomOpenings(), 1, 100)
    failed = play_job(job)
    assert isinstance(failed, Failed)
    assert failed.reason.startswith("round 1, game 7: a was not built: ")


def test_pairs_are_counted_from_the_first_players_view() -> None:
    results = ["white", "black", "white", "draw", "black", "black", "black", "white"]
    points = points_of_pairs([played(result) for result in results])
    assert points == [2, 1.5, 1, 0]
    assert pentanomial(points) == [1, 0, 1, 1, 1]


@pytest.mark.parametrize("result", ["*", "", "1/2"])
def test_an_unknown_result_is_an_error_and_no_draw(result: str) -> None:
    with pytest.raises(ValueError, match="is no result"):
        played(result).white_points()


@pytest.mark.full
def test_a_tuning_writes_its_answer_and_a_player_to_use(whole: Path, tmp_path: Path) -> None:
    first = (whole / "summary.md").read_text().splitlines()[0]
    assert re.fullmatch(
        rf"The tuned weights {VERDICT} \+7/\+5/\+3 \([+−]?\d+ ± \d+ Elo in 8 games\) "
        rf"and {VERDICT} the start \([+−]?\d+ ± \d+ Elo in 8 games\)\.",
        first,
    )
    config = tmp_path / "use.yaml"
    config.write_text("name: use\nvariant: english\nplayers:\n" + (whole / "tuned.yaml").read_text())
    (spec,) = load(config).players
    assert (spec.name, spec.limit, spec.options["preset"]) == ("tuned", Limit(depth=2), "alphabeta")
    weights = spec.options["evaluation"]["linear"]
    assert list(weights) == ["man", "king"]
    assert abs(weights["man"]) == 100
    rows = list(csv.DictReader((whole / "path.csv").open()))
    assert [row["step"] for row in rows] == ["0", "1", "2", "3"]
    assert [float(rows[0][name]) for name in weights] == [100, 100]
    assert [float(rows[-1][name]) for name in weights] == list(weights.values())
    for path in whole.glob("*.[cmy]*"):
        assert not re.search(r"\b(nan|inf)\b", path.read_text(), re.IGNORECASE), path
    assert (whole / "path.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("points", "held_out", "facts"),
    [
        ([2, 2, 1] * 20, Loss(0.6900, 0.0030), []),
        ([2, 2, 1] * 20, None, []),
        ([0, 2] * 100, None, ["the start", "400 games", "1,200", "check: 800"]),
        ([2] * 5, None, ["the start", "10 games", "check: 20"]),
        ([0] * 5 + [1] * 50, None, ["the start", "110 games", "check: 220"]),
        ([2] * 6, None, []),
        ([0, 0, 1] * 20, Loss(0.6900, 0.0030), ["the start", "about 3,000 games"]),
        ([2, 2, 1] * 20, Loss(0.6920, 0.0050), ["a coin", "0.6920 ± 0.0050", "0.6931", "about 3,000 games"]),
        ([2, 2, 1] * 20, Loss(0.6931, 0.0), ["a coin", "about 3,000 games"]),
        ([2, 2, 1] * 20, Loss(0.5, math.inf), ["a coin", "0.5000 of one game", "about 3,000 games"]),
        (None, None, ["the start", "about 3,000 games"]),
    ],
)
def test_what_is_no_better_than_a_coin_or_the_start_is_told_with_the_games_that_it_needs(
    points: list[float] | None, held_out: Loss | None, facts: list[str]
) -> None:
    text = caution("the start", summary(pentanomial(points)) if points else None, 1000, held_out)
    assert (text == "") == (not facts)
    assert [fact for fact in facts if fact not in text] == []
    assert text.count("\n") == bool(facts)


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (TINY.replace("[man, king]", "[edge]").replace("rounds: 3", "rounds: 1"), "No better than a coin"),
        (SPSA.replace("steps: 3", "steps: 1").replace("king: {step: 20}", "king: {step: 2000, least: 100}"), ""),
    ],
)
def test_a_tuning_that_learned_nothing_ends_with_a_sentence(tmp_path: Path, text: str, fact: str) -> None:
    result = invoke("tune", written(tmp_path, text), "--out", tmp_path / "out", "--workers", 1)
    assert result.exit_code == 0, result.output
    outcome, told, *_ = result.stdout.splitlines()
    assert told.startswith(fact or "No better than the start")
    assert re.search(r"\d games more|\d more of this match", told)
    assert (tmp_path / "out" / "summary.md").read_text().startswith(f"{outcome}\n{told}\n\n")


@pytest.mark.full
def test_the_number_of_workers_changes_nothing(whole: Path, tmp_path: Path) -> None:
    assert invoke("tune", written(tmp_path, TINY), "--out", tmp_path / "out", "--workers", 2).exit_code == 0
    assert same_outcome(whole, tmp_path / "out")


@pytest.mark.full
def test_later_fits_leave_out_the_first_round_and_keep_the_others(whole: Path) -> None:
    with sqlite3.connect(whole / FILE) as connection:
        steps = [json.loads(row[0]) for row in connection.execute("SELECT document FROM steps ORDER BY step")]
        query = "SELECT positions FROM games WHERE stage = ?"
        stages = [connection.execute(query, (f"round {n}",)).fetchall() for n in (1, 2, 3)]
    taken = [sum(len(zlib.decompress(packed)) // 32 for (packed,) in games) for games in stages]
    assert [step["positions"] for step in steps] == [taken[0], taken[1], taken[1] + taken[2]]
    assert [step["games"] for step in steps] == [12, 12, 12]


@pytest.mark.full
def test_a_damaged_game_and_a_damaged_step_are_made_again(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    with sqlite3.connect(out / FILE) as connection:
        games = set(connection.execute("SELECT * FROM games"))
        connection.execute("UPDATE games SET result = '*' WHERE stage = 'round 1' AND game = 2")
        connection.execute("UPDATE steps SET document = '{}' WHERE step = 2")
    result = invoke("tune", written(tmp_path, TINY), "--out", out, "--workers", 1)
    assert result.exit_code == 0
    said = f"{FILE} was damaged (games round 1 2; steps 2): {len(games) - 1} games are intact"
    assert said in result.stderr
    with sqlite3.connect(out / FILE) as connection:
        assert set(connection.execute("SELECT * FROM games")) == games
    assert same_outcome(whole, out)


@pytest.mark.full
def test_a_tuning_that_was_killed_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    """`test_tuning_numbers` stops one by Ctrl-C."""
    config, out = written(tmp_path, TINY), tmp_path / "out"
    command = [sys.executable, "-m", "arena", "tune", str(config), "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    while games_stored(out / FILE) < 15:
        assert process.poll() is None, "the tuning was over before it could be stopped"
        time.sleep(0.01)
    process.kill()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -9, errors
    assert not (out / "tuned.yaml").exists()
    before = games_stored(out / FILE)
    mark_games(out / FILE)
    assert invoke("tune", config, "--out", out, "--workers", 1).exit_code == 0
    assert games_stored(out / FILE, plies=999) == before, "stored games are not played again"
    assert same_outcome(whole, out)


@pytest.mark.full
def test_a_finished_tuning_plays_nothing_and_writes_the_same_again(tmp_path: Path) -> None:
    config, out = written(tmp_path, SPSA), tmp_path / "out"
    first = invoke("tune", config, "--out", out, "--workers", 1)
    assert first.exit_code == 0, first.output
    assert first.stderr.count("step 3/3") == 1
    before = {path.name: path.read_bytes() for path in out.glob("[a-z]*") if not path.name.startswith(FILE)}
    assert set(before) == {"tuned.yaml", "path.csv", "path.png", "summary.md"}
    rows = list(csv.DictReader((out / "path.csv").open()))
    assert [row["games"] for row in rows] == ["0", "8", "16", "24"]
    assert (rows[0]["evaluation.linear.king"], rows[0]["loss"]) == ("100.0", "")
    assert rows[-1]["evaluation.linear.king"] != "100.0"
    again = invoke("tune", config, "--out", out, "--workers", 1)
    assert again.stdout == first.stdout
    assert again.stderr == ""
    assert all((out / name).read_bytes() == content for name, content in before.items())


@pytest.mark.full
def test_a_folder_belongs_to_one_tuning_and_one_process(whole: Path, tmp_path: Path) -> None:
    result = invoke("tune", written(tmp_path, "seed: 5\n" + TINY), "--out", whole)
    assert result.exit_code == 2
    assert "holds another tuning (changed: seed)" in result.stderr
    store = GameStore(tmp_path / "out", "tuning", {})
    with pytest.raises(StoreError, match="is in use by another arena"):
        GameStore(tmp_path / "out", "tuning", {})
    store.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("method: texel", "method: texl"),
        ("games: 12", "pairs: 20"),
        ("games: 12", "games: 1"),
        ("[man, king]", "[man, kng]"),
        ("[man, king]", "[man, man]"),
        ("check: 4", "start: {man: x}"),
        ("check: 4", "start: {edge: 3}"),
        ("check: 4", "against: simpel"),
        ("check: 4", "check: 50"),
        ("depth: 2", "seconds: 1"),
        ("preset: alphabeta, depth: 2", "preset: full"),
        ("preset: alphabeta", "preset: alfabeta"),
        ("preset: alphabeta", "evaluation: simple"),
        ("english", "englsh"),
        ("max_plies", "max_ply"),
        ("random_plies: 6", "set: english-3-move"),
    ],
)
def test_a_broken_configuration_gets_one_line_with_its_place(tmp_path: Path, old: str, new: str) -> None:
    text = TINY.replace(old, new)
    assert text != TINY
    if new == "check: 50":
        text = text.replace("random_plies: 6", "random_plies: 2, balanced: false")
    one_line(refusal_of(written(tmp_path, text)))
