"""Players in processes of their own: PlayerProcess, and `begin_game`, which keeps players from game to game."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import select
import threading
import time
from collections import OrderedDict
from functools import partial
from typing import Any, NoReturn

from arena.base import process
from arena.base.supervisor import are_supported, processor_seconds
from arena.base.wording import printable
from arena.hosting import sandbox, worker
from arena.hosting.handle import Answer, LocalPlayer, PlayerFailure, PlayerHandle, failure_of
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import announce_compilation
from arena.rules.movegen import compiled_generator
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.answers import accepted, checked_extra
from players.engines.program import announce_waiting
from players.loading import PlayerError, changed_when, is_logged, user_files, without_own_code
from players.player import ENGINE, Allowance, AnswerError, Choice, Limit, NotReachable, PlayerSpec
from players.table import build_player

KEPT_OUTPUT, KEPT_LOG = 1 << 16, 1 << 20
"""Bytes of what a player printed in a game that are kept, the last ones: in any case, and with `log: true`."""
_GRACE = 1.0
"""Seconds after its deadline for which a late move is waited for, so that it is seen how late it is."""
SILENT_SECONDS = 5.0
"""Seconds after which a player that is not built yet is announced; a program announces itself."""
_DRAIN_SECONDS = 0.01
"""Seconds after which what a player prints is read while it is waited for; a pipe holds it till then."""
_OWN_SECONDS = 0.001
"""Processor time that a worker itself may need between an answer and the next request."""
_KEPT = 16
"""Players that a process keeps, those that were used last."""


class _Kept(threading.local):
    """The players that a thread keeps, by specification, allowance, variant, place and the user's files."""

    def __init__(self) -> None:
        self.players: OrderedDict[tuple[Any, ...], PlayerHandle] = OrderedDict()


_kept = _Kept()
if are_supported():
    os.register_at_fork(after_in_child=lambda: setattr(_kept, "players", OrderedDict()))


def begin_game(
    spec: PlayerSpec, variant: Variant, opening: Position, seed: str, allowance: Allowance, place: int = 0
) -> PlayerHandle:
    """The player of a specification, its game begun: in a process of its own if it runs a user's code.

    With `in_process` it is in this one. It is that of earlier games; one that plays itself is kept twice, by its
    `place`. Raises what `PlayerHandle.begin` raises.
    """
    plain = without_own_code(spec)
    files = () if plain is spec else tuple(changed_when(path) for path in user_files(spec) if path.is_file())
    key = (repr((spec, allowance)), repr(variant), place, files)
    kept = _kept.players
    if key not in kept:
        is_local = plain is spec or spec.in_process or not are_supported()
        kept[key] = LocalPlayer(spec, variant) if is_local else PlayerProcess(spec, plain, variant, allowance)
        while len(kept) > _KEPT:
            kept.popitem(last=False)[1].close()
    kept.move_to_end(key)
    kept[key].begin(opening, seed)
    return kept[key]


def close_players() -> None:
    """Close all players that `begin_game` keeps for this thread, and end their processes."""
    while _kept.players:
        _kept.players.popitem()[1].close()


