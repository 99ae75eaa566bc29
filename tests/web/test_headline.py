"""What the server says of a game at the board: headline, the line below it, and news read aloud."""

from __future__ import annotations

from typing import Any

import pytest

from arena.board.game import BoardGame
from arena.board.sides import Side, level
from arena.rules.notation import parse_fen
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from arena.web.documents import GameDocuments
from arena.web.headline import headline, hint_text, news, subline
from players.player import HUMAN

ENGLISH = VARIANTS["english"]
PERSON = Side(HUMAN)
NAMES = ("level 3", "human")
MUST_TAKE = "B:W15,16,22:B10,11,12,17"
"""Black has five captures."""


def board_of(fen: str = "", white: Side | None = None) -> BoardGame:
    """A person with Black, by default against a level."""
    return BoardGame(ENGLISH, (white or level(3), PERSON), parse_fen(ENGLISH, fen) if fen else None)


def said(board: BoardGame, **more: Any) -> str:
    documents = GameDocuments(board)
    documents.renew()
    return subline(board, documents.moves, **more)


def test_the_headline_says_whose_move_it_is_and_who_won() -> None:
    board, two = board_of(), board_of(white=PERSON)
    assert headline(board, NAMES) == "Your move" and headline(two, NAMES) == "Black to move"
    board.play(board.game.legal_moves[0])
    assert headline(board, NAMES, is_thinking=True) == "Level 3 is thinking …"
    assert (
        headline(board, NAMES, is_paused=True) == "Paused"
        and said(board, is_paused=True) == "Go on when you like."
    )
    board.resign(BLACK)
    assert headline(board, NAMES) == "You lose" and said(board) == "White wins: Black resigned."
    won = board_of()
    won.resign(WHITE)
    two.resign(BLACK)
    assert headline(won, NAMES) == "You win" and headline(two, NAMES) == "White wins"
    drawn = board_of(white=PERSON)
    drawn.offer_draw(WHITE)
    assert headline(drawn, NAMES) == "Draw"


def test_below_the_headline_stand_failures_findings_and_what_has_to_be_played() -> None:
    assert said(board_of()) == ""
    assert said(board_of(), failure="it broke") == "it broke"
    captures = board_of(MUST_TAKE)
    texts = [captures.game.text(move) for move in captures.game.legal_moves]
    assert len(texts) == 5
    assert said(captures) == f"A capture is compulsory: {', '.join(texts[:4])} …"
    assert said(board_of("B:W5:B28")) == "The only legal move is 28-32."
    found = said(board_of(), findings={"depth": 12, "nodes": 34567})
    assert found.replace("\N{NO-BREAK SPACE}", " ") == "depth 12, 34,567 nodes"


def test_what_was_played_since_is_read_aloud() -> None:
    board = board_of(white=PERSON)
    before = list(board.turns)
    board.play(board.game.move("11-15"))
    documents = GameDocuments(board)
    documents.renew()
    told = news(board, documents.moves, before, "White to move", was_over=False)
    assert told == "Black: 11 to 15. White to move"
    assert news(board, documents.moves, board.turns, "White to move", was_over=False) == ""
    played = list(board.turns)
    board.undo()
    assert news(board, [], played, "Black to move", was_over=False) == "Taken back. Black to move"
    board.offer_draw(BLACK)
    assert news(board, [], [], "Draw", was_over=False) == "Draw. Draw: agreed."
    assert news(board, [], [], "Draw", was_over=True) == ""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "No hint was found in time."),
        ([{"moves": ["11-15", "22-18"], "score": "-0.3"}], "Hint by neural: 11-15, −0.3 for Black"),
        ([{"moves": ["11-15"], "score": ""}], "Hint by neural: 11-15"),
    ],
)
def test_a_hint_says_for_whom_it_is_and_by_whom(lines: list[dict[str, Any]], words: str) -> None:
    hint = {"done": True, "by": "neural", "lines": lines}
    assert hint_text(hint, BLACK) == said(board_of(), hint=hint) == words


def test_a_capture_and_a_crown_are_told() -> None:
    board = board_of("B:W15:B11,K1", white=PERSON)
    board.play(board.game.legal_moves[0])
    documents = GameDocuments(board)
    documents.renew()
    text = news(board, documents.moves, [], "", was_over=False)
    assert text.startswith("Black: 11 takes to 18, takes one piece.")
