"""Moves are generated, applied and counted as by the oracle, and as other programs have published."""

import json
from pathlib import Path

import numpy as np
import pytest

from arena.rules.custom import build_variant, sizes_of
from arena.rules.move_text import move_text
from arena.rules.movegen import apply, generate, has_move, legal_moves, perft
from arena.rules.moves import ROOM, sides, target_of, turned
from arena.rules.notation import fen, parse_fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant
from tests.helpers import naive
from tests.helpers.rule_sets import COMPILED, POSITIONS, UNCOMPILED, by_constants, by_values, share

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
    empty = Position(0, 0, 0, WHITE)
    one_sided = [empty, variant.start._replace(black=0), variant.start._replace(white=0, turn=BLACK)]
    one_sided += [position._replace(turn=1 - position.turn) for position in one_sided]
    for position in (*played, *scattered, *one_sided):
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


def board_turned(variant: Variant, position: Position) -> Position:
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
        other_side = board_turned(variant, position)
        assert turned(variant.rules, position) == other_side and turned(variant.rules, other_side) == position
        assert perft(variant, position, 4) == perft(variant, other_side, 4)


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


# --- perft


PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text())["rows"]
ROWS = [row for row in PUBLISHED if row["variant"] != "turkish"]
FOR_THE_ORACLE, QUICK, DEEP = 1_500, 300_000, 1_000_000_000
"""Lines of play that a test of the oracle, a quick and a slow one count at most."""
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['variant']}-{row['fen'][:40]}")


def counts(row, low, high):
    return {depth: nodes for depth, nodes in enumerate(row["nodes"], start=1) if low <= nodes < high}


def check_counts(row, low, high):
    name = row["variant"]
    variant = by_constants(VARIANTS[name]) if name in COMPILED else by_values(build_variant(name))
    position = parse_fen(variant, row["fen"])
    published = counts(row, low, high)
    assert {depth: perft(variant, position, depth) for depth in published} == published
    assert perft(variant, position, 0) == 1


@pytest.mark.compiled
@every_row
def test_perft_is_as_published(row):
    check_counts(row, 0, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if counts(row, QUICK, DEEP)], ids=lambda row: row["variant"])
def test_deep_perft_is_as_published(row):
    check_counts(row, QUICK, DEEP)


@every_row
def test_the_oracles_perft_is_as_published(row):
    variant = build_variant(row["variant"])
    state = naive.state_of(variant.rules, parse_fen(variant, row["fen"]))
    published = counts(row, 0, FOR_THE_ORACLE)
    assert {depth: naive.perft(variant.rules, state, depth) for depth in published} == published


def test_every_rule_set_on_every_size_of_board_has_counts_of_its_start():
    counted = {(by_constants(build_variant(row["variant"])).rules, row["fen"]) for row in ROWS}
    sized = [by_constants(variant) for base in VARIANTS.values() for variant in sizes_of(base)]
    assert len(sized) == 3 * len(VARIANTS) - 1
    lacking = [variant.name for variant in sized if (variant.rules, fen(variant, variant.start)) not in counted]
    assert [name for name in lacking if name not in VARIANTS] == []
