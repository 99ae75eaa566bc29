"""What a run of many games costs besides playing: its ledger and its report, from games that are made up."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.bench.rates import Rate, three_figures
from arena.experiment.formats.base import Rounds
from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.ledger import FILE, Ledger
from arena.ledger.packing import MOVE_COLUMNS, packed
from arena.ledger.record import GameRecord
from arena.play.schedule import game_of
from arena.rules.notation import fen
from arena.rules.result import RESULTS
from arena.rules.variants import VARIANTS
from players.player import EFFORT

GAMES = 20_000
"""Games of a measurement."""
PLAYERS = 6
PLIES = 65
"""Mean plies of a game, about those of random games of English draughts."""
VARIANT = "english"
KINDS = ("random", "searching")
"""Players that record no more than time, and those that record all that a search counts."""
_TEMPLATES = 500
"""Different games; a run's openings make more of them."""
_SEED = 1

_REPORT = """
import json, resource, sys, time
from arena.report.load import load
from arena.report.write import write
began = time.perf_counter()
write(load(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.perf_counter() - began, peak / (2**20 if sys.platform == "darwin" else 2**10)]))
"""
"""A process of its own: what it takes in memory is the report's alone."""


def volume(games: int = GAMES) -> Iterator[Rate]:
    """Rows for the players of KINDS: what a game takes in the ledger, and the report of all of them.

    A row's nodes are plies.
    """
    for kind in KINDS:
        with TemporaryDirectory() as folder:
            plies, seconds = fill(Path(folder), kind, games)
            size = sum(path.stat().st_size for path in Path(folder).glob(f"{FILE}*"))
            rate, note = f"{three_figures(1e6 * seconds / games)} µs/game", f"{size / games:,.0f} bytes a game"
            yield Rate(f"ledger, {kind}", VARIANT, None, plies, seconds, rate, f"{games:,} games, {note}")
            elapsed, peak = reported(Path(folder))
            rate = f"{three_figures(games / elapsed)} games/s"
            yield Rate(f"report, {kind}", VARIANT, None, plies, elapsed, rate, f"at most {peak:,.0f} MB of memory")


def fill(folder: Path, kind: str, games: int) -> tuple[int, float]:
    """Store so many made-up games in a ledger; returns their plies and the seconds that storing them took."""
    experiment = _experiment(kind)
    names = [player.name for player in experiment.players]
    ties = experiment.format.pairings(names)
    batch = Rounds(ties, range(-(-games // (2 * len(ties)))))
    rng = random.Random(_SEED)
    fields = ["move", *(name for name, _ in MOVE_COLUMNS)]
    made_up = (zip(*_moves(kind, rng), strict=True) for _ in range(_TEMPLATES))
    templates = [packed(dict(zip(fields, columns, strict=True))) for columns in made_up]
    variant = VARIANTS[VARIANT]
    start = fen(variant, variant.start)
    plies, seconds = 0, 0.0
    with Ledger(folder, experiment, RunInfo(games)) as ledger:
        for pairing in (game_of(batch, number) for number in range(1, games + 1)):
            head = pairing.game, pairing.pair, pairing.round, names[pairing.white], names[pairing.black]
            opening = pairing.opening + 1, f"{start}.{pairing.opening + 1}"
            record = _record((*head, *opening, "", ""), rng, *rng.choice(templates))
            began = time.perf_counter()
            ledger.add(record)
            seconds += time.perf_counter() - began
            plies += record.plies
        ledger.finish([])
    return plies, seconds


def reported(folder: Path) -> tuple[float, float]:
    """Seconds that the report of a run takes, and the most memory of its process in MB."""
    done = subprocess.run([sys.executable, "-c", _REPORT, str(folder)], capture_output=True, text=True, check=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def _experiment(kind: str) -> Experiment:
    entry = {"type": "random"} if kind == "random" else {"type": "negamax", "depth": 4}
    document = {
        "name": "volume",
        "variant": VARIANT,
        "seed": _SEED,
        "openings": {"random_plies": 8, "count": 1},
        "max_plies": 300,
        "players": [{"name": f"player-{number}"} | entry for number in range(1, PLAYERS + 1)],
    }
    return Experiment.model_validate(document)


def _record(head: Any, rng: random.Random, plies: int, moves: bytes) -> GameRecord:
    result, seconds, began = rng.choice(RESULTS), 1e-5 * plies, 1.8e9 + rng.random()
    record = GameRecord(*head)._replace(result=result, termination="no_moves")
    record = record._replace(plies=plies, moves=moves, worker=12345, machine="machine")
    return record._replace(seconds=seconds, cpu_seconds=0.9 * seconds, began=began)


def _moves(kind: str, rng: random.Random) -> list[tuple[str | float, ...]]:
    return [_move(kind, rng, ply) for ply in range(rng.randint(PLIES // 2, 3 * PLIES // 2))]


def _move(kind: str, rng: random.Random, ply: int) -> tuple[str | float, ...]:
    """A move's text and its MOVE_COLUMNS."""
    origin = rng.randint(1, 28)
    values: dict[str, float] = dict.fromkeys((name for name, _ in MOVE_COLUMNS), 0)
    values |= {
        "legal_moves": rng.randint(1, 12),
        "pieces": max(24 - ply // 4, 2),
        "seconds": rng.lognormvariate(-13, 0.3),
    }
    values |= dict.fromkeys(("score", "clock", "overrun", "pondered_seconds"), math.nan)
    if kind == "searching":
        nodes = int(rng.lognormvariate(6, 1)) + 8
        counted = {name: nodes // rng.randint(2, 8) for name in EFFORT}
        values |= counted | {"depth": 4, "deepest": rng.randint(4, 12), "nodes": nodes}
        values |= {"seconds": 2e-7 * nodes, "score": round(rng.gauss(0, 50), 2)}
    values["cpu_seconds"] = values["seconds"] + 1e-6 * rng.randint(-2, 2)
    return (f"{origin}-{origin + rng.randint(3, 5)}", *values.values())
