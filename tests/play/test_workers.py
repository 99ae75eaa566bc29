"""Worker processes: deaths, early ends, errors, signals, kills at any moment, and what is left behind."""

import errno
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.commands.waiting import interruptible
from arena.play import processes as processes_module
from arena.play.processes import Chunk, EngineError, Made, Queue
from arena.play.workers import is_here, kept_workers, run
from players.loading import own_code
from players.player import Pause, PlayerSpec
from tests.helpers.tasks import Unreadable, fails, process_of, surroundings, work

SCRIPT = """\
import hashlib
import sys
import time

from arena.commands.output import say
from arena.commands.waiting import interruptible
from arena.play.workers import run


def native(task):
    print(f"begun {task}\\n", end="", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # native code without the lock of Python


def second(task):
    print(f"begun {task}\\n", end="", flush=True)
    time.sleep(3)
    return task


def short(task):
    time.sleep(0.001)
    return task


if __name__ == "__main__":
    import script

    with interruptible(say) as stopping:
        here = sys.argv[2] == "here"
        workers, players = 1 if here else int(sys.argv[2]), [] if here else None
        for record in run(getattr(script, sys.argv[1]), range(10**6), workers, stopping, players):
            if sys.argv[1] != "short":
                print("record", record, flush=True)
    sys.exit(130 if stopping() else 0)
"""
GONE_SECONDS = 60
"""Seconds after which nothing is left of an arena that was killed."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Script:
    """The script above, with processes of its own that can be told from all others."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        """`here` in place of the number of workers is the process of the script itself."""
        (folder / "script.py").write_text(SCRIPT)
        mark = str(uuid.uuid4())
        self._mark = f"ARENA_TEST={mark}"
        path = os.pathsep.join([str(folder), *sys.path])
        self.process = subprocess.Popen(
            [sys.executable, str(folder / "script.py"), *arguments],
            env=os.environ | {"PYTHONPATH": path, "ARENA_TEST": mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def begun(self, count: int) -> None:
        """Wait until so many tasks have begun."""
        assert self.process.stdout is not None
        for _ in range(count):
            line = self.process.stdout.readline()
            if not line.startswith("begun"):
                self.process.kill()
                pytest.fail(f"printed {line!r}")

    def ended(self) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out, error

    def left(self) -> dict[int, str]:
        """The command lines of what is still there, by process."""
        return {pid: command for pid, (environment, command) in processes().items() if self._mark in environment}

    def gone(self) -> bool:
        """Whether all is gone within GONE_SECONDS."""
        deadline = time.monotonic() + GONE_SECONDS
        while self.left():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def processes() -> dict[int, tuple[str, str]]:
    """The environment and the command line of every process, by its number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment, command = ((folder / name).read_text(errors="replace") for name in ("environ", "cmdline"))
            found[int(folder.name)] = environment, command
    return found


# tasks and records


def processes_of(workers: int, tasks: int = 30) -> set[int]:
    return set(run(process_of, range(tasks), workers, lambda: False))


@pytest.mark.full
def test_workers_are_processes_of_their_own_that_end_with_the_call_or_the_block():
    of_threads: list[set[int]] = []
    threads = [threading.Thread(target=lambda: of_threads.append(processes_of(1))) for _ in range(2)]
    for thread in threads:
        thread.start()
    first, second = processes_of(2), processes_of(2)
    for thread in threads:
        thread.join()
    everything = set.union(first, second, *of_threads)
    assert len(everything) == 2 + 2 + 1 + 1 and os.getpid() not in everything
    with kept_workers():
        kept = processes_of(2)
        assert processes_of(2) == kept and processes_of(2, tasks=1) < kept
        os.kill(killed := min(kept), signal.SIGTERM)  # while it is idle
        with suppress(ChildProcessError):  # it was waited for
            os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
        assert len(processes_of(2) & kept) == 1
    everything |= kept
    assert sys.platform != "linux" or not everything & processes().keys()
    assert set(run(process_of, range(3), 1, lambda: False, [])) == {os.getpid()}


def test_one_worker_is_this_process_unless_a_users_code_is_among_the_players(monkeypatch):
    monkeypatch.setattr("arena.play.workers.own_code", own_code)
    greedy, mine = PlayerSpec("greedy", "greedy"), PlayerSpec("mine", "mine.py:Mine")
    assert is_here(1, [greedy, greedy])
    assert not is_here(1, [greedy, mine]) and not is_here(2, [greedy]) and not is_here("tcp://here:8786", [greedy])


