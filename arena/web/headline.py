"""What is going on at a board, in the words of the page: the headline and the line below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.base.number import unbroken
from arena.board.entering import legal_line, must_capture
from arena.board.game import MOST_PLIES, BoardGame
from arena.board.words import ending_text, pass_text
from arena.rules.position import COLOURS

COMPILING = "The rules and the search are being compiled: some 20 seconds, the first time only."


def headline(board: BoardGame, *, is_thinking: bool = False, is_paused: bool = False) -> str:
    """Whose move it is, or how the game ended."""
    are_persons = [side.is_person for side in board.sides]
    turn, outcome = board.game.turn, board.outcome
    if outcome is not None:
        if outcome.winner is None:
            return "Draw"
        if are_persons[0] == are_persons[1]:
            return f"{COLOURS[outcome.winner].capitalize()} wins"
        return "You win" if are_persons[outcome.winner] else "You lose"
    if are_persons[turn]:
        return f"{COLOURS[turn].capitalize()} to move" if all(are_persons) else "Your move"
    if is_paused:
        return "Paused"
    return f"{_capital(board.side.name)} {'is thinking …' if is_thinking else 'to move'}"


def subline(
    board: BoardGame,
    *,
    hint: Mapping[str, Any] | None = None,
    found: str = "",
    is_compiling: bool = False,
    is_paused: bool = False,
) -> str:
    """What failed, how it ended, the hint, how deep the search is, what is compulsory: the first of these."""
    if board.failure:
        return board.failure
    if board.outcome is not None:
        return f"{ending_text(board.outcome)}."
    if len(board.turns) >= MOST_PLIES:
        return f"The game has {MOST_PLIES:,} plies, as many as a game may have here."
    if hint is not None and hint["done"]:
        return _hint_text(hint)
    if found:
        return unbroken(found)
    if is_compiling:
        return COMPILING
    game = board.game
    passed = f"{pass_text(1 - game.turn)}." if board.turns and not board.turns[-1].move else ""
    is_compulsory = board.side.is_person and (must_capture(game) or len(game.legal_moves) == 1)
    compulsory = f"{_capital(legal_line(game))}." if is_compulsory else ""
    return " ".join(filter(None, [passed, compulsory, "Go on when you like." if is_paused else ""]))


def _hint_text(hint: Mapping[str, Any]) -> str:
    if not hint["lines"]:
        return "No hint was found in time."
    best = hint["lines"][0]
    return ", ".join(filter(None, [f"Hint by {hint['by']}: {best['moves'][0]['text']}", best["said"]]))


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
