"""What a list of runs says of each: when and where it was played, how far it is, who leads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.number import with_error
from arena.experiment.formats.fixed import Free
from arena.ledger.ledger import FILE
from arena.ledger.manifest import FILE as MANIFEST
from arena.ledger.store import StoreError
from arena.ledger.tree import WorkingTree
from arena.watch.elo import EloEstimate, EloScale, ResultCounts, so_far
from arena.watch.live import Moment, Watcher

_HASH = 10
"""Characters of a commit that are shown."""


class Entry(NamedTuple):
    """A run of a list."""

    folder: Path
    name: str
    """Its folder below that of the list, as text."""
    state: str
    """`complete`, how far it is, or why it cannot be read."""
    began: str = ""
    """Of its first session: UTC, as ISO 8601; "" where that is not known."""
    title: str = ""
    """The name in its configuration."""
    variant: str = ""
    format: str = ""
    players: int = 0
    games: int = 0
    elo: dict[str, EloEstimate] = {}  # noqa: RUF012  no field of a NamedTuple is changed
    """Best first, as its report has it, or, where that is not up to date, of the games so far."""
    results: ResultCounts = {}  # noqa: RUF012
    scale: EloScale = EloScale()
    machine: str = ""
    """`host, 2 cores`, of its last session."""
    processor: str = ""
    tree: WorkingTree | None = None
    """Of its last session."""
    signatures: dict[str, Any] = {}  # noqa: RUF012
    """By player, what it plays from fixed positions."""

    @property
    def readable(self) -> bool:
        """Whether anything is known of it but its state."""
        return bool(self.title)

    @property
    def open(self) -> bool:
        """Whether it is of games at the board, which nothing completes."""
        return self.format == Free().type

    @property
    def date(self) -> str:
        """`2026-11-22 03:44`, UTC."""
        return datetime.fromisoformat(self.began).strftime("%Y-%m-%d %H:%M") if self.began else ""

    @property
    def leader(self) -> str:
        """The player with the greatest Elo, "" before the first game."""
        return next(iter(self.elo), "")

    @property
    def leader_elo(self) -> str:
        """`+123 ± 45`."""
        return with_error(self.elo[self.leader].elo, self.elo[self.leader].error) if self.elo else ""

    @property
    def commit(self) -> str:
        """`b3aa652f01`, with a + if files differed from it."""
        return "" if self.tree is None else self.tree.commit[:_HASH] + "+" * self.tree.dirty


def entries(root: Path) -> list[Entry]:
    """The runs in a folder and in all folders below it, the latest first; those of no known date last."""
    found = [read_entry(folder, root) for folder in _folders(root)]
    return sorted(found, key=lambda entry: (entry.began, entry.name), reverse=True)


def read_entry(folder: Path, root: Path) -> Entry:
    """What there is to say of the run in a folder, be it damaged.

    No game's moves are read.
    """
    name = folder.relative_to(root).as_posix() if folder != root else folder.resolve().name
    try:
        moment = Watcher(folder).read()
    except StoreError as error:
        return Entry(folder, name, _reason(str(error), folder))
    manifest = _manifest(folder)
    sessions = manifest.get("sessions") or [{}]
    return Entry(
        folder,
        name,
        _state(moment),
        began=sessions[0].get("began", ""),
        title=moment.name,
        variant=moment.variant,
        format=moment.format,
        players=moment.players,
        games=moment.games,
        elo=so_far(folder, moment.results, moment.scale).elo,
        results=moment.results,
        scale=moment.scale,
        machine=_machine(sessions[-1]),
        processor=str((sessions[-1].get("machine") or {}).get("processor") or ""),
        tree=None if moment.session is None else moment.session.tree,
        signatures=manifest.get("signatures") or {},
    )


def _folders(root: Path) -> Iterator[Path]:
    for path in root.rglob(FILE):
        if path.is_file():
            yield path.parent


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest beside the ledger; empty if it is not there or damaged, as nothing depends on it."""
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _state(moment: Moment) -> str:
    if moment.complete:
        return "complete"
    if not moment.planned:
        return f"{moment.games} games, being played" if moment.playing else f"{moment.games} games"
    share = f"{moment.games} of {'' if moment.exact else 'at most '}{moment.planned} games"
    return f"{share}, being played" if moment.playing else share


def _machine(session: dict[str, Any]) -> str:
    """`host, 2 cores`, as far as it is known."""
    cores = (session.get("machine") or {}).get("cores")
    return ", ".join(part for part in (str(session.get("host") or ""), f"{cores} cores" if cores else "") if part)


def _reason(error: str, folder: Path) -> str:
    """Why a run cannot be read, without its folder, which stands beside."""
    return error.replace(f"{folder / FILE} ", "").replace(f"{folder}/", "")
