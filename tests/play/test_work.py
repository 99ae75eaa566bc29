"""Work in a process of its own, which leaves nothing behind whatever it does."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.base.process import ON_LINUX, importing
from arena.base.work import Lost, Stage, run_in_subprocess

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="such processes need Linux")

ROOT = Path(__file__).parents[2]
SECONDS = 5.0
"""Seconds within which a process is gone."""


def hanging(seconds: float) -> Iterator[Stage | int]:
    """Its process, and a child of it, then a regular expression that takes for ever, without a word to Python."""
    yield os.getpid()
    if not (child := os.fork()):
        time.sleep(100)
    yield child
    yield Stage("hanging", seconds)
    re.match("(a+)+$", "a" * 60 + "b")


def ends(stage: str) -> Iterator[Stage | int]:
    """Its process, in one of the ways of LOST."""
    yield Stage(stage, 10.0)
    match stage:
        case "exiting":
            sys.exit(3)
        case "dying":
            os._exit(3)
        case "crashing":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "raising":
            raise KeyboardInterrupt
        case "eating":
            yield len(bytearray(10**11))
        case "closing":
            os.closerange(0, 256)
            yield 0  # to nobody


def speaks() -> Iterator[Stage | str]:
    yield Stage("speaking", 10.0)
    print("to nobody")
    os.write(2, b"to nobody")
    yield "done"


LOST = {
    "exiting": "called sys.exit",
    "dying": "ended its process (exit code 3)",
    "crashing": "ended its process (SIGSEGV)",
    "raising": "raised KeyboardInterrupt",
    "eating": "raised MemoryError",
    "closing": "ended its process (exit code 1)",
}


def is_gone(number: int) -> bool:
    """Whether a process is gone, or is within SECONDS."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_no_process_begins_while_another_thread_imports():
    begun: list[object] = []
    with importing:
        thread = threading.Thread(target=lambda: begun.extend(run_in_subprocess(iter, (1, 2))))
        thread.start()
        thread.join(0.2)
        assert not begun and thread.is_alive()
    thread.join(SECONDS)
    assert begun == [1, 2]


@pytest.mark.parametrize("stage", LOST)
def test_the_end_of_work_is_told_with_what_it_was_doing(stage):
    with pytest.raises(Lost, match=f"^{re.escape(LOST[stage])} while {stage}$"):
        list(run_in_subprocess(ends, stage))


@pytest.mark.full
def test_work_that_takes_too_long_is_given_up_or_has_lost_its_caller_is_ended_with_all_that_it_began():
    work = run_in_subprocess(hanging, 0.2)
    processes = [next(work), next(work)]
    with pytest.raises(Lost, match=r"^did not end within 0.2 s while hanging$"):
        next(work)
    given_up = run_in_subprocess(hanging, 1000.0)
    processes += [next(given_up), next(given_up)]
    given_up.close()
    code = (
        f"from {__name__} import *\n"
        "for number in run_in_subprocess(hanging, 1000.0):\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        processes += [int(asking.stdout.readline()) for _ in range(2)]
        asking.kill()
    assert all(map(is_gone, processes))


def test_what_is_yielded_comes_without_the_stages_and_what_is_printed_goes_nowhere(capfd):
    assert list(run_in_subprocess(speaks)) == ["done"]
    assert capfd.readouterr() == ("", "")
