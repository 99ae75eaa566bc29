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
from scipy.special import expit
from scipy.stats import binom

from arena.experiment.formats.base import BatchResults, Pairing
from arena.experiment.formats.fixed import RoundRobin, Until
from arena.ratings.joint import rate
from arena.ratings.match import ELO_PER_LOGIT, score_from_elo, sprt
from arena.rules.result import points_of, result_of
from tests.helpers.results import (
    GAMES,
    MODELS,
    NAMES,
    RESULTS,
    assert_finite,
    elo_of,
    frame,
    naive_elo,
    naive_penalty,
    tournament,
)

PUBLISHED = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text())["rows"]
OPERATING = next(row for row in PUBLISHED if row["kind"] == "operating_characteristic")


def lead(elo, at):
    """The d whose expected score over both colours, by the mean over advantages *at*, is that of *elo*."""

    def excess(d):
        return (expit(d + at) + expit(d - at)).mean() / 2 - score_from_elo(elo)

    return brentq(excess, -20, 20)


def scored(elo, favours, draws, h, rng, over=None):
    """Every two players meet in every opening with both colours, and expect by their *elo* over both colours.

    *favours* is what each opening adds to *h*, in logits; the expected score is that in an even opening, or the
    mean over the advantages *over*. Games are drawn in a share *draws* of the cases that it leaves room for.
    """
    parts = []
    for white, black in itertools.permutations(range(len(elo)), 2):
        d = lead(elo[white] - elo[black], np.atleast_1d(h) if over is None else over)
        score = expit(d + h + favours)
        drawn = 2 * draws * np.minimum(score, 1 - score)
        chance = rng.random(len(score))
        outcome = (chance > score - drawn / 2).astype(int) + (chance > score + drawn / 2)
        columns = {"white": f"p{white}", "black": f"p{black}", "result": np.array(RESULTS)[outcome]}
        parts.append(pd.DataFrame(columns | {"pair": np.arange(len(score)), "opening": np.arange(len(score))}))
    return pd.concat(parts, ignore_index=True)


def naive_fit(games, names, spread, prior, model):
    """The model with a normal part of the advantage for each opening, by a general minimizer."""
    size, openings = len(names), games["opening"].nunique()
    first, second = (games[colour].map(names.index).to_numpy() for colour in ("white", "black"))
    outcome, opening = games["result"].map(RESULTS.index).to_numpy(), games["opening"].to_numpy()

    def loss(x):
        d = x[first] - x[second] + x[size] + x[size + 2 + opening]
        if model == "davidson":
            weights = np.column_stack([np.exp(d / 2), np.full(len(d), np.exp(x[size + 1])), np.exp(-d / 2)])
            likelihood = np.log(weights[np.arange(len(d)), outcome] / weights.sum(axis=1)).sum()
        else:
            points = 1 - outcome / 2
            likelihood = -(points * np.log1p(np.exp(-d)) + (1 - points) * np.log1p(np.exp(d))).sum()
        penalty = naive_penalty(x[: size + 2], prior, model)
        return penalty + (x[size + 2 :] ** 2).sum() / (2 * spread**2) - likelihood

    return minimize(loss, np.zeros(size + 2 + openings), method="BFGS", options={"gtol": 1e-5}).x


@pytest.mark.parametrize("model", MODELS)
def test_fit_with_openings_agrees_with_its_naive_twin(model):
    rng = np.random.default_rng(1)
    games = tournament([0.8, 0.1, -0.9], rng.normal(0, 1.5, 8), nu=0.8, h=0.4, rng=rng)
    ratings = rate(games, model=model)
    scale = ELO_PER_LOGIT * (1 - ratings.draw_rate if model == "davidson" else 1)
    names = ["p0", "p1", "p2"]
    spread = ratings.opening_spread / scale
    if model == "bradley-terry":
        spread /= math.sqrt(overall(ratings, games))
    x = naive_fit(games, names, spread, 1.0, model)
    expected = naive_elo(x[:5], games, names, model)
    assert [*elo_of(ratings).sort_index(), ratings.advantage] == pytest.approx(expected, abs=0.05)
    np.testing.assert_allclose(ratings.openings.sort_index(), scale * x[5:], atol=0.05)


