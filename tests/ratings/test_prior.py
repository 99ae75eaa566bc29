"""Tests of what is said of the prior, against fits by hand with and without it."""

import re

import numpy as np
import pytest
from scipy.special import expit

from arena.ratings.interval import ELO_PER_LOGIT
from arena.ratings.joint import rate
from arena.ratings.prior import moved_by_prior
from tests.helpers.results import VIRTUAL_LEAD, elo_of, frame, repeat, simulate


def match(wins, draws, losses):
    """So many games of a against b with each colour."""
    return frame(repeat("a", "b", wins, draws, losses) + repeat("b", "a", losses, draws, wins))


def test_the_prior_of_a_match_is_said_in_numbers_where_it_moves_the_difference():
    """Without it 2999 of 3000 points are log 2999; with it the points that virtual games cost are missing."""
    (sentence,) = moved_by_prior(rate(match(1499, 1, 0), anchor={"b": 0.0}))
    without = ELO_PER_LOGIT * np.log(2999)
    assert re.search(r"moves the Elo of a by −\d+, from \+(\d+) to \+(\d+) ± \d+\.$", sentence)
    before, after = (int(number) for number in re.findall(r"\+(\d+)", sentence))
    assert before == round(without) and after < before - 30
    d = after / ELO_PER_LOGIT
    excess = 3000 * expit(d) - 2999 + expit(d / 2 + VIRTUAL_LEAD) - 1 + expit(d / 2 - VIRTUAL_LEAD)
    assert excess == pytest.approx(0, abs=0.02)


def test_nothing_is_said_of_the_prior_where_it_moves_little():
    assert moved_by_prior(rate(match(12, 38, 0))) == []
    assert moved_by_prior(rate(match(3, 1, 0))) == []
    assert moved_by_prior(rate(simulate([0.5, 0.0, -0.5], 5, nu=1.0, h=0.3, seed=1))) == []
    assert moved_by_prior(rate(frame([]), ["a", "b"])) == moved_by_prior(rate(frame([]), [])) == []


@pytest.mark.parametrize("anchor", [{}, {"b": 0.0}, {"c": 0.0}])
def test_players_without_a_finite_elo_but_for_the_prior_are_named(anchor):
    games = frame(
        repeat("a", "b", 5, 5, 4) + repeat("b", "a", 5, 5, 5) + repeat("c", "a", 10) + repeat("b", "c", 0, 0, 9)
    )
    ratings = rate(games, anchor=anchor)
    found = " ".join(moved_by_prior(ratings))
    named = {name for name in "abc" if f"{name} (" in found}
    assert named == ({"a", "b"} if "c" in anchor else {"c"})
    for name in named:
        assert f"{name} ({elo_of(ratings)[name]:+.0f}".replace("-", "−") in found
