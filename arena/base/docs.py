"""Docstrings, which are shown to people, also where Python runs without them (`python -OO`)."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


def docstring(thing: Any) -> str:
    """The docstring of a class, function or property, from its source where Python has dropped it."""
    if thing.__doc__:
        return inspect.cleandoc(thing.__doc__)
    for attribute in ("func", "fget", "function", "py_func"):  # of properties, features and kernels
        thing = getattr(thing, attribute, None) or thing
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    except (OSError, TypeError, SyntaxError):
        return ""
    assert isinstance(definition, ast.ClassDef | ast.FunctionDef)
    return ast.get_docstring(definition) or ""


def first_line(text: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())
