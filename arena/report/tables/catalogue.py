"""The catalogue of tables: every module's rows, and `reports/columns.md`, which describes them."""

from __future__ import annotations

from arena.report.tables import (
    ablation,
    comparisons,
    decided,
    doublings,
    effort,
    grades,
    matrix,
    outcomes,
    standings,
    stored,
    submissions,
    suites,
    telemetry,
)
from arena.report.tables.matrix import OTHERS
from arena.report.tables.table import RunTable

TABLES: dict[str, RunTable] = {
    table.name: table
    for table in (
        *stored.TABLES,
        *standings.TABLES,
        *submissions.TABLES,
        *matrix.TABLES,
        *effort.TABLES,
        *telemetry.TABLES,
        *outcomes.TABLES,
        *comparisons.TABLES,
        *doublings.TABLES,
        standings.CONVERGENCE,
        *ablation.TABLES,
        *decided.TABLES,
        *grades.TABLES,
        *suites.TABLES,
        stored.RATED_GAMES,
    )
}
"""Every table of a run, by its name."""

_INTRODUCTION = """\
# Columns

Every table of a run: what `arena.load(...)` has as an attribute, and most of it as a CSV file of the same name.
`help(arena.Run)` says the same. An empty cell is a value that does not exist; no table holds an infinity. `_low`
and `_high` are the ends of 95 % intervals.
A text that a spreadsheet would run (`=1+1`, `@SUM(1)`) stands behind an apostrophe."""


def dictionary() -> str:
    """The columns of all tables as Markdown: `reports/columns.md`."""
    parts = [_INTRODUCTION]
    for table in TABLES.values():
        rows = [
            f"| {name if name == OTHERS else f'`{name}`'} | {meaning} | {unit} |"
            for name, meaning, unit, *_ in table.described()
        ]
        parts.append("\n".join([f"| column of `{table.name}` | meaning | unit |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(parts)
