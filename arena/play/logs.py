"""What outside programs said in the games of a run, kept beside it where their entries have `log: true`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from arena.base.files import replace
from arena.base.writing import write_text
from arena.ledger.record import GameRecord
from arena.rules.position import COLOURS

LOGS = "logs"
"""The folder in the run's."""
MOST = 20
"""Games of one player that are kept, as many as bundles of its failures: the first ones to end."""


def write_logs(folder: Path, record: GameRecord, names: Sequence[str]) -> None:
    """Write what was said in a game into a run's folder, by the names of the run's players. Raises OSError."""
    players = names[record.pairing.white], names[record.pairing.black]
    for colour, player, text in zip(COLOURS, players, record.logs, strict=True):
        file_name = re.sub(r"[^\w.-]", "_", player)
        if text and len(list((folder / LOGS).glob(f"game-*-{file_name}.txt"))) < MOST:
            (folder / LOGS).mkdir(exist_ok=True)
            path = folder / LOGS / f"game-{record.pairing.game}-{colour}-{file_name}.txt"
            replace(path, partial(write_text, text))
