"""A value with its 95 % interval, and the scale of Elo."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.base.number import with_error

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

Z95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution
Z80 = 0.8416212335729143  # one-sided 80 % quantile
ELO_PER_LOGIT = 400 / math.log(10)


class Interval(NamedTuple):
    """A value with the ends of its 95 % interval; what is not known is nan."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, error: float) -> Interval:
        """The interval that ends at half width `error` on both sides of a value."""
        return cls(value, value - error, value + error)

    @classmethod
    def of(cls, row: Any, name: str) -> Interval:
        """The interval in a row of a table, of the columns name, name_low and name_high."""
        return cls(*(row[column] for column in cls.columns_of(name)))

    def columns(self, name: str) -> dict[str, float]:
        """The columns name, name_low and name_high of a row of a table."""
        return dict(zip(self.columns_of(name), self, strict=True))

    @staticmethod
    def columns_of(name: str) -> tuple[str, str, str]:
        """The names of the columns of an interval: name, name_low, name_high."""
        return name, f"{name}_low", f"{name}_high"

    @property
    def error(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2

    @property
    def reversed(self) -> Interval:
        """The interval of the negative value: a difference from the other side's view."""
        return Interval(-self.value, -self.high, -self.low)

    @property
    def los(self) -> float:
        """The likelihood of superiority: the probability that a normal value with this interval is positive."""
        return float(los(self.value, self.error / Z95))

    def __str__(self) -> str:
        """The value and half the width, as people read them: "+12 ± 5"."""
        return with_error(self.value, self.error)


UNKNOWN = Interval(math.nan, math.nan, math.nan)


def score_from_elo(elo: float) -> float:
    """Expected score of a player `elo` points stronger: 1 / (1 + 10^(-elo/400))."""
    return 1 / (1 + 10 ** (-elo / 400)) if elo >= 0 else 1 - score_from_elo(-elo)


def los(difference: npt.ArrayLike, deviation: npt.ArrayLike) -> Floats:
    """Likelihood of superiority: the normal probability that differences with these deviations are positive.

    Without a deviation (0) the sign decides: 0, 0.5, 1.
    """
    from scipy.special import ndtr  # here, as a run that begins need not wait for it

    estimate, spread = np.asarray(difference, float), np.asarray(deviation, float)
    # 40 deviations are certainty in double precision
    floor = np.maximum(np.abs(estimate) / 40, 1e-300)
    probability: Floats = np.asarray(ndtr(estimate / np.maximum(spread, floor)))
    return probability
