"""Access from kernels to compiled code and arrays by their addresses, and to the clock."""

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from arena.rules.jit.kernel import instructions_of

WORDS = types.CPointer(types.int64)
"""The type of `words`: numba counts no references to it, which takes as long as a position's moves."""


def words(integers: Any) -> Any:
    """An int64 array as kernels that are called at every node pass it on: by its address, without its size."""
    return integers


def words_at(address: Any) -> Any:
    """The int64 at an address, as `words`; where kernels are not compiled the address is the array itself."""
    return address


def floats_at(address: Any, size: int) -> NDArray[Any]:
    """The `size` float64 at an address, as an array; where kernels are not compiled the address is the array."""
    numbers: NDArray[Any] = address
    return numbers


def call_at(address: Any, *arguments: Any) -> float:
    """Call code that returns a float64 by its address, see `arena.rules.jit.kernel.address_of`.

    Nothing checks that the arguments are of its types. Where kernels are not compiled the address is the function.
    """
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


@instructions_of(words)
def _words(_context: Any, integers: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, value=values[0]).data

    return WORDS(integers), generate


@instructions_of(words_at)
def _words_at(_context: Any, _address: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(signature.return_type))

    return WORDS(types.int64), generate


@instructions_of(floats_at)
def _floats_at(_context: Any, _address: types.Type, _size: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, size = values
        array, bytes_each = make_array(signature.return_type)(context, builder), cgutils.intp_t(8)
        data = builder.inttoptr(address, ir.DoubleType().as_pointer())
        populate_array(array, data=data, shape=[size], strides=[bytes_each], itemsize=bytes_each, meminfo=None)
        return array._getvalue()

    return types.float64[::1](types.int64, types.intp), generate


def monotonic() -> float:
    """Seconds of the clock that `time.monotonic` reads."""
    return time.monotonic()


@instructions_of(monotonic)
def _monotonic(_context: Any) -> Any:
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
