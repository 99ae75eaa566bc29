"""The files of a report and the columns of its tables, as Markdown.

python -m arena.report.columns > reports/columns.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.base.writing import markdown_table
from arena.report.files import HOLDS
from arena.report.run import TABLES
from arena.report.tables.table import Column

_INTRODUCTION = """\
# Files and columns

Printed by `python -m arena.report.columns`. Every table of a run is an attribute of `arena.load(...)`, and a CSV
file of the same name. An empty cell is a value that does not exist; no table holds an infinity. Where a meaning
ends with ±, the columns with `_low` and `_high` behind the name are the ends of the 95 % interval. A text that a
spreadsheet would run (`=1+1`, `@SUM(1)`) stands behind an apostrophe."""


def dictionary() -> str:
    """All files and columns: the text of `reports/columns.md`."""
    files = [(f"`{name}`", holds) for name, holds in HOLDS.items()]
    tables = Counter(column for table in TABLES.values() for column in table.columns)
    shared = [column for column, number in tables.items() if number > 1]
    parts = [
        _INTRODUCTION,
        f"## Files\n\n{markdown_table(('file', 'what it holds'), files)}",
        f"## Columns of several tables\n\n{_described(shared)}",
    ]
    for table in TABLES.values():
        named = [f"`{column.name}`" for column in table.columns if column in shared]
        others = [column for column in (*table.columns, table.others) if column and column not in shared]
        parts.append(f"## {table.name}" + (f"\n\n{', '.join(named)}, and:" if named else ""))
        parts += [_described(others)] if others else []
    return "\n\n".join(parts)


def _described(columns: Sequence[Column]) -> str:
    with_ends = {column.end_of for column in columns}
    rows = [
        (f"`{column.name}`", column.note + (" ±" if column.name in with_ends else ""), column.unit.name)
        for column in columns
        if not column.end_of
    ]
    return markdown_table(("column", "meaning", "unit"), rows)


if __name__ == "__main__":
    print(dictionary())
