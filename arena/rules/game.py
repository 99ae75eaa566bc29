"""Game: a position with its history, and the ways in which a game ends."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import NamedTuple

from arena.rules.movegen import apply, generate, new_buffer, sides
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import Variant

_BUFFER = new_buffer()


class Termination(StrEnum):
    """Why a game ended."""

    NO_PIECES = "no_pieces"
    """The side to move has no pieces and loses."""
    NO_MOVES = "no_moves"
    """The side to move has no legal move and loses."""
    POINTS = "points"
    """Nobody can move; the points decide."""
    REPETITION = "repetition"
    """The same position with the same side to move occurred as often as the draw rule says."""
    NO_PROGRESS = "no_progress"
    """The draw rule's number of plies passed without a capture or a man's move."""
    MAX_PLIES = "max_plies"
    """The arena's own limit: the game is adjudicated a draw."""
    ILLEGAL_MOVE = "illegal_move"
    """A player returned a move that is not legal and loses."""
    ERROR = "error"
    """A player raised an exception and loses."""


class Outcome(NamedTuple):
    """How a game ended; `winner` is WHITE, BLACK or None for a draw."""

    winner: int | None
    termination: Termination

    @property
    def result(self) -> str:
        """The result in PDN: `1-0`, `0-1` or `1/2-1/2`, White first."""
        return {WHITE: "1-0", BLACK: "0-1", None: "1/2-1/2"}[self.winner]


class Game:
    """A game in progress: `position`, its `legal_moves`, the `moves` played, and `outcome` once it is over."""

    def __init__(self, variant: Variant, position: Position | None = None) -> None:
        self.variant = variant
        self.start = variant.start if position is None else position
        self.moves: list[int] = []
        self._seen: Counter[Position] = Counter()
        self._quiet = 0
        self._enter(self.start)

    def push(self, move: int) -> None:
        """Play a move. Raises ValueError if it is not legal."""
        if move not in self.legal_moves:
            raise ValueError(f"{move} is not a legal move")
        before = self.position
        own, other = sides(before)
        progress = move & other or move & own & ~before.kings
        self._quiet = 0 if progress else self._quiet + 1
        self.moves.append(move)
        self._enter(apply(self.variant.constants, before, move))

    def _enter(self, position: Position) -> None:
        self.position = position
        end = generate(self.variant.constants, position, _BUFFER, 0)
        self.legal_moves: list[int] = _BUFFER[:end].tolist()
        self._seen[position] += 1

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        rules, draws, position = self.variant.rules, self.variant.draws, self.position
        own, _ = sides(position)
        if not self.legal_moves and rules.score_decides:
            return Outcome(leader_on_points(self.variant, position), Termination.POINTS)
        if not own:
            return Outcome(1 - position.turn, Termination.NO_PIECES)
        if not self.legal_moves:
            return Outcome(1 - position.turn, Termination.NO_MOVES)
        if draws.repetition and self._seen[position] >= draws.repetition:
            return Outcome(None, Termination.REPETITION)
        if draws.no_progress and self._quiet >= draws.no_progress:
            return Outcome(None, Termination.NO_PROGRESS)
        return None


def points(variant: Variant, position: Position, colour: int) -> int:
    """A side's points where the score decides: 2 for a piece on its far row, 1 for any other."""
    pieces, far = (
        (position.white, variant.rules.top) if colour == WHITE else (position.black, variant.rules.bottom)
    )
    return pieces.bit_count() + (pieces & far).bit_count()


def leader_on_points(variant: Variant, position: Position) -> int | None:
    """The colour with more points, None if they are equal."""
    white, black = points(variant, position, WHITE), points(variant, position, BLACK)
    return None if white == black else WHITE if white > black else BLACK
