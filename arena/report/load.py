"""Reading results: a run from its folder, as a notebook shows it, and the games of runs and of other programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from arena.ledger.read import read
from arena.ledger.store import StoreError
from arena.ratings.repeats import line_hashes, lines
from arena.ratings.results import GameSource, Results, ResultsError, combined, game_table, read_file
from arena.report.run import Run
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import facts, headline
from arena.report.tables.decided import standings_text
from arena.rules.result import Colour

ROWS = 30
"""Players that a notebook shows of a run, the best ones."""


def load(folder: str | os.PathLike[str]) -> Run:
    """Read the ledger in a run's folder, also while games are still being played."""
    return Run(Path(folder), read(Path(folder)), card)


def card(run: Run) -> str:
    """The run as a notebook shows it: its name, how far it is, its first sentences, the standings."""
    sentences = [*unfinished(run), *headline(run), *facts(run)]
    parts = [f"<h4>{escape(run.name)} ({escape(run.rules)})</h4>", f"<p>{escape(' '.join(sentences))}</p>"]
    if len(run.games):
        table = standings_text(run)
        parts.append(table.head(ROWS).to_html(index=False, border=0))
        if len(table) > ROWS:
            parts.append(f"<p>and {len(table) - ROWS} more: <code>run.standings</code></p>")
    return f"<div>{''.join(parts)}</div>"


def read_results(paths: Sequence[Path], first: Colour | None = None) -> Results:
    """The games of files and folders of runs together; *first* is the colour that moves first in all of them.

    Raises ResultsError, see `arena.ratings.results`.
    """
    return combined([read_run(path) if path.is_dir() else read_file(path, first) for path in paths], first)


def read_run(folder: Path) -> GameSource:
    """The games of a run, finished or not. Raises ResultsError if there is none in the folder."""
    try:
        run = read(folder)
        hashes = pd.concat([line_hashes(part) for part in run.moves()])
    except StoreError as error:
        raise ResultsError(str(error)) from None
    games = game_table(*(run.games[column].astype(object) for column in ("white", "black", "result")))
    games = games.assign(pair=run.games["pair"], opening=run.games["opening"], line=lines(run.games, hashes))
    return GameSource(folder, games, run.facts.first, "the run")
