"""Players in processes of their own: PlayerProcess, and `hold`, which keeps players from game to game."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import select
import time
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from arena.base import process
from arena.base.supervisor import are_supported, processor_seconds
from arena.base.wording import printable
from arena.hosting import sandbox
from arena.hosting.held import Answer, HeldPlayer, PlayerFailure
from arena.hosting.worker import (
    ASK,
    BEGIN,
    BUILT,
    CHOSEN,
    FAILED,
    ILLEGAL,
    NOTE,
    RAISED,
    REFUSED,
    UNREACHED,
    VALUE,
    WAITING,
    WORTH,
    Request,
    serve,
)
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import announce_compilation
from arena.rules.movegen import compiled_generator
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.answers import checked_extra
from players.engines.program import announce_waiting
from players.loading import ENGINE, PlayerError, without_own_code
from players.player import (
    Allowance,
    AnswerError,
    Choice,
    CompletePlayer,
    IllegalMove,
    Limit,
    NotReachable,
    PlayerSpec,
)
from players.table import build_player

KEPT_OUTPUT = 1 << 16
"""Bytes of what a player printed that are kept, the last ones."""
_GRACE = 1.0
"""Seconds after its deadline for which a late move is waited for, so that it is seen how late it is."""
SILENT_SECONDS = 5.0
"""Seconds after which a player that is not built yet is announced; a program announces itself."""
_DRAIN_SECONDS = 0.01
"""Seconds after which what a player prints is read while it is waited for; a pipe holds it till then."""
_OWN_SECONDS = 0.001
"""Processor time that a worker itself may need between an answer and the next request."""
_HELD = 16
"""Players that a process holds, those that were used last."""

_held: OrderedDict[tuple[str, str, int], HeldPlayer] = OrderedDict()
if are_supported():
    os.register_at_fork(after_in_child=_held.clear)


def hold(
    spec: PlayerSpec, variant: Variant, opening: Position, seed: str, allowance: Allowance, place: int = 0
) -> HeldPlayer:
    """The player of a specification, its game begun: in a process of its own if it runs a user's code.

    With `in_process` it is in this one. It is that of earlier games; one that plays itself is held twice, by its
    `place`. Raises what `HeldPlayer.begin` raises.
    """
    plain = without_own_code(spec)
    key = (repr((spec, allowance)), repr(variant), place)
    if key not in _held:
        inside = plain is spec or spec.in_process or not are_supported()
        elsewhere = None if inside else PlayerProcess(spec, plain, variant, allowance)
        _held[key] = HeldPlayer(spec, variant, elsewhere)
        while len(_held) > _HELD:
            _held.popitem(last=False)[1].close()
    _held.move_to_end(key)
    _held[key].begin(opening, seed)
    return _held[key]


def close_held() -> None:
    """Close all players that `hold` keeps, and end their processes."""
    while _held:
        _held.popitem()[1].close()


class PlayerProcess:
    """A player in a process of its own, kept from game to game and begun again when it has ended."""

    player: CompletePlayer | None = None
    """None: it is not in this process."""

    def __init__(self, spec: PlayerSpec, plain: PlayerSpec | None, variant: Variant, allowance: Allowance) -> None:
        """`plain` is the player without a user's code, if there is one."""
        self._spec, self._plain, self._variant, self._allowance = spec, plain, variant, allowance
        self._process: process.Process | None = None
        self._sent = 0
        self._left = allowance.game_patience
        self._pondered = 0.0
        """Processor time from the last `_rest` of this game to `_wake`, 0 if the worker may have needed it."""
        self._has_children = False
        self._family: list[int] = []
        self._clocks: dict[int, float] | None = None
        """Processor time of each process of the player when it began to rest; None if it does not rest."""

    def begin(self, opening: Position, seed: str) -> None:
        """Have the player ready for a game. Raises PlayerError and PlayerFailure."""
        if self._process is None:
            self._start()
        self._sent, self._left = 0, self._allowance.game_patience
        most = self._allowance.patience
        waiting = f"{self._spec.name} is still being built, for {most:g} s at most"
        reply = self._exchange((BEGIN, self._spec, self._variant, opening, seed), most, waiting)
        if reply[0] == REFUSED:
            raise PlayerError(printable(str(reply[1])), *reply[2])
        if reply[0] != BUILT:
            self._fail_by(reply)
        self._pondered, self._family = 0.0, []

    @property
    def man(self) -> float | None:
        """What a man is worth in the scores of the player that was begun, if it says so. Raises PlayerFailure."""
        return self._value()[0]

    @property
    def costs(self) -> bool:
        """Whether the answers of the player that was begun cost money. Raises PlayerFailure."""
        return self._value()[1]

    def _value(self) -> tuple[float | None, bool]:
        reply = self._exchange((VALUE,), self._allowance.patience)
        if reply[0] != WORTH or len(reply) != 3 or not isinstance(reply[1], float | None):
            self._fail_by(reply)
        return reply[1], reply[2] is True

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """Ask the player; its chance is not `rng`, but its own from the same seed.

        It rests from the answer to the next request. Raises PlayerFailure.
        """
        self._wake()
        began = time.perf_counter()
        moves = tuple(game.moves[self._sent :])
        self._sent = len(game.moves)
        reply = self._exchange((ASK, moves, tuple(limit)), self._seconds(limit))
        seconds = time.perf_counter() - began
        self._left -= seconds
        if reply[0] != CHOSEN:
            self._fail_by(reply)
        try:
            _, spent, self._has_children, *fields, line, wins_in, extra = reply
            choice = Choice._make((*fields, tuple(line), wins_in, extra))
            answer = Answer(choice, seconds, float(spent), self._pondered)
        except (TypeError, ValueError):
            self._fail("sent a malformed answer")
        self._rest()
        return answer

    def failed(self, error: BaseException) -> None:
        """End the process if it sent an answer that no honest one sends, and raise the PlayerFailure."""
        if isinstance(error, IllegalMove):
            self._fail(str(error), Termination.ILLEGAL_MOVE)
        if isinstance(error, AnswerError):
            self._fail("sent a malformed answer")

    def close(self) -> None:
        """Have the player closed, and end the process with all that descends from it."""
        ending, self._process = self._process, None
        if ending is not None:
            process.finish(ending)

    def _rest(self) -> None:
        """Begin the opponent's time: the processor time of the player is counted.

        That of its children is counted, too, if it has some when it answers.
        """
        assert self._process is not None
        if self._has_children or not self._family:
            self._family = process.family(self._process)
        self._clocks = {one: processor_seconds(one) for one in self._family}

    def _wake(self) -> None:
        """End the opponent's time, if the player rests."""
        clocks, self._clocks = self._clocks, None
        if self._process is None or clocks is None:
            return
        spent = [processor_seconds(one) - before for one, before in clocks.items()]
        seconds = math.fsum(one for one in spent if one > 0)
        self._pondered = seconds if seconds > _OWN_SECONDS else 0.0

    def _start(self) -> None:
        compiled_generator(self._variant.constants)
        if self._plain is not None:
            build_player(self._plain, self._variant)
        self._process = self._begun()
        self._answers = process.FrameReader(self._process.answers)
        self._output = b""
        self._clocks = None
        self._waiting = select.poll()
        self._waiting.register(self._process.answers, select.POLLIN)

    def _begun(self) -> process.Process:
        memory, processes = self._allowance.memory, self._allowance.processes
        if self._allowance.sandbox is None:
            return process.start(serve, memory, processes)
        if why := sandbox.unavailable():
            raise PlayerError(f"there is no sandbox for it: {why}")
        inside = partial(sandbox.serve, self._spec, self._allowance)
        return process.start(inside, memory, processes + sandbox.WRAPPERS)

    def _seconds(self, limit: Limit) -> float:
        if limit.longest is None:
            return min(self._allowance.patience, self._left)
        return limit.longest + self._allowance.time_margin + _GRACE

    def _exchange(self, request: Request, seconds: float, waiting: str = "") -> list[Any]:
        """The reply to a request; a line is announced where one is long in coming.

        Raises PlayerFailure if there is none in time, or the process ends.
        """
        assert self._process is not None
        self._wake()
        deadline = time.perf_counter() + seconds
        self._drain()
        process.watch(self._process)
        try:
            process.write_frame(self._process.requests, pickle.dumps(request))
            soon = deadline - max(seconds - SILENT_SECONDS, 0.0)
            if (reply := self._reply(soon)) is None and waiting and self._spec.type != ENGINE:
                announce_waiting(waiting)
            while reply is None or self._is_note(reply):
                if (reply := self._reply(deadline)) is None:
                    break
        except (process.FrameError, ValueError):
            self._fail("sent a malformed answer")
        except (BrokenPipeError, EOFError):
            self._fail_by_ending()
        if reply is None:
            self._fail(f"gave no answer within {seconds:.4g} s", Termination.TIME)
        return reply

    def _is_note(self, reply: list[Any]) -> bool:
        """Whether a reply only says what the answer waits for, which is passed on."""
        if reply == [NOTE]:
            announce_compilation()
        elif reply[0] == WAITING and self._spec.type == ENGINE:  # a user's class may write any line
            announce_waiting(*reply[1:])
        return reply == [NOTE] or reply[0] == WAITING

    def _reply(self, deadline: float) -> list[Any] | None:
        assert self._process is not None
        while (frame := self._answers.frame()) is None:
            left = deadline - time.perf_counter()
            if left <= 0:
                return None
            if not self._waiting.poll(math.ceil(1000 * min(left, _DRAIN_SECONDS))):
                self._drain()
            elif not self._answers.fill():
                raise EOFError
        reply = json.loads(frame.decode())
        if not isinstance(reply, list) or not reply:
            raise ValueError
        return reply

    def _drain(self) -> None:
        """Read what was printed, before a pipe is full of it."""
        assert self._process is not None
        part = process.printed(self._process)
        self._output = (self._output + (part or b""))[-KEPT_OUTPUT:]

    def _fail_by(self, reply: list[Any]) -> NoReturn:
        if reply[0] == RAISED and len(reply) == 4:
            raise PlayerFailure(
                Termination.ERROR, f"raised {reply[1]}: {reply[2]}", str(reply[3]), self._printed()
            )
        if reply[0] == UNREACHED and len(reply) == 3:
            raise NotReachable(str(reply[1]), reply[2])
        if reply[0] == FAILED and len(reply) == 2:
            raise PlayerFailure(Termination.ERROR, str(reply[1]), output=self._printed())
        if reply[0] == ILLEGAL and len(reply) == 3:
            failure = PlayerFailure(Termination.ILLEGAL_MOVE, str(reply[1]), output=self._printed())
            with suppress(AnswerError):
                failure.extra = checked_extra(reply[2])
            raise failure
        self._fail("sent a malformed answer")

    def _fail(self, message: str, termination: Termination = Termination.ERROR) -> NoReturn:
        printed = self._printed()
        assert self._process is not None
        ending, self._process = self._process, None
        process.end(ending)
        raise PlayerFailure(termination, message, output=printed)

    def _printed(self) -> str:
        for _ in range(2):
            self._drain()
        return self._output.decode("utf-8", "backslashreplace")

    def _fail_by_ending(self) -> NoReturn:
        assert self._process is not None
        printed = self._printed()
        ended, self._process = process.end(self._process, closed=True), None
        if self._allowance.sandbox is not None:
            ended = sandbox.ending(ended)
        how = ended or "closed its connection to the arena"
        raise PlayerFailure(Termination.ERROR, how, output=printed)
