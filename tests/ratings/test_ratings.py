"""Tests of the joint rating against published ratings, a naive twin, simulations and its own symmetries."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import fsolve
from scipy.stats import t as student

from arena.ratings.clusters import cluster_of_each, clustered
from arena.ratings.interval import ELO_PER_LOGIT, Z95
from arena.ratings.joint import rate
from tests.helpers.needed import needed
from tests.helpers.results import (
    GAMES,
    NAMES,
    OPPOSITE,
    RESULTS,
    assert_finite,
    elo_of,
    error_of_difference,
    frame,
    log_odds,
    naive_penalty,
    naive_zero,
    repeat,
    simulate,
)

SAME_ELO = 1e-4
"""Elo within which two fits of the same results agree on every machine; a report shows tenths."""

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "statistics.json").read_text())["rows"]


def slope(function, x):
    """Derivatives of a function by central differences, `float[..., len(x)]`."""
    steps = 1e-4 * np.eye(len(x))
    return np.stack([(function(x + step) - function(x - step)) / 2e-4 for step in steps], axis=-1)


def naive_equations(x, games, names):
    """What games add to the equations, and what they tell, of the derivatives of their log odds by differences."""
    total, told = np.zeros(len(x)), np.zeros((len(x), len(x)))
    for (white, black, result), count in games[["white", "black", "result"]].value_counts().items():
        i, j = names.index(white), names.index(black)
        by = slope(lambda x, i=i, j=j: log_odds(x[i] - x[j], x[-1]), x)
        p, row = 1 / (1 + math.exp(-log_odds(x[i] - x[j], x[-1]))), by / by[i]
        total += count * ({"white": 1, "draw": 0.5, "black": 0}[result] - p) * row
        told += count * p * (1 - p) * by[i] * np.outer(row, row)
    return total, told


def naive_prior(x, prior):
    """Slope and curvature of the penalty; of the first move as much as a game between equals counts."""
    weight = np.append(np.ones(len(x) - 1), 1 / math.cosh(x[-1] / 2) ** 2)
    by = slope(lambda x: naive_penalty(x, prior), x)
    return weight * by, weight * slope(lambda x: slope(lambda x: naive_penalty(x, prior), x), x)


def naive_rest(x, games, names, prior):
    """What is 0 where the equations are solved."""
    return naive_equations(x, games, names)[0] - naive_prior(x, prior)[0]


def naive_covariance(games, names, prior, x):
    """The sandwich of the module's text."""
    middle = naive_prior(x, prior)[1]
    inverse = np.linalg.inv(naive_equations(x, games, names)[1] + middle)
    clusters = [cluster for _, cluster in games.groupby("cluster")]
    left = len(clusters) - (len(names) - 1)
    factor = len(clusters) / left * (student.ppf(0.975, left) / Z95) ** 2
    for cluster in clusters:
        score = naive_equations(x, cluster, names)[0]
        middle = middle + factor * np.outer(score, score)
    return inverse @ middle @ inverse


quick = settings(deadline=None, max_examples=8)


def both_ways(games):
    """The games, and each again with colours swapped: without an advantage, as other models."""
    swapped = games.assign(white=games["black"], black=games["white"], result=games["result"].map(OPPOSITE))
    return pd.concat([games, swapped], ignore_index=True)


def test_joint_ratings_are_the_published_ones():
    round_robin, cycle = (row for row in PUBLISHED if row["kind"] == "joint")
    encounters = re.findall(r"(\w)(\w) (\d+)-(\d+)-(\d+)", round_robin["results"])
    games = frame([game for i, j, *counts in encounters for game in repeat(i, j, *map(int, counts))])
    assert len(games) == 360
    found = elo_of(rate(both_ways(games), prior=0))
    assert dict(found - found.mean()) == pytest.approx(round_robin["elo"], abs=round_robin["abs_tol"])

    encounters = re.findall(r"(\w)-(\w) (\d+):(\d+)", cycle["results"])
    games = [game for i, j, wins, losses in encounters for game in repeat(i, j, int(wins), 0, int(losses))]
    assert len(games) == 22
    elo = elo_of(rate(both_ways(frame(games)), prior=0))
    strength = {player: math.exp(value / ELO_PER_LOGIT) for player, value in (elo - elo.mean()).items()}
    assert strength == pytest.approx(cycle["strength"], abs=cycle["abs_tol"])


