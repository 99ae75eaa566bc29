"""The routes of runs, live or finished: the runs of a folder, and the standings, games and files of one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.base.files import REPORT
from arena.base.number import unbroken
from arena.ledger.game import StoredGame, stored_game
from arena.ledger.ledger import FILE
from arena.ledger.store import reading
from arena.ratings.interval import Interval
from arena.rules.game import Termination
from arena.rules.position import COLOURS
from arena.watch.elo import PROVISIONAL, RunReader
from arena.watch.entry import Entry, latest_first, read_entry
from arena.watch.live import Standing
from arena.watch.words import COLUMNS, date, figures_of, loss, outlook, ranked, test_line
from arena.web.documents import board_document, finite, played_documents, position_document
from arena.web.guard import below, run_below
from arena.web.messages import Json, Refusal

LISTED = 50
"""Games that are listed at once."""
SANDBOX = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of a run's files: whatever a report holds, it is a stranger to the server's page."""
SUFFIXES = (".svg", ".png")
"""Of the files of a run that are shown, beside its report and that one's tables."""
_TYPES = {".csv": "text/csv", ".md": "text/plain", ".pdn": "text/plain", ".tex": "text/plain"}
_COLUMNS = ("game", "white", "black", "opening", "result", "termination", "plies", "error")


def routes(folder: Path, files: str) -> list[Route]:
    """The routes that show the runs below a folder, the files of their reports below the path `files`.

    Nothing is written there; ledgers are read in threads, which may raise StoreError. Whoever mounts the routes
    sees to who may ask.
    """
    runs = _Runs(folder)
    api = "/api/runs/{run:path}"
    return [
        Route("/api/runs", runs.all, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}", runs.game, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}/pdn", runs.pdn, methods=["GET"]),
        Route(f"{api}/games", runs.games, methods=["GET"]),
        Route(api, runs.run, methods=["GET"]),
        Route(f"{files}{{run:path}}/{{name}}", runs.file, methods=["GET"]),
    ]


class _Runs:
    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._readers: dict[Path, RunReader] = {}
        """Of the runs that are being played."""
        self._read: dict[Path, tuple[Any, Entry]] = {}
        """Each run as it was read last, with the stamp of its files."""
        self._reading = threading.Lock()

    def all(self, _: Request) -> Response:
        """The runs, each with its leader alone: those being played first, then the latest."""
        ledgers = (path for path in self._root.rglob(FILE) if path.resolve().is_relative_to(self._root))
        folders = {path.parent.resolve() for path in ledgers}
        runs = latest_first(map(self._entry, (path for path in folders if path.is_relative_to(self._root))))
        runs.sort(key=lambda entry: not (entry.moment and entry.moment.playing))
        return Json({"runs": [run_document(entry, players=1) for entry in runs]})

    def run(self, request: Request) -> Response:
        entry = self._entry(self._folder(request))
        if entry.moment is None:
            raise Refusal(404, f"{entry.name} {entry.state}")
        return Json(run_document(entry))

    def games(self, request: Request) -> Response:
        start = request.query_params.get("from", "0")
        if not (start.isascii() and start.isdecimal() and len(start) < 16):
            raise Refusal(422, "from is a whole number")
        return Json(game_list(self._folder(request), int(start)))

    def game(self, request: Request) -> Response:
        return Json(game_document(self._game(request)))

    def pdn(self, request: Request) -> Response:
        name = f"game-{request.path_params['number']}.pdn"
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return PlainTextResponse(self._game(request).pdn(), headers=disposition)

    def file(self, request: Request) -> Response:
        """A file of a report: nothing else of the folder."""
        from arena.report.files import FILES

        name, folder = request.path_params["name"], self._folder(request)
        is_reports = name in (REPORT, *(file.name for file in FILES)) or name.endswith(SUFFIXES)
        path = below(folder, name) if is_reports else None
        if path is None or not path.is_file() or path.name != name:
            raise Refusal(404, "that is no file of a report")
        return FileResponse(path, media_type=_TYPES.get(path.suffix), headers={"Content-Security-Policy": SANDBOX})

    def _game(self, request: Request) -> StoredGame:
        number = request.path_params["number"]
        if number >= 1 << 63:
            raise Refusal(404, "no run has a game of that number")
        return stored_game(self._folder(request), number)

    def _folder(self, request: Request) -> Path:
        return run_below(self._root, request.path_params["run"]).resolve()

    def _entry(self, folder: Path) -> Entry:
        """A run; it is read again where something was written since, or it is being played."""
        with self._reading:
            stamp = _stamp(folder)
            before, entry = self._read.get(folder, (None, None))
            if entry is None or folder in self._readers or stamp != before:
                reader = self._readers.pop(folder, None) or RunReader(folder)
                entry = read_entry(folder, self._root, reader)
                if entry.moment is not None and entry.moment.playing:
                    self._readers[folder] = reader
                self._read[folder] = stamp, entry
            return entry


