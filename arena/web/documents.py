"""A game at the board as the page takes it: JSON documents, values from White's view, and two lines on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from math import isfinite
from typing import Any

from arena.base.number import unbroken, with_minus
from arena.base.wording import counted
from arena.board.game import MOST_PLIES, BoardGame
from arena.board.sides import program_of
from arena.board.words import counts_text, ending_text, legal_line, must_capture, pass_text
from arena.hosting.analysis import Analysis, Findings
from arena.rules.board import LAST, SYMBOLS, UNIT, Board
from arena.rules.game import Game
from arena.rules.move_text import crowns, move_squares, path, paths, square_numbers
from arena.rules.moves import points
from arena.rules.notation import fen, parse_fen, pieces_text
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.result import in_men
from arena.rules.variants import Variant

MOST_PATHS = 16
"""Ways of one capture that a page is sent."""
COMPILING = "The rules and the search are being compiled: some 20 seconds, the first time only."


def position_document(variant: Variant, position: Position) -> dict[str, Any]:
    """A position as FEN and as letters, with the points where the score decides."""
    return {
        "fen": fen(variant, position),
        "pieces": pieces_text(variant, position),
        "points": _points(variant, position),
        "turn": COLOURS[position.turn],
    }


def board_document(variant: Variant, start: str | None = None) -> dict[str, Any]:
    """The empty board as SVG, what a page needs to put pieces on it, and the start position, which may be a FEN.

    Raises ValueError for a wrong FEN, and one with more pieces than the rules give a side.
    """
    empty = Position(0, 0, 0, variant.first)
    return {
        "svg": Board(variant, empty, caption="").svg(None, edges=program_of(variant).numbers_edges),
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
        "start": position_document(variant, variant.start if start is None else placed(variant, start)),
    }


def placed(variant: Variant, text: str) -> Position:
    """The position of a FEN. Raises ValueError for a wrong one, or more pieces than the rules give a side."""
    position = parse_fen(variant, text)
    for colour, pieces in zip(COLOURS, (position.white, position.black), strict=True):
        if pieces.bit_count() > variant.men:
            count = pieces.bit_count()
            raise ValueError(f"{colour} has {count} pieces; in {variant.name} a side has {variant.men} at most")
    return position


def legal_documents(game: Game) -> list[dict[str, Any]]:
    """The legal moves, each with the squares that its piece stands on in turn, in at most MOST_PATHS ways."""
    return [
        {
            "text": game.text(move),
            "paths": list(islice(paths(game.variant, game.position, move), MOST_PATHS)),
            "captured": game.squares(move).captured,
        }
        for move in game.legal_moves
    ]


def value_document(turn: int, score: float | None, plies_to_win: int, man: float | None) -> dict[str, Any]:
    """A value that the side `turn` gives, for a bar and in a sentence; `plies_to_win` is 0 without a certain win.

    `value` is in men, None where it is not known what a man is worth: then the text is in the player's own unit.
    """
    sign = 1 if turn == WHITE else -1
    men = in_men(score, plies_to_win, man)
    value = None if men is None or not isfinite(men) else round(sign * men, 3) + 0.0
    text = sentence = ""
    if plies_to_win:
        winner = WHITE if sign * plies_to_win > 0 else 1 - WHITE
        moves = (abs(plies_to_win) + 1) // 2  # of one side, as board sites count them
        text = f"{'-' if winner else '+'}#{moves}"
        sentence = f"{COLOURS[winner].capitalize()} wins in {counted(moves, 'move')}"
    elif value is not None or (score is not None and isfinite(score)):
        digits = f".{2 if abs(value) < 9.995 else 1}f" if value is not None else ".3g"
        text = format((sign * (score or 0.0) if value is None else value) + 0.0, f"+{digits}")
        sentence = f"{text} for White"
    words = {"text": with_minus(text), "sentence": with_minus(sentence)}
    return {"value": value, "plies_to_win": sign * plies_to_win, **words}


def ply_document(board: BoardGame, ply: int) -> dict[str, Any]:
    """The move after the first `ply` plies, and what its player saw."""
    turn, variant = board.turns[ply], board.variant
    before, after = board.game.positions[ply : ply + 2]
    note = None
    if (thought := turn.thought) is not None:
        choice = thought.choice
        note = value_document(before.turn, choice.score, choice.plies_to_win, thought.man_value)
        note |= {"facts": counts_text(thought), "line": line_steps(thought.line)}
    return {
        "text": turn.text,
        "path": path(variant, before, turn.move),
        "captured": move_squares(variant, before, turn.move).captured,
        "crowned": crowns(before, after, turn.move),
        "points": _points(variant, after),
        "seconds": round(turn.seconds, 3),
        "note": note,
    }


def analysis_document(analysis: Analysis, game: Game, findings: Findings) -> dict[str, Any]:
    """The findings of an analysis of a position."""
    variant, position = game.variant, game.position
    lines = []
    for line in findings.lines:
        value = value_document(game.turn, line.score, line.plies_to_win, analysis.man_value)
        if (known := analysis.known(line)) == "draw":
            value |= {"text": "draw", "sentence": "draw"}
        moves = line_steps(analysis.texts(line))
        lines.append(value | {"known": known, "moves": moves, "path": path(variant, position, line.move)})
    return {
        "depth": max((line.depth for line in findings.lines), default=0),
        "nodes": findings.nodes,
        "seconds": round(findings.seconds, 3),
        "lines": lines,
    }


def line_steps(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The moves of a line, each with the squares on which its piece stands in turn."""
    return [{"text": text, "path": square_numbers(text)} for text in texts]


def _points(variant: Variant, position: Position) -> dict[str, int] | None:
    """Each colour's points, None where the score does not decide."""
    if not variant.rules.score_decides:
        return None
    return dict(zip(COLOURS, points(variant.rules, position), strict=True))


# --- the headline and the line below it


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
    return ", ".join(filter(None, [f"Hint by {hint['by']}: {best['moves'][0]['text']}", best["sentence"]]))


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
