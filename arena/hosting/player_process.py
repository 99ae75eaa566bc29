"""Players in processes of their own: PlayerProcess, `serve`, its other end, and `begin_game`, which keeps players.

The arena writes requests, pickled: to begin a game, and to choose a move. The process answers each by a reply, a
list in JSON that begins with its kind. Nothing in a reply is trusted.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, NoReturn, TypeAlias

import numpy as np

from arena.base import process
from arena.base.process import FrameError, FrameReader, write_frame
from arena.base.supervisor import are_supported, family_of, processor_seconds
from arena.base.wording import message_of, printable, quoted
from arena.hosting import sandbox
from arena.hosting.handle import Answer, LocalPlayer, PlayerFailure, failure_of
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import announce_compilation, compilation_announced
from arena.rules.movegen import compiled_generator
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.answers import accepted
from players.engines.program import announce_waiting, waiting_announced
from players.identity import Files, hash_of
from players.importing import forget_modules, loaded
from players.loading import PlayerError, files_of, is_logged, without_own_code
from players.player import ENGINE, Allowance, AnswerError, Choice, Limit, Pause, PlayerSpec, Resign
from players.table import build_player

KEPT_OUTPUT, KEPT_LOG = 1 << 16, 1 << 20
"""Bytes of what a player printed in a game that are kept, the last ones: a logged program may print more."""
_GRACE = 1.0
"""Seconds after its deadline for which a late move is waited for, so that it is seen how late it is."""
SILENT_SECONDS = 5.0
"""Seconds after which a player that is not built yet is announced; a program announces itself."""
_WORKER_SECONDS = 0.001
"""Processor time that the process itself may need between an answer and the next request."""
_MOST_KEPT = 16
"""Players that a thread keeps, those that were used last."""

_VERSION_CHARACTERS = 100
_MOST_FILES = 1000
"""Files that a process may say that its player is loaded from."""

COMPILES, WAITS, LOADED, READY = "compiles", "waits", "loaded", "ready"
CHOSE, REFUSED, _FAILED = "chose", "refused", "failed"
_RESIGNED, _PAUSED = "resigned", "paused"
Reply: TypeAlias = list[Any]
"""A kind and its fields:

