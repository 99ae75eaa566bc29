"""Commands that judge moves: grade, tables."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.base.number import quantity
from arena.commands.common import (
    VARIANT,
    announcing_compilation,
    lost_workers,
    workers_option,
)
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal
from arena.experiment.load import judge_spec
from arena.ledger.ledger import Ledger
from arena.ledger.read import RunData, read
from arena.play.grading import Grading, GradingError, arranged, grade, graded_counts, make_tables
from arena.play.tournament import available
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.tables import folder_of
from arena.rules.variants import Variant


@click.command("grade")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--pieces",
    type=click.IntRange(0, MOST_PIECES),
    help="Most pieces of a position that endgame tables judge; 0: none "
    f"[{USUAL_PIECES}, where the rules have tables].",
)
@click.option("--judge", metavar="ENTRY", help="A player for all other positions: neural@n20000, or YAML.")
@workers_option
def grade_command(folder: Path, pieces: int | None, judge: str | None, workers: int | str | None) -> None:
    """Judge every decision in the games of the run in folder RUN: is there a better move, and what does it gain?

    Endgame tables, made if they are missing, judge positions of few pieces. A judge, a player that looks deeper
    than those it grades, judges all others: `--judge neural@n20000`. Grades are stored in
    the run; with another judge its own are added. Rerun the same command to resume.
    """
    try:
        data = read(folder)
        given = None if judge is None else judge_spec(judge, "--judge")
        grading = arranged(data.experiment, pieces, given, Path())
    except GradingError as error:
        raise ArenaError(f"--{error.key}: {error}") from None
    if not _grade(folder, data, grading, available(workers, say)):
        say("stopped; rerun the same command to resume")
        sys.exit(STOPPED)
    echo(f"arena report {folder} shows them")


def _grade(folder: Path, data: RunData, grading: Grading, workers: int | str) -> bool:
    """Grade what is not graded yet of a run, and say what there is; whether it was not stopped."""
    with lost_workers(folder), announcing_compilation(), Ledger(folder, data.experiment, data.info) as ledger:
        is_whole = grade(grading, ledger, workers, Terminal())
    echo(graded_counts(read(folder), grading))
    return is_whole


@click.command()
@click.argument("variant", type=VARIANT, default="english")
@click.option(
    "--pieces", type=click.IntRange(2, MOST_PIECES), default=USUAL_PIECES, show_default=True, help="Of both sides."
)
def tables(variant: Variant, pieces: int) -> None:
    """Solve every ending of VARIANT with few pieces: win, draw or loss, and the plies to the end.

    What is solved is kept in the cache folder. Ctrl-C stops; the same command resumes.
    """
    try:
        with announcing_compilation():
            make_tables(variant, pieces, Terminal())
    except KeyboardInterrupt:
        say("stopped; what is solved is kept; rerun the same command to resume")
        sys.exit(STOPPED)
    folder = folder_of(variant)
    echo(f"{folder}: {quantity(sum(path.stat().st_size for path in folder.glob('*.npy')), 'B')}")
