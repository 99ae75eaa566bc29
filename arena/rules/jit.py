"""How kernels are compiled: the one jit decorator, its cache folder, and rules as compile-time constants.

A kernel receives the rules as its first argument. `Constants` gives each rule set a numba type of its own,
whose attributes are constants to the compiler: numba's ordinary dispatch then compiles a kernel once per rule
set, with every test of a rule folded away. A plain NamedTuple of the same fields runs through the same source
as values, without being compiled again.

numba's cache looks at a kernel's own file only, so a change of `board.py` would leave an old `movegen` in the
cache. The cache folder is therefore named by a hash of all kernel sources and of numba's version.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, models, overload, register_model, typeof_impl, unbox

PACKAGES = ("arena/rules", "players")
"""Folders whose sources are compiled, relative to the folder that holds the `arena` package."""
STALE_AFTER = 14 * 24 * 3600
"""Seconds after which the cache folder of other sources is deleted."""

F = TypeVar("F", bound=Callable[..., Any])


def cache_folder() -> Path:
    """The folder of this source tree's compiled kernels, `$XDG_CACHE_HOME/draughts-arena/<hash>`.

    `NUMBA_CACHE_DIR` overrides its parent. A place that cannot be written to is replaced by a temporary one.
    """
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(f"{numba.__version__} {ir.__name__}".encode())
    for package in PACKAGES:
        for source in sorted((root / package).glob("*.py")):
            digest.update(source.read_bytes())
    parent = os.environ.get("NUMBA_CACHE_DIR") or str(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "draughts-arena"
    )
    name = digest.hexdigest()[:16]
    for base in (Path(parent), Path(tempfile.gettempdir()) / f"draughts-arena-{os.getuid()}"):
        try:
            (base / name).mkdir(parents=True, exist_ok=True)
            if os.access(base / name, os.W_OK):
                _forget_stale(base, keep=name)
                os.utime(base / name)
                return base / name
        except OSError:
            continue
    return Path(tempfile.mkdtemp())


def _forget_stale(base: Path, keep: str) -> None:
    for folder in base.iterdir():
        if len(folder.name) == 16 and folder.name != keep and folder.is_dir():
            age = time.time() - folder.stat().st_mtime
            if age > STALE_AFTER:
                shutil.rmtree(folder, ignore_errors=True)


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def kernel(function: F) -> F:
    """Compile `function` at its first call for each combination of types, and keep the code on disk."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Like `kernel`, for small functions that are to vanish in their callers."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function))


def prepare(function: Callable[..., Any], returns: Any, *arguments: Any) -> None:
    """Compile a kernel that calls itself, for the types of `arguments`; a no-op when that is done.

    Stating the returned type is what makes the on-disk cache of a recursive kernel sound (numba issue 6061).
    """
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        function.compile(returns(*(numba.typeof(argument) for argument in arguments)))  # type: ignore[attr-defined]


class Constants:
    """A NamedTuple of ints and bools that the compiler sees as constants; attributes read as on the tuple."""

    __slots__ = ("_values",)

    def __init__(self, values: NamedTuple) -> None:
        self._values = values

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
        return hash(self._values)


class ConstantsType(types.Type):
    """The numba type of one `Constants`; two with the same values are the same type."""

    def __init__(self, values: NamedTuple) -> None:
        self.values = values
        digest = hashlib.sha256(repr(values).encode()).hexdigest()[:12]
        super().__init__(name=f"Constants_{digest}")


register_model(ConstantsType)(models.OpaqueModel)


@typeof_impl.register(Constants)
def _typeof_constants(value: Constants, _context: Any) -> ConstantsType:
    return ConstantsType(value.values)


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
