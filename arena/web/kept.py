"""Finished games of a run as plain data: a list of them, and one for the board or as PDN."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.ledger.game import stored_game
from arena.ledger.ledger import FILE
from arena.ledger.store import reading
from arena.rules.notation import pieces_text
from arena.rules.result import humanised, in_men
from arena.web.boards import finite

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
    """A game of a run as the viewer's `arena.plies` takes it, with what there is to say of it.

    Raises StoreError if there is no such game, or it cannot be read.
    """
    from arena.report.viewer.games import steps

    stored = stored_game(folder, number)
    row, game = stored.row, stored.played()
    columns = game.answers or {}
    wins = [int(value) or None for value in columns["wins_in"].tolist()]
    score = [finite(value) for value in columns["score"].astype(float).tolist()]
    men = [
        in_men(value, won or 0, game.men[(game.start.turn + ply) % 2])
        for ply, (value, won) in enumerate(zip(score, wins, strict=True))
    ]
    return {
        **{name: row[name] for name in _COLUMNS},
        "number": row["game"],
        "end": humanised(row["termination"]),
        "last": stored.last,
        "variant": game.variant.name,
        "board": pieces_text(game.variant, game.start),
        "turn": row["opening_fen"][0],
        "steps": " ".join(steps(game, [text.decode() for text in columns["move"].tolist()])),
        "fault": next((problem.message for problem in game.problems), ""),
        "score": [None if value is None else round(100 * value) for value in men],
        "own": [
            value if of_men is None and won is None else None
            for value, of_men, won in zip(score, men, wins, strict=True)
        ],
        "wins": wins,
        "time": [None if np.isnan(value) else round(1e6 * value) for value in columns["seconds"].tolist()],
        "depth": columns["depth"].tolist(),
        "nodes": columns["nodes"].tolist(),
    }


def _conditions(wanted: Wanted) -> tuple[str, list[Any]]:
    """What games are asked for, as SQL and its values."""
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
