"""Failures of players: who is withdrawn for them, and the bundle that each leaves in the run's folder."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from arena.base.files import replace
from arena.experiment.formats.base import Pairing
from arena.experiment.yaml.values import yaml_text
from arena.ledger.record import GameRecord, Incident, packed
from arena.rules.game import Termination

FOLDER = "incidents"
"""The folder of the bundles, in the run's."""
_BUNDLES = 20
"""Bundles of one player, at most: its first failures."""


class Failures:
    """The failed games of a tournament, and the players that are withdrawn.

    A player is withdrawn that failed in each of its first games in the schedule's order, `limit` of them: all its
    later games are lost unplayed, those that were played already among them, so that the games are the same
    whatever was played beside them. Where games are to be annulled, none of its games counts.
    """

    def __init__(self, names: Sequence[str], limit: int, *, annul: bool = False) -> None:
        """No failures yet of players with these names; a limit of 0 withdraws nobody."""
        self._names, self._limit, self._annul = names, limit, annul
        self._first: list[list[int]] = [[] for _ in names]
        self._failed: dict[int, str] = {}
        self._count: Counter[str] = Counter()

    def schedule(self, pairing: Pairing) -> None:
        """Take in the next game of the schedule."""
        for player in (pairing.white, pairing.black):
            if len(self._first[player]) < self._limit:
                self._first[player].append(pairing.game)

    def add(self, game: int, name: str) -> None:
        """Take in that a player failed in a game."""
        self._failed[game] = name
        self._count[name] += 1

    def remove(self, game: int) -> None:
        """Forget what was known of a game."""
        name = self._failed.pop(game, None)
        if name is not None:
            self._count[name] -= 1

    def __len__(self) -> int:
        return len(self._failed)

    def of(self, name: str) -> int:
        """How many games a player failed in."""
        return self._count[name]

    @property
    def withdrawn(self) -> set[int]:
        """The numbers of the players that are withdrawn."""
        return {player for player in range(len(self._names)) if self._is_withdrawn(player)}

    @property
    def annulled(self) -> frozenset[int]:
        """The numbers of the players of whom no game counts."""
        return frozenset(self.withdrawn if self._annul else ())

    def ruling(self, pairing: Pairing) -> GameRecord | None:
        """The record of a game that is lost as its players, or one of them, are withdrawn; else None."""
        lost = [
            player
            for player in (pairing.white, pairing.black)
            if self._is_withdrawn(player) and pairing.game not in self._first[player]
        ]
        if not lost:
            return None
        result = "1/2-1/2" if len(lost) == 2 else "0-1" if lost[0] == pairing.white else "1-0"
        names = " and ".join(self._names[player] for player in lost)
        why = f"{names} withdrawn after {self._limit} failures in the first {self._limit} games"
        why += ", whose games are annulled" if self._annul else ""
        return GameRecord(pairing, result, str(Termination.WITHDRAWN), 0.0, why, *packed([]))

    def _is_withdrawn(self, player: int) -> bool:
        first = self._first[player]
        return 0 < self._limit == len(first) and all(
            self._failed.get(game) == self._names[player] for game in first
        )


def bundle_of(folder: Path, game: int) -> Path:
    """Where the bundle of a failed game is, in a run's folder."""
    return folder / FOLDER / f"game-{game}.yaml"


def write_bundle(folder: Path, game: int, incident: Incident, earlier: int) -> Path | None:
    """Write what is known of a failure into a run's folder; None if the player has enough bundles, `earlier` ones.

    Raises OSError.
    """
    if earlier >= _BUNDLES:
        return None
    path = bundle_of(folder, game)
    path.parent.mkdir(exist_ok=True)
    document = {
        "game": game,
        **incident._asdict(),
        "moves": " ".join(incident.moves),
        "replay": shlex.join(["arena", "replay", str(folder), str(game)]),
    }
    return replace(path, lambda file: file.write_text(yaml_text(document), encoding="utf-8"))
