"""What ratings on one line cannot express: pairings that stand out, and cycles, beyond chance."""

from __future__ import annotations

import pandas as pd

from arena.ratings.transitivity import threshold

FEWEST_POINTS = 5
"""Points of the weaker side, expected or scored, below which z is too far from normal to call a pairing unusual.

What W. G. Cochran, "Some Methods for Strengthening the Common Chi-Square Tests" (1954), asks of expected counts.
"""


def standing_out(residuals: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.residuals` that differ from the ratings by more than chance allows.

    At most 5 % of tournaments whose players stand on one line have any: |z| beyond Bonferroni's bound over all
    pairings, with points enough for z to be normal.
    """
    share = residuals[["score", "expected"]]
    points = residuals["games"] * pd.concat([share.max(axis=1), 1 - share.min(axis=1)], axis=1).min(axis=1)
    return residuals[(residuals["z"].abs() > threshold(len(residuals))) & (points >= FEWEST_POINTS)]


def certain_cycles(cycles: pd.DataFrame, pairings: int) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.cycles` beyond chance, at 5 % over so many pairings."""
    return cycles[cycles["z"] > threshold(pairings)]
