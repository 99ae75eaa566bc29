"""The columns that several tables have, and how people read their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from arena.base.number import fixed, known, percent, probability, quantity, signed
from arena.report.tables.table import Column


def elo(value: Any) -> str:
    """A rating: "+12", "" if it is not known."""
    return signed(value) if known(value) else ""


def interval_text(low: Any, high: Any) -> str:
    """An interval of Elo: "+3 to +21"; "anchor" if it has no width, "" if it is not known."""
    if not (known(low) and known(high)):
        return ""
    return f"{signed(low)} to {signed(high)}" if low < high else "anchor"


def estimate(form: Callable[[Any], str]) -> Callable[[Any, Any, Any], str]:
    """Return a function that shows a value with its interval, as far as known: "3.10 (2.84 to 3.41)"."""

    def text(value: Any, low: Any, high: Any) -> str:
        interval = f" ({form(low)} to {form(high)})" if known(low) and known(high) else ""
        return form(value) + interval if known(value) else ""

    return text


def interval(column: Column) -> tuple[Column, Column, Column]:
    """The column and the ends of its 95 % interval."""
    low, high = (
        Column(
            f"{column.name}_{end}",
            f"{side} end of the 95 % interval of {column.name}",
            column.unit,
            decimals=column.decimals,
        )
        for end, side in (("low", "lower"), ("high", "upper"))
    )
    return column, low, high


def with_interval(column: Column, heading: str, form: Callable[[Any], str]) -> tuple[Column, Column, Column]:
    """`interval` of a column, whose text is that of `estimate`."""
    value, low, high = interval(column)
    return value._replace(heading=heading, text=estimate(form), reads=(value.name, low.name, high.name)), low, high


seconds = partial(quantity, unit="s")
"""A time: "12 ms"."""
whole = partial(fixed, decimals=0)
"""A number without decimals."""
ELO = Column("elo", "rating in the joint fit of all games, 0 at the anchor or the mean", "Elo", "Elo", elo, 1)
ELO_DIFFERENCE = Column("elo_difference", "Elo minus that of the reference", "Elo", decimals=1)

COLUMNS: dict[str, Column] = {
    column.name: column
    for column in (
        Column("player", "name of the player", heading="Player"),
        Column("family", "players that differ only in name and one limit, by their other options"),
        *interval(ELO),
        Column("games", "games played", "games", "Games"),
        Column("wins", "games won", "games", "Won"),
        Column("draws", "games drawn", "games", "Drawn"),
        Column("losses", "games lost", "games", "Lost"),
        Column("score", "points per game", "0 to 1", "Score", percent, 4),
        Column("los", "likelihood of superiority", "0 to 1", "LOS", probability, 4),
        Column("nodes_per_move", "mean positions entered for a move", "nodes", "Nodes/move", quantity),
        Column(
            "seconds_per_move",
            "mean processor time of a move, wall time where that is not known of all moves",
            "s",
            "Time/move",
            seconds,
        ),
        Column(
            "branching_factor",
            "effective branching factor: nodes grow by it with each ply of depth",
            heading="Branching factor",
            text=partial(fixed, decimals=2),
        ),
        Column("moves", "moves that the row rests on", "moves"),
        Column("legal_moves", "legal moves to choose from; a mean where a row stands for several moves", "moves"),
        Column("depth", "depth searched in full", "plies"),
        Column("deepest", "plies from the root to the deepest position entered", "plies"),
        Column(
            "time_used",
            "mean `seconds_per_move` of the moves that searched, over the limit; the greatest of several players",
            "",
            "Of limit",
            percent,
            3,
        ),
        Column("game", "number of the game in the schedule, from 1"),
        Column("opening", "number of the opening, from 1"),
        Column("opening_fen", "position after the opening, as FEN"),
        Column("termination", "why the game ended"),
        Column(
            "cpu_seconds",
            "processor time of the player; far below the wall time where others used the processor",
            "s",
        ),
        Column("error", "what went wrong with a player, empty if nothing did"),
        Column("colour", "white or black"),
        Column("plies_to_win", "plies to a win that the search holds for certain, less than 0 to a loss", "plies"),
        Column("nodes", "positions entered", "nodes"),
        Column("leaves", "calls of the evaluation", "leaves"),
        Column("cutoffs_max", "beta cutoffs where the player itself is to move", "cutoffs"),
        Column("cutoffs_min", "beta cutoffs where the opponent is to move", "cutoffs"),
        Column("cutoffs_first", "beta cutoffs by the first move tried", "cutoffs"),
        Column("tt_probes", "lookups in the transposition table", "lookups"),
        Column("tt_hits", "lookups that found the position", "lookups"),
        Column("terms", "kind of limit that the compared players have in common"),
        Column("at", "least and greatest limit of that kind"),
        Column("pairs", "pairs that the row rests on", "pairs"),
        *interval(ELO_DIFFERENCE),
    )
}
"""By name. A column of one table, or one that means something else in it, stands with the table."""
ELO_INTERVAL = COLUMNS["elo_low"]._replace(
    heading="95 % interval", text=interval_text, reads=("elo_low", "elo_high")
)
"""The column `elo_low` of a table that shows the interval beside the Elo."""


def columns(*given: str | Column) -> tuple[Column, ...]:
    """Columns, those of COLUMNS by their names: `columns("player games", Column(...))`."""
    found: list[Column] = []
    for part in given:
        found += [part] if isinstance(part, Column) else [COLUMNS[name] for name in part.split()]
    return tuple(found)
