"""The files of a report beside its page and charts. The page lists them, `write` fills them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.writing import write_rows, write_text, written
from arena.ledger.game import row_pdn
from arena.report.run import Run
from arena.report.tables.catalogue import TABLES
from arena.report.tables.grades import errors_of_games
from arena.report.tables.table import RunTable
from arena.report.writers import latex, markdown
from arena.rules.custom import build_variant
from arena.rules.pdn.write import search_comment


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with written(path) as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    marks, variant = errors_of_games(run.grades), build_variant(run.data.experiment.variant)
    for row, of_game in zip(run.games.itertuples(index=False, name=None), _moves(run), strict=True):
        named = dict(zip(columns, row, strict=True))
        errors = {ply: mark for ply, (mark, _) in marks.get(named["game"], {}).items()}
        yield row_pdn(run.name, variant, named, *of_game, errors)


def _moves(run: Run) -> Iterator[tuple[list[str], list[str]]]:
    plies = iter(run.games["plies"].tolist())
    for part in run.data.moves():
        texts = part["move"].tolist()
        men = part["score_men"].to_numpy(float, na_value=np.nan).tolist()
        wins = part["plies_to_win"].to_numpy(np.int64, na_value=0).tolist()
        comments = list(map(search_comment, men, wins, part["depth"].tolist(), part["seconds"].tolist()))
        start = 0
        while start < len(texts):
            end = start + next(plies)
            yield texts[start:end], comments[start:end]
            start = end
    yield from (([], []) for _ in plies)


class File(NamedTuple):
    """A file of a report."""

    name: str
    holds: str
    """Its contents, as the page's list of files describes them."""
    table: RunTable | None = None
    """Of a CSV file."""
    parts: Callable[[Run], Iterable[pd.DataFrame]] | None = None
    """Of a CSV file that is not the table as it is, or may be larger than memory."""
    applies: Callable[[Run], bool] = lambda _: True
    """Whether a run has it."""
    fill: Callable[[Run, Path], object] | None = None
    """Of another file, what writes it."""
    of_moves: bool = False
    """Whether it holds all moves, so that a large run has it only when asked for."""
    of_latex: bool = False
    """Whether it is a table for papers, which a run has only when asked for."""

    @property
    def of_games(self) -> bool:
        """Whether it holds all games or moves, and needs no rating."""
        return self.of_moves or self.name == "games.csv"


def _csv(table: RunTable) -> File:
    def applies(run: Run) -> bool:
        return table.applies(run) and (table.always or len(run.table(table)) > 0)

    return File(f"{table.name}.csv", table.holds, table, table.parts, applies, of_moves=table.of_moves)


def _tex(table: RunTable) -> File:
    def applies(run: Run) -> bool:
        return len(run.table(table)) > 0

    def fill(run: Run, path: Path) -> None:
        write_text(latex(table.text(run.table(table))), path)

    holds = f"{table.name.replace('_', ' ')} as a LaTeX table"
    return File(f"{table.name}.tex", holds, applies=applies, fill=fill, of_latex=True)


FILES = (
    *(_csv(table) for table in TABLES.values() if table.written),
    File("games.pdn", "all games, for any draughts program", fill=write_pdn, of_moves=True),
    File("summary.md", "this report in Markdown", fill=lambda run, path: write_text(markdown(run), path)),
    *(_tex(table) for table in TABLES.values() if table.latex),
)
"""Every file, in the order of the page's list."""


def files_of(run: Run, moves: bool = False, latex: bool = False) -> list[File]:
    """The files that a run has, in the order of the page's list.

    Those of all moves of a large run only if `moves`, tables for papers only if `latex`.
    """
    return [file for file in asked(run, moves, latex) if file.applies(run)]


def asked(run: Run, moves: bool = False, latex: bool = False) -> list[File]:
    """The files that a run has as far as what is asked for and its size decide; no table is made for that."""
    return [
        file for file in FILES if (latex or not file.of_latex) and (moves or not (file.of_moves and run.large))
    ]


def write_file(file: File, run: Run, path: Path) -> None:
    """Write a file of a run to `path`."""
    if file.table is None:
        assert file.fill is not None
        file.fill(run, path)
        return
    with written(path) as output:
        parts = file.parts(run) if file.parts else [run.table(file.table)]
        for number, part in enumerate(parts):
            table = file.table.rounded(part)
            # A matrix has its players in a named index.
            write_rows(table, output, index=table.index.name is not None, header=not number)
