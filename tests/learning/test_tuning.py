"""Texel's regression and SPSA on known answers: weights, losses, slopes, bounds and whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.learning.config import Learning
from arena.learning.games import Job, Played, packed_moves
from arena.learning.logistic import fit_weights, mean_loss
from arena.learning.method import LearningSession, Step
from arena.learning.numbers import Number, NumberError, PlayerNumbers, TunedNumber, tuned_number
from arena.learning.spsa import slope
from arena.learning.terms import LearningError
from arena.learning.texel import LinearWeights
from arena.play.options.probe import probe_positions
from arena.rules.variants import VARIANTS
from arena.watch.observer import Observer
from players.evaluation.linear import FEATURES, shares
from players.player import Limit, PlayerSpec

ENGLISH = VARIANTS["english"]
FULL = PlayerSpec("a", "negamax", Limit(nodes=500), {"preset": "full", "tt": 1})
DEEPER = PlayerSpec("a", "mcts", Limit(), {"rollout": {"depth": 2}})


@pytest.mark.full
@pytest.mark.parametrize("phases", [False, True])
def test_the_design_has_the_counts_of_the_features(phases: bool) -> None:
    positions = probe_positions(ENGLISH, 10, None, 2)
    design = LinearWeights(FEATURES, phases, 24, {}).design(ENGLISH, np.array(positions, dtype=np.int64))
    for row, position in zip(design, positions, strict=True):
        ones = shares(position, ENGLISH.rules, np.ones(2 * len(FEATURES)))
        counts = np.array([share.own - share.other for share in ones.values()])
        left = (position.white | position.black).bit_count() / 24
        assert row.tolist() == ([*(counts * left), *(counts * (1 - left))] if phases else counts.tolist())


def test_weights_become_a_vector_and_back() -> None:
    weights = {"man": [100.0, 90.0], "king": [130.0, 160.0]}
    vector = LinearWeights(("man", "king"), True, 24, weights)
    assert vector.start.tolist() == [100, 130, 90, 160]
    assert vector.options(vector.start) == {"evaluation": {"linear": weights}}
    assert vector.text(np.array([100.0, -130, 90, -160])) == "man 105/95, king −137/−168"
    assert LinearWeights(("king", "man", "edge"), False, 24, weights).start.tolist() == [145, 95, 0]


@pytest.mark.parametrize(
    ("features", "theta", "expected"),
    [
        (("man", "king"), [0.5, 0.8], [100, 160]),
        (("edge", "king"), [-0.25, 0.5], [-50, 100]),
        (("man", "king"), [0.0, 0.0], [0, 0]),
    ],
)
def test_a_man_is_worth_100_and_keeps_its_sign(
    features: tuple[str, ...], theta: list[float], expected: list[float]
) -> None:
    assert LinearWeights(features, False, 24, {}).shown(np.array(theta)).tolist() == expected


def synthetic(n: int, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, len(theta))) * [1, 3, 0.5]
    return x, (rng.random(n) < 1 / (1 + np.exp(-x @ theta))).astype(float)


def test_regression_finds_the_weights_that_made_the_results() -> None:
    theta = np.array([0.8, -0.2, 1.5])
    x, points = synthetic(20_000, theta)
    fit = fit_weights(x, points, np.arange(len(x)), 1e-6)
    assert (np.abs(fit.theta - theta) < 4 * fit.errors).all()
    assert (fit.errors < 0.05).all()
    chance = 1 / (1 + np.exp(-x @ fit.theta))
    assert np.abs(x.T @ (points - chance)).max() < 0.1, "the likelihood's slope at its maximum is 0"
    assert fit.loss == pytest.approx(-np.mean(points * np.log(chance) + (1 - points) * np.log(1 - chance)))


@pytest.mark.full
def test_positions_of_one_game_count_as_one_observation() -> None:
    x, points = synthetic(2000, np.array([0.8, -0.2, 1.5]))
    once = fit_weights(x, points, np.arange(2000), 1e-6)
    five = fit_weights(np.repeat(x, 5, 0), np.repeat(points, 5), np.repeat(np.arange(2000), 5), 1e-6)
    assert five.theta == pytest.approx(once.theta, rel=1e-3)
    assert five.errors == pytest.approx(once.errors, rel=1e-3)


def test_a_game_is_held_out_as_by_a_fit_to_all_others() -> None:
    x, points = synthetic(300, np.array([0.8, -0.2, 1.5]))
    games = np.arange(300) // 10
    exact = []
    for game in range(30):
        theta = fit_weights(x[games != game], points[games != game], games[games != game], 1.0).theta
        logits = x[games == game] @ theta
        exact += (np.logaddexp(0, logits) - points[games == game] * logits).tolist()
    fit = fit_weights(x, points, games, 1.0)
    assert fit.held_out == pytest.approx(mean_loss(np.array(exact), games), abs=5e-3)
    assert fit.loss < fit.held_out.mean < fit.loss + 0.04


def test_the_interval_of_a_loss_counts_games_and_not_positions() -> None:
    losses = np.array([0.2, 0.5, 0.8, 0.4])
    loss = mean_loss(losses, np.arange(4))
    assert loss == pytest.approx(mean_loss(np.repeat(losses, 9), np.repeat(np.arange(4), 9)))
    assert loss == pytest.approx((losses.mean(), 3.182446 * losses.std(ddof=1) / 2))
    assert mean_loss(losses, np.zeros(4, int)).error == math.inf


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    x, _ = synthetic(500, np.array([0.8, -0.2, 1.5]))
    draws = fit_weights(x, np.full(500, 0.5), np.arange(500), 1.0)
    assert draws.theta == pytest.approx([0, 0, 0], abs=1e-9)
    both = fit_weights(np.tile(x, (2, 1)), np.repeat([1.0, 0.0], 500), np.arange(1000), 1.0)
    assert both.theta == pytest.approx([0, 0, 0], abs=1e-9)
    assert draws.loss == pytest.approx(np.log(2))


@pytest.mark.full
def test_the_penalty_draws_weights_to_0_and_leaves_an_empty_column_there() -> None:
    x, points = synthetic(500, np.array([0.8, -0.2, 1.5]))
    x = np.hstack([x, np.zeros((500, 1))])
    sizes = [np.abs(fit_weights(x, points, np.arange(500), penalty).theta) for penalty in (0.01, 50.0, 5000.0)]
    assert (sizes[0][:3] > sizes[1][:3]).all()
    assert (sizes[1][:3] > sizes[2][:3]).all()
    assert all(size[3] == 0 for size in sizes)


def test_later_fits_of_texel_leave_out_the_first_round() -> None:
    terms = Learning.model_validate(
        {"name": "a", "variant": "english", "player": {"nodes": 500}, "learn": {"method": "texel"}}
    )
    read: list[str] = []

    def games(stage: str) -> list[Played]:
        read.append(stage)
        return [Played(stage, 1, "draw", "", packed_moves([]))]

    store = SimpleNamespace(games=games)
    for done in range(3):
        with pytest.raises(LearningError, match=f"round {done + 1}: there is no quiet position"):
            terms.learn.fit(LearningSession(terms, store, 1, Observer()), [Step(1, 2)] * done)  # type: ignore[arg-type]
    assert read == ["round 1", "round 2", "round 2", "round 3"]


class Judge:
    """Plays a learning run's games by a strength that options have, and keeps them as a store does."""

    def __init__(self, strength: Callable[[Mapping[str, Any]], float], noise: float = 0.0) -> None:
        self.strength, self.noise = strength, noise
        self.rng = np.random.default_rng(1)
        self.stages: dict[str, list[Played]] = {}
        self.jobs: list[Job] = []

    def play(self, jobs: Sequence[Job]) -> None:
        self.stages[jobs[0].stage] = [self._played(job) for job in jobs]
        self.jobs += jobs

    def games(self, stage: str) -> list[Played]:
        return self.stages[stage]

    def _played(self, job: Job) -> Played:
        lead = self.strength(job.white.options) - self.strength(job.black.options)
        lead += self.rng.normal(0, self.noise) if self.noise else 0
        return Played(job.stage, job.game, "white" if lead > 0 else "black" if lead < 0 else "draw", "", b"")


