"""What workers are given to do, in a module that imports little: each process of theirs loads it."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from arena.play.processes import CHUNK_SECONDS
from players.player import Pause


def work(task: tuple[str, Path]) -> str:
    """The kind of a task; `dies` ends its process, `dies once` only the first time; `pauses` asks for a pause."""
    kind, file = task
    if kind == "dies" or (kind.endswith("once") and not file.exists()):
        file.touch()
        os.kill(os.getpid(), 35 if "signal" in kind else signal.SIGKILL)
    if kind == "pauses":
        raise Pause("enough")
    if kind == "slow":
        time.sleep(1.5 * CHUNK_SECONDS)
    return kind


def process_of(_: int) -> int:
    time.sleep(0.01)
    return os.getpid()


def fails(task: int) -> float:
    return 1 / task


class Unreadable:
    """A function that ends the process that reads it."""

    def __call__(self, task: int) -> int:
        return task

    def __reduce__(self) -> Any:
        return os._exit, (3,)


TOLD = ("PYTHONSAFEPATH", "PYTHONWARNINGS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def surroundings(_: int) -> tuple[list[str], bool]:
    """Variables of a worker, and whether its folder hides modules of Python's."""
    return [os.environ.get(name, "") for name in TOLD], str(Path.cwd()) in sys.path[:-1]
