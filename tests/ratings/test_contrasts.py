"""Tests of what is beyond chance among many contrasts, and of whether several agree, against published tests."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, norm, studentized_range

from arena.ratings.contrasts import agreement, best, line
from arena.ratings.interval import Z95
from arena.ratings.joint import Family, rate
from arena.report.tables.standings import rating_table
from tests.helpers.report_data import rated
from tests.helpers.results import simulate


def ratings_of(players, covariance=None):
    return rated({f"p{i}": 0.0 for i in range(players)}, covariance)


@pytest.mark.full(only=["40"])
@pytest.mark.parametrize("players", [3, 12, 40])
def test_the_bound_of_all_differences_of_equally_certain_players_is_tukeys(players):
    tukey = studentized_range.ppf(0.95, players, np.inf) / np.sqrt(2)
    assert Family(ratings_of(players)).critical == pytest.approx(tukey, abs=0.03)


def test_the_bound_of_one_difference_is_that_of_one_interval_and_further_contrasts_raise_it():
    assert Family(ratings_of(2)).critical == Family(ratings_of(1)).critical == Z95
    means = [{"p0": 0.5, "p1": 0.5, "p2": -0.5, "p3": -0.5}, {"p0": 0.5, "p2": 0.5, "p1": -0.5, "p3": -0.5}]
    assert (
        Family(ratings_of(4)).critical
        < Family(ratings_of(4), means).critical
        < Family(ratings_of(4)).critical + 0.2
    )
    same = np.full((3, 3), 100.0)
    assert Family(ratings_of(3, same)).critical == Z95  # players that are one have no difference


def test_what_is_beyond_one_interval_may_be_chance_among_many():
    elo = {f"p{i}": 30.0 * (i == 0) for i in range(12)}
    few, many = rated({"p0": 30.0, "p1": 0.0}), rated(elo)
    assert few.family.shows({"p0": 1.0, "p1": -1.0}) and not many.family.shows({"p0": 1.0, "p1": -1.0})
    assert many.difference("p0", "p1") == few.difference("p0", "p1")
    assert not many.family.shows({"p0": 1.0, "nobody": -1.0})


def test_values_agree_by_cochrans_test():
    """Of independent values the sum of squares over the weighted mean; of any two the difference's own test."""
    values, variances = np.array([10.0, -20.0, 40.0, 5.0]), np.array([100.0, 225.0, 400.0, 50.0])
    mean = (values / variances).sum() / (1 / variances).sum()
    assert agreement(values, np.diag(variances)) == pytest.approx(
        chi2.sf(((values - mean) ** 2 / variances).sum(), 3)
    )
    correlated = np.array([[100.0, 60.0], [60.0, 100.0]])
    assert agreement(values[:2], correlated) == pytest.approx(chi2.sf(30**2 / 80, 1))
    assert agreement(values, np.diag(variances) + 1000) == pytest.approx(agreement(values, np.diag(variances)))
    assert agreement(values[:1], correlated[:1, :1]) == agreement(np.zeros(3), np.zeros((3, 3))) == 1


def test_a_line_is_that_of_least_squares_whatever_all_values_have_in_common():
    x, rng = np.log2([1, 2, 3, 4, 6, 8]), np.random.default_rng(1)
    values = 100 * x + rng.normal(0, 20, 6)
    weights, probability = line(x[:, None], values, 400 * np.eye(6) + 900)
    slope, level = np.polyfit(x, values, 1)
    assert (weights @ values, weights.sum()) == pytest.approx((slope, 0), abs=1e-9)
    rest = values - level - slope * x
    assert probability == pytest.approx(chi2.sf((rest**2).sum() / 400, 4))


def test_of_two_players_the_better_one_is_the_best_with_its_likelihood_of_superiority():
    covariance = np.array([[400.0, 50.0], [50.0, 200.0]])
    chance = norm.cdf(20 / np.sqrt(500))
    assert best(np.array([20.0, 0.0]), covariance) == pytest.approx([chance, 1 - chance], abs=0.005)


def test_of_independent_ratings_the_best_is_that_of_an_integral_over_the_others():
    elo, deviation = np.array([30.0, 10.0, 0.0, -60.0]), np.array([10.0, 30.0, 20.0, 25.0])

    def above_all(x, i):
        others = [j for j in range(4) if j != i]
        return norm.pdf(x, elo[i], deviation[i]) * np.prod(norm.cdf(x, elo[others], deviation[others]))

    expected = [quad(above_all, -200, 250, args=(i,), points=[elo[i]])[0] for i in range(4)]
    found = best(elo, np.diag(deviation**2))
    assert found == pytest.approx(expected, abs=0.005) and found.sum() == pytest.approx(1, abs=1e-3)


def test_players_that_are_one_are_the_best_with_one_probability_and_nobody_alone_is():
    one = np.array([[400.0, 400.0, 0.0], [400.0, 400.0, 0.0], [0.0, 0.0, 400.0]])
    first, second, third = best(np.zeros(3), one)
    assert first == second == pytest.approx(0.5, abs=0.005) and third == pytest.approx(1 - first, abs=1e-3)
    games = simulate([0.1, 0.0, -0.1], 20, nu=1.0, h=0.3, seed=3)
    apart = pd.concat(
        [games, games.query("white in ['p0', 'p1'] and black in ['p0', 'p1']").replace("p", "q", regex=True)]
    )
    ratings = rate(apart, [f"p{i}" for i in range(3)] + ["q0", "q1", "idle"])
    chances = rating_table(ratings).set_index("player")["best"]
    for group in ratings.groups[:2]:
        assert chances[list(group)].sum() == pytest.approx(1, abs=1e-3)
    assert np.isnan(chances["idle"])
