"""The command that plays tournaments: run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.commands.common import lost_workers, report_options, workers_option
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal
from arena.experiment.load import load_all
from arena.play.grading import configured
from arena.play.prepare import Tournament, prepare
from arena.play.tournament import Outcome, RunPaused, available, carry_out
from arena.play.workers import IN_PROCESS, Workers, kept_workers

INCIDENTS = 3
"""Exit code of a run in which players failed, or were found faulty."""

REPORT = "arena.commands.report"
"""The module that writes reports."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@report_options
@click.option("--force", is_flag=True, help="Resume even if players play differently now than at the start.")
@kept_workers()
def run(
    config: Path, out: Path | None, workers: int | str | None, quiet: bool, force: bool, **wanted: Any
) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or players were found faulty, as the report's first notes say; 130: stopped.
    """
    experiments, terminal = load_all(config), Terminal()
    first = next(iter(experiments.values()))
    folder = out or Path("reports") / first.name
    used = available(workers or first.workers, say)
    runs = {name: prepare(experiment, folder / name, terminal, used) for name, experiment in experiments.items()}
    sys.exit(play_all(runs, folder, used, quiet=quiet, force=force, **wanted))


def play_all(
    runs: Mapping[str, Tournament],
    folder: Path,
    workers: Workers,
    *,
    quiet: bool = False,
    force: bool = False,
    **wanted: Any,
) -> int:
    """Play runs that are kept in a folder, by their names, and report unless `quiet`; the exit code."""
    if len(runs) > 1 and wanted.get("anonymous"):
        raise ArenaError("--anonymous takes one run: `arena report --anonymous` writes each when they are played")
    if len(runs) > 1:
        from arena.report.load import list_runs

        list_runs(folder, next(iter(runs.values())).experiment.name, list(runs))
    terminal = Terminal(None if quiet or IN_PROCESS in os.environ else REPORT)
    codes = [0]
    for number, (name, tournament) in enumerate(runs.items(), start=1):
        if len(runs) > 1:
            say(f"{name}, run {number} of {len(runs)}:")
        outcome, code = _carried_out(tournament, folder / name, workers, terminal, force=force)
        codes.append(code)
        if outcome.complete and (grading := configured(tournament.experiment)) is not None:
            from arena.commands.grade import print_counts

            print_counts(folder / name, grading)
        if not quiet:
            from arena.commands.report import write_report

            write_report(folder / name, **wanted)
        if not outcome.complete:
            break
    if quiet:
        echo(f"no report; arena report {folder} writes it")
    elif len(runs) > 1:
        from arena.commands.report import write_joint_report

        write_joint_report(folder, **wanted)
    if STOPPED in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


def _carried_out(
    tournament: Tournament, folder: Path, workers: Workers, terminal: Terminal, *, force: bool
) -> tuple[Outcome, int]:
    """What the run of a tournament has come to, and the exit code."""
    try:
        with lost_workers(folder):
            outcome = carry_out(tournament, folder, terminal, workers, force=force)
    except RunPaused as error:
        say(str(error))
        return Outcome(complete=False, failed=False), STOPPED
    return outcome, STOPPED if not outcome.complete else INCIDENTS if outcome.failed else 0
