"""The routes of runs: those of a folder, one with its standings, games and charts, and what happens in it live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from arena.base.files import REPORT
from arena.ledger.game import stored_game
from arena.ledger.store import StoreError
from arena.web.answers import Json, Refusal, send, until_gone
from arena.web.boards import BoardKey
from arena.web.charts import Charts
from arena.web.feed import Feed, Feeds
from arena.web.guard import below, run_below
from arena.web.kept import MOST_GAMES, Wanted, game_document, game_list

SANDBOX = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of a run's files: whatever a report holds, it is a stranger to the server's page."""
SUFFIXES = (".svg", ".png")
"""Of the files of a run that are shown, beside its report and that one's tables."""
_TYPES = {".csv": "text/csv", ".md": "text/plain", ".pdn": "text/plain", ".tex": "text/plain"}
_Answer = TypeVar("_Answer")


def routes(folder: Path) -> list[BaseRoute]:
    """The routes that show the runs below a folder; nothing is written there.

    They answer who may ask: whoever mounts them sees to that. Reads of ledgers are made in threads.
    """
    runs = _Runs(folder)
    api = "/api/runs/{run:path}"
    return [
        Route("/api/runs", runs.list, methods=["GET"]),
        Route(f"{api}/board", runs.board, methods=["GET"]),
        Route(f"{api}/charts", runs.charts, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}", runs.game, methods=["GET"]),
        Route(f"{api}/games/{{number:int}}/pdn", runs.pdn, methods=["GET"]),
        Route(f"{api}/games", runs.games, methods=["GET"]),
        WebSocketRoute(f"{api}/events", runs.events),
        Route(api, runs.run, methods=["GET"]),
        Route("/runs/{run:path}/charts/{name}.svg", runs.chart, methods=["GET"]),
        Route("/runs/{run:path}/{name}", runs.file, methods=["GET"]),
    ]


class _Runs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._feeds = Feeds(folder)
        self._charts = Charts()

    async def list(self, request: Request) -> Response:
        return Json({"runs": await self._feeds.summaries()})

    async def run(self, request: Request) -> Response:
        feed = self._feed(request)
        return Json(await _read(feed.refreshed))

    async def board(self, request: Request) -> Response:
        return Json(await _read(self._feed(request).board))

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

    async def charts(self, request: Request) -> Response:
        """Those of the report where it is of all games, else drawn of the games so far."""
        feed = self._feed(request)
        document = await _read(feed.refreshed)
        return Json(await self._charts.of(feed.folder, feed.name, document["games"], document["reported"]))

    async def chart(self, request: Request) -> Response:
        text = self._charts.drawn(self._feed(request).folder, request.path_params["name"])
        if text is None:
            raise Refusal(404, "there is no such chart")
        return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": SANDBOX})

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

    async def events(self, socket: WebSocket) -> None:
        """Send the events of a run until the window is closed."""
        await socket.accept()
        try:
            feed = self._feeds.of(run_below(self._folder, socket.path_params["run"]))
        except Refusal as refusal:
            await send(socket, {"type": "failure", "error": refusal.line})
            await socket.close(4404)
            return
        await until_gone(socket, _tell(feed, socket))

    async def _of_game(self, request: Request, work: Callable[[Path, int], _Answer]) -> _Answer:
        folder, number = self._feed(request).folder, request.path_params["number"]
        if number >= 1 << 63:
            raise Refusal(404, "no run has a game of that number")
        return await _read(lambda: work(folder, number))

    def _feed(self, request: Request) -> Feed:
        return self._feeds.of(run_below(self._folder, request.path_params["run"]))


async def _tell(feed: Feed, socket: WebSocket) -> None:
    """Send all that changes in a run, each time what this window has not been sent yet."""
    with feed.seen():
        sent: dict[BoardKey, tuple[int, str]] = {}
        version = 0
        while True:
            change = feed.change
            if feed.version != version:
                version = feed.version
                kind = "run" if "run" in feed.document else "failure"
                await send(socket, {"type": kind, **feed.document})
            games = feed.news(sent)
            if games is not None:
                await send(socket, games)
            await change.wait()


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
