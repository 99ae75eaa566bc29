"""Access: the token, headers of answers, paths below a folder."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.base.wording import message_of
from arena.ledger.ledger import FILE
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


class Access(NamedTuple):
    """What admits a request: the token, or, as links between files of runs have none, the key in their path."""

    token: str
    key: str

    @property
    def files(self) -> str:
        """The path below which the files of runs are."""
        return f"/runs/{self.key}/"

    def admits(self, connection: HTTPConnection) -> bool:
        """Whether a request has the token, in its header or in its query, or needs none."""
        token = connection.headers.get(TOKEN_HEADER) or connection.query_params.get("token", "")
        if hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return True
        path = connection.url.path
        has_key = hmac.compare_digest(path[: len(self.files)].encode("utf-8", "replace"), self.files.encode())
        is_read = connection.scope["type"] == "http" and connection.scope["method"] in ("GET", "HEAD")
        return is_read and (has_key or path.startswith(MODULES))


class Guard:
    """Lets requests through to an application that its access admits; adds HEADERS.

    What goes wrong unforeseen is one line to `say`, and an answer of status 500.
    """

    def __init__(self, app: ASGIApp, access: Access, say: Callable[[str], None]) -> None:
        self._app, self._access, self._say = app, access, say

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
            if self._access.admits(HTTPConnection(scope)):
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


def below(root: Path, path: str) -> Path:
    """The file at a path below a folder, links followed; parts of the path are separated by `/`.

    Raises Refusal with status 404 if there is nothing, or it is elsewhere.
    """
    parts = path.split("/")
    target = None
    if not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        try:
            target = root.joinpath(*parts).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            target = None
    if target is None or not target.is_relative_to(root.resolve()):
        raise Refusal(404, "there is nothing of that name in the folder that is served")
    return target


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
