"""Boards as SVG and as text: every square where its rule set has it, every piece, marks, arrows, the last move."""

import re
from xml.etree import ElementTree

import pytest

from arena import Board, Game
from arena.commands.drawing import show_board
from arena.rules.board import SYMBOLS, UNIT, board_text, corner
from arena.rules.move_text import MoveSquares
from arena.rules.notation import parse_fen, piece_letter
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from tests.helpers.command_line import one_line

ENGLISH = VARIANTS["english"]
SVG = "{http://www.w3.org/2000/svg}"
KINGS = "W:WK1,22,32:B5,K8,12"


def parts(svg: str, name: str) -> list[ElementTree.Element]:
    """The elements of one group of a board."""
    groups = [group for group in ElementTree.fromstring(svg).iter(f"{SVG}g") if group.get("class") == name]
    return [element for group in groups for element in group.iter() if element is not group]


def pieces_drawn(svg: str) -> dict[int, str]:
    letters = {f"#{name}": letter for letter, name in SYMBOLS.items()}
    uses = parts(svg, "board-pieces")
    return {int(use.attrib["data-square"]): letters[use.attrib["href"]] for use in uses}


def pieces_of(variant: Variant, position: Position) -> dict[int, str]:
    letters = {number: piece_letter(position, bit) for bit, number in variant.numbers.items()}
    return {number: letter for number, letter in letters.items() if letter}


def kings_and_men(variant: Variant) -> list[Position]:
    """The start, and a position with kings of both sides if there are kings."""
    positions = [variant.start]
    if variant.rules.promotion:
        positions.append(parse_fen(variant, f"B:W{variant.squares // 2},K1,K7:BK{variant.squares},9,K12"))
    return positions


@pytest.mark.parametrize("name", VARIANTS)
def test_numbers_go_row_by_row_from_a_corner_and_turned_boards_the_other_way(name):
    variant = VARIANTS[name]
    corners = [corner(variant, number)[::-1] for number in range(1, variant.squares + 1)]
    assert corners in (sorted(corners), sorted(corners, reverse=True))
    turned = [corner(variant, number, flip=True) for number in range(1, variant.squares + 1)]
    assert turned == [at[::-1] for at in reversed(corners)]
    assert all((x + y) // UNIT % 2 == (not variant.mirrored) for x, y in turned)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_board_has_every_square_and_every_piece_in_an_svg_and_in_characters(name):
    variant = VARIANTS[name]
    numbers = list(range(1, variant.squares + 1))
    for position in kings_and_men(variant):
        svg = Board(variant, position).svg()
        assert pieces_drawn(svg) == pieces_of(variant, position)
        assert [int(label.text or 0) for label in parts(svg, "board-labels")] == numbers
        assert len(parts(svg, "board-squares")) == 1 + variant.squares
        for flip in (False, True):
            *rows, _ = board_text(variant, position, flip=flip).splitlines()
            squares = re.findall(r"(\d+)(\D)", "".join(f"{row} " for row in rows))
            assert {int(number): piece for number, piece in squares if piece != "."} == pieces_of(
                variant, position
            )
            assert [int(number) for number, _ in squares] == numbers[:: -1 if flip != variant.from_white else 1]


@pytest.mark.parametrize("flip", [False, True])
def test_pieces_stand_on_their_squares(flip):
    uses = parts(Board(ENGLISH, KINGS, flip=flip).svg(), "board-pieces")
    places = {int(use.attrib["data-square"]): (int(use.attrib["x"]), int(use.attrib["y"])) for use in uses}
    assert places == {number: corner(ENGLISH, number, flip) for number in (1, 5, 8, 12, 22, 32)}


def test_an_svg_shows_the_last_move_arrows_and_marks():
    svg = Board(ENGLISH, last=MoveSquares(22, 15, (18,)), arrows=[(9, 14), (22, 15, 8)], marks=[1, 2, 3]).svg()
    assert [element.tag for element in parts(svg, "board-last")] == [f"{SVG}rect", f"{SVG}rect", f"{SVG}path"]
    assert sum(element.tag == f"{SVG}g" for element in parts(svg, "board-arrows")) == 2
    assert len(parts(svg, "board-marks")) == 3
    assert "board-last" not in Board(ENGLISH).svg()


def test_a_users_text_is_escaped_in_an_svg():
    svg = Board(ENGLISH, caption='<script>"&').svg()
    assert "<script>" not in svg and '<script>"&' in "".join(ElementTree.fromstring(svg).itertext())


def test_squares_are_named_as_asked():
    svg = Board("russian", labels="algebraic").svg()
    assert [label.text for label in parts(svg, "board-labels")][:5] == ["b8", "d8", "f8", "h8", "a7"]
    assert parts(Board("russian", labels="none").svg(), "board-labels") == []


def test_a_board_in_characters_has_brackets_around_marks_and_the_last_move():
    text = board_text(ENGLISH, parse_fen(ENGLISH, KINGS), last=MoveSquares(26, 22, ()), marks=[12])
    assert text == (
        "       1W        2.        3.        4.\n"
        "  5b        6.        7.        8B\n"
        "       9.       10.       11.      (12b)\n"
        " 13.       14.       15.       16.\n"
        "      17.       18.       19.       20.\n"
        " 21.      [22w]      23.       24.\n"
        "      25.      [26.]      27.       28.\n"
        " 29.       30.       31.       32w\n"
        "White to move"
    )


@pytest.mark.parametrize("no_color", ["", "1"])
@pytest.mark.parametrize(("columns", "width"), [(50, 50), (49, 40), (40, 40), (39, 30)])
def test_a_board_fits_a_narrow_terminal(monkeypatch, capsys, columns, width, no_color):
    environment = {"FORCE_COLOR": "1", "NO_COLOR": no_color, "COLORTERM": "truecolor", "COLUMNS": str(columns)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    show_board(Board("international", last="31-26", marks=[5]))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) in (width, width - 1, width - 2)
    assert sorted(int(number) for number in re.findall(r"\d+", " ".join(lines))) == list(range(1, 51))


def test_a_game_shows_itself_with_its_last_move():
    game = Game("english")
    assert "[" not in str(game)
    game.push("11-15")
    assert "[15b]" in str(game) and "[11.]" in str(game)
    assert len(parts(game._repr_svg_(), "board-last")) == 2
    assert parts(game.board(arrows=["22-18"], last=None).svg(), "board-last") == []


def test_a_board_is_saved_as_svg_or_text(tmp_path):
    board = Board("italian", arrows=["21-17"])
    board.save(tmp_path / "board.svg")
    assert len(pieces_drawn((tmp_path / "board.svg").read_text())) == 24
    board.save(tmp_path / "board.txt")
    assert (tmp_path / "board.txt").read_text() == f"{board}\n"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Board("english", "W:W40:B1"),
        lambda: Board("english", marks=[33]),
        lambda: Board("english", arrows=["11-51"]),
        lambda: Board("english", arrows=["11"]),
        lambda: Board("english", arrows=[[3]]),
        lambda: Board("english", labels="nubmers"),  # type: ignore[arg-type]
        lambda: Board("english").save("board.png"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(make):
    with pytest.raises(ValueError, match=r".") as raised:
        make()
    one_line(raised.value)
