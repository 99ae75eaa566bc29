"""The games of a run as PDN, for any draughts program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.ledger.ledger import Facts
from arena.report.run import Run
from arena.rules.pdn.write import pdn_game, search_comment


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    for row, of_game in zip(run.games.itertuples(index=False, name=None), _moves(run), strict=True):
        yield stored_pdn(run.name, run.facts, dict(zip(columns, row, strict=True)), of_game)


class Moves(NamedTuple):
    """The moves of a game, and the comment after each."""

    texts: Sequence[str]
    comments: Sequence[str]


def stored_pdn(event: str, facts: Facts, game: Mapping[str, Any], moves: Moves) -> str:
    """A game, by the columns of a ledger, with its moves; without a GameType it names its start position.

    `began` may be a time or seconds since 1970.
    """
    tags = {
        "Event": event,
        "Site": "draughts-arena",
        **_date(game["began"]),
        "Round": f"{game['round']}.{game['game']}",
        "White": str(game["white"]),
        "Black": str(game["black"]),
        "Result": str(game["result"]),
    }
    if facts.gametype:
        tags["GameType"] = facts.gametype
    tags["Termination"] = str(game["termination"])
    fen = str(game["opening_fen"])
    opening = None if fen == facts.start_fen and facts.gametype else fen
    comments = {ply: comment for ply, comment in enumerate(moves.comments, start=1) if comment}
    return pdn_game(tags, moves.texts, tags["Result"], facts.first, opening, comments=comments)


def _date(began: datetime | float | None) -> dict[str, str]:
    """The tag Date, in UTC; none for a game that nobody played."""
    if pd.isna(began):
        return {}
    day = datetime.fromtimestamp(began, UTC) if isinstance(began, float) else began
    return {"Date": f"{day:%Y.%m.%d}"}


def _moves(run: Run) -> Iterator[Moves]:
    """The moves of each game."""
    plies = iter(run.games["plies"].tolist())
    for part in run.data.moves():
        texts = part["move"].tolist()
        men = part["score_men"].to_numpy(float, na_value=np.nan).tolist()
        wins = part["wins_in"].to_numpy(np.int64, na_value=0).tolist()
        comments = list(map(search_comment, men, wins, part["depth"].tolist(), part["seconds"].tolist()))
        start = 0
        while start < len(texts):
            end = start + next(plies)
            yield Moves(texts[start:end], comments[start:end])
            start = end
    yield from (Moves([], []) for _ in plies)