- COMPILES: something is compiled; WAITS, a line on an outside program that is long in answering;
- LOADED: the paths of the files that the player is loaded from;
- READY for a game: the worth of a man or None, whether answers cost, and what a program says that it is;
- CHOSE: the processor time in seconds, whether there are child processes, and the fields of a Choice, or UNKNOWN;
- REFUSED: the message of a PlayerError, and the keys to blame;
- FAILED: termination, message and traceback of a PlayerFailure;
- RESIGNED the game; PAUSED the run, and why.
"""
_UNKNOWN = "?"
"""The key of what JSON has no form for: its value is the text by which messages show it."""

PlayerHandle: TypeAlias = "LocalPlayer | PlayerProcess"
"""A player whose game is begun, and which is asked for moves, its answers checked, by one thread."""


class _Kept(threading.local):
    """The players that a thread keeps, with the files of their run, by specification, allowance, variant, copy."""

    def __init__(self) -> None:
        self.players: OrderedDict[tuple[Any, ...], tuple[Files, PlayerHandle]] = OrderedDict()


_kept = _Kept()
if are_supported():
    os.register_at_fork(after_in_child=lambda: setattr(_kept, "players", OrderedDict()))


def begin_game(
    spec: PlayerSpec, variant: Variant, opening: Position, seed: str, allowance: Allowance, copy: int = 0
) -> PlayerHandle:
    """The player of a specification, its game begun: in a process of its own if it runs a user's code.

    It is kept from game to game; of a player that plays itself there are two, by the number of the `copy`. It is
    built anew for a run with other files of it; outside a run, when they were edited. Raises what `begin` of the
    player raises.
    """
    plain = without_own_code(spec)
    key = (repr((replace(spec, files={}, copies=""), allowance)), repr(variant), copy)
    kept = _kept.players
    if key in kept and not _is_current(*kept[key], spec):
        kept.pop(key)[1].close()
    if key not in kept:
        is_local = plain is spec or not are_supported()
        player = LocalPlayer(spec, variant) if is_local else PlayerProcess(spec, plain, variant, allowance)
        kept[key] = spec.files, player
        while len(kept) > _MOST_KEPT:
            kept.popitem(last=False)[1][1].close()
    kept.move_to_end(key)
    player = kept[key][1]
    if isinstance(player, PlayerProcess):
        player.begin(opening, seed)
    else:
        player.begin()
    return player


def _is_current(files: Files, player: PlayerHandle, spec: PlayerSpec) -> bool:
    """Whether a player that was built for a run with these files is as the specification wants it now."""
    is_edited = not files and any(hash_of(path) != then for path, then in player.files.items())
    return files == spec.files and not is_edited


def answer_of(spec: PlayerSpec, game: Game, seed: str, allowance: Allowance) -> Answer:
    """The answer of a player that is begun for it alone, in a game. Raises what the player raises."""
    player = begin_game(spec, game.variant, game.start, seed, allowance)
    return player.choose(game, spec.limit, random.Random(seed))


def close_players() -> None:
    """Close all players that `begin_game` keeps for this thread, and end their processes."""
    while _kept.players:
        _kept.players.popitem()[1][1].close()


@contextmanager
def closing_players() -> Iterator[None]:
    """Close the players that `begin_game` keeps for this thread when the block ends."""
    try:
        yield
    finally:
        close_players()


class PlayerProcess:
    """A player in a process of its own, kept from game to game, and begun anew after a failure."""

    def __init__(self, spec: PlayerSpec, plain: PlayerSpec | None, variant: Variant, allowance: Allowance) -> None:
        """`plain` is the player without a user's code, if there is one."""
        self._spec, self._plain, self._variant, self._allowance = spec, plain, variant, allowance
        self._process: process.Process | None = None
        self.man_value: float | None = None
        """The worth of a man in the player's scores, if it says so."""
        self.costs = False
        """Whether the player's answers cost money."""
        self.version = ""
        """What an outside program says that it is."""
        self.files: Mapping[str, str] = files_of(spec)
        """The files of the user's own that it is loaded from."""
        self._sent = 0
        """Moves of the game that the process knows."""
        self._left = allowance.game_timeout
        self._output = b""
        self._most_output = KEPT_LOG if spec.type == ENGINE and is_logged(spec) else KEPT_OUTPUT
        self._clocks: dict[int, float] = {}
        """Processor time of each process of the player when its opponent's time began."""
        self._has_children = False

    def begin(self, opening: Position, seed: str) -> None:
        """Have the player ready for a game; its chance comes from `seed`.

        Raises PlayerError if it cannot be built, and PlayerFailure.
        """
        if self._process is None:
            self._start()
        self._drain()
        self._output = b""
        self._sent, self._left, self._clocks = 0, self._allowance.game_timeout, {}
        most = self._allowance.move_timeout
        waiting = f"{self._spec.name} is still being built, for {most:g} s at most"
        try:
            man, costs, version = self._exchange((self._spec, self._variant, opening, seed), most, READY, waiting)
        except BaseException as error:
            self._give_up(error)
        self.man_value = man if isinstance(man, float) and 0 < man < math.inf else None
        self.costs = costs is True
        self.version = printable(str(version))[:_VERSION_CHARACTERS]

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """Have the player choose a move, for which it has chance of its own, not `rng`.

        Raises PlayerFailure, Resign and Pause.
        """
        pondered = self._seconds_since_answer()
        began = time.perf_counter()
        moves = tuple(game.moves[self._sent :])
        self._sent = len(game.moves)
        try:
            fields = self._exchange((moves, tuple(limit)), self._seconds(limit), CHOSE)
            seconds = time.perf_counter() - began
            self._left -= seconds
            spent, self._has_children, chosen = fields
            answer = Answer(accepted(_choice(chosen), game), seconds, _seconds_of(spent), pondered)
        except Resign:
            raise
        except BaseException as error:
            self._give_up(error)
        self._note_clocks()
        return answer

    def printed(self) -> str:
        """The last output of the player in this game."""
        for _ in range(2):  # a pipe of output may have filled again
            self._drain()
        return self._output.decode("utf-8", "backslashreplace")

    def close(self) -> None:
        """Have the player closed, and end the process with all that descends from it."""
        ended, self._process = self._process, None
        if ended is not None:
            process.finish(ended)

    def _note_clocks(self) -> None:
        """Begin the opponent's time, in which the player's children count, too, if it has some when it answers."""
        assert self._process is not None
        family = family_of(self._process.supervisor) if self._has_children or not self._clocks else self._clocks
        self._clocks = {number: processor_seconds(number) for number in family}

    def _seconds_since_answer(self) -> float:
        """Processor time of the player in its opponent's time, now over; 0 if the process itself may need it."""
        spent = [processor_seconds(number) - before for number, before in self._clocks.items()]
        seconds = math.fsum(part for part in spent if part > 0)
        return seconds if seconds > _WORKER_SECONDS else 0.0

    def _start(self) -> None:
        compiled_generator(self._variant.rules)
        if self._plain is not None:
            build_player(self._plain, self._variant)
        memory, processes = self._allowance.memory, self._allowance.processes
        if self._allowance.sandbox is None:
            self._process = process.start(serve, memory, processes)
        elif why := sandbox.unavailable():
            raise PlayerError(f"there is no sandbox for it: {why}")
        else:
            inside = partial(sandbox.become, self._spec, self._allowance)
            self._process = process.start(inside, memory, processes + sandbox.WRAPPERS)
        self._answers = FrameReader(self._process.answers)

    def _seconds(self, limit: Limit) -> float:
        if limit.longest is None:
            return min(self._allowance.move_timeout, self._left)
        return limit.longest + self._allowance.time_margin + _GRACE

    def _exchange(self, request: tuple[Any, ...], seconds: float, kind: str, waiting: str = "") -> Reply:
        """The fields of the reply to a request, which is of a kind; a line is announced if it is long in coming.

        Raises PlayerFailure for one that states a failure, and if there is none in time; PlayerError, Resign and
        Pause; EOFError and BrokenPipeError if the process ends, FrameError and ValueError for a malformed reply.
        """
        assert self._process is not None
        deadline = time.perf_counter() + seconds
        self._drain()
        process.wake_supervisor(self._process)
        write_frame(self._process.requests, pickle.dumps(request))
        soon = deadline - max(seconds - SILENT_SECONDS, 0.0)
        if (reply := self._reply(soon)) is None and waiting and self._spec.type != ENGINE:
            announce_waiting(waiting)
        while reply is None or self._is_note(reply):
            if (reply := self._reply(deadline)) is None:
                raise PlayerFailure(Termination.TIME, f"gave no answer within {seconds:.4g} s")
        if reply[0] != kind:
            _raise(self._spec.name, reply)
        return reply[1:]

    def _is_note(self, reply: Reply) -> bool:
        """Whether a reply only says what the answer waits for, which is passed on."""
        if reply == [COMPILES]:
            announce_compilation()
        elif reply[0] == WAITS and self._spec.type == ENGINE:  # a user's class may write any line
            announce_waiting(*reply[1:])
        elif reply[0] == LOADED:
            paths = [path for path in reply[1 : _MOST_FILES + 1] if isinstance(path, str)]
            self.files = files_of(self._spec, {path: hash_of(path) for path in paths if "\0" not in path})
        return reply == [COMPILES] or reply[0] in (WAITS, LOADED)

    def _reply(self, deadline: float) -> Reply | None:
        if (frame := self._answers.wait(deadline - time.perf_counter(), self._drain)) is None:
            return None
        reply = _DECODER.decode(frame.decode())
        if not isinstance(reply, list) or not reply:
            raise FrameError
        return reply

    def _drain(self) -> None:
        """Read what was printed, before a pipe is full of it."""
        if self._process is not None:
            part = process.printed(self._process)
            self._output = (self._output + (part or b""))[-self._most_output :]

    def _give_up(self, error: BaseException) -> NoReturn:
        """End the process, at once unless it awaits a request, and raise the error as the arena knows it."""
        printed = self.printed()[-KEPT_OUTPUT:]
        ended, self._process = self._process, None
        assert ended is not None
        if isinstance(error, EOFError | BrokenPipeError):
            how = process.end(ended, closed=True)
            how = how if self._allowance.sandbox is None else sandbox.ending(how)
            error = PlayerFailure(Termination.ERROR, how or "closed its connection to the arena")
        elif isinstance(error, PlayerError | AnswerError | Pause) or (
            isinstance(error, PlayerFailure) and error.termination != Termination.TIME
        ):
            process.finish(ended)
        else:
            process.end(ended)
            if isinstance(error, FrameError | ValueError | TypeError):
                error = PlayerFailure(Termination.ERROR, "sent a malformed answer")
        if isinstance(error, AnswerError):
            error = failure_of(error)
        if isinstance(error, PlayerFailure):
            error.output = printable(printed)
        if isinstance(error, PlayerFailure | PlayerError):
            error.files = self.files
        raise error from None


