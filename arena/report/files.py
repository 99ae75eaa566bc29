"""The files of a report beside its page and charts. The page lists them, `write` fills them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.docs import docstring, first_line
from arena.base.writing import write_rows, write_text, written
from arena.ledger.game import row_pdn
from arena.report.page.standings import crosstable_grid, standings_grid
from arena.report.run import TABLES, Run
from arena.report.tables.grades import errors_of_games
from arena.report.tables.table import Grid, Table
from arena.rules.pdn.write import search_comment


class File(NamedTuple):
    """A file of a report."""

    name: str
    holds: str
    """Its contents, as the page's list of files describes them."""
    fill: Callable[[Run, Path], object] | None
    """Writes it to a path; None of one that is made with the page."""
    table: Table | None = None
    """Of the files of a table, which a run has if the table has rows."""
    of_games: bool = False
    """Whether it holds all games or moves, and needs no rating."""
    of_moves: bool = False
    """Whether it holds all moves, so that a large run has it only when asked for."""
    of_latex: bool = False
    """Whether it is a table for papers, which a run has only when asked for."""

    def applies(self, run: Run) -> bool:
        """Whether a run has it."""
        return self.table is None or len(frame_of(run, self.table)) > 0


def frame_of(run: Run, table: Table) -> pd.DataFrame:
    """The attribute of a run that a table describes."""
    frame: pd.DataFrame = getattr(run, table.name)
    return frame


def write_games(run: Run, path: Path) -> None:
    """Write the games, void ones too, as CSV."""
    every = pd.concat([run.games, run.void_games]) if len(run.void_games) else run.games
    _write(TABLES["games"], [every.sort_values("game")], path)


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
        for number, part in enumerate(parts):
            # A crosstable has its players in a named index.
            write_rows(table.rounded(part), file, index=part.index.name is not None, header=not number)


def _write_latex(table: Table, run: Run, path: Path) -> None:
    write_text(latex(_GRIDS[table.name](run) if table.name in _GRIDS else table.grid(frame_of(run, table))), path)


def latex(grid: Grid) -> str:
    """What people read of a table as a `tabular` for booktabs; names are shown as they are."""
    columns = "".join("r" if heading.style.is_figure else "l" for heading in grid.headings)
    body: str = grid.texts().to_latex(index=False, escape=True, column_format=columns)
    return f"% needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}\n{body}"


def _write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with written(path) as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    marks, variant = errors_of_games(run.grades), run.data.experiment.rule_set
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


def _holds(table: Table) -> str:
    """The first line of the documentation of `Run`'s attribute."""
    return first_line(docstring(getattr(Run, table.name)))


SUMMARY = "summary.md"
_GRIDS: Mapping[str, Callable[[Run], Grid]] = {"standings": standings_grid, "crosstable": crosstable_grid}
"""What people read of tables that need more of a run than the table."""
FILES = (
    File("games.csv", _holds(TABLES["games"]), write_games, of_games=True),
    File(
        "moves.csv",
        "One row per move; --fen adds the position before it.",
        write_moves,
        of_games=True,
        of_moves=True,
    ),
    File("games.pdn", "All games, for any draughts program.", _write_pdn, of_games=True, of_moves=True),
    File(SUMMARY, "This report in Markdown.", None),
    *(
        File(f"{name}.csv", _holds(table), partial(_write_table, table), table)
        for name, table in TABLES.items()
        if name not in ("games", "moves")
    ),
    *(
        File(f"{name}.tex", f"{name} for LaTeX.", partial(_write_latex, table), table, of_latex=True)
        for name, table in TABLES.items()
        if table.view or name in _GRIDS
    ),
)
"""Every file, in the order of the page's list."""


def files_that_apply(run: Run, moves: bool = False, latex: bool = False) -> list[File]:
    """The files that a run has, in the order of the page's list.

    Those of all moves of a large run only if `moves`, tables for papers only if `latex`.
    """
    tried = run.faults.attempt
    return [file for file in asked(run, moves, latex) if tried(file.name, partial(file.applies, run), False)]


def asked(run: Run, moves: bool = False, latex: bool = False) -> list[File]:
    """The files that a run has as far as what is asked for and its size decide; no table is made for that."""
    return [
        file for file in FILES if (latex or not file.of_latex) and (moves or not (file.of_moves and run.large))
    ]
