"""The words of messages, kept in one file: a test asserts a message's place and kind, and its words by this file.

`pytest --words FILES` remakes those of the tests that run, and forgets those of tests that are gone: words are
improved in the program, and the diff shows them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import pytest
from filelock import FileLock

from arena.base.files import replace

KEPT = Path(__file__).parents[1] / "data" / "messages.json"
"""By file and test, the messages in the order in which the test saw them."""

Kept = dict[str, dict[str, list[str]]]


class Words:
    """The messages of one test."""

    def __init__(self, item: pytest.Item, folder: Path, remake: bool) -> None:
        self._file, self._test = item.path.stem, item.name
        self._folder = folder
        self._remake = remake
        self._seen: list[str] = []

    def __call__(self, *messages: object) -> None:
        """Assert that the test's next messages are those kept; its folder is written as DIR."""
        for message in messages:
            text = str(message).replace(str(self._folder), "DIR")
            if not self._remake:
                kept = _first_read(KEPT).get(self._file, {}).get(self._test, [])
                expected = kept[len(self._seen)] if len(kept) > len(self._seen) else "nothing kept: pytest --words"
                assert text == expected
            self._seen.append(text)

    def close(self) -> None:
        """Keep what was seen, if it is to be remade."""
        if self._remake:
            change(lambda kept: kept.setdefault(self._file, {}).update({self._test: self._seen}))


def kept_words() -> Kept:
    """All words that are kept."""
    found: Kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return found


@cache
def _first_read(_path: Path) -> Kept:
    return kept_words()


def forget_what_is_gone(whole: Collection[str], items: Iterable[pytest.Item]) -> None:
    """Forget the words of tests that no longer are or have none, in files of which all tests were collected."""
    there: dict[str, set[str]] = {}
    for item in items:
        has_words = "words" in getattr(item, "fixturenames", ())
        there.setdefault(item.path.stem, set()).update([item.name] * has_words)

    def forget(kept: Kept) -> None:
        for file in there.keys() & set(whole):
            kept[file] = {test: seen for test, seen in kept.get(file, {}).items() if test in there[file]}

    change(forget)


def change(edit: Callable[[Kept], object]) -> None:
    """Change what is kept; the processes of a test run wait for each other."""
    with FileLock(Path(gettempdir()) / "arena-messages.lock"):
        edit(kept := kept_words())
        kept = {file: {test: seen for test, seen in tests.items() if seen} for file, tests in kept.items()}
        kept = {file: tests for file, tests in kept.items() if tests}
        text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        replace(KEPT, lambda new: new.write_text(text, encoding="utf-8"))
