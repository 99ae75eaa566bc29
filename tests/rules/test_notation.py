"""FEN and the text of moves: what is written is read back, and what cannot be read is refused with a reason."""

from collections.abc import Iterator

import pytest

from arena.rules.move_text import move_text, parse_move, path
from arena.rules.movegen import legal_moves
from arena.rules.moves import sides, target_of
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from tests.helpers import naive
from tests.helpers.command_line import one_line

ENGLISH = VARIANTS["english"]
INTERNATIONAL = VARIANTS["international"]


@pytest.fixture(scope="session")
def sample(played, scattered) -> list[Position]:
    """Positions with quiet moves, and many with captures by several kings."""
    return [*played[::20], *scattered[::10]]


def captures(variant: Variant, positions: list[Position]) -> Iterator[tuple[Position, int]]:
    """Every legal capture, with its position."""
    for position in positions:
        other = sides(position)[1]
        yield from ((position, move) for move in legal_moves(variant.rules, position) if move & other)


def oracle_paths(variant: Variant, position: Position, move: int) -> list[list[naive.Square]]:
    """Every path, as squares, of the captures that capture the same and end on the same square."""
    state = naive.state_of(variant.rules, position)
    own, other = sides(position)
    taken = naive.squares_of(variant.rules, move & other)
    origin = naive.squares_of(variant.rules, move & own)
    target = naive.squares_of(variant.rules, target_of(variant.rules, own, other, move))
    return [
        [capture.origin, *(hop.landing for hop in capture.hops)]
        for capture in naive.captures_from(variant.rules, state, min(origin))
        if {hop.victim for hop in capture.hops} == taken and {capture.hops[-1].landing} == target
    ]


def test_a_position_is_read_back_from_its_fen(variant, played, scattered):
    for position in (*played[::4], *scattered[::4]):
        assert parse_fen(variant, fen(variant, position)) == position


KINGS = "W:W31,32,33,K40:B1,2,3"
SPELLINGS = {
    KINGS: KINGS,
    "W:B1,2,3:W31,32,33,K40": KINGS,
    "w:w31-33,k40:b1-3": KINGS,
    '"W:W31-33,K40:B1-3."': KINGS,
    " W : W 31-33, K40 : B 1-3 ": KINGS,
    "W:W31-33,K40-40:B1-3": KINGS,
    "W:W:W31-33,K40:B1-3": KINGS,  # py-draughts says whose turn it is twice
    '[FEN "W:W:W31-33,K40:B1-3"]': KINGS,
    "W:W31": "W:W31:B",
    "B:BK1-2": "B:W:BK1,K2",
    "?:W31:B1": "W:W31:B1",
    "?:?:W31:B1": "W:W31:B1",
}


@pytest.mark.parametrize(("text", "meaning"), SPELLINGS.items(), ids=SPELLINGS)
def test_a_fen_may_be_spelt_in_many_ways(text, meaning):
    assert fen(INTERNATIONAL, parse_fen(INTERNATIONAL, text)) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "", "W", "?", "W:31", "W:W31:B1:B2", "W:B:W31:B1", "X:W31:B1", "WW:W31:B1", "W:W31:W1", "W:31:B1",
        "W:W31:", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "W:W31,31:B1", "W:W31:B31", "W:W30-33,K31:B1", "W:W0:B1", "W:W49-51:B1", "W:W33-31:B1", "W:W31:B46",
        "W:W31,:B1", "W:WKK31:B1", "W:W31;32:B1", "W:W31-:B1", "W:W31-32-33:B1", "W:Wa1,c2:Bb8", "W:W+31:B1",
        "W:W31-K33:B1", "W:W٣١:B1", "W:W" + "9" * 5000 + ":B1",
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_a_wrong_fen_is_refused_in_one_line(text):
    with pytest.raises(NotationError) as caught:
        parse_fen(INTERNATIONAL, text)
    one_line(caught.value)


def test_a_move_is_read_back_from_its_text(variant, sample):
    for position in sample:
        legal = legal_moves(variant.rules, position)
        texts = [move_text(variant, position, move, legal) for move in legal]
        assert len(set(texts)) == len(texts)
        assert [parse_move(variant, position, text) for text in texts] == legal


def test_a_path_is_one_that_the_oracle_finds(variant, sample):
    numbers = naive.bit_numbers(variant.rules)
    long_paths = 0
    for position, move in captures(variant, sample):
        way = path(variant, position, move)
        paths = oracle_paths(variant, position, move)
        assert way in [[variant.numbers[1 << numbers[square]] for square in squares] for squares in paths]
        long_paths += len(way) > (3 if variant.rules.rows > 6 else 2)
    assert long_paths or variant.rules.one_hop


def test_a_capture_is_read_from_any_of_its_paths_and_from_its_captured_squares(variant, sample):
    numbers = {square: variant.numbers[1 << bit] for square, bit in naive.bit_numbers(variant.rules).items()}
    for position, move in captures(variant, sample[::3]):
        for squares in oracle_paths(variant, position, move):
            text = "x".join(str(numbers[square]) for square in squares)
            if len(squares) > 2:
                assert parse_move(variant, position, text) == move
        way = path(variant, position, move)
        taken = naive.squares_of(variant.rules, move & sides(position)[1])
        ends_and_taken = [way[0], way[-1], *sorted(map(numbers.__getitem__, taken), reverse=True)]
        assert parse_move(variant, position, "x".join(map(str, ends_and_taken))) == move


@pytest.mark.parametrize(
    ("name", "position", "texts"),
    [
        ("english", "W:W26:B14,15,22,23", {"26x17x10", "26x19x10"}),
        ("english", "W:W26:B15,22,23", {"26x17", "26x10"}),
        ("english", "W:WK10:B14,15,22,23", {"10x10"}),
        ("international", "W:WK12:B18,21,28,44", {"12x23x32x16", "12x40x49x16"}),
    ],
)
def test_a_capture_is_written_with_its_path_only_where_its_ends_are_ambiguous(name, position, texts):
    variant = VARIANTS[name]
    parsed = parse_fen(variant, position)
    legal = legal_moves(variant.rules, parsed)
    assert {move_text(variant, parsed, move, legal) for move in legal} == texts


def test_ends_that_fit_two_captures_are_ambiguous_until_more_squares_are_named():
    position = parse_fen(ENGLISH, "W:W26:B14,15,22,23")
    with pytest.raises(NotationError, match=r"26x10.*26x1[79]x10, 26x1[79]x10"):
        parse_move(ENGLISH, position, "26x10")
    left = parse_move(ENGLISH, position, "26x17x10")
    assert parse_move(ENGLISH, position, "26x10x14x22") == parse_move(ENGLISH, position, "26x10x22x14") == left
    assert parse_move(ENGLISH, position, "26x19x10") != left


@pytest.mark.parametrize(
    "text",
    [
        "", "11", "1115", "11-14", "11-15-18", "11-11", "99-1", "15-11", "pass", "foo 11 bar 15", "-11--15.", "x",
        "11-15x", "9" * 5000 + "-1", "0-0", "23-19",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_a_move_that_is_not_legal_is_refused_with_the_legal_ones(text):
    with pytest.raises(NotationError, match=r"9-13, .*11-15"):
        parse_move(ENGLISH, ENGLISH.start, text)
