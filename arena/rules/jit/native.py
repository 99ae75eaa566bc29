"""What kernels do by instructions of their own: bits, arrays and compiled code by their addresses, the clock."""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from arena.rules.jit.kernel import instructions_of

_INT, _WORD = ir.IntType(32), ir.IntType(64)


def popcount(bits: int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


def lowest_square(bits: int) -> int:
    """The index of the lowest set bit; `bits` must not be 0."""
    return int(bits & -bits).bit_length() - 1


def reversed_bits(bits: int, width: int) -> int:
    """The lowest `width` bits in reverse order; no higher one may be set."""
    return int(f"{bits:0{width}b}"[::-1], 2)


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


@instructions_of(reversed_bits)
def _reversed_bits(_context: Any, bits: types.Type, width: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bits, width = arguments
        return builder.lshr(builder.bitreverse(bits), builder.sub(_WORD(64), width))

    return types.int64(types.int64, types.int64), generate


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


SHORTS = types.CPointer(types.int16)
WORDS = types.CPointer(types.int64)
"""The type of `words`: numba counts no references to it, which takes as long as a position's moves."""


def words(integers: Any) -> Any:
    """An int64 array as kernels that are called at every node pass it on: by its address, without its size."""
    return integers


def shorts(floats: Any) -> Any:
    """The memory of a float64 array as int16; compiled, by its address, without its size."""
    return floats.view(np.int16)


def words_at(address: Any) -> Any:
    """The int64 at an address, as `words`; where kernels are not compiled the address is the array itself."""
    return address


def word_at(address: Any, index: int) -> int:
    """The int64 at an index from an address on; where nothing is compiled the address is an array of bytes."""
    return int(address[8 * index : 8 * index + 8].view(np.int64)[0])


def byte_at(address: Any, index: int) -> int:
    """The byte at an index from an address on; where nothing is compiled the address is an array of bytes."""
    return int(address[index])


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


@instructions_of(shorts)
def _shorts(_context: Any, floats: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=values[0]).data
        return builder.bitcast(data, ir.IntType(16).as_pointer())

    return SHORTS(floats), generate


@instructions_of(words_at)
def _words_at(_context: Any, _address: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(signature.return_type))

    return WORDS(types.int64), generate


@instructions_of(word_at)
def _word_at(_context: Any, _address: types.Type, _index: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        address, index = values
        return builder.load(builder.gep(builder.inttoptr(address, _WORD.as_pointer()), [index]))

    return types.int64(types.int64, types.int64), generate


@instructions_of(byte_at)
def _byte_at(_context: Any, _address: types.Type, _index: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        address, index = values
        byte = builder.load(builder.gep(builder.inttoptr(address, ir.IntType(8).as_pointer()), [index]))
        return builder.zext(byte, _WORD)

    return types.int64(types.int64, types.int64), generate


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
    """Seconds of a steady clock, for kernels: only the differences of two readings mean anything."""
    return time.monotonic()


@instructions_of(monotonic)
def _monotonic(_context: Any) -> Any:
    """Read the clock of the system, by the functions of _COUNTER on Windows, elsewhere by clock_gettime."""

    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        return _counted(builder) if sys.platform == "win32" else _clock_gettime(builder)

    return types.float64(), generate


def _clock_gettime(builder: Any) -> Any:
    """Call the C library's clock_gettime, which fills in two 64-bit words: seconds and nanoseconds."""
    called = ir.FunctionType(_INT, [_INT, ir.PointerType(_WORD)])
    function = cgutils.get_or_insert_function(builder.module, called, "clock_gettime")
    found = cgutils.alloca_once(builder, _WORD, 2)
    builder.call(function, [_INT(time.CLOCK_MONOTONIC), found])
    seconds, nanoseconds = _numbers(builder, found)
    return builder.fadd(seconds, builder.fmul(nanoseconds, ir.DoubleType()(1e-9)))


_COUNTER = ("QueryPerformanceCounter", "QueryPerformanceFrequency")
"""Functions of Windows that fill in a 64-bit word each: ticks, and ticks per second."""
if sys.platform == "win32":
    for _name in _COUNTER:
        _address = ctypes.cast(getattr(ctypes.windll.kernel32, _name), ctypes.c_void_p).value
        binding.add_symbol(_name, _address)  # the compiler does not search the system's libraries by itself


def _counted(builder: Any) -> Any:
    called = ir.FunctionType(_INT, [ir.PointerType(_WORD)])
    found = cgutils.alloca_once(builder, _WORD, 2)
    for place, name in enumerate(_COUNTER):
        function = cgutils.get_or_insert_function(builder.module, called, name)
        builder.call(function, [builder.gep(found, [_INT(place)])])
    ticks, per_second = _numbers(builder, found)
    return builder.fdiv(ticks, per_second)


def _numbers(builder: Any, found: Any) -> Any:
    """Two words as numbers."""
    pair = (builder.load(builder.gep(found, [_INT(place)])) for place in (0, 1))
    return (builder.sitofp(word, ir.DoubleType()) for word in pair)
