"""Clocks: what a move leaves, and by how much it broke its limit."""

from __future__ import annotations

from players.player import Limit


def overrun(limit: Limit, seconds: float) -> float | None:
    """Seconds by which a move of `seconds` broke its limit, 0 if it did not; None without a time limit."""
    longest = limit.longest
    return None if longest is None else max(seconds - longest, 0.0)


def clock_after(limit: Limit, seconds: float) -> float | None:
    """The clock of `limit.clock` after a move of `seconds`: at least 0, and the increment added.

    None without a clock.
    """
    if limit.clock is None:
        return None
    return max(limit.clock - seconds, 0.0) + (limit.increment or 0.0)