@pytest.mark.full
def test_a_daemonic_process_which_may_start_none_plays_by_itself():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(is_here, (2, [PlayerSpec("mine", "mine.py:Mine")]))


@pytest.mark.full
def test_no_task_begins_once_it_is_to_stop(tmp_path):
    drawn: list[int] = []

    def tasks() -> Iterator[tuple[str, Path]]:
        for number in range(20):
            drawn.append(number)
            yield "slow", tmp_path

    ended = list(run(work, tasks(), 2, lambda: len(drawn) >= 6))
    assert len(drawn) == 6 and 2 <= len(ended) <= 6


@pytest.mark.full
def test_what_the_work_raises_comes_out_with_its_place():
    with pytest.raises(ZeroDivisionError) as caught:
        list(run(fails, [1, 0], 2, lambda: False))
    assert "return 1 / task" in str(caught.value.__cause__)


@pytest.mark.full
@pytest.mark.parametrize(
    ("workers", "kinds", "done"), [(1, ["pauses", "slow"], []), (2, ["slow", "pauses"], ["slow"])]
)
def test_after_a_pause_no_task_begins_and_those_under_way_are_done(workers, kinds, done, tmp_path):
    records: list[str] = []
    with pytest.raises(Pause, match=r"^enough$"):
        records.extend(run(work, [(kind, tmp_path) for kind in kinds], workers, lambda: False))
    assert records == done


# deaths


@pytest.mark.full
def test_of_workers_that_die_the_tasks_are_done_again_but_those_that_end_two(tmp_path, capfd):
    kinds = ["fast", "dies once", "fast", "dies", "slow", "dies by a real-time signal once", "dies", "fast"]
    tasks = [(kind, tmp_path / f"{number:02}") for number, kind in enumerate(kinds)]
    records: list[str] = []
    with pytest.raises(EngineError, match=r"0[36].* \(and 1 more\) ended the process of a worker, twice$"):
        records.extend(run(work, tasks, 2, lambda: False))
    assert sorted(records) == sorted(kind for kind in kinds if kind != "dies")
    assert capfd.readouterr() == ("", "")


def test_a_queue_gives_up_a_task_by_its_second_death_alone_and_all_of_them_where_every_worker_dies():
    queue, is_stopped = Queue("abc", lambda: is_stopped), False
    assert queue.take(Chunk("ab"), Made("a", 1.0), 2) == "a"
    queue.take(Chunk("c"), None, 2)
    assert queue.next() == Chunk(["c"], 1) and queue.next() == Chunk(["b"])
    queue.take(Chunk(["c"], 1), None, 2)
    with pytest.raises(EngineError, match=r"^c ended the process of a worker, twice$"):
        queue.end()
    is_stopped = True
    queue.end()
    with pytest.raises(EngineError, match="one after another"):
        deque(queue.take(Chunk("ab"), None, 2) for _ in range(10))


@pytest.mark.full
def test_workers_that_cannot_begin_are_one_line(monkeypatch):
    with pytest.raises(EngineError, match="one after another"):
        list(run(Unreadable(), range(3), 1, lambda: False))
    with monkeypatch.context() as patched:
        patched.setattr("joblib.externals.loky.backend.process.LokyProcess.start", none)
        with pytest.raises(EngineError, match="try fewer workers"):
            list(run(fails, [1], 2, lambda: False))


def none(*_: object) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_a_worker_that_has_grown_by_much_closes_its_players(monkeypatch):
    closed: list[int] = []
    monkeypatch.setattr("arena.hosting.player_process.close_players", lambda: closed.append(1))
    monkeypatch.setattr(processes_module, "_sizes", [])
    for most, count in ((1 << 40, 0), (-(1 << 40), 2)):
        monkeypatch.setattr(processes_module, "_MOST_BYTES", most)
        for _ in range(2):
            processes_module._do(abs, ())
        assert len(closed) == count
    gc.unfreeze()


# one session, several runs

EVALUATION = """\
from arena import evaluator


@evaluator
def plus(position, rules):
    return {worth}.0 + 0.0 * position.turn
"""


