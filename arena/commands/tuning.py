"""The command that tunes an evaluation."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from arena.commands.common import (
    announce_workers,
    announcing_compilation,
    interruptible,
    lost_workers,
    workers_option,
)
from arena.commands.output import echo, fail, say
from arena.experiment.yaml.errors import ConfigError
from arena.learning.tuning import report as tuning_report
from arena.learning.tuning import run as tuning
from arena.learning.tuning.config import load_tuning
from arena.learning.tuning.method import Fitting, StageProgress, Step, TuningError
from arena.learning.tuning.report import fitting_text, stage_text, step_text
from arena.learning.tuning.run import TuningPlan
from arena.learning.tuning.store import TuningStore
from arena.ledger.store import StoreError
from arena.watch.progress import Ticker


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the tuning [reports/<name>].")
@workers_option
def tune(config: Path, out: Path | None, workers: int | str | None) -> None:
    """Find weights of an evaluation as CONFIG describes, and check them in a match.

    A tuning that was stopped goes on where it stopped when the same command is given again.
    """
    try:
        settings = load_tuning(config)

        with announcing_compilation():
            plan = tuning.prepare(settings)
    except ConfigError as error:
        fail(str(error))
    folder = out or Path("reports") / settings.name
    used = workers or os.cpu_count() or 1
    announce_workers(used)
    try:
        with lost_workers(folder), TuningStore(folder, plan.description) as store:
            if store.repaired:
                say(store.repaired)
            with interruptible(say) as stopping:
                _follow(plan, tuning.tune(plan, store, used, stopping))
            found = tuning.outcome(plan, store)
        if found is None:
            say("stopped; rerun the same command to resume")
            sys.exit(130)
        tuned = tuning_report.write(plan, found, folder)[0]
    except (StoreError, TuningError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"the report cannot be written to {folder}: {error.strerror or error}")
    echo(tuning_report.answer(plan, found))
    echo(f"weights: {tuned}, report: {folder / 'summary.md'}")


class StageLines:
    """Lines about the games of stages: when `arena.watch.progress.Ticker` says so, and at the end of each."""

    def __init__(self) -> None:
        self._stage, self._before, self._began = "", 0, 0.0
        self._ticker = Ticker()

    def say(self, progress: StageProgress, text: str) -> None:
        """Print how far a stage is, named by `text`, if it is time to."""
        now = time.monotonic()
        if progress.stage != self._stage:
            self._stage, self._before, self._began = progress.stage, progress.games - 1, now
        if progress.games == progress.planned or self._ticker.due():
            rate = (progress.games - self._before) / max(now - self._began, 1e-9)
            rated = f", {rate:.3g} games/s" if now - self._began > 1 else ""
            say(f"{text}: {progress.games}/{progress.planned} games{rated}")


def _follow(plan: TuningPlan, events: Iterable[Any]) -> None:
    """Print how far a tuning is every few seconds, at the end of each stage of games and after each step."""
    lines = StageLines()
    for event in events:
        if isinstance(event, Step):
            say(step_text(plan, event))
        elif isinstance(event, Fitting):
            say(fitting_text(plan, event))
        else:
            lines.say(event, stage_text(plan, event.stage))
