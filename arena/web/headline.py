"""What is going on at a board, in the words of the page: headline, the line below it, and news read aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.base.number import unbroken, with_minus
from arena.base.wording import counted
from arena.board.game import BoardGame, Turn
from arena.board.words import ending_text, result_text
from arena.rules.position import COLOURS

MOST_CAPTURES = 4
"""Captures that the line below the headline names."""


def headline(board: BoardGame, names: Sequence[str], *, is_thinking: bool = False, is_paused: bool = False) -> str:
    """Whose move it is, or how the game ended; `names` are those of White's and Black's side."""
    are_persons = [side.is_person for side in board.sides]
    turn, outcome = board.game.turn, board.outcome
    if outcome is not None:
        if outcome.winner is None or are_persons[0] == are_persons[1]:
            return result_text(outcome)
        return "You win" if are_persons[outcome.winner] else "You lose"
    if are_persons[turn]:
        return f"{COLOURS[turn].capitalize()} to move" if all(are_persons) else "Your move"
    if is_paused:
        return "Paused"
    return f"{_capital(names[turn])} {'is thinking …' if is_thinking else 'to move'}"


def subline(
    board: BoardGame,
    moves: Sequence[Mapping[str, Any]],
    *,
    failure: str = "",
    printed: str = "",
    hint: Mapping[str, Any] | None = None,
    findings: Mapping[str, int] | None = None,
    is_paused: bool = False,
) -> str:
    """What failed, how it ended, the hint, how deep the search is, what is compulsory: the first of these.

    `moves` are the documents of the moves that were played, `printed` what the rules' program printed at the end.
    """
    if failure:
        return failure
    if board.outcome is not None:
        return ". ".join(filter(None, [printed, f"{ending_text(board.game, board.outcome)}."]))
    if hint is not None and hint["done"]:
        return hint_text(hint, board.game.turn)
    if findings is not None and findings["depth"]:
        nodes = f"{findings['nodes']:,} nodes" if findings["nodes"] else ""
        return unbroken(", ".join(filter(None, [f"depth {findings['depth']}", nodes])))
    passed = move_text(moves[-1]) if moves and not moves[-1]["squares"]["origin"] else ""
    return " ".join(filter(None, [passed, asked(board, is_paused=is_paused)]))


def asked(board: BoardGame, *, is_paused: bool = False) -> str:
    """What the person to move can do, where that is little; "" for nothing to say."""
    game = board.game
    if board.outcome is not None or not board.side.is_person:
        return "Go on when you like." if is_paused and board.outcome is None else ""
    legal = list(game.legal_moves)
    if legal == [0]:
        all_persons = all(side.is_person for side in board.sides)
        whose = f"{COLOURS[game.turn].capitalize()} has" if all_persons else "You have"
        return f"{whose} no move and must pass."
    texts = [game.text(move) for move in legal]
    if any(game.squares(move).captured for move in legal):
        more = " …" if len(texts) > MOST_CAPTURES else ""
        return f"A capture is compulsory: {', '.join(texts[:MOST_CAPTURES])}{more}"
    return f"The only legal move is {texts[0]}." if len(texts) == 1 else ""


def move_text(move: Mapping[str, Any]) -> str:
    """A move that was played in words: "Black: 11 takes to 18, takes one piece, crowned."."""
    colour = "White" if move["white"] else "Black"
    origin, target, captured = (move["squares"][name] for name in ("origin", "target", "captured"))
    if not origin:
        return f"{colour} has no move and passes."
    took = f", takes {'one piece' if len(captured) == 1 else counted(len(captured), 'piece')}" if captured else ""
    verb = "takes to" if captured else "to"
    return f"{colour}: {origin} {verb} {target}{took}{', crowned' if move['crowned'] else ''}."


def hint_text(hint: Mapping[str, Any], turn: int) -> str:
    """The move that was found, for whom, and by whom."""
    if not hint["lines"]:
        return "No hint was found in time."
    best = hint["lines"][0]
    score = f", {with_minus(best['score'])} for {COLOURS[turn].capitalize()}" if best["score"] else ""
    return f"Hint by {hint['by']}: {best['moves'][0]}{score}"


def news(
    board: BoardGame, moves: Sequence[Mapping[str, Any]], before: Sequence[Turn], said: str, *, was_over: bool
) -> str:
    """What was played since the turns `before`, and how it ended, for who does not see the board; "" for nothing.

    `said` is the headline, `moves` are the documents of the moves that were played.
    """
    goes_on = all(turn is then for turn, then in zip(board.turns, before, strict=False))
    words = [move_text(move) for move in moves[len(before) :]] if goes_on else []
    if len(board.turns) < len(before):
        words.append("Taken back.")
    if board.outcome is not None and not was_over:
        words += [f"{said}.", f"{ending_text(board.game, board.outcome)}."]
    elif words and board.side.is_person and board.outcome is None:
        words += [said, board.failure or asked(board)]
    return " ".join(filter(None, words))


def _capital(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"
