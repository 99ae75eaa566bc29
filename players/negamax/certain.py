"""Certain wins: in how many plies, as a score of the search says."""

from __future__ import annotations

from players.negamax.score import LIMIT, WIN


def wins_in(score: float) -> int:
    """Plies to the win that a score is, less than 0 to a loss; 0 for one that is neither."""
    if abs(score) <= LIMIT:
        return 0
    plies = round(WIN - abs(score))
    return plies if score > 0 else -plies
