"""Contrasts of ratings: which are beyond chance among many, whether several agree, and the line through them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import chdtrc

from arena.ratings.interval import Z95, Bools, Floats, Ints

LEVEL = 0.05
"""Probability, where nothing differs, of a report that says anywhere that something does."""
MOST_DRAWS, FEWEST_DRAWS, MOST_NUMBERS = 100_000, 5_000, 40_000_000
"""How often errors of all ratings are drawn: 100 000 times, less often where there are many contrasts."""
SEED = 1
_PART = 5_000
"""Draws that are in memory at once."""
_TIE = 1e-3
"""Elo within which drawn ratings are equal, as those of players that are one."""
_NOTHING = 1e-9
"""Share of a variance below which it is 0 but for rounding, as that of two players that are one."""


def critical(spread: Floats, group: Ints, further: Floats) -> float:
    """The standard errors beyond which a contrast of players is shown among many.

    These are all differences of two of one *group*, of players with the covariance *spread*, and the *further*
    weights, `float[contrasts, players]`. The largest of all is that far with a probability of LEVEL where no two
    players differ (T. Hothorn, F. Bretz and P. Westfall, "Simultaneous inference in general parametric models",
    Biometrical Journal 50, 2008). Errors are drawn from the covariance with a fixed seed.
    """
    deviation = _deviation_of_pairs(spread, group[:, None] == group)
    error = np.sqrt(np.einsum("ij,jk,ik->i", further, spread, further).clip(0))
    weights = further[error > 1e-6] / error[error > 1e-6, None]
    contrasts = int(np.isfinite(deviation).sum()) // 2 + len(weights)
    if contrasts < 2:
        return Z95
    draws = int(np.clip(MOST_NUMBERS / contrasts, FEWEST_DRAWS, MOST_DRAWS))
    largest = [
        np.maximum(_largest_of_pairs(errors, deviation), np.abs(errors @ weights.T).max(axis=1, initial=0.0))
        for errors in drawn(spread, draws)
    ]
    return max(float(np.quantile(np.concatenate(largest), 1 - LEVEL)), Z95)


def drawn(covariance: Floats, draws: int) -> Iterator[Floats]:
    """Yield normal numbers of mean 0 with that covariance, `float[draws, n]`, in parts, from a fixed seed."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(values.clip(0))
    rng = np.random.default_rng(SEED)
    for _ in range(-(-draws // _PART)):
        yield rng.standard_normal((_PART, len(root))) @ root.T


def _deviation_of_pairs(spread: Floats, is_connected: Bools) -> Floats:
    """The standard error of the difference of every two, infinite where there is none to tell."""
    scale = np.add.outer(np.diag(spread), np.diag(spread))
    variance = scale - 2 * spread
    is_known = is_connected & (variance > _NOTHING * scale) & ~np.eye(len(spread), dtype=bool)
    return np.where(is_known, np.sqrt(variance.clip(0)), np.inf)


def _largest_of_pairs(errors: Floats, deviation: Floats) -> Floats:
    """The largest difference of two in each row of errors, in its standard errors."""
    largest = np.zeros(len(errors))
    for i in range(len(deviation) - 1):
        differences = np.abs(errors[:, i + 1 :] - errors[:, [i]]) / deviation[i, i + 1 :]
        np.maximum(largest, differences.max(axis=1), out=largest)
    return largest


def agreement(values: Floats, covariance: Floats) -> float:
    """The probability of values so far apart where all are the same: Cochran's test (Biometrics 10, 1954)."""
    return line(np.zeros((len(values), 0)), values, covariance)[1]


def line(x: Floats, values: Floats, covariance: Floats) -> tuple[Floats, float]:
    """The weights of values in each coefficient of a line, and the probability of values so far from it.

    The line is values = level + x @ coefficients, of `float[n, coefficients]`, by generalized least squares on
    differences to the first value, so that what all values have in common does not matter (A. C. Aitken, 1935).
    """
    to_first = np.hstack([-np.ones((len(values) - 1, 1)), np.eye(len(values) - 1)])
    over_first, differences = to_first @ x, to_first @ values
    variances, axes = np.linalg.eigh(to_first @ covariance @ to_first.T)
    is_known = variances > _NOTHING * variances.max(initial=0.0)
    inverse = axes[:, is_known] / variances[is_known] @ axes[:, is_known].T
    information = over_first.T @ inverse @ over_first
    weights = np.linalg.pinv(information, hermitian=True) @ over_first.T @ inverse
    rest = differences - over_first @ (weights @ differences)
    freedom = int(is_known.sum()) - x.shape[1]
    probability = float(chdtrc(freedom, rest @ inverse @ rest)) if freedom > 0 else 1.0
    return weights @ to_first, probability


def best(elo: Floats, covariance: Floats) -> Floats:
    """The probability that each of several players is the best; players that are one share theirs.

    Two may each be above the next one with 60 %, and the first be the best with 40 % only.
    """
    times = np.zeros(len(elo))
    for errors in drawn(covariance, MOST_DRAWS):
        ratings = elo + errors
        times += (ratings > ratings.max(axis=1, keepdims=True) - _TIE).sum(axis=0)
    return times / MOST_DRAWS
