"""The player that is an outside program, asked for moves by the Hub protocol, version 2, or by DXP."""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from arena.base.wording import quoted
from arena.rules.game import Game
from arena.rules.hub import Line, game_line, line, parse_hub_move, parse_line
from arena.rules.movegen import apply, legal_moves
from arena.rules.variants import Variant
from players.engines.dxp import Dxp, Listens
from players.engines.parameters import Declared, Value, declared, settings
from players.engines.program import Program, ProgramError
from players.loading import PlayerError, words_of_command
from players.player import AnswerError, Choice, Limit

_RESERVE = 0.005
_STOP_SECONDS = 10.0
"""Seconds after `stop` for which a move is waited for; a held player is not waited for that long."""
_LATEST = 16
"""Lines `info` that are read for an answer, the latest ones."""
_LARGEST = (1 << 31) - 1
"""Numbers that a program reports are ignored above this; nodes may be its square."""


class Engine:
    """An outside program that speaks Hub or DXP: its `command` is started in `folder`.

    Relative folders start at the configuration's, and so does the command at `folder`. By Hub the program gets
    `parameters`, of a time limit `reserve` seconds less, and `stop` when the limit is met. By DXP it `listens` at
    a `port`, or connects to the arena there; `{port}` in the command is that port, for 0 a free one.
    """

    kept = True
    man = 1.0

    def __init__(
        self,
        variant: Variant,
        command: str | list[str],
        folder: str = ".",
        protocol: Literal["hub", "dxp"] = "hub",
        parameters: dict[str, Value] | None = None,
        reserve: Annotated[float, Field(ge=0, json_schema_extra={"unit": "seconds"})] = _RESERVE,
        port: Annotated[int, Field(ge=0, le=65535)] = 0,
        listens: Listens = "program",
    ) -> None:
        """Start the program and initialise it. Raises PlayerError."""
        words = words_of_command(command)
        self.name = Path(words[0]).name if words else ""
        self.cpu_elsewhere = 0.0
        """Processor time of the program for its last answer, in seconds; nan if the system does not report it."""
        start = partial(_started, folder=Path(folder))
        others: tuple[tuple[str, object, object], ...]
        if protocol == "hub":
            others = ("port", port, 0), ("listens", listens, "program")
            self._speech: Hub | Dxp = Hub(start, words, variant, parameters or {}, reserve, self.name)
        else:
            others = ("parameters", parameters, None), ("reserve", reserve, _RESERVE)
            self._speech = Dxp(start, words, variant, port, listens)
        for key, value, usual in others:
            if value != usual:
                raise PlayerError(f"protocol {protocol} has no {key!r}", key)
        self._in_words(self._speech.open)

    def begin(self) -> None:
        """Announce a new game to the program. Raises AnswerError and PlayerError."""
        self._in_words(self._speech.begin)

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError if there is no limit, or one that the protocol cannot state."""
        self._speech.check_limit(limit)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Have the program think.

        A move that is not legal is returned as the text that it is. Raises ValueError if there is no limit, and
        AnswerError if the program ends, says `error`, does not stop, or breaks the protocol.
        """
        program = self._speech.program
        assert program is not None
        before = program.cpu_seconds()
        try:
            choice = self._speech.choose(game, limit)
        except ProgramError as error:
            raise AnswerError(str(error)) from None
        self.cpu_elsewhere = program.cpu_seconds() - before
        return choice

    def close(self) -> None:
        """Have the program quit, or end it."""
        self._speech.close()

    def _in_words(self, begin: Callable[[], None]) -> None:
        """Begin something; the error of a program that ends has its last words, and the program is closed."""
        try:
            begin()
        except ProgramError as error:
            program = self._speech.program
            last = program.last_words if program is not None else ""
            self.close()
            told = f"; it wrote {quoted(last)}" if last else ""
            raise PlayerError(f"{self.name} {error} before it was ready{told}", "command") from None
        except PlayerError:
            self.close()
            raise