@pytest.mark.parametrize("draws", [0.0, 1.0])
def test_ratings_are_those_of_evalica(draws):
    """With draws, which both count as half a win, and without; also where some players never met."""
    evalica = needed("evalica")
    games = simulate([0.8, 0.3, 0.0, -0.3, -0.8], 12, nu=draws, h=0.3, seed=0)
    met = games[["white", "black"]].agg(set, axis=1)
    games = games[~met.isin([{"p0", "p3"}, {"p0", "p4"}])]
    winner = dict(zip(RESULTS, (evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y), strict=True))
    found = evalica.bradley_terry(
        games["white"], games["black"], games["result"].map(winner), tolerance=1e-12, limit=10_000
    )
    strength = np.log(found.scores).sort_index()
    elo = elo_of(rate(both_ways(games), prior=0)).sort_index()
    np.testing.assert_allclose(elo - elo.mean(), ELO_PER_LOGIT * (strength - strength.mean()), atol=0.01)


def test_an_advantage_that_games_cannot_tell_from_strength_is_not_fitted():
    games = frame(repeat("a", "b", 24, 76, 0))
    ratings = rate(games)
    assert ratings.advantage == (0, 0, 0)
    assert elo_of(ratings)["a"] - elo_of(ratings)["b"] == pytest.approx(85.04, abs=0.1)
    assert "no advantage" in ratings.notes
    told = rate(pd.concat([games, frame(repeat("b", "a", 1, 0, 0))]))
    assert told.advantage.error > 0 and not told.notes
    ladder = frame(repeat("a", "b", 2, 1, 1) + repeat("b", "c", 2, 1, 1))
    assert rate(ladder).advantage.error == 0
    assert rate(pd.concat([ladder, frame(repeat("a", "c", 1, 1, 1))])).advantage.error > 0


@pytest.mark.parametrize("prior", [0.5, 2.0])
def test_fit_and_covariance_agree_with_their_naive_twins(prior):
    names = ["p0", "p1", "p2"]
    games = simulate([0.9, 0.2, -0.4], 6, nu=1.0, h=0.4, seed=4).iloc[:-4]
    games["pair"] = games["pair"].where(games["pair"] != 3)
    alone = games["pair"].isna()
    meeting = games[["white", "black"]].apply(lambda row: "".join(sorted(row)), axis=1)
    games["cluster"] = np.where(alone, games.index.astype(str), meeting + games["pair"].astype(str))
    assert games["cluster"].value_counts().tolist() == [2] * 12 + [1] * 8

    ratings = rate(games, prior=prior)
    x = fsolve(naive_rest, np.zeros(4), (games, names, prior))
    zero = naive_zero(x, games, names)

    def elo(x):
        return ELO_PER_LOGIT * np.append(x[:-1] - zero @ x[:-1], x[-1])

    to_elo = slope(elo, x)
    covariance = to_elo @ naive_covariance(games, names, prior, x) @ to_elo.T
    assert [*elo_of(ratings)[names], ratings.advantage.value] == pytest.approx(elo(x), abs=0.01)
    np.testing.assert_allclose(ratings.covariance.loc[names, names], covariance[:-1, :-1], rtol=1e-3, atol=0.1)
    assert ratings.advantage.error == pytest.approx(Z95 * math.sqrt(covariance[-1, -1]), rel=1e-3)


@pytest.mark.full
def test_lopsided_results_on_which_full_newton_steps_overshoot_are_fitted():
    names = ["a", "b", "c", "d"]
    rows = repeat("b", "a", 0, 0, 300) + repeat("b", "d", 1, 0, 0) + repeat("c", "d", 1, 300, 0)
    games = frame(rows + repeat("d", "a", 300, 0, 1) + repeat("d", "b", 300, 0, 0))
    ratings = rate(games)
    assert ratings.joint is not None
    assert naive_rest(ratings.joint.theta, games, names, 1) == pytest.approx(np.zeros(5), abs=1e-3)


