"""The schedule of a tournament: the same results make the same games, in any order and however often it stops."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from arena.experiment.formats.base import ScheduledGame
from arena.experiment.load import load
from arena.ledger.record import GameRecord
from arena.play.entrants import Entrants
from arena.play.match import Task
from arena.play.options.disqualification import Disqualification, Disqualified
from arena.play.options.option import Running
from arena.play.ready import Tournament
from arena.play.schedule import Schedule
from arena.rules.game import Termination
from arena.rules.variants import VARIANTS

Stored = dict[int, GameRecord]
ENGLISH = VARIANTS["english"]


def plan_of(names: str, openings: int, **settings: Any) -> Tournament:
    """A plan of players that nobody builds, named by letters."""
    players = [{"name": name, "type": "random"} for name in names]
    experiment = load({"name": "t", "variant": "english", "players": players} | settings)
    return Tournament(Entrants(experiment), experiment.players, (ENGLISH.start,) * openings)


def game(task: Task, bad: str = "") -> GameRecord:
    """A made-up game, always the same for a number: the players in `bad` fail in each of theirs."""
    names = task.white.name, task.black.name
    for name, result in zip(names, ("black", "white"), strict=True):
        if name in bad:
            return task.record(result, Termination.ERROR, error=f"{name} failed")
    result = random.Random(str(task.scheduled.game)).choice(("white", "white", "draw", "black"))
    return task.record(result, Termination.NO_MOVES)


def rows(plan: Tournament, stored: Stored) -> list[tuple[int, str, str]]:
    """What a ledger says of its games."""
    return [(n, record.result, record.failed) for n, record in sorted(stored.items())]


def follow(
    plan: Tournament, stored: Stored, play: Callable[[Task], GameRecord], rng: random.Random, most: int
) -> Schedule:
    """Play up to so many of the games that are missing, several at once, which end in any order."""
    forfeits = Disqualification(Running(plan, ledger=None)).forfeits()  # type: ignore[arg-type]
    schedule = Schedule(plan, rows(plan, stored), forfeits)
    left = most
    while schedule.advance():
        tasks, under_way = schedule.tasks(), list[Task]()
        while True:
            while len(under_way) < 5 and left and not schedule.decided:
                if (task := next(tasks, None)) is None:
                    break
                under_way.append(task)
                left -= 1
            if not under_way:
                break
            done = under_way.pop(rng.randrange(len(under_way)))
            stored |= {each.game: each for each in schedule.take(play(done))}
        if not left:
            return schedule
        stored |= {each.game: each for each in schedule.lost()}
    if schedule.decided:
        for number in [number for number in stored if number > schedule.last]:
            del stored[number]
    return schedule


TWO, THREE = {"disqualify_after": 2}, {"disqualify_after": 3}

SPRT = {"format": "match", "sprt": {"elo0": 0, "elo1": 60}}
TOURNAMENTS = {
    "a round robin": (plan_of("abcd", 6), ""),
    "a match with a player disqualified": (plan_of("ab", 6, format="match"), "b"),
    "a knockout with a player disqualified": (plan_of("abcd", 60, format="knockout"), "b"),
    "a round robin of which two are void": (plan_of("abcdef", 6, failures=TWO), "be"),
    "a round robin of which three are void, who meet first": (plan_of("abcdef", 8, failures=THREE), "abc"),
    "a Swiss of which one is void": (plan_of("abcdef", 6, format={"type": "swiss", "rounds": 4}), "c"),
    "a knockout": (plan_of("abcd", 60, format="knockout"), ""),
    "a match with a test": (plan_of("ab", 300, **SPRT), ""),
    "a match until its interval is narrow": (plan_of("ab", 300, format="match", until={"error": 60}), ""),
    "a precise round robin of which one is void": (plan_of("abcd", 300, until={"error": 30}, failures=TWO), "c"),
    "a precise gauntlet with a player disqualified": (
        plan_of("abc", 40, format={"type": "gauntlet", "seeds": ["a"]}, until={"error": 60}),
        "c",
    ),
    "a test of a player disqualified": (plan_of("ab", 300, **SPRT), "b"),
}


@pytest.mark.full(
    only=["a match with a test", "a test of a player disqualified", "a match until its interval is narrow"]
)
@pytest.mark.parametrize("name", TOURNAMENTS)
def test_games_are_the_same_in_whatever_order_they_end_and_however_often_a_run_stops(name: str) -> None:
    plan, bad = TOURNAMENTS[name]
    one = Stored()
    in_order = random.Random(0)
    in_order.randrange = lambda _: 0  # type: ignore[method-assign,misc,assignment]
    schedule = follow(plan, one, lambda task: game(task, bad), in_order, most=10**6)
    assert schedule.order is not None
    assert len(one) <= plan.games and sorted(one) == list(range(1, len(one) + 1))
    for seed in range(3):
        rng, other = random.Random(seed), Stored()
        for most in (rng.randrange(1, 20), rng.randrange(1, 20), 10**6):
            last = follow(plan, other, lambda task: game(task, bad), rng, most)
            stopped_names = last.disqualified
        assert other == one
        assert (last.order, stopped_names) == (schedule.order, schedule.disqualified)


def played(plan: Tournament, bad: str = "", fine: int = 0) -> tuple[Schedule, list[GameRecord]]:
    """The schedule and the games of a whole run in which the players in `bad` fail but in the game `fine`."""
    stored = Stored()

    def play(task: Task) -> GameRecord:
        return game(task, bad if task.scheduled.game != fine else "")

    whole = follow(plan, stored, play, random.Random(1), most=10**6)
    return whole, [record for _, record in sorted(stored.items())]


def of(name: str, records: list[GameRecord]) -> list[GameRecord]:
    """The games of a player."""
    return [record for record in records if name in (record.white, record.black)]


def test_a_test_that_is_decided_needs_no_further_game() -> None:
    plan = TOURNAMENTS["a match with a test"][0]
    whole, records = played(plan)
    assert whole.decided and len(records) < plan.games
    schedule = Schedule(plan, rows(plan, {record.game: record for record in records}))
    assert not schedule.advance() and schedule.order == []


def test_a_player_that_fails_in_all_of_its_first_games_is_disqualified_and_no_other() -> None:
    plan = TOURNAMENTS["a match with a player disqualified"][0]
    own = of("b", played(plan, "b")[1])
    assert [record.termination for record in own] == 3 * ["error"] + (len(own) - 3) * ["disqualified"]
    assert {record.error for record in own[3:]} == {"b was disqualified after 3 failures"}
    assert "disqualified" not in {record.termination for record in played(plan, "b", fine=own[1].game)[1]}


def test_games_between_two_disqualified_players_are_drawn() -> None:
    schedule, records = played(TOURNAMENTS["a round robin of which two are void"][0], "be")
    both = [record for record in of("b", of("e", records)) if record.termination == "disqualified"]
    drawn = [record for record in both if record.result == "draw"]
    assert {tuple(why[0] for why in record.error.split("; ")) for record in drawn} == {("b", "e"), ("e", "b")}
    assert schedule.disqualified == ["b", "e"]


def test_a_schedule_leaves_out_a_player_whose_games_are_void() -> None:
    plan = TOURNAMENTS["a Swiss of which one is void"][0]
    schedule, records = played(plan, "c")
    void, other = (max(record.round for record in of(name, records)) for name in "ca")
    assert void < other == 4
    assert schedule.order is not None and plan.names[schedule.order[-1].player] == "c"


def test_games_that_are_forgotten_are_played_again() -> None:
    plan = TOURNAMENTS["a round robin"][0]
    schedule = Schedule(plan, rows(plan, {record.game: record for record in played(plan)[1]}))
    assert schedule.advance()
    schedule.forget([3, 7])
    assert [task.scheduled.game for task in schedule.tasks()] == [3, 7]
    assert not schedule.advance() and schedule.order is None


@pytest.mark.parametrize("bad", ["ab", "ad", "cd"])
def test_a_player_is_disqualified_that_was_sound_only_in_games_that_are_void(bad: str) -> None:
    """Who meets first fails in all games; the others are sound in these, and fail in all others."""
    schedule, records = played(plan_of("abcd", 6), bad)
    assert schedule.disqualified == list(bad)
    ends = [record.termination for record in of(bad[1], records)]
    assert ends.count("disqualified") > len(ends) / 2


def test_who_plays_soundly_where_games_count_is_not_disqualified() -> None:
    def settled(*games: tuple[str, str, str], are_void: bool = True) -> dict[int, int]:
        disqualified = Disqualified(list("abc"), 2, are_void=are_void)
        for number, (white, black, failed) in enumerate(games, start=1):
            disqualified.settle(ScheduledGame(number, 0, 1, "abc".index(white), "abc".index(black), 0), failed)
        return disqualified.after

    fails_twice = [("a", "b", "a"), ("c", "a", "a")]
    assert settled(*fails_twice) == {0: 2}
    assert settled(("a", "b", ""), *fails_twice) == {}
    assert settled(*fails_twice, ("b", "c", "b"), ("c", "b", "b")) == {0: 2, 1: 4}
    assert settled(*fails_twice, ("b", "c", "b"), ("c", "b", "b"), are_void=False) == {0: 2}
    assert settled(("b", "a", "b"), ("a", "b", "a"), ("c", "b", "b"), ("c", "a", "a")) == {0: 4, 1: 4}
    assert settled(*fails_twice, ("b", "c", ""), ("c", "b", "b"), ("b", "c", "b")) == {0: 2}
