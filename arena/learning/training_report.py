"""The report of a training: lines while it runs, then its losses, a chart and a summary."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from arena.learning.config import Positions
from arena.learning.fit import Epoch
from arena.learning.logistic import COIN, Loss
from arena.learning.terms import evaluation_name
from arena.learning.training import AGAINST, NETWORK, Learning, TrainingOutcome, TrainingPlan
from arena.learning.tuning_report import caution, markdown_rows, match_table, verdict, write_report
from arena.report.charts.course import plot_losses

REPORT = "summary.md"
"""The file to read."""


def write(plan: TrainingPlan, found: TrainingOutcome, folder: Path) -> Path:
    """Write losses.csv, losses.png and summary.md, each replaced whole; returns the network's file.

    Raises OSError.
    """
    losses = loss_table(found.epochs)
    write_report(folder, {REPORT: summary_md(plan, found, folder)}, "losses", losses, plot_losses(losses))
    return folder / NETWORK


def stage_text(plan: TrainingPlan, stage: str) -> str:
    """A stage in words."""
    return f"the network against {evaluation_name(plan.config.against)}" if stage == AGAINST else stage


def event_text(plan: TrainingPlan, event: Learning | Epoch) -> str:
    """The fit begins, after what is wrong with its files, or the figures of an epoch."""
    if isinstance(event, Learning):
        after = f", after {event.epoch} epochs" if event.epoch else ""
        begins = f"{event.name}: learning from {event.positions} positions, judged by {event.held_out}{after}"
        return "\n".join([*event.notes, begins])
    held_out = Loss(event.held_out, event.error)
    return f"epoch {event.number}/{plan.config.fit.epochs}: loss {event.loss:.4f}, held out {held_out}"


def answer(plan: TrainingPlan, found: TrainingOutcome) -> str:
    """The training's outcome in words, and what to do if the network is no better than a coin or what it met."""
    verb, figures = verdict(found.against, "beats", "loses to", "is not measurably different from")
    other, last = evaluation_name(plan.config.against), found.epochs[-1]
    text = f"The network {verb} {other} ({figures})."
    return text + caution(other, found.against, found.learning.games, Loss(last.held_out, last.error))


def loss_table(epochs: list[Epoch]) -> pd.DataFrame:
    """A row for each epoch: `epoch`, `loss` on the way, and `held_out`, mean cross-entropies in nats."""
    return pd.DataFrame(
        [(one.number, one.loss, one.held_out) for one in epochs], columns=["epoch", "loss", "held_out"]
    )


def summary_md(plan: TrainingPlan, found: TrainingOutcome, folder: Path) -> str:
    """The answer in the first line, then the match, the network and how it was learned."""
    config, learning, last = plan.config, found.learning, found.epochs[-1]
    sources = ", ".join(_sources(config.positions))
    lines = [
        answer(plan, found),
        "",
        f"{plan.terms.variant.name}; {config.check} pairs of games, colours swapped, from openings that the games "
        "did not use. Elo with 95 % intervals.",
        "",
        *markdown_rows(match_table("the network against", {evaluation_name(config.against): found.against})),
        "",
        "## Network",
        "",
        f"The network is in `{folder / NETWORK}`, for any player of rules on a board of this size:",
        "",
        "```yaml",
        "players:",
        f"  - {{name: trained, type: negamax, preset: full, evaluation: {folder / NETWORK}, nodes: 1000}}",
        "```",
        "",
        "## Method",
        "",
        f"It learned from {learning.positions:,} quiet positions of {sources}, and was judged by "
        f"{learning.held_out:,} of every 20th game. Targets are {config.fit.results:g} of the game's result and "
        f"{1 - config.fit.results:g} of what the search's score makes expect; those of PDN files are results. "
        f"After {config.fit.epochs} epochs the loss was {last.loss:.4f} nats on the way, "
        f"{Loss(last.held_out, last.error)} of the positions held out; a coin's is {COIN:.4f}.",
        "",
        "![Loss by epoch](losses.png)",
        "",
    ]
    return "\n".join(lines)


def _sources(positions: Positions) -> list[str]:
    *before, last = positions.rounds
    games = [f"{last} games of the player with itself"] if last else []
    if before:
        counts = " and ".join(map(str, before))
        games[0] += f", after rounds of {counts}, each of which made the network that played the next"
    runs = [f"the run {name}" for name in positions.runs]
    return [*games, *runs, *(f"the file {name}" for name in positions.pdn)]
