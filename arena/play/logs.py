"""Logs: what programs said in games, and what was said to them, a file for each that is logged."""

from __future__ import annotations

import re
from pathlib import Path

from arena.ledger.ledger import StoreError
from arena.ledger.record import GameRecord

LOGS = "logs"
"""The folder of the files in a run's."""


def append_logs(folder: Path, record: GameRecord) -> None:
    """Append what was said in a game to the files of its logged players. Raises StoreError."""
    for name, text in zip((record.white, record.black), record.logs, strict=True):
        if text:
            path = folder / LOGS / (re.sub(r"[^\w.-]+", "-", name) + ".log")
            try:
                path.parent.mkdir(exist_ok=True)
                with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(f"--- game {record.id}: {record.white} - {record.black}\n{text.rstrip()}\n")
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from None
