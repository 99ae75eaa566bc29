"""Rules as compile-time constants.

A kernel receives the rules as its first argument. `Constants` gives each rule set a numba type of its own,
whose attributes are constants to the compiler: numba's ordinary dispatch then compiles a kernel once per rule
set, with every test of a rule folded away. A plain NamedTuple of the same fields runs through the same source
as values, without being compiled again.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, NamedTuple

from numba.core import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox


class Constants:
    """A NamedTuple of ints and bools that the compiler sees as constants; attributes read as on the tuple."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: NamedTuple) -> None:
        self._values = values
        self._hash = hash(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._values, name)

    @property
    def values(self) -> Any:
        """The NamedTuple itself."""
        return self._values

    def __reduce__(self) -> tuple[type[Constants], tuple[NamedTuple]]:
        return Constants, (self._values,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constants) and self._values == other._values

    def __hash__(self) -> int:
        return self._hash


class ConstantsType(types.Type):
    """The numba type of one `Constants`; two with the same values are the same type."""

    def __init__(self, values: NamedTuple) -> None:
        self.values = values
        digest = hashlib.sha256(repr(values).encode()).hexdigest()[:12]
        super().__init__(name=f"Constants_{digest}")


register_model(ConstantsType)(models.OpaqueModel)


@typeof_impl.register(Constants)
def _typeof_constants(value: Constants, _context: Any) -> ConstantsType:
    return _type_of(value.values)


@cache
def _type_of(values: NamedTuple) -> ConstantsType:
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
        return None if value is None else _type_of_constant(value)


@lower_getattr_generic(ConstantsType)
def _lower_constant(context: Any, _builder: Any, typ: ConstantsType, _value: Any, name: str) -> Any:
    value = getattr(typ.values, name)
    return context.get_constant(_type_of_constant(value), value)


def _type_of_constant(value: int) -> types.Type:
    return types.boolean if isinstance(value, bool) else types.int64
