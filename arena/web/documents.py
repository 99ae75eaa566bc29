"""A game at the board, and what is around it, as the JSON documents that the page takes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import isfinite
from typing import Any

from arena.base.number import with_minus
from arena.board.game import BoardGame, Turn
from arena.board.pdn import pdn_text
from arena.board.published import program_of
from arena.board.sides import Side
from arena.board.words import seen_text
from arena.hosting.analysis import Analysis, Candidate, Findings
from arena.rules.board import LAST, SYMBOLS, UNIT, Board
from arena.rules.custom import build_variant, without_draws
from arena.rules.game import Game
from arena.rules.move_text import crowns, move_squares, path, paths, square_numbers
from arena.rules.notation import fen, pieces_text
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.result import in_men, points
from arena.rules.variants import Variant

MOST_PATHS = 16
"""Ways of one capture that a page is sent."""


def position_document(variant: Variant, position: Position) -> dict[str, Any]:
    """A position as FEN and as letters, with the points where the score decides."""
    return {
        "fen": fen(variant, position),
        "pieces": pieces_text(variant, position),
        "points": _points(variant, position),
        "turn": COLOURS[position.turn],
    }


def side_document(key: str, side: Side) -> dict[str, Any]:
    """A side by its key on offer; `seconds` is the player's limit per move, None without one."""
    spec = side.spec
    has_level = spec is not None and spec.type == "cis300" and key == "cis300"
    name = f"{side.name}, level {spec.limit.depth}" if spec is not None and has_level else side.name
    return {"key": key, "name": name, "person": side.is_person, "seconds": spec and spec.limit.seconds}


def are_draws_off(variant: Variant) -> bool:
    """Whether the rules are a named rule set whose draws are switched off."""
    named = build_variant(variant.unchanged)
    return variant != named and variant == without_draws(named)


def board_document(variant: Variant) -> dict[str, Any]:
    """The empty board as SVG, what a page needs to put pieces on it, and the start position."""
    empty = Position(0, 0, 0, variant.first)
    return {
        "svg": Board(variant, empty, caption="").svg(None, edges=program_of(variant).numbers_edges),
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
        "start": position_document(variant, variant.start),
    }


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


def note_document(turn: int, score: float | None, plies_to_win: int, man: float | None) -> dict[str, Any]:
    """The findings of the mover `turn`, from White's view.

    `value` is in men, `own` in the player's unit where it is not known what a man is worth, `plies_to_win` is 0
    without a certain win.
    """
    sign = 1 if turn == WHITE else -1
    score = None if score is None or not isfinite(score) else float(f"{score:.6g}")
    men = in_men(score, plies_to_win, man)
    return {
        "value": None if men is None else round(sign * men, 3) + 0.0,
        "own": None if score is None or men is not None or plies_to_win else sign * score + 0.0,
        "plies_to_win": sign * plies_to_win,
    }


def turn_document(board: BoardGame, ply: int) -> dict[str, Any]:
    """A move that was played at the board, `ply` plies before it, and what its mover saw."""
    turn, variant = board.turns[ply], board.variant
    before, after = board.game.positions[ply : ply + 2]
    note = None
    if (thought := turn.thought) is not None:
        choice = thought.choice
        note = {
            **note_document(before.turn, choice.score, choice.plies_to_win, thought.man_value),
            "text": with_minus(seen_text(thought)),
            "line": line_steps(thought.line),
        }
    return {
        "text": turn.text,
        "squares": move_squares(variant, before, turn.move)._asdict(),
        "path": path(variant, before, turn.move),
        "pieces": pieces_text(variant, after),
        "turn": COLOURS[after.turn],
        "points": _points(variant, after),
        "crowned": crowns(before, after, turn.move),
        "white": before.turn == WHITE,
        "seconds": round(turn.seconds, 3),
        "note": note,
    }


def ending_document(board: BoardGame) -> dict[str, str] | None:
    """How the game ended, None while it goes on."""
    outcome = board.outcome
    if outcome is None:
        return None
    return {"result": outcome.result, "termination": outcome.termination.value}


def analysis_document(analysis: Analysis, game: Game, findings: Findings) -> dict[str, Any]:
    """The findings of an analysis of a position."""
    return {
        "depth": max((line.depth for line in findings.lines), default=0),
        "nodes": findings.nodes,
        "seconds": round(findings.seconds, 3),
        "lines": [line_document(analysis, game, line) for line in findings.lines],
        "outlook": [
            {
                "text": outlook.text,
                "path": path(game.variant, game.position, outlook.move),
                "known": outlook.known,
                "plies": abs(outlook.plies_to_win or 0),
            }
            for outlook in analysis.outlook()
        ],
    }


def line_document(analysis: Analysis, game: Game, line: Candidate) -> dict[str, Any]:
    """A line of an analysis."""
    return {
        **note_document(game.turn, line.score, line.plies_to_win, analysis.man_value),
        "score": with_minus(analysis.score(line)),
        "known": analysis.known(line),
        "depth": line.depth,
        "moves": line_steps(analysis.texts(line)),
        "path": path(game.variant, game.position, line.move),
    }


def line_steps(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The moves of a line, each with the squares on which its piece stands in turn."""
    return [{"text": text, "path": square_numbers(text)} for text in texts]


def _points(variant: Variant, position: Position) -> dict[str, int] | None:
    """Each colour's points, None where the score does not decide."""
    if not variant.rules.score_decides:
        return None
    return dict(zip(COLOURS, points(variant.rules, position), strict=True))


class GameDocuments:
    """The parts of a game's state that are made once for each version of it."""

    def __init__(self, board: BoardGame) -> None:
        self.start = position_document(board.variant, board.game.start)
        self.moves: list[dict[str, Any]] = []
        """The moves that were played."""
        self.legal: list[dict[str, Any]] = []
        self.pdn = ""
        self._board = board
        self._turns: list[Turn] = []
        """The turns whose documents `moves` are."""
        self._version = -1

    def renew(self) -> None:
        """Make the parts anew if anything happened."""
        board = self._board
        if self._version == board.version:
            return
        self._version = board.version
        same = 0
        for before, turn in zip(self._turns, board.turns, strict=False):
            if before is not turn:
                break
            same += 1
        self._turns = list(board.turns)
        self.moves = self.moves[:same] + [turn_document(board, ply) for ply in range(same, len(board.turns))]
        self.legal, self.pdn = legal_documents(board.game), pdn_text(board)