def run_document(entry: Entry, players: int | None = None) -> dict[str, Any]:
    """A run at a moment, in words: how far it is, what went wrong, the standings of so many players at most."""
    moment, elo = entry.moment, entry.elo
    if moment is None:
        return {"run": entry.name, "error": entry.state}
    begun = f", begun {date(entry.began)} UTC" if entry.began else ""
    return {
        "run": entry.name,
        "name": moment.name,
        "about": f"{moment.variant}, {moment.format}, {moment.players} players{begun}",
        "games": moment.games,
        "planned": moment.planned,
        "complete": moment.complete,
        "playing": moment.playing,
        "progress": unbroken(outlook(moment)),
        "test": unbroken(test_line(moment)),
        "incidents": [{"player": forfeits.player, "text": loss(forfeits)} for forfeits in moment.incidents],
        "columns": COLUMNS,
        "standings": [_standing(row, elo.get(row.player)) for row in ranked(moment.standings, elo)[:players]],
        "provisional": PROVISIONAL if entry.is_provisional else "",
        "reported": (entry.folder / REPORT).is_file() and bool(elo) and not entry.is_provisional,
    }


def game_list(folder: Path, start: int) -> dict[str, Any]:
    """The latest games of a run after `start` of them, and how many there are. Raises StoreError."""
    with reading(folder / FILE) as connection:
        connection.execute("BEGIN")
        count = connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]
        rows = connection.execute(
            f"SELECT {', '.join(_COLUMNS)} FROM games ORDER BY game DESC LIMIT ? OFFSET ?", (LISTED, start)
        ).fetchall()
    games = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    return {
        "count": count,
        "games": [game | {"end": Termination(game.pop("termination")).words} for game in games],
    }


def game_document(stored: StoredGame) -> dict[str, Any]:
    """A game of a run for the board, with what there is to say of it."""
    row, game = stored.record._asdict(), stored.played()
    points = {colour: row[f"{colour}_points"] for colour in COLOURS}
    return {
        **{name: row[name] for name in _COLUMNS},
        "number": game.number,
        "end": Termination(row["termination"]).words,
        "points": None if None in points.values() else points,
        "last": game.count,
        "variant": game.variant.name,
        "board": board_document(game.variant),
        "start": position_document(game.variant, game.start),
        "moves": played_documents(game),
        "fault": next((problem.message for problem in game.problems), ""),
    }


def _standing(standing: Standing, elo: Interval | None) -> dict[str, Any]:
    """A player: its figures by column in words, its Elo and the ends of its interval as numbers."""
    text = {column: unbroken(text) for column, text in figures_of(standing, elo).items()}
    ends = None if elo is None else [finite(end) for end in (elo.value, elo.low, elo.high)]
    return {"player": standing.player, "text": text, "elo": None if ends is None or None in ends else ends}


def _stamp(folder: Path) -> list[tuple[int, int] | None]:
    """File stamps that change when a ledger, its log or its report is written to."""
    stamps: list[tuple[int, int] | None] = []
    for name in (FILE, f"{FILE}-wal", REPORT):
        try:
            status = (folder / name).stat()
            stamps.append((status.st_mtime_ns, status.st_size))
        except OSError:
            stamps.append(None)
    return stamps