@pytest.mark.parametrize("first_moves", [(440, 340), (490, 150)])
def test_the_elo_of_two_players_is_that_of_their_score_over_both_colours_whatever_moving_first_is_worth(
    first_moves,
):
    """Of 500 games a colour a wins so many with the first move, and without it; the prior is a tenth of an Elo."""
    with_it, without = first_moves
    ratings = rate(
        frame(repeat("a", "b", with_it, 0, 500 - with_it) + repeat("b", "a", 500 - without, 0, without))
    )
    score = (with_it + without) / 1000
    assert ratings.advantage.value > 100
    difference = ratings.difference("a", "b")
    assert difference is not None
    assert difference.value == pytest.approx(400 * math.log10(score / (1 - score)), abs=0.2)


def test_advantage_belongs_to_the_colour_that_moves_first():
    games = frame(repeat("a", "b", 30, 20, 10) + repeat("b", "a", 30, 20, 10))
    white, black = rate(games, first="white"), rate(games, first="black")
    assert white.advantage.value > 50
    assert black.advantage == pytest.approx(white.advantage.reversed, abs=SAME_ELO)
    other = games.rename(columns={"white": "black", "black": "white"}).assign(result=games["result"].map(OPPOSITE))
    assert_alike(games, other, first="black")


def assert_alike(games, others, first="white"):
    """Fail unless two lists of games give the same ratings."""
    pd.testing.assert_frame_equal(rate(games).table, rate(others, first=first).table, rtol=0, atol=SAME_ELO)


def test_pair_numbers_count_within_two_players():
    games = simulate([0.4, 0.0, -0.4], 10, nu=1.0, h=0.2, seed=5)
    meeting = ["".join(sorted(names)) for names in zip(games["white"], games["black"], strict=True)]
    unique = games.assign(pair=pd.factorize(meeting + games["pair"].astype(str))[0])
    assert unique["pair"].nunique() == 30 and games["pair"].nunique() == 10
    assert_alike(games, unique)


def test_twenty_wins_to_none_are_finite_with_a_wide_interval():
    games = frame(repeat("a", "b", wins=10) + repeat("b", "a", losses=10)).assign(pair=[*range(10)] * 2)
    ratings = rate(games)
    assert_finite(ratings)
    assert elo_of(ratings)["a"] == pytest.approx(447.33, abs=0.1)
    assert 250 < ratings.table["elo_high"][0] - ratings.table["elo"][0] < 500
    assert [*ratings.notes] == [*rate(games.iloc[:-1]).notes] == ["by prior"]


def test_pairs_that_all_go_to_the_first_mover_leave_intervals_of_elo_and_of_the_advantage():
    games = frame([row for i in range(50) for row in (("a", "b", "white", i), ("b", "a", "white", i))])
    few, many = rate(games.head(4)), rate(games)
    assert elo_of(few)["a"] == pytest.approx(0, abs=SAME_ELO) and few.table["elo_high"][0] > 50
    assert many.advantage.value > 500 and many.advantage.error > 400


def test_players_that_never_met_are_rated_in_groups():
    rows = repeat("a", "b", 6, 4, 2) + repeat("c", "d", 1, 4, 9) + repeat("d", "e", 3, 3, 3)
    ratings = rate(frame(rows), ["a", "b", "c", "d", "e", "idle"])
    assert [set(group) for group in ratings.groups] == [{"c", "d", "e"}, {"a", "b"}, {"idle"}]
    assert "3 groups" in ratings.notes["groups"] and "idle" in ratings.notes["groups"]
    assert list(ratings.table["player"]) == [name for group in ratings.groups for name in group]
    for group in ratings.groups:
        elo = elo_of(ratings)[list(group)]
        assert elo.min() <= 0 <= elo.max() and (len(elo) > 2 or elo.sum() == pytest.approx(0, abs=SAME_ELO))
    los = ratings.table.set_index("player")["los"]
    assert (los[[group[-1] for group in ratings.groups]] == 0.5).all()
    assert los["a"] > 0.7


