"""The worker in a player's own process: it holds the player, keeps a game beside the arena's, and answers."""

from __future__ import annotations

import json
import os
import pickle
import random
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from arena.base.process import FrameReader, write_frame
from arena.base.wording import message_of, traceback_of
from arena.hosting.held import HeldPlayer
from arena.rules.game import Game
from arena.rules.jit.kernel import compilation_announced
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.loading import PlayerError
from players.player import AnswerError, IllegalMove, Limit, PlayerSpec

NOTE, BUILT, REFUSED, WORTH = "note", "built", "refused", "worth"
CHOSEN, ILLEGAL, FAILED, RAISED = "chosen", "illegal", "failed", "raised"
Reply: TypeAlias = list[Any]
"""A kind and what belongs to it, as JSON: NOTE, that something is compiled; BUILT; REFUSED, a message and the keys
to blame; WORTH, a number or None; CHOSEN, the processor time in seconds, whether it
has child processes, and the fields of a Choice; ILLEGAL and FAILED,
a message; RAISED, the type of an exception, its message and where it was raised."""


class Begin(NamedTuple):
    """The request to have a player for a game; all that a process gets have the same `spec` and `variant`."""

    spec: PlayerSpec
    variant: Variant
    opening: Position
    seed: str
    """Of the player's chance, and of the chance of Python and numpy."""


class Worth(NamedTuple):
    """The request for what a man is worth in the scores of the player that was begun."""


class Ask(NamedTuple):
    """The request for a move, after the moves that were made since the last one."""

    moves: tuple[int, ...]
    limit: Limit


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

    def begin(self, request: Begin) -> Reply:
        self._game = None
        random.seed(request.seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own chance
        self._rng = random.Random(request.seed)
        self._held = self._held or HeldPlayer(request.spec, request.variant)
        with compilation_announced(lambda: write_frame(self._answers, json.dumps([NOTE]).encode())):
            self._held.begin()
        self._game = Game(request.variant, request.opening)
        return [BUILT]

    def worth(self) -> Reply:
        return [WORTH, None if self._held is None else self._held.man]

    def ask(self, request: Ask) -> Reply:
        if self._game is None or self._held is None:
            raise RuntimeError("no game was begun")
        for move in request.moves:
            self._game.push(move)
        answer = self._held.ask(self._game, request.limit, self._rng)
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


def _reply(worker: _Worker, request: Begin | Ask | Worth) -> Reply:
    try:
        if isinstance(request, Worth):
            return worker.worth()
        return worker.begin(request) if isinstance(request, Begin) else worker.ask(request)
    except PlayerError as error:
        return [REFUSED, message_of(error), list(error.keys)]
    except AnswerError as error:
        return [ILLEGAL if isinstance(error, IllegalMove) else FAILED, message_of(error)]
    except BaseException as error:
        return [RAISED, type(error).__name__, message_of(error), traceback_of(error)]
