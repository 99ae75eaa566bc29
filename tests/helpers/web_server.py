"""A server of `arena serve` in this process, and clients for it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import websockets

from arena.board.game import BoardGame
from arena.board.sides import Side
from arena.web.games import GameRoom
from arena.web.offer import Offer
from arena.web.serving import endpoint, server

WAIT_SECONDS = 120


class Served(NamedTuple):
    """A server that answers."""

    base: str
    """`http://127.0.0.1:PORT`."""
    token: str
    room: GameRoom
    """To be used by the server's loop alone."""
    loop: asyncio.AbstractEventLoop
    said: list[str]
    """What it said on the terminal."""
    client: httpx.Client
    """With the token."""

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])

    def begin(self, **given: Any) -> dict[str, Any]:
        """The state of a new game; a level against a person, by English rules, unless said otherwise."""
        body = {"variant": "english", "white": "level-1", "black": "human", **given}
        answer = self.client.post("/api/games", json=body)
        assert answer.status_code == 201, answer.text
        state: dict[str, Any] = answer.json()
        return state

    def ask(self, state: dict[str, Any], what: str, **given: Any) -> httpx.Response:
        """Ask something of a game, as it was at that state."""
        return self.client.post(f"/api/games/{state['game']}/{what}", json={"version": state["version"], **given})

    def state(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state of a game now."""
        found: dict[str, Any] = self.client.get(f"/api/games/{state['game']}").json()
        return found

    def events(self, state: dict[str, Any]) -> str:
        """The address of a game's websocket."""
        return f"ws://127.0.0.1:{self.port}/api/games/{state['game']}/events?token={self.token}"


class Window:
    """A window's websocket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []
        """All messages."""

    async def next(self, kind: str = "state", **wanted: Any) -> dict[str, Any]:
        """The next message of a kind with those values, a list's being its length."""
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), WAIT_SECONDS))
            self.heard.append(message)
            if message["type"] == kind and all(_is(message[key], value) for key, value in wanted.items()):
                return dict(message)


@contextmanager
def served(
    folder: Path | None = None, *, own: tuple[Side, ...] = (), port: int = 0, first: BoardGame | None = None
) -> Iterator[Served]:
    """A server in a thread, with a game that the command line begins; nothing may go wrong in it unforeseen."""
    said: list[str] = []
    room = GameRoom(Offer(own), folder)
    if first is not None:
        room.begin_with(first)
    at = endpoint(port)
    running = server(room, at, said.append)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(running.serve(sockets=[at.socket])))
    thread.start()
    base = f"http://{at.entry.hosts[0]}"
    with httpx.Client(base_url=base, headers={"X-Arena-Token": at.entry.token}, timeout=WAIT_SECONDS) as client:
        try:
            yield Served(base, at.entry.token, room, loop, said, client)
        finally:
            running.should_exit = True
            thread.join(WAIT_SECONDS)
            loop.close()
    assert said == []


@asynccontextmanager
async def window(of: Served, state: dict[str, Any]) -> Any:
    """A window at a game."""
    async with websockets.connect(of.events(state), max_size=None) as socket:
        yield Window(socket)


def _is(found: Any, wanted: Any) -> bool:
    return (len(found) if isinstance(found, list) and isinstance(wanted, int) else found) == wanted
