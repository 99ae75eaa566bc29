"""Formats: which games each one makes of which results."""

import random
from collections import Counter
from collections.abc import Mapping, Set
from itertools import combinations
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.experiment.formats import FORMATS, swiss
from arena.experiment.formats.base import Batches, FinalPlace, Format, ScheduledGame
from arena.experiment.formats.fixed import Gauntlet, Match, RoundRobin
from arena.experiment.formats.knockout import Knockout
from arena.experiment.formats.swiss import Round, ScoreTable, Swiss, can_all_meet, next_round
from tests.helpers.schedules import Result, batches, drawn


def named(players: int) -> list[str]:
    return [f"p{player}" for player in range(players)]


def games(format: Batches, result: Result) -> list[ScheduledGame]:
    return [scheduled for batch in batches(format, result)[0] for scheduled in batch]


def by_order(scheduled: ScheduledGame) -> float:
    """Whoever stands first in the configuration wins."""
    return float(scheduled.white < scheduled.black)


def by_chance(seed: int) -> Result:
    """Any result, the same one for the same game."""
    return lambda scheduled: random.Random(f"{seed} {scheduled.game}").choice((0.0, 0.5, 1.0))


SMALL: dict[str, dict[str, Any]] = {
    "gauntlet": {"seeds": ("p0",)},
    "swiss": {"rounds": 3, "pairs": 2},
    "knockout": {"pairs": 1, "extra": 2},
}
"""Keys of the formats that need some."""


def each_format(players: int) -> list[Format]:
    """Every format that so many players can play, with small numbers."""
    names = named(players)
    each = [format(type=name, **SMALL.get(name, {})).limited_to(names) for name, format in FORMATS.items()]
    return [format for format in each if not any(format.problems(names))]


@settings(max_examples=25)
@given(players=st.integers(2, 11), seed=st.integers(0, 1000))
def test_in_every_format_an_opening_is_played_from_both_sides_and_the_ties_of_a_round_have_the_same_ones(
    players, seed
):
    for format in each_format(players):
        pairings = games(format.batches(named(players), 3), by_chance(seed))
        most = format.most_games(named(players), 3)
        assert [p.game for p in pairings] == list(range(1, len(pairings) + 1))
        assert len(pairings) == most if format.exact else len(pairings) <= most
        openings: dict[tuple[int, int, int], list[int]] = {}
        for first, second in zip(pairings[::2], pairings[1::2], strict=True):
            assert first.pair == second.pair == first.game // 2 + 1
            assert (first.round, first.opening) == (second.round, second.opening)
            assert (first.white, first.black) == (second.black, second.white) and first.white != first.black
            openings.setdefault((first.round, first.white, first.black), []).append(first.opening)
        for (number, *_), own in openings.items():
            longest = max((o for (other, *_), o in openings.items() if other == number), key=len)
            assert own == longest[: len(own)] and len(set(own)) == len(own)


def test_a_round_of_a_round_robin_is_one_opening_by_everyone_who_meets_each_opening_once():
    (batch,), order = batches(RoundRobin().batches(named(4), 3), drawn)
    assert [p.round for p in batch] == [1] * 12 + [2] * 12 + [3] * 12
    assert all(p.opening == p.round - 1 for p in batch) and order == []
    assert Counter(p.white for p in batch[:12]) == dict.fromkeys(range(4), 3)
    assert len({(p.white, p.black, p.opening) for p in batch}) == len(batch)


def test_seeds_of_a_gauntlet_meet_everyone_but_each_other():
    field = Gauntlet(type="gauntlet", seeds=("c", "a"))
    assert sorted(field.pairings("abcd")) == [(0, 1), (0, 3), (2, 1), (2, 3)]
    (batch,), _ = batches(field.batches("abcd", 5), drawn)
    assert len({(p.white, p.black, p.opening) for p in batch}) == len(batch) == field.most_games("abcd", 5) == 40


# --- Swiss


@pytest.mark.parametrize(("players", "rounds"), [(8, 7), (9, 8), (16, 5), (13, 4), (2, 1), (20, 12)])
def test_in_a_swiss_everyone_plays_each_round_once(players, rounds):
    played, _ = batches(Swiss(type="swiss", rounds=rounds, pairs=2).batches(named(players), 0), by_chance(4))
    assert len(played) == rounds
    byes: Counter[int] = Counter()
    for number, batch in enumerate(played, start=1):
        assert {p.round for p in batch} == {number}
        assert {p.opening for p in batch} == {2 * number - 2, 2 * number - 1}
        seen = Counter(p.white for p in batch)
        assert set(seen.values()) == {2} and len(seen) == players - players % 2
        byes += Counter(set(range(players)) - set(seen))
    assert set(byes.values()) <= {1} and byes.total() == rounds * (players % 2)


