"""The server: a socket on the loopback address, and what answers there until it is to end."""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.app import application
from arena.web.games import GameRoom
from arena.web.guard import ADMIT, MOST_BYTES, Pass

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 1000
"""At a time; further requests are answered 503."""
MOST_STRANGERS = 100
"""Connections at a time that have not shown the token: the oldest one makes way for a new one."""
HEADER_SECONDS = 10.0
"""Seconds for the headers of a request, and for a new connection to show the token."""
_GRACE_SECONDS = 2
_KEY_BYTES = 32
_IDLE_SECONDS = 120
"""Seconds that a connection is kept between two requests: longer than browsers keep one."""


class Endpoint(NamedTuple):
    """The address of a server, and the token that lets a request in."""

    socket: socket.socket
    entry: Pass

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{self.entry.hosts[0]}/?token={self.entry.token}"


def endpoint(port: int, page_key: str = "") -> Endpoint:
    """An endpoint on the loopback address, 0 for any free port. Raises OSError if the port is taken.

    Pages of an earlier server with that `page_key`, see `Pass`, can use this one.
    """
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # where it would share a port that is taken
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((LOOPBACK, port))
        bound.listen()
    except OSError:
        bound.close()
        raise
    entry = Pass(secrets.token_urlsafe(24), secrets.token_urlsafe(24), bound.getsockname()[1], page_key)
    return Endpoint(bound, entry)


def page_key(port: int, folders: Sequence[Path | None]) -> str:
    """The same text for the same port and folders, which this user alone can know; empty if it cannot be kept.

    It is derived from 32 random bytes in `$XDG_STATE_HOME/draughts-arena/page.key`, which no one else may read:
    not from a file in the folders, which are passed on.
    """
    file = (
        Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "draughts-arena" / "page.key"
    )
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            suppress(FileExistsError),
            open(file, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as new,
        ):
            new.write(secrets.token_bytes(_KEY_BYTES))
        secret, status = file.read_bytes(), file.stat()
    except (OSError, RuntimeError):
        return ""
    others = hasattr(os, "getuid") and (status.st_mode & 0o077 or status.st_uid != os.getuid())
    if len(secret) != _KEY_BYTES or others:  # on Windows only the user may read the user's folder
        return ""
    served = "\0".join([str(port), *(str(folder and folder.resolve()) for folder in folders)])
    return hmac.new(secret, served.encode(), "sha256").hexdigest()


class Connection(H11Protocol):
    """A connection of a browser: its headers come in time, and it shows the token soon, or it ends."""

    def __init__(self, strangers: dict[Connection, None], **options: Any) -> None:
        """`strangers` are all connections that have not shown the token, the oldest first."""
        super().__init__(**options)
        self._strangers = strangers
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the newcomer for a stranger until the guard calls `admit`, which it finds in a request's state."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, ADMIT: self._admit}
        self._strangers[self] = None
        self._hurry()
        if len(self._strangers) > MOST_STRANGERS:
            next(iter(self._strangers))._end()

    def data_received(self, data: bytes) -> None:
        """Take more of a request, whose headers may not stay half sent."""
        super().data_received(data)
        if self in self._strangers:
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self._calm()
        elif self._deadline is None:
            self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._admit()
        super().connection_lost(exc)

    def _admit(self) -> None:
        self._strangers.pop(self, None)
        self._calm()

    def _hurry(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._end)

    def _calm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._admit()
        self.connections.discard(self)  # at once: they are counted where a request is refused for their number
        self.transport.abort()


def server(room: GameRoom, at: Endpoint, say: Callable[[str], None]) -> uvicorn.Server:
    """The server of a room, to be run by `serve(sockets=[at.socket])`; it says nothing but unforeseen errors."""
    config = uvicorn.Config(
        application(room, at.entry, say),
        http=partial(Connection, {}),  # type: ignore[arg-type]
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        ws_per_message_deflate=False,
        ws_max_size=MOST_BYTES,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def serve(room: GameRoom, at: Endpoint, say: Callable[[str], None]) -> None:
    """Answer until Ctrl-C or SIGTERM."""
    with suppress(KeyboardInterrupt):  # uvicorn raises it once more, after its end
        asyncio.run(server(room, at, say).serve(sockets=[at.socket]))
