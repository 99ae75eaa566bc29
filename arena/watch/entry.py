"""The entry of a run in a list: when and where it was played, how far it is, who leads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.ledger.store import StoreError
from arena.ratings.interval import Interval
from arena.watch.elo import RunReader
from arena.watch.live import Moment
from arena.watch.words import outlook


class Entry(NamedTuple):
    """A run of a list."""

    folder: Path
    name: str
    """Its folder below that of the list, as text."""
    state: str
    """`complete`, how far it is, or why it cannot be read."""
    moment: Moment | None = None
    """The run as it is; None if it cannot be read."""
    elo: dict[str, Interval] = {}  # noqa: RUF012  no field of a NamedTuple is changed
    """Best first, as its report has it, or, where that is not up to date, of the games so far."""
    is_provisional: bool = False
    """Whether that is Elo of the games so far."""

    @property
    def began(self) -> str:
        """When it was begun: UTC, as ISO 8601; "" where that is not known."""
        return self.moment.info.began if self.moment else ""

    @property
    def machine(self) -> str:
        """Where it is or was played last; "" where that is not known."""
        return self.moment.session.host if self.moment and self.moment.session else ""


def latest_first(runs: Iterable[Entry]) -> list[Entry]:
    """Runs by when they were begun."""
    return sorted(runs, key=lambda entry: (entry.began, entry.name), reverse=True)


def read_entry(folder: Path, root: Path, reader: RunReader) -> Entry:
    """The entry of the run in a folder, even if it is damaged; no game's moves are read."""
    name = folder.relative_to(root).as_posix() if folder != root else folder.resolve().name
    try:
        moment, (elo, is_provisional) = reader.look()
    except StoreError as error:
        return Entry(folder, name, error.reason)
    return Entry(folder, name, "complete" if moment.complete else outlook(moment), moment, elo, is_provisional)
