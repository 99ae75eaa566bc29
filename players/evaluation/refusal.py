"""Refusals of evaluations that cannot be compiled: the line to blame, and the reason in plain words.

Python, which runs the function on the sample's positions, names the line; else the compiler's message is put in
words.
"""

from __future__ import annotations

import builtins
import dis
import re
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from arena.base.wording import nearest
from arena.rules.jit.cache import is_own
from arena.rules.jit.kernel import Kernel
from arena.rules.variants import Variant
from players.evaluation import features
from players.evaluation.sample import positions_of
from players.loading import blame, did_you_mean

_NO_GETATTR = "getattr is not possible in compiled code: write the name, features.men"
_PLAIN_WORDS = (
    (r"No conversion from (.+) to float64 .*", r"it must return a number on every path, not \1"),
    (r"type Constants_\w+", "rules"),
    (r"type Position\(.*?\)", "position"),
    (
        r"(?:not enough|too many) arguments: expected (\d+), got (\d+)",
        r"a function that takes \1 arguments has \2",
    ),
    (r"(Untyped global name '\w+'): .*<class 'function'>", r"\1: a function that is called needs @kernel"),
    (r"Untyped global name ('\w+'): .*<class '(dict|list|set)'>", r"\1 is a \2: use numbers or a tuple"),
    (
        r"No implementation of .*(?:DictType\[|<class 'dict'>).*",
        "this dict cannot be compiled: use numbers or a tuple",
    ),
    (
        r"UnsupportedBytecodeError: .*\((STORE|DELETE)_GLOBAL\).*",
        "it cannot change a global name (`global`): a value depends on the position alone",
    ),
    (
        r"No implementation of function Function\(<(?:built-in function|class) '?(\w+)'?>\) .*",
        r"\1 cannot be called with these arguments in compiled code",
    ),
    (
        r"Untyped global name '(\w+)': .*<class 'builtin_function_or_method'>",
        r"\1 is not possible in compiled code",
    ),
    (
        r"The use of yield in a closure is unsupported\.",
        "a generator (x for x in ...) is not possible in compiled code: write a loop",
    ),
    (r"The use of a reflected list.* assigned to variable ('\w+').*", r"\1 is a list: use numbers or a tuple"),
)
"""The compiler's messages, and ours in their place."""


def refusal(function: Callable[..., Any], source: str, error: Exception, variant: Variant) -> str:
    """One line of why a function of a file does not compile, with the file's line and a name that may be meant."""
    if line := line_that_calls("getattr", function):
        return f"line {line}: {_NO_GETATTR}"
    error = _raised_by_python(function, variant) or error
    changing = (
        _line(step) for _, step in _instructions(function) if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
    )
    reason = blame(error, source, next(changing, None) or function.__code__.co_firstlineno)
    for pattern, words in _PLAIN_WORDS:
        reason = re.sub(pattern, words, reason)
    return reason + _hint(function, error)


def _raised_by_python(function: Callable[..., Any], variant: Variant) -> Exception | None:
    """What Python finds wrong as it runs the function and the kernels of the user's own that it calls."""
    copies: dict[int, dict[str, Any]] = {}

    def uncompiled(called: Any) -> FunctionType:
        names = called.__globals__
        if id(names) not in copies:
            copies[id(names)] = copy = dict(names)
            users = {name: thing.py_func for name, thing in names.items() if isinstance(thing, Kernel)}
            copy |= {name: uncompiled(thing) for name, thing in users.items() if not is_own(thing)}
        defaults, closure = called.__defaults__, called.__closure__
        return FunctionType(called.__code__, copies[id(names)], called.__name__, defaults, closure)

    written = uncompiled(function)
    try:
        for position in positions_of(variant):
            written(position, variant.rules)
    except (AttributeError, NameError, TypeError) as error:
        return error
    except Exception:  # of what the code does, such as a file that is not there
        return None
    return None


def line_that_calls(builtin: str, function: Callable[..., Any]) -> int | None:
    """The line where a function, or a kernel of its file that it calls, calls a builtin; None where none does."""
    for caller, instruction in _instructions(function):
        if instruction.argval == builtin and builtin not in caller.__globals__:
            return _line(instruction)
    return None


def _hint(function: Callable[..., Any], error: Exception) -> str:
    """` (did you mean 'popcount'?)` where a name is misspelt, otherwise nothing."""
    if isinstance(error, AttributeError):
        return did_you_mean(nearest(error.name or "", _public(error.obj)))
    if isinstance(error, NameError):
        seen = {name: name for caller in _functions(function) for name in _names(caller)}
        written = {name: f"features.{name}" for name in _public(features)} | seen
        close = nearest(error.name or "", written)
        return did_you_mean(close and written[close])
    return ""


def _names(function: Callable[..., Any]) -> set[str]:
    return {*function.__code__.co_varnames, *function.__globals__, *dir(builtins)}


def _public(thing: Any) -> list[str]:
    return [name for name in dir(thing) if name.islower() and not name.startswith("_")]


def _instructions(function: Callable[..., Any]) -> Iterator[tuple[Callable[..., Any], dis.Instruction]]:
    for caller in _functions(function):
        inner = (part for part in caller.__code__.co_consts if isinstance(part, CodeType))  # comprehensions
        for code in (caller.__code__, *inner):
            yield from ((caller, instruction) for instruction in dis.get_instructions(code))


def _functions(function: Callable[..., Any]) -> list[Any]:
    """A function and the kernels of its file that it calls, directly or not."""
    functions = [function]
    for caller in functions:
        for name in caller.__code__.co_names:
            called = getattr(caller.__globals__.get(name), "py_func", None)
            if called is not None and called.__code__.co_filename == function.__code__.co_filename:
                functions += [called] if called not in functions else []
    return functions


def _line(instruction: dis.Instruction) -> int | None:
    return instruction.positions.lineno if instruction.positions else None
