"""The clock, read within kernels: what `time.monotonic` reads, on POSIX systems."""

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload


def monotonic() -> float:
    """Seconds of the clock that `time.monotonic` reads."""
    return time.monotonic()


@overload(monotonic)
def _monotonic():  # type: ignore[no-untyped-def]
    return lambda: _clock_gettime()  # type: ignore[call-arg]


@intrinsic
def _clock_gettime(_context: Any) -> Any:
    """Call the C library's clock_gettime, which fills in two 64-bit words: seconds and nanoseconds."""

    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
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
