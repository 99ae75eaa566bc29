"""Waiting for what another thread finds, and Ctrl-C meanwhile."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

from arena.commands import waiting


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_ctrl_c_that_takes_longer_than_a_look_is_followed_by_the_next_look():
    found = threading.Event()
    stopped: list[float] = []

    def items() -> Iterator[str]:
        timers.append(interrupt_after(waiting._LOOK_SECONDS / 2))
        timers.append(interrupt_after(20))
        found.wait(60)
        yield "found"

    def stop() -> None:
        stopped.append(time.monotonic())
        time.sleep(2 * waiting._LOOK_SECONDS)

    timers: list[threading.Timer] = []
    seen = []
    for item in waiting.watched(items(), stop, end=TimeoutError("it looks no more")):
        seen.append(item)
        if stopped:
            found.set()
    timers[1].cancel()
    assert len(stopped) == 1
    assert seen[-1] == "found" and None in seen
