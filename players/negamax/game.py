"""What a search is told of a game: the positions before, and the moves that only the game knows to be legal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.rules.game import Game
from players.negamax.state import HISTORY


def earlier_positions(game: Game) -> NDArray[np.int64]:
    """The game's positions before this one that a draw may depend on, `int64[n, 4]`, the oldest first."""
    known = min(game.without_progress, HISTORY - 1)
    return np.array(game.positions[-1 - known : -1], np.int64).reshape(known, 4)


def give_moves(game: Game, moves: NDArray[np.int64]) -> int:
    """Write the legal moves into `moves` and return how many; 0 if the generator knows them itself."""
    if not game.variant.king_moves:
        return 0
    count = len(game.legal_moves)
    moves[:count] = game.legal_moves
    return count
