"""Finished games of a run as plain data: a list of them, and one for the board."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from arena.ledger.game import stored_game
from arena.ledger.ledger import FILE
from arena.ledger.store import reading
from arena.rules.position import COLOURS
from arena.rules.result import humanised
from arena.web.documents import played_documents, position_document

MOST_GAMES = 200
"""Games that are listed at once."""
_COLUMNS = ("game", "white", "black", "opening", "result", "termination", "plies", "error")
_ORDERS = {"latest": "game DESC", "number": "game", "longest": "plies DESC, game", "shortest": "plies, game"}


class Wanted(NamedTuple):
    """Which games are listed; empty or 0 is any."""

    start: int = 0
    """Games of these that are passed over."""
    most: int = 50
    player: str = ""
    opponent: str = ""
    opening: int = 0
    result: str = ""
    """A result, or `won` or `lost` by the player."""
    end: str = ""
    """A value of `arena.rules.game.Termination`."""
    order: str = "latest"
    """One of `latest`, highest number first, `number`, `longest`, `shortest`."""


def game_list(folder: Path, wanted: Wanted) -> dict[str, Any]:
    """Some games of a run, how many such games there are, and the ends that games of the run have.

    Raises StoreError if they cannot be read.
    """
    where, values = _conditions(wanted)
    order = _ORDERS.get(wanted.order, _ORDERS["latest"])
    with reading(folder / FILE) as connection:
        connection.execute("BEGIN")
        count = connection.execute(f"SELECT COUNT(*) FROM games WHERE {where}", values).fetchone()[0]
        rows = connection.execute(
            f"SELECT {', '.join(_COLUMNS)} FROM games WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, min(wanted.most, MOST_GAMES), wanted.start),
        ).fetchall()
        ends = [row[0] for row in connection.execute("SELECT DISTINCT termination FROM games ORDER BY 1")]
    games = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    for game in games:
        game["end"] = humanised(game.pop("termination"))
    return {"count": count, "games": games, "ends": [{"value": end, "text": humanised(end)} for end in ends]}


def game_document(folder: Path, number: int) -> dict[str, Any]:
    """A game of a run for the board, with what there is to say of it.

    Raises StoreError if there is no such game, or it cannot be read.
    """
    stored = stored_game(folder, number)
    row, game = stored.row, stored.played()
    return {
        **{name: row[name] for name in _COLUMNS},
        "number": game.number,
        "end": humanised(row["termination"]),
        "points": _points(row),
        "last": game.count,
        "variant": game.variant.name,
        "start": position_document(game.variant, game.start),
        "moves": played_documents(game),
        "fault": next((problem.message for problem in game.problems), ""),
    }


def _points(row: dict[str, Any]) -> dict[str, int] | None:
    """Each colour's points, where they decided the game."""
    found = {colour: row[f"{colour}_points"] for colour in COLOURS}
    return None if None in found.values() else found


def _conditions(wanted: Wanted) -> tuple[str, list[Any]]:
    parts, values = ["1"], list[Any]()
    for name in filter(None, {wanted.player, wanted.opponent}):
        parts.append("(white = ? OR black = ?)")
        values += [name, name]
    if wanted.opening:
        parts.append("opening = ?")
        values.append(wanted.opening)
    if wanted.end:
        parts.append("termination = ?")
        values.append(wanted.end)
    if wanted.result in ("won", "lost") and wanted.player:
        white, black = ("1-0", "0-1") if wanted.result == "won" else ("0-1", "1-0")
        parts.append("((white = ? AND result = ?) OR (black = ? AND result = ?))")
        values += [wanted.player, white, wanted.player, black]
    elif re.fullmatch("1-0|0-1|1/2-1/2", wanted.result):
        parts.append("result = ?")
        values.append(wanted.result)
    return " AND ".join(parts), values
