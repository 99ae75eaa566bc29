"""What ratings on one line cannot express, in words: pairings that stand out, and cycles."""

from __future__ import annotations

import pandas as pd

from arena.report.sentences.words import first_few
from arena.report.tables.text import residuals_text
from arena.report.tables.transitivity import certain_cycles, standing_out

MOST = 3
"""Pairings, and cycles, that a sentence names."""


def sentences(residuals: pd.DataFrame, cycles: pd.DataFrame) -> list[str]:
    """A sentence on the pairings that stand out, and one on the cycles; none where there are none."""
    unusual = standing_out(residuals)
    found = _cycle_sentence(certain_cycles(cycles, len(residuals)))
    if not len(unusual):
        return found
    parts = [
        f"{row['Player']} against {row['Opponent']} scored {row['Score']} where the ratings expect "
        f"{row['Expected']} (z {row['z']})"
        for row in residuals_text(unusual.head(MOST)).to_dict("records")
    ]
    return [f"{_count(unusual, residuals)}: {first_few(parts, len(unusual))}.", *found]


def misfits_text(residuals: pd.DataFrame, cycles: pd.DataFrame) -> str:
    """All pairings that stand out as a table and the sentence on cycles, or that there are none."""
    unusual = standing_out(residuals)
    lines = [f"{_count(unusual, residuals)}."]
    if len(unusual):
        lines = [f"\n{lines[0][:-1]}:", f"{residuals_text(unusual).to_string(index=False)}"]
    found = _cycle_sentence(certain_cycles(cycles, len(residuals)))
    return "\n".join(lines + (found or ["No players beat one another in a circle by more than chance allows."]))


def _count(unusual: pd.DataFrame, residuals: pd.DataFrame) -> str:
    """How many pairings stand out, as the beginning of a sentence."""
    which = f"{len(unusual)} of {len(residuals)} pairings" if len(unusual) else "No pairing"
    return (
        f"{which} differ{'s' * (len(unusual) < 2)} from the ratings by more than chance allows (Bonferroni, 5 %)"
    )


def _cycle_sentence(found: pd.DataFrame) -> list[str]:
    parts = [
        f"{row['a']} beats {row['b']} beats {row['c']} beats {row['a']} "
        f"(every lead is {row['z']:.1f} standard errors or more)"
        for row in found.head(MOST).to_dict("records")
    ]
    return [f"Ratings cannot express that {first_few(parts, len(found))}."] if parts else []
