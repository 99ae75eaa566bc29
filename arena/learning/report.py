"""The report of a learning run: the learned player, its path as table and chart, and a summary."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from arena.base.files import replace
from arena.base.number import probability
from arena.base.writing import write_csv, write_text
from arena.experiment.model import entry_of
from arena.experiment.yaml.values import yaml_text
from arena.learning.logistic import COIN, Loss
from arena.learning.loop import Learned, Plan
from arena.learning.method import LEARNED
from arena.ratings.match import Summary
from arena.report.charts.learning import plot_path
from arena.report.charts.style import save_png

SUMMARY_FILE = "summary.md"
"""The file to read."""
ENTRY_FILE = "learned.yaml"
"""The file with the learned player, an entry of `players:`."""
DECISIVE = 6
"""Pairs that did not end level without which no match is decided: equals win or lose so many in a row in 3 %."""


def write_learned(plan: Plan, outcome: Learned, folder: Path) -> None:
    """Write the learned player, path.csv, path.png and summary.md, each replaced whole. Raises OSError."""
    method, terms, last = plan.method, plan.terms, outcome.steps[-1]
    path, heading = method.path(terms, outcome.steps), method.findings(terms, last, folder).heading
    entry = yaml_text([entry_of(terms.entry(LEARNED, method.options(terms, last, folder)))])
    about = f"# An entry for `players:`, learned by {terms.name}.\n"
    replace(folder / ENTRY_FILE, partial(write_text, about + entry))
    replace(folder / SUMMARY_FILE, partial(write_text, summary_md(plan, outcome, folder, entry)))
    replace(folder / "path.csv", partial(write_csv, path))
    chart = plot_path(path, method.panels(terms), step=method.unit, title=heading)
    replace(folder / "path.png", partial(save_png, chart))


def match_in_words(plan: Plan, outcome: Learned) -> str:
    """The outcome in words, and what to do if it is no better than a coin or than what the player met first."""
    method, terms, last = plan.method, plan.terms, outcome.steps[-1]
    texts = []
    for stage, match in reversed(outcome.matches.items()):
        verb = _verdict(match, "beat", "lost to", "did not differ measurably from")
        texts.append(f"{verb} {plan.met(stage)} ({match.elo} Elo in {match.games} games)")
    rival, match = next(iter(outcome.matches.items()))
    held_out = Loss(*last.held_out) if last.held_out else None
    told = caution(plan.met(rival), match if method.is_changed(terms, last) else None, last.games, held_out)
    return f"The {method.subject} {' and '.join(texts)}.{told}"


def summary_md(plan: Plan, outcome: Learned, folder: Path, entry: str) -> str:
    """The answer in the first line, then the matches, what was learned and how."""
    method, findings = plan.method, plan.method.findings(plan.terms, outcome.steps[-1], folder)
    limit, each = plan.terms.player.limit, " each" if len(outcome.matches) > 1 else ""
    limits = ((limit.nodes, "nodes"), (limit.depth, "plies"))
    under = " and ".join(f"{value} {unit}" for value, unit in limits if value)
    lines = [
        match_in_words(plan, outcome),
        "",
        f"{plan.terms.rule_set.name}{under and f', {under} a move'}; {method.check} pairs of games{each}, "
        "colours swapped, from openings that it did not learn from. Elo with 95 % intervals.",
        "",
        *markdown_rows(match_table(plan, outcome)),
        "",
        f"## {findings.heading}",
        "",
        findings.note,
        "",
        *([*markdown_rows(findings.table), ""] if len(findings.table) else []),
        "```yaml",
        entry.rstrip(),
        "```",
        "",
        "## Method",
        "",
        method.description(outcome.steps),
        "",
        f"![{findings.heading} along the path](path.png)",
        "",
    ]
    return "\n".join(lines)


def markdown_rows(table: pd.DataFrame) -> list[str]:
    """A table of texts as Markdown."""
    rows = [list(table.columns), *table.itertuples(index=False)]
    texts = ["| " + " | ".join(row) + " |" for row in rows]
    return [texts[0], "|" + "---|" * len(table.columns), *texts[1:]]


def match_table(plan: Plan, outcome: Learned) -> pd.DataFrame:
    """The matches as texts, a row for each."""
    cells = []
    for stage, match in reversed(outcome.matches.items()):
        score = f"{100 * match.score:.1f} %"
        superior = "too few games decided" if is_level(match) else probability(match.los)
        cells.append((plan.met(stage), str(match.games), score, str(match.elo), superior))
    return pd.DataFrame(cells, columns=["against", "games", "score", "Elo", "likelihood of being stronger"])


def _verdict(match: Summary, won: str, lost: str, undecided: str) -> str:
    """What a match showed, of the three given."""
    if is_level(match):
        return undecided
    return won if match.elo.low > 0 else lost if match.elo.high < 0 else undecided


def is_level(match: Summary) -> bool:
    """Whether fewer than DECISIVE pairs did not end level, which no interval stands on."""
    return round(match.games / 2 * (1 - match.draw_ratio)) < DECISIVE


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
    return _verdict(match, "", lost, f"\nNo better than {rival}, as far as {match.games} games tell: {further}")
