"""Tests of one game: its clocks, whose fault its end is, and its record."""

import re
import time
from typing import Any

import numpy as np
import pytest

from arena.hosting import handle
from arena.ledger.record import GameRecord
from arena.play import match
from arena.play.match import limit_for, play
from arena.rules.notation import parse_fen
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS, Variant
from players.player import Allowance, Choice, Limit, PlayerSpec
from tests.helpers.asking import First, column, own, task_of


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The players are in this process, with its clock and its mistakes."""
    monkeypatch.setattr("arena.hosting.player_process.without_own_code", lambda spec: spec)


# --- games on clocks


class Time:
    """A clock that players turn on."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now

    time = process_time = thread_time = perf_counter


TIME = Time()
SEEN: list[Limit] = []


class Spends(First):
    """Takes so many seconds for its moves, the last of them for all further ones."""

    def __init__(self, variant: Variant, spent: list[float]) -> None:
        self.spent = spent
        self.moves = 0

    def choose(self, game, limit, rng):
        SEEN.append(limit)
        TIME.now += self.spent[min(self.moves, len(self.spent) - 1)]
        self.moves += 1
        return Choice(game.legal_moves[0])


@pytest.fixture
def _fake_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (match, handle):
        monkeypatch.setattr(module, "time", TIME)
    SEEN.clear()


def spends(limit: Limit, *seconds: float) -> PlayerSpec:
    return own(Spends, limit=limit, spent=list(seconds))


def play_white(limit: Limit, *seconds: float, time_margin: float = 0.125) -> GameRecord:
    """White, the first to move, takes so many seconds for its moves; Black takes 5 each and has no limit."""
    task = task_of(VARIANTS["international"], spends(limit, *seconds), spends(Limit(), 5.0), max_plies=8)
    return play(task._replace(allowance=Allowance(time_margin)))


@pytest.mark.usefixtures("_fake_time")
def test_a_clock_runs_for_its_own_side_and_gains_the_increment_and_all_after_its_moves():
    record = play_white(Limit(clock=10.0, increment=2.0), 3.0)
    assert record.termination == "max_plies"
    assert SEEN[::2] == [Limit(clock=clock, increment=2.0) for clock in (10.0, 9.0, 8.0, 7.0)]
    assert SEEN[1::2] == [Limit()] * 4
    assert column(record, "clock")[::2].tolist() == [9.0, 8.0, 7.0, 6.0]
    assert column(record, "overrun")[::2].tolist() == [0.0] * 4
    assert np.isnan(column(record, "clock")[1::2]).all() and np.isnan(column(record, "overrun")[1::2]).all()
    SEEN.clear()
    play_white(Limit(clock=10.0, moves=2), 3.0)
    assert [(seen.clock, seen.moves) for seen in SEEN[::2]] == [(10.0, 2), (7.0, 1), (14.0, 2), (11.0, 1)]


@pytest.mark.usefixtures("_fake_time")
@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_a_clock_that_runs_out_loses(colour):
    late, other = spends(Limit(clock=10.0), 4.0), spends(Limit(clock=10.0), 1.0)
    sides = (late, other) if colour == WHITE else (other, late)
    record = play(task_of(VARIANTS["international"], *sides))
    assert record.termination == "time"
    assert record.error == f"own took 4 s, 2 s more than it had, at ply {5 + colour}"
    assert record.result == ("black" if colour == WHITE else "white")
    assert column(record, "clock")[colour::2].tolist() == [6.0, 2.0, 0.0]
    assert column(record, "overrun")[colour::2].tolist() == [0.0, 0.0, 2.0]