def overall(ratings, games):
    """The dispersion of all games by the fit without openings: their variance over that of coins."""
    plain = rate(games.drop(columns="opening"))
    strength = dict(zip(plain.table["player"], plain.parameters, strict=False))
    d = games["white"].map(strength) - games["black"].map(strength) + plain.parameters[len(strength)]
    score = expit(d.to_numpy(float))
    room = 2 * np.minimum(score, 1 - score)
    share = (games["result"] == "1/2-1/2").sum() / (room.sum() + 1)
    return 1 - share * room.sum() / 4 / (score * (1 - score)).sum()


def test_what_openings_add_and_their_spread_are_recovered():
    rng = np.random.default_rng(2)
    favours = rng.normal(0, 1.2, 60)
    games = tournament([0.6, 0.2, 0.0, -0.2, -0.6], favours, nu=1.0, h=0.3, rng=rng)
    ratings = rate(games.assign(opening="ballot " + games["opening"].astype(str)), model="davidson")
    scale = ELO_PER_LOGIT * (1 - ratings.draw_rate)
    assert ratings.opening_spread / scale == pytest.approx(1.2, abs=0.25)
    found = ratings.openings[[f"ballot {number}" for number in range(60)]]
    assert np.corrcoef(found, favours)[0, 1] > 0.8
    games = tournament([0.6, 0.2, 0.0, -0.2, -0.6], np.zeros(60), nu=1.0, h=0.3, rng=rng)
    even = rate(games, model="davidson")
    assert even.opening_spread < 0.25 * ratings.opening_spread


def test_openings_mend_what_a_strong_bias_does_to_the_ratings():
    strength, errors = np.array([0.8, 0.0, -0.8]), []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        games = tournament(strength, rng.normal(0, 2, 40), nu=0.2, h=0.0, rng=rng)
        truth = ELO_PER_LOGIT * 2 / 2.2 * strength
        both = (games, games.drop(columns="opening"))
        errors.append([elo_of(rate(g, model="davidson")).sort_index() - truth for g in both])
    with_openings, without = np.abs(np.mean(errors, axis=0)[:, 0])
    assert without > 25
    assert with_openings < without / 2


def test_openings_that_are_unknown_too_many_or_without_advantage_are_not_fitted():
    rng = np.random.default_rng(3)
    games = tournament([0.5, 0.0, -0.5], rng.normal(0, 1, 1001), nu=1.0, h=0.3, rng=rng)
    plain = rate(games.drop(columns="opening"))
    for unfitted in (rate(games), rate(games.assign(opening=None))):
        pd.testing.assert_frame_equal(unfitted.table, plain.table)
        assert len(unfitted.openings) == unfitted.opening_spread == 0
    assert any("1001 openings" in note for note in rate(games).notes)
    assert len(rate(games, advantage=False).openings) == 0
    some = rate(games.assign(opening=games["opening"].where(games["opening"] < 5)))
    assert len(some.openings) == 5
    two = games[games["white"].isin(["p0", "p1"]) & games["black"].isin(["p0", "p1"])]
    assert len(rate(two[two["opening"] < 50]).openings) == 0


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
@pytest.mark.parametrize("draws", [0.1, 0.5, 0.85])
def test_intervals_hold_the_truth_in_95_of_100_tournaments(draws, bias):
    """Five players, 25 openings that favour a side by *bias* logits (standard deviation); 500 intervals."""
    truth, held = np.array([160, 80, 0, -80, -160]), []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        games = scored(truth, rng.normal(0, bias, 25), draws, 0.3, rng)
        table = rate(games).table.set_index("player").sort_index()
        held.append((table["elo_low"] < truth) & (truth < table["elo_high"]))
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [25, 100])
@pytest.mark.parametrize("bias", [0.0, 0.7, 1.5])
@pytest.mark.parametrize("draws", [0.1, 0.5, 0.85])
def test_intervals_of_two_players_hold_the_truth_in_95_of_100_matches(draws, bias, pairs):
    """Elo is that of the score over the openings, whatever these favour; 300 matches, so that chance is 1.3 %."""
    truth, held = np.array([50, -50]), []
    over = 0.3 + bias * np.random.default_rng(0).normal(size=4001)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        games = scored(truth, rng.normal(0, bias, pairs), draws, 0.3, rng, over)
        table = rate(games).table.set_index("player").sort_index()
        held.append((table["elo_low"] < truth) & (truth < table["elo_high"]))
    assert 0.92 <= np.mean(held) <= 0.98


