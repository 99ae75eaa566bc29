"""A game at the board that has ended, as a ledger keeps it."""

from __future__ import annotations

import math
import os
import platform
import time

from arena.base.wording import cut
from arena.experiment.formats.base import Pairing
from arena.ledger.record import GameRecord, packed, search_values
from arena.play.clock import clock_after, overrun
from arena.play.match import REASON_CHARACTERS, MoveRow
from arena.rules.game import Game, Termination
from arena.sitting.sitting import Sitting
from arena.sitting.turn import Turn
from players.player import Choice, Limit


def game_record(sitting: Sitting, pairing: Pairing) -> GameRecord:
    """The record of a sitting's game, which is over, and ended just now.

    A person's moves have seconds alone. Processor time is not known, and the game's time is that of its moves.
    """
    outcome = sitting.outcome
    assert outcome is not None
    seconds = math.fsum(turn.seconds for turn in sitting.turns)
    plies, moves = packed(_rows(sitting))
    error = ""
    if outcome.termination == Termination.ERROR:
        error = f"{cut(sitting.failure, REASON_CHARACTERS)} at ply {plies + 1}"
    return GameRecord(
        pairing,
        outcome.result,
        str(outcome.termination),
        seconds,
        error,
        plies,
        moves,
        began=time.time() - seconds,
        worker=os.getpid(),
        machine=platform.node(),
    )


def _rows(sitting: Sitting) -> list[MoveRow]:
    """A game's moves as `arena.ledger.record.packed` takes them; processor time is not known."""
    game = Game(sitting.variant, sitting.game.start)
    rows: list[MoveRow] = []
    for turn in sitting.turns:
        position = game.position
        limit = _limit(sitting, turn, position.turn)
        choice = Choice(turn.move) if turn.thought is None else turn.thought.choice
        clock, over = clock_after(limit, turn.seconds), overrun(limit, turn.seconds)
        rows.append(
            (
                turn.text,
                len(game.legal_moves),
                (position.white | position.black).bit_count(),
                *search_values(choice, turn.seconds, math.nan),
                math.nan if clock is None else clock,
                math.nan if over is None else over,
                math.nan,
            )
        )
        game.push(turn.move)
    return rows


def _limit(sitting: Sitting, turn: Turn, colour: int) -> Limit:
    """What the side had for a move."""
    spec = sitting.sides[colour].spec
    limit = Limit() if spec is None else spec.limit
    if sitting.clock is None or turn.clocks is None:
        return limit
    return limit._replace(clock=turn.clocks[colour], increment=sitting.clock.increment)
