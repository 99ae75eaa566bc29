"""The worker in a player's own process: it has the player, keeps a game beside the arena's, and answers."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from arena.base.process import FrameReader, write_frame
from arena.base.wording import message_of, printable, quoted, traceback_of
from arena.hosting.handle import LocalPlayer
from arena.rules.game import Game
from arena.rules.jit.kernel import compilation_announced
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.engines.program import waiting_announced
from players.loading import PlayerError
from players.player import AnswerError, Choice, IllegalMove, Limit, NotReachable, PlayerSpec

COMPILES, WAITS, READY, CHOSE = "compiles", "waits", "ready", "chose"
REFUSED, ILLEGAL, FAILED, UNREACHED, RAISED = "refused", "illegal", "failed", "unreached", "raised"
Reply: TypeAlias = list[Any]
"""A kind and its fields, as JSON, none of which the arena trusts:

- COMPILES: something is compiled; WAITS, a line on an outside program that is long in answering;
- READY for a game: the worth of a man or None, and whether answers cost;
- CHOSE: the processor time in seconds, whether there are child processes, and the fields of a Choice, or UNKNOWN;
- REFUSED: the message of a PlayerError, and the keys to blame;
- ILLEGAL, UNREACHED: a message, and the player's own numbers, if any; FAILED, a message;
- RAISED: the type of an exception, its message, and where it was raised.
"""
UNKNOWN = "?"
"""The key of what JSON has no form for: its value is the text by which messages show it."""
_MOST_CHARACTERS = 10_000
"""Characters of a text that takes the place of a move, at most."""


def serve(requests: int, answers: int) -> None:
    """Answer every request until there are no more, and close the player.

    A request is pickled. To begin a game it has the specification and the variant, both the same for all that a
    process gets, the opening, and the seed of its chance. To choose a move it has the moves that were made since
    the last request, and the fields of a Limit, as to name a class takes pickle ten times as long. A copy of this
    process that a player made is ended.
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
        write_frame(answers, reply)


class _Worker:
    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._player: LocalPlayer | None = None
        self._game: Game | None = None
        self._rng = random.Random(0)

    def begin(self, spec: PlayerSpec, variant: Variant, opening: Position, seed: str) -> Reply:
        random.seed(seed)
        np.random.seed(random.getrandbits(32))  # noqa: NPY002  a player may use numpy's own chance
        self._rng = random.Random(seed)
        self._player = player = self._player or LocalPlayer(spec, variant)
        with compilation_announced(lambda: self._note(COMPILES)), waiting_announced(partial(self._note, WAITS)):
            player.begin()
        self._game = Game(variant, opening)
        return [READY, player.man, player.costs]

    def choose(self, moves: tuple[int, ...], limit: tuple[Any, ...]) -> Reply:
        assert self._game is not None
        assert self._player is not None
        for move in moves:
            self._game.push(move)
        choice, _, spent, _ = self._player.ask(self._game, Limit(*limit), self._rng)
        fields = _fields(choice) if isinstance(choice, Choice) else {UNKNOWN: quoted(choice)}
        return [CHOSE, spent, _has_children(), fields]

    def close(self) -> None:
        if self._player is not None:
            self._player.close()

    def _note(self, *reply: str) -> None:
        write_frame(self._answers, json.dumps(reply).encode())


def _reply(worker: _Worker, request: tuple[Any, ...]) -> bytes:
    try:
        reply = worker.begin(*request) if len(request) > 2 else worker.choose(*request)
        return _ENCODER.encode(reply).encode()
    except PlayerError as error:
        reply = [REFUSED, message_of(error), list(error.keys)]
    except IllegalMove as error:
        reply = [ILLEGAL, message_of(error), error.extra]
    except AnswerError as error:
        reply = [FAILED, message_of(error)]
    except NotReachable as error:
        reply = [UNREACHED, printable(error.reason), error.extra]
    except BaseException as error:
        reply = [RAISED, type(error).__name__, message_of(error), traceback_of(error)]
    return _ENCODER.encode(reply).encode()


def _fields(choice: Choice) -> Sequence[Any]:
    """The fields of a choice, a move that is a long text cut."""
    move: Any = choice.move
    return choice if not isinstance(move, str) else (move[:_MOST_CHARACTERS], *choice[1:])


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
    return {UNKNOWN: quoted(value)}


_ENCODER = json.JSONEncoder(default=_plain)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
