"""The server's messages: JSON, refusals in one line, and messages to a window while it is connected."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

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

    def __init__(self, window: str) -> None:
        self.window = window
        """The name that the window gave itself."""
        self.moves: list[dict[str, Any]] = []
        """The documents of its game that were sent."""
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
