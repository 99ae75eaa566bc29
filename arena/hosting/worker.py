"""The worker in a player's own process: it holds the player, keeps a game beside the arena's, and answers."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from arena.base.process import FrameReader, write_frame
from arena.base.wording import message_of, printable, traceback_of
from arena.hosting.held import HeldPlayer
from arena.rules.game import Game
from arena.rules.jit.kernel import compilation_announced
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.engines.program import waiting_announced
from players.loading import PlayerError
from players.player import AnswerError, IllegalMove, Limit, NotReachable, PlayerSpec

NOTE, WAITING, BUILT, REFUSED, WORTH = "note", "waiting", "built", "refused", "worth"
CHOSEN, ILLEGAL, FAILED, RAISED, UNREACHED = "chosen", "illegal", "failed", "raised", "unreached"
Reply: TypeAlias = list[Any]
"""A kind and what belongs to it, as JSON: NOTE, that something is compiled; WAITING, a line on an outside program
that is long in answering; BUILT; REFUSED, a message and the keys to blame; WORTH, a number or None, and whether
answers cost; CHOSEN, the processor time in seconds, whether it has child processes, and the fields of a Choice;
ILLEGAL, a message and the player's own numbers, if any; FAILED, a message; UNREACHED, the reason; RAISED, the type
of an exception, its message and where it was raised."""


BEGIN, VALUE, ASK = "begin", "value", "ask"
Request: TypeAlias = tuple[Any, ...]
"""A kind and what belongs to it, pickled: BEGIN, to have a player for a game: its specification, the variant, both
the same for all that a process gets, the opening, and the seed of its chance and of that of Python and numpy;
VALUE, what a man is worth in the scores of the player that was begun, and whether it costs; ASK, for a move: the
moves that were made since the last one, and the fields of a Limit, as to name a class takes pickle ten times as
long."""


def serve(requests: int, answers: int) -> None:
    """Answer every request until there are no more, and close the player.

    A copy of this process that a player made is ended.
    """
    worker = _Worker(answers)
    reader = FrameReader(requests)
    me = os.getpid()
    while True:
        while (frame := reader.frame()) is None:
            if not reader.fill():
                worker.close()
                return
        reply = _reply(worker, pickle.loads(frame))
        if os.getpid() != me:
            return
        write_frame(answers, json.dumps(reply).encode())


class _Worker:
    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._held: HeldPlayer | None = None
        self._game: Game | None = None
        self._rng = random.Random(0)

    def begin(self, spec: PlayerSpec, variant: Variant, opening: Position, seed: str) -> Reply:
        self._game = None
        random.seed(seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own chance
        self._rng = random.Random(seed)
        self._held = self._held or HeldPlayer(spec, variant)
        with compilation_announced(lambda: self._note(NOTE)), waiting_announced(partial(self._note, WAITING)):
            self._held.begin()
        self._game = Game(variant, opening)
        return [BUILT]

    def _note(self, *reply: str) -> None:
        write_frame(self._answers, json.dumps(reply).encode())

    def value(self) -> Reply:
        return [WORTH, None, False] if self._held is None else [WORTH, self._held.man, self._held.costs]

    def ask(self, moves: tuple[int, ...], limit: tuple[Any, ...]) -> Reply:
        if self._game is None or self._held is None:
            raise RuntimeError("no game was begun")
        for move in moves:
            self._game.push(move)
        answer = self._held.ask(self._game, Limit(*limit), self._rng)
        return [CHOSEN, answer.cpu_seconds, _has_children(), *answer.choice]

    def close(self) -> None:
        if self._held is not None:
            self._held.close()


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _reply(worker: _Worker, request: Request) -> Reply:
    kind, *fields = request
    try:
        return _ANSWERS[kind](worker, *fields)
    except PlayerError as error:
        return [REFUSED, message_of(error), list(error.keys)]
    except IllegalMove as error:
        return [ILLEGAL, message_of(error), error.extra]
    except AnswerError as error:
        return [FAILED, message_of(error)]
    except NotReachable as error:
        return [UNREACHED, printable(error.reason), error.extra]
    except BaseException as error:
        return [RAISED, type(error).__name__, message_of(error), traceback_of(error)]


_ANSWERS: dict[str, Callable[..., Reply]] = {BEGIN: _Worker.begin, VALUE: _Worker.value, ASK: _Worker.ask}
