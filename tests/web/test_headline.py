"""What the server says of a game at the board: headline, the line below it, and news read aloud."""

from __future__ import annotations

from typing import Any

import pytest

from arena.board.game import BoardGame
from arena.board.sides import Side, level
from arena.rules.notation import parse_fen
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from arena.web.headline import headline, subline
from players.player import HUMAN

ENGLISH, PERSON = VARIANTS["english"], Side(HUMAN)
HINT = {"done": True, "by": "neural", "lines": [{"moves": [{"text": "11-15"}], "said": "+0.30 for White"}]}


def board_of(fen: str = "", white: Side | None = None) -> BoardGame:
    """A person with Black, by default against a level."""
    return BoardGame(ENGLISH, (white or level(3), PERSON), parse_fen(ENGLISH, fen) if fen else None)


@pytest.mark.parametrize(
    ("white", "resigns", "said"),
    [
        *((None, None, "Your move"), (None, BLACK, "You lose"), (None, WHITE, "You win")),
        *((PERSON, None, "Black to move"), (PERSON, BLACK, "White wins")),
    ],
)
def test_the_headline_says_whose_move_it_is_and_who_won(white: Any, resigns: int | None, said: str) -> None:
    board = board_of(white=white)
    if resigns is not None:
        board.resign(resigns)
    assert headline(board) == said


def test_below_the_headline_stand_findings_hints_compilation_and_what_has_to_be_played() -> None:
    assert subline(board_of()) == ""
    assert subline(board_of(), found="depth 12").startswith("depth") and subline(board_of(), is_paused=True)
    assert "11-15, +0.30 for White" in subline(board_of(), hint=HINT)
    assert "compiled" in subline(board_of(), is_compiling=True)
    for fen, words in (("B:W15,16,22:B10,11,12,17", "You must capture: "), ("B:W5:B28", "The only move: 28-32.")):
        assert subline(board_of(fen)).startswith(words)
