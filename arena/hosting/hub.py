"""A player of the arena as a server of the Hub protocol, version 2: it answers commands and thinks in a thread."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.base.files import version_of
from arena.base.wording import message_of
from arena.hosting.handle import SharedPlayer
from arena.rules.game import Game
from arena.rules.hub import (
    RESIGNS,
    Line,
    hub_move,
    line,
    parse_game,
    parse_line,
    variant_word,
    variant_words,
)
from arena.rules.move_text import line_texts
from arena.rules.notation import NotationError
from arena.rules.variants import VARIANTS, Variant
from players.loading import PlayerError
from players.player import Choice, Limit, PlayerSpec, Resign

_DEEPEST = 64
"""Plies of a level, at most."""
ENDLESS = Limit(depth=_DEEPEST, seconds=86_400.0)
"""The limit of a search that goes on until it is stopped, without the depth for a player that takes none."""
_REPORT_SECONDS = 0.1
"""Seconds between two looks at what a search has found."""
_LAST_SECONDS = 1.0
"""Seconds that a player has to stop when the server is to quit."""
_ENDING = ("hub", "set-param", "init", "new-game", "pos", "level", "go")
"""Those before which a search ends."""
_WHOLE, _SECONDS = ("depth", "nodes", "moves"), ("move-time", "time", "inc")
"""The numbers of a level."""
_NONE_IS_0 = ("moves", "time", "inc")
_MOST = 1e15
"""Such a number, at most."""


class Server:
    """Answers the lines of a GUI; what it has to say goes to `write`, whole lines without the last end of line."""

    def __init__(self, spec: PlayerSpec, variant: Variant, write: Callable[[str], None]) -> None:
        """Raises PlayerError if the player cannot be built."""
        self._spec, self._variant, self._write = spec, variant, write
        self._seed = "0"
        self._player: SharedPlayer | None = None
        self._game: Game | None = None
        self._limit = spec.limit
        self._endless = _endless(spec, variant)
        self._search: _Search | None = None

    def answer(self, text: str) -> bool:
        """Run the command of a line; false for `quit`. Unknown commands are skipped."""
        read = parse_line(text)
        if read.command in _ENDING:
            self._stop(wait=None)
        try:
            self._run(read)
        except (NotationError, PlayerError, ValueError) as error:
            self._write(line("error", {"message": error}))
        return read.command != "quit"

    def close(self) -> None:
        """Stop the search, if there is one, and close the player."""
        self._stop(wait=_LAST_SECONDS)
        if self._player is not None:
            self._player.close()

    def _run(self, read: Line) -> None:
        """Do what a line says. Raises NotationError, PlayerError and ValueError."""
        match read.command:
            case "hub":
                name = f"draughts-arena {self._spec.name}"
                self._write(line("id", {"name": name, "version": version_of() or "", "author": "", "country": ""}))
                words = " ".join(map(variant_word, VARIANTS.values()))
                variant = variant_words(self._variant)[0]
                self._write(line("param", {"name": "variant", "value": variant, "type": "enum", "values": words}))
                self._write(line("param", {"name": "seed", "value": self._seed, "type": "string"}))
                self._write("wait")
            case "set-param":
                name, value = read.arguments.get("name", ""), read.arguments.get("value", "")
                named = [variant for variant in VARIANTS.values() if variant_word(variant) == value]
                if name not in ("variant", "seed"):
                    raise ValueError(f"unknown parameter {name}")
                if name == "seed":
                    self._seed = value
                elif not named:
                    raise ValueError(f"unknown variant {value}")
                else:
                    self._variant = named[0]
            case "init":
                if self._player is not None:
                    self._player.close()
                self._player = SharedPlayer(replace(self._spec, limit=self._endless), self._variant)
                self._game = Game(self._variant)
                self._begin()
                self._write("ready")
            case "new-game":
                self._begin()
            case "pos":
                self._game = None
                self._game = parse_game(self._variant, read)
            case "level":
                self._limit = limit_of(read) or self._spec.limit
            case "go":
                self._go(read)
            case "stop":
                self._stop()
            case "ping":
                self._write("pong")

    def _begin(self) -> None:
        if self._player is None:
            raise ValueError("there was no init")
        self._player.begin()
        self._rng = random.Random(self._seed)

    def _go(self, read: Line) -> None:
        player = self._player
        if player is None or player.player is None:
            raise ValueError("there was no init")
        if self._game is None:
            raise ValueError("there is no position")
        if not self._game.legal_moves:
            raise ValueError("the game is over")
        limit = self._limit if "think" in read.arguments and self._limit != ENDLESS else self._endless
        player.player.check_limit(limit)
        self._search = _Search(player, self._game, limit, self._rng, self._write)

    def _stop(self, wait: float | None = 0.0) -> None:
        """Stop the search, and wait up to `wait` seconds until it has, or for ever with None."""
        if self._search is not None:
            self._search.stop(wait)


class _Search:
    """A search in a thread; another one writes how far it is, until the answer is written."""

    def __init__(
        self, player: SharedPlayer, game: Game, limit: Limit, rng: random.Random, write: Callable[[str], None]
    ) -> None:
        self._player, self._game, self._limit, self._rng, self._write = player, game, limit, rng, write
        self._writing = threading.Lock()
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._began = time.perf_counter()
        for work in (self._think, self._report):
            threading.Thread(target=work, daemon=True).start()

    def stop(self, wait: float | None) -> None:
        """Stop it, if its player can be stopped, and wait up to `wait` seconds for its end, None: for ever."""
        self._stopped.set()
        self._player.stop()
        self._ended.wait(wait)

    def _think(self) -> None:
        try:
            choice = self._player.choose(self._game, self._limit, self._rng, self._stopped).choice
            text = f"{self._info(choice)}\n{line('done', {'move': self._pv(choice)[0]})}"
        except Resign:
            text = line("done", {"move": RESIGNS})
        except BaseException as error:
            text = line("error", {"message": f"{type(error).__name__}: {message_of(error)}"})
        with self._writing:
            self._write(text)
            self._ended.set()

    def _report(self) -> None:
        """Write what is found after each iteration, until the search ends."""
        deepest = 0
        while not self._ended.wait(_REPORT_SECONDS):
            choice = self._player.progress()
            if choice is not None and choice.depth > deepest:
                deepest = choice.depth
                with self._writing:
                    if not self._ended.is_set():
                        self._write(self._info(choice))

    def _info(self, choice: Choice) -> str:
        """The line `info` of a choice, its score in men."""
        seconds = time.perf_counter() - self._began
        arguments: dict[str, object] = {"depth": choice.depth}
        if choice.score is not None:
            arguments["score"] = choice.score / (self._player.man_value or 1.0)
        arguments |= {"nodes": choice.nodes, "time": seconds, "nps": choice.nodes / max(seconds, 1e-6) / 1e6}
        return line("info", arguments | {"pv": " ".join(self._pv(choice))})

    def _pv(self, choice: Choice) -> list[str]:
        """The principal variation as the protocol writes it, as far as its moves are legal."""
        return line_texts(self._game.variant, self._game.position, choice.pv or (choice.move,), hub_move)


def _endless(spec: PlayerSpec, variant: Variant) -> Limit:
    """The limit under which a player searches until it is stopped. Raises PlayerError if it cannot be built."""
    refused: PlayerError | None = None
    for limit in (ENDLESS, ENDLESS._replace(depth=None)):
        player = SharedPlayer(replace(spec, limit=limit), variant)
        try:
            player.begin()
        except PlayerError as error:
            refused = refused or error
            continue
        player.close()
        return limit
    assert refused is not None
    raise refused


def limit_of(read: Line) -> Limit | None:
    """The limit of a line `level`, None if it says nothing. Raises ValueError.

    The protocol adds the increment before a move, the arena after it.
    """
    if "infinite" in read.arguments:
        return ENDLESS
    given = {name: _number(name, text) for name, text in read.arguments.items() if name in (*_WHOLE, *_SECONDS)}
    if "depth" in given:
        given["depth"] = min(given["depth"], _DEEPEST)
    limit = Limit(given.get("depth"), given.get("nodes"), given.get("move-time"))
    if "time" in given:
        inc, moves = given.get("inc", 0.0), given.get("moves") or None
        limit = limit._replace(clock=given["time"] + inc, increment=inc, moves=moves)
    return None if limit == Limit() else limit


def _number(name: str, text: str) -> Any:
    """The number of a level. Raises ValueError if it is none, out of bounds, or not whole where it must be."""
    number = float(text)
    is_bounded = 0 <= number <= _MOST and (number > 0 or name in _NONE_IS_0)
    if not is_bounded or (name in _WHOLE and not number.is_integer()):
        raise ValueError(f"level {name}={text} is out of bounds")
    return int(number) if name in _WHOLE else number
