"""Tests of the published programs against slow literal twins, `tests/helpers/published.py`."""

from __future__ import annotations

import math
import random
from functools import cache

import pytest

from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from players.negamax.score import WIN
from players.player import Choice, Limit
from players.published import CheckersAI, Cis300, Game3, Simplified
from tests.helpers import published as twins
from tests.helpers.rule_sets import UNCOMPILED

FEW, MANY = 8, 4 if UNCOMPILED else 100
"""Positions in the quick tier and in the full one."""
games_of_both = pytest.mark.parametrize("number", [FEW, MANY], ids=["few", "many"])


@cache
def open_games(name: str, number: int) -> list[Game]:
    """Random games under way, from the first move to those of few pieces and of kings that go to and fro."""
    found: list[Game] = []
    seed = 0
    while len(found) < number:
        seed += 1
        rng, game = random.Random(seed), Game(name)
        for _ in range(rng.randint(0, 30 if seed % 2 else 120)):
            if game.outcome is not None:
                break
            quiet = seed % 4 == 0 and game.positions[-3:-2] and rng.random() < 0.5
            game.push(back(game) if quiet else rng.choice(game.legal_moves))
        if game.outcome is None and len(game.legal_moves) > 1:
            found.append(game)
    return found


def back(game: Game) -> int:
    """The move that takes back the mover's last one, or else the first."""
    wanted = game.positions[-3]
    for move in game.legal_moves:
        game.push(move)
        is_back = game.position[game.turn ^ 1] == wanted[game.turn ^ 1]
        game.pop()
        if is_back:
            return move
    return game.legal_moves[0]


def chosen(player: Cis300, game: Game, depth: int) -> Choice:
    return player.choose(game, Limit(depth=depth), random.Random(0))


def ends(game: Game, move: int) -> tuple[twins.Square, twins.Square, frozenset[twins.Square]]:
    """The squares of a move, as the board of the program has them."""

    def square(number: int) -> twins.Square:
        row, index = divmod(number - 1, twins.SIZE // 2)
        return row, 2 * index + (row % 2 if game.variant.name == "game3" else 1 - row % 2)

    origin, target, captured = game.squares(move)[:3]
    return square(origin), square(target), frozenset(map(square, captured))


def finite(value: float) -> float:
    """A value as the arena has it where the program's is infinite."""
    return math.copysign(WIN, value) if math.isinf(value) else value
