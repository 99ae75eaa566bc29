"""What ratings on one line do not tell, in words and as text: pairings that stand out, cycles, Nash averages."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from arena.transitivity import threshold

FEWEST = 5
"""Points of the weaker side, expected or scored, below which z is too far from normal to call a pairing unusual.

What W. G. Cochran, "Some Methods for Strengthening the Common Chi-Square Tests" (1954), asks of expected counts.
"""

SAID = 3
"""Pairings, and cycles, that a sentence names."""


def standing_out(residuals: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arena.transitivity.residuals` that differ from the ratings by more than chance allows.

    At most 5 % of tournaments whose players stand on one line have any: |z| beyond Bonferroni's bound over all
    pairings, with points enough for z to be normal.
    """
    share = residuals[["score", "expected"]]
    points = residuals["games"] * pd.concat([share.max(axis=1), 1 - share.min(axis=1)], axis=1).min(axis=1)
    return residuals[(residuals["z"].abs() > threshold(len(residuals))) & (points >= FEWEST)]


def certain_cycles(cycles: pd.DataFrame, pairings: int) -> pd.DataFrame:
    """The rows of `arena.transitivity.cycles` that chance does not explain, at 5 % over so many pairings."""
    return cycles[cycles["z"] > threshold(pairings)]


def sentences(residuals: pd.DataFrame, cycles: pd.DataFrame) -> list[str]:
    """A sentence on the pairings that stand out, and one on the cycles; none where there are none."""
    said = []
    unusual = standing_out(residuals)
    if len(unusual):
        parts = [
            f"{row['player']} against {row['opponent']} scored {row['score']:.1%} where the ratings expect "
            f"{row['expected']:.1%} (z {row['z']:.1f})".replace("%", " %").replace("-", "−")
            for row in unusual.head(SAID).to_dict("records")
        ]
        differ = "differs" if len(unusual) == 1 else "differ"
        said.append(
            f"{len(unusual)} of {len(residuals)} pairings {differ} from the ratings by more than chance allows "
            f"(Bonferroni, 5 %): {_joined(parts, len(unusual))}."
        )
    found = certain_cycles(cycles, len(residuals))
    if len(found):
        parts = [
            f"{row['a']} beats {row['b']} beats {row['c']} beats {row['a']} (every lead is "
            f"{row['z']:.1f} standard errors or more)"
            for row in found.head(SAID).to_dict("records")
        ]
        said.append(f"No ratings can tell that {_joined(parts, len(found))}.")
    return said


def misfits_text(residuals: pd.DataFrame, cycles: pd.DataFrame) -> str:
    """All pairings that stand out as a table, and the sentences, or that there is nothing to say."""
    unusual, found = standing_out(residuals), certain_cycles(cycles, len(residuals))
    lines = [f"{residuals_text(unusual).to_string(index=False)}\n"] if len(unusual) else []
    lines += sentences(residuals, cycles)
    if not len(unusual):
        lines.append("No pairing differs from the ratings by more than chance allows.")
    if not len(found):
        lines.append("No players beat one another in a circle by more than chance allows.")
    return "\n".join(lines)


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


def _joined(parts: list[str], total: int) -> str:
    return "; ".join(parts + [f"and {total - len(parts)} more"] * (total > len(parts)))
