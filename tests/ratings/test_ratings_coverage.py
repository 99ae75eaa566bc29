"""Simulations of how often the intervals of joint ratings hold the truth, and of how often SPRT errs."""

import itertools
import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, fsolve
from scipy.special import expit
from scipy.stats import binom

from arena.experiment.formats.fixed import RoundRobin, Until
from arena.ratings.interval import ELO_PER_LOGIT, score_from_elo
from arena.ratings.joint import rate
from arena.ratings.match import sprt
from arena.rules.result import points_of, result_of
from tests.helpers.results import RESULTS
from tests.helpers.schedules import batches

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "statistics.json").read_text())["rows"]
OPERATING = next(row for row in PUBLISHED if row["kind"] == "operating_characteristic")


def lead(elo, at):
    """The d whose expected score over both colours, by the mean over advantages *at*, is that of *elo*."""

    def excess(d):
        return (expit(d + at) + expit(d - at)).mean() / 2 - score_from_elo(elo)

    return brentq(excess, -20, 20)


def advantages(bias):
    """Advantages of moving first, in logits, of openings that favour a side by *bias* (standard deviation)."""
    return 0.3 + bias * np.random.default_rng(0).normal(size=4001)


def scored(elo, openings, draws, bias, rng, over=None, times=1):
    """Every two players meet *times* in every opening with both colours, and expect by their *elo* over both.

    The expected score is the mean over the openings played, or over the advantages *over*. Games are drawn in a
    share *draws* of the cases that it leaves room for.
    """
    favours = np.repeat(0.3 + rng.normal(0, bias, openings), times)
    over = favours if over is None else over
    parts = []
    for white, black in itertools.permutations(range(len(elo)), 2):
        score = expit(lead(elo[white] - elo[black], over) + favours)
        drawn = 2 * draws * np.minimum(score, 1 - score)
        chance = rng.random(len(score))
        outcome = (chance > score - drawn / 2).astype(int) + (chance > score + drawn / 2)
        columns = {"white": f"p{white}", "black": f"p{black}", "result": np.array(RESULTS)[outcome]}
        parts.append(pd.DataFrame(columns | {"pair": np.arange(len(favours))}))
    return pd.concat(parts, ignore_index=True)


FIVE, TWO = np.array([160, 80, 0, -80, -160]), np.array([50, -50])
CELLS = [(draws, bias) for draws in (0.1, 0.5, 0.85) for bias in (0.0, 0.7, 1.5)]


def held(games, truth):
    """Which intervals of a joint rating hold the truth."""
    ratings = rate(games)
    table, joint = ratings.table.set_index("player").sort_index(), ratings.joint
    assert joint is not None
    over_zero = joint.to_elo[:-1, :-1] @ truth / ELO_PER_LOGIT
    return (table["elo_low"] < over_zero) & (over_zero < table["elo_high"])


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Three players, 25 openings; 60 intervals, so that 0.87 is 3 standard errors below 0.95."""
    truth, seeds = np.array([90, 20, -110]), range(20)
    runs = [held(scored(truth, 25, 0.85, 1.0, np.random.default_rng(seed)), truth) for seed in seeds]
    assert np.mean(runs) >= 0.87


def unequal_draws(rng):
    """The first two players draw 85 % of their games, as far as their scores leave room, others 10 %."""
    parts = [scored(FIVE, 25, draws, 0.7, rng) for draws in (0.85, 0.1)]
    of_two = [part["white"].isin(["p0", "p1"]) & part["black"].isin(["p0", "p1"]) for part in parts]
    return pd.concat([parts[0][of_two[0]], parts[1][~of_two[1]]])


def few_openings(rng):
    """Four openings, each played once with either colours."""
    return scored(FIVE, 4, 0.5, 0.7, rng)


def a_newcomer(rng):
    """Of the last player four games alone, two pairs of each of two opponents' openings."""
    games = scored(FIVE, 25, 0.5, 0.7, rng)
    of_last = (games["white"] == "p4") | (games["black"] == "p4")
    against = games[["white", "black"]].isin(["p1", "p2"]).any(axis=1)
    return games[~of_last | (against & (games["pair"] == 0))]


