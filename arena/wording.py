"""Words of error messages: a value with its type, and the choices that there are."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any

_NOUNS = {bool: "boolean", int: "whole number", float: "number", str: "text", list: "list", dict: "mapping"}


def choices(word: str, valid: Collection[str]) -> str:
    """The closest of the valid words, if one is close, and all of them."""
    close = difflib.get_close_matches(word.lower(), valid, 1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"(valid: {', '.join(map(repr, valid))})"


def shown(value: Any) -> str:
    """A value of YAML with its type in words, cut to 60 characters."""
    if value is None:
        return "nothing"
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return f"the {_NOUNS[type(value)]} {text if len(text) <= 60 else text[:60] + '...'}"
