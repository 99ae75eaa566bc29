"""The guard: which connections stay, which requests are let in, and the headers of all answers."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Any

import h11
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.base.wording import message_of
from arena.web.messages import Refusal, refused

TOKEN_HEADER = "x-arena-token"
MODULES = "/modules/"
"""The page's modules are below it; they and the page hold only what the package holds, and need no token."""
HOSTS = ("127.0.0.1", "localhost")
"""What the header Host may name, so that a name which was made to resolve to this machine is refused."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers of every answer, unless it sets them itself."""
FAILED = Refusal(500, "something went wrong here; the terminal says what")
HEADER_SECONDS = 10.0
"""Seconds in which the header of a request has to arrive."""
MOST_CONNECTIONS = 64
"""Connections, without those of windows; for another one the oldest is closed, idle ones first."""
MOST_LINES, MOST_LINE = 64, 4096
"""Lines of the header of a websocket, and bytes of each, at most."""


class Guard:
    """Lets requests through to an application that have its token, or need none; adds HEADERS.

    An unexpected error is one line to `say`, and an answer of status 500.
    """

    def __init__(self, app: ASGIApp, token: str, say: Callable[[str], None]) -> None:
        self._app, self._token, self._say = app, token, say

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            if self._admits(HTTPConnection(scope)):
                await self._app(scope, receive, with_headers)
            elif scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 4403})
            else:
                lacks = Refusal(403, "the page lacks its token: open the address that arena printed")
                await refused(lacks)(scope, receive, with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            self._say(f"{scope.get('method', 'WS')} {scope['path']}: {type(error).__name__}: {message_of(error)}")

    def _admits(self, connection: HTTPConnection) -> bool:
        """Whether a request needs no token or has it: in its header, which websockets of browsers cannot set."""
        path, scope = connection.url.path, connection.scope
        if scope["type"] == "websocket":
            token = connection.query_params.get("token", "")
        elif scope["method"] in ("GET", "HEAD") and (path == "/" or path.startswith(MODULES)):
            return True
        else:
            token = connection.headers.get(TOKEN_HEADER, "")
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode())


class Connection(H11Protocol):
    """A connection to the server: closed where no request comes, and where MOST_CONNECTIONS newer ones are."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.since = 0.0
        """When it was made."""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered, and no websocket has taken the connection over."""
        return self in self.connections and (self.cycle is None or self.cycle.response_complete)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = self.loop.time()
        self._timer = self.loop.call_later(HEADER_SECONDS, transport.abort)
        others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
        others = [each for each in others if not each.transport.is_closing()]
        if len(others) >= MOST_CONNECTIONS:  # who reads no answer is no longer idle, and must go, too
            min(others, key=lambda each: (not each.is_idle, each.since)).transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._time_header()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Refuse what the handshake would leave without an answer: long lines, many headers, a body."""
        lines = [event.target, *(value for _, value in event.headers)]
        has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in event.headers)
        if has_body or len(lines) > MOST_LINES or max(map(len, lines)) > MOST_LINE:
            self.send_400_response("no such upgrade")
            return
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._time_header()  # a header may have begun to arrive while the last request was answered

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_timer()
        super().connection_lost(exc)

    def _time_header(self) -> None:
        """Give a header that has begun, or the rest of a body that was refused, HEADER_SECONDS to arrive."""
        is_arriving = bool(self.conn.trailing_data[0]) or self.conn.their_state is h11.SEND_BODY
        has_begun = self.is_idle and is_arriving
        if has_begun and self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        elif not has_begun:
            self._end_timer()

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
