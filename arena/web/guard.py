"""The guard: which requests are let in, and the headers of all answers."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.base.wording import message_of
from arena.web.messages import Refusal, refused

TOKEN_HEADER = "x-arena-token"
MODULES = "/modules/"
"""Below it are the page's modules, which say nothing that is not in the package, and need no token."""
HOSTS = ("127.0.0.1", "localhost")
"""What the header Host may name: a page whose name was bent to this machine is refused."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Of every answer that does not set them itself."""
FAILED = Refusal(500, "something went wrong here; the terminal says what")


class Guard:
    """Lets requests through to an application that have its token, or need none; adds HEADERS.

    What goes wrong unforeseen is one line to `say`, and an answer of status 500.
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
                lacks = Refusal(403, "the address lacks its token: open the one that arena printed")
                await refused(lacks)(scope, receive, with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            self._say(f"{scope.get('method', 'WS')} {scope['path']}: {type(error).__name__}: {message_of(error)}")

    def _admits(self, connection: HTTPConnection) -> bool:
        """Whether a request has the token, in its header or in its query, or needs none."""
        token = connection.headers.get(TOKEN_HEADER) or connection.query_params.get("token", "")
        if hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return True
        is_read = connection.scope["type"] == "http" and connection.scope["method"] in ("GET", "HEAD")
        return is_read and connection.url.path.startswith(MODULES)
