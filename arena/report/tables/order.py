"""The order of rows: by player, as the rest of a report lists them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd


def by_player(table: pd.DataFrame, players: Sequence[str], then: str | None = None) -> pd.DataFrame:
    """Rows in the order of `players`, then by the column `then`; names as plain text."""
    table = table.assign(player=table["player"].astype(str).astype(object))
    order = table["player"].map({name: i for i, name in enumerate(players)})
    table = table.assign(_order=order).sort_values(["_order", then] if then else ["_order"], kind="stable")
    return table.drop(columns="_order").reset_index(drop=True)
