"""The commands that learn from games: tune and train."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from arena.commands.common import (
    announcing_compilation,
    interruptible,
    lost_workers,
    requiring_torch,
    workers_option,
)
from arena.commands.output import STOPPED, echo, fail, say
from arena.learning import tuning, tuning_report
from arena.learning.config import Training, Tuning, load_training, load_tuning
from arena.learning.driver import StageProgress
from arena.learning.store import GameStore
from arena.play.tournament import available
from arena.play.workers import kept_workers
from arena.watch.display import PLAIN_SECONDS, Ticker


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the tuning [reports/<name>].")
@workers_option
def tune(config: Path, out: Path | None, workers: int | str | None) -> None:
    """Find weights of an evaluation, or numbers of a player, as CONFIG describes, and check them in a match.

    Rerun the same command to resume a tuning that was stopped.
    """
    _learn("tuning", "tuned", load_tuning(config), out, workers, tuning.prepare, tuning.tune, tuning_report)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the training [reports/<name>].")
@workers_option
def train(config: Path, out: Path | None, workers: int | str | None) -> None:
    """Train a network for `evaluation:` as CONFIG describes, and check it in a match.

    Rerun the same command to resume a training that was stopped.
    """
    settings = load_training(config)
    with requiring_torch():
        from arena.learning import training, training_report  # PyTorch takes seconds to import
    _learn("training", "network", settings, out, workers, training.prepare, training.train, training_report)


@kept_workers()
def _learn(
    noun: str,
    product: str,
    settings: Tuning | Training,
    out: Path | None,
    workers: int | str | None,
    prepare: Callable[[Any], Any],
    events_of: Callable[..., Generator[Any, None, Any]],
    report: ModuleType,
) -> None:
    """Do what is not done yet of a tuning or a training, the `noun`, and write the report on its `product`."""
    used = available(workers, say)
    with announcing_compilation():
        plan = prepare(settings)
    folder = out or Path("reports") / settings.name
    try:
        with lost_workers(folder), GameStore(folder, noun, plan.description) as store:
            if store.repaired:
                say(store.repaired)
            with interruptible(say) as stopping:
                found = _follow(plan, events_of(plan, store, used, stopping), report)
        if found is None:
            say("stopped; rerun the same command to resume")
            sys.exit(STOPPED)
        file = report.write(plan, found, folder)
    except OSError as error:
        fail(f"{folder} cannot be written to: {error.strerror or error}")
    echo(report.answer(plan, found))
    echo(f"{product}: {file}, report: {folder / report.REPORT}")


def _follow(plan: Any, events: Generator[Any, None, Any], report: ModuleType) -> Any:
    """Print how far it is: ever more rarely during games, and after steps or epochs; returns what was found."""
    stage, before, began, ticker = "", 0, 0.0, Ticker()
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return end.value
        if not isinstance(event, StageProgress):
            if text := report.event_text(plan, event):
                say(text)
            continue
        now = time.monotonic()
        if event.stage != stage:
            stage, before, began = event.stage, event.games - 1, now
        seconds = now - began
        if (event.games == event.planned and seconds > PLAIN_SECONDS) or (seconds > 1 and ticker.due()):
            rate = (event.games - before) / seconds
            say(f"{report.stage_text(plan, stage)}: {event.games}/{event.planned} games, {rate:.3g} games/s")
