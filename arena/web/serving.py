"""The server: a socket on the loopback address, and what answers there until it is to end."""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import uvicorn

from arena.base import ArenaError
from arena.board.game import BoardGame
from arena.board.sides import Side
from arena.web.app import application
from arena.web.games import GameRoom
from arena.web.guard import HOSTS, Connection
from arena.web.messages import MOST_BYTES
from arena.web.offer import Offer

_GRACE_SECONDS = 2
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""M_MMAP_THRESHOLD and M_ARENA_MAX of malloc.h."""
_IDLE_SECONDS = 120
"""Seconds that a connection is kept between two requests: longer than browsers keep one."""
_BACKLOG = 16
"""Connections that are accepted at once: before the next ones, the guard closes what is too many."""


class Endpoint(NamedTuple):
    """The address of a server, and the token that lets a request in."""

    socket: socket.socket
    token: str

    @property
    def base(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://{HOSTS[0]}:{self.socket.getsockname()[1]}"

    def address(self, game: str = "") -> str:
        """The address to open in a browser, of a game or of the set-up; what follows # is sent to no server."""
        return f"{self.base}/#/{f'game/{game}' if game else ''}?token={self.token}"


def endpoint(port: int) -> Endpoint:
    """An endpoint on the loopback address, 0 for any free port. Raises OSError if the port is taken."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOSTS[0], port))
        bound.listen()
    except OSError:
        bound.close()
        raise
    return Endpoint(bound, secrets.token_urlsafe(24))


def server(room: GameRoom, at: Endpoint, say: Callable[[str], None]) -> uvicorn.Server:
    """The server of a room, to be run by `serve(sockets=[at.socket])`; it says nothing but unforeseen errors."""
    config = uvicorn.Config(
        application(room, at.token, say),
        http=Connection,
        ws_max_size=MOST_BYTES,
        backlog=_BACKLOG,
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def run_server(room: GameRoom, at: Endpoint, say: Callable[[str], None]) -> None:
    """Answer until Ctrl-C or SIGTERM."""
    _return_memory()
    for number in (signal.SIGTERM, signal.SIGHUP):  # which would leave the file that leads to the page
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    with suppress(KeyboardInterrupt):  # uvicorn raises it once more, after its end
        asyncio.run(server(room, at, say).serve(sockets=[at.socket]))


def open_page(
    game: BoardGame,
    name: str,
    say: Callable[[str], None],
    show: Callable[[str], None],
    *,
    players: Sequence[Side] = (),
    port: int = 0,
    opens: bool = True,
) -> None:
    """Serve the page of a game until Ctrl-C; raises ArenaError for a port that is taken.

    `name` is the person's, `say` prints what goes wrong, `show` the address; `players` are further ones on offer,
    `opens` says whether to open the browser.
    """
    room = GameRoom(Offer(players, name), game)
    try:
        at = endpoint(port)
    except OSError as error:
        raise ArenaError(f"--port {port}: {error.strerror}") from None
    show(at.address(room.first))
    with redirecting(at.address(room.first)) as file:
        if opens and _has_screen():
            webbrowser.open(file)
        run_server(room, at, say)


@contextmanager
def redirecting(address: str) -> Iterator[str]:
    """A file, as a URL, that leads a browser to an address with a token.

    It alone stands on the browser's command line, which all users of the machine can see; the file is its owner's.
    """
    with NamedTemporaryFile("w", prefix="arena-", suffix=".html", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">')
        file.flush()
        yield Path(file.name).as_uri()


def _return_memory() -> None:
    """Have glibc return a player's table to the system as soon as it is freed.

    Else it keeps blocks of up to 32 MB for the thread that had them: 1 GB after many games at once.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library, as musl
            libc = ctypes.CDLL(None)
            libc.mallopt(_MMAP_THRESHOLD, 1 << 20)
            libc.mallopt(_ARENA_MAX, 2)


def _has_screen() -> bool:
    """Whether a browser with windows can be opened: elsewhere Python may start one in the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