@pytest.mark.usefixtures("_fake_time")
@pytest.mark.parametrize("limit", [Limit(seconds=10.0), Limit(clock=10.0), Limit(seconds=10.0, clock=60.0)])
def test_a_move_may_be_late_by_the_margin_and_no_more_after_which_its_clock_is_at_the_increment(limit):
    within = play_white(limit, 10.125, 0.0)
    assert (within.termination, column(within, "overrun")[0]) == ("max_plies", 0.125)
    beyond = play_white(limit, 10.25, 0.0)
    assert (beyond.termination, beyond.result, len(column(beyond, "move"))) == ("time", "black", 1)
    assert play_white(limit, 10.25, 0.0, time_margin=0.25).termination == "max_plies"
    SEEN.clear()
    play_white(Limit(clock=10.0, increment=1.0), 10.125, 0.0)
    assert [seen.clock for seen in SEEN[::2]] == [10.0, 1.0, 2.0, 3.0]
    won = parse_fen(VARIANTS["english"], "W:W18:B15")
    late = task_of(VARIANTS["english"], spends(Limit(seconds=1.0), 2.0), spends(Limit(), 1.0), opening=won)
    in_time = play(late._replace(white=spends(Limit(seconds=1.0), 1.0)))
    assert (play(late).result, in_time.result) == ("black", "white"), "a move that wins too late loses"


class Sleeps(First):
    def choose(self, game, limit, rng):
        time.sleep(0.03)
        return Choice(game.legal_moves[0])


def test_a_move_that_was_slept_through_takes_time_and_no_processor_time():
    record = play(task_of(VARIANTS["english"], own(Sleeps), own(Sleeps), max_plies=1))
    seconds, of_processor = (column(record, name)[0] for name in ("seconds", "cpu_seconds"))
    assert seconds >= 0.03 and 0 <= of_processor < seconds / 2
    assert record.cpu_seconds == pytest.approx(column(record, "cpu_seconds")[0], abs=1e-6)


# --- whose fault it is


class Breaks(First):
    def __init__(self, variant: Variant, at: int) -> None:
        self.at = at
        if at == 0:
            raise OSError("no weights")

    def choose(self, game, limit, rng):
        if len(game.moves) + 1 >= self.at:
            raise KeyError("x" * 300)
        return Choice(game.legal_moves[0])


@pytest.mark.parametrize("colour", [WHITE, BLACK])
@pytest.mark.parametrize(
    ("at", "error"),
    [
        (0, "was not built: .*: OSError: no weights at ply 1"),
        (3, r"raised KeyError: 'x{82}\.\.\.x+' \(test_match.py, line \d+\) at ply [34]"),
    ],
)
def test_a_player_that_raises_loses_with_either_colour(at, error, colour):
    bad, good = own(Breaks, name="bad", at=at), own(First, name="good")
    record = play(task_of(VARIANTS["international"], *((bad, good) if colour == WHITE else (good, bad))))
    assert (record.result, record.termination) == ("black" if colour == WHITE else "white", "error")
    assert re.fullmatch(f"bad {error}", record.error), record.error


@pytest.mark.parametrize(
    "broken",
    ["arena.play.match.move_text", "arena.play.match.adjudicate", "players.player.Limit.overrun",
     "players.player.Limit.after", "arena.rules.game.Game.push"],
)  # fmt: skip
def test_a_mistake_of_the_arena_is_raised_and_no_player_loses_by_it(broken, monkeypatch):
    def fails(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(broken, fails)
    timed = own(First, limit=Limit(clock=60.0))
    with pytest.raises(ZeroDivisionError, match="ours"):
        play(task_of(VARIANTS["english"], timed, timed))


# --- what is recorded


NUMBERS = [name for name in Choice._fields if name not in ("move", "pv", "extra")]
"""The fields of a choice that are recorded for every move."""


class Tells(First):
    """Reports a number of its own in every field."""

    def choose(self, game, limit, rng):
        numbers: dict[str, Any] = {name: value for value, name in enumerate(NUMBERS, 1)}
        return Choice(game.legal_moves[0])._replace(**numbers)


def test_every_number_of_a_choice_is_recorded():
    record = play(task_of(VARIANTS["english"], own(Tells), own(Tells)))
    for value, name in enumerate(NUMBERS, 1):
        assert (column(record, name) == value).all(), name


@pytest.mark.parametrize(
    ("type", "margin", "seconds"),
    [("negamax", 0.0, 0.04), ("negamax", 0.1, 0.05), ("own.py:Own", 0.0, 0.05), ("engine", 0.0, 0.05)],
)
def test_a_built_in_search_is_told_of_less_time_where_it_has_no_margin(type, margin, seconds):
    limit = Limit(depth=9, seconds=0.05)
    heard = limit_for(PlayerSpec("a", type, limit), limit, Allowance(time_margin=margin))
    assert heard.depth == 9 and heard.seconds == pytest.approx(seconds)
