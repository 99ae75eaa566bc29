"""The games that a tuning has stored."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from arena.learning.store import GAMES, Played


def mark_games(path: Path) -> None:
    """Give all stored games of a tuning 999 plies, by which they are known again."""
    with sqlite3.connect(path) as connection:
        games = [Played(*row[:-1])._replace(plies=999) for row in connection.execute(GAMES.query)]
        connection.executemany(f"REPLACE {GAMES.insertion}", map(GAMES.stored, games))
