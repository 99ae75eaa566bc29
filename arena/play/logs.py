"""Logs: what players printed in games, a file for each."""

from __future__ import annotations

import re
from pathlib import Path

from arena.ledger.ledger import StoreError
from arena.ledger.record import GameRecord
from arena.rules.position import COLOURS

LOGS = "logs"
"""The folder of the files in a run's."""
MOST_BYTES = 4 << 20
"""Bytes of a file from which on no further game is added."""


def append_logs(folder: Path, record: GameRecord) -> None:
    """Append what White and Black printed in a game to their files, unless these are long. Raises StoreError."""
    for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
        if text:
            path = folder / LOGS / (re.sub(r"[^\w.-]", "_", player) + ".txt")
            game = f"game {record.id}, {record.white} against {record.black}, as {colour}"
            try:
                path.parent.mkdir(exist_ok=True)
                with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    if file.tell() < MOST_BYTES:
                        file.write(f"--- {game}\n{text.rstrip()}\n")
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from None
