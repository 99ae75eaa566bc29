"""What ratings on one line do not tell, in words and as text: pairings that stand out, cycles, Nash averages."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from arena.ratings.transitivity import threshold

FEWEST = 5
"""Points of the weaker side, expected or scored, below which z is too far from normal to call a pairing unusual.

What W. G. Cochran, "Some Methods for Strengthening the Common Chi-Square Tests" (1954), asks of expected counts.
"""

SAID = 3
"""Pairings, and cycles, that a sentence names."""


def standing_out(residuals: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.residuals` that differ from the ratings by more than chance allows.

    At most 5 % of tournaments whose players stand on one line have any: |z| beyond Bonferroni's bound over all
    pairings, with points enough for z to be normal.
    """
    share = residuals[["score", "expected"]]
    points = residuals["games"] * pd.concat([share.max(axis=1), 1 - share.min(axis=1)], axis=1).min(axis=1)
    return residuals[(residuals["z"].abs() > threshold(len(residuals))) & (points >= FEWEST)]


def certain_cycles(cycles: pd.DataFrame, pairings: int) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.cycles` beyond chance, at 5 % over so many pairings."""
    return cycles[cycles["z"] > threshold(pairings)]


def sentences(residuals: pd.DataFrame, cycles: pd.DataFrame) -> list[str]:
    """A sentence on the pairings that stand out, and one on the cycles; none where there are none."""
    unusual = standing_out(residuals)
    said = []
    if len(unusual):
        parts = [
            f"{row['Player']} against {row['Opponent']} scored {row['Score']} where the ratings expect "
            f"{row['Expected']} (z {row['z']})"
            for row in residuals_text(unusual.head(SAID)).to_dict("records")
        ]
        said.append(f"{_count(unusual, residuals)}: {_joined(parts, len(unusual))}.")
    return said + _cycle_sentence(certain_cycles(cycles, len(residuals)))


def misfits_text(residuals: pd.DataFrame, cycles: pd.DataFrame) -> str:
    """All pairings that stand out as a table and the sentence on cycles, or that there are none."""
    unusual = standing_out(residuals)
    lines = [f"{_count(unusual, residuals)}."]
    if len(unusual):
        lines = [f"\n{lines[0][:-1]}:", f"{residuals_text(unusual).to_string(index=False)}"]
    found = _cycle_sentence(certain_cycles(cycles, len(residuals)))
    return "\n".join(lines + (found or ["No players beat one another in a circle by more than chance allows."]))


def residuals_text(residuals: pd.DataFrame) -> pd.DataFrame:
    """Residuals with every cell as text for people."""
    return pd.DataFrame(
        {
            "Player": residuals["player"].astype(str),
            "Opponent": residuals["opponent"].astype(str),
            "Games": residuals["games"].map(str),
            "Score": [f"{100 * value:.1f} %" for value in residuals["score"]],
            "Expected": [f"{100 * value:.1f} %" for value in residuals["expected"]],
            "z": [f"{value:+.1f}".replace("-", "−") for value in residuals["z"]],
        }
    )


def nash_text(averages: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Nash weight and Nash skill (Elo) as text for people, a row for each of *players*, in their order."""
    table = averages.set_index("player").loc[list(players)]
    return pd.DataFrame(
        {
            "Nash weight": [f"{100 * value:.1f} %" for value in table["weight"]],
            "Nash skill": [f"{value:+.0f}".replace("-", "−") if round(value) else "0" for value in table["skill"]],
        }
    )


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
        for row in found.head(SAID).to_dict("records")
    ]
    return [f"Ratings cannot express that {_joined(parts, len(found))}."] if parts else []


def _joined(parts: list[str], total: int) -> str:
    return "; ".join(parts + [f"and {total - len(parts)} more"] * (total > len(parts)))
