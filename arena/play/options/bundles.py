"""Files of single games in a run's folder: a bundle for each that failed, and what players printed in it."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path

from arena.base.files import replace
from arena.base.writing import write_text
from arena.experiment.yaml.values import yaml_text
from arena.ledger.record import LOGS, GameRecord, incident_file, losers, words_to_replay
from arena.play.options.option import Option, Running
from arena.rules.position import COLOURS

KEPT = 20
"""Bundles, and logs, of one player that are kept: the first ones."""


class Bundles(Option):
    """Bundles and logs of a run; who failed is said once for each player."""

    def __init__(self, run: Running) -> None:
        super().__init__(run)
        self._folder = run.ledger.path.parent
        self._failures = Counter(name for _, _, name in run.ledger.results() if name)
        """How often each player has failed."""
        self._told: set[tuple[str, str]] = set()
        """Who lost, and who of them failed, of what was said."""

    def ended(self, record: GameRecord) -> None:
        """Write a game's bundle, if a player failed in it, and its logs. Raises OSError."""
        if (incident := record.incident) is not None:
            self._failures[incident.player] += 1
            if self._failures[incident.player] <= KEPT:
                document = {
                    "game": record.game,
                    **incident._asdict(),
                    "moves": " ".join(incident.moves),
                    "replay": words_to_replay(self._folder, record.game),
                }
                _write(incident_file(self._folder, record.game), yaml_text(document))
        for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
            end = re.sub(r"[^\w.-]", "_", player) + ".txt"
            kept = (path.name.split("-", 3)[-1] for path in (self._folder / LOGS).glob(f"game-*{end}"))
            if text and list(kept).count(end) < KEPT:
                _write(self._folder / LOGS / f"game-{record.game}-{colour}-{end}", text)

    def stored(self, record: GameRecord) -> None:
        """Say who failed for the first time, and where the bundle is."""
        error = record.error
        told = {(name, record.failed) for name in losers(record.result, record.white, record.black)}
        if not error or told <= self._told:
            return
        self._told |= told
        if not record.failed:
            self.run.observer.say(f"game {record.game} and later: {error}")
        else:
            file = incident_file(self._folder, record.game)
            where = f" ({file})" if file.exists() else ""
            self.run.observer.say(f"game {record.game}: {error}; it loses{where}")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    replace(path, partial(write_text, text))