def test_anchor_has_its_elo_and_no_interval():
    games = simulate([0.6, 0.2, -0.8], 30, nu=1.0, h=0.2, seed=2)
    free, anchored = rate(games), rate(games, anchor={"p1": 1500})
    table = anchored.table.set_index("player")
    assert [table[column]["p1"] for column in ("elo", "elo_low", "elo_high")] == pytest.approx([1500] * 3)
    np.testing.assert_allclose(elo_of(anchored) - 1500, elo_of(free) - elo_of(free)["p1"], rtol=0, atol=SAME_ELO)
    np.testing.assert_allclose(anchored.table["los"], free.table["los"], rtol=0, atol=1e-6)
    error = Z95 * error_of_difference(free, "p0", "p1")
    assert table["elo_high"]["p0"] - table["elo"]["p0"] == pytest.approx(error, abs=SAME_ELO)


def test_several_anchors_keep_their_elo_and_the_others_have_that_of_their_points_against_them():
    given = {"a": -300.0, "b": 0.0, "c": 150.0}
    rows = [
        game
        for name, wins in zip(given, (18, 12, 8), strict=True)
        for game in repeat("x", name, wins, 0, 20 - wins)
    ]
    found = rate(both_ways(frame(rows)), ["x", *given], anchor=given)
    table = found.table.set_index("player")
    assert table["elo"].drop("x").to_dict() == pytest.approx(given, abs=SAME_ELO)
    assert (table["elo_high"] - table["elo_low"]).drop("x").max() < 1e-9 and found.advantage == (0, 0, 0)
    expected = sum(1 / (1 + 10 ** ((elo - table["elo"]["x"]) / 400)) for elo in given.values()) / 3
    assert table["score"]["x"] == pytest.approx(expected, abs=0.005)


def test_games_of_players_of_given_elo_tell_nothing_of_the_interval_of_another_one():
    given, found = {"a": 0.0, "b": 50.0}, []
    games = simulate([0.2, 0.0, 0.1], 12, nu=1.0, h=0.0, seed=4).replace({"p0": "x", "p1": "a", "p2": "b"})
    for some in (games, games[(games["white"] == "x") | (games["black"] == "x")]):
        ratings = rate(some, ["x", *given], anchor=given)
        assert ratings.joint is not None and len(ratings.groups) == 1
        row = ratings.table.set_index("player").loc["x"]
        over_a = ratings.joint.student(np.array([1.0, -1.0, 0.0]))
        found.append([row["elo"], row["elo_low"], row["elo_high"], *over_a])
    assert found[0] == pytest.approx(found[1], abs=SAME_ELO)


def test_a_contrast_has_the_covariance_of_its_players_and_none_between_groups():
    games = simulate([0.3, 0.25, -0.5], 50, nu=1.0, h=0.2, seed=6)
    ratings = rate(pd.concat([games, frame(repeat("x", "y", 2, 1, 1))]), [*"xy", "p0", "p1", "p2", "idle"])
    elo, found = elo_of(ratings), ratings.contrast({"p0": 1.0, "p2": -1.0})
    assert found is not None
    assert found.value == pytest.approx(elo["p0"] - elo["p2"], abs=SAME_ELO)
    assert found.error == pytest.approx(Z95 * error_of_difference(ratings, "p0", "p2"), abs=SAME_ELO)
    first, second = ratings.table["player"][:2]
    normal = (elo[first] - elo[second]) / error_of_difference(ratings, first, second) / math.sqrt(2)
    assert ratings.table["los"][0] == pytest.approx(0.5 + 0.5 * math.erf(normal))
    assert ratings.contrast({"p0": 0.0, "p1": 0.0}) == (0, 0, 0)
    assert ratings.contrast({"p0": 1.0, "x": -1.0}) is ratings.contrast({"p0": 1.0, "idle": -1.0}) is None


