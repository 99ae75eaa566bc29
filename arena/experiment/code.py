"""What plays in a Python file, by its source: the code is never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import Path

MAX_SOURCE = 4 * 2**20
"""Bytes of a Python file that is read to find what plays in it."""


def playing_in(file: Path, *keys: str) -> dict[str, str]:
    """The public names in a file that may play, each with the key of an entry that takes it, one of `keys`.

    `type` takes a class, `evaluation` a function. Where some have a method `choose`, of their own or of a class of
    the file that they extend, or the decorator `@evaluator`, only these do.
    """
    sure: dict[str, str] = {}
    possible: dict[str, str] = {}
    choosing: set[str] = set()
    for node in _statements(file):
        if isinstance(node, ast.ClassDef):
            key = "type"
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            plays = "choose" in methods or any(_name(base) in choosing for base in node.bases)
            choosing |= {node.name} if plays else set()
        elif isinstance(node, ast.FunctionDef) and "kernel" not in (marks := [*map(_name, node.decorator_list)]):
            key, plays = "evaluation", "evaluator" in marks
        else:
            continue
        if key in keys and not node.name.startswith("_"):
            (sure if plays else possible)[node.name] = key
    return sure or possible


def _name(expression: ast.expr) -> str:
    """The last word of a name with dots."""
    return str(getattr(expression, "attr", getattr(expression, "id", "")))


def _statements(file: Path) -> Sequence[ast.stmt]:
    """The statements of a Python file; none of one that cannot be read, is too large, or has an error."""
    try:
        with warnings.catch_warnings(action="ignore"), file.open("rb") as source:
            code = source.read(MAX_SOURCE + 1)
            return ast.parse(code).body if len(code) <= MAX_SOURCE else []
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
