"""A report in other forms: Markdown, LaTeX tables with the rules of the package booktabs, and Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from arena.base.number import unbroken
from arena.report.charts.catalogue import charts_of
from arena.report.content import content
from arena.report.run import Run
from arena.report.tables.table import WORDS
from arena.report.template import environment

LETTERS = {
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "µ": r"\textmu{}", "<": "$<$", ">": "$>$", "[": "{[}", "]": "{]}",
    "→": r"$\to$",
}  # fmt: skip
"""Characters without a letter in LaTeX's usual encodings, and brackets, which after a row would be its option."""


def markdown(run: Run) -> str:
    """The summary of a report: the sentences and tables of the page in Markdown."""
    template = environment(escaped=escaped).get_template("summary.md.jinja")
    return template.render(content(run), charts=charts_of(run), words=WORDS)


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, HTML included, with numbers and units in one line."""
    plain = unbroken(str(text)).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain)


def latex(table: pd.DataFrame) -> str:
    """A table of texts as a `tabular`; names are shown as they are."""
    columns = "".join("l" if name in WORDS else "r" for name in table.columns)
    body: str = table.to_latex(index=False, escape=True, column_format=columns)
    for letter, written in LETTERS.items():
        body = body.replace(letter, written)
    return f"% needs \\usepackage{{booktabs}}\n{body}"


def parquet_is_installed() -> bool:
    """Whether Parquet can be written: pyarrow is an optional extra."""
    return find_spec("pyarrow") is not None


def write_parquet(parts: Iterable[pd.DataFrame], path: Path) -> None:
    """Write a table's parts, at least one, with the same columns and the types of Python, one after another.

    A named index becomes the first column; infinities become missing values.
    """
    import pyarrow
    import pyarrow.parquet

    writer = None
    try:
        for part in parts:
            table = pyarrow.Table.from_pandas(_plain(part), preserve_index=False)
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(path, table.schema)
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """The table without an index that means something, and without infinities."""
    table = table.reset_index() if table.index.name is not None else table
    floats = [name for name in table.columns if pd.api.types.is_float_dtype(table[name].dtype)]
    return table.assign(**{name: table[name].replace([np.inf, -np.inf], np.nan) for name in floats})
