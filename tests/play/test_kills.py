"""SIGKILL at any moment, of the arena, a worker or a process of a seat: nothing is lost, repeated or left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import arena
from arena.base.supervisor import are_supported
from tests.helpers.failing import OWN
from tests.helpers.report_data import repeatable

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not are_supported(), reason="processes are found as on Linux")]

CONFIG = """\
name: kills
variant: english
seed: 3
openings: {random_plies: 4, count: 12}
max_plies: 60
players:
  - {name: random, type: random}
  - {name: depth-3, type: negamax, depth: 3}
  - {name: own, type: "own.py:Slow", depth: 1}
"""
SLOW = """

class Slow(Good):
    def misbehave(self, game):
        time.sleep(0.002)
"""
KILLS, LONGEST_SECONDS, LEFT_SECONDS = 30, 6.0, 3.0


def processes() -> dict[int, tuple[int, str]]:
    """All processes: the parent, and the command, of each."""
    by_number = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            by_number[int(path.name)] = (parent, command)
    return by_number


def below(root: int) -> list[int]:
    """A process and all that descends from it."""
    parents = {number: parent for number, (parent, _) in processes().items()}
    family = [root]
    for number in family:
        family += [child for child, parent in parents.items() if parent == number]
    return [number for number in family if number in parents]


def command(folder: Path, out: str, *more: str) -> list[str]:
    run = ["run", str(folder / "config.yaml"), "--out", str(folder / out), "--no-report", *more]
    return [sys.executable, "-m", "arena", *run]


def untimed(folder: Path) -> list[object]:
    run = arena.load(folder)
    return [repeatable(run.games).to_csv(), repeatable(run.moves).to_csv()]


def test_a_run_killed_at_any_moments_ends_as_one_that_was_not(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN + SLOW)
    (tmp_path / "config.yaml").write_text(CONFIG)
    subprocess.run(command(tmp_path, "whole"), check=True, capture_output=True)
    whole = untimed(tmp_path / "whole")
    rng, begun = random.Random(5), 0
    for number in range(KILLS):
        out = f"killed-{begun}"
        arena_process = subprocess.Popen(
            command(tmp_path, out, "--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(0.0, LONGEST_SECONDS))
        family = below(arena_process.pid)
        victim = arena_process.pid if number % 2 == 0 or not family else rng.choice(family)
        if victim in family:
            os.kill(victim, signal.SIGKILL)
        if victim == arena_process.pid:
            arena_process.wait()
            time.sleep(LEFT_SECONDS)
            alive = processes()
            assert not [alive[pid] for pid in family if pid in alive and str(tmp_path) in alive[pid][1]]
        else:
            assert arena_process.wait(timeout=120) in (0, 3), (victim, family)
        if arena_process.returncode != -signal.SIGKILL:
            if arena_process.returncode == 0:
                assert untimed(tmp_path / out) == whole
            begun += 1
    done = subprocess.run(command(tmp_path, f"killed-{begun}"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert untimed(tmp_path / f"killed-{begun}") == whole
