"""Seats as a worker sees them: players that answer from another process, within their time or not at all."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import select
import time
from collections import OrderedDict
from functools import partial
from typing import Any, NoReturn

from arena.base import frames, process
from arena.base.wording import printable
from arena.hosting import sandbox
from arena.hosting.answer import message_of, traceback_of
from arena.hosting.occupant import (
    BUILT,
    CHOSEN,
    FAILED,
    NO_MOVE,
    NOTE,
    RAISED,
    REFUSED,
    WORTH,
    Ask,
    Begin,
    Worth,
    serve,
)
from arena.hosting.tenure import Tenure
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import announce_compilation
from arena.rules.movegen import compiled_generator
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.loading import PlayerError, without_own_code
from players.player import Allowance, AnswerError, Choice, Limit, Player, PlayerSpec, checked
from players.table import build_player

KEPT_OUTPUT = 1 << 16
"""Bytes of what a player printed that are kept, the last ones."""
_GRACE = 1.0
"""Seconds after its deadline for which a late move is waited for, so that it is seen how late it is."""
_DRAIN_SECONDS = 0.01
"""Seconds after which what a player prints is read while it is waited for; a pipe holds it till then."""
_OWN_SECONDS = 0.001
"""Processor time that a seat itself may need between an answer and the next request."""
_SEATS = 16
"""Seats that a process keeps, those that were used last."""

_seats: OrderedDict[tuple[str, str, int], Seat | InProcess] = OrderedDict()
if process.are_supported():
    os.register_at_fork(after_in_child=_seats.clear)


class SeatError(Exception):
    """A player in a seat failed; the message goes on after its name, as in `raised ValueError: no`."""

    def __init__(self, termination: Termination, message: str, traceback: str = "", output: str = "") -> None:
        super().__init__(printable(message))
        self.termination = termination
        self.traceback = printable(traceback)
        """Where it raised, as Python prints it."""
        self.output = printable(output)
        """What it printed last."""


def failure_of(error: Exception) -> SeatError:
    """What a player raised, in a seat or not, as its failure."""
    if isinstance(error, SeatError):
        return error
    if isinstance(error, AnswerError):
        return SeatError(Termination.ERROR, str(error))
    if isinstance(error, PlayerError):
        return SeatError(Termination.ERROR, f"was not built: {error}")
    message = f"raised {type(error).__name__}: {message_of(error)}"
    return SeatError(Termination.ERROR, message, traceback_of(error))


def seated(
    spec: PlayerSpec, variant: Variant, opening: Position, seed: str, allowance: Allowance, place: int = 0
) -> Player:
    """The player of a specification, ready for one game: in a seat if it runs a user's code, unless `in_process`.

    The seat is that of earlier games; a player that plays itself has two, by their `place`. Raises PlayerError if
    the player cannot be built, and SeatError if its process ends or it takes too long.
    """
    plain = without_own_code(spec)
    if plain is spec:
        return build_player(spec, variant)
    key = (repr((spec, allowance)), repr(variant), place)
    seat = _seats.get(key)
    if seat is None:
        inside = spec.in_process or not process.are_supported()
        seat = InProcess(spec, variant) if inside else Seat(spec, plain, variant, allowance)
        _seats[key] = seat
        while len(_seats) > _SEATS:
            _seats.popitem(last=False)[1].close()
    _seats.move_to_end(key)
    seat.begin(opening, seed)
    return seat


def timed_choice(player: Player, game: Game, limit: Limit, rng: random.Random) -> tuple[Choice, float, float]:
    """What a player chooses, seated or not, with the seconds of wall time and of processor time that it took.

    Processor time is that of the player, wherever it sits; nan if it is not known. A seat rests from the answer to
    the next request. Raises what `choose` raises.
    """
    if isinstance(player, Seat):
        player.wake()
    spent_before, began = time.thread_time(), time.perf_counter()
    choice = player.choose(game, limit, rng)
    seconds = time.perf_counter() - began
    spent = time.thread_time() - spent_before
    if isinstance(player, Seat | InProcess):
        spent = player.cpu_seconds
    if isinstance(player, Seat):
        player.rest()
    return choice, seconds, spent


def pondered_seconds(player: Player) -> float:
    """Processor time that a player in a seat used while it rested before its last answer; nan for any other."""
    return player.pondered_seconds if isinstance(player, Seat) else math.nan


def close_seats() -> None:
    """End the processes of all seats."""
    while _seats:
        _seats.popitem()[1].close()


class InProcess:
    """A player with a user's code in this process: its answers are checked, no more."""

    def __init__(self, spec: PlayerSpec, variant: Variant) -> None:
        self._tenure = Tenure(spec, variant)

    @property
    def man(self) -> float | None:
        """What a man is worth in the player's scores, if it says so."""
        return self._tenure.man

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the last answer; nan if it is not known."""
        return self._tenure.cpu_seconds

    def begin(self, opening: Position, seed: str) -> None:
        """Have the player ready for a game. Raises PlayerError, and what its method `begin` raises."""
        self._tenure.begin()

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """What the player chooses. Raises what `answer_of` raises."""
        return self._tenure.choose(game, limit, rng)

    def close(self) -> None:
        """Be done with the player."""
        self._tenure.close()


class Seat:
    """A player in a process of its own, kept from game to game and begun again when it has ended."""

    def __init__(self, spec: PlayerSpec, plain: PlayerSpec | None, variant: Variant, allowance: Allowance) -> None:
        """`plain` is the player without a user's code, if there is one."""
        self._spec, self._plain, self._variant, self._allowance = spec, plain, variant, allowance
        self._process: process.Process | None = None
        self._sent = 0
        self._left = allowance.game_patience
        self.cpu_seconds = 0.0
        """Processor time of the last answer, measured where the player sits; nan if it is not known."""
        self.pondered_seconds = 0.0
        """Processor time from the last `rest` of this game to `wake`, 0 if the seat itself may have needed it."""
        self._has_children = False
        self._family: list[int] = []
        self._clocks: dict[int, float] | None = None
        """Processor time of each process of the seat when it began to rest; None if it does not rest."""

    def begin(self, opening: Position, seed: str) -> None:
        """Have the player ready for a game. Raises PlayerError and SeatError."""
        if self._process is None:
            self._start()
        self._sent, self._left = 0, self._allowance.game_patience
        reply = self._exchange(Begin(self._spec, self._variant, opening, seed), self._allowance.patience)
        if reply[0] == REFUSED:
            raise PlayerError(printable(str(reply[1])), *reply[2])
        if reply[0] != BUILT:
            self._fail_by(reply)
        self.pondered_seconds, self._family = 0.0, []

    @property
    def man(self) -> float | None:
        """What a man is worth in the scores of the player that was begun, if it says so. Raises SeatError."""
        reply = self._exchange(Worth(), self._allowance.patience)
        if reply[0] != WORTH or len(reply) != 2 or not isinstance(reply[1], float | None):
            self._fail_by(reply)
        return reply[1]

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """What the player chooses; its chance is not `rng`, but its own from the same seed. Raises SeatError."""
        began = time.perf_counter()
        moves = tuple(game.moves[self._sent :])
        self._sent = len(game.moves)
        reply = self._exchange(Ask(moves, limit), self._seconds(limit))
        self._left -= time.perf_counter() - began
        if reply[0] != CHOSEN:
            self._fail_by(reply)
        try:
            self.cpu_seconds = float(reply[1])
            self._has_children = bool(reply[2])
            return checked(Choice(*reply[3:]))
        except (IndexError, TypeError, ValueError):
            self._fail("sent a malformed answer")

    def rest(self) -> None:
        """Begin the opponent's time: the player is stopped if it may not ponder, and its processor time counted.

        That of its children is counted, too, if it has some when it answers.
        """
        if self._process is None:
            return
        if self._allowance.pondering == "stop":
            process.freeze(self._process)
        if self._has_children or not self._family:
            self._family = process.family(self._process)
        self._clocks = {one: process.processor_seconds(one) for one in self._family}

    def wake(self) -> None:
        """End the opponent's time, if the player rests; else nothing happens."""
        clocks, self._clocks = self._clocks, None
        if self._process is None or clocks is None:
            return
        spent = [process.processor_seconds(one) - before for one, before in clocks.items()]
        seconds = math.fsum(one for one in spent if one > 0)
        self.pondered_seconds = seconds if seconds > _OWN_SECONDS else 0.0
        if self._allowance.pondering == "stop":
            process.thaw(self._process)

    def close(self) -> None:
        """Have the player closed, and end the process with all that descends from it."""
        ending, self._process = self._process, None
        if ending is not None:
            process.finish(ending)

    def _start(self) -> None:
        """Begin the process, which has what is compiled here: all that the player needs of the arena."""
        compiled_generator(self._variant.constants)
        if self._plain is not None:
            build_player(self._plain, self._variant)
        self._process = self._begun()
        self._answers = frames.Reader(self._process.answers)
        self._output = b""
        self._clocks = None
        self._waiting = select.poll()
        self._waiting.register(self._process.answers, select.POLLIN)

    def _begun(self) -> process.Process:
        """The process, in a sandbox or not."""
        readable, memory, processes = self._allowance.sandbox, self._allowance.memory, self._allowance.processes
        if readable is None:
            return process.start(serve, memory, processes)
        inside = partial(sandbox.serve, self._spec, readable, memory)
        return process.start(inside, memory, processes + sandbox.WRAPPERS)

    def _seconds(self, limit: Limit) -> float:
        """For how long a move is waited for."""
        if limit.longest is None:
            return min(self._allowance.patience, self._left)
        return limit.longest + self._allowance.time_margin + _GRACE

    def _exchange(self, request: Begin | Ask | Worth, seconds: float) -> list[Any]:
        """The reply to a request. Raises SeatError if there is none in time, or the process ends."""
        assert self._process is not None
        self.wake()
        deadline = time.perf_counter() + seconds
        self._drain()
        process.watch(self._process)
        try:
            frames.write(self._process.requests, pickle.dumps(request))
            while (reply := self._reply(deadline)) == [NOTE]:
                announce_compilation()
        except (frames.FrameError, ValueError):
            self._fail("sent a malformed answer")
        except (BrokenPipeError, EOFError):
            self._fail_by_ending()
        if reply is None:
            self._fail(f"gave no answer within {seconds:.4g} s", Termination.TIME)
        return reply

    def _reply(self, deadline: float) -> list[Any] | None:
        """The next reply, None if it does not come in time. Raises EOFError if none can come."""
        assert self._process is not None
        while (frame := self._answers.frame()) is None:
            left = deadline - time.perf_counter()
            if left <= 0:
                return None
            if not self._waiting.poll(math.ceil(1000 * min(left, _DRAIN_SECONDS))):
                self._drain()
            elif not self._answers.fill():
                raise EOFError
        reply = json.loads(frame)
        if not isinstance(reply, list) or not reply:
            raise ValueError
        return reply

    def _drain(self) -> None:
        """Read what was printed, before a pipe is full of it."""
        assert self._process is not None
        part = process.printed(self._process)
        self._output = (self._output + (part or b""))[-KEPT_OUTPUT:]

    def _fail_by(self, reply: list[Any]) -> NoReturn:
        """Raise the SeatError of a reply that is no good one; the process stays."""
        if reply[0] == RAISED and len(reply) == 4:
            raise SeatError(Termination.ERROR, f"raised {reply[1]}: {reply[2]}", str(reply[3]), self._printed())
        if reply[0] == FAILED and len(reply) == 2:
            raise SeatError(Termination.ERROR, str(reply[1]), output=self._printed())
        if reply[0] == NO_MOVE and len(reply) == 2:
            message = f"returned the illegal move {reply[1]}"
            raise SeatError(Termination.ILLEGAL_MOVE, message, output=self._printed())
        self._fail("sent a malformed answer")

    def _fail(self, message: str, termination: Termination = Termination.ERROR) -> NoReturn:
        """End the process and raise the SeatError."""
        printed = self._printed()
        assert self._process is not None
        ending, self._process = self._process, None
        process.end(ending)
        raise SeatError(termination, message, output=printed)

    def _printed(self) -> str:
        """What was printed last."""
        for _ in range(2):
            self._drain()
        return self._output.decode("utf-8", "backslashreplace")

    def _fail_by_ending(self) -> NoReturn:
        """Raise the SeatError of a process that has ended."""
        assert self._process is not None
        printed = self._printed()
        ended, self._process = process.end(self._process, closed=True), None
        if self._allowance.sandbox is not None:
            ended = sandbox.ending(ended)
        how = f"ended its process ({ended})" if ended else "closed its connection to the arena"
        if ended.startswith("more"):
            how = f"started {ended}"
        raise SeatError(Termination.ERROR, how, output=printed)
