"""Certain wins and losses that searches report, against the endgame tables."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from arena.bench.rates import Rate
from arena.rules.endgame.retrograde import make
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import EVALUATORS
from players.loading import PlayerError
from players.player import Choice, Limit, PlayerSpec
from players.table import build_player

PIECES = 4
MOST_DEPTH = 6
_SHARE = 2 / 3
"""Of the pieces that are kings."""


def claims(name: str, searches: int = 1_000_000, seed: int = 0, pieces: int = PIECES) -> Iterator[Rate]:
    """Searches by `full` with each built-in evaluation, of random endings, without tables, to MOST_DEPTH plies.

    A row for each evaluation: searches, and those that report a certain win or loss. Raises ValueError, with the
    position, for one that the tables contradict: the other result, or a win in fewer plies than the quickest.
    """
    variant, rng = VARIANTS[name], random.Random(seed)
    tables = make(variant, pieces)
    usable = [evaluation for evaluation in EVALUATORS if evaluation != "linear"]
    for evaluation in usable:
        certain, began = 0, time.perf_counter()
        spec = PlayerSpec("full", "negamax", Limit(depth=1), {"preset": "full", "evaluation": evaluation})
        try:
            player = build_player(spec, variant)
        except PlayerError:
            continue
        each = searches // len(usable)
        for _ in range(each):
            game, depth = Game(variant, ending(variant, rng, pieces)), rng.randint(1, MOST_DEPTH)
            if game.outcome is not None:
                continue
            choice = player.choose(game, Limit(depth=depth), rng)
            if choice.plies_to_win:
                certain += 1
                value = tables.value(game.position)
                if value is not None and contradicts(choice, value.result, value.plies):
                    where = f"{fen(variant, game.position)} at depth {depth} with {evaluation}"
                    raise ValueError(f"{where}: search {choice.plies_to_win} plies, tables {value}")
        seconds = time.perf_counter() - began
        yield Rate(f"claims: {evaluation}", name, MOST_DEPTH, each, seconds, str(certain), "certain, none wrong")


def contradicts(choice: Choice, result: int, plies: int) -> bool:
    """Whether a search reports a certain win or loss otherwise than tables, or a quicker win than there is."""
    return (choice.plies_to_win > 0) != (result > 0) or result == 0 or abs(choice.plies_to_win) < plies


def ending(variant: Variant, rng: random.Random, most: int) -> Position:
    """A random position of 2 to `most` pieces, some of each side, in which no man stands where it is crowned."""
    rules, bits = variant.rules, list(variant.bits)
    while True:
        pieces = rng.sample(bits, rng.randint(2, most))
        white = sum(bit for bit in pieces[1:] if rng.random() < 1 / 2) | pieces[0]
        kings = sum(bit for bit in pieces if rng.random() < _SHARE)
        black = sum(pieces) & ~white
        if black and not (white & ~kings & rules.top or black & ~kings & rules.bottom):
            return Position(white, black, kings, rng.randint(0, 1))
