"""A run seen from outside while it is played: what `status` says, and that it leaves the run alone."""

import json
import math
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import arena
from arena.base.files import lock_folder
from arena.ledger.ledger import FILE, StoreError
from arena.ratings.match import sprt
from arena.rules.result import RESULTS
from arena.watch import display
from arena.watch.display import Display, follow
from arena.watch.status import CLOCK, Status, StatusReader, status_line
from tests.helpers.command_line import invoke
from tests.helpers.runs import StoredRun
from tests.helpers.watched import read_status, status_of


@pytest.fixture
def run(tmp_path: Path) -> Iterator[StoredRun]:
    with StoredRun(tmp_path / "out", "abc") as run:
        yield run


def ended_process() -> int:
    """The number of a process that has ended."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def document(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(invoke("status", folder, "--json").stdout)
    return made


# --- what is read


def test_a_status_has_counts_and_standings_and_games_lost_by_a_fault(run):
    for game in (
        ("a", "b", "white"),
        ("a", "b", "draw"),
        ("a", "b", "black", "error", "a raised ValueError at ply 3: no"),
        ("b", "a", "black", "time"),
        ("c", "b", "white", "error", "b raised KeyError"),
        ("b", "a", "white", "error", "a raised another"),
    ):
        run.add(*game)
    found = read_status(run.folder)
    counts = {tuple(map(row.get, ("player", "wins", "draws", "losses", "score"))) for row in found.standings}
    assert counts == {("a", 2, 1, 2, 0.5), ("b", 2, 1, 3, 2.5 / 6), ("c", 1, 0, 0, 1.0)}
    assert (found.games, found.planned, found.exact, found.complete) == (6, 60, True, False)
    assert [tuple(lost.values()) for lost in found.lost] == [
        ("a", "error", 2, "a raised ValueError at ply 3: no"),
        ("b", "time", 1, ""),
        ("b", "error", 1, "b raised KeyError"),
    ]


@pytest.mark.full
def test_what_is_read_bit_by_bit_is_what_is_read_at_once(tmp_path):
    with StoredRun(tmp_path, "ab", 16, format="match", sprt={"elo0": 0, "elo1": 600}) as run:
        reader = StatusReader(tmp_path)
        for opening in range(16):
            run.add("a", "b", "white", opening=opening)
            if opening == 2:
                run.begin()
            run.add("b", "a", "black", opening=opening)
            found = reader.read()
            assert found == read_status(tmp_path)
    assert found.sprt is not None
    assert found.games == 2 * found.sprt["pairs"] < 32


def test_a_complete_run_was_planned_as_it_was_played(run):
    for _ in range(4):
        run.add("a", "b", "white")
    run.end()
    found = read_status(run.folder)
    assert (found.games, found.planned, found.complete, found.playing) == (4, 4, True, False)


def test_a_damaged_game_counts_as_missing(run):
    run.add("a", "b", "white")
    run.add("b", "a", "white")
    with closing(sqlite3.connect(run.folder / FILE)) as other, other:
        other.execute("UPDATE games SET result = 'nonsense' WHERE white = 'a'")
    assert read_status(run.folder).games == 1


def test_games_of_players_that_are_withdrawn_count_for_nobody(tmp_path):
    with StoredRun(tmp_path, "abc", failures={"withdraw_after": 2}) as run:
        run.add("b", "c", "white")
        run.add("a", "b", "black", "time")
        assert not read_status(tmp_path).withdrawn
        run.add("b", "a", "white", "time")
    found = document(tmp_path)
    assert (found["games"], found["withdrawn"]) == (3, {"a": "it failed in its first 2 games"})
    assert [(row["player"], row["games"]) for row in found["standings"]] == [("b", 1), ("c", 1)]
    assert "a is withdrawn: it failed in its first 2 games" in invoke("status", tmp_path).stdout.splitlines()


@pytest.mark.parametrize("players", ["ab", "abc"])
def test_elo_is_as_in_the_report_and_the_rating_of_the_same_games(tmp_path, players):
    results = random.Random(1)
    with StoredRun(tmp_path, players, 25) as run:
        for number in range(25):
            for first, second in combinations(players, 2):
                for white, black in ((first, second), (second, first)):
                    run.add(white, black, results.choice(RESULTS), moves=[f"{white}{black}{number}"])
    rows = document(tmp_path)["standings"]
    rated = json.loads(invoke("rate", tmp_path, "--json").stdout)["players"]
    assert_rated(tmp_path, rows)
    errors = {row["player"]: row["elo_high"] - row["elo"] for row in rows}
    assert errors == pytest.approx({row["player"]: row["error"] for row in rated}, abs=1e-4)


@pytest.mark.full
def test_games_that_repeat_others_count_once_in_it_and_anchors_are_heeded(tmp_path):
    players = [{"name": f"d{depth}", "type": "negamax", "depth": depth} for depth in (1, 2, 3)]
    openings = {"count": 3, "repeat": 2}
    config: dict[str, Any] = {"name": "t", "variant": "english", "openings": openings, "anchor": {"d2": 1000}}
    made = arena.run(config | {"players": players}, tmp_path, workers=1, quiet=True)
    assert made.games[["white", "black", "line"]].duplicated().sum() == 18
    rows = document(tmp_path)["standings"]
    assert_rated(tmp_path, rows)
    assert next(row["elo"] for row in rows if row["player"] == "d2") == 1000


def assert_rated(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The standings are those of the report: players in their order, with Elo and its interval."""
    standings = arena.load(folder).standings
    for row, wanted in zip(rows, standings.to_dict("records"), strict=True):
        for name in ("player", "elo", "elo_low", "elo_high", "games"):
            assert row[name] == (wanted[name] if name == "player" else pytest.approx(wanted[name])), name


