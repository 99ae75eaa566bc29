"""Work in a process of its own, which leaves nothing behind whatever it does, and in a fork in the background."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.base.work import Lost, Stage, run_in_subprocess

ROOT = Path(__file__).parents[2]
SECONDS = 5.0
"""Seconds within which a process is gone."""


def counting(number: int) -> Iterator[Stage | int]:
    yield Stage("counting", 10.0)
    yield from range(number)


def hanging(seconds: float) -> Iterator[Stage | int]:
    """Its process, and a child of it, then a regular expression that takes for ever, without a word to Python."""
    yield os.getpid()
    if not (child := os.fork()):
        time.sleep(100)
    yield child
    yield Stage("hanging", seconds)
    re.match("(a+)+$", "a" * 60 + "b")


def exits() -> Iterator[Stage]:
    yield Stage("exiting", 10.0)
    sys.exit(3)


def dies() -> Iterator[Stage]:
    yield Stage("dying", 10.0)
    os._exit(3)


def crashes() -> Iterator[Stage]:
    yield Stage("crashing", 10.0)
    os.kill(os.getpid(), signal.SIGSEGV)


def raises() -> Iterator[Stage]:
    yield Stage("raising", 10.0)
    raise KeyboardInterrupt


def eats() -> Iterator[Stage | int]:
    yield Stage("eating", 10.0)
    yield len(bytearray(10**11))


def closes() -> Iterator[Stage]:
    yield Stage("closing", 10.0)
    os.closerange(0, 256)
    time.sleep(1000)


def speaks() -> Iterator[str]:
    print("to nobody")
    os.write(2, b"to nobody")
    yield "done"


LOST = {
    exits: "called sys.exit while exiting",
    dies: "ended its process (exit code 3) while dying",
    crashes: "ended its process (SIGSEGV) while crashing",
    raises: "raised KeyboardInterrupt while raising",
    eats: "raised MemoryError while eating",
    closes: "closed its pipe while closing",
}


def is_gone(number: int) -> bool:
    """Whether a process is gone, or is within SECONDS."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_what_is_yielded_comes_without_the_stages():
    assert list(run_in_subprocess(counting, 3)) == [0, 1, 2]


@pytest.mark.parametrize("work", LOST, ids=lambda work: work.__name__)
def test_the_end_of_work_is_told_with_what_it_was_doing(work):
    with pytest.raises(Lost, match=f"^{re.escape(LOST[work])}$"):
        list(run_in_subprocess(work))


def test_work_that_takes_too_long_or_is_given_up_is_ended_with_all_that_it_began():
    work = run_in_subprocess(hanging, 0.2)
    processes = [next(work), next(work)]
    with pytest.raises(Lost, match=r"^did not end within 0.2 s while hanging$"):
        next(work)
    given_up = run_in_subprocess(hanging, 1000.0)
    processes += [next(given_up), next(given_up)]
    given_up.close()
    assert all(map(is_gone, processes))


def test_work_ends_with_the_process_that_asked_for_it():
    code = (
        "from arena.base.work import run_in_subprocess\n"
        f"from {__name__} import hanging\n"
        "for number in run_in_subprocess(hanging, 1000.0):\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        processes = [int(asking.stdout.readline()) for _ in range(2)]
        asking.kill()
    assert all(map(is_gone, processes))


def test_output_of_work_goes_nowhere(capfd):
    assert list(run_in_subprocess(speaks)) == ["done"]
    assert capfd.readouterr() == ("", "")


BACKGROUND = """
import os, sys, time
from arena.base import work
os.sched_getaffinity = lambda _: range(int(sys.argv[1]))
here = os.getpid()

def failing():
    if os.getpid() != here:
        os._exit(0)
    raise OSError("disk full")

def hanging():
    try:
        time.sleep(20)
    except KeyboardInterrupt:
        print("interrupted", flush=True)

with work.in_background(os.getpid) as forked, work.in_background(lambda: b"x" * 10**6) as long:
    print(forked() != here, len(long()))
try:
    with work.in_background(failing) as failed:
        failed()
except OSError as error:
    print(error)
if len(sys.argv) > 2:
    try:
        with work.in_background(hanging):
            time.sleep(0.5)
            raise ValueError
    except ValueError:
        print("raised", flush=True)
    try:
        os.wait()
    except ChildProcessError:
        print("alone")
"""


def in_background(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", BACKGROUND, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_work_in_the_background_is_done_in_a_fork_and_leaves_nothing_behind():
    assert in_background("2", "hang") == ["True 1000000", "disk full", "interrupted", "raised", "alone"]


def test_work_in_the_background_is_done_here_if_there_is_one_core():
    assert in_background("1") == ["False 1000000", "disk full"]
