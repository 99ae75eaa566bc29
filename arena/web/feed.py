"""A run that is watched, as JSON; it is read for all windows together."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.base.files import REPORT
from arena.base.number import unbroken
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.rules.result import points_of
from arena.watch.elo import PROVISIONAL, EloSoFar, Refits
from arena.watch.live import Moment, Standing, Watcher
from arena.watch.words import COLUMNS, date, incident, outlook, ranked, row_of, test_line

READ_SECONDS = 1.0
"""Seconds between two readings of a run's ledger, at least."""
LARGEST_CROSSTABLE = 24
"""Players of a run above which its crosstable is not sent."""


class Feed:
    """One run. Any thread may call it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self._document: dict[str, Any] = {}
        self._watcher = Watcher(folder)
        self._refits = Refits(folder)
        self._due = -math.inf
        """`time.monotonic()` from which on the ledger is read again."""
        self._stamp: Any = None
        self._reading = threading.Lock()

    def document(self) -> dict[str, Any]:
        """The run, read again if that is due and anything was written since. Raises StoreError."""
        with self._reading:
            began, stamp = time.monotonic(), _stamp(self.folder)
            is_known = bool(self._document) and stamp == self._stamp and not self._document["playing"]
            if began >= self._due and not is_known:
                moment = self._watcher.read()
                elo = self._refits.of(moment, last=not moment.playing)
                self._document = _document(self.name, moment, elo) | {"reported": self._is_reported(elo)}
                self._stamp, self._due = stamp, began + READ_SECONDS
            return self._document

    def _is_reported(self, found: EloSoFar) -> bool:
        return bool(found.elo) and not found.provisional and (self.folder / REPORT).is_file()


class Feeds:
    """The runs below a folder, each read by one Feed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._feeds: dict[Path, Feed] = {}

    def of(self, folder: Path) -> Feed:
        """The Feed of a run's folder, which is the root or below it."""
        folder, root = folder.resolve(), self._root.resolve()
        name = root.name if folder == root else folder.relative_to(root).as_posix()
        return self._feeds.setdefault(folder, Feed(folder, name))

    def summaries(self) -> list[dict[str, Any]]:
        """The entries of a list of runs: those being played first, then the latest."""
        found = []
        for folder in self._folders():
            feed = self.of(folder)
            try:
                found.append(_summary(feed.document()))
            except StoreError as error:
                found.append({"run": feed.name, "error": str(error).replace(f"{folder}/", ""), "began": ""})
        found.sort(key=lambda it: it["began"], reverse=True)
        return sorted(found, key=lambda it: not it.get("playing"))

    def _folders(self) -> list[Path]:
        """The folders with a ledger, none of them reached by a link out of the root."""
        root = self._root.resolve()
        found = {path.parent.resolve() for path in root.rglob(FILE) if path.resolve().is_relative_to(root)}
        return sorted(path for path in found if path.is_relative_to(root))


def _document(name: str, moment: Moment, found: EloSoFar) -> dict[str, Any]:
    """A run at a moment, as JSON types, with its words; numbers that are not finite are None."""
    document = moment.as_dict(found.elo)
    standings = ranked(moment.standings, found.elo)
    numbers = {it["player"]: it for it in document["standings"]}
    session = document.pop("session")
    document |= {
        "run": name,
        "about": _about(moment),
        "progress": unbroken(outlook(moment)),
        "test": unbroken(test_line(moment)),
        "incidents": [
            it | {"text": incident(of)} for it, of in zip(document["incidents"], moment.incidents, strict=True)
        ],
        "columns": COLUMNS,
        "standings": [numbers[it.player] | {"text": _row(it, found)} for it in standings],
        "crosstable": _crosstable([it.player for it in standings], moment),
        "provisional": PROVISIONAL if found.provisional else "",
        "began": session["began"] if session else "",
    }
    finite: dict[str, Any] = _finite(document)
    return finite


def _row(standing: Standing, found: EloSoFar) -> dict[str, str]:
    row = row_of(standing, found.elo.get(standing.player))
    return {column: unbroken(text) for column, text in row.items()}


def _about(moment: Moment) -> str:
    """`english, round-robin, 5 players, begun 2026-11-22 03:44 UTC`."""
    begun = f", begun {date(moment.session.began)} UTC" if moment.session else ""
    return f"{moment.variant}, {moment.format}, {moment.players} players{begun}"


def _crosstable(players: list[str], moment: Moment) -> list[list[list[float]]]:
    if len(players) > LARGEST_CROSSTABLE:
        return []
    place = {player: number for number, player in enumerate(players)}
    table = [[[0.0, 0] for _ in players] for _ in players]
    for (white, black, result), games in moment.results.items():
        points = points_of(result)
        for row, column, won in ((place[white], place[black], points), (place[black], place[white], 1 - points)):
            table[row][column][0] += won * games
            table[row][column][1] += games
    return table


def _summary(document: Mapping[str, Any]) -> dict[str, Any]:
    names = ("run", "games", "planned", "complete", "playing", "began", "about", "progress")
    leader = next(iter(document["standings"]), None)
    return {name: document[name] for name in names} | {"leader": leader}


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(of) for of in value]
    return value


def _stamp(folder: Path) -> list[tuple[int, int] | None]:
    """File stamps that change when a ledger, its log or its report is written to."""
    found: list[tuple[int, int] | None] = []
    for name in (FILE, f"{FILE}-wal", REPORT):
        try:
            status = (folder / name).stat()
            found.append((status.st_mtime_ns, status.st_size))
        except OSError:
            found.append(None)
    return found
