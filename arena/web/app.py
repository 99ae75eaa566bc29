"""The application: what is answered at which address."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from arena.base.wording import message_of
from arena.report.markup import modules
from arena.web.documents import board_document
from arena.web.games import GameRoom, variant_of
from arena.web.guard import FAILED, HOSTS, MODULES, Guard
from arena.web.messages import MOST_FEN, Json, Refusal, game_asked_for, refused
from arena.web.page import MODULE, page, page_policy
from arena.web.threads import background, in_thread

GONE = 4404
"""Code of a closed websocket: the server has no such game."""


def application(room: GameRoom, token: str, say: Callable[[str], None]) -> ASGIApp:
    """The application, guarded; unforeseen errors are one line to `say`."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Route(f"{MODULES}{{name:path}}", _module),
            Route("/api/offer", _offer),
            Route("/api/board", _board),
            Route("/api/games", _begin, methods=["POST"]),
            WebSocketRoute("/api/games/{game}", _window),
        ],
        exception_handlers={
            Refusal: lambda _, refusal: refused(refusal),
            HTTPException: _not_found,  # type: ignore[dict-item]
            Exception: lambda *_: refused(FAILED),  # the guard says what on the terminal
        },
        lifespan=_lifespan,
    )
    app.state.room, app.state.say = room, say
    return TrustedHostMiddleware(Guard(app, token, say), list(HOSTS))


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    room: GameRoom = app.state.room

    last = ""

    def failed(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal last
        error = context.get("exception")
        line = f"{type(error).__name__}: {message_of(error)}" if error else context["message"]
        if line != last:  # no descriptor is left, again and again
            app.state.say(line)
        last = line

    asyncio.get_running_loop().set_exception_handler(failed)
    room.open()
    sweeping = background(room.sweep())
    try:
        yield
    finally:
        sweeping.cancel()
        room.close()


def _not_found(_: Request, error: HTTPException) -> Response:
    return Json({"error": str(error.detail)}, error.status_code, dict(error.headers or {}))


async def _page(request: Request) -> Response:
    nonce = secrets.token_hex(16)
    policy = page_policy(nonce, request.headers["host"])
    return HTMLResponse(page(nonce, MODULES), headers={"Content-Security-Policy": policy})


async def _module(request: Request) -> Response:
    text = modules(MODULE).get(request.path_params["name"])
    if text is None:
        raise Refusal(404, "the page has no such module")
    return Response(text, media_type="text/javascript")


async def _offer(request: Request) -> Response:
    room: GameRoom = request.app.state.room
    return Json(room.offer.document())


async def _board(request: Request) -> Response:
    asked = request.query_params
    variant = variant_of(asked.get("variant", ""))
    if len(asked.get("fen", "")) > MOST_FEN:
        raise Refusal(422, "the FEN is too long")
    try:
        return Json(await in_thread(partial(board_document, variant, asked.get("fen"))))
    except ValueError as error:
        raise Refusal(422, str(error)) from None


async def _begin(request: Request) -> Response:
    hosted = await request.app.state.room.begin(await game_asked_for(request))
    return Json({"game": hosted.name}, 201)


async def _window(socket: WebSocket) -> None:
    """Show a game in a window, which asks over the same websocket."""
    await socket.accept()
    try:
        hosted = socket.app.state.room.game(socket.path_params["game"])
    except Refusal as refusal:
        await socket.close(GONE, str(refusal))
        return
    await hosted.serve(socket)
