"""Columns of numbers as bytes, as many as their values need: plane k is byte k of all values; numbers by name."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

import numpy as np

_MISSING = -1e-9
"""Seconds that stand for none: they are kept as 0, a nanosecond as 2."""


class Planes:
    """Reads the planes of games' columns one after the other: plane k is byte k of all values of a game."""

    def __init__(self, data: np.ndarray, counts: np.ndarray, start: np.ndarray) -> None:
        total = int(counts.sum())
        self._data, self.counts = data, counts
        self._each = np.repeat(counts, counts)
        self._place = np.repeat(start - (np.cumsum(counts) - counts), counts) + np.arange(total)

    def text(self, widths: np.ndarray) -> np.ndarray:
        """The next column, as texts with the given bytes in each game."""
        widest = max(int(widths.max(initial=0)), 1)
        return np.stack(list(self._next(widths, widest)), axis=-1).view(f"S{widest}")[:, 0]

    def numbers(self, widths: np.ndarray) -> np.ndarray:
        """The next column, as integers with the given bytes in each game: `int64[plies]`."""
        found = np.zeros(len(self._place), np.uint64)
        for number, plane in enumerate(self._next(widths, int(widths.max(initial=0)))):
            found |= plane.astype(np.uint64) << np.uint64(8 * number)
        return found.view(np.int64)

    def _next(self, widths: np.ndarray, widest: int) -> Iterator[np.ndarray]:
        for number in range(widest):
            if (widths > number).all():
                yield self._data[self._place]
                self._place += self._each
                continue
            there = np.repeat(widths > number, self.counts)
            plane = np.zeros(len(there), np.uint8)
            plane[there] = self._data[self._place[there]]
            self._place[there] += self._each[there]
            yield plane


def integers(values: Sequence[int]) -> bytes:
    """The planes of integers, as many as they need: all eight if one is negative."""
    if not any(values):
        return b""
    least, most = min(values), max(values)
    if least >= 0 and most < 256:
        return bytes(values)
    return _whole(np.array(values, np.int64), least, most)


def nanoseconds(values: Sequence[float | None]) -> bytes:
    """The planes of seconds of at least 0, as nanoseconds plus 1; 0 for nan, and no planes if all are."""
    if _are_missing(values):
        return b""
    seconds = np.array(values, np.float64)
    missing = np.isnan(seconds)
    if missing.all():
        return b""
    seconds[missing] = _MISSING
    whole = np.rint(seconds * 1e9).astype(np.int64) + 1
    return _whole(whole, int(whole.min()), int(whole.max()))


def microseconds(values: Sequence[float]) -> bytes:
    """The planes of seconds of either sign, as microseconds in the way of `signed` plus 1; 0 for nan."""
    seconds = np.array(values, np.float64)
    missing = np.isnan(seconds)
    micro = np.rint(np.where(missing, 0.0, seconds) * 1e6).astype(np.int64)
    return integers(np.where(missing, 0, _at_least_0(micro) + 1).tolist())


def signed(values: Sequence[int]) -> bytes:
    """The planes of integers of either sign: 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ..."""
    return integers(_at_least_0(np.array(values, np.int64)).tolist()) if any(values) else b""


def _are_missing(values: Sequence[float | None]) -> bool:
    """Whether all values are the one that the first one is, None or nan."""
    first = values[0]
    return (first is None or isnan(first)) and values.count(first) == len(values)


def _at_least_0(values: np.ndarray) -> np.ndarray:
    """0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ..."""
    return np.where(values < 0, -2 * values - 1, 2 * values)


def zigzag(values: np.ndarray) -> np.ndarray:
    """The integers that `signed` keeps as these values."""
    return np.where(values & 1, -(values + 1) // 2, values // 2)


def floats(values: Sequence[float | None]) -> bytes:
    """Four planes of numbers that are exact in single precision, else eight; none if all are nan."""
    if _are_missing(values):
        return b""
    numbers = np.array(values, np.float64)
    if np.isnan(numbers).all():
        return b""
    with np.errstate(over="ignore"):
        short = numbers.astype(np.float32)
    return planes(short if np.array_equal(short, numbers, equal_nan=True) else numbers)


def _whole(values: np.ndarray, least: int, most: int) -> bytes:
    width = 8 if least < 0 else -(-most.bit_length() // 8)
    return planes(values)[: width * len(values)]


def planes(values: np.ndarray) -> bytes:
    """All planes of an array's values."""
    return values.view(np.uint8).reshape(len(values), -1).T.tobytes()


def named(rows: Sequence[Mapping[str, float] | None]) -> bytes | None:
    """Numbers by name of each of a game's moves; None where no move has any."""
    names = dict.fromkeys(name for row in rows if row for name in row)
    if not names:
        return None
    columns = {name: [row.get(name) if row else None for row in rows] for name in names}
    return zlib.compress(json.dumps(columns).encode())


def add_named(sums: dict[str, float], games: Iterable[bytes]) -> None:
    """Add the numbers of games, as `named` made them, to sums by name."""
    for _, _, name, value in named_of(dict(enumerate(games))):
        sums[name] = sums.get(name, 0.0) + value


def named_of(games: Mapping[int, bytes]) -> list[tuple[int, int, str, float]]:
    """The numbers of games by what `named` gave for each: game, ply (from 1), name and value of each number."""
    return [
        (game, ply, name, value)
        for game, data in games.items()
        for name, values in json.loads(zlib.decompress(data)).items()
        for ply, value in enumerate(values, start=1)
        if value is not None
    ]