@quick
@given(
    st.lists(
        st.tuples(GAMES.filter(len).map(lambda rows: rows[0]), st.integers(0, 3), st.none() | st.integers(0, 2))
    ),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([{}, {"bob": 0.0}, {"bob": 0.0, "cat": 50.0}]),
)
def test_any_results_counts_and_repetitions_give_a_finite_table(rows, prior, anchor):
    games = frame([row for row, _, _ in rows])
    games = games.assign(count=[count for _, count, _ in rows], line=[line for _, _, line in rows])
    ratings = rate(games, NAMES, prior=prior, anchor=anchor)
    assert_finite(ratings)
    assert sorted(ratings.table["player"]) == sorted(itertools.chain(*ratings.groups)) == sorted(NAMES)
    values = np.linalg.eigvalsh(ratings.covariance.to_numpy(float))
    assert values.min() >= -1e-6 * max(1, values.max())
    assert ratings.table["games"].sum() == 2 * games["count"].sum()
    counted = games[games["count"] > 0]
    lines = counted.dropna(subset="line")[["white", "black", "line"]]
    distinct = len(lines.drop_duplicates()) + counted["count"][counted["line"].isna()].sum()
    is_repeated = games["count"].sum() > distinct
    assert (f"{distinct} distinct" in ratings.notes.get("repeated", "")) == is_repeated


def test_a_player_that_lost_all_games_makes_no_other_one_uncertain():
    """Of 60 games; at the plain mean each of the others would have a fifth of its error."""
    games = simulate([0.3, 0.1, -0.2, -0.2], 20, nu=1.0, h=0.2, seed=9)
    lost = [(f"p{p}", "loser", "white", i) for p in range(4) for i in range(8)]
    lost += [("loser", f"p{p}", "black", i) for p in range(4) for i in range(8)]
    widths = []
    for some in (games, pd.concat([games, frame(lost)])):
        table = rate(some).table.set_index("player")
        widths.append((table["elo_high"] - table["elo_low"])[["p0", "p1", "p2", "p3"]])
    assert (widths[1] < 1.15 * widths[0]).all()
    assert table["elo_high"]["loser"] - table["elo_low"]["loser"] > 5 * widths[1].max()
    assert table["by_prior"].to_dict() == {"loser": True, **dict.fromkeys(["p0", "p1", "p2", "p3"], False)}


@pytest.mark.parametrize(("anchor", "marked"), [({}, "c"), ({"b": 0.0}, "c"), ({"c": 0.0}, "ab")])
def test_players_without_a_finite_elo_but_for_the_prior_are_marked(anchor, marked):
    games = frame(
        repeat("a", "b", 5, 5, 4) + repeat("b", "a", 5, 5, 5) + repeat("c", "a", 10) + repeat("b", "c", 0, 0, 9)
    )
    ratings = rate(games, anchor=anchor)
    assert "".join(sorted(ratings.table["player"][ratings.table["by_prior"]])) == marked
    assert "by prior" in ratings.notes
    assert not rate(games.query("black != 'c' and white != 'c'")).table["by_prior"].any()


def test_the_freedom_of_a_contrast_is_that_of_the_pairings_that_it_rests_on():
    """Of a gauntlet's two opponents of 12 pairs each, as alike as the pairs are, some 22; of all clusters 55."""
    games = simulate([0.0] * 6, 12, nu=1.0, h=0.0, seed=3)
    ratings = rate(games[(games["white"] == "p0") | (games["black"] == "p0")])
    assert ratings.joint is not None and ratings.joint.left == 55
    opponents, hub = (np.array(weights, float) for weights in ([0, 1, -1, 0, 0, 0], [1, -1, 0, 0, 0, 0]))
    assert 17 < ratings.joint.student(opponents)[1] < 23
    assert ratings.joint.student(hub)[1] == pytest.approx(11, abs=0.5)