RUNS = [
    *((FIVE, 100, partial(scored, FIVE, 25, *cell)) for cell in CELLS),
    *((FIVE, 100, partial(scored, FIVE, 5, draws, 1.5, times=5)) for draws in (0.1, 0.5, 0.85)),
    *((FIVE, 200, cell) for cell in (unequal_draws, few_openings, a_newcomer)),
    *(
        (TWO, 300, partial(scored, TWO, pairs, draws, bias, over=advantages(bias)))
        for pairs in (25, 100)
        for draws, bias in CELLS
    ),
]
"""The Elo of the players, how many runs, and what makes the games of one from its random stream.

That of five players is by the score over the openings played, that of two over all that there could be.
"""


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "times", "play"), RUNS)
def test_intervals_hold_the_truth_in_95_of_100_runs(truth, times, play):
    """500 intervals at least, those of the last player, who may have four games, for themselves, too."""
    runs = np.array([held(play(rng=np.random.default_rng(seed)), truth) for seed in range(times)])
    assert (0.92 if len(truth) == 2 else 0.93) <= runs.mean() <= 0.98
    assert runs[:, -1].mean() >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [3, 15])
@pytest.mark.parametrize("given", [2, 4])
def test_intervals_among_players_of_given_elo_hold_the_truth_with_few_games(given, pairs):
    """All meet; 400 intervals, of which chance is 1.1 %, of one player that has 12 to 120 games."""
    elo, held = np.array([60, 150, -100, 40, -200])[: given + 1], []
    for seed in range(400):
        games = scored(elo, pairs, 0.3, 0.5, np.random.default_rng(seed))
        table = rate(games, anchor={f"p{i}": float(elo[i]) for i in range(1, given + 1)}).table.set_index("player")
        held.append(table["elo_low"]["p0"] < elo[0] < table["elo_high"]["p0"])
    assert 0.93 <= np.mean(held) <= 0.98


def elo_over(elo, favours, played):
    """The players' Elo over the openings *played*, where *elo* is that over all that are in *favours*."""
    leads = [[lead(one - other, favours) for other in elo] for one in elo]
    ahead = np.array(leads)[:, :, None]
    expected = (expit(ahead + favours[played]) + expit(ahead - favours[played])).mean(axis=2) / 2

    def excess(rating):
        return (expected - expit(np.log(10) / 400 * (rating[:, None] - rating))).sum(axis=1) + rating.mean()

    return fsolve(excess, elo)


def until_precise(truth, error, openings, draws, bias, seed):
    """Whether intervals of a run that ends when they are narrow hold the truth.

    Of two players it is that of the difference, over all openings that there could be; of more, as of any
    tournament, that over the openings played.
    """
    names = [f"p{i}" for i in range(len(truth))]
    over = advantages(bias) if len(truth) == 2 else None
    games = scored(truth, openings, draws, bias, np.random.default_rng(seed), over)
    points = dict(
        zip(zip(games["white"], games["black"], games["pair"], strict=True), games["result"], strict=True)
    )

    def won(game):
        return points_of(points[names[game.white], names[game.black], game.opening])

    parts, _ = batches(Until(error=error).batches(RoundRobin(), names, openings), won)
    played = [game for part in parts for game in part]
    assert len(played) < len(games)
    anchor = {"p1": 0.0} if len(names) == 2 else {}
    rows = [(names[game.white], names[game.black], result_of(won(game)), game.pair) for game in played]
    counted = pd.DataFrame(rows, columns=["white", "black", "result", "pair"])
    table = rate(counted, names, anchor=anchor).table.set_index("player").sort_index()
    if anchor:
        truth = truth - truth[1]
    else:
        favours = 0.3 + np.random.default_rng(seed).normal(0, bias, openings)  # as `scored` draws them
        truth = elo_over(truth, favours, sorted({game.opening for game in played}))
    return ((table["elo_low"] < truth) & (truth < table["elo_high"])).drop([*anchor])


@pytest.mark.slow
@pytest.mark.parametrize(("draws", "bias"), CELLS)
@pytest.mark.parametrize(("truth", "error", "openings", "runs"), [(FIVE, 40, 150, 100), (TWO, 60, 250, 500)])
def test_intervals_that_end_a_run_hold_the_truth_in_95_of_100(truth, error, openings, runs, draws, bias):
    """500 intervals, of which chance is 1 %: of five players, and of the difference of two."""
    if len(truth) == 5:
        first = 1000 * (1 + 3 * [0.1, 0.5, 0.85].index(draws) + round(bias / 0.7))
    else:
        first = 1000 * round(1000 * draws + 10 * bias)
    seeds = range(first, first + runs)
    assert 0.93 <= np.mean([until_precise(truth, error, openings, draws, bias, seed) for seed in seeds]) <= 0.98


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
