"""The stored tables: games, moves with their positions, and searches of the probe."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pandas as pd

from arena.report.tables.rated_run import RatedRun
from arena.rules.custom import build_variant
from arena.rules.notation import NotationError, fen
from arena.rules.played import replayed
from arena.rules.variants import Variant


def with_fen(variant: Variant, games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """Moves of whole games with a further column `fen`, the position before the move.

    `games` has game and opening_fen of each of them, `moves` has game and move, in the order of play. Raises
    NotationError for a move that is not legal.
    """
    opening = dict(zip(games["game"], games["opening_fen"], strict=True))
    found: list[str] = []
    for game, texts in moves.groupby("game", sort=False)["move"]:
        played = replayed(variant, str(opening[game]), texts.tolist())
        if played.problems:
            raise NotationError(played.problems[0].message)
        found += [fen(variant, position) for position in played.positions[:-1]]
    return moves.assign(fen=pd.array(found, dtype="str"))


def positions_in_parts(run: RatedRun, games: Collection[int] | None = None) -> Iterator[pd.DataFrame]:
    """The moves of these games, or of all, with the position before each; at least one part."""
    for part in run.data.moves():
        chosen = part if games is None else part[part["game"].isin(list(games))]
        yield with_fen(build_variant(run.experiment.variant), run.games, chosen)
