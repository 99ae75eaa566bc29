"""The files of a report: tables, charts, one page and games as PDN, all from the ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from arena.report import tables
from arena.report.run import Run, load

__all__ = ["Run", "load", "write"]


def write(run: Run, folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Write all reports of a run into `folder` (the run's own by default) and return their paths.

    CSV tables, games.pdn, charts as PNG and SVG, summary.md and report.html; los.csv for 200 players at most. The
    same ledger gives the same bytes. Each file is replaced whole, so a reader never sees half of one.
    """
    from arena.report import page, plots

    target = Path(folder) if folder is not None else run.folder
    target.mkdir(parents=True, exist_ok=True)
    charts = plots.draw(run)
    pictures = {name: plots.svg(axes) for name, axes in charts.items()}

    files: dict[str, Callable[[Path], object]] = {
        "standings.csv": _csv(tables.rounded(run.standings)),
        "crosstable.csv": _csv(run.crosstable, index=True),
        "search.csv": _csv(tables.rounded(run.search)),
        "telemetry.csv": _csv(tables.rounded(run.telemetry)),
        "games.csv": _csv(tables.rounded(run.games, {})),
        "moves.csv": _csv(tables.rounded(run.moves, {})),
        "games.pdn": lambda path: _write_pdn(run, path),
    }
    if len(run.probes):
        files["ablation.csv"] = _csv(tables.rounded(run.ablation))
        files["probes.csv"] = _csv(tables.rounded(run.probes, {}))
    if page.has_los(run):
        files["los.csv"] = _csv(run.los.round(tables.DECIMALS["los"]), index=True)
    files |= {name: _csv(tables.rounded(table)) for name, table in (run.rating_tables | run.sweep_tables).items()}
    if len(run.sprt):
        files["sprt.csv"] = _csv(tables.rounded(run.sprt))
    if len(run.order):
        files["order.csv"] = _csv(run.order)
    for name, axes in charts.items():
        files[f"{name}.png"] = partial(plots.save_png, axes)
        files[f"{name}.svg"] = _text(pictures[name])
    files["summary.md"] = _text(page.markdown(run))
    files["report.html"] = _text(page.html(run, pictures))

    for name in set(plots.NAMES) - set(charts):
        for suffix in ("png", "svg"):
            (target / f"{name}.{suffix}").unlink(missing_ok=True)
    for name in {*page.RATING_FILES, *page.SWEEP_FILES} - set(files):
        (target / name).unlink(missing_ok=True)
    return [_replace(target / name, fill) for name, fill in files.items()]


def _replace(path: Path, fill: Callable[[Path], object]) -> Path:
    """Let `fill` write a temporary file beside `path`, then put it in place in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fill(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _csv(table: pd.DataFrame, index: bool = False) -> Callable[[Path], object]:
    return lambda path: table.to_csv(path, index=index, lineterminator="\n", encoding="utf-8")


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8", newline="\n")


def _write_pdn(run: Run, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(_pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def _pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    from arena.rules.pdn.write import pdn_game

    moves = run.moves.sort_values(["game", "ply"], kind="stable")
    texts = moves["move"].astype(str).to_numpy(dtype=object)
    numbers = moves["game"].to_numpy()
    start = np.searchsorted(numbers, run.games["game"].to_numpy(), side="left")
    stop = np.searchsorted(numbers, run.games["game"].to_numpy(), side="right")
    for game, first, last in zip(run.games.itertuples(index=False), start, stop, strict=True):
        tags = {
            "Event": run.name,
            "Site": "draughts-arena",
            "Round": f"{game.round}.{game.game}",
            "White": str(game.white),
            "Black": str(game.black),
            "Result": str(game.result),
        }
        if run.config.get("gametype"):
            tags["GameType"] = str(run.config["gametype"])
        tags["Termination"] = str(game.termination)
        fen = str(game.opening_fen)
        opening = None if fen == run.config.get("start_fen") else fen
        yield pdn_game(tags, texts[first:last].tolist(), tags["Result"], run.config["first"], opening)
