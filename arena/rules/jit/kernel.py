"""The decorators of kernels, and the compilation of those that call themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from arena.rules.jit.cache import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

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
