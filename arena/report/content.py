"""The content of page and summary: the sentences, and the tables as text."""

from __future__ import annotations

from typing import Any

from arena.base.wording import listed
from arena.report.run import Run
from arena.report.sentences import ablation, comparisons
from arena.report.sentences import notes as note
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import details, facts, headline
from arena.report.tables.catalogue import TABLES
from arena.report.tables.comparisons import comparisons_text

OPEN_PAIRS = 28
"""Pairs of values that a page shows at once, those of eight values; more are folded."""
MOST_PAIRS = 100
"""Pairs of values that page and summary show; comparisons.csv has all."""


def content(run: Run) -> dict[str, Any]:
    """The parts of a report by the name that templates call them.

    `comparisons` is None where no two players differ in one setting only, `ablation` without a probe, `errors`
    without graded decisions.
    """
    return {
        "title": run.name,
        "unfinished": unfinished(run),
        "headline": headline(run),
        "details": details(run),
        "facts": facts(run),
        "notes": note.notes(run),
        "order": TABLES["order"].text(run.order),
        "standings": TABLES["standings"].text(run.standings),
        "equal_terms": TABLES["equal_terms"].text(run.equal_terms),
        "equal_terms_note": note.EQUAL_TERMS,
        "crosstable": TABLES["crosstable"].text(run.crosstable),
        "search": TABLES["search"].text(run.search),
        "telemetry": TABLES["telemetry"].text(run.telemetry),
        "los_note": note.LOS,
        "nodes_note": note.NODES,
        "speed_note": note.SPEED,
        "telemetry_note": note.TELEMETRY,
        "comparisons": _comparisons(run) if len(run.comparisons) else None,
        "ablation": _ablation(run) if len(run.ablation) else None,
        "errors": _errors(run) if len(run.grades) else None,
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
    """The tables of graded decisions, and of each of the dearest errors where it is and what it was."""
    return {
        "endings_title": note.endings_title(run.endgame_errors),
        "endings": TABLES["endgame_errors"].text(run.endgame_errors),
        "endings_note": note.ENDINGS,
        "judged_title": f"By the scores of {listed(run.judges['judge'])}",
        "judged": TABLES["judged_losses"].text(run.judged_losses),
        "judged_note": note.judged(run.judges),
        "dearest": note.dearest(run.dearest_errors),
    }


def _comparisons(run: Run) -> dict[str, Any]:
    """The tables of settings at equal terms; `pairs` is None where that of all pairs would say no more.

    `table` is None where the standings at equal limits have its numbers.
    """
    table = run.comparisons
    one = table["setting"].nunique() == 1 and table.loc[table["baseline"], "reference"].nunique() == 1
    shown_already = len(run.equal_terms) > 0 and one and (table["pairs"] == 1).all()
    every = table[["setting", "value", "reference"]].drop_duplicates()
    shown = table.merge(every.head(MOST_PAIRS))
    return {
        "title": comparisons.title(table),
        "table": None if shown_already else comparisons_text(table),
        "note": comparisons.note(table),
        "pairs": None if table["baseline"].all() else comparisons_text(shown, pairs=True),
        "pairs_title": comparisons.pairs_title(len(every), MOST_PAIRS),
        "folded": shown_already or len(every) > OPEN_PAIRS,
    }
