"""Tasks over processes: deaths, signals, and what is left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from arena.play.executor import BATCH_SECONDS, WorkerDied, _Batch, _do, _parallel, _Todo, run

SCRIPT = """\
import hashlib
import os
import sys
import time

from arena.commands.common import interruptible
from arena.commands.output import say
from arena.play.executor import run


def native(task):
    print(f"begun {task}\\n", end="", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # native code without the lock of Python


def second(task):
    print(f"begun {task}\\n", end="", flush=True)
    time.sleep(1)
    return task


def short(task):
    time.sleep(0.001)
    return task


if __name__ == "__main__":
    import script

    with interruptible(say) as stopping:
        for record in run(getattr(script, sys.argv[1]), range(10**6), int(sys.argv[2]), stopping):
            if sys.argv[1] != "short":
                print("record", record, flush=True)
    sys.exit(130 if stopping() else 0)
"""
GONE_SECONDS = 3
"""Seconds after which nothing is left of an arena that was killed."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Script:
    """The script above, with processes of its own that can be told from all others."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        (folder / "script.py").write_text(SCRIPT)
        self._mark = f"ARENA_TEST={uuid.uuid4()}"
        path = os.pathsep.join([str(folder), *sys.path])
        self.process = subprocess.Popen(
            [sys.executable, str(folder / "script.py"), *arguments],
            env={**os.environ, "PYTHONPATH": path, "ARENA_TEST": self._mark.partition("=")[2]},
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
        out, error = self.process.communicate(timeout=20)
        return self.process.returncode, out, error

    def left(self) -> dict[int, str]:
        """The command lines of what is still there, by process."""
        return {pid: command for pid, environment, command in processes() if self._mark in environment}

    def gone(self) -> bool:
        """Whether all is gone within GONE_SECONDS."""
        deadline = time.monotonic() + GONE_SECONDS
        while self.left():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def processes() -> Iterator[tuple[int, str, str]]:
    """Number, environment and command line of every process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                environment, command = ((folder / name).read_bytes() for name in ("environ", "cmdline"))
            except OSError:
                continue
            yield int(folder.name), environment.decode(errors="replace"), command.decode(errors="replace")


# deaths


def work(task: tuple[str, Path]) -> str:
    """The kind of a task; `dies` ends its process, `dies once` only the first time."""
    kind, file = task
    if kind == "dies" or (kind == "dies once" and not file.exists()):
        file.touch()
        os._exit(1)
    if kind == "slow":
        time.sleep(1.5 * BATCH_SECONDS)
    return kind


def done(tasks: Iterable[tuple[str, Path]]) -> list[str]:
    return list(run(work, tasks, 2, lambda: False))


@pytest.mark.full
def test_tasks_of_a_worker_that_dies_are_done_again(tmp_path: Path) -> None:
    kinds = [*["fast"] * 40, "dies once", *["slow", "fast"] * 5, "dies once"]
    tasks = [(kind, tmp_path / str(number)) for number, kind in enumerate(kinds)]
    assert sorted(done(tasks)) == sorted(kinds)


@pytest.mark.full
def test_a_task_that_ends_two_workers_is_named_when_all_others_are_done(tmp_path: Path) -> None:
    kinds = [*["fast"] * 5, "dies", *["slow", "fast"] * 3, "dies", "fast"]
    tasks = [(kind, tmp_path / f"{number:02}") for number, kind in enumerate(kinds)]
    found: list[str] = []
    with pytest.raises(WorkerDied, match=r"05 \(and 1 more\)") as caught:
        found.extend(run(work, tasks, 2, lambda: False, lambda task: task[1].name))
    assert sorted(task[1].name for task in caught.value.tasks) == ["05", "12"]
    assert sorted(found) == sorted(kind for kind in kinds if kind != "dies")


@pytest.mark.full
def test_a_task_is_given_up_after_the_second_worker_that_it_ended_alone() -> None:
    todo = _Todo(["good", "bad"], lambda: False)
    todo.died(todo.batch(2), workers=2)
    todo.done(todo.batch(1), 1)
    for deaths in range(2):
        assert not todo.failed, deaths
        todo.died(todo.batch(1), workers=2)
    assert todo.failed == {1: "bad"} and todo.batch(1) == []


@pytest.mark.full
def test_where_every_task_ends_its_worker_only_a_few_are_tried(tmp_path: Path) -> None:
    tasks = [("dies", tmp_path / str(number)) for number in range(1000)]
    with pytest.raises(WorkerDied):
        done(tasks)
    assert 1 <= sum(1 for _ in tmp_path.iterdir()) <= 10


# batches


def test_a_batch_is_left_when_its_time_is_over() -> None:
    tasks = list(enumerate([0.0, 2 * BATCH_SECONDS, 0.0]))
    made = _do(time.sleep, tasks)
    assert len(made.records) == 2 and made.longest >= 2 * BATCH_SECONDS


class Long:
    """An engine of two workers whose tasks take ten seconds each."""

    def workers(self) -> int:
        return 2

    def submit(self, function: object, tasks: list[tuple[int, int]]) -> Future[_Batch]:
        future: Future[_Batch] = Future()
        future.set_result(_Batch(10.0 * len(tasks), 10.0, [task for _, task in tasks]))
        return future


def test_long_tasks_are_not_handed_out_ahead() -> None:
    """At any moment only as many as there are workers are handed out and not handed back."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    todo = _Todo(tasks(), lambda: False)
    for count, _ in enumerate(_parallel(Long(), work, todo), start=1):  # type: ignore[arg-type]
        assert len(taken) <= count + 1


# signals


@pytest.mark.full
@linux
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ([signal.SIGINT, signal.SIGINT], 130),
        ([signal.SIGTERM], 143),
        ([signal.SIGHUP], 129),
        ([signal.SIGINT, signal.SIGTERM], 143),
    ],
)
def test_ctrl_c_twice_and_the_other_signals_end_native_code_at_once(
    tmp_path: Path, workers: int, signals: list[signal.Signals], code: int
) -> None:
    script = Script(tmp_path, "native", str(workers))
    script.begun(workers)
    began = time.monotonic()
    for number in signals:
        script.process.send_signal(number)
        time.sleep(0.1)
    found, _, error = script.ended()
    assert found == code and time.monotonic() - began < 2.5
    assert "Traceback" not in error and script.gone()
    assert ("finishing current games" in error) == (signals[0] == signal.SIGINT)


@pytest.mark.full
@linux
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_finishes_what_is_under_way_and_begins_nothing(tmp_path: Path, workers: int) -> None:
    script = Script(tmp_path, "second", str(workers))
    script.begun(workers)
    script.process.send_signal(signal.SIGINT)
    code, out, error = script.ended()
    assert code == 130 and error == "finishing current games; press Ctrl-C again to stop now\n"
    assert sorted(out.splitlines()) == [f"record {number}" for number in range(workers)]


@pytest.mark.full
@linux
def test_hanging_up_is_ignored_where_it_was_before(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        script = Script(tmp_path, "second", "1")
    finally:
        signal.signal(signal.SIGHUP, before)
    script.begun(1)
    script.process.send_signal(signal.SIGHUP)
    script.process.send_signal(signal.SIGINT)
    assert script.ended()[0] == 130


# kill -9


def killed_at(folder: Path, moments: Iterable[float]) -> Iterator[list[str]]:
    """What is left after GONE_SECONDS of a script killed at each moment, in seconds after its start."""
    for moment in moments:
        script = Script(folder, "short", "3")
        time.sleep(moment)
        script.process.kill()
        script.gone()
        left = script.left()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        script.process.communicate()
        yield list(left.values())


@pytest.mark.full
@linux
def test_nothing_is_left_of_an_arena_that_was_killed_while_its_workers_start(tmp_path: Path) -> None:
    assert list(killed_at(tmp_path, [0.2, 0.4, 0.5, 0.6, 0.8, 2.0])) == [[]] * 6


@linux
@pytest.mark.slow
def test_nothing_is_left_of_an_arena_that_was_killed_at_any_moment(tmp_path: Path) -> None:
    rng = random.Random(1)
    assert list(killed_at(tmp_path, (rng.uniform(0, 2.5) for _ in range(30)))) == [[]] * 30
