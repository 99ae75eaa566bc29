"""What page and summary show: the sentences, and the tables as text."""

from __future__ import annotations

from typing import Any

from arena.report.run import Run
from arena.report.sentences import ablation
from arena.report.sentences import notes as note
from arena.report.sentences.facts import facts, headline
from arena.report.tables import text


def content(run: Run) -> dict[str, Any]:
    """The parts of a report by the name that templates call them; `ablation` is None without a probe."""
    return {
        "title": run.name,
        "headline": headline(run),
        "facts": facts(run),
        "notes": note.notes(run),
        "standings": text.standings_text(run.standings),
        "crosstable": text.crosstable_text(run.crosstable),
        "search": text.search_text(run.search),
        "telemetry": text.telemetry_text(run.telemetry),
        "los_note": note.LOS,
        "nodes_note": note.NODES,
        "telemetry_note": note.TELEMETRY,
        "ablation": _ablation(run) if len(run.ablation) else None,
    }


def _ablation(run: Run) -> dict[str, Any]:
    return {
        "heading": ablation.heading(run),
        "findings": ablation.findings(run.ablation, run.experiment),
        "title": f"To depth {ablation.probe_depth(run)}",
        "table": text.ablation_text(run.ablation),
        "note": ablation.note(run),
    }
