"""Tables of a report in LaTeX, for papers: the rules are those of the package booktabs."""

from __future__ import annotations

import pandas as pd

from arena.report.run import Run
from arena.report.tables import text

LARGEST = 16
"""Players above which a crosstable is too wide for paper."""
LEFT = frozenset({"Against", "Pair", "Player", "Setting", "Value"})
"""Columns of words; numbers stand at the right."""
LETTERS = {
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "µ": r"\textmu{}", "<": "$<$", ">": "$>$", "[": "{[}", "]": "{]}",
}  # fmt: skip
"""What LaTeX has no letter for in its usual encodings, and brackets, which after a row would be its option."""


def latex(table: pd.DataFrame) -> str:
    """A table of texts (`arena.report.tables.text`) as a `tabular`; names are shown as they are."""
    columns = "".join("l" if name in LEFT else "r" for name in table.columns)
    body: str = table.to_latex(index=False, escape=True, column_format=columns)
    for letter, written in LETTERS.items():
        body = body.replace(letter, written)
    return f"% needs \\usepackage{{booktabs}}\n{body}"


def standings(run: Run) -> str:
    """The standings."""
    return latex(text.standings_text(run.standings))


def crosstable(run: Run) -> str:
    """Points of row against column."""
    return latex(text.crosstable_text(run.crosstable))


def comparisons(run: Run) -> str:
    """Elo of one setting against another at equal terms."""
    return latex(text.comparisons_text(run.comparisons))


def search(run: Run) -> str:
    """Nodes, leaves and time per move by player."""
    return latex(text.search_text(run.search))


def ablation(run: Run) -> str:
    """Cost to a fixed depth and Elo against the reference."""
    return latex(text.ablation_text(run.ablation))
