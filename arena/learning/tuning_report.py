"""The report of a tuning: lines while it runs, then its tuned file, its path, a chart and a summary."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from arena.base.files import replace
from arena.learning.method import Fitting, Step
from arena.learning.terms import evaluation_name
from arena.learning.tuning import AGAINST, START, TuningOutcome, TuningPlan
from arena.ratings.match import Summary
from arena.report.charts.course import plot_path
from arena.report.charts.picture import save_png, svg


def write(plan: TuningPlan, found: TuningOutcome, folder: Path) -> list[Path]:
    """Write what was tuned (weights.yaml, of tables weights.npz), path.csv, path.svg, summary.md and path.png.

    Each is replaced whole. Returns the files written, what was tuned first. Raises OSError.
    """
    path = path_table(plan, found)
    axes = plot_path(path, step=plan.method.noun)
    name, content = plan.method.tuned_file(plan.config.name, plan.terms, found.steps, folder)
    contents = {
        name: content,
        "path.csv": path.to_csv(index=False, lineterminator="\n").encode(),
        "path.svg": svg(axes).encode(),
        "summary.md": summary_md(plan, found, folder).encode(),
    }
    written = [replace(folder / name, partial(_fill, content)) for name, content in contents.items()]
    return [*written, replace(folder / "path.png", partial(save_png, axes))]


def stage_text(plan: TuningPlan, stage: str) -> str:
    """A stage in words: `round 1/3`, `tuned against +7/+5/+3`."""
    against = {START: "the start", AGAINST: evaluation_name(plan.method.against)}
    return f"tuned against {against[stage]}" if stage in against else f"{stage}/{plan.method.step_count}"


def event_text(plan: TuningPlan, event: Step | Fitting) -> str:
    """One line: the findings of a step, or that a fit begins."""
    if isinstance(event, Step):
        return plan.method.step_text(plan.terms.variant, event)
    return f"{plan.method.place(event.number)}: fitting tables to {event.positions} positions"


def answer(plan: TuningPlan, found: TuningOutcome) -> str:
    """The tuning's outcome in words, one line."""
    method, words = plan.method, ("beat", "lose to", "are not measurably different from")
    start, against = verdict(found.against_start, *words), verdict(found.against, *words)
    return (
        f"{method.subject} {against[0]} {evaluation_name(method.against)} ({against[1]}) "
        f"and {start[0]} {method.start_name} ({start[1]})."
    )


def path_table(plan: TuningPlan, found: TuningOutcome) -> pd.DataFrame:
    """The weights in hundredths of a man at the start (step 0) and after each step, a row for each.

    Columns `step`, `games` (in all, so far), `loss` (missing where there is none), and the weights: a feature's
    name, with phases `<name> opening` and `<name> ending`. Tables have no columns of weights.
    """
    method, variant = plan.method, plan.terms.variant
    losses, games, rows = method.losses(found.steps), 0, []
    for number, step in enumerate((None, *found.steps)):
        games += step.games if step else 0
        rows.append((number, games, losses[number], *method.weights(variant, step)))
    columns = ["step", "games", "loss", *method.weight_names()]
    return pd.DataFrame(rows, columns=columns).astype({"loss": "Float64"})


def summary_md(plan: TuningPlan, found: TuningOutcome, folder: Path) -> str:
    """The answer in the first line, then the matches, what was tuned and how; `folder` is where the files are."""
    method, search = plan.method, plan.terms.search
    limits = ((search.nodes, "nodes"), (search.depth, "plies"))
    limit = " and ".join(f"{value} {unit}" for value, unit in limits if value)
    pairs = f"{method.check} pairs of games each, colours swapped, from openings that tuning did not use"
    lines = [
        answer(plan, found),
        "",
        f"{plan.terms.variant.name}, {limit} a move; {pairs}. Elo with 95 % intervals.",
        "",
        "| tuned against | games | score | Elo | likelihood of being stronger |",
        "|---|---|---|---|---|",
        match_row(evaluation_name(method.against), found.against),
        match_row("the start", found.against_start),
        "",
        *method.summary_lines(plan.terms.variant, found.steps, folder),
    ]
    return "\n".join(lines)


def match_row(name: str, match: Summary) -> str:
    """A match against `name` as a row of Markdown: games, score, Elo, likelihood of being stronger."""
    elo = f"{match.elo:+.0f} ± {match.elo_error:.0f}"
    return f"| {name} | {match.games} | {100 * match.score:.1f} % | {elo} | {_probability(match.los)} |"


def verdict(match: Summary, won: str, lost: str, open_: str) -> tuple[str, str]:
    """The verb for what a match showed, of the three given, and its figures."""
    low, high = match.elo - match.elo_error, match.elo + match.elo_error
    verb = won if low > 0 else lost if high < 0 else open_
    return verb, f"{match.elo:+.0f} ± {match.elo_error:.0f} Elo in {match.games} games"


def _fill(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def _probability(share: float) -> str:
    return "> 99.9 %" if share > 0.9995 else "< 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"
