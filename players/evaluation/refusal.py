"""Refusals of evaluations that cannot be compiled: the line to blame, and the reason in plain words."""

from __future__ import annotations

import builtins
import dis
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import CodeType
from typing import Any

from arena.base.wording import nearest
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation import features
from players.loading import blame, did_you_mean, meant

_NO_GETATTR = "getattr is not possible in compiled code: write the name, features.men"
_PLAIN_WORDS = (
    (r"No conversion from (.+) to float64 .*", r"it must return a number on every path, not \1"),
    (r"\.*\s*Raised from .*", ""),
    (r"type Constants_\w+", "rules"),
    (r"type Position\(.*?\)", "position"),
    (r"(Untyped global name '\w+'): .*<class 'function'>", r"\1: a function that is called needs @kernel"),
    (r"Untyped global name ('\w+'): .*<class '(dict|list|set)'>", r"\1 is a \2: use numbers or a tuple"),
    (
        r"UnsupportedBytecodeError: .*\((STORE|DELETE)_GLOBAL\).*",
        "it cannot change a global name (`global`): a value depends on the position alone",
    ),
    (
        r"Cannot bind 'args=.*' to signature '(.+)' due to \"TypeError: (.+)\"\.?",
        lambda found: f"a function is called with other arguments than it takes, {_untyped(found[1])}: {found[2]}",
    ),
    (r"No implementation of function Function\(<built-in function getattr>\) .*", _NO_GETATTR),
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
    (r"(Unknown attribute '\w+' of) type (?:int|float|bool)\w*", r"\1 a number"),
    (r"The use of a reflected list.* assigned to variable ('\w+').*", r"\1 is a list: use numbers or a tuple"),
)
"""The compiler's messages, and ours in their place."""


def refusal(function: Callable[..., Any], source: str, error: Exception) -> str:
    """One line of why a function of a file does not compile, with the file's line and a name that may be meant."""
    if isinstance(error, TypeError) and (line := line_that_calls("getattr", function)):
        return f"line {line}: {_NO_GETATTR}"
    reason = blame(error, source, _likely_line(function, error))
    if re.search(r"DictType\[|<class 'dict'>\) found", str(error)):
        reason = re.sub("No implementation of .*", "this dict cannot be compiled: use numbers or a tuple", reason)
    for pattern, words in _PLAIN_WORDS:
        reason = re.sub(pattern, words, reason)
    return reason + _hint(function, reason)


def _untyped(signature: str) -> str:
    """A function's arguments without their types."""
    return re.sub(r": '[^']*'| -> '[^']*'", "", signature)


def line_that_calls(builtin: str, function: Callable[..., Any]) -> int | None:
    """The line where a function, or a kernel of its file that it calls, calls a builtin; None where none does."""
    for caller, instruction in _instructions(function):
        if instruction.argval == builtin and builtin not in caller.__globals__:
            return _line(instruction)
    return None


def _likely_line(function: Callable[..., Any], error: Exception) -> int:
    """The line where a function uses what an error says there is not or cannot be done, else its first line."""
    missing = re.search(r"name '(\w+)' is not defined|no attribute '(\w+)'", str(error))
    for _, instruction in _instructions(function):
        if instruction.opname.endswith("E_GLOBAL") and instruction.opname in str(error):
            return _line(instruction) or function.__code__.co_firstlineno
        if missing and instruction.argval in missing.groups() and (line := _line(instruction)):
            return line
    return function.__code__.co_firstlineno


def _hint(function: Callable[..., Any], reason: str) -> str:
    """` (did you mean 'popcount'?)` where a name is misspelt, otherwise nothing."""
    if name := re.search(r"name '(\w+)' is not defined", reason):
        seen = {name: name for caller in _functions(function) for name in _names(caller)}
        written = {name: f"features.{name}" for name in _public(features)} | seen
        close = nearest(name[1], written)
        return did_you_mean(close and written[close])
    if name := re.search(r"module '[\w.]+\.features' has no attribute '(\w+)'", reason):
        return meant(name[1], _public(features))
    if name := re.search(r"Unknown attribute '(\w+)' of (position|rules)", reason):
        of_rules = [field.name for field in fields(Rules)]
        return meant(name[1], Position._fields if name[2] == "position" else of_rules)
    return ""


def _names(function: Callable[..., Any]) -> set[str]:
    return {*function.__code__.co_varnames, *function.__globals__, *dir(builtins)}


def _public(module: Any) -> list[str]:
    return [name for name, thing in vars(module).items() if callable(thing) and name.islower()]


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
