"""How soon programs answer, alone and among many games, and what memory many games take: on idle cores."""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import websockets

from tests.helpers.web_server import Window

pytestmark = [pytest.mark.compiled, pytest.mark.slow]
SOON = 0.1
"""Seconds from the click to the program's move."""
FLAT = 60
"""Megabytes that memory may grow by, when the memory is there that is kept for players to come."""


class Running(NamedTuple):
    """`arena serve` in a process of its own."""

    base: str
    token: str
    pid: int

    @property
    def megabytes(self) -> int:
        """Its memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))


@pytest.fixture
def running() -> Iterator[Running]:
    command = [sys.executable, "-m", "arena", "serve", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base, _, token = process.stdout.readline().strip().partition("/?token=")
        yield Running(base, token, process.pid)
        process.send_signal(2)
        assert process.wait(10) == 0


def soon(times: Sequence[float], share: float) -> float:
    """The time that a share of them does not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


def play(at: Running, key: str, moves: int, seed: int) -> list[float]:
    """Play random moves against a player; seconds from each of them to its answer."""
    body = {"variant": "english", "white": key, "black": "human"}
    headers = {"X-Arena-Token": at.token}
    game = httpx.post(f"{at.base}/api/games", json=body, headers=headers, timeout=60).json()["game"]
    address = f"{at.base.replace('http', 'ws')}/api/games/{game}?token={at.token}"
    return asyncio.run(answers(address, moves, random.Random(seed)))


async def answers(address: str, moves: int, rng: random.Random) -> list[float]:
    times = list[float]()
    async with websockets.connect(address, max_size=None) as socket:
        seen = Window(socket)
        state = await seen.next()
        while len(times) < moves and state["legal"]:
            began = time.perf_counter()
            await seen.ask("move", text=rng.choice(state["legal"])["text"])
            while not state["outcome"] and len(state["moves"]) < 2 * len(times) + 2:
                state = await seen.next()
            times.append(time.perf_counter() - began)
    return times


def test_a_level_of_one_to_six_answers_within_a_tenth_of_a_second(running):
    play(running, "level-1", 2, 0)
    for depth in range(1, 7):
        games = [play(running, f"level-{depth}", 25, seed) for seed in range(3)]
        times, first = [time for game in games for time in game], max(game[0] for game in games)
        print(f"level {depth}: median {statistics.median(times):.4f} s, 99 % {soon(times, 0.99):.4f}")
        assert soon(times, 0.99) < SOON and first < SOON


def test_memory_is_flat_over_two_hundred_games(running):
    keys, grown = ("level-2", "level-4", "strong-0.1s", "greedy"), []
    for number in range(200):
        play(running, keys[number % 4], 8, number)
        grown.append(running.megabytes)
    print(f"megabytes after every 20th game: {grown[19::20]}")
    assert grown[-1] - grown[79] < FLAT
