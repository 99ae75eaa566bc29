"""The best fit of given mean over deviation to counts of results, by iteration: fast where all results occur."""

import math
from collections.abc import Sequence

MAX_STEPS = 50  # of either iteration, beyond which it is given up
MAX_RATIO = 0.5  # 123 normalized Elo in pairs; fits of larger ratios may have several optima
PRECISION = 1e-9  # relative, of the deviation; the error of the fit is of its square


def iterated_fit(observed: Sequence[float], ratio: float) -> float | None:
    """The fit of `arena.ratings.match._ratio_fit`, or None for a ratio beyond MAX_RATIO or without convergence.

    Notation as there. From the deviation sigma of one fit follows the tangent, and from the best fit q on it the
    next deviation, until they agree: where the fit is stationary, sigma^2 (1 + t^2) = E_q[c^2]. It is the
    iteration of normalized_elo_practical.pdf, section 4.1.
    """
    if abs(ratio) > MAX_RATIO:
        return None
    if ratio < 0:
        return iterated_fit(observed[::-1], -ratio)
    centred = [point / (len(observed) - 1) - 0.5 for point in range(len(observed))]
    shrink = 1 / math.hypot(1, ratio)
    sigma = shrink * math.sqrt(sum(p * c * c for p, c in zip(observed, centred, strict=True)))
    tilt = 0.0
    for _ in range(MAX_STEPS):
        values = [c - ratio * (sigma / 2 + (c - ratio * sigma) ** 2 / (2 * sigma)) for c in centred]
        root = _tilt(observed, values, tilt)
        if root is None:
            return None
        tilt = root
        squares = sum(p / (1 + tilt * b) * c * c for p, b, c in zip(observed, values, centred, strict=True))
        before, sigma = sigma, shrink * math.sqrt(squares)
        if abs(sigma - before) <= PRECISION * sigma:
            return -sum(p * math.log1p(tilt * b) for p, b in zip(observed, values, strict=True))
    return None


def _tilt(observed: Sequence[float], values: Sequence[float], start: float) -> float | None:
    """The root x of the sum of p b / (1 + x b), by Newton's method from *start*; None if it leaves the range."""
    least, most = min(values), max(values)
    if not least < 0 < most:
        return None
    low, high = -1 / most, -1 / least
    x = start if low < start < high else 0.0
    for _ in range(MAX_STEPS):
        slope = curvature = 0.0
        for p, b in zip(observed, values, strict=True):
            tilted = b / (1 + x * b)
            slope += p * tilted
            curvature += p * tilted * tilted
        if slope * slope <= 1e-28 * curvature:
            return x
        x += slope / curvature
        if not low < x < high:
            return None
    return None
