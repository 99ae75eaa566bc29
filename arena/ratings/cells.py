"""Games as a fit of strengths takes them: in clusters, and by opening and players."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ratings.arrays import Floats, Ints


class ClusteredGames(NamedTuple):
    """Games as the fit takes them, a row for each or for several that ended alike; `[rows]` but for `times`."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # 0 a win, 1 a draw, 2 a loss, from the first player's view
    opening: Ints  # 0, 1, ... ; -1 where it is not known
    cluster: Ints  # 0, 1, ... : games that are not independent share a number
    weight: Floats  # games that the row counts as in each of the clusters that it is part of
    information: Floats  # games whose variance, under the model, is that of the row in all those clusters
    times: Floats  # `float[clusters]`: independent clusters like this one

    def cells(self, size: int, times: Floats | None = None) -> "Cells":
        """Games by opening, first and second player; with *times*, as if there were so many of each cluster."""
        key = ((self.opening + 1) * size + self.first) * size + self.second
        cell, cells = pd.factorize(key, sort=True)
        games = self.weight * (self.times if times is None else times)[self.cluster]
        counts = np.bincount(cell * 3 + self.outcome, games, minlength=3 * len(cells))
        opening, players = np.divmod(cells, max(size, 1) ** 2)
        first, second = np.divmod(players, max(size, 1))
        return Cells(first, second, opening - 1, counts.reshape(-1, 3).astype(float))


class Cells(NamedTuple):
    """Encounters of two players with given colours in one opening."""

    first: Ints
    second: Ints
    opening: Ints  # -1 where it is not known
    counts: Floats  # of wins, draws and losses of the first player, `float[cells, 3]`
