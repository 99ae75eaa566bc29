"""A player of the arena offered by the Hub protocol, version 2: it answers commands, and thinks in a thread."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from queue import SimpleQueue

from arena.hosting.hub_search import ThreadedSearch, report, think
from arena.hosting.tenure import Tenure
from arena.rules.game import Game
from arena.rules.hub import Line, line, parse_hub_move, parse_line, parse_position, variant_word
from arena.rules.notation import NotationError
from arena.rules.variants import VARIANTS, Variant
from players.loading import PlayerError
from players.player import Limit, PlayerSpec

DEEPEST = 64
"""Plies of a level, at most."""
ENDLESS = Limit(depth=DEEPEST, seconds=86_400.0)
"""The limit of a search that goes on until it is stopped, without the depth for a player that takes none."""
_LAST_SECONDS = 1.0
"""Seconds that a player has to stop when the server is to quit."""
_DURING_SEARCH = ("ping", "stop", "ponder-hit")
_LEVELS = ("depth", "nodes", "move-time", "time", "inc")


class Server:
    """Answers the lines of a GUI; what it has to say goes to `write`, whole lines without the last end of line."""

    def __init__(self, spec: PlayerSpec, variant: Variant, write: Callable[[str], None]) -> None:
        """Raises PlayerError if the player cannot be built."""
        self._spec, self._variant, self._write = spec, variant, write
        self._seed = "0"
        self._tenure: Tenure | None = None
        self._game: Game | None = None
        self._limit = spec.limit
        self._endless = endless(spec, variant)
        self._search: ThreadedSearch | None = None
        self._searches: SimpleQueue[ThreadedSearch] = SimpleQueue()
        threading.Thread(target=think, args=(self._searches,), daemon=True).start()
        self._reported: SimpleQueue[ThreadedSearch] = SimpleQueue()
        threading.Thread(target=report, args=(self._reported,), daemon=True).start()
        self._commands: dict[str, Callable[[Line], None]] = {
            "hub": self._hub,
            "set-param": self._set_param,
            "init": self._init,
            "new-game": self._new_game,
            "pos": self._pos,
            "level": self._level,
            "go": self._go,
            "ponder-hit": self._ponder_hit,
            "stop": lambda _: self._stop(),
            "ping": lambda _: self._write("pong"),
        }

    def answer(self, text: str) -> bool:
        """Do what a line asks for; false if that is to quit. What is no command is passed over."""
        read = parse_line(text)
        if read.command == "quit":
            return False
        command = self._commands.get(read.command)
        if command is None:
            return True
        if read.command not in _DURING_SEARCH:
            self._stop(wait=None)
        try:
            command(read)
        except (NotationError, PlayerError, ValueError) as error:
            self._write(line("error", {"message": error}))
        return True

    def close(self) -> None:
        """Stop the search, if there is one, and close the player."""
        self._stop(wait=_LAST_SECONDS)
        if self._tenure is not None:
            self._tenure.close()

    def _hub(self, _: Line) -> None:
        name = f"draughts-arena {self._spec.name}"
        self._write(line("id", {"name": name, "version": _version(), "author": "", "country": ""}))
        words = " ".join(map(variant_word, VARIANTS.values()))
        variant = variant_word(self._variant)
        self._write(line("param", {"name": "variant", "value": variant, "type": "enum", "values": words}))
        self._write(line("param", {"name": "seed", "value": self._seed, "type": "string"}))
        self._write("wait")

    def _set_param(self, read: Line) -> None:
        name, value = read.arguments.get("name", ""), read.arguments.get("value", "")
        if name == "variant":
            found = [variant for variant in VARIANTS.values() if variant_word(variant) == value]
            if not found:
                raise ValueError(f"unknown variant {value}")
            self._variant = found[0]
        elif name == "seed":
            self._seed = value
        else:
            raise ValueError(f"unknown parameter {name}")

    def _init(self, read: Line) -> None:
        if self._tenure is not None:
            self._tenure.close()
        self._tenure = Tenure(replace(self._spec, limit=self._endless), self._variant)
        self._game = Game(self._variant)
        self._new_game(read)
        self._man = self._tenure.man or 1.0
        self._write("ready")

    def _new_game(self, _: Line) -> None:
        if self._tenure is None:
            raise ValueError("there was no init")
        self._tenure.begin()
        self._rng = random.Random(self._seed)

    def _pos(self, read: Line) -> None:
        self._game = None
        game = Game(self._variant, parse_position(self._variant, read.arguments.get("pos", "")))
        for text in read.arguments.get("moves", "").split():
            move = parse_hub_move(self._variant, game.position, text, game.legal_moves)
            if move is None:
                raise NotationError(f"{text} is no legal move after {len(game.moves)} moves")
            game.push(move)
        self._game = game

    def _level(self, read: Line) -> None:
        self._limit = limit_of(read) or self._spec.limit

    def _go(self, read: Line) -> None:
        if self._tenure is None or self._tenure.player is None:
            raise ValueError("there was no init")
        if self._game is None:
            raise ValueError("there is no position")
        if not self._game.legal_moves:
            raise ValueError("the game is over")
        limit = self._limit if "think" in read.arguments and self._limit != ENDLESS else self._endless
        getattr(self._tenure.player, "check_limit", lambda _: None)(limit)
        self._search = ThreadedSearch(self._tenure, self._game, limit, self._rng, self._man, self._write)
        self._searches.put(self._search)
        if hasattr(self._tenure.player, "progress"):
            self._reported.put(self._search)

    def _ponder_hit(self, _: Line) -> None:
        """Think under the level, for which the search so far has filled what the player remembers."""
        if self._search is not None and self._search.silence():
            self._stop(wait=None)
            self._go(Line("go", {"think": ""}))

    def _stop(self, wait: float | None = 0.0) -> None:
        """Have the search stop, and wait for so many seconds until it has, or for ever."""
        if self._search is not None:
            self._search.stop()
            self._search.join(wait)


def endless(spec: PlayerSpec, variant: Variant) -> Limit:
    """The limit under which a player searches until it is stopped. Raises PlayerError if it cannot be built."""
    refused: PlayerError | None = None
    for limit in (ENDLESS, ENDLESS._replace(depth=None)):
        tenure = Tenure(replace(spec, limit=limit), variant)
        try:
            tenure.begin()
        except PlayerError as error:
            refused = refused or error
            continue
        tenure.close()
        return limit
    assert refused is not None
    raise refused


def limit_of(read: Line) -> Limit | None:
    """The limit of a line `level`, None if it says nothing. Raises ValueError.

    The protocol adds the increment before a move, the arena after it; the number of moves is not heeded.
    """
    given = {name: float(value) for name, value in read.arguments.items() if name in _LEVELS}
    if "infinite" in read.arguments:
        return ENDLESS
    for name, value in given.items():
        if not (value >= 0 if name in ("time", "inc") else value > 0) or value == float("inf"):
            raise ValueError(f"level {name}={read.arguments[name]} is out of bounds")
    increment = given.get("inc", 0.0)
    clock = given["time"] + increment if "time" in given else None
    limit = Limit(
        depth=min(int(given["depth"]), DEEPEST) if "depth" in given else None,
        nodes=int(given["nodes"]) if "nodes" in given else None,
        seconds=given.get("move-time"),
        clock=clock,
        increment=increment if clock is not None else None,
    )
    return None if limit == Limit() else limit


def _version() -> str:
    """The installed version, empty if this is a source tree."""
    try:
        return version("draughts-arena")
    except PackageNotFoundError:
        return ""