@settings(max_examples=20)
@given(players=st.integers(4, 14), seed=st.integers(0, 10_000), data=st.data())
def test_nobody_meets_twice_in_a_swiss_while_a_round_without_rematch_exists(players, seed, data):
    rounds = data.draw(st.integers(2, players - 1))
    met: set[frozenset[int]] = set()
    for batch in batches(Swiss(type="swiss", rounds=rounds).batches(named(players), 0), by_chance(seed))[0]:
        pairings = [frozenset((p.white, p.black)) for p in batch[::2]]
        if any(pairing in met for pairing in pairings):
            left = [p for p in range(players) if players % 2 == 0 or any(p in pairing for pairing in pairings)]
            assert not pairable(left, met)
        met |= set(pairings)


def pairable(players: list[int], met: set[frozenset[int]]) -> bool:
    """Whether all can be paired without a rematch, by trying everything."""
    if not players:
        return True
    first, *rest = players
    return any(
        frozenset((first, other)) not in met and pairable([p for p in rest if p != other], met) for other in rest
    )


def test_all_can_meet_exactly_where_networkx_pairs_them():
    """Few pairings, with or without a hidden matching, so that cycles of odd length decide."""
    for seed in range(300):
        chance = random.Random(seed)
        players = chance.sample(range(50), chance.randint(0, 40))
        every = list(combinations(players, 2))
        pairings = chance.sample(every, min(len(every), int(chance.uniform(0.3, 1.3) * len(players))))
        if chance.random() < 0.7:
            pairings += zip(players[::2], players[1::2], strict=False)
        graph: networkx.Graph[int] = networkx.Graph(pairings)
        graph.add_nodes_from(players)
        most = networkx.max_weight_matching(graph, maxcardinality=True)
        open_to = {player: set(graph[player]) for player in graph}
        assert can_all_meet({*players}, open_to) == (2 * len(most) == len(players)), seed


def test_the_upper_half_of_equals_meets_the_lower_half_in_a_swiss():
    played, _ = batches(Swiss(type="swiss", rounds=3).batches(named(8), 0), by_order)
    pairings = [[(p.white, p.black) for p in batch[::2]] for batch in played]
    assert pairings[0] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert pairings[1] == [(0, 2), (1, 3), (4, 6), (5, 7)]
    assert pairings[2][0] == (0, 1) and (6, 7) in pairings[2]


def test_a_hundred_players_are_paired_without_trying_many_pairings(monkeypatch):
    tries: list[int] = []

    def counted(players: Set[int], open_to: Mapping[int, Set[int]]) -> bool:
        tries.append(len(players))
        return can_all_meet(players, open_to)

    monkeypatch.setattr(swiss, "can_all_meet", counted)
    played, _ = batches(Swiss(type="swiss", rounds=3).batches(named(100), 0), by_chance(3))
    met = [frozenset((p.white, p.black)) for batch in played for p in batch[::2]]
    assert len(met) == len(set(met)) == 3 * 50
    assert len(tries) < 2 * 3 * sum(range(51))  # as many as if every first try succeeded, twice


def score_table(players: int, *pairings: tuple[int, int, float], withdrawn: Set[int] = frozenset()) -> ScoreTable:
    """The table after pairings of a pair each: both players, and the points of the first."""
    rounds = [Round({(one, other): (points, 2 - points)}, None) for one, other, points in pairings]
    return ScoreTable(players, 1, rounds, frozenset(withdrawn))


def test_equal_points_are_ordered_by_buchholz_then_sonneborn_berger_then_the_configuration():
    table = score_table(4, (0, 3, 1.0), (1, 2, 1.0), (2, 3, 2.0), (0, 1, 0.0))
    assert [table.points[player] for player in range(4)] == [1, 3, 3, 1]
    assert [table.figures(p)["buchholz"] for p in range(4)] == [4, 4, 4, 4]
    assert [table.figures(p)["sonneborn_berger"] for p in range(4)] == [0.5, 2.5, 2.5, 0.5]
    assert table.order() == [1, 2, 0, 3]
    table = score_table(6, (0, 3, 2.0), (1, 4, 2.0), (5, 4, 1.5), (2, 3, 2.0))
    assert table.order() == [1, 0, 2, 5, 4, 3]  # player 4 has half a point more than player 3