def tuned(judge: Judge, numbers: Mapping[str, Any], **settings: Any) -> list[Step]:
    """The steps of a run of SPSA over numbers of FULL."""
    data = {"name": "a", "variant": "english", "player": {"nodes": 500, **FULL.options}, "seed": 1}
    terms = Learning.model_validate(data | {"learn": {"method": "spsa", "numbers": numbers, **settings}})
    session, steps = LearningSession(terms, judge, 1, Observer()), list[Step]()  # type: ignore[arg-type]
    for _ in terms.learn.schedule:
        judge.play(terms.learn.jobs(session, steps))
        step = terms.learn.fit(session, steps)
        assert step is not None
        steps.append(step)
    return steps


@pytest.mark.full
def test_it_climbs_to_the_best_numbers_each_in_its_own_unit() -> None:
    numbers = {"aspiration": {"least": 0, "most": 2}, "contempt": {"least": -10, "most": 10, "start": 8}}

    def strength(options: Mapping[str, Any]) -> float:
        return -(((options["aspiration"] - 1.5) / 0.2) ** 2) - ((options["contempt"] + 4) / 2) ** 2

    steps = tuned(Judge(strength, noise=1.0), numbers, steps=150, pairs=4)
    assert steps[-1].theta == pytest.approx([1.5, -4], rel=0.2)


