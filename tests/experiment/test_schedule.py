"""The schedule: the same results make the same games, in any order and however often a run stops."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arena.experiment.formats.base import ScheduledGame
from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.schedule import Keys, Result, Schedule
from arena.ratings.match import sprt
from arena.rules.result import points_of

Stored = dict[int, Result]
OPENING = "B:W21-32:B1-12"


class Plan:
    """Players that nobody builds, named by letters, and openings."""

    def __init__(self, names: str, openings: int, **settings: Any) -> None:
        players = [{"name": name, "type": "random"} for name in names]
        settings = {"openings": {"count": openings}} | settings
        self.experiment: Experiment = load({"name": "t", "variant": "english", "players": players} | settings)
        self.names, self.openings = list(names), [f"{OPENING}.{number}" for number in range(openings)]

    def schedule(self, stored: Stored) -> Schedule:
        hashes = {name: f"hash of {name}" for name in self.names}
        return Schedule(self.experiment, hashes, self.openings, stored)

    def played(self, game: ScheduledGame, bad: str = "") -> Result:
        """A made-up result, always the same for a game: the players in `bad` fail in each of theirs."""
        names = self.names[game.white], self.names[game.black]
        for name, result in zip(names, ("black", "white"), strict=True):
            if name in bad:
                return Result(result, name)
        return Result(random.Random(game.key).choice(("white", "white", "draw", "black")))


def follow(
    plan: Plan, stored: Stored, play: Callable[[ScheduledGame], Result], rng: random.Random, most: int = 10**6
) -> Schedule:
    """Play up to so many of the games that are missing, several at once, which end in any order."""
    schedule, left, is_left = plan.schedule(stored), most, True
    while is_left:
        missing, under_way = schedule.missing(), list[ScheduledGame]()
        while True:
            while len(under_way) < 5 and left and not schedule.decided:
                if (game := next(missing, None)) is None:
                    break
                under_way.append(game)
                left -= 1
            if not under_way:
                break
            done = under_way.pop(rng.randrange(len(under_way)))
            stored[done.key] = play(done)
            schedule.take(done.key, stored[done.key])
        is_left = schedule.advance()
    return schedule


def in_order() -> random.Random:
    """A stream by which the game that was begun first ends first."""
    rng = random.Random(0)
    rng.randrange = lambda _: 0  # type: ignore[method-assign,misc,assignment]
    return rng


def counting(plan: Plan, stored: Stored) -> dict[int, Result]:
    """The results that count, by the numbers of their games."""
    schedule = plan.schedule(stored)
    numbers = {game.key: game.game for game in schedule.asked()}
    return {numbers[key]: stored[key] for key in schedule.counting()}


TWO = {"withdraw_after": 2}
SPRT = {"format": "match", "sprt": {"elo0": 0, "elo1": 90}}
PLANS = {
    "a round robin": (Plan("abcd", 6), ""),
    "a match with a player withdrawn": (Plan("ab", 6, format="match"), "b"),
    "a knockout with a player withdrawn": (Plan("abcd", 60, format="knockout", failures=TWO), "b"),
    "a round robin of which three are withdrawn": (Plan("dabcef", 8, failures=TWO), "abc"),
    "a Swiss of which one is withdrawn": (Plan("abcdef", 6, format={"type": "swiss", "rounds": 4}), "c"),
    "a Swiss of which one is withdrawn in its second round": (
        Plan("abcdef", 6, format={"type": "swiss", "rounds": 4}, failures={"withdraw_after": 4}),
        "c",
    ),
    "a knockout": (Plan("abcd", 60, format="knockout"), ""),
    "a match with a test": (Plan("ab", 150, **SPRT), ""),
    "a match until its interval is narrow": (Plan("ab", 300, format="match", until={"error": 60}), ""),
    "a precise round robin of which one is withdrawn": (Plan("abcd", 300, until={"error": 30}, failures=TWO), "c"),
    "a test of a player that is withdrawn": (Plan("ab", 300, **SPRT), "b"),
}


PRECISE = ("a match until its interval is narrow", "a precise round robin of which one is withdrawn")


@pytest.mark.full(only=["a match with a test", *PRECISE])
@pytest.mark.parametrize("name", PLANS)
def test_games_are_the_same_in_whatever_order_they_end_and_however_often_a_run_stops(name):
    plan, bad = PLANS[name]
    one = Stored()
    schedule = follow(plan, one, lambda game: plan.played(game, bad), in_order())
    assert schedule.order is not None and list(schedule.withdrawn) == list(bad)
    for seed in range(2):
        rng, other = random.Random(seed), Stored()
        for most in (rng.randrange(1, 20), rng.randrange(1, 20), 10**6):
            last = follow(plan, other, lambda game: plan.played(game, bad), rng, most)
        assert counting(plan, other) == counting(plan, one)
        assert (last.order, last.withdrawn) == (schedule.order, schedule.withdrawn)


def test_results_that_the_schedule_does_not_ask_for_do_not_count():
    plan, _ = PLANS["a knockout"]
    stored = Stored()
    schedule = follow(plan, stored, plan.played, random.Random(1))
    before = counting(plan, stored)
    stored |= {key: Result("white") for key in range(100)}
    assert counting(plan, stored) == before
    again = plan.schedule(stored)
    assert again.order == schedule.order


def test_a_test_ends_at_the_first_pair_that_decides_it_and_needs_no_further_game():
    plan, _ = PLANS["a match with a test"]
    stored = Stored()
    whole = follow(plan, stored, plan.played, random.Random(1))
    points = [points_of(plan.played(game).result) for game in plan.schedule({}).games()]
    halves = [round(2 * (white + 1 - black)) for white, black in zip(points[::2], points[1::2], strict=True)]
    prefixes = (np.bincount(halves[:pairs], minlength=5) for pairs in range(1, len(halves) + 1))
    deciding = next(sum(counts) for counts in prefixes if sprt(counts, 0, 90).verdict != "continue")
    assert whole.decided and len(counting(plan, stored)) == 2 * deciding
    again = plan.schedule(stored)
    assert not again.advance() and again.order == []


def test_one_sound_game_among_the_first_keeps_a_player_in():
    plan, _ = PLANS["a match with a player withdrawn"]
    stored, played = Stored(), list[int]()

    def play(game: ScheduledGame) -> Result:
        played.append(game.key)
        return plan.played(game, "b" if len(played) != 2 else "")

    assert not follow(plan, stored, play, in_order()).withdrawn and len(stored) == 12


def test_of_a_withdrawn_player_no_more_games_are_played_than_show_what_its_opponents_are():
    plan, _ = PLANS["a match with a player withdrawn"]
    stored = Stored()
    follow(plan, stored, lambda game: plan.played(game, "b"), in_order())
    assert len(stored) == 3 + 4 and not counting(plan, stored), "four were under way when the third had failed"


def test_who_met_a_withdrawn_player_in_a_swiss_had_a_bye_and_the_player_stands_last():
    plan, bad = PLANS["a Swiss of which one is withdrawn"]
    stored = Stored()
    schedule = follow(plan, stored, lambda game: plan.played(game, bad), random.Random(1))
    assert schedule.order is not None
    *others, last = schedule.order
    assert plan.names[last.player] == "c" and not last.figures
    byes = [place.figures["byes"] for place in others]
    assert sum(map(int, byes)) == 1 + 3, "one against c, then one a round of five"


def test_a_game_keeps_its_key_whoever_else_plays_and_has_another_for_another_player_colour_opening_or_time():
    def time_of(place: int) -> int:
        return place % 2

    few = Keys({"a": "1", "b": "2"}, [OPENING], time_of)
    many = Keys({"c": "3", "b": "2", "a": "1"}, ["W:W1:B2", "W:W1:B2", OPENING, OPENING], time_of)
    assert few.of(0, 1, 0) == many.of(2, 1, 2)
    others = [many.of(1, 2, 2), many.of(2, 1, 0), many.of(2, 1, 3), many.of(2, 0, 2)]
    others += [Keys({"a": "9", "b": "2"}, [OPENING], time_of).of(0, 1, 0)]
    assert len({few.of(0, 1, 0), *others}) == 6 and all(0 <= key < 2**62 for key in others)
