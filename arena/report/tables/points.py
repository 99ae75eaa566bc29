"""Points of games, as columns."""

from __future__ import annotations

import pandas as pd

from arena.rules.result import WHITE_POINTS, points_of


def white_points(games: pd.DataFrame) -> pd.Series:
    """White's points by game, 0 to 1. Raises ValueError for what is no result."""
    results = games["result"].astype(str)
    for result in results.unique():
        points_of(result)
    return results.map(WHITE_POINTS).astype(float)
