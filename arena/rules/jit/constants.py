"""Rules as compile-time constants.

A kernel takes the rules as its first argument. Each rule set, an instance of `Rules`, has a numba type of its own,
whose attributes are constants to the compiler: so numba compiles a kernel once per rule set, with every test of a
rule folded away. `Values`, of the same fields, run through the same code without being compiled again.
"""

from __future__ import annotations

import hashlib
from collections import namedtuple
from dataclasses import fields
from functools import cache
from typing import Any

from numba.core import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from arena.rules.rules import Rules

FIELDS: list[str] = [field.name for field in fields(Rules)]


class Values(namedtuple("Values", FIELDS)):  # type: ignore[misc]
    """Types rules as plain values. Kernels compiled for them, and kept on disk, name this class: it stays here."""

    __slots__ = ()

    def but(self, **changes: int) -> Any:
        """`Rules.but`."""
        return self._replace(**changes)


class ConstantsType(types.Type):
    """The numba type of one rule set; equal ones have the same type."""

    def __init__(self, values: Rules) -> None:
        self.values = values
        digest = hashlib.sha256(repr(values).encode()).hexdigest()[:12]
        super().__init__(name=f"Constants_{digest}")


register_model(ConstantsType)(models.OpaqueModel)


@typeof_impl.register(Rules)
def _typeof_constants(values: Rules, _context: Any) -> ConstantsType:
    return _type_of(values)


@cache
def _type_of(values: Rules) -> ConstantsType:
    """One type for equal values, made once, as every call of a kernel asks for it."""
    return ConstantsType(values)


@unbox(ConstantsType)
def _unbox_constants(_typ: Any, _value: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@infer_getattr
class _ConstantsAttribute(AttributeTemplate):
    key = ConstantsType

    def generic_resolve(self, typ: Any, name: str) -> Any:  # type: ignore[override]
        value = getattr(typ.values, name, None)
        return _type_of_constant(value) if isinstance(value, int) else None


@lower_getattr_generic(ConstantsType)
def _lower_constant(context: Any, _builder: Any, typ: ConstantsType, _value: Any, name: str) -> Any:
    value = getattr(typ.values, name)
    return context.get_constant(_type_of_constant(value), value)


def _type_of_constant(value: int) -> types.Type:
    return types.boolean if isinstance(value, bool) else types.int64
