"""A server of `arena play --browser` in this process, and clients for it."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

import httpx
import websockets
from websockets.sync.client import connect

from arena.board.game import BoardGame
from arena.board.sides import Side
from arena.web.games import GameRoom
from arena.web.messages import json_text
from arena.web.offer import Offer
from arena.web.serving import endpoint, server
from players.player import HUMAN

WAIT_SECONDS = 120


class Served(NamedTuple):
    """A server that answers."""

    base: str
    """`http://127.0.0.1:PORT`."""
    token: str
    room: GameRoom
    """To be used by the server's loop alone."""
    loop: asyncio.AbstractEventLoop
    errors: list[str]
    """What it printed on the terminal."""
    client: httpx.Client
    """With the token."""

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])

    @property
    def page(self) -> str:
        """The address of the page, with the token."""
        return f"{self.base}/#/?token={self.token}"

    def begin(self, **given: Any) -> dict[str, Any]:
        """The state of a new game; a level against a person, by English rules, unless said otherwise."""
        body = {"variant": "english", "white": "level-1", "black": "human", **given}
        answer = self.client.post("/api/games", json=body)
        assert answer.status_code == 201, answer.text
        return self.state(answer.json())

    def ask(self, state: dict[str, Any], what: str, **given: Any) -> dict[str, Any]:
        """Ask something of a game, as it was at that state, in a window of its own; the state that answers."""
        with connect(self.address(state), max_size=None) as socket:
            first = changed({}, socket.recv(WAIT_SECONDS))
            socket.send(message(state, what, given))
            return changed(first, socket.recv(WAIT_SECONDS))

    def state(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state of a game now."""

        async def now() -> str:
            return json_text(self.room.game(state["game"]).state())

        return dict(json.loads(asyncio.run_coroutine_threadsafe(now(), self.loop).result(WAIT_SECONDS)))

    def address(self, state: dict[str, Any]) -> str:
        """The address of a game's websocket."""
        return f"ws://127.0.0.1:{self.port}/api/games/{state['game']}?token={self.token}"


def message(state: dict[str, Any], what: str, given: dict[str, Any]) -> str:
    """What a window sends that asks something of a game."""
    return json.dumps({"do": what, "version": state["version"], **given})


def changed(state: dict[str, Any], text: str | bytes) -> dict[str, Any]:
    """A state with what a message says has changed of it."""
    parts = json.loads(text)
    kept = parts.pop("kept", 0)
    if "moves" in parts:
        parts["moves"] = [*state.get("moves", [])[:kept], *parts["moves"]]
    return state | parts


class Window:
    """A window's websocket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []
        """All states."""

    async def next(self, **wanted: Any) -> dict[str, Any]:
        """The next state with those values, a list's being its length; of others whether there is something."""
        while True:
            text = await asyncio.wait_for(self.socket.recv(), WAIT_SECONDS)
            state = changed(self.heard[-1] if self.heard else {}, text)
            self.heard.append(state)
            if all(_is(state[key], value) for key, value in wanted.items()):
                return dict(state)

    async def ask(self, what: str, **given: Any) -> None:
        """Ask something of the game as it was last heard of."""
        await self.socket.send(message(self.heard[-1], what, given))


@contextmanager
def served(*, own: tuple[Side, ...] = (), first: BoardGame | None = None, person: str = HUMAN) -> Iterator[Served]:
    """A server in a thread, with a game that the command line begins; nothing may go wrong in it unforeseen."""
    errors: list[str] = []
    room = GameRoom(Offer(own, person), first)
    at = endpoint(0)
    running = server(room, at, errors.append)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(running.serve(sockets=[at.socket])))
    thread.start()
    base = at.base
    with httpx.Client(base_url=base, headers={"X-Arena-Token": at.token}, timeout=WAIT_SECONDS) as client:
        try:
            yield Served(base, at.token, room, loop, errors, client)
        finally:
            running.should_exit = True
            thread.join(WAIT_SECONDS)
            loop.close()
    assert errors == []


@asynccontextmanager
async def window(of: Served, state: dict[str, Any]) -> Any:
    """A window at a game."""
    async with websockets.connect(of.address(state), max_size=None) as socket:
        yield Window(socket)


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, bool) and not isinstance(value, bool):
        return bool(value) == wanted
    return (len(value) if isinstance(value, list) and isinstance(wanted, int) else value) == wanted
