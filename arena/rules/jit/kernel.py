"""The decorators of kernels, how kernels are called from Python, and the rules as their compile-time constants.

A kernel takes the rules as its first argument. Each rule set, an instance of `Rules`, has a numba type of its own,
whose attributes are constants to the compiler: so numba compiles a kernel once per rule set, with every test of a
rule folded away. `Values`, of the same fields, run through the same code without being compiled again.
"""

from __future__ import annotations

import gc
import hashlib
import sys
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import cache
from typing import Any, Literal, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.imputils import lower_getattr_generic
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import (
    AttributeTemplate,
    infer_getattr,
    infer_global,
    make_intrinsic_template,
)
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from arena.base.work import Announcement
from arena.rules.jit.cache import KernelCache, is_own
from arena.rules.rules import Rules

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = {"nopython": True, "nogil": True}

_inlined: list[Any] = []  # compiled `inlined` functions, kept here because numba's types only refer to them weakly

compiling = Announcement()
"""Announces each kernel that is compiled and not loaded, but those of `compiling_meanwhile`: nobody waits for
them."""
_meanwhile = threading.local()


class _Part(JITCodeLibrary):
    """The library of an inlined function, which its callers optimise with all else: what would optimise it alone
    and make it native, a sixth of all compilation, does nothing."""

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, _name: str, _environment: Any) -> None:
        pass

    def get_pointer_to_function(self, _name: str) -> int:
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


def _compiler_of_parts(typing: Any, target: Any, _library: Any, *options: Any) -> Any:
    return Compiler(typing, target, _Part(target.codegen(), "part"), *options)


class Kernel(CPUDispatcher):
    """A function that numba compiles for each combination of types, at the first call, and may keep on disk."""

    def __init__(self, function: Callable[..., Any], is_kept: bool = False, **options: Any) -> None:
        targetoptions = _OPTIONS | {"error_model": _error_model(function)} | options
        compiler: Any = _compiler_of_parts if "forceinline" in options else Compiler
        super().__init__(function, targetoptions=targetoptions, pipeline_class=compiler)
        self._is_kept = is_kept

    def compile(self, sig: Any) -> Any:
        """numba's, which looks for the kernel on disk now: decorating a function does not touch that."""
        if self._is_kept:
            self._is_kept, self._cache = False, KernelCache(self.py_func)
        with collecting_no_garbage():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba's, for plain types: compiled for literals, kernels that call themselves crash the process that
        loads them from the disk."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Let Python look for no cycles, which takes a tenth of a compilation: most of what numba makes lives on."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def kernel(function: F) -> F:
    """Compile `function` for each combination of types at its first call; the arena's own code is kept on disk."""
    return cast(F, Kernel(function, is_kept=is_own(function))) if is_compiling() else function


def inlined(function: F, written: Callable[..., Any] | None = None) -> F:
    """Compile `function`, or `written` in its place, into the kernels that call it; Python calls it as it is."""
    if is_compiling():
        compiled = Kernel(written or function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
        infer_global(function, types.Dispatcher(compiled))
        _inlined.append(compiled)
    return function


def instructions_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Let kernels that call `function` do what the decorated function writes instead, an intrinsic of numba's."""

    def register(definition: F) -> F:
        template = make_intrinsic_template(function, definition, function.__name__)
        infer_global(function, types.Function(template))
        return definition

    return register


def entry(function: F, returns: Any, *arguments: Any) -> F:
    """A kernel's native code for `arguments`, values or types, compiled or loaded, to be called from Python with
    values like them: in a tenth of the time of the kernel itself, as numba looks up no types; nothing checks
    them."""
    if not is_compiling():
        return function
    return cast(F, function.compile(_signature(returns, arguments)))  # type: ignore[attr-defined]


def address_of(function: Callable[..., Any], returns: Any, *arguments: Any) -> Any:
    """The address of a kernel's code for `arguments`, values or types, for `arena.rules.jit.native.call_at`; the
    function itself if kernels are not compiled."""
    if not is_compiling():
        return function
    compiled = function.get_compile_result(_signature(returns, arguments))  # type: ignore[attr-defined]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)


def callback(function: Callable[..., Any], signature: Any) -> Any:
    """Compile `function` for a numba signature, as code that kernels call through a pointer. Raises numba's error,
    which names the line, if the function uses what numba cannot compile."""
    options = {"error_model": _error_model(function)}
    compiled: Any = CFunc(function, (signature.args, signature.return_type), {}, options)
    if is_own(function):
        compiled._cache = KernelCache(function)
    compiled.compile()
    return compiled


@contextmanager
def native_errors() -> Iterator[list[BaseException]]:
    """The first exception of code of `callback`, which no kernel that calls it passes on: it goes on with 0."""
    raised, others = list[BaseException](), sys.unraisablehook

    def keep(unraisable: Any) -> None:
        if not isinstance(unraisable.object, str):  # numba names the code; Python gives an object
            others(unraisable)
        elif not raised:
            raised.append(unraisable.exc_value or unraisable.exc_type())

    sys.unraisablehook = keep
    try:
        yield raised
    finally:
        sys.unraisablehook = others


@contextmanager
def compiling_meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Run `work`, which compiles, in a thread; once the context is left, it compiles nothing more."""
    is_over = threading.Event()

    def run() -> None:
        _meanwhile.is_over = is_over
        with suppress(SystemExit):
            work()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


class _Listener(event.Listener):
    def on_start(self, event: event.Event) -> None:
        if is_own(event.data["dispatcher"].py_func):  # a user's few functions take no time to speak of
            is_over = getattr(_meanwhile, "is_over", None)
            if is_over is None:
                compiling()
            elif is_over.is_set():
                raise SystemExit

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _Listener())


def is_compiling() -> bool:
    """Whether kernels are compiled: not under NUMBA_DISABLE_JIT=1, where they run as Python functions."""
    return not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


def _error_model(function: Callable[..., Any]) -> Literal["numpy", "python"]:
    """How numba compiles divisions: by zero they raise in users' code; the arena's own never divides so."""
    return "numpy" if is_own(function) else "python"


def _signature(returns: Any, arguments: tuple[Any, ...]) -> Any:
    return returns(*(value if isinstance(value, types.Type) else numba.typeof(value) for value in arguments))


# --- rules as constants

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
