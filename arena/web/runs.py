"""The routes of runs: those of a folder, and one with its standings, its games and its report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.base.files import REPORT
from arena.ledger.game import stored_game
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError, reading
from arena.rules.game import Termination
from arena.rules.position import COLOURS
from arena.rules.result import RESULTS
from arena.web.documents import board_document, played_documents, position_document
from arena.web.feed import Feed, Feeds
from arena.web.guard import below, run_below
from arena.web.messages import Json, Refusal

MOST_GAMES = 200
"""Games that are listed at once."""
_COLUMNS = ("game", "white", "black", "opening", "result", "termination", "plies", "error")
_ORDERS = {"latest": "game DESC", "number": "game", "longest": "plies DESC, game", "shortest": "plies, game"}


class Wanted(NamedTuple):
    """Which games are listed; empty or 0 is any."""

    start: int = 0
    """Games of these that are passed over."""
    most: int = 50
    player: str = ""
    opponent: str = ""
    opening: int = 0
    result: str = ""
    """A result, or `won` or `lost` by the player."""
    end: str = ""
    """A value of `arena.rules.game.Termination`."""
    order: str = "latest"
    """One of `latest`, highest number first, `number`, `longest`, `shortest`."""


def game_list(folder: Path, wanted: Wanted) -> dict[str, Any]:
    """Some games of a run, how many such games there are, and the ends that games of the run have.

    Raises StoreError if they cannot be read.
    """
    where, values = _conditions(wanted)
    order = _ORDERS.get(wanted.order, _ORDERS["latest"])
    with reading(folder / FILE) as connection:
        connection.execute("BEGIN")
        count = connection.execute(f"SELECT COUNT(*) FROM games WHERE {where}", values).fetchone()[0]
        rows = connection.execute(
            f"SELECT {', '.join(_COLUMNS)} FROM games WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, min(wanted.most, MOST_GAMES), wanted.start),
        ).fetchall()
        ends = [row[0] for row in connection.execute("SELECT DISTINCT termination FROM games ORDER BY 1")]
    games = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    for game in games:
        game["end"] = Termination(game.pop("termination")).words
    return {
        "count": count,
        "games": games,
        "ends": [{"value": end, "text": Termination(end).words} for end in ends],
    }


def game_document(folder: Path, number: int) -> dict[str, Any]:
    """A game of a run for the board, with what there is to say of it.

    Raises StoreError if there is no such game, or it cannot be read.
    """
    stored = stored_game(folder, number)
    row, game = stored.record._asdict(), stored.played()
    return {
        **{name: row[name] for name in _COLUMNS},
        "number": game.number,
        "end": Termination(row["termination"]).words,
        "points": _points(row),
        "last": game.count,
        "variant": game.variant.name,
        "board": board_document(game.variant),
        "start": position_document(game.variant, game.start),
        "moves": played_documents(game),
        "fault": next((problem.message for problem in game.problems), ""),
    }


def _points(row: dict[str, Any]) -> dict[str, int] | None:
    """Each colour's points, where they decided the game."""
    found: dict[str, Any] = {colour: row[f"{colour}_points"] for colour in COLOURS}
    return None if None in found.values() else found


def _conditions(wanted: Wanted) -> tuple[str, list[Any]]:
    parts, values = ["1"], list[Any]()
    for name in filter(None, {wanted.player, wanted.opponent}):
        parts.append("(white = ? OR black = ?)")
        values += [name, name]
    if wanted.opening:
        parts.append("opening = ?")
        values.append(wanted.opening)
    if wanted.end:
        parts.append("termination = ?")
        values.append(wanted.end)
    if wanted.result in ("won", "lost") and wanted.player:
        white, black = ("white", "black") if wanted.result == "won" else ("black", "white")
        parts.append("((white = ? AND result = ?) OR (black = ? AND result = ?))")
        values += [wanted.player, white, wanted.player, black]
    elif wanted.result in RESULTS:
        parts.append("result = ?")
        values.append(wanted.result)
    return " AND ".join(parts), values


