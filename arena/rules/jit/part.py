"""How `inlined` functions are compiled: as far as their callers need it.

numba makes a library of each function, optimised as a whole and turned into native code. An inlined function
vanishes in its callers, which optimise it with all else: its library ends where those begin.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Part(JITCodeLibrary):
    """A library that is only linked into others: a step that makes it native does nothing."""

    @property
    def codegen(self) -> Any:
        """This library, which leaves out what it is asked to set in native code."""
        return self

    def set_env(self, _name: str, _environment: Any) -> None:
        pass

    def get_pointer_to_function(self, _name: str) -> int:
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


def compiler_of_parts(typing: Any, target: Any, _library: Any, *options: Any) -> Any:
    """numba's compiler, which leaves its code in a `_Part`."""
    part = _Part(target.codegen(), "part")  # type: ignore[no-untyped-call]
    return Compiler(typing, target, part, *options)
