"""Players in processes of their own: PlayerProcess, `serve`, its other end, and `begin_game`, which keeps players.

The arena asks for a game to be begun, or for a move. The process answers each request by a line of JSON, a list
that begins with its kind; other lines may come before. Nothing in a line is trusted.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import re
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from arena.base.process import ON_LINUX, Ended, Process, processor_seconds, when_asked_where
from arena.base.wording import message_of, printable
from arena.hosting import sandbox
from arena.hosting.handle import Answer, LocalPlayer, PlayerFailure, failure_of
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import compiling
from arena.rules.movegen import compiled_generator
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.answers import accepted
from players.engines.program import program_is_slow
from players.identity import Files, hash_of
from players.importing import forget_modules, loaded
from players.loading import PlayerError, files_of, is_logged, own_code, without_own_code
from players.player import ENGINE, Allowance, AnswerError, Choice, Limit, Pause, PlayerSpec, Resign
from players.table import build_player

KEPT_OUTPUT, KEPT_LOG = 1 << 16, 1 << 20
"""Bytes of what a player printed in a game that are kept, the last ones: a logged program may print more."""
_GRACE = 1.0
"""Seconds after its deadline for which a late move is waited for, so that it is seen how late it is."""
SILENT_SECONDS = 5.0
"""Seconds after which a player that is not built yet is announced; a program announces itself."""
_STOP_SECONDS = 0.5
"""Seconds within which a search that is stopped answers, unless its evaluation hangs."""
_WORKER_SECONDS = 0.001
"""Processor time that the process itself may need between an answer and the next request."""
_MOST_KEPT = 16
"""Players that a thread keeps, those that were used last."""
_MOST_FILES, _VERSION_CHARACTERS = 1000, 100
"""Files that a process may say that its player is loaded from, and characters of a program's version."""

PlayerHandle: TypeAlias = "LocalPlayer | PlayerProcess"
"""A player whose game is begun, and which is asked for moves, its answers checked, by one thread."""


class _Kept(threading.local):
    """The players that a thread keeps, with the files of their run, by specification, allowance, variant, copy."""

    def __init__(self) -> None:
        self.players: OrderedDict[tuple[Any, ...], tuple[Files, PlayerHandle]] = OrderedDict()


_kept = _Kept()
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
    if key in kept:
        files, player = kept[key]
        is_edited = not files and any(hash_of(path) != then for path, then in player.files.items())
        if is_edited or files != spec.files:
            kept.pop(key)[1].close()
    if key not in kept:
        is_own = plain is not spec
        player = PlayerProcess(spec, plain, variant, allowance) if is_own else LocalPlayer(spec, variant)
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


def close_players() -> None:
    """Close all players that `begin_game` keeps for this thread, and end their processes."""
    while _kept.players:
        _kept.players.popitem()[1][1].close()


def compile_for(plain: PlayerSpec | None, variant: Variant) -> None:
    """Compile what a user's player is played with: its rules' moves and, if there is one, the `plain` player.

    Raises PlayerError if that cannot be built.
    """
    compiled_generator(variant.rules)
    if plain is not None:
        build_player(plain, variant)


