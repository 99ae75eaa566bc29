"""What a report says, and its forms beside the page: Markdown, and LaTeX tables for booktabs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from arena.base.number import unbroken
from arena.base.wording import listed
from arena.report.charts.catalogue import charts_of
from arena.report.run import Run, standings_cells
from arena.report.sentences import ablation, comparisons
from arena.report.sentences import notes as note
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import details, facts, headline
from arena.report.tables.catalogue import TABLES
from arena.report.tables.table import are_words, texts
from arena.report.tables.views import comparisons as comparison_cells
from arena.report.tables.views import strata
from arena.report.template import environment

WORDS = frozenset({"Against", "Decided by", "Own number", "Pair", "File", "Player", "Reasons", "Setting", "Value"})
"""Headings of columns of words, which start at the left; numbers end at the right."""
OPEN_PAIRS = 28
"""Pairs of values that a page shows at once, those of eight values; more are folded."""
MOST_PAIRS = 100
"""Pairs of values that page and summary show; comparisons.csv has all."""


def content(run: Run) -> dict[str, Any]:
    """The parts of a report by the name that templates call them.

    `placed` says that the standings are in the final order of the format, not by rating.
    `comparisons` is None where no two players differ in one setting only, `ablation` without a probe, `errors`
    without graded decisions, `suites` without answers to suites.
    """
    return {
        "title": run.name,
        "unfinished": unfinished(run),
        "headline": headline(run),
        "details": details(run),
        "facts": facts(run),
        "notes": note.notes(run),
        "placed": len(run.order) > 0,
        "standings": texts(standings_cells(run)),
        "submissions": TABLES["submissions"].text(run.submissions),
        "crosstable": TABLES["crosstable"].text(run.crosstable),
        "effort": TABLES["effort"].text(run.effort),
        "extras": TABLES["extras"].text(run.extras),
        "los_note": note.LOS,
        "effort_note": note.EFFORT,
        "extras_note": note.EXTRAS,
        "comparisons": _comparisons(run) if len(run.comparisons) else None,
        "ablation": _ablation(run) if len(run.ablation) else None,
        "errors": _errors(run) if len(run.grades) else None,
        "suites": _suites(run) if len(run.suites) else None,
    }


def _ablation(run: Run) -> dict[str, Any]:
    return {
        "heading": ablation.heading(run),
        "findings": ablation.findings(run.ablation, run.experiment),
        "title": f"To depth {ablation.probe_depth(run)}",
        "table": TABLES["ablation"].text(run.ablation),
        "note": ablation.note(run),
    }


def _errors(run: Run) -> dict[str, Any]:
    """The tables of graded decisions, and of each of the costliest errors where it is and what it was."""
    return {
        "endings_title": note.endings_title(run.endgame_errors),
        "endings": TABLES["endgame_errors"].text(run.endgame_errors),
        "endings_note": note.ENDINGS,
        "judged_title": f"By the scores of {listed(run.judges['judge'])}",
        "judged": TABLES["judged_losses"].text(run.judged_losses),
        "judged_note": note.judged(run.judges),
        "costliest": note.costliest(run.costliest_errors),
    }


def _suites(run: Run) -> dict[str, Any]:
    return {
        "table": TABLES["suites"].text(run.suites),
        "note": note.solved(run.suites),
        "strata": {suite: texts(cells) for suite, cells in strata(run.suites).items()},
    }


def _comparisons(run: Run) -> dict[str, Any]:
    """The tables of settings at equal terms; `pairs` is None where that of all pairs would say no more."""
    table = run.comparisons
    every = table[["setting", "value", "reference"]].drop_duplicates()
    shown = table.merge(every.head(MOST_PAIRS))
    return {
        "title": comparisons.title(table),
        "table": TABLES["comparisons"].text(table),
        "note": comparisons.note(table),
        "pairs": None if table["baseline"].all() else texts(comparison_cells(shown, pairs=True)),
        "pairs_title": comparisons.pairs_title(len(every), MOST_PAIRS),
        "folded": len(every) > OPEN_PAIRS,
    }


def markdown(run: Run) -> str:
    """The summary of a report: the sentences and tables of the page in Markdown."""
    return in_markdown("summary.md.jinja", content(run), charts=charts_of(run))


def in_markdown(name: str, said: Mapping[str, Any], **further: Any) -> str:
    """A template of Markdown with what it says and names, which it shows as they are."""
    return environment(escaped=escaped).get_template(name).render(said, **further, words=WORDS)


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included, with numbers and units in one line."""
    return re.sub(r"([\\`*_\[\]|~]|<(?=[\w/!?])|&(?=[\w#]))", r"\\\1", unbroken(str(text)))


def latex(cells: pd.DataFrame) -> str:
    """A table of cells as a `tabular`; names are shown as they are."""
    columns = "".join("l" if are_words(cells[name]) else "r" for name in cells)
    body: str = texts(cells).to_latex(index=False, escape=True, column_format=columns)
    return f"% needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}\n{body}"