def until_precise(truth, error, openings, draws, bias, seed, over=None):
    """Whether intervals of a run hold the truth that ends when they are narrow; of two, that of the difference."""
    rng, names = np.random.default_rng(seed), [f"p{i}" for i in range(len(truth))]
    games = scored(truth, rng.normal(0, bias, openings), draws, 0.3, rng, over)
    points = dict(
        zip(zip(games["white"], games["black"], games["opening"], strict=True), games["result"], strict=True)
    )
    schedule, played, found = Until(error=error).schedule(RoundRobin(), names, openings), list[Pairing](), []
    batch = next(schedule, None)
    while batch is not None:
        played += batch
        now = [points_of(points[names[it.white], names[it.black], it.opening]) for it in batch]
        found += now
        try:
            batch = schedule.send(BatchResults(now))
        except StopIteration:
            batch = None
    assert len(played) < len(games)
    anchor = "p1" if len(names) == 2 else None
    rows = [
        (names[it.white], names[it.black], result_of(won), it.pair, it.opening)
        for it, won in zip(played, found, strict=True)
    ]
    ended = pd.DataFrame(rows, columns=["white", "black", "result", "pair", "opening"])
    table = rate(ended, names, anchor=anchor).table.set_index("player").sort_index()
    truth = truth - (truth[1] if anchor else 0)
    return ((table["elo_low"] < truth) & (truth < table["elo_high"])).drop(anchor or [])


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 0.7, 1.5])
@pytest.mark.parametrize("draws", [0.1, 0.5, 0.85])
def test_intervals_that_end_a_tournament_hold_the_truth_in_95_of_100(draws, bias):
    """The five players of the test above; 500 intervals, of which chance is 1 %."""
    truth, cell = np.array([160, 80, 0, -80, -160]), 1 + 3 * [0.1, 0.5, 0.85].index(draws) + round(bias / 0.7)
    held = [until_precise(truth, 40, 150, draws, bias, 1000 * cell + seed) for seed in range(100)]
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 0.7, 1.5])
@pytest.mark.parametrize("draws", [0.1, 0.5, 0.85])
def test_intervals_that_end_a_match_hold_the_truth_in_95_of_100(draws, bias):
    """Of the difference of two players; 500 matches, of which chance is 1 %."""
    over, cell = 0.3 + bias * np.random.default_rng(0).normal(size=4001), round(1000 * draws + 10 * bias)
    truth = np.array([50, -50])
    held = [until_precise(truth, 60, 250, draws, bias, 1000 * cell + seed, over) for seed in range(500)]
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.slow
def test_davidsons_elo_is_not_the_expected_scores():
    """Where 85 % of the draws that there is room for happen, it makes 144 of 160 Elo."""
    truth, found = np.array([160, 80, 0, -80, -160]), []
    for seed in range(40):
        games = scored(truth, np.zeros(25), 0.85, 0.3, np.random.default_rng(seed))
        found.append(elo_of(rate(games, model="davidson"))["p0"])
    assert 135 < np.mean(found) < 152


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