@quick
@given(GAMES)
def test_swapping_winners_negates_ratings_and_advantage(rows):
    ratings = rate(frame(rows), NAMES)
    swapped = rate(frame([(w, b, OPPOSITE[r], p) for w, b, r, p in rows]), NAMES)
    elo = elo_of(ratings)
    np.testing.assert_allclose(elo_of(swapped)[elo.index], -elo, atol=1e-4)
    assert swapped.advantage.value == pytest.approx(-ratings.advantage.value, abs=1e-4)
    assert swapped.advantage.error == pytest.approx(ratings.advantage.error, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"anchor": {"z": 0}}, "anchor 'z'.*a, b"),
        ({"players": ["a"]}, "player 'b'.*a"),
        ({"games": frame([("a", "a", "white")])}, "a meets itself"),
        ({"games": frame([("a", "b", "*")])}, r"result '\*'.*white"),
        ({"games": frame([("a", "b", None)])}, "result"),
    ],
)
def test_wrong_arguments_are_refused_with_the_choices(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        rate(**{"games": frame([("a", "b", "white")]), **arguments})


def test_copies_of_every_game_leave_the_rating_of_the_distinct_games():
    """600 games of which 98 are distinct are worth 98, whichever pairs hold the copies."""
    once = simulate([0.3, -0.3], 49, nu=1.0, h=0.3, seed=11).assign(line=np.arange(98))
    some = np.random.default_rng(0).permutation(98)[: 600 - 6 * 98]
    again = pd.concat([once] * 6 + [once.iloc[some]], ignore_index=True)
    again["pair"] = np.arange(600)
    expected, found = rate(once), rate(again)
    for column in ("elo", "elo_low", "elo_high"):
        np.testing.assert_allclose(found.table[column], expected.table[column], atol=6)
    assert "600 games, 98 distinct" in found.notes["repeated"]
    assert not expected.notes
    blind = rate(again.drop(columns="line")).table
    assert blind["elo_high"][0] - blind["elo"][0] < 0.5 * (expected.table["elo_high"] - expected.table["elo"])[0]

    exact = pd.concat([once.assign(pair=once["pair"] + 49 * copy) for copy in range(5)])
    table = rate(exact).table
    for column in ("elo", "elo_low", "elo_high"):
        np.testing.assert_allclose(table[column], expected.table[column], rtol=0, atol=SAME_ELO)
    assert table["games"].tolist() == [490, 490]


def test_pairs_that_a_copy_links_are_one_cluster_and_every_game_weighs_as_many_as_are_distinct():
    rows = [("a", 1, "x"), ("b", 1, "y"), ("a", 2, "x"), ("b", 2, "z"), ("a", 3, "v"), ("b", 3, "w")]
    games = pd.DataFrame([*rows, ("a", None, None)], columns=["white", "pair", "line"])
    games = games.assign(black=games["white"].map({"a": "b", "b": "a"}), result="white")
    cluster = cluster_of_each(games, ["a", "b"])
    assert [set(np.flatnonzero(cluster == cluster[game])) for game in (0, 4, 6)] == [{0, 1, 2, 3}, {4, 5}, {6}]
    numbers = pd.DataFrame({"first": [0, 1, 0, 1, 0, 1, 0], "second": [1, 0, 1, 0, 1, 0, 1], "points": 1.0})
    found = clustered(numbers.assign(pair=[1, 1, 2, 2, 3, 3, -1], line=[0, 1, 0, 2, 3, 4, -1], linked=-1), 2)
    assert found.weight == pytest.approx([6 / 7] * 7) and found.start.tolist() == [0, 4, 6]


def test_copies_of_one_sided_games_leave_the_rating_of_the_distinct_games():
    once = frame(repeat("a", "b", wins=10) + repeat("b", "a", losses=10)).assign(line=[*range(10)] * 2)
    expected, found = rate(once), rate(pd.concat([once] * 7))
    np.testing.assert_allclose(found.table["elo_high"], expected.table["elo_high"], rtol=0, atol=SAME_ELO)
    assert [*found.notes] == ["repeated", *expected.notes]
    uneven = rate(pd.concat([once, *[once.head(1)] * 60])).table
    assert (uneven["elo_high"] - uneven["elo"])[0] > 1.3 * (expected.table["elo_high"] - expected.table["elo"])[0]


def mirrored(one: str, other: str, openings: int) -> pd.DataFrame:
    """Games of two players that play the same moves: from each opening twice, colours swapped."""
    results = ["white", "black", "draw", "white", "black"]
    rows = [
        (white, black, results[opening % 5], opening, f"line {opening}")
        for opening in range(openings)
        for white, black in ((one, other), (other, one))
    ]
    return pd.DataFrame(rows, columns=["white", "black", "result", "pair", "line"])


def test_players_that_played_the_same_moves_whenever_they_met_are_one_without_a_rating():
    ratings = rate(mirrored("a", "b", 100))
    assert [*ratings.notes] == ["twins"] and ratings.twins == {("a", "b"): 200}
    table = ratings.table
    assert table[["elo", "elo_low", "elo_high", "los"]].isna().all(axis=None)
    assert table[["games", "wins", "draws", "losses", "score"]].to_numpy().tolist() == [[200, 80, 40, 80, 0.5]] * 2
    differs = mirrored("a", "b", 100)
    differs.loc[7, "line"] = "another"
    assert not rate(differs).twins and rate(differs).table["elo_high"].gt(0).all()
    assert not rate(mirrored("a", "b", 4)).twins


@pytest.mark.parametrize("anchor", [None, "a", "b"])
def test_players_that_are_one_share_the_rating_of_one_of_them_against_others(anchor):
    others = simulate([0.5, -0.5], 60, nu=1.0, h=0.3, seed=3).replace({"p0": "a", "p1": "c"})
    others["line"] = [f"other line {game}" for game in range(len(others))]
    copied = others.replace({"a": "b"})
    both = pd.concat([others, copied, mirrored("a", "b", 5).assign(pair=lambda games: games["pair"] + 900)])
    alone, found = (
        rate(games, anchor={one: 0.0} if anchor else {}) for games, one in ((others, "a"), (both, anchor))
    )
    expected, table = alone.table.set_index("player"), found.table.set_index("player")
    for player, model in (("a", "a"), ("b", "a"), ("c", "c")):
        for column in ("elo", "elo_low", "elo_high"):
            assert table.loc[player, column] == pytest.approx(expected.loc[model, column], abs=SAME_ELO)
    assert table["los"].isna().tolist() == [True, False, False]
    assert found.groups == (("a", "b", "c"),) and found.table["games"].sum() == 2 * len(both)
    assert found.twins == {("a", "b"): 10}


def test_only_games_of_the_same_players_and_colours_repeat_one_another():
    rows = [("a", "b", "white"), ("b", "a", "white"), ("a", "c", "black"), ("c", "b", "draw"), ("a", "b", "white")]
    games = frame(rows).assign(line=["x", "x", "x", "x", None])
    assert_alike(games, games.drop(columns="line"))
    assert "repeated" not in rate(games).notes


def test_a_count_stands_for_so_many_games():
    counted = frame(repeat("a", "b", 1, 1, 1) + repeat("b", "c", 1, 1, 1) + repeat("c", "a", 1, 1, 1))
    counted["count"] = [9, 7, 3, 4, 0, 6, 5, 8, 2]
    for table in (counted, counted.assign(pair=[1, 1, 1, None, None, None, 2, 2, 2])):
        assert_alike(table, table.loc[table.index.repeat(table["count"])].drop(columns="count"))


def test_a_difference_of_versions_that_met_one_opponent_has_the_error_of_its_openings():
    """By hand: score s of a version is Elo 400 log10(s / (1 - s)), of the slope 400 / ln 10 / (s (1 - s))."""
    chance = np.random.default_rng(1)
    hard = chance.random((400, 1))  # of each opening, what both versions feel
    points = [((hard + chance.random((400, 2))) / 2 < limit).astype(int) for limit in (0.45, 0.55)]
    rows = [
        (*players, "white" if won == (players[1] == "other") else "black", opening)
        for version, of_version in zip(("old", "new"), points, strict=True)
        for opening, both in enumerate(of_version)
        for players, won in zip(((version, "other"), ("other", version)), both, strict=True)
    ]
    games = frame(rows)
    found = [rate(table).difference("new", "old") for table in (games, games.assign(linked=games["pair"]))]
    errors = [interval.error for interval in found if interval is not None]
    scores = [version.mean() for version in points]
    felt = [
        ELO_PER_LOGIT / (score * (1 - score)) * (version.mean(axis=1) - score)
        for version, score in zip(points, scores, strict=True)
    ]
    apart, together = felt[0].var() + felt[1].var(), (felt[1] - felt[0]).var()
    assert errors == pytest.approx([1.96 * math.sqrt(variance / 400) for variance in (apart, together)], rel=0.03)
    assert errors[1] < 0.8 * errors[0]
