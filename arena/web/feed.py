"""A run that is watched: read for all windows together, and only while somebody looks."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from arena.base.files import REPORT
from arena.base.number import unbroken
from arena.ledger.ledger import FILE, experiment_and_facts
from arena.ledger.manifest import parsed
from arena.ledger.repair import documents
from arena.ledger.store import StoreError, reading
from arena.rules.custom import build_variant
from arena.rules.result import points_of
from arena.rules.variants import Variant
from arena.watch.elo import PROVISIONAL, EloSoFar, Refits
from arena.watch.live import Moment, Standing, Watcher
from arena.watch.underway import games_under_way
from arena.watch.words import COLUMNS, date, incident, outlook, ranked, row_of, test_line
from arena.web.boards import BoardKey, LiveBoards
from arena.web.documents import board_document
from arena.web.lanes import background

READ_SECONDS = 1.0
"""Seconds between two readings of a run's ledger, at least."""
MOST_READ_SECONDS = 5.0
"""Seconds between two such readings of a run that is played, at most."""
TICK_SECONDS = 0.15
"""Seconds between two looks at the games under way, at least."""
SHARE = 0.002
"""Share of a core that readings take, and looks, until they are due: fast games are seen more rarely."""
LARGEST_CROSSTABLE = 24
"""Players of a run above which its crosstable is not sent."""
MOST_SECONDS = 2.5
"""Seconds between two such looks, at most."""
_MOVING = ("now", "stored")
"""Parts of a document whose change is not sent."""
_Found = TypeVar("_Found")


class Feed:
    """One run: its `document`, and the boards of its games under way.

    `version` counts the documents. Coroutines of one loop use it; what takes long is done in a thread.
    """

    def __init__(self, folder: Path, name: str, pool: ThreadPoolExecutor) -> None:
        self.folder, self.name = folder, name
        self.version = 0
        self.document: dict[str, Any] = {}
        self._pool = pool
        self._watcher = Watcher(folder)
        self._refits = Refits(folder)
        self._due = -math.inf
        """`time.monotonic()` from which on the ledger is read again."""
        self._stamp: Any = None
        self._reading = threading.Lock()
        self._boards: LiveBoards | None = None
        self._are_shown = False
        self._changed = asyncio.Event()
        self._viewers = 0
        self._task: asyncio.Task[None] | None = None

    def refreshed(self) -> dict[str, Any]:
        """The document, read again if that is due and anything was written since.

        Raises StoreError. Any thread may call it.
        """
        with self._reading:
            began = time.monotonic()
            stamp = _stamp(self.folder)
            is_known = bool(self.document) and stamp == self._stamp and not self.document["playing"]
            if began < self._due or is_known:
                return self.document
            spent = time.thread_time()
            moment = self._watcher.read()
            self._stamp = stamp
            elo = self._refits.of(moment.results, moment.scale, last=not moment.playing)
            found = _document(self.name, moment, elo) | {"reported": self._is_reported(elo)}
            if _notable(found) != _notable(self.document):
                self.version += 1
            self.document = found
            spent = time.thread_time() - spent
            self._due = began + min(max(READ_SECONDS, spent / SHARE), MOST_READ_SECONDS)
            return found

    def board(self) -> dict[str, Any]:
        """The empty board of the run's rules, see `board_document`. Raises StoreError."""
        return board_document(self._rules()[0])

    @contextmanager
    def seen(self) -> Iterator[None]:
        """While it is entered, somebody looks."""
        self._viewers += 1
        if self._task is None or self._task.done():
            self._task = background(self._follow())
        try:
            yield
        finally:
            self._viewers -= 1
            if not self._viewers and self._task is not None:
                self._task.cancel()
                self._task = None

    @property
    def change(self) -> asyncio.Event:
        """Set as soon as there is anything newer than now."""
        return self._changed

    def news(self, sent: dict[BoardKey, tuple[int, str]]) -> dict[str, Any] | None:
        """The games under way as far as they were not sent yet, None if all were; brings `sent` up to date."""
        boards = {} if self._boards is None or not self._are_shown else self._boards.boards
        games = []
        gone = sent.keys() - boards.keys()
        for key in gone:
            del sent[key]
        for key, board in boards.items():  # they grow meanwhile, in another thread
            now = len(board.moves), board.shown.result
            if sent.get(key) != now:
                games.append(board.document(sent.get(key, (0, ""))[0], now[0]))
                sent[key] = now
        if not games and not gone:
            return None
        return {"type": "boards", "games": games, "workers": sorted({worker for worker, _ in boards})}

    async def _follow(self) -> None:
        version = -1
        while True:
            was_shown, wait = self._are_shown, READ_SECONDS
            try:
                document = await self._in_pool(self.refreshed)
                self._are_shown = bool(document["playing"])
                if self._are_shown:
                    took = await self._in_pool(self._look)
                    wait = min(max(TICK_SECONDS, took / SHARE), MOST_SECONDS)
            except StoreError as error:
                self.document = {**self.document, "error": str(error)}
                self.version += 1
                wait = 5 * READ_SECONDS
            if self._are_shown or was_shown or self.version != version:
                version = self.version
                changed, self._changed = self._changed, asyncio.Event()
                changed.set()
            await asyncio.sleep(wait)

    def _look(self) -> float:
        """Bring the boards up to date; returns the seconds of processor time that it took. Raises StoreError."""
        began = time.thread_time()
        if self._boards is None:
            self._boards = LiveBoards(*self._rules())
            began = time.thread_time()
        self._boards.update(games_under_way(self.folder))
        return time.thread_time() - began

    def _rules(self) -> tuple[Variant, Mapping[str, float | None]]:
        path = self.folder / FILE
        with reading(path) as connection:
            stored = documents(connection)
            experiment, _ = experiment_and_facts(stored, path)
            manifest = parsed(stored, path)
        return build_variant(experiment.variant), manifest.men if manifest is not None else {}

    def _is_reported(self, found: EloSoFar) -> bool:
        return bool(found.elo) and not found.provisional and (self.folder / REPORT).is_file()

    async def _in_pool(self, work: Callable[[], _Found]) -> _Found:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


class Feeds:
    """The runs below a folder, each read by one Feed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="watching")
        self._feeds: dict[Path, Feed] = {}

    def of(self, folder: Path) -> Feed:
        """The Feed of a run's folder, which is the root or below it."""
        folder, root = folder.resolve(), self._root.resolve()
        if folder not in self._feeds:
            name = root.name if folder == root else folder.relative_to(root).as_posix()
            self._feeds[folder] = Feed(folder, name, self._pool)
        return self._feeds[folder]

    async def summaries(self) -> list[dict[str, Any]]:
        """The entries of a list of runs: those being played first, then the latest."""
        found = []
        loop = asyncio.get_running_loop()
        for folder in await loop.run_in_executor(self._pool, self._folders):
            feed = self.of(folder)
            try:
                found.append(_summary(await loop.run_in_executor(self._pool, feed.refreshed)))
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
        "workers": session["workers"] if session else None,
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
    names = (
        "run", "name", "variant", "format", "games", "planned", "exact", "complete", "playing", "players", "rate",
        "seconds_left", "began", "reported", "about", "progress",
    )  # fmt: skip
    leader = next(iter(document["standings"]), None)
    return {name: document[name] for name in names} | {"leader": leader}


def _notable(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in _MOVING}


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
