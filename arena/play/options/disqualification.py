"""Disqualification: a player that fails in all of its games that count loses the later ones unplayed."""

from __future__ import annotations

from math import inf

from arena.base.wording import counted
from arena.experiment.formats.base import ScheduledGame
from arena.play.options.option import Option
from arena.play.schedule import Forfeits


class Disqualification(Option):
    """The disqualification of players, by `failures: {disqualify_after: ...}`."""

    def forfeits(self) -> Forfeits | None:
        """The players that are disqualified; None if nobody ever is."""
        experiment, names = self.run.tournament.experiment, self.run.tournament.names
        limit = experiment.failures.disqualify_after
        return Disqualified(names, limit, are_void=experiment.voids_games) if limit else None


class Disqualified(Forfeits):
    """The players that are disqualified, by the games at the head of the schedule, in their order.

    A player is after a game if it has failed in as many as the limit, and in all of its games up to that one that
    count. Where games of disqualified players are void, a game against one counts for nobody.
    """

    def __init__(self, names: list[str], limit: int, *, are_void: bool) -> None:
        """Of players that fail in `limit` games; `are_void`: no game of a disqualified one counts."""
        self._names, self._limit, self._are_void = names, limit, are_void
        self._failures = [0] * len(names)
        self._sound: list[set[int]] = [set() for _ in names]
        """The opponents against whom each player has played a game without a failure of its own."""
        self.after: dict[int, int] = {}
        """The number of the game after which each of the players was disqualified."""

    def losers(self, scheduled: ScheduledGame) -> list[int]:
        """The players of a game who lose it as they were disqualified before it."""
        return [
            player for player in (scheduled.white, scheduled.black) if self.after.get(player, inf) < scheduled.game
        ]

    def settle(self, scheduled: ScheduledGame, failed: str) -> bool:
        """Take in the next game, and who failed in it, or ""; whether that disqualifies anybody."""
        if self.losers(scheduled):
            return False
        for player, opponent in ((scheduled.white, scheduled.black), (scheduled.black, scheduled.white)):
            if self._names[player] == failed:
                self._failures[player] += 1
            else:
                self._sound[player].add(opponent)
        due = self._due() if failed else set()
        self.after |= dict.fromkeys(due, scheduled.game)
        self.void = frozenset(self.after if self._are_void else ())
        return bool(due)

    def why(self, name: str) -> str:
        """That a player was disqualified, and what that means for its games."""
        ending = ": its games do not count" if self._are_void else ""
        return f"{name} was disqualified after {counted(self._limit, 'failure')}{ending}"

    def _due(self) -> set[int]:
        """The players to disqualify now; where their games are void, none among themselves is sound."""
        due = {player for player, failures in enumerate(self._failures) if failures >= self._limit}
        due -= self.after.keys()
        while True:
            void = {*due, *self.after} if self._are_void else set()
            left = {player for player in due if self._sound[player] <= void}
            if left == due:
                return due
            due = left
