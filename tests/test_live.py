"""A run seen from outside while it is played: what `status` and `watch` say, and that they leave it alone."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.base.files import lock_folder
from arena.commands import live
from arena.experiment.formats.base import Pairing
from arena.experiment.load import load
from arena.ledger.info import RunInfo, Session, session
from arena.ledger.ledger import FILE, Ledger
from arena.ledger.record import GameRecord
from arena.ledger.store import StoreError
from arena.ratings.joint import rate
from arena.ratings.match import sprt
from arena.watch.elo import PROVISIONAL, STANDINGS, EloScale
from arena.watch.live import CLOCK, Forfeits, Moment, Standing, Watcher
from arena.watch.words import outlook, progress, status_line
from tests.helpers.command_line import invoke, refused

CONFIG = """\
name: t
variant: english
openings: {random_plies: 4, count: 10}
players:
  - {name: a, type: random}
  - {name: b, type: random}
  - {name: c, type: random}
"""


@dataclass
class Run:
    """A run of CONFIG whose games the test stores itself."""

    ledger: Ledger
    info: RunInfo

    @property
    def folder(self) -> Path:
        return self.ledger.path.parent

    def add(
        self, game: int, white: str, black: str, result: str, termination: str = "no_moves", error: str = ""
    ) -> None:
        pairing = Pairing(game, game, 1, 0, 1, 0)
        self.ledger.add(GameRecord(pairing, result, termination, 0.1, error, 0, b""), white, black, "B")

    def begin(self, **changes: Any) -> None:
        """Begin another session now, by this process, but for the changes."""
        games = len(self.ledger.finished())
        self.ledger.save_info(self.info.begun(session(games, 2)._replace(**changes)))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    (tmp_path / "t.yaml").write_text(CONFIG)
    experiment = load(tmp_path / "t.yaml")
    info = RunInfo(60)
    with Ledger(tmp_path / "out", experiment, info) as ledger:
        run = Run(ledger, info)
        run.begin()
        yield run


# --- what is read


def test_standings_are_by_score_and_count_wins_draws_and_losses(run: Run) -> None:
    for game, result in enumerate(("white", "draw", "black", "white"), start=1):
        run.add(game, "a", "b", result)
    run.add(5, "c", "b", "white")
    moment = Watcher(run.folder).read()
    assert moment.standings == [Standing("c", 1, 0, 0), Standing("a", 2, 1, 1), Standing("b", 1, 1, 3)]
    assert [standing.score for standing in moment.standings] == [1.0, 0.625, 0.3]
    assert (moment.games, moment.planned, moment.exact, moment.complete) == (5, 60, True, False)
    assert (moment.name, moment.variant, moment.format) == ("t", "english", "round-robin")


def test_incidents_are_games_lost_by_a_fault_and_on_time(run: Run) -> None:
    run.add(1, "a", "b", "white")
    run.add(2, "a", "b", "black", "error", "a raised ValueError at ply 3: no")
    run.add(3, "b", "a", "white", "error", "a raised KeyError at ply 4: other")
    run.add(4, "c", "b", "white", "time")
    assert Watcher(run.folder).read().incidents == [
        Forfeits("a", "error", 2, 2, "a raised ValueError at ply 3: no"),
        Forfeits("b", "time", 1, 4, ""),
    ]


def test_reading_again_adds_what_is_new_in_whatever_order_games_are_stored(run: Run) -> None:
    watcher = Watcher(run.folder)
    order = [1, 2, 5, 3, 9, 4, 7, 6, 8, 10]
    for stored, game in enumerate(order, start=1):
        fault = ("error", "x") if game % 3 == 0 else ("no_moves", "")
        run.add(game, "a", "b", "black", *fault)
        moment = watcher.read()
        assert moment.games == stored
        assert moment.standings == [Standing("b", stored, 0, 0), Standing("a", 0, 0, stored)]
        assert sum(incident.games for incident in moment.incidents) == sum(g % 3 == 0 for g in order[:stored])
    assert moment == Watcher(run.folder).read()._replace(now=moment.now, playing=moment.playing)


def test_games_that_were_read_once_are_not_read_again_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.watch.live._WHOLE_SHARE", 1e-9)
    watcher = Watcher(run.folder)
    for game in range(1, 8):
        run.add(game, "a", "b", "white")
    watcher.read()
    run.ledger.connection.execute("UPDATE games SET result = 'nonsense' WHERE game < 7")
    run.add(8, "a", "b", "white")
    assert watcher.read().games == 8


def test_games_that_are_replaced_are_read_anew_after_a_while(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.watch.live._WHOLE_SHARE", inf)
    watcher = Watcher(run.folder)
    run.add(1, "a", "b", "white")
    watcher.read()
    run.ledger.connection.execute(
        "UPDATE games SET result = 'black', termination = 'disqualified', error = 'a disqualified'"
    )
    moment = watcher.read()
    assert moment.standings == [Standing("b", 1, 0, 0), Standing("a", 0, 0, 1)]
    assert moment.incidents == [Forfeits("a", "disqualified", 1, 1, "a disqualified")]


def test_games_removed_at_the_end_are_not_counted(run: Run) -> None:
    watcher = Watcher(run.folder)
    for game in range(1, 8):
        run.add(game, "a", "b", "white")
    assert watcher.read().games == 7
    run.ledger.remove_after(4)
    run.ledger.finish([])
    moment = watcher.read()
    assert (moment.games, moment.planned, moment.complete, moment.playing) == (4, 4, True, False)


def test_a_damaged_result_is_an_error_in_one_line(run: Run) -> None:
    run.add(1, "a", "b", "white")
    run.ledger.connection.execute("UPDATE games SET result = 'nonsense'")
    with pytest.raises(
        StoreError, match=r"^\S+ledger\.sqlite cannot be read, as it is damaged: 'nonsense' is no result"
    ):
        Watcher(run.folder).read()


# --- who plays it, and how fast


def test_a_run_is_being_played_while_its_process_holds_the_folder(run: Run) -> None:
    watcher = Watcher(run.folder)
    assert watcher.read().playing is True
    run.ledger.close()
    assert watcher.read().playing is False


def test_a_run_whose_process_is_gone_is_not_played_and_its_lock_is_not_touched(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    run.begin(process=gone.pid)
    run.ledger.close()
    monkeypatch.setattr("arena.watch.live.FileLock", None)
    assert Watcher(run.folder).read().playing is False


def test_of_another_machine_it_is_not_known_whether_it_plays(run: Run) -> None:
    run.begin(host="elsewhere")
    run.add(1, "a", "b", "white")
    moment = Watcher(run.folder).read()
    assert (moment.playing, moment.seconds_left) == (None, None)
    assert "perhaps being played by process" in invoke("status", run.folder).stdout


def test_looking_at_a_run_leaves_its_lock_free(run: Run) -> None:
    run.ledger.close()
    Watcher(run.folder).read()
    lock_folder(run.folder).release()


def moment_of(seconds: float | None, **changes: Any) -> Moment:
    """30 of 60 games, 10 of them played before the last session, whose first move was so many seconds ago."""
    last = Session("", 10, 2, "host", 77)
    info = RunInfo(60, session=last)
    moment = Moment(
        "t", "english", "swiss", 30, 60, True, 0, 0, False, [], [], [], info, True, seconds, 995.0,
        1000.0, 3, {}, EloScale("black"), None, 0,
    )  # fmt: skip
    return moment._replace(**changes)


def test_the_rate_is_that_of_the_last_session() -> None:
    assert moment_of(40).rate == 20 / 40
    assert moment_of(40).seconds_left == 60
    assert moment_of(40, games=10).rate is None
    assert (moment_of(None).rate, moment_of(None).seconds_left) == (None, None)
    assert moment_of(40, planned=0).seconds_left is None


def test_the_time_of_the_last_game_is_told_once_the_session_has_stored_one(run: Run) -> None:
    watcher = Watcher(run.folder)
    assert watcher.read().stored is None
    run.add(1, "a", "b", "white")
    found = watcher.read().stored
    assert found is not None
    assert abs(found - time.time()) < 5
    run.begin()
    assert watcher.read().stored is None


def test_before_the_games_the_searches_of_a_probe_are_counted() -> None:
    moment = moment_of(40, games=0, stored=None, searches=3, searches_planned=8)
    assert status_line(moment) == "3/8 searches to a fixed depth"
    assert status_line(moment._replace(searches=8)) == "0/60 games (0 %)"


def test_how_far_a_run_is_has_one_sentence_for_lists_and_the_page() -> None:
    moment = moment_of(40)
    assert progress(moment) == "30/60 games (50 %), 30 games/min, 1 min 00 s left"
    assert outlook(moment) == progress(moment)
    assert progress(moment._replace(exact=False)).startswith("30/at most 60 games (50 %), 30 games/min, at most 1")
    elsewhere = moment._replace(playing=None, seconds=None)
    assert outlook(elsewhere) == "30/60 games (50 %), perhaps being played elsewhere"
    assert outlook(elsewhere._replace(playing=False)).endswith("(50 %), no process is playing it")
    assert outlook(moment._replace(complete=True)) == "complete, 30 games"


# --- status


def test_status_prints_counts_state_incidents_and_standings(run: Run) -> None:
    run.add(1, "a", "b", "white")
    run.add(2, "b", "a", "black", "error", "b raised ValueError at ply 3: no")
    run.ledger.put(CLOCK, time.monotonic() - 1)
    title, line, state, incident, header, *rows, last_line = invoke("status", run.folder).stdout.splitlines()
    assert last_line == PROVISIONAL
    assert title == "t: round-robin, english"
    assert re.fullmatch(r"2/60 games \(3 %\), \S+ games/(s|min), .+ left, leader a 100\.0 %", line)
    assert re.fullmatch(
        rf"being played by process {os.getpid()} on \S+ since .+ UTC, last game stored 0 s ago", state
    )
    assert incident == "b lost 1 game by error, first game 2: b raised ValueError at ply 3: no"
    assert header.split() == ["player", "Elo", "score", "games", "won", "drawn", "lost"]
    best, last = (row.split() for row in rows)
    assert (best[0], best[4:]) == ("a", ["100.0", "%", "2", "2", "0", "0"])
    assert (last[0], last[4:]) == ("b", ["0.0", "%", "2", "0", "0", "2"])
    assert best[1:4] == [last[1].replace("−", "+"), "±", last[3]]
    document = json.loads(invoke("status", run.folder, "--json").stdout)
    assert (document["folder"], document["games"], document["planned"]) == (str(run.folder), 2, 60)
    assert (document["session"]["process"], document["playing"], document["sprt"]) == (os.getpid(), True, None)
    counts = {"player": "a", "wins": 2, "draws": 0, "losses": 0, "games": 2, "score": 1.0}
    assert document["standings"][0].items() >= counts.items()


def test_status_has_elo_of_the_games_as_a_joint_fit_of_their_counts_gives_it(run: Run) -> None:
    for game, (white, black, result) in enumerate(
        [("a", "b", "white"), ("b", "a", "white"), ("a", "b", "white"), ("c", "a", "draw"), ("b", "c", "black")], 1
    ):
        run.add(game, white, black, result)
    rows = json.loads(invoke("status", run.folder, "--json").stdout)["standings"]
    fitted = rate(arena.load(run.folder).games[["white", "black", "result"]], first="black").table.set_index(
        "player"
    )
    assert {row["player"]: row["elo"] for row in rows} == pytest.approx(fitted["elo"].to_dict())
    assert sum(row["elo"] for row in rows) == pytest.approx(0)


def test_elo_is_that_of_the_report_of_the_same_games_else_provisional(run: Run) -> None:
    run.add(1, "a", "b", "white")
    run.add(2, "b", "a", "black")
    (run.folder / STANDINGS).write_text("player,games,elo,elo_low,elo_high\na,2,99.5,-99.5,298.5\nb,2,,,\n")

    document, text = json.loads(invoke("status", run.folder, "--json").stdout), invoke("status", run.folder).stdout
    assert document["provisional"] is False and PROVISIONAL not in text
    assert [(row["player"], row["elo"], row["elo_low"]) for row in document["standings"]] == [
        ("a", 99.5, -99.5), ("b", None, None),
    ]  # fmt: skip
    assert "+100 ± 199" in text.replace("\u00a0", " ")

    run.add(3, "a", "b", "white")
    document, text = json.loads(invoke("status", run.folder, "--json").stdout), invoke("status", run.folder).stdout
    assert document["provisional"] is True and text.splitlines()[-1] == PROVISIONAL
    assert document["standings"][0]["elo"] != 99.5


def test_a_sequential_test_is_told_with_its_bounds_by_the_pairs_at_the_head_of_the_schedule(
    tmp_path: Path,
) -> None:
    config = CONFIG.replace("  - {name: c, type: random}\n", "") + "format: match\nsprt: {elo0: 0, elo1: 50}\n"
    (tmp_path / "t.yaml").write_text(config)
    experiment = load(tmp_path / "t.yaml")
    watcher = Watcher(tmp_path / "out")
    with Ledger(tmp_path / "out", experiment, RunInfo(20, False)) as ledger:
        run = Run(ledger, RunInfo(20, False))
        assert watcher.read().sprt is None
        for game in (1, 2, 4, 5, 6):
            white, black, result = ("a", "b", "white") if game % 2 else ("b", "a", "black")
            run.add(game, white, black, result)
        assert watcher.read().sprt == sprt([0, 0, 0, 0, 1], 0, 50)
        run.add(3, "a", "b", "draw")
        moment = watcher.read()
        assert (moment.sprt, moment.sprt_pairs) == (sprt([0, 0, 0, 1, 2], 0, 50), 3)
        assert moment.sprt is not None
        found = json.loads(invoke("status", run.folder, "--json").stdout)["sprt"]
        assert found == moment.sprt._asdict() | {"pairs": 3}
        line = f"SPRT: LLR {moment.sprt.llr:.2f} of −2.94 (H0) to 2.94 (H1), 3 pairs"
        assert line in invoke("status", run.folder).stdout.splitlines()


def test_status_of_a_run_without_a_game_has_no_number_that_is_none(run: Run) -> None:
    result = invoke("status", run.folder)
    assert result.stdout.splitlines()[1] == "0/60 games (0 %)"
    document = json.loads(invoke("status", run.folder, "--json").stdout)
    assert (document["games"], document["rate"], document["seconds_left"]) == (0, None, None)


@pytest.mark.parametrize("content", [None, "", "no database at all" * 100])
def test_status_of_what_is_no_run_is_one_line(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content)
    assert str(tmp_path) in refused("status", tmp_path)


# --- watch


def test_watch_without_a_terminal_prints_lines_until_the_run_is_complete(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SECONDS", 0.0)
    monkeypatch.setattr("arena.watch.display.PLAIN_SECONDS", 0.0)
    steps = iter(range(1, 99))
    read = Watcher.read

    def play_on(watcher: Watcher) -> Moment:
        game = next(steps)
        if game == 4:
            run.ledger.finish([])
        else:
            run.add(game, "a", "b", "black", "error", "a raised ValueError at ply 1: no")
        return read(watcher)

    monkeypatch.setattr(Watcher, "read", play_on)
    result = invoke("watch", run.folder)
    assert result.exit_code == 0
    incident, *lines = result.stdout.splitlines()
    assert incident == "a lost 1 game by error, first game 1: a raised ValueError at ply 1: no"
    assert lines[0].startswith("1/60 games (2 %)")
    assert lines[-1].startswith("3/3 games (100 %)")
    assert "; complete, last game stored" in lines[-1]


@pytest.mark.full
def test_watch_waits_for_a_run_that_is_not_there_yet(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (tmp_path / "t.yaml").write_text(CONFIG)
    watching = subprocess.Popen(
        [sys.executable, "-m", "arena", "watch", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert watching.stderr is not None
        assert watching.stderr.readline() == f"waiting for a run in {folder}\n"
        played = invoke("run", tmp_path / "t.yaml", "--out", folder, "--workers", 1, "--no-report")
        assert played.exit_code == 0, played.output
        output, errors = watching.communicate(timeout=60)
    finally:
        watching.kill()
    assert (watching.returncode, errors) == (0, "")
    assert re.search(r"^60/60 games \(100 %\).*; complete", output.splitlines()[-1])


@pytest.mark.full
def test_ctrl_c_ends_a_watch_without_a_word(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena", "watch", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr is not None
        watching.stderr.readline()
        watching.send_signal(signal.SIGINT)
        output, errors = watching.communicate(timeout=60)
    assert (watching.returncode, output, errors) == (130, "", "")


def test_a_run_that_cannot_be_read_or_is_deleted_ends_the_watch_after_a_while(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SECONDS", 0.01)
    monkeypatch.setattr(live, "PATIENCE", 0.05)
    moments = live._moments(run.folder)
    assert next(moments) is not None
    run.ledger.path.unlink()
    assert next(moments) is None
    with pytest.raises(StoreError, match="there is no run"):
        list(moments)
    broken = run.folder.with_name("broken")
    broken.mkdir()
    (broken / FILE).write_text("no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be read"):
        list(live._moments(broken))


@pytest.mark.full
def test_watch_redraws_on_a_terminal_and_ends_with_the_run(tmp_path: Path, run: Run) -> None:
    run.add(1, "a", "b", "white")
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "arena", "watch", str(run.folder)]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(command, stdout=child, stderr=child, env=environment) as watching:
        os.close(child)
        shown = until(parent, b"leader a 100.0 %")
        run.ledger.finish([])
        shown += until(parent, b"complete, last game")
        assert watching.wait(timeout=60) == 0
    os.close(parent)
    assert b"Traceback" not in shown


def until(terminal: int, text: bytes) -> bytes:
    """What a terminal shows until a text is there."""
    shown = b""
    while text not in shown:
        assert select.select([terminal], [], [], 30)[0], shown
        shown += os.read(terminal, 4096)
    return shown
