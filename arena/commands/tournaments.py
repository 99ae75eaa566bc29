"""The commands about runs: run, status, grade."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base import ArenaError
from arena.base.wording import first_few
from arena.base.work import cores
from arena.commands.options import PATH, json_option, refuse, watch_option, workers_option
from arena.commands.output import STOPPED, echo, say, show_json, show_table
from arena.commands.waiting import Terminal, announcing_compilation, resumable
from arena.commands.watching import watch
from arena.experiment.load import load, load_all, player_spec
from arena.experiment.model import GradeSettings
from arena.experiment.yaml.values import ConfigError
from arena.hosting.sandbox import unavailable
from arena.ledger.ledger import Ledger
from arena.play.carry_out import available, play_runs
from arena.play.grading import grade, graded_counts, grading_of
from arena.play.workers import Workers, is_here
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.watch.display import follow
from arena.watch.status import COLUMNS, StatusReader, cells, lines
from players.loading import located

_PIECES = f"Most pieces that endgame tables judge; 0: none [{USUAL_PIECES}, where the rules have tables]."
PLAYERS_FAILED = 3
"""Exit code of a run in which players failed, or were found faulty."""
_REPORTS = "arena.commands.reports"
"""The module that writes reports, whose libraries take as long to import as a short run."""


@click.command()
@click.argument("config", type=PATH)
@click.option("--out", type=PATH, help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", is_flag=True, help="Play only; `arena report` writes the report.")
@click.option("--force", is_flag=True, help="Resume with other versions of packages than at the start.")
@click.option("--yes", is_flag=True, help="Run the code in a report without a question.")
@watch_option
def run_command(
    config: Path,
    out: Path | None,
    workers: Workers | None,
    no_report: bool,
    force: bool,
    yes: bool,
    is_watched: bool,
) -> int:
    """Play the tournament that CONFIG describes and write its report.

    A report.html in place of it is played again in a new folder, and its games are compared.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or players were found faulty, as the report's first notes say; 130: stopped
    by Ctrl-C.
    """
    if config.suffix == ".html":
        refuse("does not go with a report", no_report=no_report, force=force, watch=is_watched)
        return _play_again(config, out, workers, is_sure=yes)
    refuse("is for a report", yes=yes)
    if not is_watched:
        return play_config(config, out, workers, is_reported=not no_report, force=force)
    refuse("does nothing with --watch", no_report=no_report, force=force)
    watch(partial(load, config), out or Path("reports") / load(config).name, workers, config)
    return 0


def _play_again(page: Path, out: Path | None, workers: Workers | None, *, is_sure: bool) -> int:
    """Play the run of a report from what its page holds, with its code in a sandbox, and compare the games."""
    from arena.report.replay import compared, held_by, write_sources

    document = held_by(page)
    folder = out or Path("reports") / f"{document['name']}-again"
    sources = [name for name in document["files"] if name.endswith(".py")]
    why = unavailable() if sources else ""
    if sources:
        where = f"without a sandbox, as {why}" if why else "in a sandbox"
        echo(f"{page} has code of its author, which runs {where}: {first_few(sources, 5)}")
        if not is_sure and not (sys.stdin.isatty() and click.confirm("Run it?")):
            raise ArenaError("nothing is run: --yes runs the code of a report")
    config = write_sources(document, folder, sandbox=bool(sources) and not why)
    code = play_config(config, folder, workers)
    if code != STOPPED:
        echo(compared(document, folder))
    return code


def play_config(
    config: Path | Mapping[str, Any],
    out: Path | None,
    workers: Workers | None,
    *,
    name: str = "config",
    is_reported: bool = True,
    force: bool = False,
) -> int:
    """Play the runs of a file, or of a mapping with this `name`, and report; the exit code."""
    experiments = load_all(config, name=name)
    first = next(iter(experiments.values()))
    folder = out or Path("reports") / first.name
    here = is_here(workers or first.workers or cores(), first.players)
    terminal = Terminal(_REPORTS if is_reported and not here else None)
    codes = [0]
    with resumable(folder):
        for run, outcome in play_runs(experiments, folder, terminal, workers=workers, force=force):
            codes.append(STOPPED if not outcome.complete else PLAYERS_FAILED if outcome.failed else 0)
            if outcome.complete and (grading := grading_of(experiments[run])):
                echo(graded_counts(folder / run, grading))
            if is_reported:
                from arena.commands.reports import write_report

                codes.append(write_report(folder / run))
    if not is_reported:
        echo(f"no report; this writes it:\narena report {folder}")
    elif len(experiments) > 1:
        from arena.commands.reports import write_joint_report

        codes.append(write_joint_report(folder))
    if STOPPED in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("-f", "--follow", "is_followed", is_flag=True, help="Show the run until it is complete.")
@json_option
def status_command(folder: Path, is_followed: bool, as_json: bool) -> int:
    """Say how far the run in DIR is, how long it will take, who leads, and what went wrong.

    The run is not disturbed, whoever plays it. --follow waits for it if it is not there yet; without a terminal it
    prints a line after 10 seconds, then ever more rarely. Ctrl-C ends --follow, not the run.
    """
    if is_followed:
        refuse("does not go with --follow", json=as_json)
        try:
            follow(folder, say)
        except KeyboardInterrupt:
            return STOPPED
    status = StatusReader(folder).read()
    if as_json:
        show_json({"folder": str(folder)} | status._asdict())
        return 0
    echo("\n".join(lines(status)))
    if status.standings:
        show_table(COLUMNS, map(cells, status.standings))
    return 0


@click.command()
@click.argument("folder", metavar="RUN", type=PATH)
@click.option("--pieces", type=click.IntRange(0, MOST_PIECES), metavar="N", help=_PIECES)
@click.option("--judge", metavar="ENTRY", help="A player for all other positions: neural@n20000, or YAML.")
@workers_option
def grade_command(folder: Path, pieces: int | None, judge: str | None, workers: Workers | None) -> int:
    """Judge every decision in the games of the run in folder RUN: is there a better move, and what does it gain?

    Endgame tables, made if they are missing, judge positions of few pieces. A judge, a player that looks deeper
    than those it grades, judges all others: `--judge neural@n20000`. Grades are stored in
    the run; with another judge its own are added. Rerun the same command to resume.
    """
    from arena.ledger.read import read  # with pandas, for which no run waits

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
        return STOPPED
    echo(f"a report shows them:\narena report {folder}")
    return 0
