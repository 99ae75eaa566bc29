"""How a game begins: from the start, a FEN or a PDN."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.base.wording import counted, cut
from arena.board.game import BoardGame, Clock
from arena.board.sides import Side, timed
from arena.rules.custom import VariantError, build_variant, without_draws
from arena.rules.game import Game
from arena.rules.notation import parse_fen, parse_pieces
from arena.rules.pdn.read import read_pdn
from arena.rules.pdn.tokens import split
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS, Position
from arena.rules.result import NO_RESULT
from arena.rules.variants import Variant
from arena.web.documents import legal_documents, position_document
from arena.web.messages import NewGame, PositionGiven, Refusal, SecondsGiven

MOST_PLIES = 2000
"""Plies of a game, at most."""
MOST_SECONDS = 1.0
"""Seconds that writing the moves of a position may take where a game begins."""
_LONGEST = 300
"""Characters of a message."""
_MOST_LISTED = 1000
"""Games of a PDN that are listed: the last ones."""
_TAGS = ("White", "Black", "Date", "Event")


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
    if request.fen is not None and request.pdn is not None:
        raise Refusal(422, "a game begins from one of fen and pdn")
    clock = None if request.clock is None else Clock(request.clock.seconds, request.clock.increment)
    try:
        kept = _kept(request)
        sides = timed_sides(seats(request.white, request.black, kept.variant), request.seconds)
        if not request.draws:
            kept = replace(kept, variant=without_draws(kept.variant))
        variant = kept.variant
        check_men(variant, kept.start)
        if not (kept.start.white and kept.start.black):
            raise ValueError(f"{'black' if kept.start.white else 'white'} has no piece")
        board = BoardGame.of(kept, sides, clock=clock, seed=seed)
    except ValueError as error:
        raise Refusal(422, cut(str(error), _LONGEST)) from None
    warm(board.game)
    return board


def timed_sides(sides: tuple[Side, Side], seconds: SecondsGiven) -> tuple[Side, Side]:
    """Those sides with the seconds per move that are request. Raises Refusal for a side that takes none."""
    try:
        white, black = (
            side if limit is None else timed(side, limit)
            for side, limit in zip(sides, (seconds.white, seconds.black), strict=True)
        )
    except ValueError as error:
        raise Refusal(422, str(error)) from None
    return white, black


def placed_position(request: PositionGiven) -> dict[str, Any]:
    """The position that is asked about, and what a game from it would begin with; raises Refusal for any other."""
    variant = variant_of(request.variant)
    if (request.fen is None) == (request.pieces is None) or (request.pieces is None) != (request.turn is None):
        raise Refusal(422, "a position is given as fen, or as pieces and turn")
    try:
        if request.pieces is not None and request.turn is not None:
            position = parse_pieces(variant, request.pieces, COLOURS.index(request.turn))
        else:
            position = parse_fen(variant, request.fen or "")
        check_men(variant, position)
        legal = len(Game(variant, position).legal_moves)
        is_playable = bool(legal and position.white and position.black)
        words = f"{counted(legal, 'legal move')}." if is_playable else "One side has no piece."
        return {
            **position_document(variant, position),
            "playable": is_playable,
            "words": words if legal else "No legal move: the game would be over.",
        }
    except ValueError as error:
        raise Refusal(422, cut(str(error), _LONGEST)) from None


def games_in(pdn: str, variant: Variant) -> dict[str, Any]:
    """How many games a PDN has, what contradicts their results, and the last ones.

    Of each its number, some tags, who won, how many moves stand in the text, and why it cannot be played from.
    """
    file = read_pdn(pdn, variant)
    results = {game.number: game.result for game in file.games}
    faults = {problem.game: cut(problem.message, _LONGEST) for problem in reversed(file.problems)}
    games = [
        {
            "number": number,
            **{tag.lower(): cut(raw.tags.get(tag, ""), 60) for tag in _TAGS},
            "result": results.get(number, NO_RESULT),
            "plies": sum(token.kind == "move" for token in raw.tokens()),
            "fault": faults.get(number, ""),
        }
        for number, raw in enumerate(split(pdn), start=1)
    ]
    return {"count": len(games), "note": faults.get(0, ""), "games": games[-_MOST_LISTED:]}


def check_men(variant: Variant, position: Position) -> None:
    """Raise ValueError if a side has more pieces than the rules give it."""
    for colour, pieces in zip(COLOURS, (position.white, position.black), strict=True):
        if pieces.bit_count() > variant.men:
            count = pieces.bit_count()
            raise ValueError(f"{colour} has {count} pieces; in {variant.name} a side has {variant.men} at most")


def warm(game: Game) -> None:
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


def _kept(request: NewGame) -> PlayedGame:
    variant = variant_of(request.variant)
    if request.pdn is not None:
        return _of_pdn(request.pdn, variant, request.number)
    start = variant.start if request.fen is None else parse_fen(variant, request.fen)
    return PlayedGame(variant, start, [])


def _of_pdn(text: str, variant: Variant, number: int) -> PlayedGame:
    file = read_pdn(text, variant, only=number)
    if problem := next((problem for problem in file.problems if problem.game), None):
        raise ValueError(f"game {problem.game}, ply {problem.ply}, line {problem.line}: {problem.message}")
    if not file.games:
        raise ValueError(f"there is no game {number} in the PDN" if number > 1 else "there is no game in the file")
    game = file.games[0]
    if len(game.moves) >= MOST_PLIES:
        raise ValueError(f"the game has {len(game.moves)} plies; a game may have {MOST_PLIES} here")
    return game
