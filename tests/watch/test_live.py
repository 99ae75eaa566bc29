"""A run seen from outside while it is played: what `status` says, and that they leave it alone."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.base.files import lock_folder
from arena.experiment.formats.base import MIN_ROUNDS, BatchResult
from arena.experiment.formats.fixed import RoundRobin, Until
from arena.ledger.info import RunInfo, Session
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.ratings.joint import rate
from arena.ratings.match import sprt
from arena.rules.result import RESULTS, WHITE_POINTS
from arena.watch import display
from arena.watch.display import Progress, follow
from arena.watch.elo import PROVISIONAL, REPORTED
from arena.watch.live import CLOCK, LostGames, Moment, Standing, read_moment
from arena.watch.words import progress, status_line
from tests.helpers.command_line import invoke, refused
from tests.helpers.stored_run import StoredRun


@pytest.fixture
def run(tmp_path: Path) -> Iterator[StoredRun]:
    with StoredRun(tmp_path / "out", "abc") as run:
        yield run


def status(run: StoredRun) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(invoke("status", run.folder, "--json").stdout)
    return document


# --- what is read


def test_a_moment_has_counts_standings_by_score_and_games_lost_by_a_fault(run: StoredRun) -> None:
    for game, (white, black, result, *fault) in enumerate(
        [
            ("a", "b", "white"),
            ("a", "b", "draw"),
            ("a", "b", "black", "error", "a raised ValueError at ply 3: no"),
            ("b", "a", "black", "time"),
            ("c", "b", "white", "error", "b raised KeyError"),
            ("b", "a", "white", "error", "a raised another"),
        ],
        start=1,
    ):
        run.add(game, white, black, result, *fault)
    moment = read_moment(run.folder)
    assert moment.standings == [Standing("c", 1, 0, 0), Standing("a", 2, 1, 2), Standing("b", 2, 1, 3)]
    assert [standing.score for standing in moment.standings] == [1.0, 0.5, 2.5 / 6]
    assert (moment.games, moment.planned, moment.exact, moment.complete) == (6, 60, True, False)
    assert (moment.name, moment.variant, moment.format, moment.players) == ("t", "english", "round-robin", 3)
    assert moment.incidents == [
        LostGames("a", "error", 2, 3, "a raised ValueError at ply 3: no"),
        LostGames("b", "time", 1, 4, ""),
        LostGames("b", "error", 1, 5, "b raised KeyError"),
    ]


def test_a_complete_run_was_planned_as_it_was_played(run: StoredRun) -> None:
    for game in range(1, 8):
        run.add(game, "a", "b", "white")
    run.ledger.remove_after(4)
    run.ledger.finish([])
    moment = read_moment(run.folder)
    assert (moment.games, moment.planned, moment.complete, moment.playing) == (4, 4, True, False)


def test_a_damaged_result_is_an_error_in_one_line(run: StoredRun) -> None:
    run.add(1, "a", "b", "white")
    run.ledger.connection.execute("UPDATE games SET result = 'nonsense'")
    with pytest.raises(StoreError, match=r"^\S+ledger\.sqlite cannot be read.* 'nonsense'.*$"):
        read_moment(run.folder)


# --- who plays it, and how fast


def test_a_run_is_being_played_while_its_process_holds_the_folder_which_looking_leaves_alone(
    run: StoredRun,
) -> None:
    assert read_moment(run.folder).playing is True
    run.begin(host="elsewhere")
    run.add(1, "a", "b", "white")
    assert (read_moment(run.folder).playing, read_moment(run.folder).seconds_left) == (None, None)
    run.begin()
    run.ledger.close()
    assert read_moment(run.folder).playing is False
    lock_folder(run.folder).release()


def test_a_run_whose_process_is_gone_is_not_played_and_its_lock_is_not_touched(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    run.begin(process=gone.pid)
    monkeypatch.setattr("arena.watch.live.FileLock", None)
    assert read_moment(run.folder).playing is False


def test_the_last_game_ended_when_its_record_says_whatever_was_stored_later(run: StoredRun) -> None:
    assert read_moment(run.folder).ended is None
    assert (status(run)["rate"], status(run)["seconds_left"]) == (None, None)
    for game, began in enumerate((1000.0, 7000.0, 5000.0, math.nan), start=1):
        run.add(game, "a", "b", "white", began=began)
    run.begin()
    run.ledger.finish([])
    assert read_moment(run.folder).ended == 7000.1


def moment_of(seconds: float | None, **changes: Any) -> Moment:
    """30 of 60 games, 10 of them played before the last session, whose first move was so many seconds ago."""
    info = RunInfo(60, session=Session("", 10, 2, "host", 77))
    moment = Moment(
        "t", "english", "swiss", 30, 60, True, False, [], [], [], info, True, seconds, 995.0,
        1000.0, 3, [], "black", {},
    )  # fmt: skip
    return moment._replace(**changes)


def test_the_rate_is_that_of_the_last_session() -> None:
    assert (moment_of(40).rate, moment_of(40).seconds_left) == (20 / 40, 60)
    assert moment_of(40, games=10).rate is None
    assert (moment_of(None).rate, moment_of(None).seconds_left) == (None, None)
    assert moment_of(40, planned=0).seconds_left is None


def test_how_far_a_run_is_says_what_is_known() -> None:
    moment = moment_of(40)
    assert "1 min 00 s left" in progress(moment)
    assert "at most 60 games" in progress(moment._replace(exact=False))
    assert "left" not in progress(moment._replace(playing=False, seconds=None))


# --- status


def test_status_prints_counts_state_incidents_and_standings(run: StoredRun) -> None:
    run.add(1, "a", "b", "white")
    run.add(2, "b", "a", "black", "error", "b raised ValueError at ply 3: no")
    run.ledger.put(CLOCK, time.monotonic() - 1)
    title, line, state, incident, _, *rows, last_line = invoke("status", run.folder).stdout.splitlines()
    assert (title, last_line) == ("t: round-robin, english", PROVISIONAL)
    assert line.startswith("2/60 games (3 %), ") and f"process {os.getpid()} on " in state
    assert incident == "b lost 1 game (error of a player), first game 2: b raised ValueError at ply 3: no"
    best, last = (row.split() for row in rows)
    assert (best[0], best[4:]) == ("a", ["100.0", "%", "2", "2", "0", "0"])
    assert best[1:4] == [last[1].replace("−", "+"), "±", last[3]]
    document = status(run)
    assert (document["folder"], document["games"], document["planned"]) == (str(run.folder), 2, 60)
    assert (document["session"]["process"], document["playing"], document["sprt"]) == (os.getpid(), True, None)
    counts = {"player": "a", "wins": 2, "draws": 0, "losses": 0, "games": 2, "score": 1.0}
    assert document["standings"][0].items() >= counts.items()


def test_elo_is_the_joint_fit_of_the_counts_or_that_of_the_report_of_the_same_games(run: StoredRun) -> None:
    for game, (white, black, result) in enumerate(
        [("a", "b", "white"), ("b", "a", "white"), ("a", "b", "white"), ("c", "a", "draw"), ("b", "c", "black")], 1
    ):
        run.add(game, white, black, result)
    fitted = rate(arena.load(run.folder).games[["white", "black", "result", "pair"]], first="black").table
    found = {row["player"]: row["elo"] for row in status(run)["standings"]}
    assert found == pytest.approx(dict(zip(fitted["player"], fitted["elo"], strict=True)))

    reported = "player,games,elo,elo_low,elo_high\na,4,99.5,-99.5,298.5\nb,4,,,\nc,2,,,\n"
    (run.folder / REPORTED).write_text(reported)
    document = status(run)
    assert document["provisional"] is False and PROVISIONAL not in invoke("status", run.folder).stdout
    rows = {row["player"]: (row["elo"], row["elo_low"]) for row in document["standings"]}
    assert rows == {"a": (99.5, -99.5), "b": (None, None), "c": (None, None)}

    (run.folder / REPORTED).write_text("nonsense")
    assert status(run)["provisional"] is True
    run.add(6, "a", "b", "white")
    (run.folder / REPORTED).write_text(reported)
    assert status(run)["provisional"] is True and status(run)["standings"][0]["elo"] != 99.5


@pytest.mark.parametrize("players", ["ab", "abc"])
def test_status_report_rate_and_an_early_end_give_the_same_interval_for_the_same_games(
    tmp_path: Path, players: str
) -> None:
    pairings = list(combinations(players, 2))
    results, number = random.Random(1), itertools.count(1)
    with StoredRun(tmp_path / "out", players, 200) as run:
        for _ in range(MIN_ROUNDS):
            for first, second in pairings:
                for white, black in ((first, second), (second, first)):
                    game = next(number)
                    run.add(game, white, black, results.choice(RESULTS), moves=[str(game)])
    found = {row["player"]: row["elo_high"] - row["elo"] for row in status(run)["standings"]}
    ratings = arena.load(run.folder).ratings.table.set_index("player")
    assert found == pytest.approx((ratings["elo_high"] - ratings["elo"]).to_dict())
    rated = json.loads(invoke("rate", run.folder, "--json").stdout)["players"]
    assert found == pytest.approx({row["player"]: row["error"] for row in rated}, abs=1e-4)
    games = arena.load(run.folder).games
    points = [WHITE_POINTS[result] for result in games["result"]]
    for error, ended in ((max(found.values()) + 1e-3, True), (max(found.values()) - 1e-3, False)):
        batches = Until(error=error).batches(RoundRobin(), list(players), 200, first="black")
        played = BatchResult((white, 1 - black) for white, black in zip(points[::2], points[1::2], strict=True))
        assert len(next(batches)) * 2 == len(games)
        with pytest.raises(StopIteration) if ended else nullcontext():
            batches.send(played)


def test_a_sequential_test_is_told_by_the_pairs_at_the_head_of_the_schedule(tmp_path: Path) -> None:
    settings = {"format": "match", "sprt": {"elo0": 0, "elo1": 50}}
    with StoredRun(tmp_path, "ab", 20, exact=False, **settings) as run:
        assert read_moment(tmp_path).sprt is None
        for game in (1, 2, 4, 5, 6):
            run.add(game, *(("a", "b", "white") if game % 2 else ("b", "a", "black")))
        assert read_moment(tmp_path).sprt == sprt([0, 0, 0, 0, 1], 0, 50)
        run.add(3, "a", "b", "draw")
        moment, state = read_moment(tmp_path), sprt([0, 0, 0, 1, 2], 0, 50)
        assert (moment.sprt, moment.sprt_pairs, status(run)["sprt"]) == (state, 3, state._asdict() | {"pairs": 3})
        assert f"LLR {state.llr:.2f}" in status_line(moment)
        assert f"SPRT: LLR {state.llr:.2f} of −2.94" in invoke("status", run.folder).stdout


@pytest.mark.parametrize("content", ["", "no database at all" * 100])
def test_status_of_what_is_no_run_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    assert str(tmp_path) in refused("status", tmp_path)


# --- status --follow


def test_a_run_that_is_followed_without_a_terminal_gets_lines_until_it_is_complete_then_its_status(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    steps = iter(range(1, 99))

    def play_on(folder: Path) -> Moment:
        if (game := next(steps)) == 6:
            run.ledger.finish([])
        elif game < 6:
            run.add(game, "a", "b", "black", "error", "a raised ValueError at ply 1: no")
        return read_moment(folder)._replace(playing=False)

    monkeypatch.setattr(display, "read_moment", play_on)
    result = invoke("status", run.folder, "--follow")
    assert result.exit_code == 0
    first, second, *lines = result.stdout.splitlines()
    assert first.startswith("a lost ") and "/60 games " in second and "no process is playing it" in second
    assert "5/5 games (100 %), leader b 100.0 %" in lines
    assert [line[:14] for line in lines if " lost " in line] == ["a lost 5 games"]


@pytest.mark.full
def test_following_waits_for_a_run_that_is_not_there_yet_and_ctrl_c_ends_it_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    command = [sys.executable, "-m", "arena", "status", str(folder), "--follow"]

    def waiting() -> subprocess.Popen[str]:
        watching = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert watching.stderr is not None
        assert watching.stderr.readline() == f"waiting for a run in {folder}\n"
        return watching

    with waiting() as watching:
        watching.send_signal(signal.SIGINT)
        assert (*watching.communicate(timeout=60), watching.returncode) == ("", "", 130)
    with waiting() as watching, StoredRun(folder, "ab", 2) as run:
        run.add(1, "a", "b", "white")
        run.ledger.finish([])
        output, errors = watching.communicate(timeout=60)
    assert (watching.returncode, errors) == (0, "")
    assert "1/1 game (100 %), leader a 100.0 %" in output


def test_a_run_that_cannot_be_read_or_is_deleted_is_not_followed_for_ever(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "FRAME_SECONDS", 0.01)
    monkeypatch.setattr(display, "PATIENCE", 0.05)
    monkeypatch.setattr(Progress, "tell", lambda _: run.ledger.path.unlink())
    with pytest.raises(StoreError, match="there is no run"):
        follow(run.folder, print)
    broken = run.folder.with_name("broken")
    broken.mkdir()
    (broken / FILE).write_text("no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be read"):
        follow(broken, print)
