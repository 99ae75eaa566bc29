"""The key of a function's compiled code: everything that it depends on, by value.

The compiler makes constants of what a function captures. So the key follows from its instructions, from the values
of the globals that these load, and from the same of all that it calls, wherever that stands.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.registry import CPUDispatcher

from arena.base.files import ROOT

_KNOWN = sys.stdlib_module_names | {"numpy", "numba", "builtins"}
"""Packages of which a name says everything, given their versions."""
_OURS = {"arena", "players"}
_DIGITS = 16


class _UnknownValue(Exception):
    """A captured value of which it is not known what compiled code makes of it."""


def code_key(function: Callable[..., Any]) -> str | None:
    """A key for the compiled code of a function of a user's own; None if it captures what has no key."""
    try:
        values = _of_function(function, [])
    except _UnknownValue:
        return None
    return hashlib.sha256(repr((numba.__version__, np.__version__, values)).encode()).hexdigest()[:_DIGITS]


def _of_function(function: Any, seen: list[object]) -> tuple[Any, ...]:
    """The instructions of a function, and what it captures; of one that is `seen`, where it stands."""
    for place, other in enumerate(seen):
        if other is function:
            return "again", place
    seen.append(function)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    captured = {name: _content(cell) for name, cell in cells}
    codes = list(_codes(function.__code__))
    attributes = frozenset(name for code in codes for name in code.co_names)
    loaded = {step.argval for code in codes for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    captured |= {name: function.__globals__[name] for name in loaded if name in function.__globals__}
    values = [(name, _of(captured[name], attributes, seen)) for name in sorted(captured)]
    defaults = _of((function.__defaults__, function.__kwdefaults__), attributes, seen)
    return "function", [_of_code(code, seen) for code in codes], sorted(loaded), values, defaults


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise _UnknownValue from None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and that of the functions within."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _of_code(code: CodeType, seen: list[object]) -> tuple[Any, ...]:
    constants = [_of(value, frozenset(), seen) for value in code.co_consts if not isinstance(value, CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_exceptiontable, code.co_flags, code.co_argcount, names, constants


def _of(value: Any, attributes: frozenset[str], seen: list[object]) -> tuple[str, Any]:
    """A value as something whose `repr` says everything of it; of a module the `attributes`."""
    content: Any
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.dtype | types.Type):
        content = repr(value)
    elif isinstance(value, tuple | list):
        content = [_of(part, attributes, seen) for part in value]
    elif isinstance(value, dict):
        content = [_of(pair, attributes, seen) for pair in value.items()]
    elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        content = value.dtype.descr, value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    elif isinstance(value, CPUDispatcher):
        options = sorted(map(repr, value.targetoptions.items()))
        content = options, _of_function(value.py_func, seen)
    elif isinstance(value, ModuleType):
        content = value.__name__, _of_module(value, attributes, seen)
    else:
        content = _of_named(value, seen)
    return f"{type(value).__module__}.{type(value).__qualname__}", content


def _of_module(module: ModuleType, attributes: frozenset[str], seen: list[object]) -> Any:
    if _is_known(module.__name__):
        return ()
    if any(module is other for other in seen):
        return "again"
    seen.append(module)
    names = sorted(name for name in attributes if hasattr(module, name))
    return [(name, _of(getattr(module, name), attributes, seen)) for name in names]


def _of_named(value: Any, seen: list[object]) -> Any:
    """A function or a class: by its name if that says everything. Raises _UnknownValue."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(value, np.ufunc):
        return value.__name__
    if name is not None and (module is None or _is_known(module)):
        return module, name
    if isinstance(value, FunctionType):
        return _of_function(value, seen)
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return name, [(member.name, repr(member.value)) for member in value]
    if isinstance(value, type) and issubclass(value, tuple):
        return name, getattr(value, "_fields", ())
    raise _UnknownValue


def _is_known(module: str) -> bool:
    """Whether a module's content follows from its name: Python's own, the compiler's, or the arena's."""
    package = module.partition(".")[0]
    if package not in _OURS:
        return package in _KNOWN
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and Path(file).is_relative_to(ROOT / package)
