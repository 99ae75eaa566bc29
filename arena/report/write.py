"""Writing a report: one page, charts, tables as CSV and all games as PDN, all from the ledger alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.base.files import REPORT, SUMMARY, replace, write_rows, write_text, written
from arena.ledger.game import row_pdn
from arena.ratings.interval import Interval
from arena.report.page.sections import RunPage
from arena.report.run import TABLES, Run
from arena.report.sheets import write_sheets
from arena.report.tables.grades import errors_of_games
from arena.report.tables.table import with_decimals
from arena.report.viewer import RunGames
from arena.rules.pdn.write import search_comment

PDN = "games.pdn"
_MARKS = {"submissions": "\ufeff"}
"""The mark by which Excel knows UTF-8, in the table that teachers open there."""
_DECIMALS = {
    3: ["elo", "elo_difference", "gain", "elo_at_1"],
    4: [
        "score", "los", "best", "played", "lost", "share", "agreement", "error_rate", "lost_per_move",
        "blunder_rate", "first_move_cutoffs", "tt_hits", "points", "buchholz", "sonneborn_berger", "conceded",
    ],
}  # fmt: skip
DECIMALS = {
    column: places for places, names in _DECIMALS.items() for name in names for column in Interval.columns_of(name)
}
"""Decimals of ratings, shares and points in files; others have six significant digits."""


def write(
    run: Run,
    *,
    also: Collection[str] = (),
    fen: bool = False,
    games: int | None = None,
    moves: bool = False,
) -> list[Path]:
    """Write all reports of a run into its folder; returns the paths of its sheets.

    These are report.html, the same as summary.md, charts as SVG, and those of `files_of`; and, if
    `also` or the configuration has them, `sheets`, and charts as `png` and `pdf`. The page holds `games` games, by
    default as many as fit. The files of a large run (`Run.large`) with all its moves are written if `moves`; with
    `fen` the moves have the position before each. The same ledger gives the same bytes. Each file is replaced
    whole, so a reader never sees half of one.

    A section of the page that cannot be made says so, as does `run.faults`.
    """
    also = {*also, *run.experiment.report}
    of_run = RunGames(run)
    shown = run.faults.attempt("Games", partial(of_run.part, games), Markup())
    page = RunPage(run, shown, also)
    fills: dict[str, Callable[[Path], object]] = {REPORT: partial(write_text, page.html)}
    fills[SUMMARY] = partial(write_text, page.markdown)
    for chart in page.charts.values():
        fills |= chart.files(also)
    fills |= files_of(run, moves=moves, fen=fen)
    for name, fill in fills.items():
        replace(run.folder / name, fill)
    return write_sheets(run, of_run) if "sheets" in also else []


def files_of(run: Run, *, moves: bool = False, fen: bool = False) -> dict[str, Callable[[Path], object]]:
    """What writes each file that a run has, by its name; those of all moves of a large run only if `moves`.

    With `fen` the moves have the position before each.
    """
    void = run.void_games
    games = pd.concat([run.games, void]).sort_values("game") if len(void) else run.games
    tables = {name: getattr(run, name) for name in TABLES if name not in ("games", "moves")}
    found: dict[str, Callable[[Path], object]] = {
        f"{name}.csv": partial(_write, [table], DECIMALS, _MARKS.get(name, ""))
        for name, table in tables.items()
        if len(table)
    }
    found["games.csv"] = partial(_write, [games.drop(columns=["key", "time", "line"])], DECIMALS, "")
    if moves or not run.large:
        found["moves.csv"] = partial(_write, run.positions_in_parts() if fen else run.data.moves(), {}, "")
        found[PDN] = partial(_write_pdn, run)
    return found


def _write(parts: Iterable[pd.DataFrame], decimals: Mapping[str, int], mark: str, path: Path) -> None:
    with written(path) as file:
        file.write(mark)
        for number, part in enumerate(parts):
            write_rows(with_decimals(part, decimals), file, header=not number)


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
    """The moves of each game, and the comment on each."""
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
