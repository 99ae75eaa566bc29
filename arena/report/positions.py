"""The positions of games, found by replaying their moves."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from arena.rules.move_text import parse_move
from arena.rules.movegen import apply
from arena.rules.notation import fen, parse_fen
from arena.rules.variants import Variant


def with_fen(variant: Variant, games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """Moves of whole games with a further column `fen`, the position before the move.

    `games` has game and opening_fen of each of them, `moves` has game and move, in the order of play.
    """
    opening = dict(zip(games["game"], games["opening_fen"], strict=True))
    found = [
        text
        for game, texts in moves.groupby("game", sort=False)["move"]
        for text in _fens(variant, str(opening[game]), texts.tolist())
    ]
    return moves.assign(fen=pd.array(found, dtype="str"))


def _fens(variant: Variant, opening: str, moves: list[str]) -> Iterator[str]:
    """The position before each move of a game."""
    position = parse_fen(variant, opening)
    for text in moves:
        yield fen(variant, position)
        position = apply(variant.constants, position, parse_move(variant, position, text))
