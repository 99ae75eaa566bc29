"""Positions to learn from: their targets, and the games that they are taken from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.learning.config import Learning
from arena.learning.games import Job, Played, packed_moves, play_job
from arena.learning.method import LearningSession
from arena.learning.samples import Samples, points_to_move, samples_of_searches
from arena.learning.terms import LearningError, RandomOpenings
from arena.rules.movegen import legal_moves
from arena.rules.moves import sides
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import VARIANTS
from arena.watch.observer import Observer
from players.evaluation.sample import positions_of
from players.negamax.score import LIMIT
from players.player import Limit, PlayerSpec

ENGLISH = VARIANTS["english"]


ROWS = np.array(positions_of(ENGLISH)[:4], dtype=np.int64)


def scored_game(number: int, result: str, rows: np.ndarray, scores: np.ndarray | float) -> Played:
    scored = zip(map(tuple, rows.tolist()), np.broadcast_to(scores, len(rows)).tolist(), strict=True)
    return Played("round 1", number, result, "", packed_moves(list(scored)))


def samples(games: list[Played], results: float) -> Samples:
    """The samples of a round."""
    parts = zip(*samples_of_searches("round 1", games, results), strict=True)
    return Samples(*(np.concatenate(columns) for columns in parts))


def material(rows: np.ndarray) -> np.ndarray:
    """White's men minus Black's and 1.5 times its kings minus Black's, `float64[n]`."""
    white, black, kings = rows[:, 0], rows[:, 1], rows[:, 2]
    own, other = ((side & ~kings, side & kings) for side in (white, black))
    pairs = zip(own, other, strict=True)
    men, crowned = (np.bitwise_count(first).astype(int) - np.bitwise_count(second) for first, second in pairs)
    return men + 1.5 * crowned


def test_a_target_is_between_the_result_and_what_the_score_promises() -> None:
    rng, rows = np.random.default_rng(2), ROWS[:1]
    games = []
    for number in range(1, 2001):
        score = rng.normal(0, 100)
        won = rng.random() < 1 / (1 + np.exp(-score / 50))
        games.append(scored_game(number, "white" if won else "black", rows, score))
    games += [scored_game(2001, "draw", rows, 50.0), scored_game(2002, "white", rows, LIMIT + 5)]
    data = samples(games, 0.3)
    draw, decided = data.targets[-2:]
    assert draw == pytest.approx(0.3 * 0.5 + 0.7 / (1 + np.exp(-1)), abs=0.03)
    assert decided == pytest.approx(1)
    assert samples(games, 1.0).targets[-2] == 0.5
    assert data.held_out.sum() == 100
    assert data.held_out[19]
    assert not data.held_out[18]


def test_points_are_those_of_the_side_to_move() -> None:
    rows = np.array([[1, 2, 0, WHITE], [1, 2, 0, BLACK]])
    assert points_to_move(rows, np.array([0.75, 0.75])).tolist() == [0.75, 0.25]


def test_each_round_has_a_unit_of_its_own() -> None:
    rng, rows = np.random.default_rng(3), ROWS[:1]
    scores = rng.normal(size=2000)
    results = ["white" if rng.random() < 1 / (1 + np.exp(-score)) else "black" for score in scores]
    one, two = (
        [scored_game(n, result, rows, unit * s) for n, (result, s) in enumerate(zip(results, scores, strict=True))]
        for unit in (1.0, 300.0)
    )
    assert samples(one, 0.0).targets == pytest.approx(samples(two, 0.0).targets, rel=1e-3)


def test_games_that_teach_nothing_are_refused() -> None:
    rows = ROWS
    empty = [scored_game(n, "white", rows[:0], 0.0) for n in range(1, 21)]
    with pytest.raises(LearningError, match="round 1: there is no quiet position"):
        samples(empty, 0.2)
    wrong = [scored_game(n, "white" if n % 2 else "black", rows, -9.0 if n % 2 else 9.0) for n in range(1, 21)]
    with pytest.raises(LearningError, match="round 1: the scores of its searches do not predict results"):
        samples(wrong, 0.2)


def test_an_error_names_the_round_whose_games_teach_nothing() -> None:
    learn = {"method": "network", "games": 20, "earlier": [20, 20]}
    terms = Learning.model_validate({"name": "a", "variant": "english", "player": {"nodes": 500}, "learn": learn})
    store = SimpleNamespace(games=lambda stage: [Played(stage, 1, "draw", "", packed_moves([]))])
    session = LearningSession(terms, store, 1, Observer())  # type: ignore[arg-type]
    for number in (1, 2, 3):
        with pytest.raises(LearningError, match=f"round {number}: "):
            list(terms.learn.samples(session, number, []))  # type: ignore[attr-defined]


def job(**changes: Any) -> Job:
    """A game of self-play, unless it is changed."""
    spec = PlayerSpec("a", "negamax", Limit(depth=3), {"preset": "full", "tt": 1, "evaluation": "strong"})
    made = Job("round 1", 7, 7, ENGLISH, spec, spec, RandomOpenings(), 1, 100, random_moves=0.01)
    return made._replace(**changes)


@pytest.mark.full
def test_positions_taken_from_a_game_are_quiet_and_its_own() -> None:
    weak = PlayerSpec("a", "negamax", Limit(depth=1), {"preset": "alphabeta"})
    ordinary = job(white=weak, black=weak, positions=10, random_moves=None)
    game = play_job(ordinary)
    rows = game.scored()["position"]
    assert rows.shape == (10, 4)
    left = [int(row[0] | row[1]).bit_count() for row in rows]
    assert left == sorted(left, reverse=True), "in the order of the game"
    assert len({tuple(row) for row in rows.tolist()}) > 5
    for row in rows.tolist():
        position = Position(*row)
        assert not any(move & sides(position)[1] for move in legal_moves(ENGLISH.rules, position))
    assert play_job(ordinary) == game
    assert play_job(ordinary._replace(game=8, pair=8)) != game


@pytest.mark.full
def test_positions_of_self_play_are_quiet_and_have_scores_from_whites_view() -> None:
    ahead = []
    games = [play_job(job(game=n, pair=n)) for n in range(1, 7)]
    for game in games:
        rows = game.scored()
        assert len(rows) > 5
        for row in rows:
            position = Position(*row["position"].tolist())
            moves = legal_moves(ENGLISH.rules, position)
            assert len(moves) > 1
            assert not any(move & sides(position)[1] for move in moves)
        balance = material(rows["position"])
        ahead += [np.sign(b) == np.sign(s) for b, s in zip(balance, rows["score"], strict=True) if abs(b) >= 2]
    assert len(ahead) > 20
    assert np.mean(ahead) > 0.95
    assert play_job(job(game=3, pair=3)) == games[2]
    assert len({game.opening for game in games}) == len(games)
    assert len({game.opening.count(",") for game in games}) > 1, "openings of different lengths"


@pytest.mark.full
def test_a_decided_game_is_left_with_its_result() -> None:
    for number in range(1, 40):
        game = play_job(job(game=number, pair=number, max_plies=300))
        last = game.scored()["score"][-1]
        if abs(last) > LIMIT:
            assert game.result == ("white" if last > 0 else "black")
            return
    raise AssertionError("no game was decided")


@pytest.mark.parametrize("random_moves", [None, 0.01])
def test_a_player_that_fails_is_named(random_moves: float | None) -> None:
    broken = PlayerSpec("a", "negamax", Limit(depth=99), {})
    with pytest.raises(LearningError, match=r"^round 1, game 7: a was not built: "):
        play_job(job(white=broken, black=broken, random_moves=random_moves))
