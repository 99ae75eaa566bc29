"""Adaptive schedules: the next games where they narrow the intervals of the best players most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from arena.experiment.formats.base import Format, Numbers, Pairing, Schedule, Tie, at_most
from arena.experiment.yaml.errors import Keys
from arena.rules.result import Colour

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.ratings.joint import Ratings

START = 2
"""Pairs that every two players play before the first rating."""


class Adaptive(Format):
    """Games where they narrow the intervals of the best players most, until these are narrow enough."""

    type: Literal["adaptive"]
    error: float = Field(gt=0, description="Wanted half width in Elo of their 95 % intervals.")
    top: int = Field(default=3, ge=1, description="How many of the best players it is wanted of.")
    batch: int = Field(default=10, ge=1, description="Pairs of games between two ratings.")
    exact: ClassVar[bool] = False
    even: ClassVar[bool] = False

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield from super().problems(names)
        yield from at_most("top", self.top, len(names), len(names))

    def limited_to(self, names: Sequence[str]) -> Format:
        return self.model_copy(update={"top": min(self.top, max(len(names), 1))})

    def openings_needed(self, players: int) -> int:
        return START

    def schedule(
        self, names: Sequence[str], openings: int, first: Colour = "white", anchor: str | None = None
    ) -> Schedule:
        """Pairs for the `top` players of the rating until their 95 % intervals are within +-`error` Elo.

        After START pairs by everyone against everyone, a round is one rating and `batch` pairs. One by one these
        are the pairs that are expected to lower the variance of the top ratings that are too wide most, between
        one of these players and any other. The n-th pair of two players has opening n. It ends when all intervals
        are narrow enough, each from `arena.experiment.formats.information.TRUSTED` pairs at least, or when the
        openings that could help are used up.

        The rating and its intervals are those of the report: with an `anchor`, of the difference to it.
        """
        import numpy as np

        from arena.experiment.formats.information import rated

        numbers = Numbers()
        played: list[Pairing] = []
        results: list[float] = []
        used = np.zeros((len(names), len(names)), dtype=np.int64)
        ties, number = self.ties(names) * min(START, openings), 1
        while ties:
            batch: list[Pairing] = []
            for one, other in ties:
                batch += numbers.pairs([(one, other)], number, [int(used[one, other])])
                used[one, other] += 1
                used[other, one] += 1
            results += (yield batch).points
            played += batch
            ratings = rated(names, played, results, first, anchor)
            ties, number = self.next_ties(names, ratings, used, openings), number + 1
        return []

    def next_ties(
        self, names: Sequence[str], ratings: Ratings, used: NDArray[np.int64], openings: int
    ) -> list[Tie]:
        """Up to `batch` ties, one pair of games each, in the order of what they are worth; none if all is done.

        `used[i, j]` are the pairs that players i and j have played, `int64[players, players]`.
        """
        import numpy as np

        from arena.experiment.formats.information import most_informative

        rank = [names.index(name) for name in ratings.table["player"]]
        elo = ratings.table["elo"].to_numpy(float)[np.argsort(rank)]
        covariance = ratings.covariance.loc[list(names), list(names)].to_numpy(float)
        top = rank[: self.top]
        return most_informative(elo, covariance, ratings.draw_rate, used, openings, top, self.error, self.batch)
