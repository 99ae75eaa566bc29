"""Tests of the two-player statistics against published figures, naive twins and their own symmetries."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from arena.ratings.interval import Interval, los, score_from_elo
from arena.ratings.match import (
    NELO_SCALE,
    Model,
    SequentialTest,
    SprtState,
    detectable,
    llr,
    normalized_elo,
    pairs_to_decide,
    resolution,
    sprt,
)

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "statistics.json").read_text())["rows"]
MODELS: tuple[Model, ...] = ("normalized", "logistic")


def published(*quantities):
    """For each published row of these quantities."""
    rows = [row for row in PUBLISHED if row.get("quantity", row["kind"]) in quantities]
    assert rows
    return pytest.mark.parametrize(
        "row", rows, ids=lambda row: f"{row.get('counts', '')}-{row.get('quantity', '')}"
    )


def tolerance(row):
    return {key.removesuffix("_tol"): value for key, value in row.items() if key.endswith("_tol")}


def naive_llr(counts, elo0, elo1, fit):
    """The log-likelihood ratio by a naive fit of the observed shares to the strength of each hypothesis."""
    if not any(counts):
        return 0.0
    counts = np.maximum(counts, 1e-3)
    return counts.sum() * (fit(counts / counts.sum(), elo1) - fit(counts / counts.sum(), elo0))


def logistic_fit(observed, elo):
    """The empirical likelihood of a mean score, with the multiplier's root bracketed by its two poles."""
    values = np.linspace(0, 1, len(observed)) - score_from_elo(elo)
    low, high = -1 / values.max(), -1 / values.min()
    margin = 1e-13 * (high - low)
    x = brentq(lambda x: observed @ (values / (1 + x * values)), low + margin, high - margin, xtol=1e-15)
    return -observed @ np.log1p(x * values)


def trinomial_fit(observed, elo):
    """Every distribution of the ratio (mean - 1/2) / deviation is known by its draw rate, so try them all."""
    if elo < 0:
        return trinomial_fit(observed[::-1], -elo)
    ratio = elo / NELO_SCALE
    edge = ratio / math.hypot(1, ratio)  # with fewer than edge^2 decisive games there is no such distribution

    def loss(x):
        room = expit(x) / (1 + ratio**2)
        root = np.sqrt(edge**2 + room)  # of the share of decisive games
        q = np.array([root * room / (root + edge), 2 * expit(-x) / (1 + ratio**2), root * (root + edge)]) / 2
        return -(observed @ (np.log(q).T - np.log(observed)).T)

    grid = np.linspace(-40, 40, 801)
    best = int(np.argmin(loss(grid)))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    return -float(minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9}).fun)


COUNTS = st.sampled_from([3, 5]).flatmap(
    lambda n: st.lists(st.integers(0, 5) | st.integers(0, 10**6), min_size=n, max_size=n)
)
HYPOTHESIS = st.floats(-1500, 1500)


FIGURES = {
    "nelo": lambda row: normalized_elo(row["counts"]).value,
    "nelo_half_width_95": lambda row: normalized_elo(row["counts"]).error,
    "llr": lambda row: llr(row["counts"], row["elo0"], row["elo1"], row["model"]),
}


@published(*FIGURES)
def test_a_figure_is_the_published_one(row):
    assert FIGURES[row["quantity"]](row) == pytest.approx(row["value"], **tolerance(row))


@published("must_be_finite")
@pytest.mark.parametrize("model", MODELS)
def test_sprt_is_finite_where_others_hang_or_fail(row, model):
    for case in row["cases"]:
        assert math.isfinite(sprt(**case, model=model).llr)


@published("bounds")
def test_sprt_has_walds_bounds(row):
    test = sprt([1, 1, 1], 0, 5, row["alpha"], row["beta"])
    assert (test.lower, test.upper) == pytest.approx((row["lower"], row["upper"]), rel=1e-14)


@published("games_needed")
def test_the_published_numbers_of_games_are_the_fewest_that_resolve(row):
    games, error, draws = row["value"], row["elo_error"], row["draw_rate"]
    assert resolution(games, draws) <= error < resolution(games - 1, draws)


def test_a_detectable_difference_is_shown_in_80_of_100_matches():
    """What the interval alone can tell, `resolution`, is shown in half of them."""
    rng, games, draws = np.random.default_rng(1), 400, 0.4
    half_width = resolution(games, draws)
    for difference, chance in ((half_width, 0.5), (detectable(half_width), 0.8)):
        wins = score_from_elo(difference) - draws / 2
        counts = rng.multinomial(games, [1 - draws - wins, draws, wins], 1000)
        shown = np.mean([normalized_elo(each).low > 0 for each in counts])
        assert shown == pytest.approx(chance, abs=0.04)


def test_the_length_of_the_counts_says_games_or_pairs():
    games, pairs = normalized_elo([30, 50, 40]), normalized_elo([30, 0, 50, 0, 40])
    assert pairs.value == pytest.approx(games.value / math.sqrt(2), rel=1e-4)
    for counts in ([0] * 3, [0] * 5):
        assert normalized_elo(counts).value == pytest.approx(0, abs=1e-9) and normalized_elo(counts).error > 1000
        assert [llr(counts, 0, 10, model) for model in MODELS] == [0, 0]


