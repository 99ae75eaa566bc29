"""Commands about results of any origin: rate, compare."""

from __future__ import annotations

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import click
import pandas as pd

from arena.base.errors import ArenaError
from arena.commands.options import first_option, json_option
from arena.commands.output import echo, show_frame
from arena.ratings.joint import rate, zero
from arena.ratings.results import alike_note, with_alike_as_one
from arena.report.compare import compare, comparison_grid, read_side
from arena.report.load import read_results
from arena.report.page.standings import rated
from arena.report.tables.standings import rating_table
from arena.report.tables.table import words
from arena.rules.result import Colour

_DECIMALS = 4
"""Decimals of numbers in JSON."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--anchor", help="The player whose Elo is 0 [the mean is, of two players the second].")
@first_option
@click.option("--strict", is_flag=True, help="Stop at a game without names or with an unknown result.")
@click.option("--alike", is_flag=True, help="Names that differ by case, commas or spaces alone are one player's.")
@json_option
def rate_command(
    files: tuple[Path, ...],
    anchor: str | None,
    first: Colour | None,
    strict: bool,
    alike: bool,
    as_json: bool,
) -> None:
    """Rate the players of all FILES together: PDN of any program, CSV, or folders of runs.

    A CSV has the columns white, black, result, or white, black, wins, draws, losses from White's side, and
    may have pair, the same for games that belong together.
    """
    results_read = read_results(files, first, strict)
    if alike:
        results_read = with_alike_as_one(results_read)
    try:
        players = sorted({*results_read.games["white"], *results_read.games["black"]})
        given = zero(players, {} if anchor is None else {anchor: 0.0})
        ratings = rate(results_read.games, players, first=results_read.first, anchor=given)
    except ValueError as error:
        raise ArenaError(str(error)) from None
    table, notes = (
        rating_table(ratings),
        [
            *(note.text for note in ratings.notes),
            *results_read.notes,
            *filter(None, [alike_note(results_read)]),
        ],
    )
    if as_json:
        faults = results_read.faults
        document = {
            "first": results_read.first,
            "first_by": results_read.first_by or None,
            "players": _records(table.assign(error=(table["elo_high"] - table["elo_low"]) / 2)),
            "advantage": round(ratings.advantage.value, _DECIMALS),
            "advantage_error": round(ratings.advantage.error, _DECIMALS),
            "notes": notes,
            "left_out": [{"file": str(path), "line": line, "reason": reason} for path, line, reason in faults],
        }
        click.echo(json.dumps(document))
        return
    show_frame(rated(table, words(table["player"])).texts())
    echo("d Elo more mean an expected score of 1 / (1 + 10^(−d/400)); a draw is half a point.")
    mover = results_read.first.capitalize()
    if results_read.first_by:
        echo(f"{mover} moves first ({results_read.first_by}).")
    else:
        echo(f"{mover} is assumed to move first; --first changes that.")
    if ratings.advantage.error > 0:
        echo(f"Moving first ({mover}) was worth {ratings.advantage} Elo.")
    for note in notes:
        echo(note)


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@first_option
@json_option
def compare_command(a: Path, b: Path, first: Colour | None, as_json: bool) -> None:
    """Compare two runs, folders or files as `arena rate` reads, and list what changed from A to B.

    Elo is relative to the mean of the players of both. For two runs, it counts the games that are the same, move
    for move.
    """
    sides = [read_side(path, first) for path in (a, b)]
    comparison = compare(*sides)
    if as_json:
        document = {
            "a": str(a),
            "b": str(b),
            "players": _records(comparison.table),
            "games": comparison.games or None,
            "changes": comparison.changes,
            "notes": comparison.notes,
        }
        click.echo(json.dumps(document))
        return
    echo(f"a: {a}\nb: {b}\n")
    show_frame(comparison_grid(comparison.table).texts())
    for line in (*filter(None, [comparison.games]), *comparison.changes, *comparison.notes):
        echo(line)


def _records(table: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """The rows of a table for JSON: what is not known is null."""
    records: list[dict[Hashable, Any]] = (
        table.round(_DECIMALS).astype(object).where(table.notna(), None).to_dict("records")
    )
    return records