SANDBOX = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of a run's files: whatever a report holds, it is a stranger to the server's page."""
SUFFIXES = (".svg", ".png")
"""Of the files of a run that are shown, beside its report and that one's tables."""
_TYPES = {".csv": "text/csv", ".md": "text/plain", ".pdn": "text/plain", ".tex": "text/plain"}
_Answer = TypeVar("_Answer")


def routes(folder: Path) -> list[Route]:
    """The routes that show the runs below a folder; nothing is written there.

    They answer who may ask: whoever mounts them sees to that. Reads of ledgers are made in threads.
    """
    runs = _Runs(folder)
    api = "/api/runs/{run:path}"
    return [
        Route("/api/runs", runs.list, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}", runs.game, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}/pdn", runs.pdn, methods=["GET"]),
        Route(f"{api}/games", runs.games, methods=["GET"]),
        Route(api, runs.run, methods=["GET"]),
        Route("/runs/{run:path}/{name}", runs.file, methods=["GET"]),
    ]


class _Runs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._feeds = Feeds(folder)

    async def list(self, request: Request) -> Response:
        return Json({"runs": await _read(self._feeds.summaries)})

    async def run(self, request: Request) -> Response:
        feed = self._feed(request)
        return Json(await _read(feed.document))

    async def games(self, request: Request) -> Response:
        wanted = _wanted(dict(request.query_params))
        folder = self._feed(request).folder
        return Json(await _read(lambda: game_list(folder, wanted)))

    async def game(self, request: Request) -> Response:
        return Json(await self._of_game(request, game_document))

    async def pdn(self, request: Request) -> Response:
        text = await self._of_game(request, lambda folder, number: stored_game(folder, number).pdn())
        name = f"game-{request.path_params['number']}.pdn"
        return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    async def file(self, request: Request) -> Response:
        """A file of a report: nothing else of the folder."""
        from arena.report.files import FILES

        name = request.path_params["name"]
        feed = self._feed(request)
        if name not in (REPORT, *(file.name for file in FILES)) and not name.endswith(SUFFIXES):
            raise Refusal(404, "that is no file of a report")
        path = below(feed.folder, name)
        if not path.is_file() or path.name != name:
            raise Refusal(404, "that is no file of a report")
        return FileResponse(path, media_type=_TYPES.get(path.suffix), headers={"Content-Security-Policy": SANDBOX})

    async def _of_game(self, request: Request, work: Callable[[Path, int], _Answer]) -> _Answer:
        folder, number = self._feed(request).folder, request.path_params["number"]
        if number >= 1 << 63:
            raise Refusal(404, "no run has a game of that number")
        return await _read(lambda: work(folder, number))

    def _feed(self, request: Request) -> Feed:
        return self._feeds.of(run_below(self._folder, request.path_params["run"]))


async def _read(work: Callable[[], _Answer]) -> _Answer:
    try:
        return await asyncio.to_thread(work)
    except StoreError as error:
        raise Refusal(404, str(error)) from None


def _wanted(words: dict[str, Any]) -> Wanted:
    words = {name: value for name, value in words.items() if name != "token"}
    if unknown := words.keys() - {"from", "count", "player", "opponent", "opening", "result", "end", "order"}:
        raise Refusal(422, f"unknown filter {min(unknown)[:40]!r}")
    numbers: dict[str, Any] = {}
    for name, field, most in (
        ("from", "start", 1 << 40),
        ("count", "most", MOST_GAMES),
        ("opening", "opening", 1 << 40),
    ):
        text = words.pop(name, "")
        if not text:
            continue
        if not text.isdecimal() or not text.isascii() or len(text) > 12 or int(text) > most:
            raise Refusal(422, f"{name} is a whole number up to {most}")
        numbers[field] = int(text)
    return Wanted(**numbers | words)