def test_who_is_withdrawn_from_a_swiss_is_not_paired_again_and_its_opponents_had_a_bye():
    swiss = Swiss(type="swiss", rounds=4).batches(named(5), 0)
    played, order = batches(swiss, by_order, dict.fromkeys(range(2, 5), frozenset({0})))
    assert [len(batch) for batch in played] == [4, 4, 4, 4]
    assert [any(0 in scheduled[3:5] for scheduled in batch) for batch in played] == [True, True, False, False]
    assert order[-1] == FinalPlace(0, {})

    pairings = (0, 1, 2.0), (2, 3, 2.0), (0, 2, 2.0), (1, 3, 1.5), (0, 3, 1.0), (1, 2, 0.5)
    table = score_table(4, *pairings, withdrawn={0})
    assert [table.points[player] for player in range(4)] == [0.0, 4.0, 5.5, 2.5] and table.byes == [0, 1, 1, 1]
    assert [table.figures(player)["buchholz"] for player in (1, 2, 3)] == [8.0, 6.5, 9.5]
    assert [table.figures(player)["sonneborn_berger"] for player in (1, 2, 3)] == [3.25, 5.5, 1.0]
    assert table.order() == [2, 1, 3, 0]
    assert score_table(4, *pairings, withdrawn={0, 1, 3}).points[2] == 6.0


def test_the_bye_goes_to_the_last_without_one_and_counts_as_all_points():
    pairings, bye = next_round(ScoreTable(5, pairs=2))
    assert (pairings, bye) == ([(0, 2), (1, 3)], 4)
    table = ScoreTable(5, 2, [Round(dict.fromkeys(pairings, (4.0, 0.0)), bye)])
    assert [table.points[player] for player in range(5)] == [4, 4, 0, 0, 4]
    assert next_round(table)[1] == 3


# --- knockout


def test_seeds_one_and_two_meet_in_the_final_and_the_first_have_the_byes():
    played, order = batches(Knockout(type="knockout").batches(named(6), 0), by_order)
    pairings = [[(p.white, p.black) for p in batch[::2]] for batch in played]
    assert pairings == [[(3, 4), (2, 5)], [(0, 3), (1, 2)], [(0, 1)]]
    assert [place.player for place in order] == [0, 1, 2, 3, 4, 5]
    assert [place.figures["round"] for place in order] == [3, 3, 2, 2, 1, 1]
    assert order[5].figures == {"round": 1, "opponent": "p2", "points": 0.0, "conceded": 2.0, "decided": "points"}


def test_only_level_pairings_go_on_and_the_higher_seed_wins_what_stays_level():
    def result(scheduled: ScheduledGame) -> float:
        if {scheduled.white, scheduled.black} == {0, 3}:
            return 0.5
        return float(scheduled.white == 2) if scheduled.opening >= 1 and 2 in scheduled[3:5] else 0.5

    played, order = batches(Knockout(type="knockout", pairs=1, extra=2).batches(named(4), 0), result)
    first = [(sorted({p.white for p in batch}), {p.opening for p in batch}) for batch in played[:3]]
    assert first == [([0, 1, 2, 3], {0}), ([0, 1, 2, 3], {1}), ([0, 3], {2})]
    assert {p.opening for batch in played[3:] for p in batch} <= {3, 4, 5}
    assert order[0].player == 2 and order[1].player == 0
    assert order[3].player == 3 and order[3].figures == {
        "round": 1, "opponent": "p0", "points": 3.0, "conceded": 3.0, "decided": "seed"
    }  # fmt: skip
    assert [place.figures["decided"] for place in order[:3]] == ["points"] * 3


@settings(max_examples=25)
@given(players=st.integers(2, 33), seed=st.integers(0, 1000))
def test_a_knockout_leaves_everyone_but_the_winner_beaten_once(players, seed):
    played, order = batches(Knockout(type="knockout", extra=1).batches(named(players), 0), by_chance(seed))
    pairings = {(p.round, frozenset((p.white, p.black))) for batch in played for p in batch}
    assert len(pairings) == players - 1
    assert sorted(place.player for place in order) == list(range(players))
    last = {player: max(number for number, pairing in pairings if player in pairing) for player in range(players)}
    assert [last[place.player] for place in order] == sorted(last.values(), reverse=True)


# --- openings


def test_formats_with_rounds_say_how_many_openings_they_use():
    for format in (Swiss(type="swiss", rounds=4, pairs=3), Knockout(type="knockout", pairs=2, extra=3)):
        used = {p.opening for p in games(format.batches(named(7), 0), drawn)}
        assert max(used) + 1 == len(used) == format.openings_needed(7)
    assert Match(type="match").most_games("ab", 9) == 18
