"""What plays in a Python file, by its source: the code is never run."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

MAX_SOURCE = 4 * 2**20
"""Bytes of a Python file that is read to find what plays in it."""


def playing_in(file: Path, *keys: str) -> dict[str, str]:
    """The public names in a file that may play, each with the key of an entry that takes it, one of `keys`.

    `type` takes a class, `evaluation` a function. Where some have a method `choose`, of their own or of a class of
    the file that they extend, or the decorator `@evaluator`, only these do. A file that cannot be read, is too
    large or has an error has none.
    """
    try:
        with warnings.catch_warnings(action="ignore"), file.open("rb") as source:
            code = source.read(MAX_SOURCE + 1)
            statements = ast.parse(code).body if len(code) <= MAX_SOURCE else []
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    sure: dict[str, str] = {}
    possible: dict[str, str] = {}
    choosing: set[str] = set()
    for node in statements:
        if isinstance(node, ast.ClassDef):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            key, plays = "type", "choose" in methods or not choosing.isdisjoint(map(_name, node.bases))
            choosing |= {node.name} if plays else set()
        elif isinstance(node, ast.FunctionDef) and "kernel" not in map(_name, node.decorator_list):
            key, plays = "evaluation", "evaluator" in map(_name, node.decorator_list)
        else:
            continue
        if key in keys and not node.name.startswith("_"):
            (sure if plays else possible)[node.name] = key
    return sure or possible


def _name(expression: ast.expr) -> str:
    """The last word of a name with dots."""
    return str(getattr(expression, "attr", getattr(expression, "id", "")))