@pytest.mark.full
@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.slow), 1])
def test_a_second_run_plays_the_code_that_was_edited_since_the_first(tmp_path, workers):
    file = tmp_path / "mine.py"
    evaluation = f"{file}:plus"
    for worth in (1000, 2000):  # within a second, and of one size
        file.write_text(EVALUATION.format(worth=worth))
        mine = {"name": "mine", "type": "negamax", "evaluation": evaluation, "depth": 1}
        config: dict[str, Any] = {"name": "edited", "variant": "english", "players": [mine, "random"]}
        config |= {"openings": {"random_plies": 2, "count": 1}, "max_plies": 4, "failures": {"faulty": "stop"}}
        played = arena.run(config, tmp_path / str(worth), workers=workers, quiet=True)
        scores = played.moves.query("player == 'mine' and legal_moves > 1")["score"].abs()
        assert set(scores) == {float(worth)}


def test_code_of_the_notebook_itself_is_refused_with_what_to_do():
    players = [{"type": "__main__:Mine"}, {"type": "random"}]
    config = {"name": "mine", "variant": "english", "players": players}
    with pytest.raises(ValueError, match=r"'__main__:Mine' is code of the notebook .* write own\.py:Mine"):
        arena.run(config)


# signals


@pytest.mark.full
@linux
@pytest.mark.parametrize(
    ("signals", "code", "workers"),
    [
        ([signal.SIGINT, signal.SIGINT], 130, "2"),
        ([signal.SIGHUP], 129, "here"),
        ([signal.SIGINT, signal.SIGTERM], 143, "here"),
    ],
)
def test_ctrl_c_twice_and_the_other_signals_end_native_code_at_once(tmp_path, signals, code, workers):
    script = Script(tmp_path, "native", workers)
    script.begun(2 if workers == "2" else 1)
    began = time.monotonic()
    for number in signals:
        script.process.send_signal(number)
        time.sleep(0.1)
    exit_code, _, error = script.ended()
    assert exit_code == code and time.monotonic() - began < 60
    assert "Traceback" not in error and script.gone()
    assert ("finishing current games" in error) == (signals[0] == signal.SIGINT)


@pytest.mark.full
@linux
def test_ctrl_c_finishes_what_is_under_way_and_begins_nothing(tmp_path):
    script = Script(tmp_path, "second", "2")
    script.begun(2)
    script.process.send_signal(signal.SIGINT)
    code, out, error = script.ended()
    assert code == 130 and error == "finishing current games; press Ctrl-C again to stop now\n"
    assert out.count("record") == 2 + out.count("begun")


def test_hanging_up_is_ignored_where_it_was_before():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible(print) as stopping:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stopping()
    finally:
        signal.signal(signal.SIGHUP, before)


# kill -9


@linux
@pytest.mark.full
def test_nothing_is_left_of_an_arena_that_was_killed_while_its_workers_start_or_later(tmp_path):
    for moment in (0.4, 0.8, 2.0):
        script = Script(tmp_path, "short", "3")
        time.sleep(moment)
        script.process.kill()
        script.gone()
        left = script.left()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        script.process.communicate()
        assert not left, moment


# what a worker is told


@pytest.mark.full
def test_a_worker_has_the_variables_of_the_caller_and_no_file_of_its_folder_hides_a_module_of_pythons(
    tmp_path, monkeypatch
):
    """One thread for each library, unless its variable says otherwise."""
    for name in ("PYTHONSAFEPATH", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONWARNINGS", "error::FutureWarning")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for name in ("random", "queue", "types"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = dict(os.environ)
    assert list(run(surroundings, [1], 1, lambda: False)) == [(["", "error::FutureWarning", "3", "1"], False)]
    assert dict(os.environ) == before


@pytest.mark.full
def test_the_callers_filters_variables_and_loggers_are_as_they_were_after_an_import():
    program = (
        "import logging, os, warnings\n"
        "import arena, joblib, numba, pandas\n"
        "def state():\n"
        "    loggers = {name: logging.getLogger(name).level for name in logging.root.manager.loggerDict}\n"
        "    return list(warnings.filters), dict(os.environ), loggers\n"
        "before = state()\n"
        "import arena.play.carry_out, arena.play.cluster\n"
        "after = state()\n"
        "assert before[:2] == after[:2], 'filters or variables'\n"
        "assert before[2].items() <= after[2].items(), 'loggers'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