class PlayerProcess:
    """A player in a process of its own, kept from game to game, and begun anew after a failure."""

    def __init__(self, spec: PlayerSpec, plain: PlayerSpec | None, variant: Variant, allowance: Allowance) -> None:
        """`plain` is the player without a user's code, if there is one."""
        self._spec, self._plain, self._variant, self._allowance = spec, plain, variant, allowance
        self._process: process.Process | None = None
        self.man: float | None = None
        """The worth of a man in the player's scores, if it says so."""
        self.costs = False
        """Whether the player's answers cost money."""
        self._sent = 0
        self._left = allowance.game_timeout
        self._output = b""
        self._most_output = KEPT_LOG if is_logged(spec) else KEPT_OUTPUT
        self._pondered = 0.0
        """Processor time from the last `_rest` of this game to `_wake`, 0 if the worker may have needed it."""
        self._has_children = False
        self._family: list[int] = []
        self._clocks: dict[int, float] | None = None
        """Processor time of each process of the player when it began to rest; None if it does not rest."""

    def begin(self, opening: Position | None = None, seed: str = "0") -> None:
        """See `PlayerHandle.begin`."""
        if self._process is None:
            self._start()
        self._drain()
        self._output = b""
        self._sent, self._left, self._clocks = 0, self._allowance.game_timeout, None
        most = self._allowance.move_timeout
        waiting = f"{self._spec.name} is still being built, for {most:g} s at most"
        request = (self._spec, self._variant, opening or self._variant.start, seed)
        try:
            kind, *fields = self._exchange(request, most, waiting)
            if kind != worker.READY:
                _raise(kind, fields)
            man, self.costs = fields[0], fields[1] is True
            self.man = man if isinstance(man, float) and 0 < man < math.inf else None
        except BaseException as error:
            self._give_up(error)
        self._pondered, self._family = 0.0, []

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """See `PlayerHandle.choose`; the player's chance is not `rng`, but its own from the same seed.

        It rests from the answer to the next request.
        """
        if self._process is None:
            self.begin(game.start)
        self._wake()
        began = time.perf_counter()
        moves = tuple(game.moves[self._sent :])
        self._sent = len(game.moves)
        try:
            kind, *fields = self._exchange((moves, tuple(limit)), self._seconds(limit))
            seconds = time.perf_counter() - began
            self._left -= seconds
            if kind != worker.CHOSE:
                _raise(kind, fields)
            spent, self._has_children, chosen = fields
            choice = accepted(_choice(chosen), game)
            answer = Answer(choice, seconds, _seconds_of(spent), self._pondered)
        except BaseException as error:
            self._give_up(error)
        self._rest()
        return answer

    def printed(self) -> str:
        """See `PlayerHandle.printed`."""
        for _ in range(2):  # a pipe of output may have filled again
            self._drain()
        return self._output.decode("utf-8", "backslashreplace")

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
        memory, processes = self._allowance.memory, self._allowance.processes
        if self._allowance.sandbox is None:
            self._process = process.start(worker.serve, memory, processes)
        elif why := sandbox.unavailable():
            raise PlayerError(f"there is no sandbox for it: {why}")
        else:
            inside = partial(sandbox.serve, self._spec, self._allowance)
            self._process = process.start(inside, memory, processes + sandbox.WRAPPERS)
        self._answers = process.FrameReader(self._process.answers)
        self._waiting = select.poll()
        self._waiting.register(self._process.answers, select.POLLIN)

    def _seconds(self, limit: Limit) -> float:
        if limit.longest is None:
            return min(self._allowance.move_timeout, self._left)
        return limit.longest + self._allowance.time_margin + _GRACE

    def _exchange(self, request: tuple[Any, ...], seconds: float, waiting: str = "") -> worker.Reply:
        """The reply to a request; a line is announced where one is long in coming.

        Raises PlayerFailure if there is none in time, EOFError and BrokenPipeError if the process ends, and
        FrameError and ValueError for one that is malformed.
        """
        assert self._process is not None
        deadline = time.perf_counter() + seconds
        self._drain()
        process.watch(self._process)
        process.write_frame(self._process.requests, pickle.dumps(request))
        soon = deadline - max(seconds - SILENT_SECONDS, 0.0)
        if (reply := self._reply(soon)) is None and waiting and self._spec.type != ENGINE:
            announce_waiting(waiting)
        while reply is None or self._is_note(reply):
            if (reply := self._reply(deadline)) is None:
                raise PlayerFailure(Termination.TIME, f"gave no answer within {seconds:.4g} s")
        return reply

    def _is_note(self, reply: worker.Reply) -> bool:
        """Whether a reply only says what the answer waits for, which is passed on."""
        if reply == [worker.COMPILES]:
            announce_compilation()
        elif reply[0] == worker.WAITS and self._spec.type == ENGINE:  # a user's class may write any line
            announce_waiting(*reply[1:])
        return reply == [worker.COMPILES] or reply[0] == worker.WAITS

    def _reply(self, deadline: float) -> worker.Reply | None:
        while (frame := self._answers.frame()) is None:
            left = deadline - time.perf_counter()
            if left <= 0:
                return None
            if not self._waiting.poll(math.ceil(1000 * min(left, _DRAIN_SECONDS))):
                self._drain()
            elif not self._answers.fill():
                raise EOFError
        reply = _DECODER.decode(frame.decode())
        if not isinstance(reply, list) or not reply:
            raise process.FrameError
        return reply

    def _drain(self) -> None:
        """Read what was printed, before a pipe is full of it."""
        if self._process is not None:
            part = process.printed(self._process)
            self._output = (self._output + (part or b""))[-self._most_output :]

    def _give_up(self, error: BaseException) -> NoReturn:
        """End the process, at once unless it awaits a request, and raise the error as the arena knows it."""
        printed = self.printed()[-KEPT_OUTPUT:]
        ending, self._process = self._process, None
        assert ending is not None
        if isinstance(error, EOFError | BrokenPipeError):
            how = process.end(ending, closed=True)
            how = how if self._allowance.sandbox is None else sandbox.ending(how)
            error = PlayerFailure(Termination.ERROR, how or "closed its connection to the arena")
        elif isinstance(error, _ANSWERED) and getattr(error, "termination", None) != Termination.TIME:
            process.finish(ending)
        else:
            process.end(ending)
            if isinstance(error, process.FrameError | ValueError | TypeError):
                error = PlayerFailure(Termination.ERROR, "sent a malformed answer")
        if isinstance(error, AnswerError | NotReachable):
            error = failure_of(error)
        if isinstance(error, PlayerFailure):
            error.output = printable(printed)
        raise error from None


