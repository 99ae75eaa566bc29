"""Compiled code and arrays by their addresses, as kernels reach what one machine word names."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

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
    return address


@overload(words)
def _words(integers):  # type: ignore[no-untyped-def]
    return lambda integers: _data(integers)  # type: ignore[call-arg]


@overload(words_at)
def _words_at(address):  # type: ignore[no-untyped-def]
    return lambda address: _int64_pointer(address)


@overload(floats_at)
def _floats_at(address, size):  # type: ignore[no-untyped-def]
    return lambda address, size: numba.carray(_float64_pointer(address), (size,))


def calling(returns: types.Type, *arguments: types.Type) -> Any:
    """What an intrinsic returns that calls code at an address, its first argument, with those of the types given.

    The code is that of a `numba.cfunc` of the same types.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        code = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
        return builder.call(builder.inttoptr(values[0], code.as_pointer()), values[1:])

    return returns(types.int64, *arguments), generate


@intrinsic
def _data(_context: Any, integers: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, value=values[0]).data

    return WORDS(integers), generate


def _pointer(kind: types.Type) -> Any:
    """An intrinsic that takes an address for a pointer to values of a type."""

    @intrinsic
    def pointer(_context: Any, address: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.int64), generate

    return pointer


_int64_pointer = _pointer(types.int64)
_float64_pointer = _pointer(types.float64)
