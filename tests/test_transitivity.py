"""Tests of residuals, cycles and Nash averaging against definitions, simulations and published equilibria."""

import dataclasses
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import entropy

from arena.ratings.joint import rate
from arena.ratings.match import score_from_elo
from arena.ratings.transitivity import cycles, nash, nash_averages, residuals
from tests.helpers.results import (
    GAMES,
    MODELS,
    NAMES,
    OPPOSITE,
    frame,
    repeat,
    rock_paper_scissors,
    simulate,
    tournament,
)

PUBLISHED = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text())["rows"]
NASH = {case["game"]: case for row in PUBLISHED if row["kind"] == "non_transitive" for case in row["cases"]}
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])

quick = settings(deadline=None, max_examples=40)


def test_nash_of_rock_paper_scissors_is_the_published_one():
    case = NASH["rock paper scissors"]
    weight = nash(ROCK)
    assert weight == pytest.approx(case["mix"], abs=1e-6)
    assert weight @ ROCK @ weight == pytest.approx(case["value"], abs=1e-9)


def test_nash_of_a_transitive_game_is_its_best_player():
    assert nash(np.array([[0.0, -1, -2], [1, 0, -1], [2, 1, 0]])) == pytest.approx(
        NASH["transitive of three"]["mix"], abs=1e-6
    )


def test_nash_shares_between_equal_players():
    assert nash(np.zeros((4, 4))) == pytest.approx([0.25] * 4, abs=1e-6)
    assert nash(np.zeros((0, 0))).shape == (0,)
    assert nash(np.zeros((1, 1))) == pytest.approx([1])


def test_copies_of_a_player_share_its_weight():
    """Redundancy of the agents changes nothing (Balduzzi et al. 2018, property P1)."""
    order = [0, 1, 2, 2, 2]
    assert nash(ROCK[np.ix_(order, order)]) == pytest.approx([1 / 3, 1 / 3, 1 / 9, 1 / 9, 1 / 9], abs=1e-6)


@quick
@given(st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_nash_is_the_equilibrium_of_greatest_entropy(size, seed, coarse):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(size, size)), 1)
    upper = np.round(upper) if coarse else upper
    payoffs = upper - upper.T
    weight = nash(payoffs)
    assert weight.min() >= 0 and weight.sum() == pytest.approx(1)
    assert (payoffs @ weight).max() < 1e-5
    for _ in range(5):
        found = linprog(rng.normal(size=size), payoffs, np.zeros(size), np.ones((1, size)), [1])
        mix = 0.99 * weight + 0.01 * np.asarray(found.x)
        assert entropy(mix) <= entropy(weight) + 1e-4


def test_nash_averages_see_through_a_cycle_that_ratings_call_level():
    games = pd.concat([rock_paper_scissors(10), frame(repeat("a", "d", 30, 5, 5) + repeat("d", "b", 5, 5, 30))])
    table = nash_averages(games, rate(games)).set_index("player")
    assert table["weight"][["a", "b", "c"]].min() > 0.2
    assert table["weight"]["d"] == pytest.approx(0, abs=1e-6)
    assert table["skill"][["a", "b", "c"]].to_numpy() == pytest.approx(0, abs=0.01)
    assert table["skill"]["d"] < -50


def test_a_cycle_is_found_with_the_weight_of_its_weakest_lead():
    games = pd.concat([rock_paper_scissors(10), frame(repeat("d", "a", 0, 5, 5) + repeat("d", "b", 0, 5, 5))])
    table = cycles(games, list("abcd"))
    assert table[["a", "b", "c"]].to_numpy().tolist() == [["a", "b", "c"]]
    assert table["z"][0] == pytest.approx(40 / math.sqrt(80))
    reverse = cycles(games.assign(result=games["result"].map(OPPOSITE)), list("abcd"))
    assert reverse[["a", "b", "c"]].to_numpy().tolist() == [["a", "c", "b"]]


def test_pairs_and_repetitions_are_one_sample_of_a_cycle():
    games = rock_paper_scissors(5)
    z = cycles(games, list("abc"))["z"][0]
    copies = pd.concat([games.assign(line=np.arange(len(games)))] * 4)
    assert cycles(copies, list("abc"))["z"][0] == pytest.approx(z)
    assert cycles(copies.drop(columns="line"), list("abc"))["z"][0] == pytest.approx(2 * z)


def test_players_on_one_line_have_no_cycle():
    games = frame([(i, j, "1-0") for i, j in itertools.combinations("abcdef", 2)])
    assert len(cycles(games, list("abcdef"))) == 0


