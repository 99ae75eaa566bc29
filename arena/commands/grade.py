"""The command that judges every move of a run: grade."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.commands.options import workers_option
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal, announcing_compilation, resumable
from arena.experiment.load import player_spec
from arena.ledger.ledger import Ledger
from arena.ledger.read import read
from arena.play.carry_out import available
from arena.play.grading import GradingError, arranged, grade, graded_counts
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--pieces",
    type=click.IntRange(0, MOST_PIECES),
    metavar="N",
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
        judging = None if judge is None else player_spec(judge, "--judge")
        grading = arranged(data.experiment, pieces, judging, Path())
    except GradingError as error:
        raise ArenaError(f"--{error.key}: {error}") from None
    used = available(workers, say)
    with resumable(folder), announcing_compilation(), Ledger(folder, data.experiment, data.info) as ledger:
        is_whole = grade(grading, ledger, used, Terminal())
    echo(graded_counts(read(folder), grading))
    if not is_whole:
        say("stopped; rerun the same command to resume")
        sys.exit(STOPPED)
    echo(f"a report shows them:\narena report {folder}")
