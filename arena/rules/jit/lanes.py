"""Arithmetic on stretches of numbers, many at a time, as the vector instructions of processors do it.

A stretch is named by the index of its first number in an array of int16, `shorts`; its width is a
multiple of LANES.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from arena.rules.jit.kernel import inlined, instructions_of

LANES = 64
"""Numbers of a stretch that are read at once."""
OUTPUTS = 16
"""Numbers of the layer of `two_layers`."""
SHORTS = types.CPointer(types.int16)

_SHORT, _INT, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_WIDE = 2 * OUTPUTS
"""Inputs of `two_layers` that are multiplied at once; neighbours' products are added."""
_PART = 2 * LANES * OUTPUTS
"""Weights of `two_layers` for LANES inputs of either side."""


def shorts(floats: Any) -> Any:
    """The memory of a float64 array as int16; compiled, by its address, without its size."""
    return floats.view(np.int16)


@inlined
def copy(shorts: Any, to: int, at: int, width: int) -> None:
    """Copy the `width` numbers from `at` on to `to` on."""
    for lane in range(0, width, LANES):
        copy_lanes(shorts, to + lane, at + lane)


@inlined
def add(shorts: Any, to: int, at: int, width: int) -> None:
    """Add the `width` numbers from `at` on to those from `to` on; what overflows wraps round."""
    for lane in range(0, width, LANES):
        add_lanes(shorts, to + lane, at + lane)


@inlined
def subtract(shorts: Any, to: int, at: int, width: int) -> None:
    """Subtract the `width` numbers from `at` on from those from `to` on; what overflows wraps round."""
    for lane in range(0, width, LANES):
        subtract_lanes(shorts, to + lane, at + lane)


@inlined
def exchange(shorts: Any, to: int, at: int, gone: int, width: int) -> None:
    """Add the `width` numbers from `at` on, and subtract those from `gone` on; what overflows wraps round."""
    for lane in range(0, width, LANES):
        exchange_lanes(shorts, to + lane, at + lane, gone + lane)


def copy_lanes(shorts: Any, to: int, at: int) -> None:
    """`copy` of LANES numbers."""
    shorts[to : to + LANES] = shorts[at : at + LANES]


def add_lanes(shorts: Any, to: int, at: int) -> None:
    """`add` of LANES numbers."""
    shorts[to : to + LANES] += shorts[at : at + LANES]


def subtract_lanes(shorts: Any, to: int, at: int) -> None:
    """`subtract` of LANES numbers."""
    shorts[to : to + LANES] -= shorts[at : at + LANES]


def exchange_lanes(shorts: Any, to: int, at: int, gone: int) -> None:
    """`exchange` of LANES numbers."""
    shorts[to : to + LANES] += shorts[at : at + LANES] - shorts[gone : gone + LANES]


def two_layers(shorts: Any, first: int, second: int, weights: int, width: int, shift: int) -> int:
    """What a layer of OUTPUTS numbers makes of the `width` from `first` and `second` on, and a last one of these.

    Inputs are held within 0 and 1 << `shift`. The numbers of the layer are sums of products, shifted to the right,
    plus their biases, held likewise; the answer is their sum of products with the weights of the last layer, plus
    its bias << `shift`. From `weights` on stand, for LANES inputs of `first` and `second` after the other, the
    2 * LANES weights of each number of the layer; then the biases, the last weights and the last bias. All sums
    must be within 32 bits.
    """
    inputs = np.stack([shorts[at : at + width].reshape(-1, LANES) for at in (first, second)], 1).clip(
        0, 1 << shift
    )
    end = weights + 2 * width * OUTPUTS
    parts = shorts[weights:end].reshape(-1, OUTPUTS, 2 * LANES).astype(np.int64)
    sums = np.einsum("poi,pi->o", parts, inputs.reshape(-1, 2 * LANES))
    held = ((sums >> shift) + shorts[end : end + OUTPUTS]).clip(0, 1 << shift)
    last = end + OUTPUTS
    return int(held @ shorts[last : last + OUTPUTS].astype(np.int64) + (int(shorts[last + OUTPUTS]) << shift))


