"""The decorators of kernels, and how those are compiled that call themselves or are called through a pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from arena.rules.jit.cache import LazyCache, numba_uses_cache_folder

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` at its first call for each combination of types, and keep the code on disk."""
    return _cached(function, numba.njit(nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Like `kernel`, for small functions that are to vanish in their callers."""
    return _cached(function, numba.njit(nogil=True, error_model="numpy", forceinline=True)(function))


def prepare(function: Callable[..., Any], returns: Any, *arguments: Any) -> None:
    """Compile a kernel that calls itself, for the types of `arguments`; a no-op when that is done.

    Stating the returned type is what makes the on-disk cache of a recursive kernel sound (numba issue 6061).
    """
    if is_compiling():
        function.compile(returns(*(numba.typeof(argument) for argument in arguments)))  # type: ignore[attr-defined]


def callback(function: Callable[..., Any], signature: Any) -> Any:
    """Compile `function` for a numba signature, as code that kernels call through a pointer; kept on disk.

    Raises numba's error, which names the line, if the function uses what numba cannot compile.
    """
    with numba_uses_cache_folder(function):
        return numba.cfunc(signature, cache=True, error_model="numpy")(function)


def is_compiling() -> bool:
    """Whether kernels are compiled: not under NUMBA_DISABLE_JIT=1, where they run as Python functions."""
    return not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


def _cached(function: F, compiled: Any) -> F:
    """The compiled function, with a place in the cache."""
    if is_compiling():
        compiled._cache = LazyCache(function)
    return cast(F, compiled)
