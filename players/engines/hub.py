"""The Hub protocol, versions 1 and 2: an outside program that is asked for moves on its standard input.

Version 2 is that of Scan 3 and Hub 2 (`protocol.txt` of Scan 3.1), version 1 that of Scan 2.0 and Hub 1.0
(https://damforum.nl/viewtopic.php?t=7754), here as those two programs write and accept it.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from arena.base.wording import quoted
from arena.rules.game import Game
from arena.rules.hub import Line, game_line, line, parse_hub_move, parse_line, position_text, since_progress
from arena.rules.movegen import apply, legal_moves
from arena.rules.variants import VARIANTS, Variant
from players.engines.parameters import Declared, Value, declared, settings, single_words
from players.engines.program import Program, ProgramError, announce_waiting
from players.loading import PlayerError
from players.player import AnswerError, Choice, Limit

RESERVE = 0.005
_SOON_SECONDS = 3.0
"""Seconds after which a program that is not ready yet is announced to be waited for."""
_STOP_SECONDS = 10.0
"""Seconds after `stop` for which a move is waited for; a held player is not waited for that long."""
_LATEST = 16
"""Lines `info` that are read for an answer, the latest ones."""
_LARGEST = (1 << 31) - 1
"""Numbers that a program reports are ignored above this; nodes may be its square."""
_INTRODUCED_BY = {"id": "hub", "param": "hub", "name": "hub-1", "author": "hub-1", "country": "hub-1"}
"""The protocol that a program speaks, by the command with which it answers `hub`."""


class Hub(ABC):
    """A conversation with an outside program by either version; `start` starts it with the words of a command."""

    protocol = ""
    """What a configuration calls the version."""
    new_game = ""
    """The command before each game."""
    answer = ""
    """The command with which the program answers a search."""
    man = 1.0
    """What a man is worth in the scores that the program reports."""

    def __init__(
        self,
        start: Callable[[Sequence[str]], Program],
        words: Sequence[str],
        variant: Variant,
        parameters: Mapping[str, Value],
        reserve: float,
        name: str,
    ) -> None:
        self._start, self._words, self._variant = start, words, variant
        self._parameters, self._reserve, self._name = parameters, reserve, name
        self.program: Program | None = None

    def open(self) -> None:
        """Start the program and initialise it. Raises PlayerError, and ProgramError if it ends."""
        self.program = self._start(self._words)
        self._initialise(self.program)

    def begin(self) -> None:
        """Announce a new game. Raises AnswerError."""
        assert self.program is not None
        try:
            self.program.say(self.new_game)
        except ProgramError as error:
            raise AnswerError(str(error)) from None

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError if there is no limit, or one that the version cannot state."""
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("an engine needs a limit: depth, nodes, seconds or clock")

    def choose(self, game: Game, limit: Limit) -> Choice:
        """Have the program think, and `stop` when the time limit is met. Raises AnswerError and ProgramError."""
        self.check_limit(limit)
        assert self.program is not None
        longest = limit.longest
        deadline = None if longest is None else time.perf_counter() + longest
        self.program.forget()
        self.program.say(*self._question(game, limit))
        latest: deque[str] = deque(maxlen=_LATEST)
        text = self._answer(deadline, latest)
        move = parse_hub_move(game.variant, game.position, text, game.legal_moves)
        if move is None:
            return Choice(cast(Any, text))
        said: dict[str, str] = {}
        for one in latest:
            said |= self._said(one)
        return _choice(game, move, said, self.man)

    def close(self) -> None:
        """Have the program quit, or end it."""
        if self.program is not None:
            self.program.close("quit")

    @abstractmethod
    def _initialise(self, program: Program) -> None: ...

    @abstractmethod
    def _question(self, game: Game, limit: Limit) -> list[str]:
        """The lines that have the program think about the last position of a game."""

    @abstractmethod
    def _said(self, text: str) -> dict[str, str]:
        """What a line `info` says, by version 2's names."""

    @abstractmethod
    def _move(self, text: str) -> str:
        """The move of an answer."""

    @abstractmethod
    def _error(self, text: str) -> str:
        """The message of a line `error`."""

    def _until(self, last: str, asked: str) -> Iterator[Line]:
        """The lines before the one whose command is `last`, the answer to what was `asked`.

        Raises PlayerError for an error, and if only the other version has introduced itself; ProgramError.
        """
        assert self.program is not None
        spoken: set[str] = set()
        deadline: float | None = time.perf_counter() + _SOON_SECONDS
        while (text := self.program.line(deadline)) is None or (read := parse_line(text)).command != last:
            if text is None:
                announce_waiting(f"waiting for {self._name} to answer {asked!r}")
                deadline = None
                continue
            if read.command == "error":
                raise PlayerError(f"{self._name} answers: {quoted(self._error(text))}", "command")
            if read.command in _INTRODUCED_BY:
                spoken.add(_INTRODUCED_BY[read.command])
            yield read
        if spoken and self.protocol not in spoken:
            other = spoken.pop()
            raise PlayerError(f"{self._name} speaks {_VERSIONS[other]}: write protocol: {other}", "protocol")

    def _answer(self, deadline: float | None, latest: deque[str]) -> str:
        """The move of the program's answer; lines `info` before it are added to `latest`.

        Raises AnswerError and ProgramError.
        """
        assert self.program is not None
        stopped = False
        while True:
            text = self.program.line(deadline)
            if text is None:
                if stopped:
                    raise AnswerError(f"did not stop within {_STOP_SECONDS:g} s")
                self.program.say("stop")
                stopped, deadline = True, time.perf_counter() + _STOP_SECONDS
                continue
            command = text.partition(" ")[0]
            if command == "info":
                latest.append(text)
            elif command == self.answer:
                return self._move(text)
            elif command == "error":
                raise AnswerError(f"answered the error {quoted(self._error(text))}")