@instructions_of(shorts)
def _shorts(_context: Any, floats: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = context.make_array(signature.args[0])(context, builder, value=values[0]).data
        return builder.bitcast(found, _SHORT.as_pointer())

    return SHORTS(floats), generate


def _on_lanes(function: Any, operation: Any) -> None:
    """Let a function write what an operation makes of the numbers written over and of LANES others."""

    @instructions_of(function)
    def written(_context: Any, _shorts: Any, _to: Any, _at: Any) -> Any:
        return types.void(SHORTS, types.int64, types.int64), partial(_write, operation)


def _write(operation: Any, _context: Any, builder: Any, _signature: Any, values: Any) -> Any:
    pointer, to, *at = values
    place = _place(builder, pointer, to, LANES)
    numbers = builder.load(place, align=2), *(_load(builder, pointer, each, LANES) for each in at)
    builder.store(operation(builder, *numbers), place, align=2)


_on_lanes(copy_lanes, lambda _builder, _before, found: found)
_on_lanes(add_lanes, lambda builder, before, found: builder.add(before, found))
_on_lanes(subtract_lanes, lambda builder, before, found: builder.sub(before, found))


@instructions_of(exchange_lanes)
def _exchange(_context: Any, _shorts: Any, _to: Any, _at: Any, _gone: Any) -> Any:
    def operation(builder: Any, before: Any, come: Any, gone: Any) -> Any:
        return builder.sub(builder.add(before, come), gone)

    return types.void(SHORTS, *[types.int64] * 3), partial(_write, operation)


@instructions_of(two_layers)
def _layers(
    _context: Any, _shorts: Any, _first: Any, _second: Any, _weights: Any, _width: Any, _shift: Any
) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        pointer, first, second, weights, width, shift = values
        bits = builder.trunc(shift, _INT)
        one = builder.shl(_INT(1), bits)
        kind = ir.VectorType(_INT, OUTPUTS)
        total = cgutils.alloca_once_value(builder, ir.Constant(kind, [0] * OUTPUTS))
        with cgutils.for_range(builder, builder.sdiv(width, _LONG(LANES))) as loop:
            inputs = [builder.add(at, builder.mul(loop.index, _LONG(LANES))) for at in (first, second)]
            part = builder.add(weights, builder.mul(loop.index, _LONG(_PART)))
            sums = _sums(builder, pointer, inputs, part, builder.trunc(one, _SHORT))
            builder.store(builder.add(builder.load(total), sums), total)
        end = builder.add(weights, builder.mul(width, _LONG(2 * OUTPUTS)))

        def last(number: int) -> Any:
            return builder.sext(_load(builder, pointer, builder.add(end, _LONG(OUTPUTS * number)), OUTPUTS), kind)

        shifted = builder.ashr(builder.load(total), _splat(builder, bits, OUTPUTS))
        held = builder.mul(_between(builder, builder.add(shifted, last(0)), one), last(1))
        signature = ir.FunctionType(_INT, [held.type])
        reduce = cgutils.get_or_insert_function(builder.module, signature, f"llvm.vector.reduce.add.v{OUTPUTS}i32")
        bias = builder.shl(builder.extract_element(last(2), _INT(0)), bits)
        return builder.sext(builder.add(builder.call(reduce, [held]), bias), _LONG)

    return types.int64(SHORTS, *[types.int64] * 5), generate


def _sums(builder: Any, pointer: Any, inputs: list[Any], weights: Any, one: Any) -> Any:
    """For each output, the sum of products of LANES numbers from either of `inputs`, held within 0 and `one`."""
    active = [
        _between(builder, _load(builder, pointer, builder.add(at, _LONG(i)), _WIDE), one)
        for at in inputs
        for i in range(0, LANES, _WIDE)
    ]
    sums = []
    for number in range(0, _PART, 2 * LANES):
        rows = [builder.add(weights, _LONG(number + _WIDE * i)) for i in range(len(active))]
        loaded = [_load(builder, pointer, row, _WIDE) for row in rows]
        sums.append(_total(builder, list(map(partial(_products, builder), active, loaded))))
    while len(sums) > 1:
        sums = [_by_neighbours(builder, builder.add, a, b) for a, b in zip(sums[::2], sums[1::2], strict=True)]
    return sums[0]


def _products(builder: Any, a: Any, b: Any) -> Any:
    """The products of two vectors of _WIDE shorts, those of neighbours added: `pmaddwd` of x86 processors.

    Frozen, as LLVM does not find that instruction any more once it has put these additions in another order.
    """
    kind = ir.VectorType(_INT, OUTPUTS)
    even, odd = (
        builder.mul(*(builder.sext(builder.shuffle_vector(it, it, lanes), kind) for it in (a, b)))
        for lanes in _neighbours()
    )
    return _frozen(builder, builder.add(even, odd))


def _frozen(builder: Any, value: Any) -> Any:
    instruction = ir.instructions.Instruction(builder.block, value.type, "freeze", [value])
    builder._insert(instruction)
    return instruction


def _total(builder: Any, parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = builder.add(total, part)
    return total


def _by_neighbours(builder: Any, operation: Any, a: Any, b: Any) -> Any:
    """What an operation makes of the neighbours of two vectors of OUTPUTS numbers, those of the first first."""
    return operation(*(builder.shuffle_vector(a, b, lanes) for lanes in _neighbours()))


def _neighbours() -> tuple[Any, Any]:
    kind = ir.VectorType(_INT, OUTPUTS)
    return tuple(ir.Constant(kind, list(range(first, 2 * OUTPUTS, 2))) for first in range(2))


def _place(builder: Any, pointer: Any, index: Any, count: int) -> Any:
    place = builder.gep(pointer, [index])
    return builder.bitcast(place, ir.VectorType(_SHORT, count).as_pointer())


def _load(builder: Any, pointer: Any, index: Any, count: int) -> Any:
    return builder.load(_place(builder, pointer, index, count), align=2)


def _between(builder: Any, numbers: Any, most: Any) -> Any:
    zero, highest = ir.Constant(numbers.type, [0] * numbers.type.count), _splat(builder, most, numbers.type.count)
    above = builder.select(builder.icmp_signed(">", numbers, zero), numbers, zero)
    return builder.select(builder.icmp_signed("<", above, highest), above, highest)


def _splat(builder: Any, number: Any, count: int) -> Any:
    kind = ir.VectorType(number.type, count)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, _INT(0))
    every = ir.Constant(ir.VectorType(_INT, count), [0] * count)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), every)
