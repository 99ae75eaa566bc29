"""A sequential test on the head of the schedule: in its order, whichever games are finished first."""

from __future__ import annotations

from collections.abc import Mapping

from arena.experiment.formats.sprt import Sprt
from arena.ratings.match import SprtState, sprt
from arena.rules.result import pair_points


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule; without settings never decided."""

    def __init__(self, settings: Sprt | None) -> None:
        self._settings = settings.model_dump() if settings else None
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.decided = False
        self.state: SprtState | None = None
        """After the last pair taken in; None before the first."""

    def advance(self, points: Mapping[int, float]) -> list[SprtState]:
        """Take in the next pairs as far as both games are known, until decided; returns the state after each.

        `points` are White's by number of the game, from 1. Games 2 k - 1 and 2 k are a pair, and the first player
        is White in the first of them. About a millisecond a pair.
        """
        states: list[SprtState] = []
        if self._settings is None:
            return states
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            won = pair_points(points[self.games + 1], points[self.games + 2])
            self._counts[round(2 * won)] += 1
            self.games += 2
            self.state = sprt(self._counts, **self._settings)
            states.append(self.state)
            self.decided = self.state.verdict != "continue"
        return states
