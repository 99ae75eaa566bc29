"""Scores of players as people read them."""

from __future__ import annotations

_WHOLE = 999.5
"""Scores in a player's own unit from which on they are whole numbers."""

MOST_MEN = 50
"""Men beyond which a score is a win that its player counts in a way of its own: no board holds more."""


def in_men(score: float | None, wins_in: int, man: float | None) -> float | None:
    """A score in men, None for a certain win or loss and where it is not known what a man is worth."""
    if score is None or wins_in or not man:
        return None
    return score / man if abs(score / man) <= MOST_MEN else None


def score_text(score: float | None, wins_in: int = 0, man: float | None = None) -> str:
    """`+1.25` in men where a man's worth is known; `wins in 7`, `loses in 8` plies.

    Else it is in the player's unit, with three digits or as a whole number.
    Empty where there is no score.
    """
    if wins_in:
        return f"{'wins' if wins_in > 0 else 'loses'} in {abs(wins_in)}"
    if score is None:
        return ""
    if man:
        return f"{round(score / man, 2) + 0.0:+.2f}"
    return f"{score + 0.0:.3g}" if abs(score) < _WHOLE else f"{score:.0f}"
