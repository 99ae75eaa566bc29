"""Commands about results of any origin, and about many runs: rate, compare, reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.base.number import is_nan
from arena.commands.common import ENCODING, results_option
from arena.commands.output import echo, fail, show_frame, show_table
from arena.ratings.interval import Interval
from arena.ratings.joint import Ratings
from arena.ratings.joint import rate as rate_games
from arena.ratings.results import Results, ResultsError
from arena.report.compare import RatedSide, comparison_text, read_side, sameness, sameness_sentence
from arena.report.compare import compare as compare_sides
from arena.report.load import read_results
from arena.report.runs.page import counts, write_index
from arena.report.tables.standings import STANDINGS, rated
from arena.rules.pdn.result import Winner
from arena.rules.result import Colour
from arena.watch.entry import entries


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--anchor", help="The player whose Elo is 0 [the mean is].")
@click.option(
    "--first",
    type=click.Choice(["white", "black"]),
    help="Who moves first [that of the run or of the PDN's GameType, else white].",
)
@results_option
@ENCODING
@click.option("--strict", is_flag=True, help="Stop at a game without names or with an unknown result.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def rate(
    files: tuple[Path, ...],
    anchor: str | None,
    first: Colour | None,
    results: Winner | None,
    encoding: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Rate the players of all FILES together: PDN of any program, CSV, or folders of runs.

    A CSV has the columns white, black, result, or white, black, wins, draws, losses from White's side, and
    may have pair, the same for games that belong together.
    """
    try:
        found = read_results(files, first, encoding, strict, results)
        ratings = rate_games(found.games, first=found.first, anchor={} if anchor is None else {anchor: 0.0})
    except (ResultsError, ValueError) as error:
        fail(str(error))
    notes = [*ratings.notes, *found.notes]
    if as_json:
        click.echo(json.dumps(_ratings_document(found, ratings, notes)))
        return
    show_frame(STANDINGS.text(rated(ratings.table, ratings.groups)))
    echo("d Elo more mean an expected score of 1 / (1 + 10^(−d/400)); a draw is half a point.")
    echo(_first_mover(found))
    if ratings.advantage.error > 0:
        echo(f"Moving first ({found.first.capitalize()}) was worth {ratings.advantage} Elo.")
    for note in notes:
        echo(note)


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--first", type=click.Choice(["white", "black"]), help="Who moves first in files [white].")
@results_option
@ENCODING
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(
    a: Path, b: Path, first: Colour | None, results: Winner | None, encoding: str | None, as_json: bool
) -> None:
    """Compare two runs, folders or files as `arena rate` reads, and list what changed from A to B.

    Elo is relative to the mean of the players of both. For two runs, it counts the games that are the same, move
    for move.
    """
    try:
        sides = [read_side(path, first, encoding, results) for path in (a, b)]
    except ResultsError as error:
        fail(str(error))
    found = compare_sides(*sides)
    same = _same_games(sides)
    if as_json:
        players = [
            {key: None if is_nan(value) else value for key, value in row.items()}
            for row in found.table.astype(object).where(found.table.notna(), None).to_dict("records")
        ]
        changed = {"games": same or None, "changes": found.changes, "notes": found.notes}
        document = {"a": str(a), "b": str(b), "players": players} | changed
        click.echo(json.dumps(document))
        return
    echo(f"a: {a}\nb: {b}\n")
    show_frame(comparison_text(found.table))
    for line in (*filter(None, [same]), *found.changes, *found.notes):
        echo(line)


def _same_games(sides: Sequence[RatedSide]) -> str:
    a, b = (side.run for side in sides)
    return "" if a is None or b is None else sameness_sentence(sameness(a, b))


def _ratings_document(found: Results, ratings: Ratings, notes: list[str]) -> dict[str, Any]:
    """A joint rating for JSON; `error`: half width of the 95 % interval; `los`: null for the last of a group."""
    last = {group[-1] for group in ratings.groups}
    players = []
    for row in ratings.table.to_dict("records"):
        los = None if row["player"] in last else row["los"]
        known = {
            "player": row["player"],
            "elo": row["elo"],
            "error": Interval.of(row, "elo").error,
            **row,
            "los": los,
        }
        players.append({key: None if is_nan(value) else value for key, value in known.items()})
    return {
        "first": found.first,
        "first_by": found.first_by or None,
        "players": players,
        "advantage": ratings.advantage.value,
        "advantage_error": ratings.advantage.error,
        "notes": notes,
        "left_out": [
            {"file": str(fault.path), "line": fault.line, "reason": fault.reason} for fault in found.faults
        ],
    }


def _first_mover(found: Results) -> str:
    if found.first_by:
        return f"{found.first.capitalize()} moves first ({found.first_by})."
    return f"{found.first.capitalize()} is assumed to move first; --first changes that."


_HEADER = ("run", "began", "rules", "players", "games", "leader", "Elo", "state")


@click.command()
@click.argument("folder", metavar="[DIR]", default="reports", type=click.Path(path_type=Path))
def reports(folder: Path) -> None:
    """List the runs in DIR and below it [reports], and write DIR/index.html.

    The page sorts them and links their reports. Runs that are damaged or not complete are listed as such.
    """
    if not folder.is_dir():
        fail(f"{folder} is not a folder")

    found = entries(folder)
    if not found:
        fail(f"there is no run in {folder} or below it")
    rows = [
        (
            entry.name,
            entry.date,
            entry.variant,
            str(entry.players) if entry.readable else "",
            str(entry.games) if entry.readable else "",
            entry.leader,
            entry.leader_elo,
            entry.state,
        )
        for entry in found
    ]
    show_table(_HEADER, rows)
    echo(counts(found))
    echo(f"index: {write_index(found, folder)}")
