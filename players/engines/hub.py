"""The Hub protocol, version 2: an outside program that is asked for moves on its standard input.

Scan 3 and Hub 2 speak it (`protocol.txt` of Scan 3.1). Behind the conversation stand a program's parameters: those
that it declares, and what a configuration gives them.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import Field, FiniteFloat

from arena.base.wording import choices, quoted, unknown
from arena.base.work import cores
from arena.rules.game import Game
from arena.rules.hub import RESIGNS, Line, game_line, line, parse_hub_move, parse_line, variant_words
from arena.rules.movegen import apply, legal_moves
from arena.rules.variants import VARIANTS, Variant
from players.engines.program import PATIENCE, Program, ProgramError, Starter, program_is_slow
from players.loading import PlayerError
from players.options import Option, does
from players.player import AnswerError, Choice, Limit, Resign

RESERVE = 0.005
_STOP_SECONDS = 10.0
"""Seconds after `stop` for which a move is waited for; one in a process of its own is not waited for that long."""
_LATEST = 16  # lines `info` that are read for an answer, the latest ones
_LARGEST = (1 << 31) - 1  # numbers that a program reports are ignored above this; nodes may be its square

ParameterValue = bool | int | float | str
_KEY = "parameters"  # the key of a player's entry
_INT = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]  # a whole number as programs keep it


class Hub:
    """A conversation with an outside program; `start` starts it with the words of a command."""

    def __init__(
        self,
        start: Starter,
        words: Sequence[str],
        variant: Variant,
        parameters: Mapping[str, ParameterValue],
        reserve: float,
        name: str,
    ) -> None:
        self._start, self._words, self._variant = start, words, variant
        self._parameters, self._reserve, self._name = parameters, reserve, name
        self.program: Program | None = None
        self.version = ""
        """What the program says that it is: its name and version."""

    def open(self) -> None:
        """Start the program and initialise it. Raises PlayerError, and ProgramError if it ends."""
        self.program = self._start(self._words)
        self.program.say("hub")
        declarations: dict[str, Declaration] = {}
        for read in self._until("wait", "hub"):
            if read.command == "id":
                self.version = " ".join(filter(None, map(read.arguments.get, ("name", "version"))))
            elif read.command == "param" and "name" in read.arguments:
                declarations[read.arguments["name"]] = declaration(read, self._name)
        wanted = changed_settings(declarations, self._parameters, self._variant, self._name)
        changes = (line("set-param", {"name": name, "value": text}) for name, text in wanted.items())
        self.program.say(*changes, "init")
        for _ in self._until("ready", "init"):
            pass

    def begin(self) -> None:
        """Announce a new game. Raises AnswerError."""
        assert self.program is not None
        try:
            self.program.say("new-game")
        except ProgramError as error:
            raise AnswerError(str(error)) from None

    def check_limit(self, limit: Limit) -> None:
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("an engine needs a limit: depth, nodes, seconds or clock")

    def choose(self, game: Game, limit: Limit) -> Choice:
        """Have the program think, and `stop` when the time limit is met. Raises AnswerError, Resign,
        ProgramError."""
        self.check_limit(limit)
        assert self.program is not None
        longest = limit.longest
        deadline = None if longest is None else time.perf_counter() + longest
        self.program.forget()
        asked = {"depth": limit.depth, "nodes": limit.nodes, **times(limit, self._reserve)}
        level = {name: value for name, value in asked.items() if value is not None}
        self.program.say("ping", game_line(game), line("level", level), "go think")
        latest: deque[str] = deque(maxlen=_LATEST)
        text = self._answer(deadline, latest)
        if text == RESIGNS:
            raise Resign
        move = parse_hub_move(game.variant, game.position, text, game.legal_moves)
        if move is None:
            return Choice(cast(Any, text))
        info: dict[str, str] = {}
        for line_of_info in latest:
            info |= parse_line(line_of_info).arguments
        return _choice(game, move, info)

    def close(self) -> None:
        if self.program is not None:
            self.program.close("quit")

    def _until(self, last: str, asked: str) -> Iterator[Line]:
        """The lines before the command `last`, the answer to `asked`. Raises PlayerError for an error,
        ProgramError."""
        assert self.program is not None
        deadline: float | None = time.perf_counter() + PATIENCE
        while (text := self.program.line(deadline)) is None or (read := parse_line(text)).command != last:
            if text is None:
                program_is_slow(f"waiting for {self._name} to answer {asked!r}{self.program.wrote}")
                deadline = None
                continue
            if read.command == "error":
                raise PlayerError(f"{self._name} answers: {quoted(_message(read))}", "command")
            yield read

    def _answer(self, deadline: float | None, latest: deque[str]) -> str:
        """The move of the answer, and in `latest` the lines `info` before it. Raises AnswerError and
        ProgramError."""
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
            if command == "pong":  # what stands before it is of the last search
                latest.clear()
            elif command == "info":
                latest.append(text)
            elif command == "done":
                return parse_line(text).arguments.get("move", "")
            elif command == "error":
                raise AnswerError(f"answered the error {quoted(_message(parse_line(text)))}")


def times(limit: Limit, reserve: float) -> dict[str, float]:
    """A time limit in seconds, by the names of the protocol, which adds the increment before a move and not, as
    the arena, after it: so `time` and `inc` are together what the clock shows."""
    numbers: dict[str, float] = {}
    if limit.seconds is not None:
        numbers["move-time"] = max(limit.seconds - reserve, limit.seconds / 2)
    if limit.clock is not None:
        clock = max(limit.clock - reserve, limit.clock / 2)
        increment = min(limit.increment or 0.0, clock)
        numbers["time"] = clock - increment
        if limit.increment:
            numbers["inc"] = increment
        if limit.moves:
            numbers["moves"] = limit.moves
    return numbers


def _message(read: Line) -> str:
    return read.arguments.get("message", "")


def _choice(game: Game, move: int, info: Mapping[str, str]) -> Choice:
    score, seconds = _number(info.get("score")), _number(info.get("time"))
    return Choice(
        move,
        score,
        depth=_count(_number(info.get("depth")), _LARGEST),
        nodes=_count(_number(info.get("nodes")), _LARGEST**2),
        pv=_line_of_play(game, move, info.get("pv", "").split()),
        extra={"said_ms": round(1000 * seconds)} if seconds is not None and seconds >= 0 else None,
    )


def _line_of_play(game: Game, move: int, texts: Sequence[str]) -> tuple[int, ...]:
    """The moves of a principal variation as far as they are legal; `move` alone if it does not begin with it."""
    variant, position, legal = game.variant, game.position, game.legal_moves
    moves: list[int] = []
    for text in texts:
        step = parse_hub_move(variant, position, text, legal)
        if step is None or (not moves and step != move):
            break
        moves.append(step)
        position = apply(variant.rules, position, step)
        legal = legal_moves(variant.rules, position)
    return tuple(moves) or (move,)


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and re.fullmatch(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?", text) else None


def _count(number: float | None, most: int) -> int:
    """A number in whole units; 0 for none, or if it is out of bounds."""
    return round(number) if number is not None and 0 <= number <= most else 0


# --- parameters


class Declaration(NamedTuple):
    """A parameter as a program declares it by a line `param`."""

    option: Option
    value: str
    choices: tuple[str, ...]  # empty unless it is one of some words


def declaration(line: Line, program: str) -> Declaration:
    """The parameter that a line `param` declares."""
    get = line.arguments.get

    def bound(key: str) -> float | None:
        number = _number(get(key))
        return int(number) if number is not None and number.is_integer() else number

    words, type_ = tuple(get("values", "").split()), get("type", "string")
    kinds: dict[str, Any] = {
        "bool": bool,
        "int": _INT,
        "real": FiniteFloat,
        "enum": Literal[words] if words else str,
    }
    kind = kinds.get(type_, ParameterValue)
    if type_ in ("int", "real"):
        kind = Annotated[kind, does("", least=bound("min"), most=bound("max"))]
    option = Option(f"{get('name', '')} of {program}", kind)
    return Declaration(option, get("value", ""), words if type_ == "enum" else ())


def changed_settings(
    declarations: Mapping[str, Declaration], values: Mapping[str, ParameterValue], variant: Variant, program: str
) -> dict[str, str]:
    """Return what to set in the program, by name: values that differ from its own, and the variant. Raises
    PlayerError for a parameter that it does not declare, a value that it does not take, a variant that it does not
    play."""
    texts = {}
    for name, value in values.items():
        if name not in declarations:
            raise PlayerError(unknown(f"parameter of {program}", name, declarations), _KEY, name)
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            declarations[name].option.check(texts[name] if declarations[name].choices else value)
        except PlayerError as error:
            raise PlayerError(str(error), _KEY, name) from None
    if "variant" not in texts:
        texts |= _of_variant(declarations, variant, program)
    return {name: text for name, text in texts.items() if text != declarations[name].value}


def cautions(values: Mapping[str, ParameterValue]) -> Iterator[str]:
    """Yield a line for each parameter by which a program takes cores from others: it ponders, has many threads."""
    for name, value in values.items():
        if "ponder" in name.lower() and str(value).lower() == "true":
            yield f"has '{name}: true': what it computes in its opponent's time takes cores from others"
        if "thread" in name.lower() and isinstance(value, int) and value > cores():
            yield f"has '{name}: {value}', more than the {cores()} cores of this machine"


def _of_variant(declarations: Mapping[str, Declaration], variant: Variant, program: str) -> dict[str, str]:
    words = variant_words(variant)
    if "variant" not in declarations:
        if variant.rules == VARIANTS["international"].rules:
            return {}
        raise PlayerError(f"{program} has no parameter 'variant': it plays international, not {variant.name}")
    if not words:
        raise PlayerError(f"{program} does not play {variant.name}: the Hub protocol has no name for its rules")
    plays = declarations["variant"].choices
    word = next((word for word in words if word in plays or not plays), None)
    if word is None:
        raise PlayerError(f"{program} does not play {variant.name} {choices(plays)}")
    return {"variant": word}
