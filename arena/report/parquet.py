"""Tables as Parquet files, with the types that they have in Python."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd


def is_installed() -> bool:
    """Whether Parquet can be written: pyarrow is an optional extra."""
    return find_spec("pyarrow") is not None


def write_parquet(parts: Iterable[pd.DataFrame], path: Path) -> None:
    """Write a table's parts, at least one, with the same columns, one after another into one file.

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
