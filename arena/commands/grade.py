"""The command that grades the games of a run: grade."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

import click

from arena.commands.common import (
    announce_workers,
    announcing_compilation,
    interruptible,
    lost_workers,
    workers_option,
    workers_used,
)
from arena.commands.output import STOPPED, echo, fail, say
from arena.commands.tables import make_tables
from arena.commands.waiting import ProgressLine
from arena.experiment.load import judge_spec
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.grades import TABLES_JUDGE
from arena.ledger.ledger import Ledger
from arena.ledger.read import RunData, read
from arena.ledger.store import StoreError
from arena.play.grading import Grading, GradingError, arranged, grade, missing, try_out
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.tables import EndgameError
from arena.watch.words import duration


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
    except (StoreError, ConfigError) as error:
        fail(str(error))
    except GradingError as error:
        fail(f"--{error.key}: {error}")
    if not _grade(folder, data, grading, workers_used(workers)):
        say("stopped; rerun the same command to resume")
        sys.exit(STOPPED)
    echo(f"arena report {folder} shows them")


def grade_as_configured(experiment: Experiment, folder: Path, workers: int | str) -> bool:
    """Grade a run that was played as its configuration says; whether it was not stopped."""
    oracle = experiment.oracle
    if oracle is None:
        return True
    try:
        grading = arranged(experiment, oracle.pieces, oracle.judge, experiment.path.parent)
        return _grade(folder, read(folder), grading, workers)
    except (StoreError, GradingError) as error:
        fail(str(error))


def _grade(folder: Path, data: RunData, grading: Grading, workers: int | str) -> bool:
    """Grade what is not graded yet of a run, and say what there is; whether it was not stopped."""
    announce_workers(workers)
    try:
        if grading.endgame_pieces:
            make_tables(grading.variant, grading.endgame_pieces)
        with announcing_compilation():
            try_out(grading)
        with lost_workers(folder), Ledger(folder, data.experiment, data.facts) as ledger:
            progress = _Progress({judge: len(missing(grading, ledger, judge)) for judge in grading.judges})
            with interruptible(progress.say) as stopping:
                for record in grade(grading, ledger, workers, stopping):
                    progress.count(record.judge)
            progress.end()
            left = any(missing(grading, ledger, judge) for judge in grading.judges)
    except (StoreError, GradingError, EndgameError) as error:
        fail(str(error))
    _print_counts(read(folder), grading)
    return not left


class _Progress:
    """How many games each judge has graded."""

    def __init__(self, planned: Mapping[str, int]) -> None:
        self._planned = planned
        self._judge, self._done, self._began = "", 0, 0.0
        self._line = ProgressLine()

    def count(self, judge: str) -> None:
        """Count a game that a judge has graded."""
        now = time.monotonic()
        if judge != self._judge:
            self._judge, self._done, self._began = judge, 0, now
        self._done += 1
        planned = self._planned[judge]
        left = duration((now - self._began) * (planned - self._done) / self._done)
        self._line.show(f"graded by {judge}: {self._done:,}/{planned:,} games, {left} left")

    def say(self, line: str) -> None:
        """Print a line beside the progress."""
        self.end()
        say(line)

    def end(self) -> None:
        """Leave the line of a terminal."""
        self._line.end()


def _print_counts(data: RunData, grading: Grading) -> None:
    """Print what there is of each judge's grades."""
    for judge in grading.judges:
        graded = data.graded[data.graded["judge"] == judge]
        grades = data.grades[data.grades["judge"] == judge]
        decisions = int(graded["white_decisions"].sum() + graded["black_decisions"].sum())
        if judge == TABLES_JUDGE:
            errors = int((grades["played"] < grades["best"]).sum())
            what = f"{decisions:,} decisions, {len(grades):,} of which can err, {errors:,} errors"
            name = f"endgame tables of up to {grading.endgame_pieces} pieces"
        else:
            what, name = f"{decisions:,} decisions", judge
        echo(f"{name}: {len(graded):,} games, {what}")
