"""One game between players, some of which do wrong."""

import random
from typing import Any

import numpy as np

from arena.hosting.player_process import begin_game
from arena.ledger.record import GameRecord
from arena.play.match import Task, play
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.variants import Variant
from players.player import Allowance, Choice, Limit, PlayerSpec

LIMITS = {
    "none": Limit(),
    "depth": Limit(depth=3),
    "nodes": Limit(nodes=300),
    "one_node": Limit(nodes=1),
    "seconds": Limit(seconds=0.003),
    "clock": Limit(clock=0.1, increment=0.001),
    "all": Limit(9, 300, 0.003, 0.1, 0.001),
}


def column(record: GameRecord, name: str) -> np.ndarray:
    return record.table()[name]


def task_of(variant: Variant, white: PlayerSpec, black: PlayerSpec, **changes: Any) -> Task:
    opening = fen(variant, changes.pop("opening", variant.start))
    return Task(1, variant, opening, 0, white, black, seed=1, max_plies=150)._replace(**changes)


def assert_plays_games(one: PlayerSpec, variant: Variant) -> None:
    """Games of either colour against random moves, from the start and from elsewhere, by one process."""
    other, process = PlayerSpec("random", "random"), set()
    for number in range(4):
        opening = Game(variant)
        for _ in range(number // 2):
            opening.push(random.Random(number).choice(opening.legal_moves))
        sides = (one, other)[:: 1 if number % 2 else -1]
        record = play(task_of(variant, *sides, opening=opening.position, max_plies=300, seed=number))
        assert record.error == "" and record.termination not in ("error", "time", "illegal_move")
        assert record.plies > 30
        process.add(id(begin_game(one, variant, variant.start, "1", Allowance())))
    assert len(process) == 1


def assert_first_lost(record: GameRecord, what: str, termination: str, reason: str) -> None:
    """The first player, called by what it does, lost for a reason, which is one line."""
    assert (record.result, record.termination) == ("black", termination), record.error
    assert record.error.startswith(f"{what} {reason}") and len(record.error.splitlines()) == 1, record.error


class First:
    """The first legal move."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        return Choice(game.legal_moves[0])


def own(kind: type, name: str = "own", limit: Limit = LIMITS["none"], **options: Any) -> PlayerSpec:
    return PlayerSpec(name, f"{kind.__module__}:{kind.__name__}", limit, options)
