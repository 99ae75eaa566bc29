"""What a run shows while it goes on: counts, rates, the leader, and how often."""

from __future__ import annotations

import io

import pytest

from arena import progress
from arena.progress import PLAIN_SECONDS, Progress, Ticker, duration


class Clock:
    """A clock that tests set."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_line_says_what_is_done_the_rate_what_is_left_and_who_leads(clock: Clock) -> None:
    shown = Progress(100, io.StringIO())
    shown.resume({("b", "a", "1/2-1/2"): 10})
    clock.now += 20
    for _ in range(10):
        shown.add("a", "b", "1-0")
    assert shown.line() == "20/100 games (20 %), 0.5 games/s, 2 min 40 s left, leader a 75.0 %"


def test_the_most_games_that_there_may_be_are_called_so_until_the_run_is_complete(clock: Clock) -> None:
    shown = Progress(10, io.StringIO(), exact=False)
    clock.now += 1
    shown.add("a", "b", "0-1")
    assert shown.line() == "1/at most 10 games (10 %), 1 games/s, at most 9 s left, leader b 100.0 %"
    shown.end({("a", "b", "1-0"): 2}, complete=True)
    assert shown.line() == "2/2 games (100 %), 2 games/s, 0 s left, leader a 100.0 %"


@pytest.mark.parametrize("result", ["*", "", "2-0", "1/2"])
def test_what_is_no_result_is_an_error_and_no_draw(result: str) -> None:
    with pytest.raises(ValueError, match="is no result"):
        Progress(1, io.StringIO()).add("a", "b", result)


def test_a_pipe_receives_a_line_every_few_seconds_and_one_at_the_end(clock: Clock) -> None:
    stream = io.StringIO()
    with Progress(100, stream) as shown:
        for _ in range(20):
            clock.now += 1
            shown.add("a", "b", "1-0")
        shown.say("a line of its own")
    lines = stream.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["5/100", "10/100", "15/100", "20/100", "a", "20/100"]


def test_a_terminal_shows_a_table_of_the_best_and_keeps_the_last_line_alone() -> None:
    stream = Terminal()
    with Progress(100, stream) as shown:
        for number in range(30):
            shown.add(f"player-{number:02}", "last", "1-0")
        shown.say("a line of its own [x]")
    assert "a line of its own [x]" in stream.getvalue()
    assert stream.getvalue().splitlines()[-1].split("\x1b")[-1].endswith("leader player-00 100.0 %")


def test_a_ticker_is_due_once_each_time_its_seconds_have_passed(clock: Clock) -> None:
    ticker = Ticker()
    assert not ticker.due()
    clock.now += PLAIN_SECONDS
    assert [ticker.due(), ticker.due()] == [True, False]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3600, "1 h 00 min"),
        (7830, "2 h 10 min"),
    ],
)
def test_durations_are_written_in_two_units_at_most(seconds: float, text: str) -> None:
    assert duration(seconds) == text
