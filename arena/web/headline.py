"""What is going on at a board, in the words of the page: headline, the line below it, and news read aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.base.number import unbroken
from arena.board.entering import legal_line, must_capture
from arena.board.game import MOST_PLIES, BoardGame, Turn
from arena.board.words import ending_text, pass_text, winner_text
from arena.rules.move_text import crowns
from arena.rules.position import COLOURS

COMPILING = "The rules and the search are being compiled: some 20 seconds, the first time only."


def headline(board: BoardGame, *, is_thinking: bool = False, is_paused: bool = False) -> str:
    """Whose move it is, or how the game ended."""
    are_persons = [side.is_person for side in board.sides]
    turn, outcome = board.game.turn, board.outcome
    if outcome is not None:
        if outcome.winner is None or are_persons[0] == are_persons[1]:
            return winner_text(outcome)
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
        return f"{ending_text(board.game, board.outcome)}."
    if len(board.turns) >= MOST_PLIES:
        return f"The game has {MOST_PLIES:,} plies, as many as a game may have here."
    if hint is not None and hint["done"]:
        return _hint_text(hint)
    if found:
        return unbroken(found)
    if is_compiling:
        return COMPILING
    passed = _move_text(board, len(board.turns) - 1) if board.turns and not board.turns[-1].move else ""
    return " ".join(filter(None, [passed, _compulsory(board), "Go on when you like." if is_paused else ""]))


def news(board: BoardGame, before: Sequence[Turn], was_over: bool) -> str:
    """What happened since those turns, for who does not see the board; "" for nothing."""
    goes_on = all(turn is then for turn, then in zip(board.turns, before, strict=False))
    words = [_move_text(board, ply) for ply in range(len(before), len(board.turns))] if goes_on else []
    if len(board.turns) < len(before):
        words.append("Taken back.")
    if board.outcome is not None and not was_over:
        words += [f"{headline(board)}.", f"{ending_text(board.game, board.outcome)}."]
    elif words and board.outcome is None and board.side.is_person:
        words += [f"{headline(board)}.", _compulsory(board)]
    return " ".join(filter(None, words))


def _hint_text(hint: Mapping[str, Any]) -> str:
    if not hint["lines"]:
        return "No hint was found in time."
    best = hint["lines"][0]
    return ", ".join(filter(None, [f"Hint by {hint['by']}: {best['moves'][0]['text']}", best["said"]]))


def _compulsory(board: BoardGame) -> str:
    """What the person to move can do, where that is little; "" for nothing to say."""
    game = board.game
    if board.side.is_person and (must_capture(game) or len(game.legal_moves) == 1):
        return f"{_capital(legal_line(game))}."
    return ""


def _move_text(board: BoardGame, ply: int) -> str:
    """A move that was played in words: "Black 11x18, crowned."."""
    turn, (before, after) = board.turns[ply], board.game.positions[ply : ply + 2]
    if not turn.move:
        return f"{pass_text(before.turn)}."
    crowned = ", crowned" if crowns(before, after, turn.move) else ""
    return f"{COLOURS[before.turn].capitalize()} {turn.text}{crowned}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
