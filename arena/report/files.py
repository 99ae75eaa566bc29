"""The files of a report beside its page and charts: games, moves, PDN, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.wording import first_line
from arena.base.writing import write_rows, written
from arena.ledger.game import row_pdn
from arena.report.run import TABLES, Run
from arena.report.tables.grades import errors_of_games
from arena.report.tables.table import Table
from arena.rules.pdn.write import search_comment


class File(NamedTuple):
    """A file of a report."""

    name: str
    holds: str
    """Its contents, as `reports/columns.md` describes them."""
    fill: Callable[[Run, Path], object]
    """Writes it to a path."""
    table: Table | None = None
    """Of the files of a table, which a run has if the table has rows."""
    of_moves: bool = False
    """Whether it holds all moves, so that a large run has it only when asked for."""


def frame_of(run: Run, table: Table) -> pd.DataFrame:
    """The attribute of a run that a table describes."""
    frame: pd.DataFrame = getattr(run, table.name)
    return frame


def write_games(run: Run, path: Path) -> None:
    """Write the games, those of withdrawn players too, as CSV."""
    every = pd.concat([run.games, run.void_games]) if len(run.void_games) else run.games
    _write(TABLES["games"], [every.sort_values("game")[TABLES["games"].names]], path)


def write_moves(run: Run, path: Path) -> None:
    """Write the moves as CSV, part by part."""
    _write(TABLES["moves"], run.data.moves(), path)


def write_positions(run: Run, path: Path) -> None:
    """Write the moves with the position before each as CSV, part by part."""
    _write(TABLES["moves"], run.positions_in_parts(), path)


def _write_table(table: Table, run: Run, path: Path) -> None:
    _write(table, [frame_of(run, table)], path)


def _write(table: Table, parts: Iterable[pd.DataFrame], path: Path) -> None:
    with written(path) as file:
        if table.name == "submissions":
            file.write("\ufeff")  # by which Excel knows UTF-8: teachers open it there
        for number, part in enumerate(parts):
            # A crosstable has its players in a named index.
            write_rows(table.rounded(part), file, index=part.index.name is not None, header=not number)


def _write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with written(path) as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    marks = errors_of_games(run.grades)
    for row, of_game in zip(run.games.itertuples(index=False, name=None), _moves(run), strict=True):
        named = dict(zip(columns, row, strict=True))
        errors = {ply: mark for ply, (mark, _) in marks.get(named["game"], {}).items()}
        yield row_pdn(run.data, named, *of_game, errors)


def _moves(run: Run) -> Iterator[tuple[list[str], list[str]]]:
    plies = iter(run.games["plies"].tolist())
    for part in run.data.moves():
        texts = part["move"].tolist()
        men = part["score_men"].to_numpy(float, na_value=np.nan).tolist()
        wins = part["plies_to_win"].to_numpy(np.int64, na_value=0).tolist()
        clocks = part["clock"].to_numpy(float, na_value=np.nan).tolist()
        comments = list(map(search_comment, men, wins, part["depth"].tolist(), part["seconds"].tolist(), clocks))
        start = 0
        while start < len(texts):
            end = start + next(plies)
            yield texts[start:end], comments[start:end]
            start = end
    yield from (([], []) for _ in plies)


def _holds(table: Table) -> str:
    """The first line of the documentation of `Run`'s attribute."""
    return first_line(getattr(Run, table.name))


FILES = (
    File("games.csv", _holds(TABLES["games"]), write_games),
    File("moves.csv", "One row per move; --fen adds the position before it.", write_moves, of_moves=True),
    File("games.pdn", "All games, for any draughts program.", _write_pdn, of_moves=True),
    *(
        File(f"{name}.csv", _holds(table), partial(_write_table, table), table)
        for name, table in TABLES.items()
        if name not in ("games", "moves")
    ),
)
"""Every file."""


def files_of(run: Run, moves: bool = False) -> list[File]:
    """The files that a run has; those of all moves of a large run only if `moves`."""
    asked = (file for file in FILES if moves or not (file.of_moves and run.large))
    return [file for file in asked if file.table is None or len(frame_of(run, file.table)) > 0]
