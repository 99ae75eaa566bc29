"""A run as tables, read from its ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from arena.report.tables.catalogue import TABLES
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.stored import positions_in_parts
from arena.report.tables.table import RunTable


def _with_tables(run: type[Run]) -> type[Run]:
    """Give the class an attribute for each table that it does not define, and all of them their documentation."""
    for name, table in TABLES.items():
        if name not in vars(run):
            attribute = cached_property[Any](table.compute)
            attribute.__set_name__(run, name)
            setattr(run, name, attribute)
        vars(run)[name].__doc__ = table.documentation()
    run.__doc__ = f"{run.__doc__}\n    Tables: {', '.join(TABLES)}.\n    "
    return run


@_with_tables
@dataclass(frozen=True, eq=False)
class Run(RatedRun):
    """One run as the ledger holds it, finished or not: `arena.load("reports/quickstart")`.

    Its tables are DataFrames, computed when first asked for: `run.standings`. A missing value is one that does not
    exist; `_low` and `_high` are the ends of 95 % intervals.
    """

    card: Callable[[Run], str] | None = None
    """Makes the HTML that a notebook shows in place of the `repr`."""

    def __repr__(self) -> str:
        of = f" of {self.info.games}" if self.info.games else ""
        played, players = f"{self.played}{of} games", len(self.data.experiment.players)
        return f"<Run {self.name}: {self.rules}, {players} players, {played}, in {self.folder}>"

    def _repr_html_(self) -> str | None:
        return self.card(self) if self.card else None

    def table(self, table: RunTable) -> pd.DataFrame:
        """One of the tables: `run.table(STANDINGS)` is `run.standings`."""
        found = getattr(self, table.name)
        frame: pd.DataFrame = found() if callable(found) else found
        return frame

    def positions(self, games: Collection[int] | None = None) -> pd.DataFrame:
        """See `arena.report.tables.stored.POSITIONS`, for the games with these numbers, else for all."""
        return pd.concat(list(self.positions_in_parts(games)), ignore_index=True)

    def positions_in_parts(self, games: Collection[int] | None = None) -> Iterator[pd.DataFrame]:
        """The parts of `positions`, at least one; games are replayed, some thousand moves a second."""
        return positions_in_parts(self, games)

    @property
    def played(self) -> int:
        """How many games are stored, those that do not count among them."""
        return len(self.games) + len(self.void_games)
