"""Tests of openings in the joint rating, and long simulations of how often intervals and SPRT err."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.stats import binom

from arena.ratings.joint import rate
from arena.ratings.match import ELO_PER_LOGIT, score_from_elo, sprt
from tests.test_ratings import GAMES, MODELS, NAMES, RESULTS, assert_finite, elo_of, frame, log_cosh, naive_elo

PUBLISHED = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text())["rows"]
OPERATING = next(row for row in PUBLISHED if row["kind"] == "operating_characteristic")


def tournament(strength, favours, nu, h, rng):
    """Every two players meet in every opening with both colours; *favours* is what each adds to *h*, in logits."""
    parts = []
    for white, black in itertools.permutations(range(len(strength)), 2):
        d = strength[white] - strength[black] + h + favours
        weights = np.array([np.exp(d / 2), np.full(len(d), nu), np.exp(-d / 2)])
        outcome = (rng.random(len(d)) * weights.sum(axis=0) > weights.cumsum(axis=0)).sum(axis=0)
        columns = {"white": f"p{white}", "black": f"p{black}", "result": np.array(RESULTS)[outcome]}
        parts.append(pd.DataFrame(columns | {"pair": np.arange(len(d)), "opening": np.arange(len(d))}))
    return pd.concat(parts, ignore_index=True)


def naive_fit(games, names, spread, prior):
    """Davidson's model with a normal part of the advantage for each opening, by a general minimizer."""
    size, openings = len(names), games["opening"].nunique()
    first, second = (games[colour].map(names.index).to_numpy() for colour in ("white", "black"))
    outcome, opening = games["result"].map(RESULTS.index).to_numpy(), games["opening"].to_numpy()

    def loss(x):
        d = x[first] - x[second] + x[size] + x[size + 2 + opening]
        weights = np.column_stack([np.exp(d / 2), np.full(len(d), np.exp(x[size + 1])), np.exp(-d / 2)])
        likelihood = np.log(weights[np.arange(len(d)), outcome] / weights.sum(axis=1)).sum()
        draws = 1 / (1 + 2 * math.exp(-x[size + 1]))
        penalty = prior * (sum(map(log_cosh, x[: size + 1])) - math.log(draws) - math.log(1 - draws))
        return penalty + (x[size + 2 :] ** 2).sum() / (2 * spread**2) - likelihood

    return minimize(loss, np.zeros(size + 2 + openings), method="BFGS", options={"gtol": 1e-5}).x


def test_fit_with_openings_agrees_with_its_naive_twin():
    rng = np.random.default_rng(1)
    games = tournament([0.8, 0.1, -0.9], rng.normal(0, 1.5, 8), nu=0.8, h=0.4, rng=rng)
    ratings = rate(games)
    scale = ELO_PER_LOGIT * (1 - ratings.draw_rate)
    x = naive_fit(games, ["p0", "p1", "p2"], ratings.opening_spread / scale, 0.5)
    assert [*elo_of(ratings).sort_index(), ratings.advantage] == pytest.approx(naive_elo(x[:5]), abs=0.05)
    np.testing.assert_allclose(ratings.openings.sort_index(), scale * x[5:], atol=0.05)


def test_what_openings_add_and_their_spread_are_recovered():
    rng = np.random.default_rng(2)
    favours = rng.normal(0, 1.2, 60)
    games = tournament([0.6, 0.2, 0.0, -0.2, -0.6], favours, nu=1.0, h=0.3, rng=rng)
    ratings = rate(games.assign(opening="ballot " + games["opening"].astype(str)))
    scale = ELO_PER_LOGIT * (1 - ratings.draw_rate)
    assert ratings.opening_spread / scale == pytest.approx(1.2, abs=0.25)
    found = ratings.openings[[f"ballot {number}" for number in range(60)]]
    assert np.corrcoef(found, favours)[0, 1] > 0.8
    even = rate(tournament([0.6, 0.2, 0.0, -0.2, -0.6], np.zeros(60), nu=1.0, h=0.3, rng=rng))
    assert even.opening_spread < 0.25 * ratings.opening_spread


