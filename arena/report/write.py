"""Writing a report: tables, charts, one page and games as PDN, all from the ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from markupsafe import Markup

from arena.base.files import REPORT, replace
from arena.base.work import in_background
from arena.base.writing import write_text
from arena.report.charts.catalogue import CHARTS, draw
from arena.report.charts.style import save_png, svg
from arena.report.files import FILES, File, asked, files_of, write_positions
from arena.report.page import html
from arena.report.run import Run
from arena.report.viewer.games import CHARACTERS, room, viewer


def write(
    run: Run,
    folder: str | os.PathLike[str] | None = None,
    *,
    fen: bool = False,
    games: int | None = None,
    latex: bool = False,
    moves: bool = False,
    png: bool = False,
) -> list[Path]:
    """Write all reports of a run into `folder` (the run's own by default) and return their paths.

    The files of `arena.report.files`, charts as SVG, and report.html; files of a report that the run does
    not have are removed. The page holds `games` games, by default as many as fit. The files with all moves of
    a large run (`Run.large`) are written only if `moves`, tables for papers only if `latex`, charts as PNG
    only if `png`. With `fen` the moves have the position before each. The same ledger gives the same bytes. Each
    file is replaced whole, so a reader never sees half of one.
    """
    target = Path(folder) if folder is not None else run.folder
    target.mkdir(parents=True, exist_ok=True)
    long = [_with_fen(file) if fen else file for file in asked(run, moves, latex) if file.of_games]
    of_games = {file.name: partial(file.fill, run) for file in long}
    run.survey, run.ratings, run.grades, run.costliest_errors  # noqa: B018  both processes need them
    with in_background(partial(_games_part, run, games, target, of_games)) as games_part:
        charts = draw(run)
        pictures = {name: svg(axes) for name, axes in charts.items()}
        listed = files_of(run, moves, latex)
        files: dict[str, Callable[[Path], object]] = {
            file.name: partial(file.fill, run) for file in listed if not file.of_games
        }
        for name, axes in charts.items():
            files[f"{name}.svg"] = partial(write_text, pictures[name])
            if png:
                files[f"{name}.png"] = partial(save_png, axes)
        for name in _every_name() - {*files, *of_games}:
            (target / name).unlink(missing_ok=True)
        written = [replace(target / name, fill) for name, fill in files.items()]
        shown = games_part()
    space = room(pictures.values())
    if games is None and space < CHARACTERS:
        shown = viewer(run, games, space)
    page = partial(
        write_text,
        html(run, pictures, [(file.name, file.holds) for file in listed], shown, ["svg"] + ["png"] * png),
    )
    return [*(target / name for name in of_games), *written, replace(target / REPORT, page)]


def _with_fen(file: File) -> File:
    return file._replace(fill=write_positions) if file.name == "moves.csv" else file


def _games_part(
    run: Run, games: int | None, target: Path, of_games: Mapping[str, Callable[[Path], object]]
) -> Markup:
    """The page's part with games, once the files with all games and moves are written: what needs no chart."""
    for name, fill in of_games.items():
        replace(target / name, fill)
    return viewer(run, games)


def _every_name() -> set[str]:
    return {file.name for file in FILES} | {f"{chart.name}.{kind}" for chart in CHARTS for kind in ("png", "svg")}
