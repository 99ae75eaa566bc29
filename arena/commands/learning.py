"""The command that learns from games."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.commands.common import announcing_compilation, lost_workers, workers_option
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal
from arena.learning import loop
from arena.learning.config import load_learning
from arena.learning.games import GameStore
from arena.play.tournament import available
from arena.play.workers import kept_workers


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@kept_workers()
def learn(config: Path, out: Path | None, workers: int | str | None) -> None:
    """Learn weights, numbers of a player or a network from games, as CONFIG describes, and check them in a match.

    Rerun the same command to resume what was stopped.
    """
    settings, used = load_learning(config), available(workers, say)
    with announcing_compilation():
        plan = loop.prepare(settings)
    folder = out or Path("reports") / settings.name
    try:
        with lost_workers(folder), GameStore(folder, plan.description) as store:
            if store.repaired:
                say(store.repaired)
            outcome = loop.learn(plan, store, used, Terminal("arena.learning.report"))
        if outcome is None:
            say("stopped; rerun the same command to resume")
            sys.exit(STOPPED)
        from arena.learning import report  # matplotlib takes as long as a few games

        report.write(plan, outcome, folder)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written to: {error.strerror or error}") from None
    echo(report.answer(plan, outcome))
    echo(f"learned: {folder / report.ENTRY}, report: {folder / report.REPORT}")
