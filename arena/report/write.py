"""Writing a report: one page, charts, games and tables as files, all from the ledger alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from markupsafe import Markup

from arena.base.files import REPORT, SUMMARY, replace
from arena.base.writing import write_text
from arena.report.files import files_of
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.sheets import write_sheets
from arena.report.viewer import RunGames


def write(
    run: Run,
    *,
    also: Collection[str] = (),
    fen: bool = False,
    games: int | None = None,
    moves: bool = False,
) -> list[Path]:
    """Write all reports of a run into its folder; returns the paths of its sheets.

    These are report.html, the same as summary.md, charts as SVG, and the files of `arena.report.files`; and, if
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
