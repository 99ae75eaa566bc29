"""Access: the token, hosts and origins, sizes of bodies, headers of answers, paths below a folder."""

from __future__ import annotations

import hmac
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.base.wording import message_of
from arena.ledger.ledger import FILE
from arena.web.messages import Refusal, refused

TOKEN_HEADER = "x-arena-token"
MOST_BYTES = 64 * 1024
"""Of a request's body."""
MOST_PDN_BYTES = 1024 * 1024 + MOST_BYTES
"""Of the body of a request that may hold a PDN."""
WITH_PDN = ("/api/games", "/api/pdn")
"""The paths of such requests."""
FILES = "/runs/"
"""Below it are files of runs, whose links have no token: there a cookie counts as well, for reading."""
ADMIT = "admit"
"""In a request's state: what is called when its connection has shown what lets it in."""
COOKIE = "arena-files"
"""Name of that cookie, before a dash and the port."""
AGAIN = "/api/again"
"""Where a page of the server before proves that it was one; all else needs the token."""
_MOST_NONCES = 100
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
    """What admits a request: the token; for files of runs a key in a cookie; for the page's modules an address.

    A page also has `page_key`, which it never sends: if a server is started again with the same one, the page gets
    that server's token by its answer to a nonce. Whoever else listens at the port meanwhile gets an answer that is
    of no use to him. An empty one is none.
    """

    def __init__(self, token: str, files_key: str, port: int, page_key: str = "") -> None:
        self.token, self.files_key, self.port, self.page_key = token, files_key, port, page_key
        self._nonces: deque[str] = deque(maxlen=_MOST_NONCES)
        self.hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        """What the header Host may say."""
        self.cookie = f"{COOKIE}-{port}"
        self.modules = f"/modules/{secrets.token_urlsafe(16)}/"
        """The address of the modules of the page: who knows it has had the page."""

    def check(self, scope: Scope) -> None:
        """Raise Refusal for a request from elsewhere, or without the token but at AGAIN."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise Refusal(403, f"this server only accepts requests for {self.hosts[0]}")
        for origin in headers.getlist("origin"):
            if origin.lower() not in [f"http://{host}" for host in self.hosts]:
                raise Refusal(403, "a page from elsewhere may not ask this server")
        if scope["path"] != AGAIN and not self._has_token(scope, headers):
            raise Refusal(403, "the address lacks its token: open the one that arena printed")

    def nonce(self) -> str:
        """A challenge for an earlier server's page to answer, once."""
        self._nonces.append(secrets.token_urlsafe(24))
        return self._nonces[-1]

    def token_for(self, nonce: str, proof: str) -> str:
        """The token, for the HMAC of a nonce by `page_key`. Raises Refusal."""
        if self.page_key and nonce in self._nonces:
            self._nonces.remove(nonce)
            if _same(proof, hmac.new(self.page_key.encode(), nonce.encode(), "sha256").hexdigest()):
                return self.token
        raise Refusal(403, "the server was restarted: open the address that arena printed")

    def with_cookie(self, response: Response) -> Response:
        """An answer to who has the token, which also admits to the files of runs."""
        response.set_cookie(self.cookie, self.files_key, path=FILES, httponly=True, samesite="lax")
        return response

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        given = headers.getlist(TOKEN_HEADER)
        reads = scope["type"] == "websocket" or scope["method"] in ("GET", "HEAD")
        if not given and reads:
            with suppress(ValueError):
                given = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20).get("token", [])
        if given:
            return len(given) == 1 and _same(given[0], self.token)
        if reads and scope["path"].startswith(self.modules):
            return True
        return reads and scope["path"].startswith(FILES) and _same(self._in_cookie(headers), self.files_key)

    def _in_cookie(self, headers: Headers) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found is not None else ""


class Guard:
    """Lets requests through to an application if `Pass.check` does and their bodies are small; adds HEADERS.

    What goes wrong unforeseen is one line to `say`, and an answer of status 500.
    """

    def __init__(self, app: ASGIApp, entry: Pass, say: Callable[[str], None]) -> None:
        self._app, self._entry, self._say = app, entry, say

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        is_begun = False

        async def guarded(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._entry.check(scope)
            if scope["path"] != AGAIN:
                scope["state"][ADMIT]()
            if scope["type"] == "http":
                receive = await _with_body(scope, receive)
            await self._app(scope, receive, guarded)
        except Refusal as refusal:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 4000 + refusal.status, "reason": refusal.line})
            else:
                await refused(refusal)(scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception as error:
            self._say(f"{scope.get('method', 'WS')} {scope['path']}: {type(error).__name__}: {message_of(error)}")
            if scope["type"] == "http" and not is_begun:
                await refused(FAILED)(scope, receive, guarded)


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


async def _with_body(scope: Scope, receive: Receive) -> Receive:
    """Return a receive function for the body, read beforehand; raises Refusal as soon as it is too large."""
    most = MOST_PDN_BYTES if scope["path"] in WITH_PDN else MOST_BYTES
    stated = Headers(scope=scope).getlist("content-length")
    if any(not text.isdecimal() or len(text) > 12 or int(text) > most for text in stated):
        raise _too_large(most)
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return receive
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
        more = message.get("more_body", False)
    whole: Iterable[Message] = iter([{"type": "http.request", "body": b"".join(parts), "more_body": False}])

    async def again() -> Message:
        for message in whole:
            return message
        return await receive()

    return again


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"a request may have {most // 1024} kB here")


def _same(given: str, wanted: str) -> bool:
    """Whether two texts are the same, in a time that does not say how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
