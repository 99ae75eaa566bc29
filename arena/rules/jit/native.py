"""What kernels do by instructions of their own: bits, memory and compiled code by their addresses, the clock."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from arena.rules.jit.kernel import inlined, instructions_of

WORDS = types.CPointer(types.int64)
"""The type of `view` for int64: numba counts no references to it, which takes as long as a position's moves."""


def popcount(bits: int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


def lowest_square(bits: int) -> int:
    """The index of the lowest set bit; `bits` must not be 0."""
    return int(bits & -bits).bit_length() - 1


def reversed_bits(bits: int, width: int) -> int:
    """The lowest `width` bits in reverse order; no higher one may be set."""
    return int(f"{bits:0{width}b}"[::-1], 2)


@instructions_of(popcount)
def _popcount(_context: Any, bits: types.Type) -> Any:
    return types.int64(types.int64), lambda _context, builder, _signature, values: builder.ctpop(*values)


@instructions_of(lowest_square)
def _lowest_square(_context: Any, bits: types.Type) -> Any:
    return types.int64(types.int64), lambda _context, builder, _signature, values: builder.cttz(
        *values, cgutils.true_bit
    )


@instructions_of(reversed_bits)
def _reversed_bits(_context: Any, bits: types.Type, width: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        bits, width = values
        return builder.lshr(builder.bitreverse(bits), builder.sub(ir.IntType(64)(64), width))

    return types.int64(types.int64, types.int64), generate


def view(memory: Any, kind: Any) -> Any:
    """The memory of an array, or at an address, as numbers of a numpy type; in kernels without its size. Where
    they are not compiled an address is the array itself."""
    return memory.view(kind)


@instructions_of(view)
def _view(_context: Any, memory: types.Type, kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        seen, pointer = values[0], context.get_value_type(signature.return_type)
        if isinstance(memory, types.Integer):
            return builder.inttoptr(seen, pointer)
        if isinstance(memory, types.Array):
            seen = context.make_array(memory)(context, builder, value=seen).data
        return builder.bitcast(seen, pointer)

    return types.CPointer(kind.dtype)(memory, kind), generate


def call_at(address: Any, *arguments: Any) -> float:
    """Call code that returns a float64 by its address (`arena.rules.jit.kernel.address_of`); nothing checks the
    types of its arguments. Where kernels are not compiled the address is the function."""
    return float(address(*arguments))


@instructions_of(call_at)
def _call_at(_context: Any, _address: types.Type, *arguments: types.Type) -> Any:
    """Call code at an address with the elements of a tuple: of their types, with plain ones for literals."""
    kinds = [types.unliteral(kind) for kind in arguments]

    def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        address, passed = values
        code = ir.FunctionType(ir.DoubleType(), [context.get_value_type(kind) for kind in kinds])
        return builder.call(builder.inttoptr(address, code.as_pointer()), cgutils.unpack_tuple(builder, passed))

    return types.float64(types.int64, types.Tuple(kinds)), generate


def monotonic() -> float:
    """Seconds of a steady clock, for kernels: only the differences of two readings mean anything."""
    return time.monotonic()


_clock = time.CLOCK_MONOTONIC
_read_clock: Any = types.ExternalFunction("clock_gettime", types.int32(types.int32, WORDS))


def _now() -> float:
    read = np.empty(2, np.int64)  # seconds and nanoseconds
    _read_clock(_clock, view(read, np.int64))
    return float(read[0] + 1e-9 * read[1])


inlined(monotonic, _now)
