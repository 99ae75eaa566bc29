"""The server's messages: bodies of requests, with the bounds of their keys; JSON, refusals in one line, and
messages to a window while it is connected."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.base.wording import cut, printable
from arena.rules.result import Colour

Message: TypeAlias = Callable[[], dict[str, Any]]
"""Makes a message when it is sent."""


class Refusal(Exception):
    """A request that is not done: its status, 400 or more, and one line for the person."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status, self.line = status, line


class Json(Response):
    """A document as JSON, in ASCII, so that no text can fail to be written."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_text(content).encode("ascii")


def json_text(document: Any) -> str:
    """A document as JSON in one line; raises ValueError for nan and infinity."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def refused(refusal: Refusal) -> Json:
    """A refusal as its answer."""
    return Json({"error": refusal.line}, refusal.status)


class Mailbox:
    """Messages still to be sent to a window, only the latest of each kind."""

    def __init__(self) -> None:
        self._messages: dict[str, Message] = {}
        self._is_filled = asyncio.Event()
        self._closing: tuple[int, str] | None = None

    def put(self, kind: str, message: Message) -> None:
        """Send this, in place of what of the same kind is not sent yet."""
        self._messages[kind] = message
        self._is_filled.set()

    def close(self, code: int, reason: str) -> None:
        """Send what is there, then close the websocket with a code."""
        self._closing = code, reason
        self._is_filled.set()

    async def take(self) -> tuple[list[dict[str, Any]], tuple[int, str] | None]:
        """The messages that are there, once there are some, and how to close the websocket if that is due."""
        await self._is_filled.wait()
        self._is_filled.clear()
        messages, self._messages = self._messages, {}
        return [message() for message in messages.values()], self._closing

    async def empty_into(self, socket: WebSocket) -> None:
        """Send what is put there until the websocket is to be closed, and close it."""
        while True:
            messages, closing = await self.take()
            for message in messages:
                await send(socket, message)
            if closing is not None:
                await socket.close(*closing)
                return


async def send(socket: WebSocket, document: Any) -> None:
    """Send a document as JSON. Raises WebSocketDisconnect if the window is gone."""
    text = json_text(document)
    try:
        await socket.send_text(text)
    except RuntimeError:  # it was closed meanwhile
        raise WebSocketDisconnect from None


async def until_gone(socket: WebSocket, telling: Coroutine[Any, Any, None]) -> None:
    """Send to a window until the sender ends or the window is gone; raises what goes wrong in it.

    What the window says is passed over.
    """
    tasks = asyncio.create_task(telling), asyncio.create_task(_hear(socket))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                raise ended


async def _hear(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


MOST_PDN = 1024 * 1024
"""Characters of a PDN."""
MOST_LINES = 5
"""Lines of an analysis."""

Name = Annotated[str, Field(max_length=100)]
Fen = Annotated[str, Field(max_length=2000)]
Count = Annotated[int, Field(ge=0, le=2**53)]
B = TypeVar("B", bound="Body")


class Body(BaseModel):
    """A JSON object with these keys and no others; nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class ClockGiven(Body):
    """Time for the whole game, of each side."""

    seconds: Annotated[float, Field(gt=0, le=86_400)]
    increment: Annotated[float, Field(ge=0, le=3_600)] = 0.0


class SecondsGiven(Body):
    """Seconds per move of the players of both colours; None leaves a player its own limit."""

    white: Annotated[float, Field(gt=0, le=86_400)] | None = None
    black: Annotated[float, Field(gt=0, le=86_400)] | None = None


class PlyOfRun(Body):
    """A game of a run, after `ply` plies."""

    run: Annotated[str, Field(max_length=1000)]
    game: Annotated[int, Field(ge=1, le=2**53)]
    ply: Count


class NewGame(Body):
    """A game to begin: from the start, a FEN, the end of a PDN's game of that number, or a game of a run."""

    variant: Name
    white: Name
    black: Name
    fen: Fen | None = None
    pdn: Annotated[str, Field(max_length=MOST_PDN)] | None = None
    number: Annotated[int, Field(ge=1, le=2**53)] = 1
    origin: Annotated[PlyOfRun | None, Field(alias="from")] = None
    clock: ClockGiven | None = None
    draws: bool = True
    """Whether the game ends where the rules call it a draw."""
    seconds: SecondsGiven = SecondsGiven()
    pace: Annotated[float, Field(ge=0, le=60)] = 0.0


class PdnGiven(Body):
    """A PDN whose games are asked for; those that do not name their rules are of `variant`."""

    pdn: Annotated[str, Field(max_length=MOST_PDN)]
    variant: Name = "english"


class Versioned(Body):
    """A request on a game at that version."""

    version: Count


class MoveGiven(Versioned):
    """A person's move."""

    text: Annotated[str, Field(max_length=200)]


class ByColour(Versioned):
    """A request by a person of that colour."""

    colour: Colour


class Seats(Versioned):
    """The players from now on."""

    white: Name
    black: Name
    seconds: SecondsGiven = SecondsGiven()


class Switch(Versioned):
    """Something to be switched on or off."""

    on: bool
    lines: Annotated[int, Field(ge=1, le=MOST_LINES)] = 1
    """Of an analysis."""


class PositionGiven(Body):
    """A position as a FEN, or as a letter a square and the side to move."""

    variant: Name
    fen: Fen | None = None
    pieces: Annotated[str, Field(max_length=200)] | None = None
    turn: Colour | None = None


async def body_of(request: Request, kind: type[B]) -> B:
    """The body of a request. Raises Refusal if it is not JSON or not of that kind."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "Content-Type must be application/json")
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        words = printable(cut(f"{place}: {first['msg']}" if place else first["msg"], 300))
        raise Refusal(400 if first["type"] == "json_invalid" else 422, words) from None
