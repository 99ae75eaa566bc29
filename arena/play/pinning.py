"""Pinning: a worker process, with all that it starts, kept to one core."""

from __future__ import annotations

import os
from functools import cache

NUMBER = "ARENA_WORKER"
"""The environment's variable with the number, from 0, of a worker process of this machine."""


@cache
def pin() -> None:
    """Keep this thread, and what it starts, to one of its cores: another for each worker as long as there are.

    A process without a number is the first one. Nothing happens where the system cannot do it.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(os.environ.get(NUMBER, "0")) % len(cores)]})
