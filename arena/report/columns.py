"""The files of a report and the columns of its tables, as Markdown.

python -m arena.report.columns > reports/columns.md
"""

from __future__ import annotations

from arena.base.writing import markdown_table
from arena.report.files import FILES
from arena.report.tables.catalogue import SHARED, TABLES
from arena.report.tables.table import Column

_INTRODUCTION = """\
# Files and columns

Printed by `python -m arena.report.columns`. Every table of a run is an attribute of `arena.load(...)`, and a CSV
file of the same name. An empty cell is a value that does not exist; no table holds an infinity. Where a meaning
ends with ±, the columns with `_low` and `_high` behind the name are the ends of the 95 % interval. A text that a
spreadsheet would run (`=1+1`, `@SUM(1)`) stands behind an apostrophe."""


def dictionary() -> str:
    """All files and columns: the text of `reports/columns.md`."""
    files = [(f"`{file.name}`", file.holds) for file in FILES if not file.of_latex]
    parts = [
        _INTRODUCTION,
        f"## Files\n\n{markdown_table(('file', 'what it holds'), files)}",
        f"## Columns of several tables\n\n{_described(list(SHARED.values()))}",
    ]
    for table in TABLES.values():
        shared = [f"`{column.name}`" for column in table.columns if SHARED.get(column.name) == column]
        others = [
            column for column in (*table.columns, table.others) if column and SHARED.get(column.name) != column
        ]
        parts.append(f"## {table.name}" + (f"\n\n{', '.join(shared)}, and:" if shared else ""))
        parts += [_described(others)] if others else []
    return "\n\n".join(parts)


def _described(columns: list[Column]) -> str:
    names = {column.name for column in columns}
    rows = [
        (f"`{name}`", f"{meaning}{' ±' if f'{name}_low' in names else ''}", unit)
        for name, meaning, unit, *_ in columns
        if name.removesuffix("_low").removesuffix("_high") not in names - {name}
    ]
    return markdown_table(("column", "meaning", "unit"), rows)


if __name__ == "__main__":
    print(dictionary())
