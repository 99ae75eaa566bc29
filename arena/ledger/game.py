"""One game as a ledger holds it, read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.base.number import is_nan, known
from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.ledger import FILE, GAMES, run_info, stored_experiment
from arena.ledger.record import GameRecord
from arena.ledger.store import REMEDY, StoreError, documents, reading
from arena.rules.pdn.write import pdn_game
from arena.rules.played import PlayedGame, replayed
from arena.rules.result import points_text
from arena.rules.variants import Variant


class StoredGame(NamedTuple):
    """The record of a game, and the documents of its run; `played` makes a game of it."""

    record: GameRecord
    experiment: Experiment
    info: RunInfo
    last: int
    """The highest number of a game that is stored."""

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    def played(self) -> PlayedGame:
        """The game, with what its movers answered; one with a move that is not legal has a problem."""
        men, record = self.info.men, self.record
        table = record.table()
        return replayed(
            self.variant,
            record.opening_fen,
            _texts(table["move"]),
            result=record.result,
            tags=_tags(self.experiment.name, record._asdict()),
            number=record.game,
            count=self.last,
            answers={name: table[name] for name in table.dtype.names or ()},
            men=(men.get(record.white), men.get(record.black)),
        )


def stored_game(folder: Path, number: int) -> StoredGame:
    """Read a game from the ledger in a run's folder.

    Raises StoreError if there is no such run or game, or the ledger is damaged there or cannot be read.
    """
    path = folder / FILE
    with reading(path) as connection:
        stored = documents(connection)
        row = connection.execute(f"{GAMES.query} WHERE game = ?", (number,)).fetchone()
        last = connection.execute("SELECT MAX(game) FROM games").fetchone()[0]
    if row is None:
        there = f"its last one is game {last}" if last else "it has none yet"
        raise StoreError(f"game {number} is not stored in {folder}: {there}")
    if not GAMES.is_intact(row):
        raise StoreError(f"{path} is damaged (games {number}); {REMEDY}")
    values = dict(zip(GAMES.columns, row, strict=False))
    values |= {name: nan for name, kind in GAMES.columns.items() if kind == "REAL" and values[name] is None}
    record = GameRecord(**values)
    return StoredGame(record, stored_experiment(stored, path), run_info(stored, path), last)


def row_pdn(
    event: str,
    variant: Variant,
    row: Mapping[str, Any],
    texts: Sequence[str],
    comments: Iterable[str],
    marks: Mapping[int, str] | None = None,
) -> str:
    """A game as PDN, by the columns of a ledger, its moves, the comment after each, and marks of errors by ply.

    `began` may be a time or seconds since 1970. The points of a game that they decided are a comment after its
    last move.
    """
    noted = {ply: comment for ply, comment in enumerate(comments, start=1) if comment}
    if known(row["white_points"]):
        points = points_text((row["white_points"], row["black_points"]))
        noted[len(texts)] = ", ".join(filter(None, [noted.get(len(texts)), points]))
    opening, result = str(row["opening_fen"]), str(row["result"])
    return pdn_game(variant, opening, _tags(event, row), texts, result, comments=noted, marks=marks)


def _tags(event: str, row: Mapping[str, Any]) -> dict[str, str]:
    began: datetime | float | None = row["began"]
    is_unplayed = began is None or is_nan(began)
    day = datetime.fromtimestamp(began, UTC) if isinstance(began, float) and not is_unplayed else began
    return {
        "Event": event,
        "Site": "draughts-arena",
        **({} if is_unplayed else {"Date": f"{day:%Y.%m.%d}"}),
        "Round": f"{row['round']}.{row['game']}",
        "White": str(row["white"]),
        "Black": str(row["black"]),
        "Result": str(row["result"]),
        "Termination": str(row["termination"]),
    }


def _texts(moves: np.ndarray) -> list[str]:
    return [text.decode() for text in moves.tolist()]
