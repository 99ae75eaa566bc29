"""A run with its ratings: what every table is computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import pandas as pd

from arena.base import ArenaError
from arena.base.files import RUNS
from arena.base.wording import message_of
from arena.experiment.model import Experiment
from arena.experiment.submissions import given_elo
from arena.ledger.info import RunInfo
from arena.ledger.read import FinalOrder, RunData
from arena.ratings.joint import Ratings
from arena.ratings.misfit import placed
from arena.report.tables.effort import Survey, survey
from players.player import PlayerSpec

LARGE = 1_000_000
"""Plies of a run above which `moves.csv` and `games.pdn` are written only when asked for."""
_T = TypeVar("_T")
_U = TypeVar("_U")


@dataclass(frozen=True, eq=False)
class RatedRun:
    """A run as the ledger holds it, rated; `arena.report.run.Run` adds the tables."""

    folder: Path
    data: RunData

    @cached_property
    def experiment(self) -> Experiment:
        """The configuration, without the players that are withdrawn: `data.experiment` has all."""
        experiment, void = self.data.experiment, self.data.withdrawn
        players = tuple(player for player in experiment.players if player.name not in void)
        anchor = {player: elo for player, elo in experiment.anchor.items() if player not in void}
        return experiment.model_copy(update={"players": players, "anchor": anchor}) if void else experiment

    @property
    def info(self) -> RunInfo:
        """What the ledger has of the run besides the configuration and the games."""
        return self.data.info

    @cached_property
    def faults(self) -> Faults:
        """The parts of its report that could not be made."""
        return Faults()

    @property
    def name(self) -> str:
        """The run's name in the configuration."""
        return self.experiment.name

    @property
    def is_one_of_several(self) -> bool:
        """Whether it is one of the runs of a configuration that has several."""
        return (self.folder.parent / RUNS).is_file()

    @property
    def title(self) -> str:
        """The name, and of one of several runs which it is."""
        return f"{self.name}: {self.folder.name}" if self.is_one_of_several else self.name

    @property
    def players(self) -> list[str]:
        """Names in rank order."""
        return self.ratings.table["player"].tolist()

    @property
    def order(self) -> FinalOrder:
        """The final order of the format, without players that are withdrawn; empty where it has none."""
        return [place for place in self.data.order or () if place[0] not in self.data.withdrawn]

    @property
    def placed(self) -> list[str]:
        """Names of `players` as the standings have them: in the final order of the format if it has one."""
        place = {name: number for number, (name, _) in enumerate(self.order)}
        return sorted(self.players, key=lambda name: place.get(name, len(place)))

    @property
    def zero(self) -> str:
        """The reference of Elo, as text."""
        return self.zero_with(str)

    def zero_with(self, name_of: Callable[[str], str]) -> str:
        """The reference of Elo, as text, in which `name_of` gives the name of a player."""
        anchor = self.anchor
        if len(anchor) > 1:
            return f"as given for {len(anchor)} players"
        for player, elo in anchor.items():
            return f"{name_of(player)} = {elo:g}"
        once = ", two that are one player counted once" if self.ratings.twins else ""
        of = "all players" if len(self.ratings.groups) < 2 else "each group"
        return f"0 = information-weighted mean of {of}{once}"

    @property
    def large(self) -> bool:
        """Whether the run has more than LARGE plies."""
        return int(self.games["plies"].sum()) > LARGE

    @property
    def games(self) -> pd.DataFrame:
        """One row per game that counts; those of withdrawn players have the result * in the file."""
        return self.data.games

    @cached_property
    def ids(self) -> pd.Series:
        """The id of each of these games, by which people know it, by its number."""
        return self.games.set_index("game")["id"]

    @cached_property
    def survey(self) -> Survey:
        """The moves on which the tables rest: `tables.effort.survey`."""
        return survey(self.data.moves())

    @property
    def anchor(self) -> dict[str, float]:
        """Elo that is given, by player; of two players the Elo of one is that over the other."""
        return given_elo(self.experiment.players, self.experiment.anchor)

    @cached_property
    def ratings(self) -> Ratings:
        """The joint rating of all players."""
        players = [player.name for player in self.experiment.players]
        return placed(self.games, players, self.data.first, self.anchor)

    @property
    def compared(self) -> tuple[PlayerSpec, ...]:
        """The players that the run compares; none if Elo of several is given."""
        return () if len(self.experiment.anchor) > 1 else self.experiment.players


class Faults:
    """The faults of one run's page."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        """A line for the page and the terminal, by section."""

    def attempt(self, section: str, make: Callable[[], _T], otherwise: _U) -> _T | _U:
        """What `make` returns; `otherwise`, with the fault kept, if it raises an error that nobody foresaw.

        Damage, files that cannot be written and want of memory end the report: they are raised.
        """
        try:
            return make()
        except (ArenaError, OSError, MemoryError):
            raise
        except Exception as error:
            line = f"{section} could not be made: {type(error).__name__}: {message_of(error)}"
            self.found.setdefault(section, line)
            return otherwise
