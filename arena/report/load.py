"""Reading results: a run from its folder, as a notebook shows it, several runs, games of other programs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.base.files import RUNS, replace, write_text
from arena.ledger.ledger import FILE, StoreError
from arena.ledger.read import read
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import opening
from arena.report.sentences.facts import facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 30
"""Players that a notebook shows of a run, at most."""


def load(folder: str | os.PathLike[str]) -> Run | Any:
    """The run in a folder, or by their names the several runs of one, also while games are still being played.

    Raises StoreError if there is none, or it cannot be read.
    """
    path = Path(folder)
    return {run.name: load_run(run) for run in runs_of(path)} if is_joint(path) else load_run(path)


def load_run(folder: Path) -> Run:
    """Read the ledger in a run's folder. Raises StoreError."""
    return Run(folder, read(folder), _figures, card)


def _figures(run: Run) -> dict[str, Figure]:
    from arena.report.charts.catalogue import figures  # matplotlib takes as long as some games to load

    return figures(run)


def card(run: Run) -> str:
    """The run as a notebook shows it: its name, its facts, the opening of its page, the standings."""
    parts = [
        f"<h4>{escape(run.name)}</h4>",
        *(f"<p>{escape(line)}</p>" for line in (facts(run), *opening(run).lines)),
    ]
    if len(run.games):
        parts.append(standings_grid(run).texts().to_html(index=False, border=0, max_rows=ROWS))
    return f"<div>{''.join(parts)}</div>"


def list_runs(folder: Path, name: str, runs: Sequence[str]) -> None:
    """Note in a folder that it has these runs, in folders of their names.

    Raises StoreError if it is the folder of a run.
    """
    if (folder / FILE).exists():
        raise StoreError(f"{folder} is the folder of one run: give these another name, or --out")
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"name": name, "runs": list(runs)}) + "\n"
    replace(folder / RUNS, partial(write_text, text))


def is_joint(folder: Path) -> bool:
    """Whether a folder has several runs of one configuration."""
    return (folder / RUNS).is_file()


def runs_of(folder: Path) -> list[Path]:
    """The folders of a folder's several runs, as far as they have begun; that of one run itself.

    Raises StoreError.
    """
    if not is_joint(folder):
        return [folder]
    return [folder / name for name in listed_runs(folder)[1] if (folder / name / FILE).exists()]


def listed_runs(folder: Path) -> tuple[str, tuple[str, ...]]:
    """The name and the runs that `list_runs` noted. Raises StoreError."""
    try:
        document = json.loads((folder / RUNS).read_text(encoding="utf-8"))
        return str(document["name"]), tuple(map(str, document["runs"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise StoreError(f"{folder / RUNS} cannot be read") from None
