"""A sequential test on the head of the schedule."""

from __future__ import annotations

from collections.abc import Mapping

from arena.formats.sprt import Sprt
from arena.ratings.match import sprt


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule; without settings never decided."""

    def __init__(self, settings: Sprt | None) -> None:
        self._settings = settings.model_dump() if settings else None
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.decided = False

    def advance(self, points: Mapping[int, float]) -> None:
        """Take in the next pairs as far as both games are known, until decided.

        `points` are White's by number of the game. The first player is White in the first game of each pair.
        """
        if self._settings is None:
            return
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            self._counts[round(2 * (points[self.games + 1] + 1 - points[self.games + 2]))] += 1
            self.games += 2
            self.decided = sprt(self._counts, **self._settings).verdict != "continue"
