"""The budget of a run: sums of players' own numbers after which no game begins."""

from __future__ import annotations

from collections.abc import Mapping

from arena.base.wording import listed, nearest, unknown
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.ledger import Ledger
from arena.ledger.packing import add_named
from arena.ledger.record import GameRecord
from arena.play.options.option import Option, Running, RunPaused

SPENT = "spent"
"""Key of the ledger's document with the sums of the players' own numbers, by name, over all plays of games."""


class BudgetSpent(RunPaused):
    """Stops a run whose budget is spent; it continues with a larger one."""

    code = 6


class Budget(Option):
    """The budget of a run. Numbers are added up without one, too: a budget may be given later."""

    key = "budget"

    def __init__(self, run: Running) -> None:
        super().__init__(run)
        self._budget: Mapping[str, float] = run.tournament.experiment.budget or {}
        self._spent: dict[str, float] = dict(run.ledger.documents().get(SPENT, {}))
        self._is_checked = not self._budget
        """Whether it is known that players report its numbers."""
        self._misspelt: ConfigError | None = None

    def played(self, record: GameRecord) -> None:
        """Add up the numbers of all plays of a game."""
        if numbers := [*record.uncounted, *filter(None, [record.extras])]:
            add_named(self._spent, numbers)
            self.run.ledger.put(SPENT, self._spent)

    def stored(self, record: GameRecord) -> None:
        """Once all players have moved that may report numbers, look whether they report those of the budget."""
        tournament, ledger, _, observer = self.run
        asked = tournament.entrants.costly or set(tournament.names)
        if self._is_checked or not asked <= _movers(ledger):
            return
        self._is_checked = True
        if not (missing := [name for name in self._budget if name not in self._spent]):
            return
        observer.say(f"budget: no player has reported {listed(missing, 'or')}")
        for name in missing:
            if nearest(name, self._spent) is not None:
                message = unknown("number", name, self._spent)
                self._misspelt = tournament.experiment.error(("budget", name), message)

    def stops(self) -> bool:
        """Whether a number is used up, or none is that of the budget."""
        return bool(self._misspelt or self._used_up())

    def batch_ended(self) -> None:
        """Raise BudgetSpent, or ConfigError for a budget that names another number than the players report."""
        if used := self._used_up():
            raise BudgetSpent(f"the budget is spent: {listed(used)}; a larger one lets the run continue")
        if self._misspelt is not None:
            raise self._misspelt

    def _used_up(self) -> list[str]:
        """The numbers that are used up, in words."""
        used = {name: self._spent.get(name, 0.0) for name in self._budget}
        return [
            f"{used[name]:,.10g} of {most:,.10g} {name}"
            for name, most in self._budget.items()
            if used[name] >= most
        ]


def _movers(ledger: Ledger) -> set[str]:
    """The players that have made a move in a stored game in which both did."""
    columns = ("SELECT white FROM games WHERE plies > 1", "SELECT black FROM games WHERE plies > 1")
    return {name for (name,) in ledger.rows(" UNION ".join(columns))}
