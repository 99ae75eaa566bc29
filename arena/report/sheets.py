"""Sheets of a class: the page of each submission as a file of its own, in which the others have no names."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, count
from pathlib import Path

from markupsafe import Markup

from arena.base import ArenaError
from arena.base.files import replace, write_text
from arena.report.page import html_of, is_page
from arena.report.page.player import PlayerPages
from arena.report.run import Run
from arena.report.tables.submissions import files_of_users
from arena.report.viewer import RunGames
from players.loading import own_code, user_files

_FOLDER = "sheets"
"""In a run's folder, where its sheets are written."""


def write_sheets(run: Run, games: RunGames) -> list[Path]:
    """Write the sheet of each player with code of the user's own, and remove older sheets of the arena's.

    Others with files of a user's own are named by `opponents`. Raises ArenaError if there are none.
    """
    files = files_of_users(run)
    if not files:
        raise ArenaError(f"{run.folder} has no submissions: no player has code of the user's own")
    names = opponents(run)
    folder = run.folder / _FOLDER
    folder.mkdir(exist_ok=True)
    targets = dict(zip(files, file_names(list(files)), strict=True))
    for old in {*folder.glob("*.html")} - {folder / name for name in targets.values()}:
        if is_page(old):  # a file of the user's own stays
            old.unlink()
    pages = PlayerPages(run, files)
    paths = []
    for player in files:
        name_of = _hiding(player, names)
        page = pages.html(player, run.name, name_of, viewer=games.part_of(player, name_of))
        sheet = Markup('<div class="sheet">{}</div>').format(page)
        text = html_of(None, f"{run.name}: {player}", after=sheet)
        paths.append(replace(folder / targets[player], partial(write_text, text)))
    return paths


def file_names(names: Sequence[str]) -> list[str]:
    """A file for each of some names: letters, digits, dots and hyphens of it.

    No two are one file where upper and lower case, or ways to write an accent, do not tell files apart.
    """
    files: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^\w.-]+", "_", name).strip("._") or "player"
        tried = (f"{plain}{number}" for number in chain([""], (f"-{n}" for n in count(2))))
        free = next(file for file in tried if _folded(file) not in files)
        files[_folded(free)] = f"{free}.html"
    return list(files.values())


def _folded(name: str) -> str:
    """What two names share that may be one file."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def opponents(run: Run) -> dict[str, str]:
    """Other names, `opponent 3`, for players and judges with files of a user's own, the same each time.

    The numbers are drawn by a hash of the run, with all of its files, which no player knows.
    """
    experiment, info = run.data.experiment, run.info
    players = [spec.name for spec in experiment.players if own_code(spec) or user_files(spec)]
    judges = [name for name, judge in run.data.judges.items() if judge["files"]]
    hidden = sorted({*players, *info.left_out, *judges})
    secret = repr((experiment.seed, info.began, info.players, hidden))
    random.Random(sha256(secret.encode()).digest()).shuffle(hidden)
    taken = {spec.name for spec in experiment.players}
    free = (name for number in count(1) if (name := f"opponent {number}") not in taken)
    return dict(zip(hidden, free, strict=False))


def _hiding(player: str, names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that gives another name of every player with one but this."""
    return lambda name: name if name == player else names.get(name, name)