def test_a_sequential_test_is_told_by_the_pairs_at_the_head_of_the_schedule(tmp_path):
    settings: dict[str, Any] = {"format": "match", "sprt": {"elo0": 0, "elo1": 50}}
    with StoredRun(tmp_path, "ab", 20, exact=False, **settings) as run:
        assert read_status(tmp_path).sprt is None
        for opening in (0, 1, 2):
            run.add("b", "a", "black", opening=opening)
        for opening in (0, 2):
            run.add("a", "b", "white", opening=opening)
        assert read_status(tmp_path).sprt == {**sprt([0, 0, 0, 0, 1], 0, 50)._asdict(), "pairs": 1}
        run.add("a", "b", "draw", opening=1)
    state = sprt([0, 0, 0, 1, 2], 0, 50)
    assert document(tmp_path)["sprt"] == {**state._asdict(), "pairs": 3}
    assert f", LLR {state.llr:.2f} of −2.94 (H0) to 2.94 (H1) by 3 pairs" in invoke("status", tmp_path).stdout


# --- who plays it, and how fast


def test_a_run_is_being_played_while_its_process_lives_and_looking_leaves_it_alone(run):
    assert read_status(run.folder).playing is True
    run.begin(host="elsewhere")
    run.add("a", "b", "white")
    assert (read_status(run.folder).playing, read_status(run.folder).seconds_left) == (None, None)
    run.begin(process=ended_process())
    run.ledger.close()
    assert read_status(run.folder).playing is False
    lock_folder(run.folder).release()


def test_the_last_game_ended_when_its_record_says_whatever_was_stored_later(run):
    assert read_status(run.folder).ended is None
    for began in (1000.0, 7000.0, 5000.0, math.nan):
        run.add("a", "b", "white", began=began)
    run.end()
    assert read_status(run.folder).ended == 7000.1


