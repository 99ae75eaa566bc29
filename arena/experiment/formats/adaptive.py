"""Adaptive schedules: the next games where they narrow the intervals of the best players most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from arena.experiment.formats.base import Format, Numbers, Pairing, Schedule, Tie, at_most
from arena.experiment.yaml.errors import Keys
from arena.rules.result import Colour, result_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.ratings.joint import Ratings


import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from arena.ratings.match import ELO_PER_LOGIT, Z95
from arena.ratings.types import Floats

TRUSTED = 10
"""Pairs of a player below which its interval, a matter of chance itself, does not end the run."""


def most_informative(
    elo: Floats,
    covariance: Floats,
    draw_rate: float,
    used: NDArray[np.int64],
    openings: int,
    top: Sequence[int],
    error: float,
    most: int,
) -> list[Tie]:
    """Up to `most` ties, one pair of games each, in the order of what they are worth; none if all is done.

    All is done when the 95 % intervals of the players `top` are within +-`error` Elo, each from TRUSTED pairs at
    least, or when the openings of the pairs that could help are used up. `elo`, `float64[players]`, and
    `covariance`, `float64[players, players]`, are those of the ratings; `used[i, j]` are the pairs that players i
    and j have played, `int64[players, players]`.
    """
    used, covariance = used.copy(), covariance.copy()
    information = pair_information(elo, draw_rate)
    ties: list[Tie] = []
    while len(ties) < most:
        width = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0))
        trusted = used.sum(axis=1) >= TRUSTED
        wide = [player for player in top if width[player] > error or not trusted[player]]
        if not ties and not wide:
            return []
        wide = wide or list(top)
        is_wide = np.isin(np.arange(len(elo)), wide)
        open_to = (is_wide[:, None] | is_wide) & (used < openings)
        gain = np.triu(np.where(open_to, worth(covariance, information, wide), 0.0), 1)
        if not gain.any():
            break
        # Equal but for rounding is equal, so that every machine takes the same one.
        best = int(np.argmax(np.round(gain / gain.max(), 6)))
        one, other = divmod(best, len(elo))
        ties.append((one, other))
        used[one, other] += 1
        used[other, one] += 1
        covariance = _after(covariance, information[one, other], one, other)
    return ties


def worth(covariance: Floats, information: Floats, of: Sequence[int]) -> Floats:
    """The reduction of the summed variance of the players `of`, in Elo^2, by a pair of games of each two players.

    All matrices are `float[players, players]`, in Elo: `covariance` of the ratings, `information` of a pair on the
    difference of the two players. The update is that of a normal distribution by one measured difference.
    """
    variance = np.diag(covariance)
    spread = variance[:, None] + variance - 2 * covariance
    shift = (covariance[of][:, :, None] - covariance[of][:, None, :]) ** 2
    gain: Floats = shift.sum(axis=0) * information / (1 + information * spread)
    return gain


def pair_information(elo: Floats, draw_rate: float) -> Floats:
    """Information that a pair of games of each two players has on their difference, 1 / Elo^2.

    That of the expected score, without first-move advantage, from games of which equal players draw `draw_rate`,
    below 1: see `arena.ratings.dispersion`.
    """
    score = expit((elo[:, None] - elo) / ELO_PER_LOGIT)
    coin = score * (1 - score)
    variance = coin - draw_rate * np.minimum(score, 1 - score) / 2
    information: Floats = 2 * coin**2 / variance / ELO_PER_LOGIT**2
    return information


def _after(covariance: Floats, information: float, one: int, other: int) -> Floats:
    shift = covariance[:, one] - covariance[:, other]
    spread = shift[one] - shift[other]
    after: Floats = covariance - np.outer(shift, shift) * information / (1 + information * spread)
    return after


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

    def openings_needed(self, players: int) -> int:
        return START

    def schedule(
        self, names: Sequence[str], openings: int, first: Colour = "white", anchor: str | None = None
    ) -> Schedule:
        """Pairs for the `top` players of the rating until their 95 % intervals are within +-`error` Elo.

        After START pairs by everyone against everyone, a round is one rating and `batch` pairs. One by one these
        are the pairs that are expected to lower the variance of the top ratings that are too wide most, between
        one of these players and any other. The n-th pair of two players has opening n. It ends when all intervals
        are narrow enough, each from `arena.experiment.formats.adaptive.TRUSTED` pairs at least, or when the
        openings that could help are used up.

        The rating and its intervals are those of the report: with an `anchor`, of the difference to it.
        """
        import numpy as np

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
            ratings = _rated(names, played, results, first, anchor)
            ties, number = self.next_ties(names, ratings, used, openings), number + 1
        return []

    def next_ties(
        self, names: Sequence[str], ratings: Ratings, used: NDArray[np.int64], openings: int
    ) -> list[Tie]:
        """Up to `batch` ties, one pair of games each, in the order of what they are worth; none if all is done.

        `used[i, j]` are the pairs that players i and j have played, `int64[players, players]`.
        """
        import numpy as np

        from arena.experiment.formats.adaptive import most_informative

        rank = [names.index(name) for name in ratings.table["player"]]
        elo = ratings.table["elo"].to_numpy(float)[np.argsort(rank)]
        covariance = ratings.covariance.loc[list(names), list(names)].to_numpy(float)
        top = rank[: self.top]
        return most_informative(elo, covariance, ratings.draw_rate, used, openings, top, self.error, self.batch)


def _rated(
    names: Sequence[str], played: Sequence[Pairing], points: Sequence[float], first: Colour, anchor: str | None
) -> Ratings:
    import pandas as pd

    from arena.ratings.joint import rate

    games = pd.DataFrame(
        {
            "white": [names[pairing.white] for pairing in played],
            "black": [names[pairing.black] for pairing in played],
            "result": [result_of(value) for value in points],
            "pair": [pairing.pair for pairing in played],
        }
    )
    return rate(games, names, first=first, anchor=anchor)
