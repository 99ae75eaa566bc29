"""One game of a run, read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from arena.base.number import known
from arena.ledger.ledger import StoreError
from arena.ledger.packing import MOVE_COLUMNS
from arena.ledger.read import RunData
from arena.ledger.record import short_id
from arena.rules.pdn.write import pdn_game
from arena.rules.played import PlayedGame, replayed
from arena.rules.result import points_text
from arena.rules.variants import Variant

_MISSING = {"plies_to_win": 0.0}
"""What stands for a missing value of an answer, elsewhere nan."""


def played_game(data: RunData, game: int | str) -> PlayedGame:
    """A game of a run by its number or id, with its movers' answers; an illegal move is a problem of it.

    Raises StoreError if the run has no such game.
    """
    every, text = pd.concat([data.games, data.void_games]), str(game)
    found = every[every["game"].astype(str) == text]
    if not len(found):
        found = every[[short_id(key, max(len(text), 6)) == text for key in every["key"]]]
    if not len(found):
        last = f"its last one is game {every['game'].max()}" if len(every) else "it has none yet"
        raise StoreError(f"the run has no game {game}: {last}")
    row: dict[str, Any] = {str(name): value for name, value in found.iloc[0].items()}
    [moves] = data.moves(pd.Index([row["game"]]))
    return replayed(
        data.experiment.rule_set,
        row["opening_fen"],
        moves["move"],
        result=row["result"],
        tags=_tags(data.experiment.name, row),
        number=int(row["game"]),
        count=int(every["game"].max()),
        answers={name: moves[name].to_numpy(float, na_value=_MISSING.get(name, nan)) for name, _ in MOVE_COLUMNS},
        men=(data.info.men.get(row["white"]), data.info.men.get(row["black"])),
    )


def row_pdn(
    event: str,
    variant: Variant,
    row: Mapping[str, Any],
    texts: Sequence[str],
    comments: Iterable[str],
    marks: Mapping[int, str] | None = None,
) -> str:
    """A game as PDN, by the columns of a ledger, its moves, the comment after each, and marks of errors by ply.

    The points of a game that they decided are a comment after its last move.
    """
    noted = {ply: comment for ply, comment in enumerate(comments, start=1) if comment}
    if known(row["white_points"]):
        points = points_text((row["white_points"], row["black_points"]))
        noted[len(texts)] = ", ".join(filter(None, [noted.get(len(texts)), points]))
    opening, result = str(row["opening_fen"]), str(row["result"])
    return pdn_game(variant, opening, _tags(event, row), texts, result, comments=noted, marks=marks)


def _tags(event: str, row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Event": event,
        "Site": "draughts-arena",
        "Date": f"{row['began']:%Y.%m.%d}",
        "Round": f"{row['round']}.{row['game']}",
        "GameId": str(row["id"]),
        "White": str(row["white"]),
        "Black": str(row["black"]),
        "Result": str(row["result"]),
        "Termination": str(row["termination"]),
    }
