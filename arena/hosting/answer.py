"""An answer of a user's code: that it is one, and that nothing was changed to get it."""

from __future__ import annotations

import random
import traceback

from arena.base.wording import cut, printable
from arena.rules.game import Game
from players.player import AnswerError, Choice, Limit, Player, checked

_WORDS = 10_000
"""Characters of a message or of a traceback that are kept."""


def answer_of(player: Player, game: Game, limit: Limit, rng: random.Random) -> Choice:
    """What a player chooses, its fields checked; the move may still be none of the legal ones.

    Raises AnswerError for what is no answer or if the player changed the game, and whatever the player raises.
    """
    position, legal, moves = game.position, list(game.legal_moves), list(game.moves)
    answer = player.choose(game, limit, rng)
    if game.position is not position or game.legal_moves != legal or game.moves != moves:
        raise AnswerError("changed the game, which choose must leave as it was")
    return checked(answer)


def message_of(error: BaseException) -> str:
    """An exception's message in one line, whatever it is made of."""
    try:
        return cut(printable(str(error)), _WORDS)
    except BaseException:
        return "its message cannot be read"


def traceback_of(error: BaseException) -> str:
    """Where an exception was raised, as Python prints it."""
    try:
        lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
        return printable("".join(lines))[-_WORDS:]
    except BaseException:
        return ""
