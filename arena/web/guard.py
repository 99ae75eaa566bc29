"""Access: the token, hosts and origins, headers of answers, paths below a folder."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.base.wording import message_of
from arena.ledger.ledger import FILE
from arena.web.messages import Refusal, refused

TOKEN_HEADER = "x-arena-token"
FILES = "/runs/"
"""Below it are files of runs, whose links have no token: there a cookie counts as well, for reading."""
MODULES = "/modules/"
"""Below it are the page's modules, which say nothing that is not in the package, and need no token."""
COOKIE = "arena-files"
"""Name of that cookie, before a dash and the port."""
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


class Pass:
    """What admits a request: the token; for files of runs a key in a cookie."""

    def __init__(self, token: str, files_key: str, port: int) -> None:
        self.token, self.files_key = token, files_key
        self.hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        """What the header Host may say."""
        self.cookie = f"{COOKIE}-{port}"

    def check(self, connection: HTTPConnection) -> None:
        """Raise Refusal for a request from elsewhere, or without the token."""
        host, origin = connection.headers.get("host"), connection.headers.get("origin")
        if host not in self.hosts:
            raise Refusal(403, f"this server only accepts requests for {self.hosts[0]}")
        if origin not in (None, f"http://{host}"):
            raise Refusal(403, "a page from elsewhere may not ask this server")
        if not self._admits(connection):
            raise Refusal(403, "the address lacks its token: open the one that arena printed")

    def with_cookie(self, response: Response) -> Response:
        """An answer to who has the token, which also admits to the files of runs."""
        response.set_cookie(self.cookie, self.files_key, path=FILES, httponly=True, samesite="lax")
        return response

    def _admits(self, connection: HTTPConnection) -> bool:
        path = connection.url.path
        reads = connection.scope["type"] == "websocket" or connection.scope["method"] in ("GET", "HEAD")
        given = connection.headers.get(TOKEN_HEADER)
        if given is None and reads:
            given = connection.query_params.get("token")
        if given is not None:
            return _same(given, self.token)
        if path.startswith(FILES):
            return reads and _same(connection.cookies.get(self.cookie, ""), self.files_key)
        return reads and path.startswith(MODULES)


class Guard:
    """Lets requests through to an application if `Pass.check` does; adds HEADERS.

    What goes wrong unforeseen is one line to `say`, and an answer of status 500.
    """

    def __init__(self, app: ASGIApp, entry: Pass, say: Callable[[str], None]) -> None:
        self._app, self._entry, self._say = app, entry, say

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
            self._entry.check(HTTPConnection(scope))
            await self._app(scope, receive, with_headers)
        except Refusal as refusal:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 4000 + refusal.status, "reason": refusal.line})
            else:
                await refused(refusal)(scope, receive, with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            self._say(f"{scope.get('method', 'WS')} {scope['path']}: {type(error).__name__}: {message_of(error)}")


def below(root: Path, path: str) -> Path:
    """The file at a path below a folder, links followed; parts of the path are separated by `/`.

    Raises Refusal with status 404 if there is nothing, or it is elsewhere.
    """
    parts = path.split("/")
    found = None
    if not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        try:
            found = root.joinpath(*parts).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            found = None
    if found is None or not found.is_relative_to(root.resolve()):
        raise Refusal(404, "there is nothing of that name in the folder that is served")
    return found


def run_below(root: Path, name: str) -> Path:
    """The folder of a run: at a path below a folder, or that folder itself, by its name.

    Raises Refusal with status 404 if there is none, or its ledger is elsewhere.
    """
    root = root.resolve()
    folder = root if name == root.name and (root / FILE).is_file() else below(root, name)
    ledger = folder / FILE
    if not ledger.is_file() or not ledger.resolve().is_relative_to(root):
        raise Refusal(404, "there is no run of that name in the folder that is served")
    return folder


def _same(given: str, wanted: str) -> bool:
    """Whether two texts are the same, in a time that does not say how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