def test_only_the_ten_strongest_cycles_are_listed_each_once():
    rng = np.random.default_rng(5)
    names = [f"p{i}" for i in range(14)]
    games = frame(
        [(*ij, str(rng.choice(["1-0", "0-1"]))) for ij in itertools.permutations(names, 2) for _ in "abc"]
    )
    lead = dict.fromkeys(itertools.permutations(names, 2), 0)
    for white, black, result in games[["white", "black", "result"]].to_numpy().tolist():
        lead[white, black] += 1 if result == "1-0" else -1
        lead[black, white] -= 1 if result == "1-0" else -1
    every = [
        min(lead[a, b], lead[b, c], lead[c, a]) / math.sqrt(6)
        for a, b, c in itertools.permutations(names, 3)
        if names.index(a) < min(names.index(b), names.index(c))
    ]
    expected = sorted((z for z in every if z > 0), reverse=True)
    assert len(expected) > 15
    table = cycles(games, names)
    assert table["z"].tolist() == pytest.approx(expected[:10])
    assert len(table[["a", "b", "c"]].drop_duplicates()) == 10
    assert cycles(games, names, at_most=1000)["z"].tolist() == pytest.approx(expected)


def test_residuals_are_observed_less_expected_points():
    games = simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=1)
    ratings = rate(games)
    table = residuals(games, ratings)
    assert len(table) == 3 and table["games"].tolist() == [120] * 3
    assert table["z"].abs().is_monotonic_decreasing
    row = table.iloc[0]
    elo = ratings.table.set_index("player")["elo"]
    expected = score_from_elo(elo[row["player"]] - elo[row["opponent"]])
    assert row["expected"] == pytest.approx(expected, abs=1e-4)
    white = games[(games["white"] == row["player"]) & (games["black"] == row["opponent"])]["result"]
    black = games[(games["black"] == row["player"]) & (games["white"] == row["opponent"])]["result"]
    results = [*white, *black.map(OPPOSITE)]
    points = results.count("1-0") + results.count("1/2-1/2") / 2
    assert row["score"] == pytest.approx(points / 120)
    assert row["difference"] == pytest.approx(row["score"] - row["expected"])


@pytest.mark.full
def test_residuals_of_the_true_model_are_standard_normal():
    found = [
        residuals(games, rate(games))["z"]
        for games in (simulate([0.6, 0.2, 0.0, -0.8], 30, nu=1.0, h=0.3, seed=seed) for seed in range(150))
    ]
    z = np.concatenate(found)
    assert np.mean(z**2) == pytest.approx(1, abs=0.12)
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.05, abs=0.02)


@pytest.mark.full
def test_openings_that_favour_a_side_leave_no_residual():
    """Also where the order of the openings is not that of their names."""
    found, without = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        games = tournament([1.0, 0.3, -0.3, -1.0], rng.normal(0, 2, 25), nu=0.3, h=0.3, rng=rng).sample(
            frac=1, random_state=seed
        )
        ratings = rate(games)
        found.append(residuals(games, ratings)["z"])
        blind = dataclasses.replace(ratings, parameters=ratings.parameters[:-25])
        without.append(residuals(games, blind)["z"])
    assert np.mean(np.square(found)) == pytest.approx(1, abs=0.25)
    assert np.mean(np.square(without)) > 1.6


def test_two_players_leave_no_residual():
    games = frame(repeat("a", "b", 3, 4, 1) + repeat("b", "a", 1, 2, 5))
    table = residuals(games, rate(games))
    assert table["z"].tolist() == [0] and table["difference"][0] == pytest.approx(0, abs=0.02)


def test_a_cycle_shows_in_the_residuals():
    games = rock_paper_scissors(10)
    assert residuals(games, rate(games))["z"].abs().min() > 4


@quick
@given(GAMES, st.sampled_from(MODELS), st.booleans(), st.sampled_from(["white", "black"]))
def test_any_results_give_finite_tables(rows, model, advantage, first):
    games = frame(rows)
    ratings = rate(games, NAMES, model=model, advantage=advantage, first=first)
    nash_table = nash_averages(games, ratings, first)
    for table in (residuals(games, ratings, first), cycles(games, list(NAMES)), nash_table):
        assert np.isfinite(table.select_dtypes("number").to_numpy(float)).all()
    met = {frozenset(row[:2]) for row in rows}
    assert len(residuals(games, ratings, first)) == len(met)
    assert nash_table["weight"].sum() == pytest.approx(1)