class PlayerProcess:
    """A player in a process of its own, kept from game to game, and begun anew after a failure."""

    def __init__(self, spec: PlayerSpec, plain: PlayerSpec | None, variant: Variant, allowance: Allowance) -> None:
        """`plain` is the player without a user's code, if there is one."""
        self._spec, self._plain, self._variant, self._allowance = spec, plain, variant, allowance
        self._process: Process | None = None
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
        self._clocks: dict[int, float] = {}
        """Processor time of each process of the player when its opponent's time began."""
        self._has_children = False

    def begin(self, opening: Position, seed: str) -> None:
        """Have the player ready for a game; its random stream comes from `seed`.

        Raises PlayerError if it cannot be built, and PlayerFailure.
        """
        process = self._process = self._process or self._started()
        process.forget_output()
        self._sent, self._left, self._clocks = 0, self._allowance.game_timeout, {}
        most = self._allowance.move_timeout
        waiting = f"{self._spec.name} is still being built, for {most:g} s at most"
        with self._failing(process):
            request = self._spec, self._variant, opening, seed
            man, costs, version = self._ask(process, "ready", most, request, waiting)
        self.man_value = man if isinstance(man, float) and 0 < man < math.inf else None
        self.costs = costs is True
        self.version = printable(str(version))[:_VERSION_CHARACTERS]

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """Have the player choose a move, for which it has a random stream of its own, not `rng`.

        Raises PlayerFailure, Resign and Pause.
        """
        process = self._process
        assert process is not None
        spent_since = [processor_seconds(number) - before for number, before in self._clocks.items()]
        pondered = math.fsum(part for part in spent_since if part > 0)
        pondered = pondered if pondered > _WORKER_SECONDS else 0.0
        began = time.perf_counter()
        moves = tuple(game.moves[self._sent :])
        self._sent = len(game.moves)
        with self._failing(process):
            reply = self._ask(process, "chose", self._seconds(limit), (moves, tuple(limit)))
            seconds = time.perf_counter() - began
            spent, self._has_children, fields = reply
            choice = Choice._make(tuple(value) if isinstance(value, list) else value for value in fields)
            is_time = isinstance(spent, float | int) and 0 <= spent < math.inf
            answer = Answer(accepted(choice, game), seconds, float(spent) if is_time else math.nan, pondered)
        self._left -= seconds
        family = process.family() if self._has_children or not self._clocks else self._clocks
        self._clocks = {number: processor_seconds(number) for number in family}
        return answer

    def printed(self) -> str:
        """The last output of the player in this game."""
        is_log = self._spec.type == ENGINE and is_logged(self._spec)
        return "" if self._process is None else self._process.printed(KEPT_LOG if is_log else KEPT_OUTPUT)

    def close(self) -> None:
        """Have the player closed, and end the process with all that descends from it."""
        ended, self._process = self._process, None
        if ended is not None:
            ended.close()

    def _started(self) -> Process:
        compile_for(self._plain, self._variant)
        memory, processes = self._allowance.memory, self._allowance.processes
        if self._allowance.sandbox is None and ON_LINUX:
            return Process(serve, memory, processes)
        if self._allowance.sandbox is not None and (why := sandbox.unavailable()):
            raise PlayerError(f"there is no sandbox for it: {why}")
        return Process(partial(sandbox.become, self._spec, self._allowance), memory, processes + sandbox.WRAPPERS)

    def _seconds(self, limit: Limit) -> float:
        if limit.longest is None:
            return min(self._allowance.move_timeout, self._left)
        return limit.longest + self._allowance.time_margin + _GRACE

    def _ask(
        self, process: Process, kind: str, seconds: float, request: tuple[Any, ...], waiting: str = ""
    ) -> Any:
        """The fields of the answer, of a kind, to a request; the line `waiting` is announced if it takes long.

        Raises PlayerFailure, PlayerError, Resign and Pause, as the answer says; TimeoutError; Ended if the process
        ends, ValueError for what is no answer.
        """
        deadline = time.perf_counter() + seconds
        is_silent = waiting and self._spec.type != ENGINE
        soon = deadline - max(seconds - SILENT_SECONDS, 0.0) if is_silent else deadline
        process.ask(request, seconds)
        while True:
            try:
                reply = json.loads(process.answer(soon))
            except TimeoutError:
                if soon == deadline:
                    raise TimeoutError(f"gave no answer within {seconds:.4g} s") from None
                soon = deadline
                program_is_slow(waiting)
                continue
            match reply:
                case [name, *fields] if name == kind:
                    return fields
                case ["compiles"]:
                    compiling()
                case ["waits", str(line)] if self._spec.type == ENGINE:  # a user's class may write any line
                    program_is_slow(line)
                case ["loaded", *paths]:
                    known = [path for path in paths[:_MOST_FILES] if isinstance(path, str) and "\0" not in path]
                    self.files = files_of(self._spec, {path: hash_of(path) for path in known})
                case ["refused", str(message), [*keys]]:
                    raise PlayerError(printable(message), *keys)
                case ["failed", Termination.ERROR | Termination.ILLEGAL_MOVE as how, str(message), str(traceback)]:
                    raise PlayerFailure(Termination(how), message, traceback)
                case ["resigned"]:
                    raise Resign
                case ["paused", str(message)]:
                    raise Pause(f"{self._spec.name} paused the run: {printable(message)}")
                case _:
                    raise ValueError("no answer")

    @contextmanager
    def _failing(self, process: Process) -> Iterator[None]:
        """End the process when it fails, at once unless it awaits a request, and raise what the arena knows."""
        try:
            yield
        except Resign:
            raise
        except BaseException as error:
            self._process = None
            output, failure, end = process.printed(KEPT_OUTPUT), error, process.kill
            match error:
                case AnswerError():
                    failure, end = failure_of(error), process.close
                case PlayerFailure() | PlayerError() | Pause():
                    end = process.close
                case Ended():
                    failure = PlayerFailure(Termination.ERROR, str(error))
                case TimeoutError():
                    failure = PlayerFailure(Termination.TIME, f"{error}{self._place(process)}")
                case ValueError() | TypeError() | RecursionError():
                    failure = PlayerFailure(Termination.ERROR, "sent a malformed answer")
            end()
            if isinstance(failure, PlayerFailure):
                failure.output = printable(output)
            if isinstance(failure, PlayerFailure | PlayerError):
                failure.files = self.files
            raise failure from None

    def _place(self, process: Process) -> str:
        """Where a player hangs, as far as that is known: a line of its own, or its evaluation.

        A built-in search stops when it is told to; one that does not is in native code of its evaluation.
        """
        frames = process.place(0 if self._allowance.sandbox is None else sandbox.WRAPPERS)
        for file, line in re.findall(r'File "(.+)", line (\d+) in ', frames):  # the innermost first
            if file in self.files:
                return f": it is at {Path(file).name}, line {line}"
        if self._plain is None:
            return ""
        try:
            process.answer(time.perf_counter() + _STOP_SECONDS)
        except (TimeoutError, Ended, ValueError):
            return f": it is in its evaluation {own_code(self._spec)[0]}"
        return ""


