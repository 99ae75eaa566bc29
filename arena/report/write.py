"""Writing a report: tables, charts, one page and games as PDN, all from the ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from arena.base.files import INDEX, REPORT, replace
from arena.report.charts.catalogue import CHARTS, draw
from arena.report.charts.picture import save_pdf, save_png, svg
from arena.report.files import FILES, File, files_of, parts_of, write_file, write_text
from arena.report.page.page import html
from arena.report.run import Run
from arena.report.tables.stored import POSITIONS
from arena.report.viewer.fragment import room, viewer
from arena.report.writers import write_parquet


def write(
    run: Run,
    folder: str | os.PathLike[str] | None = None,
    *,
    fen: bool = False,
    games: int | None = None,
    latex: bool = False,
    moves: bool = False,
    parquet: bool = False,
    pdf: bool = False,
    runs: str = "",
) -> list[Path]:
    """Write all reports of a run into `folder` (the run's own by default) and return their paths.

    The files of `arena.report.files`, charts as PNG and SVG, and report.html; files of a report that the run does
    not have are removed. The page holds `games` games, by default as many as fit. The files with all moves of
    a large run (`Run.large`) are written only if `moves`, tables for papers only if `latex`, charts as PDF only if
    `pdf`. With `fen` the moves have the position before each; with `parquet` every CSV file has a Parquet file
    beside it, for which pyarrow is needed. With `runs`, the address of a list of runs, the page links it and is
    index.html. The same ledger gives the same bytes. Each file is replaced whole, so a reader never sees half of
    one.
    """
    target = Path(folder) if folder is not None else run.folder
    target.mkdir(parents=True, exist_ok=True)
    charts = draw(run)
    pictures = {name: svg(axes) for name, axes in charts.items()}

    listed = files_of(run, moves, latex)
    if fen:
        listed = [
            file._replace(table=POSITIONS, parts=Run.positions_in_parts) if file.name == "moves.csv" else file
            for file in listed
        ]
    files: dict[str, Callable[[Path], object]] = {file.name: partial(write_file, file, run) for file in listed}
    if parquet:
        for file in listed:
            if file.table is not None:
                files[parquet_name(file.name)] = partial(_fill_parquet, file, run)
    for name, axes in charts.items():
        files[f"{name}.png"] = partial(save_png, axes)
        files[f"{name}.svg"] = partial(write_text, pictures[name])
        if pdf:
            files[f"{name}.pdf"] = partial(save_pdf, axes)
    games_part = viewer(run, games, room(pictures.values()))
    page = html(run, pictures, listed, games_part, pdf=pdf, runs=runs)
    files[INDEX if runs else REPORT] = partial(write_text, page)

    for name in _every_name() - set(files):
        (target / name).unlink(missing_ok=True)
    return [replace(target / name, fill) for name, fill in files.items()]


def _every_name() -> set[str]:
    pictures = {f"{chart.name}.{suffix}" for chart in CHARTS for suffix in ("pdf", "png", "svg")}
    return {file.name for file in FILES} | pictures | {parquet_name(file.name) for file in FILES if file.table}


def parquet_name(name: str) -> str:
    """The name of the Parquet file beside a CSV file."""
    return f"{name.removesuffix('.csv')}.parquet"


def _fill_parquet(file: File, run: Run, path: Path) -> None:
    write_parquet(parts_of(file, run), path)
