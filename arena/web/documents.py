"""A game at the board, and what is around it, as the JSON documents that the page takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from arena.hosting.analysis import Analysis, Candidate, Findings
from arena.rules.board.svg import LAST, SYMBOLS, UNIT, board_svg
from arena.rules.game import Game
from arena.rules.move_text import move_squares, path, paths
from arena.rules.moves import sides
from arena.rules.notation import fen, piece_letter
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.result import score_text
from arena.rules.variants import Variant
from arena.sitting.search import Thought
from arena.sitting.sitting import Sitting
from arena.sitting.turn import Turn
from arena.sitting.words import ending_text, figures
from players.player import Choice

MOST_PATHS = 16
"""Ways of one capture that a page is sent."""


def pieces_text(variant: Variant, position: Position) -> str:
    """A letter a square in the order of their numbers: `w W b B`, `.` where nothing stands."""
    return "".join(piece_letter(position, bit) or "." for bit in variant.bits)


def position_document(variant: Variant, position: Position) -> dict[str, Any]:
    """A position as FEN and as letters."""
    return {
        "fen": fen(variant, position),
        "pieces": pieces_text(variant, position),
        "turn": COLOURS[position.turn],
    }


def board_document(variant: Variant) -> dict[str, Any]:
    """The empty board as SVG, what a page needs to put pieces on it, and the start position."""
    empty = Position(0, 0, 0, variant.first)
    return {
        "svg": board_svg(variant, empty),
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
        "start": position_document(variant, variant.start),
    }


def legal_documents(game: Game) -> list[dict[str, Any]]:
    """The legal moves, each with the squares that its piece stands on in turn, in at most MOST_PATHS ways."""
    found = []
    for move in game.legal_moves:
        squares = game.squares(move)
        if not squares.origin:
            ways: list[list[int]] = [[]]
        elif squares.captured:
            numbers = game.variant.numbers
            ways = [
                [numbers[bit] for bit in way]
                for way in islice(paths(game.variant, game.position, move), MOST_PATHS)
            ]
        else:
            ways = [[squares.origin, squares.target]]
        found.append({"text": game.text(move), "paths": ways, "captured": squares.captured})
    return found


def turn_document(sitting: Sitting, ply: int, figures: Sequence[str] = ()) -> dict[str, Any]:
    """A move that was played, `ply` plies before it, and the position after it."""
    turn, variant = sitting.turns[ply], sitting.variant
    before, after = sitting.game.positions[ply : ply + 2]
    return {
        "text": turn.text,
        "squares": move_squares(variant, before, turn.move)._asdict(),
        "path": first_path(variant, before, turn.move),
        "pieces": pieces_text(variant, after),
        "crowned": _crowned(before, after, turn.move),
        "seconds": round(turn.seconds, 3),
        "note": None if turn.thought is None else _note(turn.thought, before.turn, figures),
    }


def first_path(variant: Variant, position: Position, move: int) -> list[int]:
    """The squares that a move's piece stands on one after another; none for a pass."""
    squares = move_squares(variant, position, move)
    if not squares.captured:
        return [squares.origin, squares.target] if squares.origin else []
    return [variant.numbers[bit] for bit in path(variant, position, move)]


def ending_document(sitting: Sitting) -> dict[str, str] | None:
    """How the game ended, None while it goes on."""
    outcome = sitting.outcome
    if outcome is None:
        return None
    return {
        "result": outcome.result,
        "termination": outcome.termination.value,
        "text": ending_text(sitting.game, outcome),
    }


def thinking_document(found: Choice) -> dict[str, Any]:
    """What a search under way has found."""
    return {
        "type": "thinking",
        "depth": found.depth,
        "nodes": found.nodes,
    }


def analysis_document(analysis: Analysis, game: Game, findings: Findings, ply: int) -> dict[str, Any]:
    """What an analysis has found of the position after so many plies."""
    return {
        "type": "analysis",
        "ply": ply,
        "depth": max((line.depth for line in findings.lines), default=0),
        "nodes": findings.nodes,
        "seconds": round(findings.seconds, 3),
        "lines": [line_document(analysis, game, line) for line in findings.lines],
    }


def line_document(analysis: Analysis, game: Game, line: Candidate) -> dict[str, Any]:
    """A line of an analysis; `value` and `wins_in` are from White's view."""
    return {
        "score": score_text(line.score, line.wins_in, analysis.man),
        "value": _value(line.score, line.wins_in, analysis.man, game.turn),
        "wins_in": line.wins_in if game.turn == WHITE else -line.wins_in,
        "depth": line.depth,
        "moves": analysis.texts(line),
        "path": first_path(game.variant, game.position, line.move),
    }


def _note(thought: Thought, turn: int, figures: Sequence[str]) -> dict[str, Any]:
    choice = thought.choice
    return {
        "score": thought.score,
        "value": _value(choice.score, choice.wins_in, thought.man, turn),
        "wins_in": choice.wins_in if turn == WHITE else -choice.wins_in,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "cutoffs": choice.cutoffs_max + choice.cutoffs_min,
        "seconds": round(thought.seconds, 4),
        "line": thought.line,
        "figures": list(figures),
    }


def _value(score: float | None, wins_in: int, man: float | None, turn: int) -> float | None:
    """A score in men from White's view; None for a certain win, and where it or a man's worth is not known."""
    if score is None or man is None or wins_in:
        return None
    return round(score / man if turn == WHITE else -score / man, 3) + 0.0


def _crowned(before: Position, after: Position, move: int) -> bool:
    """Whether a man became a king by the move."""
    own, _ = sides(before)
    return after.kings.bit_count() > (before.kings & ~move).bit_count() + bool(before.kings & own & move)


class SittingDocuments:
    """The documents of a game's moves, each made once."""

    def __init__(self, sitting: Sitting) -> None:
        self.start = position_document(sitting.variant, sitting.game.start)
        self._sitting = sitting
        self._turns: list[tuple[Turn, dict[str, Any]]] = []
        """The moves that were played, and their documents."""
        self._legal: tuple[int, list[dict[str, Any]]] = (-1, [])
        """The version of the game that the legal moves are of, and their documents."""

    def legal(self) -> list[dict[str, Any]]:
        """Those of the legal moves."""
        if self._legal[0] != self._sitting.version:
            self._legal = self._sitting.version, legal_documents(self._sitting.game)
        return self._legal[1]

    def turns(self) -> list[dict[str, Any]]:
        """Those of the moves that were played."""
        turns = self._sitting.turns
        kept = 0
        for (known, _), turn in zip(self._turns, turns, strict=False):
            if known is not turn:
                break
            kept += 1
        del self._turns[kept:]
        for ply in range(kept, len(turns)):
            printed = figures(turns[ply], self._sitting.game.positions[ply], self._sitting.variant)
            self._turns.append((turns[ply], turn_document(self._sitting, ply, printed)))
        return [document for _, document in self._turns]
