"""How a game begins: from the start or a FEN."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from arena.base.wording import cut
from arena.board.game import BoardGame, Clock
from arena.board.sides import Side, timed
from arena.rules.custom import VariantError, build_variant, without_draws
from arena.rules.game import Game
from arena.rules.notation import parse_fen
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant
from arena.web.documents import legal_documents, position_document
from arena.web.messages import NewGame, PositionGiven, Refusal, SecondsGiven

MOST_PLIES = 2000
"""Plies of a game, at most."""
MOST_SECONDS = 1.0
"""Seconds that writing the moves of a position may take where a game begins."""
_LONGEST = 300
"""Characters of a message."""


Seats = Callable[[str, str, Variant], tuple[Side, Side]]
"""The players of White's key and Black's."""


def variant_of(name: str) -> Variant:
    """The rule set of that name. Raises Refusal."""
    try:
        return build_variant(name)
    except VariantError as error:
        raise Refusal(422, str(error)) from None


def begun(request: NewGame, seats: Seats, seed: int) -> BoardGame:
    """The game that a request begins, its players not built yet; in a thread, as it may compile.

    Raises Refusal for what cannot be begun.
    """
    variant = variant_of(request.variant)
    clock = None if request.clock is None else Clock(request.clock.seconds, request.clock.increment)
    try:
        start = variant.start if request.fen is None else parse_fen(variant, request.fen)
        sides = timed_sides(seats(request.white, request.black, variant), request.seconds)
        if not request.draws:
            variant = without_draws(variant)
        _check_men(variant, start)
        if not (start.white and start.black):
            raise ValueError(f"{'black' if start.white else 'white'} has no piece")
        board = BoardGame(variant, sides, request.fen, clock=clock, seed=seed)
    except ValueError as error:
        raise Refusal(422, cut(str(error), _LONGEST)) from None
    _warm(board.game)
    return board


def timed_sides(sides: tuple[Side, Side], seconds: SecondsGiven) -> tuple[Side, Side]:
    """Those sides with the seconds per move that are asked for. Raises Refusal for a side that takes none."""
    try:
        white, black = (
            side if limit is None else timed(side, limit)
            for side, limit in zip(sides, (seconds.white, seconds.black), strict=True)
        )
    except ValueError as error:
        raise Refusal(422, str(error)) from None
    return white, black


def placed_position(request: PositionGiven) -> dict[str, Any]:
    """The position of a FEN. Raises Refusal for a wrong one, or more pieces than the rules give a side."""
    variant = variant_of(request.variant)
    try:
        position = parse_fen(variant, request.fen)
        _check_men(variant, position)
    except ValueError as error:
        raise Refusal(422, cut(str(error), _LONGEST)) from None
    return position_document(variant, position)


def _check_men(variant: Variant, position: Position) -> None:
    """Raise ValueError if a side has more pieces than the rules give it."""
    for colour, pieces in zip(COLOURS, (position.white, position.black), strict=True):
        if pieces.bit_count() > variant.men:
            count = pieces.bit_count()
            raise ValueError(f"{colour} has {count} pieces; in {variant.name} a side has {variant.men} at most")


def _warm(game: Game) -> None:
    """Compile, or load, what playing a game needs, so that nothing in the server's loop does.

    Raises Refusal for a position whose captures have so many ways that writing them would hold up the loop.
    """
    if game.legal_moves:
        other = game.copy()
        other.push(other.legal_moves[0])
        began = time.monotonic()
        legal_documents(game)
        if time.monotonic() - began > MOST_SECONDS:
            raise Refusal(422, "captures have too many ways in this position")
