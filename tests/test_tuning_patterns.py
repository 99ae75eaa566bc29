"""Learning the tables of `patterns`: features against the evaluation, the fit on known answers, whole tunings."""

import csv
import os
import random
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.learning.games import Failed, Job, play_scored
from arena.learning.pattern_fit import (
    FEATURES,
    active,
    fit_tables,
    held_out_loss,
    material,
    samples,
    turned,
    white_values,
)
from arena.learning.patterns import Patterns
from arena.learning.samples import FitError, Samples
from arena.learning.store import SCORED, Played, packed
from arena.learning.terms import RandomOpenings
from arena.rules.game import Game
from arena.rules.movegen import legal_moves
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.evaluation.patterns import load_weights, patterns, save_weights, weight_count
from players.negamax.score import LIMIT
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke
from tests.helpers.tunings import games_stored, mark_games, written
from tests.helpers.words import Words

FILE = "tuning.sqlite"

ENGLISH, INTERNATIONAL = VARIANTS["english"], VARIANTS["international"]
BOARDS = (ENGLISH, INTERNATIONAL)
VERDICT = "(beat|lose to|are not measurably different from)"
TINY = """\
name: tiny
variant: english
openings: {random_plies: 6}
max_plies: 80
player: {preset: full, tt: 1, depth: 3}
tuning: {method: patterns, games: 40, rounds: 2, epochs: 3, check: 4}
"""
SETTINGS = Patterns(method="patterns")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small tuning that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    result = invoke("tune", written(folder, TINY), "--out", folder / "out", "--workers", 1)
    assert result.exit_code == 0, result.output
    return folder / "out"


def random_positions(variant: Variant, games: int) -> np.ndarray:
    """All positions of random games, kings among them, `int64[n, 4]`."""
    rng, found = random.Random(7), []
    for _ in range(games):
        game = Game(variant)
        while game.outcome is None and len(game.moves) < 150:
            found.append(game.position)
            game.push(rng.choice(game.legal_moves))
    return np.array(found, dtype=np.int64)


def scored_game(number: int, result: str, rows: np.ndarray, scores: np.ndarray | float) -> Played:
    records = np.zeros(len(rows), SCORED)
    records["position"], records["score"] = rows, scores
    return Played("round 1", number, result, "", 10, packed(records))


@pytest.mark.parametrize("variant", BOARDS, ids=lambda variant: variant.name)
def test_features_times_weights_are_the_evaluation(variant: Variant) -> None:
    rules, weights = variant.constants, np.random.default_rng(1).normal(size=weight_count(variant.rules))
    places, counts = np.empty(FEATURES, np.int64), np.empty(FEATURES)
    start = rules.per_row * (rules.rows - 2)
    rows = random_positions(variant, 3)
    assert (rows[:, 2] != 0).any(), "kings"
    for row in rows[::7].tolist():
        left = Position(*row)
        n = active(rules, left.white, left.black, left.kings, left.turn, places, counts)
        share = (left.white | left.black).bit_count() / start
        value = sum(
            count * (weights[at] * share + weights[at + 1] * (1 - share))
            for at, count in zip(places[:n], counts[:n], strict=True)
        )
        assert value == pytest.approx(patterns(left, rules, weights) * (-1 if left.turn else 1))


def test_no_position_has_more_features_than_there_is_room_for() -> None:
    rules = INTERNATIONAL.constants
    places, counts = np.full(FEATURES + 10, -1), np.empty(FEATURES + 10)
    assert active(rules, rules.board, 0, rules.board, 0, places, counts) == FEATURES
    assert (places[FEATURES:] == -1).all()