def test_openings_mend_what_a_strong_bias_does_to_the_ratings():
    strength, errors = np.array([0.8, 0.0, -0.8]), []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        games = tournament(strength, rng.normal(0, 2, 40), nu=0.2, h=0.0, rng=rng)
        truth = ELO_PER_LOGIT * 2 / 2.2 * strength
        errors.append([elo_of(rate(g)).sort_index() - truth for g in (games, games.drop(columns="opening"))])
    with_openings, without = np.abs(np.mean(errors, axis=0)[:, 0])
    assert without > 25
    assert with_openings < without / 2


def test_openings_that_are_unknown_too_many_or_without_advantage_are_not_fitted():
    rng = np.random.default_rng(3)
    games = tournament([0.5, -0.5], rng.normal(0, 1, 1001), nu=1.0, h=0.3, rng=rng)
    plain = rate(games.drop(columns="opening"))
    for unfitted in (rate(games), rate(games.assign(opening=None))):
        pd.testing.assert_frame_equal(unfitted.table, plain.table)
        assert len(unfitted.openings) == unfitted.opening_spread == 0
    assert any("1001 openings" in note for note in rate(games).notes)
    assert len(rate(games, advantage=False).openings) == 0
    some = rate(games.assign(opening=games["opening"].where(games["opening"] < 5)))
    assert len(some.openings) == 5


@settings(deadline=None, max_examples=40)
@given(GAMES, st.lists(st.none() | st.integers(0, 3), min_size=25, max_size=25), st.sampled_from(MODELS))
def test_any_results_in_any_openings_give_a_finite_table(rows, openings, model):
    games = frame(rows).assign(opening=openings[: len(rows)])
    for intervals in ("sandwich", "bootstrap"):
        ratings = rate(games, NAMES, model=model, intervals=intervals, resamples=10)
        assert_finite(ratings)
        assert np.isfinite([*ratings.openings, ratings.opening_spread]).all()


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 0.7, 1.5])
@pytest.mark.parametrize("draw_rate", [0.1, 0.5, 0.85])
def test_intervals_hold_the_truth_in_95_of_100_tournaments(draw_rate, bias):
    """Five players, 25 openings that favour a side by *bias* logits (standard deviation); 2000 intervals.

    With one advantage for all openings the truth was held in 73 % of cases at a bias of 1.5 and 10 % draws.
    """
    strength = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
    truth = ELO_PER_LOGIT * (1 - draw_rate) * strength
    held = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        games = tournament(strength, rng.normal(0, bias, 25), 2 * draw_rate / (1 - draw_rate), 0.3, rng)
        table = rate(games).table.set_index("player").sort_index()
        held.append((table["elo_low"] < truth) & (truth < table["elo_high"]))
    assert 0.93 < np.mean(held) < 0.97


def pair_chances(elo):
    """Chances of 0 to 2 points in halves, in a pair of the law of BayesElo with draw Elo 200 and biases of 60."""

    def game(lead):
        win, loss = (1 / (1 + 10 ** ((200 - side) / 400)) for side in (lead, -lead))
        return np.array([loss, 1 - win - loss, win])

    def chances(lead):
        return np.convolve(game(lead + 60), game(lead - 60))

    points = np.arange(5) / 4
    return chances(brentq(lambda lead: chances(lead) @ points - score_from_elo(elo), -200, 200))


@pytest.mark.slow
@pytest.mark.parametrize("elo", [0, 20])
def test_sprt_errs_as_often_and_takes_as_long_as_published(elo):
    runs, accepted, lengths = 400, 0, []
    rng = np.random.default_rng(elo)
    chances = pair_chances(elo)
    for _ in range(runs):
        counts = np.zeros(5)
        for result in rng.choice(5, 20_000, p=chances):
            counts[result] += 1
            test = sprt(counts, 0, 20, 0.05, 0.05, model="logistic")
            if test.verdict != "continue":
                break
        accepted += test.verdict == "H1"
        lengths.append(counts.sum())
    wrong = accepted if elo == 0 else runs - accepted
    assert binom.sf(wrong - 1, runs, 0.05) > 0.001
    published = OPERATING[f"accept_rate_true_{elo}"]
    assert abs(accepted / runs - published) < 3.3 * math.sqrt(2 * published * (1 - published) / runs)
    error = np.std(lengths) / math.sqrt(runs)
    assert abs(np.mean(lengths) - OPERATING[f"mean_pairs_true_{elo}"]) < 3.3 * math.sqrt(2) * error
