"""The occupant of a seat: it builds a player, keeps a game of its own beside the arena's, and answers."""

from __future__ import annotations

import json
import os
import pickle
import random
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from arena.base import frames
from arena.base.wording import quoted
from arena.hosting.answer import message_of, traceback_of
from arena.hosting.tenure import Tenure
from arena.rules.game import Game
from arena.rules.jit.kernel import compilation_announced
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.loading import PlayerError
from players.player import AnswerError, Limit, PlayerSpec

NOTE, BUILT, REFUSED, WORTH = "note", "built", "refused", "worth"
CHOSEN, NO_MOVE, FAILED, RAISED = "chosen", "no move", "failed", "raised"
Reply: TypeAlias = list[Any]
"""A kind and what belongs to it, as JSON: NOTE, that something is compiled; BUILT; REFUSED, a message and the keys
to blame; WORTH, a number or None; CHOSEN, the processor time in seconds, whether it
has child processes, and the fields of a Choice; NO_MOVE, the
move in words; FAILED, a message; RAISED, the type of an exception, its message and where it was raised."""


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
    occupant = _Occupant(answers)
    reader = frames.Reader(requests)
    me = os.getpid()
    while True:
        while (frame := reader.frame()) is None:
            if not reader.fill():
                occupant.close()
                return
        reply = _reply(occupant, pickle.loads(frame))
        if os.getpid() != me:
            return
        frames.write(answers, json.dumps(reply).encode())


class _Occupant:
    """A player, its game and its chance."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._tenure: Tenure | None = None
        self._game: Game | None = None
        self._rng = random.Random(0)

    def begin(self, request: Begin) -> Reply:
        self._game = None
        random.seed(request.seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own chance
        self._rng = random.Random(request.seed)
        self._tenure = self._tenure or Tenure(request.spec, request.variant)
        with compilation_announced(lambda: frames.write(self._answers, json.dumps([NOTE]).encode())):
            self._tenure.begin()
        self._game = Game(request.variant, request.opening)
        return [BUILT]

    def worth(self) -> Reply:
        return [WORTH, None if self._tenure is None else self._tenure.man]

    def ask(self, request: Ask) -> Reply:
        game, tenure = self._game, self._tenure
        if game is None or tenure is None:
            raise RuntimeError("no game was begun")
        for move in request.moves:
            game.push(move)
        choice = tenure.choose(game, request.limit, self._rng)
        if not isinstance(choice.move, int) or choice.move not in game.legal_moves:
            return [NO_MOVE, quoted(choice.move)]
        return [CHOSEN, tenure.cpu_seconds, _has_children(), *choice]

    def close(self) -> None:
        if self._tenure is not None:
            self._tenure.close()


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _reply(occupant: _Occupant, request: Begin | Ask | Worth) -> Reply:
    try:
        if isinstance(request, Worth):
            return occupant.worth()
        return occupant.begin(request) if isinstance(request, Begin) else occupant.ask(request)
    except PlayerError as error:
        return [REFUSED, message_of(error), list(error.keys)]
    except AnswerError as error:
        return [FAILED, message_of(error)]
    except BaseException as error:
        return [RAISED, type(error).__name__, message_of(error), traceback_of(error)]
