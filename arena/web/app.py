"""The application: what is answered at which address."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from arena.base.errors import ArenaError
from arena.base.wording import message_of
from arena.board.pdn import pdn_text
from arena.report.template import modules
from arena.rules.variants import unchanged
from arena.web.beginning import listed, placed, timed_sides, variant_of
from arena.web.documents import board_document
from arena.web.games import GameRoom
from arena.web.guard import FAILED, MODULES, Guard, Pass
from arena.web.hosted import GONE, HostedGame
from arena.web.messages import (
    ByColour,
    Json,
    MoveGiven,
    NewGame,
    PdnGiven,
    PositionGiven,
    Refusal,
    Seats,
    Switch,
    Versioned,
    body_of,
    refused,
    until_gone,
)
from arena.web.page import SCRIPT, page, page_policy
from arena.web.runs import routes
from arena.web.thinking import background, in_thread


def application(room: GameRoom, entry: Pass, say: Callable[[str], None]) -> ASGIApp:
    """The application, guarded; unforeseen errors are one line to `say`."""
    app = Starlette(
        routes=[
            Route("/", _page(entry)),
            Route(f"{MODULES}{{name:path}}", _module, methods=["GET"]),
            Route("/api/offer", _offer),
            Route("/api/variants/{name}/board", _board),
            Route("/api/position", _position, methods=["POST"]),
            Route("/api/pdn", _list_pdn, methods=["POST"]),
            Route("/api/games", _begin, methods=["POST"]),
            Route("/api/games/{game}", _state, methods=["GET"]),
            Route("/api/games/{game}", _remove, methods=["DELETE"]),
            Route("/api/games/{game}/pdn", _pdn),
            Route("/api/games/{game}/{what}", _act, methods=["POST"]),
            WebSocketRoute("/api/games/{game}/events", _events),
            *(routes(room.folder) if room.folder is not None else []),
        ],
        exception_handlers={
            Refusal: lambda _, refusal: refused(refusal),
            HTTPException: _not_found,  # type: ignore[dict-item]
            Exception: _failed,
        },
        lifespan=_lifespan,
    )
    app.state.room, app.state.say = room, say
    return Guard(app, entry, say)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    room: GameRoom = app.state.room

    def failed(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        app.state.say(f"{type(error).__name__}: {message_of(error)}" if error else context["message"])

    asyncio.get_running_loop().set_exception_handler(failed)
    room.open()
    sweeping = background(room.sweep())
    try:
        yield
    finally:
        sweeping.cancel()
        room.close()


def _room(request: Request | WebSocket) -> GameRoom:
    room: GameRoom = request.app.state.room
    return room


def _not_found(_: Request, error: HTTPException) -> Response:
    return Json({"error": str(error.detail)}, error.status_code, dict(error.headers or {}))


def _failed(_request: Request, _error: Exception) -> Response:
    """The answer where something went wrong unforeseen; the guard says what on the terminal."""
    return refused(FAILED)


def _page(entry: Pass) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        nonce = secrets.token_hex(16)
        policy = page_policy(nonce, request.headers["host"])
        response = HTMLResponse(page(nonce, MODULES), headers={"Content-Security-Policy": policy})
        return entry.with_cookie(response)

    return answer


async def _module(request: Request) -> Response:
    text = modules(SCRIPT).get(request.path_params["name"])
    if text is None:
        raise Refusal(404, "the page has no such module")
    return Response(text, media_type="text/javascript")


async def _offer(request: Request) -> Response:
    room = _room(request)
    return Json({**room.offer.document(), "runs": room.folder is not None})


async def _board(request: Request) -> Response:
    return Json(board_document(variant_of(unchanged(request.path_params["name"]))))


async def _position(request: Request) -> Response:
    given = await body_of(request, PositionGiven)
    return Json(await in_thread(lambda: placed(given)))


async def _list_pdn(request: Request) -> Response:
    given = await body_of(request, PdnGiven)
    return Json(await in_thread(lambda: listed(given.pdn, variant_of(given.variant))))


async def _begin(request: Request) -> Response:
    hosted = await _room(request).begin(await body_of(request, NewGame))
    return Json(hosted.state(), 201)


async def _state(request: Request) -> Response:
    return Json(_hosted(request).state())


async def _remove(request: Request) -> Response:
    _room(request).remove(_hosted(request).name)
    return Response(status_code=204)


async def _pdn(request: Request) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="game.pdn"'}
    return PlainTextResponse(pdn_text(_hosted(request).sitting), headers=headers)


def _hosted(request: Request) -> HostedGame:
    return _room(request).game(request.path_params["game"])


async def _act(request: Request) -> Response:
    """Do what is asked of a game, and answer with its state."""
    what = request.path_params["what"]
    if what not in _ACTS:
        raise Refusal(404, f"a game can be asked for {', '.join(_ACTS)}")
    hosted = _hosted(request)
    try:
        more = await _ACTS[what](request, hosted)
    except ArenaError as error:
        raise Refusal(422, str(error)) from None
    return Json(hosted.state() | (more or {}))


async def _move(request: Request, hosted: HostedGame) -> None:
    given = _current(hosted, await body_of(request, MoveGiven))
    try:
        hosted.move(given.text)
    except ArenaError:
        raise
    except ValueError as error:
        raise Refusal(422, str(error)) from None


async def _undo(request: Request, hosted: HostedGame) -> None:
    _current(hosted, await body_of(request, Versioned))
    hosted.undo()


async def _stop(request: Request, hosted: HostedGame) -> None:
    _current(hosted, await body_of(request, Versioned))
    hosted.stop()


async def _resign(request: Request, hosted: HostedGame) -> None:
    hosted.resign(_current(hosted, await body_of(request, ByColour)).colour)


async def _draw(request: Request, hosted: HostedGame) -> dict[str, Any]:
    return {"refused": hosted.draw(_current(hosted, await body_of(request, ByColour)).colour)}


async def _seat(request: Request, hosted: HostedGame) -> None:
    given = await body_of(request, Seats)
    sides = _room(request).offer.seats(given.white, given.black, hosted.sitting.variant)
    sides = timed_sides(sides, given.seconds)
    hosted.seat(sides, (given.white, given.black))


async def _pause(request: Request, hosted: HostedGame) -> None:
    hosted.pause((await body_of(request, Switch)).on)


async def _hint(request: Request, hosted: HostedGame) -> dict[str, Any]:
    _current(hosted, await body_of(request, Versioned))
    return await hosted.hint()


async def _analysis(request: Request, hosted: HostedGame) -> None:
    given = await body_of(request, Switch)
    hosted.analyse(given.on, given.lines)


_ACTS: dict[str, Callable[[Request, HostedGame], Awaitable[dict[str, Any] | None]]] = {
    "move": _move,
    "undo": _undo,
    "stop": _stop,
    "resign": _resign,
    "draw": _draw,
    "seat": _seat,
    "pause": _pause,
    "hint": _hint,
    "analysis": _analysis,
}
"""Requests on a game; a document is answered with the state."""


def _current(hosted: HostedGame, given: Any) -> Any:
    """The request's body if its version is the game's. Raises Refusal with status 409 if the game has moved on."""
    if given.version != hosted.sitting.version:
        raise Refusal(409, "the game has moved on; reload")
    return given


async def _events(socket: WebSocket) -> None:
    await socket.accept()
    try:
        hosted = _room(socket).game(socket.path_params["game"])
    except Refusal as refusal:
        await socket.close(GONE, refusal.line)
        return
    mailbox = hosted.attach()
    try:
        await until_gone(socket, mailbox.empty_into(socket))
    finally:
        hosted.detach(mailbox)
