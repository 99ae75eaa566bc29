"""A match on the international board against the engine of dame-rs (PyPI, MIT), where it is installed."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from arena.bench.timing import Row
from arena.experiment.formats.base import Pairing
from arena.experiment.openings.sources import random_openings
from arena.ledger.record import Task
from arena.play.match import play
from arena.ratings.match import summary
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import bit_of
from arena.rules.result import pair_points, pentanomial, points_of
from arena.rules.variants import VARIANTS, Variant
from players.player import Allowance, Choice, Limit, PlayerSpec

VARIANT = "international"


class DameRs:
    """The engine of dame-rs, under the limits of depth, nodes and seconds; its table is `tt` megabytes."""

    def __init__(self, variant: Variant, tt: int = 16) -> None:
        if variant.name != VARIANT:
            raise ValueError(f"dame-rs plays by the {VARIANT} rules only")
        self._dame: Any = import_module("dame")
        self._engine = self._dame.Engine(hash_mb=tt)
        self._per_row = variant.rules.per_row
        self._board: Any = None
        self._pushed: list[int] = []

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Give it the game's start and the moves that are new to it, and take its best move."""
        known = len(self._pushed)
        if self._board is None or game.moves[:known] != self._pushed:
            self._board, self._pushed, known = self._dame.Board(fen(game.variant, game.start)), [], 0
        for move in game.moves[known:]:
            self._board.push(next(theirs for theirs in self._board.legal_moves if self._encoded(theirs) == move))
            self._pushed.append(move)
        found = self._engine.search(self._board, depth=limit.depth, nodes=limit.nodes, time=limit.seconds)
        return Choice(self._encoded(found.best_move), depth=found.depth, nodes=found.nodes)

    def _encoded(self, theirs: Any) -> int:
        """A move of theirs as one of ours; squares count from 1."""
        move = 0
        for square in (theirs.from_square, theirs.to_square, *theirs.captured):
            move |= bit_of(square - 1, self._per_row)
        return move


def against_dame_rs(seconds: float = 0.1, pairs: int = 25, random_plies: int = 4, seed: int = 1) -> Row:
    """Play `full` with `neural` against it, each opening with both colours, at equal seconds per move.

    Openings are random and even in material; neither player stops before its time is over. The row's nodes and
    seconds are those of `full`; its rate is the score of `full`. Raises RuntimeError if a player fails.
    """
    try:
        import_module("dame")
    except ImportError:
        return Row("full - dame-rs", VARIANT, None, 0, 0.0, "", "not measured: dame-rs is not installed")
    variant, limit = VARIANTS[VARIANT], Limit(seconds=seconds)
    full = PlayerSpec("full", "negamax", limit, {"preset": "full", "evaluation": "neural"})
    dame = PlayerSpec("dame-rs", f"{__name__}:DameRs", limit)
    won: list[float] = []
    spent: dict[str, float] = dict.fromkeys((full.name, dame.name), 0.0)
    nodes = dict.fromkeys((full.name, dame.name), 0)
    for pair, opening in enumerate(random_openings(variant, random_plies, pairs, seed)):
        points = []
        for side, (white, black) in enumerate(((full, dame), (dame, full))):
            pairing = Pairing(2 * pair + side + 1, pair + 1, pair + 1, side, 1 - side, pair)
            allowance = Allowance(time_margin=1.0)
            task = Task(pairing, variant, opening.position, white, black, seed, max_plies=300, allowance=allowance)
            record = play(task)
            if record.error:
                raise RuntimeError(record.error)
            points.append(points_of(record.result))
            for ply, row in enumerate(record.table()):
                mover = (white, black)[(ply + opening.position.turn) % 2].name
                spent[mover] += float(row["seconds"])
                nodes[mover] += int(row["nodes"])
        won.append(pair_points(*points))
    counts = pentanomial(won)
    return Row(
        "full - dame-rs",
        VARIANT,
        None,
        nodes[full.name],
        spent[full.name],
        f"{100 * summary(counts).score:.1f} %",
        f"{2 * pairs} games at {seconds:g} s; pairs by points {counts}; dame-rs: {nodes[dame.name]:,} nodes, "
        f"{spent[dame.name]:.1f} s",
    )