@pytest.mark.parametrize("variant", BOARDS, ids=lambda variant: variant.name)
def test_a_turned_position_is_the_same_game_from_the_other_side(variant: Variant) -> None:
    rules, rows = variant.constants, random_positions(variant, 2)
    other = turned(rules, rows)
    assert (turned(rules, other) == rows).all()
    assert not (other[:, :3] & ~rules.board).any()
    for one, two in zip(rows[::11].tolist(), other[::11].tolist(), strict=True):
        assert len(legal_moves(rules, Position(*one))) == len(legal_moves(rules, Position(*two)))
    assert (material(other) == -material(rows)).all()
    start = np.array([variant.start], dtype=np.int64)
    assert turned(rules, start)[0, :3].tolist() == start[0, :3].tolist()


def test_values_are_white_s() -> None:
    rows = random_positions(ENGLISH, 1)
    address, weights = build_evaluation("material", ENGLISH)
    values = white_values(address, weights, ENGLISH.constants, rows)
    assert values == pytest.approx(material(rows) @ [1, 1.5])


def test_a_target_is_between_the_result_and_what_the_score_promises() -> None:
    rng, rows = np.random.default_rng(2), random_positions(ENGLISH, 1)[:1]
    games = []
    for number in range(1, 4001):
        score = rng.normal(0, 100)
        won = rng.random() < 1 / (1 + np.exp(-score / 50))
        games.append(scored_game(number, "1-0" if won else "0-1", rows, score))
    games += [scored_game(4001, "1/2-1/2", rows, 50.0), scored_game(4002, "1-0", rows, LIMIT + 5)]
    data = samples([games], 0.3)
    draw, decided = data.targets[-2:]
    assert draw == pytest.approx(0.3 * 0.5 + 0.7 / (1 + np.exp(-1)), abs=0.02)
    assert decided == pytest.approx(1)
    assert samples([games], 1.0).targets[-2] == 0.5
    assert data.held_out.sum() == 200
    assert data.held_out[19]
    assert not data.held_out[18]


def test_each_round_has_a_unit_of_its_own() -> None:
    rng, rows = np.random.default_rng(3), random_positions(ENGLISH, 1)[:1]
    scores = rng.normal(size=2000)
    results = ["1-0" if rng.random() < 1 / (1 + np.exp(-score)) else "0-1" for score in scores]
    one, two = (
        [scored_game(n, result, rows, unit * s) for n, (result, s) in enumerate(zip(results, scores, strict=True))]
        for unit in (1.0, 300.0)
    )
    targets = samples([one, two], 0.0).targets
    assert targets[:2000] == pytest.approx(targets[2000:], rel=1e-3)


def test_games_that_teach_nothing_are_refused() -> None:
    rows = random_positions(ENGLISH, 1)[:4]
    empty = [scored_game(n, "1-0", rows[:0], 0.0) for n in range(1, 21)]
    with pytest.raises(FitError, match="round 1: there is no quiet position"):
        samples([empty], 0.2)
    wrong = [scored_game(n, "1-0" if n % 2 else "0-1", rows, -9.0 if n % 2 else 9.0) for n in range(1, 21)]
    with pytest.raises(FitError, match="round 1: the scores of its searches do not predict results"):
        samples([wrong], 0.2)
    right = [scored_game(n, "1-0" if n % 2 else "0-1", rows, 9.0 if n % 2 else -9.0) for n in range(1, 20)]
    with pytest.raises(FitError, match="no quiet position in every 20th game"):
        samples([right], 0.2)


def learn(data: Samples, seed: int) -> np.ndarray:
    return fit_tables(ENGLISH, data, SETTINGS.epochs, SETTINGS.penalty, [seed])


def known_samples(variant: Variant, truth: np.ndarray) -> Samples:
    """Random positions whose targets are exactly what tables, in logits, say."""
    rows = random_positions(variant, 60)
    values = white_values(patterns.address(variant.constants), truth, variant.constants, rows)
    return Samples(rows, 1 / (1 + np.exp(-values)), np.arange(len(rows)) % 20 == 0)


