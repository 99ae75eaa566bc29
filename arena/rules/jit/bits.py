"""Operations on bits, each a single machine instruction in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from arena.rules.jit.kernel import instructions_of


def popcount(bits: int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


def lowest_square(bits: int) -> int:
    """The index of the lowest set bit; `bits` must not be 0."""
    return int(bits & -bits).bit_length() - 1


def bits_of(number: float) -> int:
    """The 64 bits of a float, as an int64."""
    return int(np.float64(number).view(np.int64))


def float_of(bits: int) -> float:
    """The float that the 64 bits are."""
    return float(np.int64(bits).view(np.float64))


@instructions_of(popcount)
def _popcount(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@instructions_of(lowest_square)
def _lowest_square(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(types.int64), generate


@instructions_of(bits_of)
def _bits_of(_context: Any, number: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@instructions_of(float_of)
def _float_of(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate
