"""A run as a notebook shows it: its name, how far it is, its first sentences, the standings."""

from __future__ import annotations

from html import escape

from arena.report.run import Run
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import facts, headline
from arena.report.tables.text import standings_text

ROWS = 30
"""Players that are shown, the best ones."""


def html(run: Run) -> str:
    """The run in HTML, be it finished or not, or without games."""
    sentences = [*unfinished(run), *headline(run), *facts(run)]
    parts = [f"<h4>{escape(run.name)} ({escape(run.rules)})</h4>", f"<p>{escape(' '.join(sentences))}</p>"]
    if len(run.games):
        table = standings_text(run.standings)
        parts.append(table.head(ROWS).to_html(index=False, border=0))
        if len(table) > ROWS:
            parts.append(f"<p>and {len(table) - ROWS} more: <code>run.standings</code></p>")
    return f"<div>{''.join(parts)}</div>"