def test_the_fit_finds_what_men_kings_and_patterns_are_worth(tmp_path: Path) -> None:
    truth = np.zeros(weight_count(ENGLISH.rules))
    truth[0:4] = [0.8, 0.6, 1.5, 1.3]  # men and kings, opening and ending
    truth[4:6] = 0.2  # the move
    data = known_samples(ENGLISH, truth)
    learned = learn(data, 1)
    best = -np.mean(
        (data.targets * np.log(data.targets) + (1 - data.targets) * np.log(1 - data.targets))[data.held_out]
    )
    save_weights(tmp_path / "t.npz", learned)
    found = held_out_loss(ENGLISH, data, str(tmp_path / "t.npz"))
    assert best < found < best + 0.01
    assert found < held_out_loss(ENGLISH, data, "material") - 0.001
    less = np.array([ENGLISH.start, ENGLISH.start._replace(black=ENGLISH.start.black & ~(1 << 4))])
    values = white_values(patterns.address(ENGLISH.constants), learned, ENGLISH.constants, less)
    assert values[1] - values[0] == pytest.approx(100, abs=25), "a man is worth 100"
    assert np.array_equal(learn(data, 1), learned)
    assert np.abs(learn(data, 2) - learned).max() > 0


def test_colours_exchanged_are_worth_the_opposite() -> None:
    truth = np.zeros(weight_count(ENGLISH.rules))
    truth[0:4] = [0.8, 0.6, 1.5, 1.3]
    data = known_samples(ENGLISH, truth)
    learned, rules = learn(data, 1), ENGLISH.constants
    rows, address = data.positions[::50], patterns.address(ENGLISH.constants)
    one = white_values(address, learned, rules, rows)
    two = white_values(address, learned, rules, turned(rules, rows))
    assert np.abs(one + two).mean() < 0.1 * np.abs(one).mean()


def job(**changes: Any) -> Job:
    spec = PlayerSpec("a", "negamax", Limit(depth=3), {"preset": "full", "tt": 1, "evaluation": "strong"})
    return Job("round 1", 7, 7, ENGLISH, spec, spec, RandomOpenings(), 1, 100)._replace(**changes)


def test_positions_of_self_play_are_quiet_and_have_scores_from_whites_view() -> None:
    ahead = []
    games = [game for n in range(1, 9) if isinstance(game := play_scored(job(game=n, pair=n)), Played)]
    for game in games:
        rows = game.scored()
        assert len(rows) > 5
        for row in rows:
            position = Position(*row["position"].tolist())
            moves = legal_moves(ENGLISH.constants, position)
            assert len(moves) > 1
            assert not any(move & sides(position)[1] for move in moves)
        balance = material(np.ascontiguousarray(rows["position"])) @ [1, 1.5]
        ahead += [np.sign(b) == np.sign(s) for b, s in zip(balance, rows["score"], strict=True) if abs(b) >= 2]
    assert len(ahead) > 20
    assert np.mean(ahead) > 0.95
    assert play_scored(job(game=3, pair=3)) == games[2]
    assert len({game.opening for game in games}) == len(games) == 8
    assert len({game.opening.count(",") for game in games}) > 1, "openings of different lengths"


def test_a_decided_game_is_left_with_its_result() -> None:
    for number in range(1, 40):
        game = play_scored(job(game=number, pair=number, max_plies=300))
        assert isinstance(game, Played)
        last = game.scored()["score"][-1]
        if abs(last) > LIMIT:
            assert game.result == ("1-0" if last > 0 else "0-1")
            return
    raise AssertionError("no game was decided")


def test_self_play_that_fails_is_named() -> None:
    broken = PlayerSpec("a", "negamax", Limit(depth=99), {})
    failed = play_scored(job(white=broken))
    assert isinstance(failed, Failed)
    assert failed.reason.startswith("round 1, game 7: a was not built: ")


