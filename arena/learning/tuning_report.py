"""The report of a tuning: lines while it runs, then its tuned file, its path, a chart and a summary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.base.files import replace
from arena.base.number import probability
from arena.base.writing import write_csv, write_text
from arena.experiment.model import entry_of
from arena.experiment.yaml.values import yaml_text
from arena.learning.logistic import COIN, Loss
from arena.learning.method import START, TUNED, Findings, Step
from arena.learning.terms import evaluation_name
from arena.learning.tuning import TuningOutcome, TuningPlan
from arena.ratings.match import Summary
from arena.report.charts.course import plot_path
from arena.report.charts.style import save_png

REPORT = "summary.md"
"""The file to read."""
ENTRY = "tuned.yaml"
"""The file with the tuned player, an entry of `players:`."""
STEPS_SHOWN = 40
"""Steps of which there is a line, about."""
DECISIVE = 6
"""Pairs that did not end level without which no match is decided: equals win or lose so many in a row in 3 %."""


def write(plan: TuningPlan, found: TuningOutcome, folder: Path) -> Path:
    """Write the tuned player, path.csv, path.png and summary.md, each replaced whole; returns the player's file.

    Raises OSError.
    """
    path, findings = path_table(plan, found), plan.method.vector(plan.terms).findings(found.steps[-1])
    entry = yaml_text([entry_of(plan.terms.entry(TUNED, plan.method.found(plan.terms, found.steps[-1])))])
    texts = {
        ENTRY: f"# An entry for `players:`, tuned by {plan.config.name}.\n{entry}",
        REPORT: summary_md(plan, found, findings, entry),
    }
    axes = plot_path(path, step=plan.method.noun, title=findings.heading)
    write_report(folder, texts, "path", path, axes)
    return folder / ENTRY


def write_report(folder: Path, texts: Mapping[str, str], name: str, table: pd.DataFrame, axes: Axes) -> None:
    """Write texts, a table and its chart into a folder, each file replaced whole. Raises OSError."""
    for file, text in texts.items():
        replace(folder / file, partial(write_text, text))
    replace(folder / f"{name}.csv", partial(write_csv, table))
    replace(folder / f"{name}.png", partial(save_png, axes))


def stage_text(plan: TuningPlan, stage: str) -> str:
    """A stage in words: `round 1/3`, `tuned against +7/+5/+3`."""
    return f"tuned against {_met(plan, stage)}" if stage in plan.stages else f"{stage}/{plan.method.step_count}"


def event_text(plan: TuningPlan, step: Step) -> str:
    """One line: the findings of a step; "" for most of many steps."""
    method = plan.method
    every = -(-method.step_count // STEPS_SHOWN)
    is_shown = step.number % every == 0 or step.number == method.step_count
    return method.step_text(plan.terms, step) if is_shown else ""


def answer(plan: TuningPlan, found: TuningOutcome) -> str:
    """The tuning's outcome in words, and what to do if it is no better than a coin or than the start."""
    method, words = plan.method, ("beat", "lose to", "are not measurably different from")
    verdicts = {stage: verdict(match, *words) for stage, match in found.matches.items()}
    texts = [f"{verb} {_met(plan, stage)} ({figures})" for stage, (verb, figures) in reversed(verdicts.items())]
    vector, last = method.vector(plan.terms), found.steps[-1]
    is_start = np.array_equal(vector.shown(np.array(last.theta)), vector.shown(vector.start))
    held_out = Loss(*last.held_out) if last.held_out else None
    games, met = sum(step.games for step in found.steps), None if is_start else found.matches[START]
    return f"The tuned {method.subject} {' and '.join(texts)}." + caution("the start", met, games, held_out)


def path_table(plan: TuningPlan, found: TuningOutcome) -> pd.DataFrame:
    """The numbers at the start (step 0) and after each step, a row for each; weights in hundredths of a man.

    Columns `step`, `games` (in all, so far), `loss` (missing where there is none), and the numbers: their keys, or
    a feature's name, with phases `<name> opening` and `<name> ending`. Whole numbers are those before rounding.
    """
    vector = plan.method.vector(plan.terms)
    games, rows = 0, []
    for number, step in enumerate((None, *found.steps)):
        games += step.games if step else 0
        theta = np.array(step.theta) if step else vector.start
        rows.append((number, games, step.loss if step else None, *vector.traced(theta)))
    columns = ["step", "games", "loss", *vector.names]
    return pd.DataFrame(rows, columns=columns).astype({"loss": "Float64"})


