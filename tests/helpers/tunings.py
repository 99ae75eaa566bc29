"""Files of tunings, how a broken one is refused, and the games that a tuning has stored."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from arena.learning.store import GAMES, Played
from tests.helpers.command_line import error_line, invoke


def written(folder: Path, text: str) -> Path:
    """A configuration of a tuning in a folder."""
    path = folder / "tuning.yaml"
    path.write_text(text)
    return path


def refusal_of(config: Path) -> str:
    """The one line, with its place in the file, that refuses a tuning, of which nothing is kept."""
    out = config.parent / "out"
    result = invoke("tune", config, "--out", out)
    assert result.exit_code == 2, result.output
    line = error_line(result.stderr)
    assert line.startswith(f"{config}:")
    assert not out.exists()
    return line


def mark_games(path: Path) -> None:
    """Give all stored games of a tuning 999 plies, by which they are known again."""
    with sqlite3.connect(path) as connection:
        games = [Played(*row[:-1])._replace(plies=999) for row in connection.execute(GAMES.query)]
        connection.executemany(f"REPLACE {GAMES.insertion}", map(GAMES.stored, games))


def games_stored(path: Path, plies: int | None = None) -> int:
    """How many games a tuning has stored, all or those of some plies; 0 before it has begun."""
    if not path.exists():
        return 0
    with sqlite3.connect(path, timeout=10) as connection:
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'games'").fetchone()
        query = "SELECT count(*) FROM games WHERE ?1 IS NULL OR plies = ?1"
        return connection.execute(query, (plies,)).fetchone()[0] if known else 0
