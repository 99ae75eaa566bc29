"""The report of a training: lines while it runs, then its losses, a chart and a summary."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from arena.base.files import replace
from arena.experiment.model import entry_of
from arena.experiment.yaml.values import yaml_text
from arena.learning.config import Positions
from arena.learning.fit import Epoch
from arena.learning.terms import evaluation_name
from arena.learning.training import (
    AGAINST,
    BY_GAMES,
    BY_WIDTH,
    NETWORK,
    SNAPSHOTS,
    Learning,
    TrainingOutcome,
    TrainingPlan,
)
from arena.learning.tuning_report import markdown_rows, match_table, verdict
from arena.report.charts.course import plot_losses
from arena.report.charts.picture import save_png, svg

REPORT = "summary.md"
"""The file to read."""
RATING = "snapshots.yaml"
"""The configuration that rates the snapshots of a training."""
GAMES_RATING, WIDTHS_RATING = "games.yaml", "widths.yaml"
"""Those that rate the networks of `scaling`."""
OPENINGS = 20
"""Their openings."""
SECONDS = 0.01
"""Time for a move where widths are rated at equal time, too."""


def write(plan: TrainingPlan, found: TrainingOutcome, folder: Path) -> list[Path]:
    """Write losses.csv, loss.svg, summary.md, loss.png and, with snapshots, RATING, each replaced whole.

    Returns the network's file, then the files written. Raises OSError.
    """
    losses = loss_table(found.epochs)
    axes = plot_losses(losses)
    texts = {
        "losses.csv": losses.to_csv(index=False, lineterminator="\n"),
        "loss.svg": svg(axes),
        REPORT: summary_md(plan, found, folder),
    }
    texts |= ratings(plan)
    written = [replace(folder / name, partial(_fill, text)) for name, text in texts.items()]
    return [folder / NETWORK, *written, replace(folder / "loss.png", partial(save_png, axes))]


def stage_text(plan: TrainingPlan, stage: str) -> str:
    """A stage in words."""
    return f"the network against {evaluation_name(plan.config.against)}" if stage == AGAINST else stage


def event_text(plan: TrainingPlan, event: Learning | Epoch) -> str:
    """One line: the fit begins, or the figures of an epoch."""
    if isinstance(event, Learning):
        after = f", after {event.epoch} epochs" if event.epoch else ""
        return f"{event.name}: learning from {event.positions} positions, judged by {event.held_out}{after}"
    return f"epoch {event.number}/{plan.config.fit.epochs}: loss {event.loss:.4f}, held out {event.held_out:.4f}"


def answer(plan: TrainingPlan, found: TrainingOutcome) -> str:
    """The training's outcome in words, one line."""
    verb, figures = verdict(found.against, "beats", "loses to", "is not measurably different from")
    return f"The network {verb} {evaluation_name(plan.config.against)} ({figures})."


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
        *_ratings(plan, folder),
        "## Method",
        "",
        f"It learned from {learning.positions:,} quiet positions of {sources}, and was judged by "
        f"{learning.held_out:,} of every 20th game. Targets are {config.fit.results:g} of the game's result and "
        f"{1 - config.fit.results:g} of what the search's score makes expect; those of PDN files are results. "
        f"After {config.fit.epochs} epochs the loss was {last.loss:.4f} nats on the way, {last.held_out:.4f} of "
        "the positions held out.",
        "",
        "![Loss by epoch](loss.png)",
        "",
    ]
    return "\n".join(lines)


def ratings(plan: TrainingPlan) -> dict[str, str]:
    """The configurations that rate the networks of a training beside the last one, by the names of their files."""
    scaling, texts = plan.config.scaling, {}
    if plan.config.snapshots:
        texts[RATING] = rating_yaml(plan, f"{SNAPSHOTS}/*.npz", "epoch {evaluation}")
    if scaling.games:
        texts[GAMES_RATING] = rating_yaml(plan, f"{BY_GAMES.as_posix()}/*.npz", "games {evaluation}")
    if scaling.widths:
        pattern = f"{BY_WIDTH.as_posix()}/*.npz"
        texts[WIDTHS_RATING] = rating_yaml(plan, pattern, "width {evaluation}, {limit}", at_equal_time=True)
    return texts


def rating_yaml(plan: TrainingPlan, pattern: str, name: str, at_equal_time: bool = False) -> str:
    """The configuration of a round robin of networks, the files of a pattern, and the evaluation `against`: at the
    limit of the player, and at equal time, too."""
    config = plan.config
    entry, opponent = entry_of(plan.terms.player(name)), entry_of(plan.opponent)
    entry.pop("evaluation", None)
    entry["sweep"] = {"evaluation": {"files": pattern}}
    if at_equal_time:
        limit = {key: entry.pop(key) for key in ("nodes", "depth") if key in entry}
        entry["sweep"]["limit"] = [limit, {"seconds": SECONDS}]
    document = {
        "name": f"{config.name[:80]}-{pattern.split('/')[-2]}",
        "variant": config.variant,
        "seed": config.seed,
        "openings": {"random_plies": config.openings.random_plies, "count": OPENINGS},
        "max_plies": config.max_plies,
        "players": [entry, {**opponent, "name": evaluation_name(config.against)}],
    }
    return yaml_text(document)


def _sources(positions: Positions) -> list[str]:
    *before, last = positions.rounds
    games = [f"{last} games of the player with itself"] if last else []
    if before:
        counts = " and ".join(map(str, before))
        games[0] += f", after rounds of {counts}, each of which made the network that played the next"
    runs = [f"the run {name}" for name in positions.runs]
    return [*games, *runs, *(f"the file {name}" for name in positions.pdn)]


def _ratings(plan: TrainingPlan, folder: Path) -> list[str]:
    kept = {
        RATING: f"Networks kept on the way are in `{folder / SNAPSHOTS}`. Their Elo by epoch, as a chart:",
        GAMES_RATING: f"Networks from fewer games are in `{folder / BY_GAMES}`. Their Elo by games, as a chart:",
        WIDTHS_RATING: f"Networks of other widths are in `{folder / BY_WIDTH}`. Their Elo by width, at equal "
        f"{'nodes' if plan.config.player.limit.nodes else 'depth'} and at equal time, as a chart:",
    }
    found = [[kept[name], "", "```bash", f"arena run {folder / name}", "```", ""] for name in ratings(plan)]
    return ["## Further networks", "", *(line for lines in found for line in lines)] if found else []


def _fill(text: str, path: Path) -> None:
    path.write_bytes(text.encode())
