"""What a run shows while it goes on: counts, rates, the leader, and how often."""

import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.live_render import LiveRender

from arena.base.number import duration
from arena.ledger.ledger import FILE, Ledger
from arena.ledger.record import MOVE_COLUMNS, GameRecord, packed
from arena.play import carry_out
from arena.play.match import Task
from arena.rules.game import Termination
from arena.watch import display, status
from arena.watch.display import PLAIN_SECONDS, Display, window
from arena.watch.status import Status, StatusReader, status_line
from tests.helpers.runs import StoredRun, playing
from tests.helpers.schedules import plan_of
from tests.helpers.watched import read_status, status_of


class Clock:
    """The clocks of a machine, which tests set: that of its time may jump, as after a laptop's sleep."""

    def __init__(self) -> None:
        self.now, self.jumped = 100.0, 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now + self.jumped


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (display, status, carry_out):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_pipe_receives_a_line_after_10_seconds_then_ever_more_rarely_and_one_at_the_end(clock, tmp_path, stream):
    shown = Display(stream)
    with StoredRun(tmp_path, "ab", 1000) as run, shown.working("games", 2000, tmp_path):
        for second in range(1, 1301):
            clock.now += 1
            if second % 10 == 0:
                run.add("a", "b", "white")
            shown.done(1)
        shown.say("a line of its own")
    counts = [line.split("/")[0] for line in stream.getvalue().splitlines()]
    assert counts == ["1", "3", "7", "15", "31", "63", "95", "127", "a line of its own", "130"]


def test_a_terminal_shows_a_window_and_keeps_the_last_line_alone(tmp_path, stream, monkeypatch):
    monkeypatch.setattr(stream, "isatty", lambda: True)
    shown = Display(stream)
    with StoredRun(tmp_path, "ab", 1000) as run, shown.working("games", 2000, tmp_path):
        run.add("a", "b", "white")
        shown.say("a line of its own [x]")
    assert "a line of its own [x]" in stream.getvalue()
    assert stream.getvalue().splitlines()[-1].split("\x1b")[-1].endswith("leader a 100.0 %")


def test_a_run_that_cannot_be_read_is_shown_as_such_and_goes_on(clock, tmp_path, stream):
    shown = Display(stream)
    with StoredRun(tmp_path, "ab"), shown.working("games", 20, tmp_path):
        (tmp_path / FILE).unlink()
        clock.now += PLAIN_SECONDS[0]
        shown.done(1)
    assert [line.startswith(f"there is no run in {tmp_path}") for line in stream.getvalue().splitlines()] == [
        True
    ] * 2


def test_the_time_left_is_that_of_games_alone_whatever_the_time_is(clock, tmp_path, monkeypatch):
    """A minute of compilation before the first game, 2 s a game, and a machine whose time jumps by 8 hours."""
    plan = plan_of(tmp_path, "players:\n  - {name: a, type: random}\n  - {name: b, type: random}\n")

    def made_up(work: object, tasks: Iterable[Task], *_: object, **__: object) -> Iterator[GameRecord]:
        clock.now += 60
        for number, task in enumerate(islice(tasks, 5), start=1):
            clock.now += 2
            clock.jumped = 8 * 3600.0 * (number > 3)
            move = dict.fromkeys((name for name, _ in MOVE_COLUMNS), 0.0) | {"seconds": 2.0, "cpu_seconds": 2.0}
            moves = packed({"move": ["11-15"], **{name: [value] for name, value in move.items()}})[1]
            yield task.record("draw", Termination.NO_MOVES, seconds=62.0, plies=1, moves=moves)

    monkeypatch.setattr(carry_out, "run_tasks", made_up)
    lines: list[str] = []
    with Ledger(tmp_path / "out", plan.experiment, plan.info) as ledger:
        for _ in playing(plan, ledger):
            lines.append(status_line(read_status(tmp_path / "out")))
    left = [re.findall(", (.*) left", line) for line in lines]
    assert left == [[duration(2 * (plan.info.games - games))] for games in range(1, 6)]


def test_other_work_is_counted_from_its_first_piece_on(clock, stream):
    shown = Display(stream)
    with shown.working("answers", 100):
        clock.now += 60
        for pieces in range(1, 42):
            shown.done(pieces)
            clock.now += 1
    assert stream.getvalue().splitlines() == [
        "1 of 100 answers", "21 of 100 answers, 1 min 19 s left"
    ]  # fmt: skip


def test_looks_at_a_run_take_three_per_cent_of_the_time(clock, tmp_path, monkeypatch):
    looks = []

    def read(*_: object) -> Status:
        looks.append(clock.now)
        clock.now += 0.1
        return status_of()

    monkeypatch.setattr(StatusReader, "_status_of", read)
    with StoredRun(tmp_path, "ab"):
        reader = StatusReader(tmp_path)
        for _ in range(80):
            clock.now += 0.25
            reader.look()
    assert all(3 <= later - earlier < 4 for earlier, later in pairwise(looks[1:])) and len(looks) > 5


# --- the window


NAMES = ("n" * 40, "名" * 20, "короткий", "a", "x]y[red]")


def drawn(width: int, height: int, **changes: Any) -> list[str]:
    """The lines that a window of that size shows."""
    out = io.StringIO()
    console = Console(file=out, width=width, height=height, force_terminal=True, color_system=None)
    console.print(LiveRender(window(status_of(games=5, planned=9, **changes))))
    return out.getvalue().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 14)])
@pytest.mark.parametrize("players", [2, 17, 60])
def test_a_window_shows_failures_and_as_many_players_as_fit(width, height, players):
    row = {"games": 24000, "score": 0.458, "wins": 1000, "draws": 20000, "losses": 3000}
    standings = [
        row | {"player": f"{n}{NAMES[n % 5]}", "elo": 500 - n, "elo_low": 400 - n, "elo_high": 600 - n}
        for n in range(players)
    ]
    lost = [{"player": "w", "termination": "error", "games": 2, "error": "no"}] * 9
    lines = drawn(width, height, standings=standings, lost=lost, withdrawn={"v": "it failed"})
    assert max(map(cell_len, lines)) <= width
    assert len(lines) == height or (len(lines) < height and players == 2)
    assert sum(line.startswith("w lost 2 games (error of a player): no") for line in lines) == 5
    assert "and 5 more" in map(str.strip, lines) and lines[2].startswith("5/9 games (55.6 %)")
    header = next((n for n, line in enumerate(lines) if line.startswith("player ")), height)
    rows = lines[header + 1 :]
    assert len(rows) == players or lines[-1].strip() == "..."
    assert width < 80 or rows[0].split()[-6:] == ["+500", "±", "100", "45.8", "%", "24000"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 00 s"), (185, "3 min 05 s"), (7830, "2 h 10 min"), (90000, "1 d 1 h")],
)
def test_durations_are_written_in_two_units_at_most(seconds, text):
    assert duration(seconds) == text
