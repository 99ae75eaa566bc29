"""Writing a report: tables, charts, one page and games as PDN, all from the ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from markupsafe import Markup

from arena.base.files import REPORT, replace
from arena.base.work import in_background
from arena.base.writing import write_text
from arena.report.charts.catalogue import CHARTS, draw
from arena.report.charts.style import save_png, svg
from arena.report.files import FILES, asked, files_of, write_positions
from arena.report.page.sections import html
from arena.report.run import Run
from arena.report.viewer.games import viewer


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
    of_games: dict[str, Callable[[Path], object]] = {
        file.name: partial(file.fill, run) for file in asked(run, moves, latex) if file.of_games
    }
    if fen and "moves.csv" in of_games:
        of_games["moves.csv"] = partial(write_positions, run)

    def write_games() -> Markup:
        """Write the files with all games and moves, which need no chart; return the page's part with games."""
        for name, fill in of_games.items():
            replace(target / name, fill)
        return viewer(run, games)

    run.survey, run.ratings, run.grades, run.costliest_errors  # noqa: B018  both processes need them
    with in_background(write_games) as games_part:
        charts = draw(run)
        pictures = {name: svg(axes) for name, axes in charts.items()}
        listed = files_of(run, moves, latex)
        files: dict[str, Callable[[Path], object]] = {
            file.name: partial(file.fill, run) for file in listed if not file.of_games
        }
        files |= {f"{name}.svg": partial(write_text, picture) for name, picture in pictures.items()}
        if png:
            files |= {f"{name}.png": partial(save_png, axes) for name, axes in charts.items()}
        possible = {file.name for file in FILES} | {
            f"{chart.name}.{kind}" for chart in CHARTS for kind in ("png", "svg")
        }
        for name in possible - {*files, *of_games}:
            (target / name).unlink(missing_ok=True)
        written = [replace(target / name, fill) for name, fill in files.items()]
        shown = games_part()
    page = html(run, pictures, [(file.name, file.holds) for file in listed], shown, ["svg"] + ["png"] * png)
    return [*(target / name for name in of_games), *written, replace(target / REPORT, partial(write_text, page))]
