"""The entry of a run in a list: when and where it was played, how far it is, who leads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.ledger.info import Session
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.ratings.interval import Interval
from arena.watch.elo import so_far
from arena.watch.live import Watcher
from arena.watch.words import date, outlook


class Entry(NamedTuple):
    """A run of a list."""

    folder: Path
    name: str
    """Its folder below that of the list, as text."""
    state: str
    """`complete`, how far it is, or why it cannot be read."""
    began: str = ""
    """When it was begun: UTC, as ISO 8601; "" where that is not known."""
    title: str = ""
    """The name in its configuration."""
    variant: str = ""
    format: str = ""
    players: int = 0
    games: int = 0
    elo: dict[str, Interval] = {}  # noqa: RUF012  no field of a NamedTuple is changed
    """Best first, as its report has it, or, where that is not up to date, of the games so far."""
    session: Session | None = None
    """Its last one."""

    @property
    def readable(self) -> bool:
        """Whether anything is known of it but its state."""
        return bool(self.title)

    @property
    def date(self) -> str:
        """`2026-11-22 03:44`, UTC."""
        return date(self.began)

    @property
    def leader(self) -> str:
        """The player with the greatest Elo, "" before the first game."""
        return next(iter(self.elo), "")

    @property
    def leader_elo(self) -> str:
        """`+123 ± 45`."""
        return str(self.elo[self.leader]) if self.elo else ""

    @property
    def machine(self) -> str:
        """The host of its last session, "" where that is not known."""
        return self.session.host if self.session else ""


def entries(root: Path) -> list[Entry]:
    """The runs in a folder and in all folders below it, the latest first; those of no known date last."""
    found = [read_entry(folder, root) for folder in _folders(root)]
    return sorted(found, key=lambda entry: (entry.began, entry.name), reverse=True)


def read_entry(folder: Path, root: Path) -> Entry:
    """The entry of the run in a folder, even if it is damaged.

    No game's moves are read.
    """
    name = folder.relative_to(root).as_posix() if folder != root else folder.resolve().name
    try:
        moment = Watcher(folder).read()
    except StoreError as error:
        return Entry(folder, name, _reason(str(error), folder))
    return Entry(
        folder,
        name,
        "complete" if moment.complete else outlook(moment),
        began=moment.info.began,
        title=moment.name,
        variant=moment.variant,
        format=moment.format,
        players=moment.players,
        games=moment.games,
        elo=so_far(folder, moment.results, moment.scale).elo,
        session=moment.session,
    )


def _folders(root: Path) -> Iterator[Path]:
    for path in root.rglob(FILE):
        if path.is_file():
            yield path.parent


def _reason(error: str, folder: Path) -> str:
    """Why a run cannot be read, without its folder, which stands beside."""
    return error.replace(f"{folder / FILE} ", "").replace(f"{folder}/", "")
