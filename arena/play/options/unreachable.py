"""Unreachable players: a run stops at a game that a service could not be reached for, and plays it again later."""

from __future__ import annotations

from arena.ledger.record import GameRecord
from arena.play.options.option import Option, Running, Unreachable
from arena.rules.result import NO_RESULT


class Services(Option):
    """The services of a run, as far as they are reachable."""

    def __init__(self, run: Running) -> None:
        super().__init__(run)
        self._unplayed: GameRecord | None = None
        """A game in which a player was not reachable."""

    def played(self, record: GameRecord) -> None:
        """Keep a game that has no result."""
        if record.result == NO_RESULT:
            self._unplayed = record

    def stops(self) -> bool:
        """Whether a player was not reachable."""
        return self._unplayed is not None

    def batch_ended(self) -> None:
        """Raise Unreachable if a player was not."""
        if self._unplayed is not None:
            raise Unreachable(f"game {self._unplayed.game}: {self._unplayed.error}")
