"""Operations on bits, each a single machine instruction in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload


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


@overload(popcount)
def _popcount(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _ctpop(bits)  # type: ignore[call-arg]


@overload(lowest_square)
def _lowest_square(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _cttz(bits)  # type: ignore[call-arg]


@overload(bits_of)
def _bits_of(number):  # type: ignore[no-untyped-def]
    return lambda number: _bitcast_to_int(number)  # type: ignore[call-arg]


@overload(float_of)
def _float_of(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _bitcast_to_float(bits)  # type: ignore[call-arg]


@intrinsic
def _ctpop(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _cttz(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(types.int64), generate


@intrinsic
def _bitcast_to_int(_context: Any, number: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _bitcast_to_float(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate
