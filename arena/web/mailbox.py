"""Mailbox: what is still to be sent to a window, of each kind of message the latest alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

Message: TypeAlias = Callable[[], dict[str, Any]]
"""Makes a message when it is sent."""


class Mailbox:
    """The messages to one window."""

    def __init__(self, window: str) -> None:
        self.window = window
        """The name that the window gave itself."""
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
