"""Scores of players as people read them."""

from __future__ import annotations


def score_text(score: float | None, wins_in: int = 0, man: float | None = None) -> str:
    """`+1.25` in men where a man's worth is known, else in the player's unit; `wins in 7`, `loses in 8` plies.

    Empty where there is no score.
    """
    if wins_in:
        return f"{'wins' if wins_in > 0 else 'loses'} in {abs(wins_in)}"
    if score is None:
        return ""
    return f"{round(score / man, 2) + 0.0:+.2f}" if man else f"{score + 0.0:.6g}"
