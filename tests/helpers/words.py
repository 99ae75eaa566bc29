"""The words of messages, kept in one file: a test asserts a message's place and kind, and its words by this file.

`pytest --words FILES` makes the part of those test files again: words are improved in the program, and the diff
shows them.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import gettempdir

import pytest
from filelock import FileLock

KEPT = Path(__file__).parents[1] / "data" / "messages.json"
"""By file and test, the messages in the order in which the test saw them."""


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
                kept = kept_words().get(self._file, {}).get(self._test, [])
                expected = kept[len(self._seen)] if len(kept) > len(self._seen) else "nothing kept: pytest --words"
                assert text == expected
            self._seen.append(text)

    def close(self) -> None:
        """Keep what was seen, if it is to be remade."""
        if not self._remake or not self._seen:
            return
        with FileLock(Path(gettempdir()) / "arena-messages.lock"):
            kept = kept_words()
            kept.setdefault(self._file, {})[self._test] = self._seen
            KEPT.write_text(
                json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
            )


def kept_words() -> dict[str, dict[str, list[str]]]:
    """All words that are kept."""
    found: dict[str, dict[str, list[str]]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return found


def forget(files: set[str]) -> None:
    """Forget the words of files whose tests will all be seen again."""
    keep({file: tests for file, tests in kept_words().items() if file not in files})


def keep(kept: dict[str, dict[str, list[str]]]) -> None:
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