def serve(connection: socket.socket) -> None:
    """In a player's process: answer every request until there are no more, and close the player.

    To begin a game a request has the specification and the variant, both the same for all that a process gets,
    the opening, and the seed of its random stream. To choose a move it has the moves that were made since the last
    one, and the fields of a Limit, as to name a class takes pickle ten times as long. A copy of this process that
    a player made is ended.
    """
    requests, worker, me = connection.makefile("rb"), _Worker(connection), os.getpid()
    with suppress(EOFError):
        while True:
            reply = worker.reply(pickle.load(requests))
            if os.getpid() != me:
                return
            worker.say(*reply)
    worker.close()


class _Worker:
    """The player in its own process, with a copy of the arena's game. Its replies are:

    - "compiles": something is compiled; "waits", a line on an outside program that is long in answering;
    - "loaded": the paths of the files that the player is loaded from;
    - "ready" for a game: the worth of a man or None, whether answers cost, and what a program says that it is;
    - "chose": the processor time in seconds, whether there are child processes, and the fields of a Choice;
    - "refused": the message of a PlayerError, and the keys to blame;
    - "failed": termination, message and traceback of a PlayerFailure;
    - "resigned" the game; "paused" the run, and why.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._player: LocalPlayer | None = None
        self._game: Game | None = None
        self._rng = random.Random(0)
        self._loaded: Collection[str] = ()
        """The files that the arena knows."""
        forget_modules()  # what the process that was forked has loaded is not of this player

    def say(self, *reply: Any) -> None:
        self._connection.sendall(json.dumps(reply).encode() + b"\n")

    def reply(self, request: tuple[Any, ...]) -> tuple[Any, ...]:
        """The reply to a request, whatever the player does."""
        try:
            return self._begin(*request) if len(request) > 2 else self._choose(*request)
        except PlayerError as error:
            return "refused", message_of(error), error.keys
        except Resign:
            return ("resigned",)
        except Pause as pause:
            return "paused", message_of(pause)
        except BaseException as error:
            failure = failure_of(error)
            return "failed", failure.termination, str(failure), failure.traceback

    def close(self) -> None:
        if self._player is not None:
            self._player.close()

    def _begin(self, spec: PlayerSpec, variant: Variant, opening: Position, seed: str) -> tuple[Any, ...]:
        random.seed(seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own stream
        self._rng = random.Random(seed)
        if self._player is None and without_own_code(spec) is not None:
            when_asked_where(self._stop)
        self._player = player = self._player or LocalPlayer(spec, variant)
        waits = partial(self.say, "waits")
        try:
            with compiling.heard_by(partial(self.say, "compiles")), program_is_slow.heard_by(waits):
                player.begin()
        finally:
            if (files := loaded().keys()) != self._loaded:
                self.say("loaded", *files)
                self._loaded = files
        self._game = Game(variant, opening)
        return "ready", player.man_value, player.costs, player.version

    def _stop(self) -> None:
        player = None if self._player is None else self._player.player
        if player is not None and player.stop is not None:
            player.stop()

    def _choose(self, moves: tuple[int, ...], limit: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self._game is not None
        assert self._player is not None
        for move in moves:
            self._game.push(move)
        answer = self._player.ask(self._game, Limit(*limit), self._rng)
        return "chose", answer.cpu_seconds, _has_children(), accepted(answer.choice, self._game)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
