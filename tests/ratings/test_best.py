"""Tests of the probability of being the best against los, an integral, and players that are one."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from arena.ratings.best import best
from arena.ratings.joint import rate
from tests.helpers.report_data import rated
from tests.helpers.results import simulate


def test_of_two_players_the_better_one_is_the_best_with_its_likelihood_of_superiority():
    ratings = rate(simulate([0.15, -0.15], 40, nu=1.0, h=0.3, seed=3))
    los = ratings.table["los"][0]
    assert 0.6 < los < 0.99
    assert best(ratings) == pytest.approx([los, 1 - los], abs=0.005)


def test_of_independent_ratings_the_best_is_that_of_an_integral_over_the_others():
    elo, deviation = np.array([30.0, 10.0, 0.0, -60.0]), np.array([10.0, 30.0, 20.0, 25.0])

    def above_all(x, i):
        others = [j for j in range(4) if j != i]
        return norm.pdf(x, elo[i], deviation[i]) * np.prod(norm.cdf(x, elo[others], deviation[others]))

    expected = [quad(above_all, -200, 250, args=(i,), points=[elo[i]])[0] for i in range(4)]
    found = best(rated(dict(zip("abcd", elo, strict=True)), np.diag(deviation**2)))
    assert found == pytest.approx(expected, abs=0.005) and found.sum() == pytest.approx(1, abs=1e-3)


def test_players_that_are_one_are_the_best_with_one_probability_and_nobody_alone_is():
    one = np.array([[400.0, 400.0, 0.0], [400.0, 400.0, 0.0], [0.0, 0.0, 400.0]])
    first, second, third = best(rated({"a": 0.0, "b": 0.0, "c": 0.0}, one))
    assert first == second == pytest.approx(0.5, abs=0.005) and third == pytest.approx(1 - first, abs=1e-3)
    games = simulate([0.1, 0.0, -0.1], 20, nu=1.0, h=0.3, seed=3)
    apart = pd.concat(
        [games, games.query("white in ['p0', 'p1'] and black in ['p0', 'p1']").replace("p", "q", regex=True)]
    )
    ratings = rate(apart, [f"p{i}" for i in range(3)] + ["q0", "q1", "idle"])
    chances = pd.Series(best(ratings), ratings.table["player"])
    for group in ratings.groups[:2]:
        assert chances[list(group)].sum() == pytest.approx(1, abs=1e-3)
    assert np.isnan(chances["idle"])
