"""The command that trains a network."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
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
from arena.commands.tuning import StageLines
from arena.experiment.yaml.errors import ConfigError
from arena.learning.training import report as training_report
from arena.learning.training import run as training
from arena.learning.training.config import load_training
from arena.learning.training.fit import Epoch
from arena.learning.training.report import epoch_text, learning_text, stage_text
from arena.learning.training.run import Learning, TrainingOutcome, TrainingPlan
from arena.learning.training.store import TrainingStore
from arena.learning.tuning.method import TuningError
from arena.ledger.store import StoreError


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the training [reports/<name>].")
@workers_option
def train(config: Path, out: Path | None, workers: int | str | None) -> None:
    """Train a network for `evaluation:` as CONFIG describes, and check it in a match.

    A training that was stopped goes on where it stopped when the same command is given again.
    """
    try:
        settings = load_training(config)
        with announcing_compilation():
            plan = training.prepare(settings)
    except ConfigError as error:
        fail(str(error))
    folder = out or Path("reports") / settings.name
    used = workers or os.cpu_count() or 1
    announce_workers(used)
    try:
        with lost_workers(folder), TrainingStore(folder, plan.description) as store:
            if store.repaired:
                say(store.repaired)
            with interruptible(say) as stopping:
                found = _follow(plan, training.train(plan, store, used, stopping))
        if found is None:
            say("stopped; rerun the same command to resume")
            sys.exit(130)
        training_report.write(plan, found, folder)
    except (StoreError, TuningError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{folder} cannot be written to: {error.strerror or error}")
    echo(training_report.answer(plan, found))
    echo(f"network: {folder / training.NETWORK}, report: {folder / 'summary.md'}")


def _follow(plan: TrainingPlan, events: Generator[Any, None, TrainingOutcome | None]) -> TrainingOutcome | None:
    """Print how far a training is, every few seconds of games and after each epoch; returns what it found."""
    lines = StageLines()
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            found: TrainingOutcome | None = end.value
            return found
        if isinstance(event, Epoch):
            say(epoch_text(plan, event))
        elif isinstance(event, Learning):
            say(learning_text(event))
        else:
            lines.say(event, stage_text(plan, event.stage))
