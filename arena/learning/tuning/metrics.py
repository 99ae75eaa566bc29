"""metrics.jsonl of a tuning or a training: a JSON object per step, written when the step is done."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena.base.files import replace
from arena.ratings.match import Summary

FILE = "metrics.jsonl"


class Metrics:
    """The file, open for the steps that follow.

    A line has `step`, from 1, what the step found, and `seconds`, the wall time that it took in the session which
    finished it. The last lines are the matches: `match`, `games`, `score` (0 to 1), `elo` and `elo_error`.
    """

    def __init__(self, folder: Path, done: Iterable[Mapping[str, Any]]) -> None:
        """Keep the lines of the steps that are `done`, in their order, and no other; add those that are missing.

        Raises OSError if the file cannot be written.
        """
        self._path = folder / FILE
        known = {line["step"]: line for line in _lines(self._path) if "step" in line}
        kept = [{**step, **_seconds(known.get(step["step"], {}))} for step in done]
        text = "".join(_text(line) for line in kept)
        replace(self._path, lambda path: path.write_text(text, encoding="utf-8"))
        self._began = time.monotonic()

    def add_step(self, step: Mapping[str, Any]) -> None:
        """Append what a step found."""
        now = time.monotonic()
        self._append({**step, "seconds": round(now - self._began, 3)})
        self._began = now

    def add_match(self, name: str, match: Summary) -> None:
        """Append a match of what was found."""
        figures = {key: getattr(match, key) for key in ("games", "score", "elo", "elo_error")}
        self._append({"match": name, **figures})

    def _append(self, line: Mapping[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_text(line))


def _text(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def _seconds(line: Mapping[str, Any]) -> dict[str, Any]:
    return {"seconds": line["seconds"]} if "seconds" in line else {}


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of the file; a line that is damaged is none."""
    try:
        texts = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for text in texts:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        found += [line] if isinstance(line, dict) else []
    return found
