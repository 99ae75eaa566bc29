"""Websockets: what is sent to a window as long as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.web.answers import json_text


async def send(socket: WebSocket, document: Any) -> None:
    """Send a document as JSON. Raises WebSocketDisconnect if the window is gone."""
    text = json_text(document)
    try:
        await socket.send_text(text)
    except RuntimeError:  # it was closed meanwhile
        raise WebSocketDisconnect from None


async def until_gone(socket: WebSocket, telling: Coroutine[Any, Any, None]) -> None:
    """Do what tells a window things until it ends or the window is gone; raises what goes wrong in it.

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
