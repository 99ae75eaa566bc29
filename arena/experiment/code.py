"""What plays in a Python file, by its source: the code is never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import Path

MAX_SOURCE = 4 * 2**20
"""Bytes of a Python file that is read to find what plays in it."""


def statements_of(file: Path) -> Sequence[ast.stmt] | None:
    """The statements of a Python file; None of one that cannot be read, is too large, or has an error."""
    try:
        with warnings.catch_warnings(action="ignore"), file.open("rb") as source:
            code = source.read(MAX_SOURCE + 1)
            return ast.parse(code).body if len(code) <= MAX_SOURCE else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def only_evaluation(reference: str) -> str:
    """A Python file that is named alone with its only `@evaluator` behind it; any other text as it is."""
    if not reference.endswith(".py") or not Path(reference).is_file():
        return reference
    names = functions_in(statements_of(Path(reference)) or [])
    return f"{reference}:{names[0]}" if len(names) == 1 else reference


def playing_in(body: Sequence[ast.stmt]) -> list[str]:
    """The classes that have a method `choose` and the `@evaluator`s; whatever may be one if there are none."""
    surely = _choosing(body) + _evaluators(body)
    return surely or classes_in(body) + functions_in(body)


def classes_in(body: Sequence[ast.stmt]) -> list[str]:
    """The public classes that have a method `choose`; all public classes if none has it."""
    return _choosing(body) or [node.name for node in body if isinstance(node, ast.ClassDef) and _is_public(node)]


def functions_in(body: Sequence[ast.stmt]) -> list[str]:
    """The public functions that are decorated with `@evaluator`; all public ones but kernels if none is."""
    return _evaluators(body) or [node.name for node in _functions(body) if "kernel" not in _decorators(node)]


def _choosing(body: Sequence[ast.stmt]) -> list[str]:
    """The public classes with a method `choose`, of their own or of a class of the file that they extend."""
    able: set[str] = set()
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    for node in classes:  # each after the classes that it extends
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
        methods = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
        if "choose" in methods or not able.isdisjoint(bases):
            able.add(node.name)
    return list(dict.fromkeys(node.name for node in classes if node.name in able and _is_public(node)))


def _evaluators(body: Sequence[ast.stmt]) -> list[str]:
    return [node.name for node in _functions(body) if "evaluator" in _decorators(node)]


def _functions(body: Sequence[ast.stmt]) -> list[ast.FunctionDef]:
    """The public functions, the last one of each name."""
    by_name = {node.name: node for node in body if isinstance(node, ast.FunctionDef) and _is_public(node)}
    return list(by_name.values())


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {getattr(part, "attr", getattr(part, "id", "")) for part in function.decorator_list}


def _is_public(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return not node.name.startswith("_")
