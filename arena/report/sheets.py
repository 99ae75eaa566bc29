"""Sheets of a class: the page of each submission as a file of its own, in which the others have no names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from arena.base.errors import ArenaError
from arena.base.files import replace
from arena.base.writing import write_text
from arena.ledger.public import FEWEST, Pseudonyms
from arena.report.page import page_of
from arena.report.page.blocks import Section
from arena.report.page.player import PlayerPages, player_html
from arena.report.run import Run
from arena.report.tables.submissions import files_of_users

FOLDER = "sheets"
"""In a run's folder, where its sheets are written."""


def write_sheets(run: Run) -> list[Path]:
    """Write the sheet of each player with code of the user's own, and remove older sheets.

    Others are `submission 1` and so on, by numbers drawn by chance. Raises ArenaError if there are none.
    """
    files = files_of_users(run)
    if not files:
        raise ArenaError(f"{run.folder} has no submissions: no player has code of the user's own")
    games = pd.concat([run.data.games, run.data.void_games]).sort_values("game")
    names = Pseudonyms(run.data.experiment, run.info, run.data.judges, games, "submission").names
    folder = run.folder / FOLDER
    folder.mkdir(exist_ok=True)
    targets = dict(zip(files, file_names(list(files)), strict=True))
    for old in {*folder.glob("*.html")} - {folder / name for name in targets.values()}:
        old.unlink()
    pages = PlayerPages(run, files)
    paths = []
    for player in files:
        blocks = pages.blocks(player, _hiding(player, names, files))
        sheet = Markup('<div class="sheet">{}</div>').format(player_html(player, blocks, run.name))
        text = page_of([Section("top", f"{run.name}: {player}", [])], after=sheet)
        paths.append(replace(folder / targets[player], partial(write_text, text)))
    return paths


def file_names(names: list[str]) -> list[str]:
    """A file for each of some names: letters, digits, dots and hyphens of it, all different."""
    plain = [re.sub(r"[^\w.-]+", "_", name).strip("._") or "player" for name in names]
    lower = [name.lower() for name in plain]
    return [
        f"{name}-{number}.html" if lower.count(name.lower()) > 1 else f"{name}.html"
        for number, name in enumerate(plain, 1)
    ]


def _hiding(player: str, names: Mapping[str, str], files: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces the names and files of all others: a name, or words of a text."""
    others = {other: pseudonym for other, pseudonym in names.items() if other != player}
    words = {files[other].lower(): others[other] for other in files if other != player}
    words |= {name.lower(): other for name, other in others.items()}
    kept = {player.lower(), files[player].lower()}
    sought = sorted((word for word in words if len(word) >= FEWEST and word not in kept), key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sought) or r"(?!)", re.IGNORECASE)

    def hide(text: str) -> str:
        return others.get(text) or pattern.sub(lambda match: words[match[0].lower()], text)

    return hide
