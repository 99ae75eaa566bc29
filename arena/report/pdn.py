"""The games of a run as PDN, for any draughts program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from arena.ledger.game import row_pdn
from arena.report.run import Run
from arena.rules.pdn.write import search_comment


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    for row, of_game in zip(run.games.itertuples(index=False, name=None), _moves(run), strict=True):
        yield row_pdn(run.name, run.facts, dict(zip(columns, row, strict=True)), *of_game)


def _moves(run: Run) -> Iterator[tuple[list[str], list[str]]]:
    """The moves of each game, and the comment after each."""
    plies = iter(run.games["plies"].tolist())
    for part in run.data.moves():
        texts = part["move"].tolist()
        men = part["score_men"].to_numpy(float, na_value=np.nan).tolist()
        wins = part["wins_in"].to_numpy(np.int64, na_value=0).tolist()
        comments = list(map(search_comment, men, wins, part["depth"].tolist(), part["seconds"].tolist()))
        start = 0
        while start < len(texts):
            end = start + next(plies)
            yield texts[start:end], comments[start:end]
            start = end
    yield from (([], []) for _ in plies)
