"""The list of all tables of a run that have a CSV file."""

from __future__ import annotations

from arena.report.tables import (
    ablation,
    comparisons,
    decided,
    effort,
    grades,
    outcomes,
    standings,
    stored,
    submissions,
    suites,
    sweeps,
)
from arena.report.tables.table import Table

_TABLES = (
    stored.GAMES,
    stored.MOVES,
    stored.PROBES,
    standings.STANDINGS,
    decided.ORDER,
    submissions.SUBMISSIONS,
    outcomes.CROSSTABLE,
    stored.RESIDUALS,
    effort.EFFORT,
    effort.EXTRAS,
    outcomes.ADJUDICATIONS,
    outcomes.OPENINGS,
    comparisons.COMPARISONS,
    sweeps.GAINS,
    sweeps.SWEEPS,
    standings.CONVERGENCE,
    ablation.ABLATION,
    decided.SPRT,
    grades.GRADES,
    grades.JUDGES,
    grades.ENDGAME_ERRORS,
    grades.JUDGED_LOSSES,
    suites.SUITES,
    stored.SUITE_ANSWERS,
)
TABLES: dict[str, Table] = {table.name: table for table in _TABLES}
"""Every table by its name, in the order of the files."""
