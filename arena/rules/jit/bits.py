"""Operations on bits, and the clock, as single instructions or calls in kernels."""

from __future__ import annotations

import time
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


def monotonic() -> float:
    """Seconds of the clock that `time.monotonic` reads."""
    return time.monotonic()


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
def _bits_of(_context: Any, number: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _float_of(_context: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _monotonic(_context: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        """Call the C library's clock_gettime, which fills in two 64-bit words: seconds and nanoseconds."""
        word, clock = ir.IntType(64), ir.IntType(32)
        called = ir.FunctionType(clock, [clock, ir.PointerType(word)])
        function = cgutils.get_or_insert_function(builder.module, called, "clock_gettime")
        found = cgutils.alloca_once(builder, word, 2)
        builder.call(function, [clock(time.CLOCK_MONOTONIC), found])
        seconds, nanoseconds = (
            builder.sitofp(builder.load(builder.gep(found, [clock(i)])), ir.DoubleType()) for i in (0, 1)
        )
        return builder.fadd(seconds, builder.fmul(nanoseconds, ir.DoubleType()(1e-9)))

    return types.float64(), generate


@overload(popcount)
def _popcount(bits):  # type: ignore[no-untyped-def]
    def implementation(bits):  # type: ignore[no-untyped-def]
        return _ctpop(bits)  # type: ignore[call-arg]

    return implementation


@overload(lowest_square)
def _lowest_square(bits):  # type: ignore[no-untyped-def]
    def implementation(bits):  # type: ignore[no-untyped-def]
        return _cttz(bits)  # type: ignore[call-arg]

    return implementation


@overload(bits_of)
def _bits_of_overload(number):  # type: ignore[no-untyped-def]
    def implementation(number):  # type: ignore[no-untyped-def]
        return _bits_of(number)  # type: ignore[call-arg]

    return implementation


@overload(float_of)
def _float_of_overload(bits):  # type: ignore[no-untyped-def]
    def implementation(bits):  # type: ignore[no-untyped-def]
        return _float_of(bits)  # type: ignore[call-arg]

    return implementation


@overload(monotonic)
def _monotonic_overload():  # type: ignore[no-untyped-def]
    def implementation():  # type: ignore[no-untyped-def]
        return _monotonic()  # type: ignore[call-arg]

    return implementation
