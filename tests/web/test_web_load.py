"""How soon programs answer, alone and among many games, and what memory many games take: on idle cores."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import websockets

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


async def play(at: Running, key: str, moves: int, seed: int, pause: float = 0.0) -> list[float]:
    """Play random moves against a player; seconds from each of them to its answer."""
    rng, times = random.Random(seed), list[float]()
    await asyncio.sleep(rng.uniform(0, 2 * pause))
    async with httpx.AsyncClient(base_url=at.base, headers={"X-Arena-Token": at.token}, timeout=60) as client:
        body = {"variant": "english", "white": key, "black": "human"}
        game = (await client.post("/api/games", json=body)).json()["game"]
        address = f"{at.base.replace('http', 'ws')}/api/games/{game}?token={at.token}"
        async with websockets.connect(address, max_size=None) as socket:

            async def state(plies: int) -> dict[str, Any]:
                while True:
                    found: dict[str, Any] = json.loads(await socket.recv())
                    if found["outcome"] or len(found["moves"]) >= plies:
                        return found

            now = await state(0)
            while len(times) < moves and now["legal"]:
                await asyncio.sleep(pause * rng.uniform(0.5, 1.5))
                text, plies = rng.choice(now["legal"])["text"], len(now["moves"])
                began = time.perf_counter()
                await socket.send(json.dumps({"do": "move", "text": text, "version": now["version"]}))
                now = await state(plies + 2)
                times.append(time.perf_counter() - began)
    return times


def test_a_level_of_one_to_six_answers_within_a_tenth_of_a_second(running):
    async def measure() -> None:
        await play(running, "level-1", 2, 0)
        for depth in range(1, 7):
            games = [await play(running, f"level-{depth}", 25, seed) for seed in range(3)]
            times, first = [time for game in games for time in game], max(game[0] for game in games)
            print(f"level {depth}: median {statistics.median(times):.4f} s, 99 % {soon(times, 0.99):.4f}")
            assert soon(times, 0.99) < SOON and first < SOON

    asyncio.run(measure())


def test_memory_is_flat_over_two_hundred_games(running):
    async def measure() -> None:
        keys, grown = ("level-2", "level-4", "strong-0.1s", "greedy"), []
        for number in range(200):
            await play(running, keys[number % 4], 8, number)
            grown.append(running.megabytes)
        print(f"megabytes after every 20th game: {grown[19::20]}")
        assert grown[-1] - grown[79] < FLAT

    asyncio.run(measure())