def same_outcome(first: Path, second: Path) -> bool:
    names = ("weights.npz", "round_1.npz", "path.csv", "path.png")
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_a_tuning_writes_its_answer_and_tables_to_use(whole: Path) -> None:
    lines = (whole / "summary.md").read_text().splitlines()
    assert re.fullmatch(
        rf"The learned tables {VERDICT} \+7/\+5/\+3 \([+-]\d+ ± \d+ Elo in 8 games\) "
        rf"and {VERDICT} the start, strong \([+-]\d+ ± \d+ Elo in 8 games\)\.",
        lines[0],
    )
    assert any(f"evaluation: {whole / 'weights.npz'}" in line for line in lines)
    weights = load_weights(whole / "weights.npz")
    assert weights.shape == (weight_count(ENGLISH.rules),)
    assert np.count_nonzero(weights) > 500
    build_evaluation(str(whole / "weights.npz"), ENGLISH)
    rows = list(csv.DictReader((whole / "path.csv").open()))
    assert [(row["step"], row["games"]) for row in rows] == [("0", "0"), ("1", "40"), ("2", "80")]
    assert all(0 < float(row["loss"]) < 1 for row in rows)
    assert f"| round 2 | {float(rows[2]['loss']):.4f} |" in lines
    for path in whole.glob("*.[cm]*"):
        assert not re.search(r"\b(nan|inf)\b", path.read_text(), re.IGNORECASE), path
    assert (whole / "path.png").read_bytes().startswith(b"\x89PNG")


def test_the_second_round_plays_with_the_tables_of_the_first(whole: Path) -> None:
    with sqlite3.connect(whole / FILE) as connection:
        query = "SELECT opening, plies, positions FROM games WHERE stage = ? ORDER BY game"
        one, two = (connection.execute(query, (f"round {n}",)).fetchall() for n in (1, 2))
    assert len(one) == len(two) == 40
    game = two[0]
    first = PlayerSpec(
        "tables",
        "negamax",
        Limit(depth=3),
        {"preset": "full", "tt": 1, "evaluation": str(whole / "round_1.npz")},
    )
    again = play_scored(
        Job("round 2", 1, 1, ENGLISH, first, first, RandomOpenings(random_plies=6), 0, max_plies=80)
    )
    assert isinstance(again, Played)
    assert (again.opening, again.plies, again.positions) == game


def test_the_number_of_workers_changes_nothing(whole: Path, tmp_path: Path) -> None:
    assert invoke("tune", written(tmp_path, TINY), "--out", tmp_path / "out", "--workers", 2).exit_code == 0
    assert same_outcome(whole, tmp_path / "out")


def test_a_tuning_killed_in_its_second_round_goes_on_there(whole: Path, tmp_path: Path) -> None:
    """`test_tuning` stops one by Ctrl-C."""
    config, out = written(tmp_path, TINY), tmp_path / "out"
    command = [sys.executable, "-m", "arena", "tune", str(config), "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    while games_stored(out / FILE) < 45:
        assert process.poll() is None, "the tuning was over before it could be stopped"
        time.sleep(0.01)
    process.kill()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -9, errors
    assert not (out / "weights.npz").exists()
    with sqlite3.connect(out / FILE) as connection:
        before = connection.execute("SELECT count(*) FROM games").fetchone()[0]
    mark_games(out / FILE)
    assert invoke("tune", config, "--out", out, "--workers", 1).exit_code == 0
    with sqlite3.connect(out / FILE) as connection:
        kept = connection.execute("SELECT count(*) FROM games WHERE plies = 999").fetchone()[0]
    assert kept == before, "stored games are not played again"
    assert same_outcome(whole, out)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("games: 40", "games: 10"),
        ("games: 40", "start: stong"),
        ("games: 40", "start: {linear: {edg: 1}}"),
        ("games: 40", "start: missing.npz"),
        ("games: 40", "results: 1.5"),
        ("games: 40", "phases: true"),
        ("depth: 3", "nodes: 1"),
    ],
)
def test_a_broken_configuration_gets_one_line_with_its_place(
    tmp_path: Path, old: str, new: str, words: Words
) -> None:
    config = written(tmp_path, TINY.replace(old, new))
    result = invoke("tune", config, "--out", tmp_path / "out", "--workers", 1)
    assert result.exit_code == 2, result.output
    words(error_line(result.stderr))