class _Unquoted(str):
    """A value of the player's process that only messages show, as it is."""

    __slots__ = ()
    __repr__ = str.__str__


_DECODER = json.JSONDecoder(
    object_hook=lambda read: _Unquoted(read[_UNKNOWN]) if read.keys() == {_UNKNOWN} else read
)


def _choice(fields: Any) -> object:
    """The choice of an answer, unchecked; what is none as it is. Raises TypeError if it lacks fields."""
    if not isinstance(fields, list):
        return fields
    return Choice._make(tuple(value) if isinstance(value, list) else value for value in fields)


def _seconds_of(spent: Any) -> float:
    """Processor time as a process states it; nan if that is no time."""
    return float(spent) if isinstance(spent, float | int) and 0 <= spent < math.inf else math.nan


def _raise(name: str, reply: Reply) -> NoReturn:
    """Raise the error that the reply of a player states. Raises FrameError if it states none."""
    match reply:
        case [kind, str(message), [*keys]] if kind == REFUSED:
            raise PlayerError(printable(message), *keys)
        case [kind] if kind == _RESIGNED:
            raise Resign
        case [kind, str(message)] if kind == _PAUSED:
            raise Pause(f"{name} paused the run: {printable(message)}")
        case [kind, termination, str(message), str(traceback)] if kind == _FAILED:
            if termination in (Termination.ERROR, Termination.ILLEGAL_MOVE):
                raise PlayerFailure(Termination(termination), message, traceback)
    raise FrameError