def summary_md(plan: TuningPlan, found: TuningOutcome, findings: Findings, entry: str) -> str:
    """The answer in the first line, then the matches, what was tuned and how."""
    lines = [
        answer(plan, found),
        "",
        f"{_terms(plan)} Elo with 95 % intervals.",
        "",
        *markdown_rows(_matches(plan, found)),
        "",
        f"## {findings.heading}",
        "",
        findings.note,
        "",
        *markdown_rows(findings.table),
        "",
        "```yaml",
        entry.rstrip(),
        "```",
        "",
        "## Method",
        "",
        plan.method.description(found.steps),
        "",
        f"![{findings.heading} along the path](path.png)",
        "",
    ]
    return "\n".join(lines)


def _terms(plan: TuningPlan) -> str:
    limit, each = plan.terms.spec.limit, " each" if len(plan.stages) > 1 else ""
    limits = ((limit.nodes, "nodes"), (limit.depth, "plies"))
    under = " and ".join(f"{value} {unit}" for value, unit in limits if value)
    return (
        f"{plan.terms.variant.name}{under and f', {under} a move'}; {plan.method.check} pairs of games{each}, "
        "colours swapped, from openings that tuning did not use."
    )


def _met(plan: TuningPlan, stage: str) -> str:
    """Whom the tuned player meets in a stage, in sentences."""
    options = plan.method.opponents(plan.terms)[stage]
    return "the start" if stage == START else evaluation_name(options["evaluation"])


def _matches(plan: TuningPlan, found: TuningOutcome) -> pd.DataFrame:
    matches = {_met(plan, stage): match for stage, match in reversed(found.matches.items())}
    return match_table("tuned against", matches)


def markdown_rows(table: pd.DataFrame) -> list[str]:
    """A table of texts as Markdown."""
    rows = [list(table.columns), *table.itertuples(index=False)]
    texts = ["| " + " | ".join(row) + " |" for row in rows]
    return [texts[0], "|" + "---|" * len(table.columns), *texts[1:]]


def match_table(against: str, matches: Mapping[str, Summary]) -> pd.DataFrame:
    """Matches as texts, a row for each by the name of the opponent, which stands in the column `against`."""
    cells = []
    for name, match in matches.items():
        score, superior = f"{100 * match.score:.1f} %", probability(match.los)
        cells.append((name, str(match.games), score, str(match.elo), superior))
    return pd.DataFrame(cells, columns=[against, "games", "score", "Elo", "likelihood of being stronger"])


def verdict(match: Summary, won: str, lost: str, open_: str) -> tuple[str, str]:
    """The verb for what a match showed, of the three given, and its figures."""
    few = round(match.games / 2 * (1 - match.draw_ratio)) < DECISIVE
    verb = open_ if few else won if match.elo.low > 0 else lost if match.elo.high < 0 else open_
    return verb, f"{match.elo} Elo in {match.games} games"


def caution(rival: str, match: Summary | None, games: int, held_out: Loss | None) -> str:
    """What to do, on a line of its own, if what was learned is no better than a coin or a rival; "" if it is.

    It learned from so many games; `match` is that against the rival, None if it is the same as the rival. Errors
    fall with the square root of the games, so that four times as many halve them.
    """
    more = float(f"{3 * games:.2g}")
    learn = f"about {more:,.0f} games more to learn from would halve"
    if held_out is not None and not held_out.beats_coin:
        tells = "as far as the loss of games that were not learned from tells"
        return f"\nNo better than a coin, {tells}: {held_out}, a coin's is {COIN:.4f}; {learn} its error."
    if match is None:
        return f"\nNo better than {rival}, as nothing was changed: {learn} the error of what was learned."
    lost = f"\nNo better than {rival}: {learn} the error of what was learned."
    further = f"{3 * match.games:,} more of this match (check: {2 * match.games}) would halve the interval."
    open_ = f"\nNo better than {rival}, as far as {match.games} games tell: {further}"
    return verdict(match, "", lost, open_)[0]
