"""The logs of a run's players, a file each; who failed is said once for each player."""

from __future__ import annotations

import re

from arena.ledger.record import GameRecord, losers
from arena.play.options.option import Option, Running
from arena.rules.position import COLOURS

LOGS = "logs"
"""The folder in the run's with what players printed."""
MOST_BYTES = 4 << 20
"""Bytes of a log from which on no further game is added."""


class Logs(Option):
    """What players print, in a file for each; who failed is said once."""

    def __init__(self, run: Running) -> None:
        super().__init__(run)
        self._folder = run.ledger.path.parent / LOGS
        self._told: set[tuple[str, str]] = set()
        """Who lost, and who of them failed, of what was said."""

    def stored(self, record: GameRecord) -> None:
        """Add what White and Black printed to their logs, and say who failed, once. Raises OSError."""
        for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
            if text:
                game = f"{record.white} against {record.black} from {record.opening_fen}, as {colour}"
                self._add(player, f"--- {game}\n{text.rstrip()}\n")
        error = record.error
        told = {(name, record.failed) for name in losers(record.result, record.white, record.black)}
        if not error or told <= self._told:
            return
        self._told |= told
        later = "" if record.failed else " and later"
        self.run.observer.say(f"game {record.game}{later}: {error}{'; it loses' if record.failed else ''}")

    def _add(self, player: str, text: str) -> None:
        self._folder.mkdir(exist_ok=True)
        name = re.sub(r"[^\w.-]", "_", player)
        with (self._folder / f"{name}.txt").open("a", encoding="utf-8") as log:
            if log.tell() < MOST_BYTES:
                log.write(text)
