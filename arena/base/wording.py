"""Words of messages: values with their types, quoted input, counts, unknown names and choices, exceptions."""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

MAX_CHARACTERS = 60
"""Characters of quoted input; of what is longer the middle is left out."""
MAX_MESSAGE = 10_000
"""Characters of an exception's message or traceback; of what is longer the middle, or beginning, is left out."""
MAX_CHOICES = 50
"""Choices that a message names; of more it gives their number."""

_NOUNS = {bool: "boolean", int: "whole number", float: "number", str: "text", list: "list", dict: "mapping"}
_NONE: Mapping[str, str] = MappingProxyType({})


def unknown(kind: str, word: str, valid: Collection[str], synonyms: Mapping[str, str] = _NONE) -> str:
    """`unknown player 'negamx'; did you mean 'negamax'? (choices: random, negamax)`, in one line.

    `synonyms` has what words stand for that are unlike any valid one: `{"time": "seconds"}`.
    """
    close = synonyms.get(word) or synonyms.get(word.lower()) or nearest(word, valid)
    hint = f"; did you mean {close!r}?" if close is not None else ""
    return f"unknown {kind} {quoted(word)}{hint} {choices(valid)}"


def choices(valid: Collection[str]) -> str:
    """`(choices: random, negamax)`, the first MAX_CHOICES of them."""
    return f"(choices: {first_few(list(valid), MAX_CHOICES) or 'none'})"


def nearest(word: str, valid: Collection[str], likeness: float = 0.6) -> str | None:
    """The valid word most like `word`, whatever their case, if their likeness, 0 to 1, reaches the one given."""
    by_lower = {name.lower(): name for name in valid}
    close = difflib.get_close_matches(word.lower(), by_lower, 1, likeness)
    return by_lower[close[0]] if close else None


def not_installed(what: str, library: str, extra: str) -> str:
    """`a network needs PyTorch, which is not installed: pip install 'draughts-arena[train]'`."""
    return f"{what} needs {library}, which is not installed: pip install 'draughts-arena[{extra}]'"


def phrase(value: Any) -> str:
    """A value of YAML with its type in words: `the text 'abc'`, `the whole number 3`, `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    return f"the {_NOUNS.get(type(value), type(value).__name__)} {quoted(value)}"


def quoted(value: Any, most: int = MAX_CHARACTERS) -> str:
    """A value as Python writes it, text in quotes and without line breaks, cut to `most` characters."""
    return _cut(printable(repr(value)), most)


def cut(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text in one line, its white space single spaces, cut to `most` characters."""
    return _cut(" ".join(text.split()), most)


def first_line(thing: Any) -> str:
    """The first paragraph of the docstring of a class, function or property, in one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n", maxsplit=1)[0].split())


def printable(text: str) -> str:
    """Text that can be written anywhere: characters without a shape of their own are escaped as in Python.

    Control characters but line ends and tabs, those that turn the direction of text, halves of characters.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1]
        for character in text
    )


def joined(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; nothing for no words."""
    *head, tail = list(words) or [""]
    return f"{', '.join(head)} {last} {tail}" if head else tail


def counted(n: int, noun: str, several: str = "") -> str:
    """A number of things: "1 game", "2,610 games"; `several` is the plural of a noun that does not end in s."""
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"


def first_few(parts: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first parts, and how many more there are: "a, b and 3 more"; "a; b; and 3 more"."""
    text = separator.join(parts[:most])
    if len(parts) <= most:
        return text
    return f"{text}{' ' if separator == ', ' else separator}and {len(parts) - most} more"


def message_of(error: BaseException) -> str:
    """An exception's message in one line, whatever it is made of."""
    try:
        return cut(printable(str(error)), MAX_MESSAGE)
    except BaseException:
        return "its message cannot be read"


def traceback_of(error: BaseException, behind: Sequence[str]) -> str:
    """The place where an exception was raised, as Python prints it.

    What calls the first code that is not in the folders `behind` is left out, if there is such code.
    """
    try:
        frames = traceback.extract_tb(error.__traceback__)
        first = next((n for n, frame in enumerate(frames) if not frame.filename.startswith(tuple(behind))), 0)
        lines = traceback.format_list(frames[first:])
        return printable("".join(lines))[-MAX_MESSAGE:]
    except BaseException:
        return ""


def _cut(text: str, most: int) -> str:
    """Leave out the middle of a text that is too long: what matters often stands at its end."""
    begun = most - most // 2
    return text if len(text) <= most else f"{text[:begun]}...{text[-(most // 2) :]}"
