"""The command that plays tournaments: run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from arena.commands.common import latex_option, lost_workers, png_option, workers_option
from arena.commands.output import STOPPED, echo, fail, say
from arena.commands.waiting import Terminal
from arena.experiment.load import load_all
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.store import StoreError
from arena.play.grading import GradingError, configured
from arena.play.prepare import Tournament
from arena.play.tournament import Outcome, RunPaused, RunStopped, VersionsChanged, carry_out, make_ready
from arena.play.workers import IN_PROCESS
from arena.rules.endgame.tables import EndgameError

REPORT = "arena.commands.report"
"""The module that writes reports."""
INCIDENTS = 3
"""Exit code of a run in which players failed, or were found faulty."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@latex_option
@png_option
@click.option("--force", is_flag=True, help="Resume even if players play differently now than at the start.")
def run(
    config: Path, out: Path | None, workers: int | str | None, quiet: bool, latex: bool, png: bool, force: bool
) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or players were found faulty, as the report's first notes say; 130: stopped.
    """
    sys.exit(played(config, out, workers, quiet=quiet, latex=latex, png=png, force=force))


def played(
    config: Path,
    out: Path | None,
    workers: int | str | None,
    *,
    quiet: bool = False,
    latex: bool = False,
    png: bool = False,
    force: bool = False,
) -> int:
    """Play the runs of a configuration and write their reports unless `quiet`; returns the exit code."""
    terminal = Terminal(None if quiet or IN_PROCESS in os.environ else REPORT)
    try:
        experiments = load_all(config)
        first = next(iter(experiments.values()))
        folder = out or Path("reports") / first.name
        runs = {name: make_ready(experiment, folder / name, terminal) for name, experiment in experiments.items()}
    except ConfigError as error:
        fail(str(error))
    if len(runs) > 1:
        from arena.commands.report import begin_joint

        begin_joint(folder, first.name, list(runs))
    codes = [0]
    for number, (name, tournament) in enumerate(runs.items(), start=1):
        if len(runs) > 1:
            say(f"{name}, run {number} of {len(runs)}:")
        outcome, code = _carried_out(tournament, folder / name, workers or first.workers, terminal, force=force)
        codes.append(code)
        if outcome.complete and (grading := configured(tournament.experiment)) is not None:
            from arena.commands.grade import print_counts

            print_counts(folder / name, grading)
        if not quiet:
            from arena.commands.report import write_report

            write_report(folder / name, latex=latex, png=png)
        if not outcome.complete:
            break
    if quiet:
        echo(f"no report; arena report {folder} writes it")
    elif len(runs) > 1:
        from arena.commands.report import write_joint_report

        write_joint_report(folder, png=png)
    if STOPPED in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


def _carried_out(
    tournament: Tournament, folder: Path, workers: int | str | None, terminal: Terminal, *, force: bool
) -> tuple[Outcome, int]:
    """What the run of a tournament has come to, and the exit code; exits if it cannot be played."""
    try:
        with lost_workers(folder):
            outcome = carry_out(tournament, folder, terminal, workers=workers, force=force)
    except RunPaused as error:
        say(str(error))
        return Outcome(complete=False, failed=False), STOPPED
    except RunStopped as error:
        say(f"stopped, as 'failures' says: {error}")
        return Outcome(complete=False, failed=True), INCIDENTS
    except (StoreError, VersionsChanged, GradingError, EndgameError) as error:
        fail(str(error))
    return outcome, STOPPED if not outcome.complete else INCIDENTS if outcome.failed else 0
