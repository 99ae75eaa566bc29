"""What an option of a run is: something beside its games, which the core runs without."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from arena.experiment.model import Experiment
from arena.ledger.ledger import Ledger
from arena.ledger.record import GameRecord
from arena.play.inspection import Inspector
from arena.play.ready import Tournament
from arena.play.schedule import Forfeits
from arena.play.workers import Workers
from arena.watch.observer import Observer


class Running(NamedTuple):
    """A run that is begun or goes on."""

    tournament: Tournament
    ledger: Ledger
    workers: Workers = 1
    observer: Observer = Observer()


class Option:
    """Something that a run may have beside its games. As it stands it does nothing.

    What it needs is made ready with the tournament. An object of it is made when a run begins or goes on, and
    hears what happens there: of each game that it is `stored`; `after` the games. `arena.play.options.OPTIONS`
    lists all options.
    """

    key: ClassVar[str] = ""
    """Its key of the configuration, and of what it has made ready in `Tournament.prepared`."""

    @staticmethod
    def prepare(experiment: Experiment) -> Any:
        """Check its key of a configuration, and make what it needs. Raises ConfigError."""

    @staticmethod
    def inspector(experiment: Experiment, *, is_close: bool) -> Inspector | None:
        """How it inspects players before a run, closely or for a short time, if it does."""

    @staticmethod
    def plan(tournament: Tournament) -> str | None:
        """What `arena plan` says of it, after the number of games."""

    def __init__(self, run: Running) -> None:
        self.run = run

    def is_missing(self) -> bool:
        """Whether something of it is missing although all games are played, so that the run goes on."""
        return False

    def forfeits(self) -> Forfeits | None:
        """Who loses games unplayed, if it says so."""

    def stored(self, record: GameRecord) -> None:
        """Hear of a game that is stored, as its observer does."""

    def after(self) -> bool:
        """Do what comes after the games; whether nobody stopped it."""
        return True

    @staticmethod
    def summary(experiment: Experiment, folder: Path) -> str | None:
        """What is printed of a run that is over, kept in `folder`."""