class Hub:
    """A conversation with an outside program by Hub; `start` starts it with the words of a command."""

    def __init__(
        self,
        start: Callable[[Sequence[str]], Program],
        words: Sequence[str],
        variant: Variant,
        parameters: dict[str, Value],
        reserve: float,
        name: str,
    ) -> None:
        self._start, self._words, self._variant = start, words, variant
        self._parameters, self._reserve, self._name = parameters, reserve, name
        self.program: Program | None = None

    def open(self) -> None:
        """Start the program and initialise it. Raises PlayerError, and ProgramError if it ends."""
        self.program = self._start(self._words)
        self.program.say("hub")
        known: dict[str, Declared] = {}
        while (read := self._read()).command != "wait":
            if read.command == "param" and "name" in read.arguments:
                known[read.arguments["name"]] = declared(read)
        wanted = settings(known, self._parameters, self._variant, self._name)
        self.program.say(
            *(line("set-param", {"name": name, "value": text}) for name, text in wanted.items()), "init"
        )
        while self._read().command != "ready":
            pass

    def begin(self) -> None:
        """Announce a new game. Raises AnswerError."""
        assert self.program is not None
        try:
            self.program.say("new-game")
        except ProgramError as error:
            raise AnswerError(str(error)) from None

    @staticmethod
    def check_limit(limit: Limit) -> None:
        """Raise ValueError if there is no limit."""
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("an engine needs a limit: depth, nodes, seconds or clock")

    def choose(self, game: Game, limit: Limit) -> Choice:
        """Have the program think, and `stop` when the time limit is met. Raises AnswerError and ProgramError."""
        self.check_limit(limit)
        assert self.program is not None
        longest = limit.longest
        deadline = None if longest is None else time.perf_counter() + longest
        self.program.forget()
        self.program.say(game_line(game), line("level", _level(limit, self._reserve)), "go think")
        latest: deque[str] = deque(maxlen=_LATEST)
        return _choice(game, self._answer(deadline, latest), latest)

    def close(self) -> None:
        """Have the program quit, or end it."""
        if self.program is not None:
            self.program.close("quit")

    def _read(self) -> Line:
        assert self.program is not None
        read = parse_line(self.program.line() or "")
        if read.command == "error":
            raise PlayerError(f"{self._name} answers: {_message(read)}", "command")
        return read

    def _answer(self, deadline: float | None, latest: deque[str]) -> Line:
        """The line `done`; lines `info` before it are added to `latest`. Raises AnswerError and ProgramError."""
        assert self.program is not None
        stopped = False
        while True:
            text = self.program.line(deadline)
            if text is None:
                if stopped:
                    raise AnswerError(f"did not stop within {_STOP_SECONDS:g} s")
                self.program.say("stop")
                stopped, deadline = True, time.perf_counter() + _STOP_SECONDS
            elif text.startswith("info"):
                latest.append(text)
            elif (read := parse_line(text)).command == "done":
                return read
            elif read.command == "error":
                raise AnswerError(f"answered the error {_message(read)}")


def _started(words: Sequence[str], folder: Path) -> Program:
    if not words:
        raise PlayerError("the command is empty: expected a program, such as [./scan, hub]", "command")
    if not folder.is_dir():
        raise PlayerError(f"there is no folder {folder}", "folder")
    program, *arguments = words
    path = folder / program
    if "/" not in program and not path.is_file():
        if shutil.which(program) is None:
            raise PlayerError(f"there is no program {program!r}, neither in {folder} nor in PATH", "command")
        path = Path(program)
    elif not path.is_file():
        raise PlayerError(f"there is no program {path}", "command")
    elif not os.access(path, os.X_OK):
        raise PlayerError(f"{path} is not a program: it may not be executed (chmod +x)", "command")
    if not hasattr(select, "poll"):
        raise PlayerError("outside programs cannot be played on Windows yet", "command")
    try:
        return Program([str(path), *arguments], folder)
    except OSError as error:
        raise PlayerError(f"{path} cannot be started: {error.strerror}", "command") from None


def _level(limit: Limit, reserve: float) -> dict[str, object]:
    """The arguments of `level`. The protocol adds the increment before a move, the arena after it."""
    arguments: dict[str, object] = {}
    if limit.depth is not None:
        arguments["depth"] = limit.depth
    if limit.nodes is not None:
        arguments["nodes"] = limit.nodes
    if limit.seconds is not None:
        arguments["move-time"] = max(limit.seconds - reserve, limit.seconds / 2)
    if limit.clock is not None:
        clock = max(limit.clock - reserve, limit.clock / 2)
        increment = min(limit.increment or 0.0, clock)
        arguments["time"] = clock - increment
        if limit.increment:
            arguments["inc"] = increment
    return arguments


def _choice(game: Game, done: Line, latest: Sequence[str]) -> Choice:
    text = done.arguments.get("move", "")
    move = parse_hub_move(game.variant, game.position, text, game.legal_moves)
    if move is None:
        return Choice(cast(Any, text))
    said: dict[str, str] = {}
    for one in latest:
        said |= parse_line(one).arguments
    score, seconds = _number(said.get("score")), _number(said.get("time"))
    return Choice(
        move,
        score,
        depth=_count(_number(said.get("depth")), _LARGEST),
        nodes=_count(_number(said.get("nodes")), _LARGEST**2),
        said_ms=_count(None if seconds is None else 1000 * seconds, _LARGEST),
        pv=_line_of_play(game, move, said.get("pv", "").split()),
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


def _message(read: Line) -> str:
    return quoted(read.arguments.get("message", ""))
