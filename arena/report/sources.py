"""Where results come from: folders of runs, and files of any program."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from arena.ledger.read import read
from arena.ledger.store import StoreError
from arena.ratings.repeats import line_hashes, lines
from arena.ratings.results import GameSource, Results, ResultsError, combined, game_table, read_file
from arena.rules.result import Colour


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
