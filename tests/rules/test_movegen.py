"""Tests of moves: generated and applied as the oracle does it, on positions from play and on any others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules.custom import build_variant
from arena.rules.move_text import move_text
from arena.rules.movegen import apply, generate, has_move, legal_moves, perft
from arena.rules.moves import ROOM, sides, target_of
from arena.rules.notation import fen, parse_fen
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant
from tests.helpers import naive
from tests.helpers.rule_sets import POSITIONS, UNCOMPILED, by_constants, by_values, share

AS_CONSTANTS = () if UNCOMPILED else ("english", "international", "russian", "frisian")


def meaning(variant: Variant, position: Position, move: int, after: Position) -> naive.Move:
    """The move that an integer means; crowned if a man stands as a king where it arrived."""
    if move == 0:
        return naive.PASS
    rules = variant.rules
    own, other = sides(position)
    target = target_of(variant.rules, own, other, move)
    (origin_square,), (target_square,) = naive.squares_of(rules, move & own), naive.squares_of(rules, target)
    crowned = bool(after.kings & target) and not position.kings & move & own
    return naive.Move(origin_square, target_square, frozenset(naive.squares_of(rules, move & other)), crowned)


def check(variant: Variant, position: Position) -> None:
    """The moves generated are the oracle's, and what they leave is what it leaves."""
    rules = variant.rules
    state = naive.state_of(variant.rules, position)
    moves = legal_moves(rules, position)
    after_moves = [apply(rules, position, move) for move in moves]
    meanings = [meaning(variant, position, *pair) for pair in zip(moves, after_moves, strict=True)]
    assert len(set(meanings)) == len(meanings), fen(variant, position)
    assert set(meanings) == naive.legal_moves(variant.rules, state), fen(variant, position)
    assert perft(variant, position, 1) == len(moves), fen(variant, position)
    assert has_move(rules, position) == bool(moves), fen(variant, position)
    for meant, after in zip(meanings, after_moves, strict=True):
        expected = naive.position_of(variant.rules, naive.play(variant.rules, state, meant))
        assert after == expected, fen(variant, position)


def test_moves_are_generated_and_applied_as_by_the_oracle(variant, played, scattered):
    for position in (*played, *scattered):
        check(variant, position)


STOPPED_MID_CAPTURE = by_values(
    build_variant({"base": "english", "men_capture_backward": True, "promotion": "stops"})
)
"""No rule set of the table has both, so only here could a man that is crowned capture on."""


@pytest.mark.full
@pytest.mark.parametrize("variant", [STOPPED_MID_CAPTURE], ids=["stops"], indirect=True)
def test_a_man_that_captures_backward_stops_where_it_is_crowned(variant, played, scattered):
    position = parse_fen(variant, "W:W11:B6,7")
    legal = legal_moves(variant.rules, position)
    assert [move_text(variant, position, move, legal) for move in legal] == ["11x2"]
    for position in (*played, *scattered):
        check(variant, position)


@settings(max_examples=50)
@given(data=st.data())
def test_moves_of_any_position_are_generated_and_applied_as_by_the_oracle(variant, positions, data):
    """Few, as the scattered ones are many: the empty board, one side without pieces, what else is extreme."""
    check(variant, data.draw(positions))


@pytest.mark.full
@pytest.mark.parametrize("variant", [VARIANTS[name] for name in AS_CONSTANTS], ids=AS_CONSTANTS, indirect=True)
def test_values_and_constants_are_the_same_rules(variant, played, scattered):
    constants, values = by_constants(variant), by_values(variant)
    assert isinstance(constants.rules, Rules) and not isinstance(values.rules, Rules)
    for position in (*played[::4], *scattered[::4]):
        moves = legal_moves(constants.rules, position)
        assert legal_moves(values.rules, position) == moves, fen(variant, position)
        for move in moves:
            assert apply(values.rules, position, move) == apply(constants.rules, position, move)
    assert perft(values, variant.start, 6) == perft(constants, variant.start, 6)


def turned(variant: Variant, position: Position) -> Position:
    """The board rotated by 180 degrees, with the colours swapped."""
    rules = variant.rules
    state = naive.state_of(rules, position)
    pieces = {
        (rules.rows - 1 - row, 2 * rules.per_row - 1 - column): piece._replace(colour=1 - piece.colour)
        for (row, column), piece in state.pieces.items()
    }
    return naive.position_of(rules, naive.State(pieces, 1 - state.turn))


@pytest.mark.compiled
def test_perft_is_the_same_from_the_other_side_of_the_board(variant, played, scattered):
    step = 2 * POSITIONS // share(variant, 200)
    for position in (*played[::step], *scattered[::step]):
        assert perft(variant, position, 4) == perft(variant, turned(variant, position), 4)


@pytest.mark.full
def test_a_full_buffer_raises_and_nothing_behind_it_is_written():
    variant = VARIANTS["international"]
    position = parse_fen(variant, "W:WK46,K47,K48,K49:B12,14,19,22,24,28,33")
    memory = np.full(2 * ROOM, -1, dtype=np.int64)
    with pytest.raises(IndexError, match="the move buffer is full"):
        generate(variant.rules, position, memory[: ROOM - 1], 0)
    assert (memory[ROOM - 1 :] == -1).all()
    with pytest.raises(IndexError, match="more paths than the move buffer has room for"):
        generate(variant.rules, position, np.zeros(ROOM + 3, dtype=np.int64), 0)