def signed(name: str, sign: int, options: Mapping[str, Any]) -> float:
    return sign * float(options[name])


def test_numbers_stay_inside_their_bounds_in_games_and_in_steps() -> None:
    for name, given, least, most in (
        ("aspiration", {"least": 0.2, "most": 0.8}, 0.2, 0.8),
        ("tables", {"start": 3, "step": 2}, 0, 6),
    ):
        for sign, end in ((1, most), (-1, least)):
            judge = Judge(partial(signed, name, sign))
            steps = tuned(judge, {name: given}, steps=30, pairs=2)
            assert steps[-1].theta == [end]
            asked = [job.white.options[name] for job in judge.jobs]
            assert least <= min(asked) <= max(asked) <= most and end in asked
            assert all(least <= step.theta[0] <= most for step in steps)


def test_a_pair_is_a_change_against_the_opposite_with_colours_swapped_from_one_opening() -> None:
    judge = Judge(lambda options: 0)
    tuned(judge, {"contempt": {"step": 2}}, steps=1, pairs=3)
    for first, second in zip(judge.jobs[::2], judge.jobs[1::2], strict=True):
        assert (first.white, first.black) == (second.black, second.white)
        assert first.pair == second.pair
        assert first.white.options["contempt"] == -first.black.options["contempt"]
        assert abs(first.white.options["contempt"]) == 2, "fishtest's c_end, in the last step"
    assert len({job.pair for job in judge.jobs}) == 3


def test_of_a_linear_score_every_orthogonal_set_of_changes_shows_the_exact_slope() -> None:
    truth, deltas = np.array([0.2, -0.5]), np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    for change in (1.0, 1.3):
        assert slope(deltas, 2 * change * deltas @ truth, change) == pytest.approx(truth)


def test_whole_numbers_are_rounded_by_chance_in_games_and_to_the_nearest_when_written() -> None:
    number = TunedNumber("tt", 4.0, 0.0, 100.0, 2.0, whole=True)
    vector = PlayerNumbers((number,), FULL)
    draws = np.random.default_rng(3).random(4000)
    values = [vector.options(np.array([4.3]), np.array([draw]))["tt"] for draw in draws]
    assert set(values) == {4, 5} and all(type(value) is int for value in values)
    assert np.mean(values) == pytest.approx(4.3, abs=0.03)
    assert vector.shown(np.array([4.6])).tolist() == [5]
    assert vector.options(np.array([4.6]))["tt"] == 5
    assert (vector.text(np.array([4.6])), vector.traced(np.array([4.6]))) == ("tt 4.6", [4.6])
    below = PlayerNumbers((number._replace(name="contempt", least=-9.0),), FULL)
    assert (below.text(np.array([-4.6])), below.traced(np.array([-4.6]))) == ("contempt −4.6", [-4.6])


@pytest.mark.parametrize(
    ("spec", "name", "given", "expected"),
    [
        (FULL, "aspiration", {"most": 2}, (0.5, 0, 2, 0.1, False)),
        (FULL, "contempt", {"least": -10, "most": 10}, (0, -10, 10, 1, False)),
        (FULL, "tables", {}, (0, 0, 6, 0.5, True)),
        (PlayerSpec("a", "hybrid"), "trust", {"start": 50, "most": 1001}, (50, 1, 1001, 50, True)),
        (DEEPER, "rollout.depth", {"least": 0, "most": 8}, (2, 0, 8, 0.5, True)),
    ],
)
def test_what_is_left_out_is_the_players(
    spec: PlayerSpec, name: str, given: dict[str, float], expected: tuple[Any, ...]
) -> None:
    number = tuned_number(name, Number(**given), spec)
    start, least, most, step, whole = expected
    assert number == (name, start, least, most, pytest.approx(step), whole)


def test_a_number_within_a_mapping_leaves_the_rest_of_it() -> None:
    spec = PlayerSpec("a", "negamax", Limit(), {"evaluation": {"linear": {"man": 100, "king": 150}}})
    number = tuned_number("evaluation.linear.king", Number(step=10), spec)
    options = PlayerNumbers((number,), spec).options(np.array([161.5]))
    assert options == {"evaluation": {"linear": {"man": 100, "king": 162}}}
    assert spec.options["evaluation"] == {"linear": {"man": 100, "king": 150}}
    inside = PlayerSpec("a", "negamax", Limit(), {"evaluation": "simple"})
    with pytest.raises(NumberError, match=r"so .* has no place in it"):
        tuned_number("evaluation.linear.king", Number(start=1, step=1), inside)