class Hub2(Hub):
    """Version 2: arguments with names, parameters that the program declares."""

    protocol, new_game, answer = "hub", "new-game", "done"

    def _initialise(self, program: Program) -> None:
        program.say("hub")
        known: dict[str, Declared] = {}
        for read in self._until("wait", "hub"):
            if read.command == "param" and "name" in read.arguments:
                known[read.arguments["name"]] = declared(read)
        wanted = settings(known, self._parameters, self._variant, self._name)
        program.say(*(line("set-param", {"name": name, "value": text}) for name, text in wanted.items()), "init")
        for _ in self._until("ready", "init"):
            pass

    def _question(self, game: Game, limit: Limit) -> list[str]:
        counts = {"depth": limit.depth, "nodes": limit.nodes}
        given = {name: count for name, count in counts.items() if count is not None}
        return [game_line(game), line("level", {**given, **_times(limit, self._reserve)}), "go think"]

    def _said(self, text: str) -> dict[str, str]:
        return parse_line(text).arguments

    def _move(self, text: str) -> str:
        return parse_line(text).arguments.get("move", "")

    def _error(self, text: str) -> str:
        return parse_line(text).arguments.get("message", "")


class Hub1(Hub):
    """Version 1: words in a fixed order, milliseconds, hundredths of a man; the program declares nothing."""

    protocol, new_game, answer, man = "hub-1", "new", "move", 100.0

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError if there is no limit, or one that the version cannot state."""
        if limit.nodes is not None:
            raise ValueError("protocol hub-1 cannot state nodes: give depth, seconds or clock")
        if limit.seconds is not None and limit.clock is not None:
            raise ValueError("protocol hub-1 can state seconds or a clock, not both")
        super().check_limit(limit)

    def _initialise(self, program: Program) -> None:
        """Send all at once, as Hub 1.0 does: a program need not `wait`."""
        if self._variant.rules != VARIANTS["international"].rules:
            needs = "it cannot state rules, and its programs play international"
            raise PlayerError(f"protocol hub-1 does not play {self._variant.name}: {needs}", "protocol")
        wanted = single_words(self._parameters)
        program.say("hub", *(f"set {name} {text}" for name, text in wanted.items()), "init")
        for _ in self._until("ready", "init"):
            pass

    def _question(self, game: Game, limit: Limit) -> list[str]:
        """`pos` comes first, as it resets Scan's limits."""
        position, moves = since_progress(game)
        text = position_text(game.variant, position)
        lines = [f"pos {text[0].lower()}{text[1:]}", *(f"move {move}" for move in moves)]
        if limit.depth is not None:
            lines.append(f"depth {limit.depth}")
        times = {name: int(1000 * seconds) for name, seconds in _times(limit, self._reserve).items()}
        if "move-time" in times:
            lines.append(f"time {max(times['move-time'], 1)}")
        if "time" in times:
            lines.append(f"level 0 {times['time']} {times.get('inc', 0)}")
        return [*lines, "go"]

    def _said(self, text: str) -> dict[str, str]:
        _, *words = text.split()
        return dict(zip(_INFO, words, strict=False)) | {"pv": " ".join(words[len(_INFO) :])}

    def _move(self, text: str) -> str:
        return "".join(text.split()[1:2])

    def _error(self, text: str) -> str:
        return text.partition(" ")[2]


PROTOCOLS: dict[str, type[Hub]] = {kind.protocol: kind for kind in (Hub2, Hub1)}
"""The versions, by what a configuration calls them."""
_VERSIONS = {"hub": "version 2 of Hub", "hub-1": "version 1 of Hub"}
_INFO = ("depth", "mean-depth", "score", "nodes", "time", "nps")
"""What the words of version 1's `info` are, before the moves of the principal variation."""


def _times(limit: Limit, reserve: float) -> dict[str, float]:
    """A time limit in seconds, by the names of version 2.

    Both versions add the increment before a move, the arena after it.
    """
    found: dict[str, float] = {}
    if limit.seconds is not None:
        found["move-time"] = max(limit.seconds - reserve, limit.seconds / 2)
    if limit.clock is not None:
        clock = max(limit.clock - reserve, limit.clock / 2)
        increment = min(limit.increment or 0.0, clock)
        found["time"] = clock - increment
        if limit.increment:
            found["inc"] = increment
    return found


def _choice(game: Game, move: int, said: Mapping[str, str], man: float) -> Choice:
    score, seconds = _number(said.get("score")), _number(said.get("time"))
    return Choice(
        move,
        None if score is None else score / man,
        depth=_count(_number(said.get("depth")), _LARGEST),
        nodes=_count(_number(said.get("nodes")), _LARGEST**2),
        pv=_line_of_play(game, move, said.get("pv", "").split()),
        extra=None if seconds is None else {"said_ms": round(1000 * seconds)},
    )


def _line_of_play(game: Game, move: int, texts: Sequence[str]) -> tuple[int, ...]:
    """The moves of a principal variation as far as they are legal; `move` alone if it does not begin with it."""
    variant, position, legal = game.variant, game.position, game.legal_moves
    found: list[int] = []
    for text in texts:
        step = parse_hub_move(variant, position, text, legal)
        if step is None or (not found and step != move):
            break
        found.append(step)
        position = apply(variant.constants, position, step)
        legal = legal_moves(variant.constants, position)
    return tuple(found) or (move,)


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and re.fullmatch(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?", text) else None


def _count(number: float | None, most: int) -> int:
    """A number in whole units; 0 for none, or if it is out of bounds."""
    return round(number) if number is not None and 0 <= number <= most else 0
