"""Words that sentences have in common: counts, signs and likelihood."""

from __future__ import annotations

from collections.abc import Sequence

CERTAIN = 0.975
"""Likelihood of superiority above which a lead is called certain: the 95 % interval excludes 0."""


def counted(n: int, noun: str) -> str:
    """A number of things: "1 game", "2 games"."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def first_few(parts: Sequence[str], total: int) -> str:
    """Parts, and how many more there are: "a; b; and 3 more"."""
    return "; ".join([*parts, *([f"and {total - len(parts)} more"] if total > len(parts) else [])])


def certain_difference(difference: float, error: float) -> str:
    """A difference that its interval sets apart from 0: "12 ± 5 Elo stronger"."""
    return f"{abs(difference):.0f} ± {error:.0f} Elo {'stronger' if difference > 0 else 'weaker'}"
