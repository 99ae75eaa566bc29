"""The seconds that a user waits for: the first tournament ever, a match, the verdict after a save."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from arena.base.files import ROOT

MATCH = ("match", "my_heuristic.py:advance@d5", "simple@d5", "--out", "run")
"""100 games."""
_SAVES = 3
_LOOK_SECONDS = 0.005
_MOST_SECONDS = 600.0


def waits(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what is waited for, and how many seconds; `folder` is an empty one to work in.

    Kernels are compiled first, into a folder of their own, so that the first figure is that of a new installation.
    Raises TimeoutError.
    """
    kept = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "compiled")}
    source = ROOT / "arena" / "commands" / "templates" / "my_heuristic.py"
    (folder / source.name).write_bytes(source.read_bytes())
    config = ROOT / "configs" / "quickstart.yaml"
    if config.is_file():  # of a checkout
        yield (
            "quickstart with its report, nothing compiled",
            _seconds(folder, kept, "run", config, "--out", "first"),
        )
    _seconds(folder, kept, *MATCH[:-1], "warm")
    yield "a match of 100 games with its report", _seconds(folder, kept, *MATCH[:-1], "whole")
    yield from _watched(folder, kept)


def _seconds(folder: Path, environment: dict[str, str], *arguments: object) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=_MOST_SECONDS)
    return time.perf_counter() - began


def _watched(folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, float]]:
    """The verdicts of a match with --watch, each of which is on the screen just before the page is written."""
    page, heuristic = folder / "run" / "watch.html", folder / "my_heuristic.py"
    text, began = heuristic.read_text(encoding="utf-8"), time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "arena", *MATCH, "--watch"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as loop:
        try:
            yield "a match of 100 games to its verdict", _until(page.is_file) - began
            for number in range(1, _SAVES + 1):
                before = page.read_bytes()
                began = time.perf_counter()
                heuristic.write_text(text.replace("15 *", f"{15 + number} *"), encoding="utf-8")
                yield f"save {number} to its verdict", _until(partial(_differs, page, before)) - began
        finally:
            loop.send_signal(signal.SIGINT)


def _differs(page: Path, before: bytes) -> bool:
    return page.read_bytes() != before


def _until(is_there: Callable[[], bool]) -> float:
    """The time at which something is there. Raises TimeoutError."""
    last = time.perf_counter() + _MOST_SECONDS
    while not is_there():
        if time.perf_counter() > last:
            raise TimeoutError(f"no verdict within {_MOST_SECONDS:g} s")
        time.sleep(_LOOK_SECONDS)
    return time.perf_counter()
