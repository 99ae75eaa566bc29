"""What is going on at a board, in the words of the page: headline, the line below it, and news read aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.base.number import unbroken
from arena.base.wording import counted
from arena.board.entering import legal_line, must_capture
from arena.board.game import BoardGame, Turn
from arena.board.words import ending_text, pass_text, winner_text
from arena.rules.move_text import crowns, move_squares
from arena.rules.position import COLOURS


class Told(NamedTuple):
    """What a window was told of its game."""

    turns: Sequence[Turn] = ()
    is_over: bool = False
    is_hinted: bool = False
    """Whether it was told of a hint for the position."""


def headline(board: BoardGame, names: Sequence[str], *, is_thinking: bool = False, is_paused: bool = False) -> str:
    """Whose move it is, or how the game ended; `names` are those of White's and Black's side."""
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
    return f"{_capital(names[turn])} {'is thinking …' if is_thinking else 'to move'}"


def subline(
    board: BoardGame,
    *,
    failure: str = "",
    hint: Mapping[str, Any] | None = None,
    findings: Mapping[str, int] | None = None,
    is_paused: bool = False,
) -> str:
    """What failed, how it ended, the hint, how deep the search is, what is compulsory: the first of these."""
    if failure:
        return failure
    if board.outcome is not None:
        return f"{ending_text(board.game, board.outcome)}."
    if hint is not None and hint["done"]:
        return hint_text(hint, board.game.turn)
    if findings is not None and findings["depth"]:
        nodes = f"{findings['nodes']:,} nodes" if findings["nodes"] else ""
        return unbroken(", ".join(filter(None, [f"depth {findings['depth']}", nodes])))
    passed = _move_text(board, len(board.turns) - 1) if board.turns and not board.turns[-1].move else ""
    return " ".join(filter(None, [passed, _compulsory(board), "Go on when you like." if is_paused else ""]))


def hint_text(hint: Mapping[str, Any], turn: int) -> str:
    """The move that was found, for whom, and by whom."""
    if not hint["lines"]:
        return "No hint was found in time."
    best = hint["lines"][0]
    score = f", {best['score']} for {COLOURS[turn].capitalize()}" if best["score"] else ""
    return f"Hint by {hint['by']}: {best['moves'][0]['text']}{score}"


def news(board: BoardGame, told: Told, said: str, below: str) -> str:
    """What happened since a window was told, for who does not see the board; "" for nothing.

    `said` is the headline, `below` the line below it if that is a hint.
    """
    before = told.turns
    goes_on = all(turn is then for turn, then in zip(board.turns, before, strict=False))
    words = [_move_text(board, ply) for ply in range(len(before), len(board.turns))] if goes_on else []
    if len(board.turns) < len(before):
        words.append("Taken back.")
    if board.outcome is not None and not told.is_over:
        words += [f"{said}.", f"{ending_text(board.game, board.outcome)}."]
    elif words and board.side.is_person and board.outcome is None:
        words += [said, board.failure or _compulsory(board)]
    if below and not told.is_hinted:
        words.append(below)
    return " ".join(filter(None, words))


def _compulsory(board: BoardGame) -> str:
    """What the person to move can do, where that is little; "" for nothing to say."""
    game = board.game
    if board.side.is_person and (must_capture(game) or len(game.legal_moves) == 1):
        return f"{_capital(legal_line(game))}."
    return ""


def _move_text(board: BoardGame, ply: int) -> str:
    """A move that was played in words: "Black: 11 takes to 18, takes one piece, crowned."."""
    move, (before, after) = board.turns[ply].move, board.game.positions[ply : ply + 2]
    if not move:
        return f"{pass_text(before.turn)}."
    origin, target, captured = move_squares(board.variant, before, move)
    took = f", takes {'one piece' if len(captured) == 1 else counted(len(captured), 'piece')}" if captured else ""
    verb = "takes to" if captured else "to"
    crowned = ", crowned" if crowns(before, after, move) else ""
    return f"{COLOURS[before.turn].capitalize()}: {origin} {verb} {target}{took}{crowned}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
