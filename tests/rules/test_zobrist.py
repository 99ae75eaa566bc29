"""Zobrist keys."""

import random

from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from arena.rules.zobrist import key


def after(variant: Variant, line: str) -> Position:
    game = Game(variant)
    for move in line.split():
        game.push(parse_move(variant, game.position, move))
    return game.position


def test_transposed_move_orders_have_the_same_key() -> None:
    english, international = VARIANTS["english"], VARIANTS["international"]
    assert key(after(english, "9-13 24-20 10-14")) == key(after(english, "10-14 24-20 9-13"))
    one, other = "32-28 17-21 31-27", "31-27 17-21 32-28"
    assert key(after(international, one)) == key(after(international, other))
    assert key(after(international, "31-26 19-23 36-31")) != key(after(international, "31-26 19-23 37-31"))


def test_distinct_positions_have_distinct_keys() -> None:
    rng = random.Random(5)
    seen: set[Position] = set()
    for name in ("english", "international", "russian"):
        for _ in range(40):
            game = Game(VARIANTS[name])
            while game.outcome is None:
                seen.add(game.position)
                seen.add(game.position._replace(turn=1 - game.position.turn))
                game.push(rng.choice(game.legal_moves))
    assert len({key(position) for position in seen}) == len(seen)


def test_a_king_and_a_man_on_a_square_differ_in_key() -> None:
    assert key(Position(1, 4, 0, 0)) != key(Position(1, 4, 1, 0))
    assert key(Position(1, 4, 0, 0)) != key(Position(4, 1, 0, 0))
