"""What games leave beside the ledger: bundles of failures, and what outside programs said (`log: true`)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from arena.base.files import replace
from arena.base.writing import write_text
from arena.experiment.yaml.values import yaml_text
from arena.ledger.record import GameRecord
from arena.rules.position import COLOURS

INCIDENTS, LOGS = "incidents", "logs"
"""The folders in the run's."""
MOST = 20
"""Bundles, and logs, of one player that are kept: the first ones."""


def bundle_of(folder: Path, game: int) -> Path:
    """The bundle of a failed game in a run's folder."""
    return folder / INCIDENTS / f"game-{game}.yaml"


def write_beside(folder: Path, record: GameRecord, failures: Mapping[str, int]) -> None:
    """Write a game's bundle, if a player failed in it, and its logs into a run's folder. Raises OSError.

    `failures` is how often each player has failed, in this game, too.
    """
    incident = record.incident
    if incident is not None and failures[incident.player] <= MOST:
        document = {
            "game": record.game,
            **incident._asdict(),
            "moves": " ".join(incident.moves),
            "replay": shlex.join(["arena", "replay", str(folder), str(record.game)]),
        }
        _write(bundle_of(folder, record.game), yaml_text(document))
    for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
        file_name = re.sub(r"[^\w.-]", "_", player)
        if text and len(list((folder / LOGS).glob(f"game-*-{file_name}.txt"))) < MOST:
            _write(folder / LOGS / f"game-{record.game}-{colour}-{file_name}.txt", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    replace(path, partial(write_text, text))
