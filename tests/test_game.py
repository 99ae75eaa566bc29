"""Tests of games: each way to end is reached at its ply, and what is pushed must be legal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.rules.game import Game, Outcome, Termination, leader_on_points, points
from arena.rules.notation import fen, parse_fen, parse_move
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS, Variant

ENGLISH = VARIANTS["english"]
INTERNATIONAL = VARIANTS["international"]
SIMPLIFIED = VARIANTS["simplified"]


def unrepeated(variant: Variant) -> Variant:
    """The variant without its repetition rule."""
    return replace(variant, draws=variant.draws._replace(repetition=0))


def play(variant: Variant, start: str, moves: str) -> Game:
    """The game of some moves, none of which but the last ends it."""
    game = Game(variant, parse_fen(variant, start))
    for text in moves.split():
        assert game.outcome is None, f"over before {text}"
        game.push(parse_move(variant, game.position, text))
    return game


def test_a_game_begins_at_the_start_position(variant):
    game = Game(variant)
    assert game.position == game.start == variant.start
    assert game.position.turn == variant.first
    assert game.outcome is None
    assert game.moves == []


@pytest.mark.parametrize(
    ("variant", "start", "moves", "outcome"),
    [
        (ENGLISH, "W:W22:B18", "22x15", Outcome(WHITE, Termination.NO_PIECES)),
        (ENGLISH, "B:W23,30:B18", "18-22 30-26 22x31 23-18 31-26 18-14 26-22 14-9 22-18 9-6 18-14 6-2 14-9 2-6 9x2",
         Outcome(BLACK, Termination.NO_PIECES)),
        (INTERNATIONAL, "B:W32,41:B12,23", "23-28 32x23 12-18 23x12", Outcome(WHITE, Termination.NO_PIECES)),
        (ENGLISH, "W:W26,30:B21,17", "26-22 17x26 30x23 21-25 23-18 25-30 18-14 30-25 14-9 25-21 9-5 21-17 5-1"
         " 17-13 1-5 13-9 5x14", Outcome(WHITE, Termination.NO_PIECES)),
        (ENGLISH, "B:W29,25:B18", "18-22 25x18", Outcome(WHITE, Termination.NO_PIECES)),
        (ENGLISH, "W:W13,20:B5,9,12,16", "20x11", None),
        (ENGLISH, "B:W32,28,24:B19", "19-23", None),
        (ENGLISH, "B:W21,17:B9,10,14", "10-15 17x10 15-18 10-6 18-22", None),
        (ENGLISH, "B:W17,21:B13,K14,6", "14-18", Outcome(BLACK, Termination.NO_MOVES)),
    ],
)  # fmt: skip
def test_x(variant, start, moves, outcome):
    print(play(variant, start, moves).outcome)