_ANSWERED = (PlayerFailure, PlayerError, AnswerError, NotReachable)
"""The errors after which a process awaits a request, but for a PlayerFailure by time."""


class _Shown:
    """A value of the player's process that only messages show."""

    def __init__(self, text: object) -> None:
        self._text = str(text)

    def __repr__(self) -> str:
        return self._text


def _shown(mapping: dict[str, Any]) -> object:
    return _Shown(mapping[worker.UNKNOWN]) if mapping.keys() == {worker.UNKNOWN} else mapping


_DECODER = json.JSONDecoder(object_hook=_shown)


def _choice(fields: Any) -> object:
    """The choice of an answer, unchecked; what is none as it is. Raises TypeError if it lacks fields."""
    if not isinstance(fields, list):
        return fields
    return Choice._make(tuple(value) if isinstance(value, list) else value for value in fields)


def _seconds_of(spent: Any) -> float:
    """Processor time as a process states it; nan if that is no time."""
    return float(spent) if isinstance(spent, float | int) and 0 <= spent < math.inf else math.nan


def _raise(kind: object, fields: list[Any]) -> NoReturn:
    """Raise the error that a reply states. Raises FrameError if it states none."""
    match kind, fields:
        case worker.REFUSED, [str(message), [*keys]]:
            raise PlayerError(printable(message), *keys)
        case worker.ILLEGAL, [str(message), extra]:
            failure = PlayerFailure(Termination.ILLEGAL_MOVE, message)
            failure.extra = checked_extra(extra)
            raise failure
        case worker.UNREACHED, [str(reason), extra]:
            raise NotReachable(reason, checked_extra(extra))
        case worker.FAILED, [str(message)]:
            raise PlayerFailure(Termination.ERROR, message)
        case worker.RAISED, [str(name), str(message), str(traceback)]:
            raise PlayerFailure(Termination.ERROR, f"raised {name}: {message}", traceback)
    raise process.FrameError