@given(COUNTS)
def test_normalized_elo_is_finite_and_reverses_with_the_view(counts):
    mine, theirs = normalized_elo(counts), normalized_elo(counts[::-1])
    assert mine.error > 0 and np.isfinite(mine).all()
    assert theirs == pytest.approx([-mine.value, -mine.high, -mine.low], rel=1e-6, abs=1e-6)


@given(COUNTS, HYPOTHESIS, HYPOTHESIS, st.sampled_from(MODELS))
def test_llr_is_finite_and_reverses_with_the_view(counts, elo0, elo1, model):
    ratio = llr(counts, elo0, elo1, model)
    assert math.isfinite(ratio)
    size = sum(counts) + 1
    assert llr(counts[::-1], -elo1, -elo0, model) == pytest.approx(-ratio, rel=1e-6, abs=1e-7 * size)


@given(COUNTS, st.floats(-800, 800), st.floats(-800, 800))
def test_logistic_llr_agrees_with_its_naive_twin(counts, elo0, elo1):
    naive = naive_llr(counts, elo0, elo1, logistic_fit)
    assert llr(counts, elo0, elo1, "logistic") == pytest.approx(naive, rel=1e-6, abs=1e-8 * sum(counts))


@settings(max_examples=50)
@given(st.lists(st.integers(0, 300), min_size=3, max_size=3), st.floats(-3400, 3400), st.floats(-3400, 3400))
def test_normalized_llr_has_the_best_of_all_trinomials(counts, elo0, elo1):
    naive = naive_llr(counts, elo0, elo1, trinomial_fit)
    assert llr(counts, elo0, elo1) == pytest.approx(naive, rel=1e-5, abs=1e-5 * sum(counts))


def test_sprt_gives_the_verdict_of_the_bound_that_is_passed():
    undecided = sprt([10, 100, 60], 0, 10), sprt([60, 100, 10], 0, 10)
    assert undecided[1].llr < 0 < undecided[0].llr
    assert [test.verdict for test in undecided] == ["continue", "continue"]
    assert sprt([100, 100, 600], 0, 10).verdict == "H1"
    assert sprt([600, 100, 100], 0, 10).verdict == "H0"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be below elo1"),
        ({"elo1": math.inf}, "within"),
        ({"alpha": 0.5, "beta": 0.5}, "below 1"),
        ({"beta": math.nan}, "above 0"),
        ({"model": "bayes"}, "normalized"),
        ({"counts": [1, 2]}, "3 .* or 5"),
        ({"counts": [1, math.nan, 3]}, "finite"),
        ({"games": 0, "draw_rate": 0.5}, "above 0"),
        ({"games": 10, "draw_rate": 1.5}, "draw rate"),
        ({"games": 10, "draw_rate": math.nan}, "draw rate"),
    ],
)
def test_sprt_and_resolution_refuse_meaningless_arguments_with_the_reason(arguments, reason):
    usual = {"counts": [1, 1, 1], "elo0": 0, "elo1": 10}
    with pytest.raises(ValueError, match=reason):
        resolution(**arguments) if "games" in arguments else sprt(**usual | arguments)


def test_los_is_the_normal_probability_of_a_positive_difference():
    assert Interval.around(1.0, 1.0).los == pytest.approx(0.975)
    assert [float(los(x, 0.0)) for x in (-1e-9, 0.0, 2.0)] == [0, 0.5, 1]
    np.testing.assert_allclose(los([0.0, 1.0, -1.0], [3.0, 1.0, 0.0]), [0.5, 0.841344746, 0])


def test_a_sequential_test_takes_in_one_pair_after_the_other_until_it_is_decided():
    test = SequentialTest({"elo0": 0, "elo1": 200})
    assert not test.decided and test.state is None
    states = []
    while not test.decided:
        states.append(test.add(1.0, 0.0))
    assert states == [sprt([0, 0, 0, 0, pairs], 0, 200) for pairs in range(1, len(states) + 1)]
    assert test.state == states[-1] and states[-1].verdict == "H1" and test.games == 2 * len(states) < 100


def test_an_open_test_takes_as_many_pairs_as_normal_results_halfway_between_do():
    """A ratio of two normal densities of deviation 1, with means of elo / NELO_SCALE a game, walks to a bound."""
    elo0, elo1, at = 0.0, 60.0, SprtState(1.0, -2.94, 2.94, "continue")
    mean0, mean1 = (math.sqrt(2) * elo / NELO_SCALE for elo in (elo0, elo1))
    results = np.random.default_rng(1).normal((mean0 + mean1) / 2, 1, (1000, 2000))
    walks = at.llr + np.cumsum((mean1 - mean0) * (results - (mean0 + mean1) / 2), axis=1)
    is_decided = (walks <= at.lower) | (walks >= at.upper)
    assert is_decided.any(axis=1).all()
    assert pairs_to_decide(at, elo0, elo1) == pytest.approx((is_decided.argmax(axis=1) + 1).mean(), rel=0.15)
