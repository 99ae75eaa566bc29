"""The check of a player's answer, field by field: `accepted`, `checked_extra`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real

from arena.base.wording import quoted
from arena.rules.game import Game
from arena.rules.notation import NotationError
from players.player import EFFORT, AnswerError, Choice, IllegalMove

_MOST_PLIES = (1 << 15) - 1  # the farthest win that can be recorded
_BITS = 63  # of the largest number that can be recorded
_PLIES_BITS = 31  # of the largest `depth` and `deepest`
_MOST_CHARACTERS = 1000  # of a move's text: all squares of the longest capture are far fewer
_MOST_EXTRAS = 32  # numbers of a player's own that a move may have
_WHOLE, _NUMBER = (int, Integral), (float, Real)
"""Kinds of numbers, the usual one first: to ask whether something is an `Integral` takes ten times as long."""
_EXTRA_NAME = re.compile(r"[A-Za-z]\w{0,39}", re.ASCII)


def accepted(answer: object, game: Game) -> Choice:
    """The answer of a user's player in a game: its move, perhaps a text, is legal, its fields of the right kinds.

    Raises IllegalMove, and AnswerError, which names the field, for what is no `Choice` or cannot be recorded.
    """
    if not isinstance(answer, Choice):
        raise AnswerError(f"returned {quoted(answer)}, not a Choice (return Choice(move))")
    score = answer.score
    if score is not None:
        score = _finite("score", score)
    counts = [_count(name, getattr(answer, name)) for name in EFFORT]
    if not isinstance(answer.pv, Sequence):
        raise AnswerError(f"returned the pv {quoted(answer.pv)}, not moves")
    plies_to_win = answer.plies_to_win
    if not isinstance(plies_to_win, _WHOLE) or abs(int(plies_to_win)) > _MOST_PLIES:
        most = f"from -{_MOST_PLIES} to {_MOST_PLIES}"
        raise AnswerError(f"returned the plies_to_win {quoted(plies_to_win)}, not a whole number {most}")
    pv = tuple(_count("pv", step) for step in answer.pv)
    extra = checked_extra(answer.extra)
    move: object = answer.move
    if isinstance(move, str):
        if len(move) > _MOST_CHARACTERS:
            raise AnswerError(f"returned a move of {len(move):,} characters")
        with suppress(NotationError):
            move = game.move(move)
    if not isinstance(move, _WHOLE) or int(move) not in game.legal_moves:
        raise IllegalMove(answer.move)
    return Choice._make((int(move), score, *counts, pv, int(plies_to_win), extra))


def checked_extra(extra: object) -> dict[str, float] | None:
    """A player's own numbers, None for none. Raises AnswerError for a name not of letters, digits and _, or a
    number that is not finite."""
    if extra is None:
        return None
    if not isinstance(extra, Mapping) or len(extra) > _MOST_EXTRAS:
        raise AnswerError(f"returned the extra {quoted(extra)}, not up to {_MOST_EXTRAS} numbers by name")
    for name in extra:
        if not isinstance(name, str) or not _EXTRA_NAME.fullmatch(name):
            kind = "a letter and up to 39 letters, digits and _"
            raise AnswerError(f"returned an extra with the name {quoted(name)}, not {kind}")
    return {name: _finite(f"extra {name!r}", value) for name, value in extra.items()} or None


def _finite(name: str, value: object) -> float:
    with suppress(OverflowError):
        if isinstance(value, _NUMBER) and math.isfinite(value):
            return float(value)
    raise AnswerError(f"returned the {name} {quoted(value)}, not a finite number")


def _count(name: str, value: object) -> int:
    bits = _PLIES_BITS if name in ("depth", "deepest") else _BITS
    if not isinstance(value, _WHOLE) or not 0 <= int(value) < 1 << bits:
        raise AnswerError(f"returned the {name} {quoted(value)}, not a whole number from 0 to 2**{bits} - 1")
    return int(value)
