"""Texts and tables written into files: as UTF-8, the same on every system, CSV without formulas."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠].", re.DOTALL)
"""The beginning of a text that a spreadsheet runs, behind as many apostrophes as there are."""
_NUMBER = re.compile(r"[+-][\d.]+(e[+-]?\d+)?")


def written(path: Path) -> TextIO:
    """Open a file for a text; what UTF-8 has not, such as a byte of a path, becomes an escape."""
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def write_text(text: str, path: Path) -> None:
    """Write a text as the whole of a file."""
    with written(path) as file:
        file.write(text)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table without its index as the whole of a CSV file."""
    with written(path) as file:
        write_rows(table, file)


def write_rows(table: pd.DataFrame, file: TextIO, header: bool = True) -> None:
    """Write a table's rows as CSV; an apostrophe stands before a text that a spreadsheet would run."""
    import numpy as np  # for which no text waits

    safe = table.set_axis([_safe(name) for name in table.columns], axis=1)
    for place, kind in enumerate(safe.dtypes):
        if kind.name == "str":  # each text once: a table of games has the same ones again and again
            codes, texts = safe.iloc[:, place].factorize(use_na_sentinel=False)
            safe.isetitem(place, np.array([*map(_safe, texts)], object)[codes])
        elif kind.kind == "O":
            safe.isetitem(place, np.array([*map(_safe, safe.iloc[:, place])], object))
    safe.to_csv(file, index=False, header=header, lineterminator="\n")


def cell_text(cell: str) -> str:
    """The text that `write_rows` wrote as a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, of texts that Markdown shows as they are to be seen."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def replaces_lines(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which a line can be replaced by another one."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"
