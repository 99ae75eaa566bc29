"""Writing a report: tables, charts, one page and games as PDN, all from the ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path

from markupsafe import Markup

from arena.base.errors import ArenaError
from arena.base.files import REPORT, replace
from arena.base.work import in_background
from arena.base.writing import write_text
from arena.report.charts.catalogue import CHARTS, draw
from arena.report.charts.style import save_pdf, save_png, svg
from arena.report.faults import Fault
from arena.report.files import FILES, SUMMARY, asked, files_that_apply, write_positions
from arena.report.page import is_page
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.viewer import viewer

_FORMER = {"openings.csv", "order.tex"}
"""Files that reports of earlier versions had: they are named as left over."""
FAULTS_FILE = "report_faults.txt"
"""The file with the tracebacks of what could not be made; there is none if all could."""


def write(
    run: Run,
    folder: str | os.PathLike[str] | None = None,
    *,
    fen: bool = False,
    games: int | None = None,
    latex: bool = False,
    moves: bool = False,
    pdf: bool = False,
    png: bool = False,
) -> list[Path]:
    """Write all reports of a run into `folder` (the run's own by default) and return their paths.

    The files of `arena.report.files`, charts as SVG, and report.html. The page holds `games` games, by default as
    many as fit. The files with all moves of a large run (`Run.large`) are written if `moves`, tables for papers if
    `latex`, charts as PDF and PNG if `pdf` and `png`; with `fen` the moves have the position before each. What an
    earlier report in the folder has of these is renewed, too; nothing is deleted (`left_over`). The same ledger
    gives the same bytes. Each file is replaced whole, so a reader never sees half of one.

    A part that cannot be made is left out and kept in `run.faults`, with its traceback in FAULTS_FILE. Raises
    ArenaError for a folder without a report that has a file of a name which a report would write.
    """
    target = Path(folder) if folder is not None else run.folder
    target.mkdir(parents=True, exist_ok=True)
    before = _report_files(target)
    if before and not (run.folder in (target, target.parent) or is_page(target / REPORT)):
        raise ArenaError(f"{target / min(before)} is no file of a report: give the report a folder of its own")
    latex = latex or any(file.of_latex and file.name in before for file in FILES)
    moves = moves or any(file.of_moves and file.name in before for file in FILES)
    kinds = {"svg": True, "png": png, "pdf": pdf}
    kinds = {kind: wanted or bool(before & _chart_files([kind])) for kind, wanted in kinds.items()}
    tried = run.faults.attempt

    of_games: dict[str, Callable[[Path], object]] = {
        file.name: partial(file.fill, run) for file in asked(run, moves, latex) if file.of_games and file.fill
    }
    if "moves.csv" in of_games and (fen or _has_positions(target / "moves.csv")):
        of_games["moves.csv"] = partial(write_positions, run)

    def filled(name: str, fill: Callable[[Path], object]) -> list[Path]:
        return tried(name, lambda: [replace(target / name, fill)], [])

    def write_games() -> tuple[Markup, dict[str, Fault]]:
        """Write the files with all games and moves, which need no chart; return the page's part with games."""
        for name, fill in of_games.items():
            filled(name, fill)
        return tried("Games", lambda: viewer(run, games), Markup()), run.faults.found

    for name in ("survey", "ratings", "grades", "costliest_errors"):  # both processes need them
        tried(name, partial(getattr, run, name), None)
    with in_background(write_games) as games_part:
        charts = draw(run)
        drawn = {name: tried(name, partial(svg, axes), None) for name, axes in charts.items()}
        pictures = {name: picture for name, picture in drawn.items() if picture is not None}
        listed = files_that_apply(run, moves, latex)
        files: dict[str, Callable[[Path], object]] = {}
        for name, picture in pictures.items():
            files[f"{name}.svg"] = partial(write_text, picture)
            files |= {f"{name}.png": partial(save_png, charts[name])} if kinds["png"] else {}
            files |= {f"{name}.pdf": partial(save_pdf, charts[name])} if kinds["pdf"] else {}
        files |= {file.name: partial(file.fill, run) for file in listed if not file.of_games and file.fill}
        written = [path for name, fill in files.items() for path in filled(name, fill)]
        shown, faults = games_part()
    run.faults.found |= faults
    written = [*(target / name for name in of_games if not run.faults.line_of(name)), *written]
    holds = [(file.name, run.faults.line_of(file.name) or file.holds) for file in listed]
    page = RunPage(run, pictures, shown, [kind for kind, wanted in kinds.items() if wanted], holds)
    written += filled(SUMMARY, lambda path: write_text(page.markdown, path))
    written.append(replace(target / REPORT, partial(write_text, page.html)))
    if run.faults.found:
        replace(target / FAULTS_FILE, partial(write_text, run.faults.text))
    else:
        (target / FAULTS_FILE).unlink(missing_ok=True)
    return written


def left_over(target: Path, written: Iterable[Path]) -> list[str]:
    """The files of earlier reports in a folder that are not among those written now, and may be out of date."""
    return sorted(_report_files(target) - {path.name for path in written})


def _report_files(target: Path) -> set[str]:
    """The names of a folder's files that a report may have written, but for its page."""
    possible = {file.name for file in FILES} | _chart_files(("svg", "png", "pdf")) | _FORMER
    return {name for name in possible if (target / name).exists()}


def _chart_files(kinds: Collection[str]) -> set[str]:
    return {f"{chart.name}.{kind}" for chart in CHARTS for kind in kinds}


def _has_positions(moves: Path) -> bool:
    """Whether a file of moves has the position before each."""
    if not moves.exists():
        return False
    with moves.open(encoding="utf-8") as lines:
        return "fen" in lines.readline().strip().split(",")
