"""LaTeX tables for booktabs."""

from __future__ import annotations

import pandas as pd

from arena.report.tables.table import are_words, texts


def latex(cells: pd.DataFrame) -> str:
    """A table of cells as a `tabular`; names are shown as they are."""
    columns = "".join("l" if are_words(cells[name]) else "r" for name in cells)
    body: str = texts(cells).to_latex(index=False, escape=True, column_format=columns)
    return f"% needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}\n{body}"