def serve(requests: int, answers: int) -> None:
    """In a player's process: answer every request until there are no more, and close the player.

    To begin a game a request has the specification and the variant, both the same for all that a process gets,
    the opening, and the seed of its chance. To choose a move it has the moves that were made since the last one,
    and the fields of a Limit, as to name a class takes pickle ten times as long. A copy of this process that a
    player made is ended.
    """
    worker, reader, me = _Worker(answers), FrameReader(requests), os.getpid()
    while True:
        while (frame := reader.frame()) is None:
            if not reader.fill():
                worker.close()
                return
        reply = worker.reply(pickle.loads(frame))
        if os.getpid() != me:
            return
        write_frame(answers, reply)


class _Worker:
    """The player in its own process, with a copy of the arena's game."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._player: LocalPlayer | None = None
        self._game: Game | None = None
        self._rng = random.Random(0)
        self._loaded: Collection[str] = ()
        """The files that the arena knows."""
        forget_modules()  # what the process that was forked has loaded is not of this player

    def reply(self, request: tuple[Any, ...]) -> bytes:
        """The reply to a request, whatever the player does."""
        try:
            reply = self._begin(*request) if len(request) > 2 else self._choose(*request)
            return _ENCODER.encode(reply).encode()
        except PlayerError as error:
            reply = [REFUSED, message_of(error), list(error.keys)]
        except Resign:
            reply = [_RESIGNED]
        except Pause as pause:
            reply = [_PAUSED, message_of(pause)]
        except BaseException as error:
            failure = failure_of(error)
            reply = [_FAILED, str(failure.termination), str(failure), failure.traceback]
        return _ENCODER.encode(reply).encode()

    def close(self) -> None:
        if self._player is not None:
            self._player.close()

    def _begin(self, spec: PlayerSpec, variant: Variant, opening: Position, seed: str) -> Reply:
        random.seed(seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own chance
        self._rng = random.Random(seed)
        self._player = player = self._player or LocalPlayer(spec, variant)
        waits = partial(self._note, WAITS)
        try:
            with compilation_announced(lambda _: self._note(COMPILES)), waiting_announced(waits):
                player.begin()
        finally:
            if (files := loaded().keys()) != self._loaded:
                self._note(LOADED, *files)
                self._loaded = files
        self._game = Game(variant, opening)
        return [READY, player.man_value, player.costs, player.version]

    def _choose(self, moves: tuple[int, ...], limit: tuple[Any, ...]) -> Reply:
        assert self._game is not None
        assert self._player is not None
        for move in moves:
            self._game.push(move)
        answer = self._player.ask(self._game, Limit(*limit), self._rng)
        choice: object = answer.choice
        fields = choice if isinstance(choice, Choice) else {_UNKNOWN: quoted(choice)}
        return [CHOSE, answer.cpu_seconds, _has_children(), fields]

    def _note(self, *reply: str) -> None:
        write_frame(self._answers, json.dumps(reply).encode())


def _plain(value: object) -> object:
    """A value that JSON has no form for as one that it has."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    return {_UNKNOWN: quoted(value)}


_ENCODER = json.JSONEncoder(default=_plain)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
