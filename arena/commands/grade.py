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
from arena.experiment.model import GradeSettings
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.ledger import Ledger
from arena.ledger.read import read
from arena.play.carry_out import available
from arena.play.grading import grade, graded_counts, grading_of
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from players.loading import located


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
    data = read(folder)
    judging = None if judge is None else located(player_spec(judge, "--judge"), Path())
    asked = GradeSettings.model_construct(pieces=pieces, judge=judging)
    try:
        grading = grading_of(data.experiment.model_copy(update={"grade": asked}))
    except ConfigError as error:
        [problem] = error.problems
        raise ArenaError(problem.in_line(f"--{problem.keys[-1]}")) from None
    assert grading is not None
    used = available(workers, say)
    with resumable(folder), announcing_compilation(), Ledger(folder, data.experiment, data.info) as ledger:
        is_whole = grade(grading, ledger, data.games["key"].tolist(), used, Terminal())
    echo(graded_counts(folder, grading))
    if not is_whole:
        say("stopped; rerun the same command to resume")
        sys.exit(STOPPED)
    echo(f"a report shows them:\narena report {folder}")
