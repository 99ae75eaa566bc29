"""The decorators of kernels, and how kernels are called from Python, through themselves or by their address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.typing.templates import infer_global

from arena.rules.jit.cache import LazyCache, numba_uses_cache_folder

F = TypeVar("F", bound=Callable[..., Any])

_inlined: list[Any] = []
"""Compiled `inlined` functions, kept here because numba's types only refer to them weakly."""


def kernel(function: F) -> F:
    """Compile `function` at its first call for each combination of types, and keep the code on disk."""
    return _cached(function, numba.njit(nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Compile `function` into the kernels that call it, where it vanishes; called from Python it is as written.

    So it needs neither a way in from Python nor a place in the cache, which take time to compile, too.
    """
    if is_compiling():
        jit: Any = numba.njit
        compiled = jit(
            nogil=True, error_model="numpy", forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
        )(function)
        infer_global(function, types.Dispatcher(_of_plain_types(compiled)))
        _inlined.append(compiled)
    return function


def entry(function: F, returns: Any, *arguments: Any) -> F:
    """A kernel's native code for `arguments`, values or types, to be called from Python with values like them.

    Compiled at the first call, and loaded from the disk afterwards. A call takes a tenth of the time of a call of
    the kernel itself, for which numba looks up the types of all arguments; here nothing checks them. Stating the
    returned type is what makes the on-disk cache of a recursive kernel sound (numba issue 6061).
    """
    if not is_compiling():
        return function
    return cast(F, function.compile(_signature(returns, arguments)))  # type: ignore[attr-defined]


def address_of(function: Callable[..., Any], returns: Any, *arguments: Any) -> Any:
    """The address of a kernel's code for `arguments`, values or types, for `arena.rules.jit.native.call_at`.

    The function itself if kernels are not compiled.
    """
    if not is_compiling():
        return function
    compiled = function.get_compile_result(_signature(returns, arguments))  # type: ignore[attr-defined]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)


def callback(function: Callable[..., Any], signature: Any) -> Any:
    """Compile `function` for a numba signature, as code that kernels call through a pointer; kept on disk.

    Raises numba's error, which names the line, if the function uses what numba cannot compile.
    """
    with numba_uses_cache_folder(function):
        return numba.cfunc(signature, cache=True, error_model="numpy")(function)


@contextmanager
def compilation_announced(announce: Callable[[], None]) -> Iterator[None]:
    """Call `announce` before the first kernel, if any, that has to be compiled and is not in the cache."""
    waiting = [announce]
    with event.install_listener("numba:compile", _Listener(starts=lambda: waiting and waiting.pop()())):
        yield


@contextmanager
def compilations_counted(count: Callable[[], object]) -> Iterator[None]:
    """Call `count` after each kernel that had to be compiled and was not in the cache, by any thread."""
    with event.install_listener("numba:compile", _Listener(ends=count)):
        yield


def announce_compilation() -> None:
    """Let `compilation_announced` know that another process compiles for this one."""
    event.broadcast(event.Event("numba:compile", event.EventStatus.START))


class _Listener(event.Listener):
    def __init__(self, starts: Callable[[], object] = bool, ends: Callable[[], object] = bool) -> None:
        self._starts, self._ends = starts, ends

    def on_start(self, event: event.Event) -> None:
        self._starts()

    def on_end(self, event: event.Event) -> None:
        self._ends()


def is_compiling() -> bool:
    """Whether kernels are compiled: not under NUMBA_DISABLE_JIT=1, where they run as Python functions."""
    return not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


def _cached(function: F, compiled: Any) -> F:
    if is_compiling():
        compiled._cache = LazyCache(function)
        _of_plain_types(compiled)
    return cast(F, compiled)


def _of_plain_types(compiled: Any) -> Any:
    """Keep numba from compiling a function once more for each literal that kernels call it with.

    Of a kernel that calls itself, such a copy could not be loaded from the cache either.
    """
    template = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template(tuple(map(types.unliteral, args)), kws)
    return compiled


def _signature(returns: Any, arguments: tuple[Any, ...]) -> Any:
    return returns(*(it if isinstance(it, types.Type) else numba.typeof(it) for it in arguments))