def test_the_time_left_is_by_the_games_of_the_last_session_and_what_is_not_known_is_not_said(run):
    run.add("a", "b", "white")
    run.begin()
    run.ledger.put(CLOCK, time.monotonic() - 10)
    assert read_status(run.folder).seconds_left is None
    run.add("a", "b", "white")
    found = read_status(run.folder)
    assert found.seconds_left == pytest.approx(580, rel=0.1)
    assert ", 1 min 00 s left" in status_line(found._replace(seconds_left=60))
    line = status_line(status_of(exact=False, seconds_left=60))
    assert line == "30/at most 60 games (50.0 %), at most 1 min 00 s left"
    assert "left" not in status_line(status_of())


def test_status_prints_counts_state_games_lost_and_standings(run):
    run.add("a", "b", "white")
    run.add("b", "a", "black", "error", "b raised ValueError at ply 3: no")
    run.ledger.put(CLOCK, time.monotonic() - 1)
    title, line, state, lost, _, *rows = invoke("status", run.folder).stdout.splitlines()
    assert title == "t: round-robin, english"
    assert line.startswith("2/60 games (3.3 %), ") and state.startswith(f"being played by process {os.getpid()}")
    assert lost == "b lost 1 game (error of a player): b raised ValueError at ply 3: no"
    best, last = (row.split() for row in rows)
    assert (best[0], best[4:]) == ("a", ["100.0", "%", "2", "2", "0", "0"])
    assert best[1:4] == [last[1].replace("−", "+"), "±", last[3]]
    found = document(run.folder)
    assert (found["folder"], found["games"], found["planned"]) == (str(run.folder), 2, 60)
    assert (found["session"]["process"], found["playing"], found["sprt"]) == (os.getpid(), True, None)


# --- status --follow


def test_a_run_that_is_followed_without_a_terminal_gets_lines_until_it_is_complete_then_its_status(
    run, monkeypatch
):
    monkeypatch.setattr(display, "FRAME_SECONDS", 0.01)
    monkeypatch.setattr(display, "PLAIN_SECONDS", (0.0, 0.0))
    steps = iter(range(1, 99))

    def look(reader: StatusReader) -> Status:
        if (step := next(steps)) == 6:
            run.end()
        elif step < 6:
            run.add("a", "b", "black", "error", "a raised ValueError at ply 1: no")
        return reader.read()

    monkeypatch.setattr(StatusReader, "look", look)
    run.begin(process=ended_process())
    result = invoke("status", run.folder, "--follow")
    assert result.exit_code == 0
    first, *lines = result.stdout.splitlines()
    assert first == "1/60 games (1.7 %), no process is playing it, leader b 100.0 %"
    assert "5/5 games (100.0 %), leader b 100.0 %" in lines
    assert [line[:14] for line in lines if " lost " in line] == ["a lost 5 games"]


def test_following_waits_for_a_run_that_is_not_there_yet(tmp_path, monkeypatch):
    folder, said = tmp_path / "out", list[str]()

    def played(_: float) -> None:
        with StoredRun(folder, "ab", 2) as run:
            run.add("a", "b", "white")
            run.end()

    monkeypatch.setattr(display, "time", SimpleNamespace(sleep=played, monotonic=time.monotonic))
    follow(folder, said.append)
    assert said == [f"waiting for a run in {folder}"]


def test_ctrl_c_ends_following_without_a_word(tmp_path, monkeypatch):
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(display, "time", SimpleNamespace(sleep=interrupted))
    result = invoke("status", tmp_path / "out", "--follow")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == f"waiting for a run in {tmp_path / 'out'}\n"


def test_a_run_that_cannot_be_read_or_is_deleted_is_not_followed_for_ever(run, monkeypatch):
    monkeypatch.setattr(display, "FRAME_SECONDS", 0.01)
    monkeypatch.setattr(Display, "done", lambda *_: run.ledger.path.unlink())
    monkeypatch.setattr(StatusReader, "look", StatusReader.read)
    with pytest.raises(StoreError, match="there is no run"):
        follow(run.folder, print)
    broken = run.folder.with_name("broken")
    broken.mkdir()
    (broken / FILE).write_text("no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be read"):
        follow(broken, print)
