"""Tests of what is beyond chance among many contrasts, and of whether several agree, against published tests."""

import numpy as np
import pytest
from scipy.stats import chi2, studentized_range

from arena.ratings.contrasts import agreement, critical, line
from arena.ratings.interval import Z95
from tests.helpers.report_data import rated


def ratings_of(players, covariance=None):
    return rated({f"p{i}": 0.0 for i in range(players)}, covariance)


@pytest.mark.parametrize("players", [3, 4, 12, 40])
def test_the_bound_of_all_differences_of_equally_certain_players_is_tukeys(players):
    tukey = studentized_range.ppf(0.95, players, np.inf) / np.sqrt(2)
    assert critical(ratings_of(players)) == pytest.approx(tukey, abs=0.03)


def test_the_bound_of_one_difference_is_that_of_one_interval_and_further_contrasts_raise_it():
    assert critical(ratings_of(2)) == critical(ratings_of(1)) == Z95
    means = [{"p0": 0.5, "p1": 0.5, "p2": -0.5, "p3": -0.5}, {"p0": 0.5, "p2": 0.5, "p1": -0.5, "p3": -0.5}]
    assert critical(ratings_of(4)) < critical(ratings_of(4), means) < critical(ratings_of(4)) + 0.2
    same = np.full((3, 3), 100.0)
    assert critical(ratings_of(3, same)) == Z95  # players that are one have no difference


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
