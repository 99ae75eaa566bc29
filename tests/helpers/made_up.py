"""Ledgers of many games that are made up."""

from __future__ import annotations

import math
import random
from itertools import islice
from pathlib import Path
from typing import Any

from arena.experiment.model import Experiment
from arena.experiment.schedule import Schedule
from arena.ledger.info import Entrant, RunInfo, session
from arena.ledger.ledger import COMPLETE, Ledger
from arena.ledger.packing import MOVE_COLUMNS, packed
from arena.ledger.record import GameRecord
from arena.rules.notation import fen
from arena.rules.result import RESULTS
from arena.rules.variants import VARIANTS
from players.player import EFFORT

PLAYERS = 6
PLIES = 65
"""Mean plies of a game, about those of random games of English draughts."""
TEMPLATES = 500
"""Different games; a run's openings make more of them."""


def fill(folder: Path, kind: str, games: int) -> None:
    """Store so many games in a ledger, of players that are `random` or `searching`."""
    rng = random.Random(1)
    fields = ["move", *(name for name, _ in MOVE_COLUMNS)]
    made_up = (zip(*_moves(kind, rng), strict=True) for _ in range(min(TEMPLATES, games)))
    templates = [packed(dict(zip(fields, columns, strict=True))) for columns in made_up]
    english = VARIANTS["english"]
    start, pairings = fen(english, english.start), PLAYERS * (PLAYERS - 1) // 2
    openings = tuple(f"{start}.{number}" for number in range(-(-games // (2 * pairings))))
    of = experiment(kind, len(openings))
    info = RunInfo({player.name: Entrant(player.name) for player in of.players}, openings, games)
    schedule = Schedule(of, info.hashes, openings, {})
    with Ledger(folder, of, info) as ledger:
        ledger.begin(info, session(0, 1))
        for game in islice(schedule.games(), games):
            names = of.players[game.white].name, of.players[game.black].name
            ledger.add(_record((game.key, *names, openings[game.opening], 0, "", ""), rng, *rng.choice(templates)))
        ledger.put(COMPLETE, True)


def experiment(kind: str, openings: int = 1) -> Experiment:
    entry = {"type": "random"} if kind == "random" else {"type": "negamax", "depth": 4}
    document = {
        "name": "volume",
        "variant": "english",
        "seed": 1,
        "openings": {"random_plies": 8, "count": openings},
        "max_plies": 300,
        "players": [{"name": f"player-{number}"} | entry for number in range(1, PLAYERS + 1)],
    }
    return Experiment.model_validate(document)


def _record(head: Any, rng: random.Random, plies: int, moves: bytes) -> GameRecord:
    result, seconds, began = rng.choice(RESULTS), 1e-5 * plies, 1.8e9 + rng.random()
    record = GameRecord(*head)._replace(result=result, termination="no_moves")
    record = record._replace(plies=plies, moves=moves, worker=12345, machine="machine", line=rng.getrandbits(60))
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
