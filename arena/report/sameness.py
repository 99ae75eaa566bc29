"""Whether two runs have the same games, move for move, and what else is the same of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.ledger.record import MEASURED, MOVE_COLUMNS
from arena.ratings.repeats import line_hashes
from arena.report.run import Run

_KEY = ["game", "white", "black", "opening_fen"]
_PLY = np.uint64(0x9E3779B97F4A7C15)


class Sameness(NamedTuple):
    """How many games of two runs are the same. Games are the same game by number, players and opening."""

    games_a: int
    games_b: int
    shared: int
    """Games that both have."""
    moves: int
    """Of these, games with the same moves and the same result."""
    searches: int
    """Of these, games with the same nodes, depths, scores and so on for every move."""
    times: int
    """Of these, games with the same times: copies."""


def sameness(a: Run, b: Run) -> Sameness:
    """Compare the games of two runs; reads all moves, in parts."""
    tables = [_table(run) for run in (a, b)]
    both = tables[0].merge(tables[1], on=_KEY, suffixes=("_a", "_b"))
    moves = (both["moves_a"] == both["moves_b"]) & (both["result_a"] == both["result_b"])
    searches = moves & (both["searches_a"] == both["searches_b"])
    times = searches & (both["times_a"] == both["times_b"])
    return Sameness(
        len(tables[0]), len(tables[1]), len(both), int(moves.sum()), int(searches.sum()), int(times.sum())
    )


def sentence(same: Sameness) -> str:
    """What there is to say of it; "" where no game is in both."""
    if not same.shared:
        return ""
    all_of_both = same.shared == same.games_a == same.games_b
    which = f"all {same.shared}" if all_of_both else f"the {same.shared} that both have"
    if same.moves < same.shared:
        whole = "" if all_of_both else " that both have"
        return f"{same.moves} of {same.shared} games{whole} are the same, move for move."
    if same.times == same.shared:
        return f"The games are identical, {which}, times included: copies of one run."
    if same.searches == same.shared:
        return f"The games are identical but for time: {which} have the same moves, nodes, depths and scores."
    differ = same.shared - same.searches
    return f"The games are identical, {which}, move for move; nodes, depths or scores differ in {differ} of them."


def _table(run: Run) -> pd.DataFrame:
    """A row for each game: _KEY, result, and hashes of its moves, of its searches and of its times."""
    parts = [_hashes(part) for part in run.data.moves()]
    found = pd.concat(parts) if parts else pd.DataFrame(columns=["moves", "searches", "times"])
    table = run.games[[*_KEY, "result"]].copy()
    for name in found:
        table[name] = table["game"].map(found[name]).fillna(0)
    return table


def _hashes(moves: pd.DataFrame) -> pd.DataFrame:
    """64-bit hashes by game: `moves`, `searches` (what else is not a time) and `times`."""
    recorded = [name for name, _ in MOVE_COLUMNS if name in moves]
    times = [name for name in recorded if name in MEASURED]
    searches = [name for name in recorded if name not in MEASURED]
    columns = {
        "moves": line_hashes(moves),
        "searches": _sums(moves, searches),
        "times": _sums(moves, times),
    }
    return pd.DataFrame(columns)


def _sums(moves: pd.DataFrame, columns: Iterable[Any]) -> pd.Series:
    """A hash of these columns of each game, by its number."""
    rows = np.zeros(len(moves), np.uint64)
    for column in columns:
        values = moves[column].to_numpy(dtype=float, na_value=np.nan)
        rows = pd.util.hash_array(rows + pd.util.hash_array(values))
    rows = pd.util.hash_array(rows + _PLY * moves["ply"].to_numpy(dtype=np.uint64))
    return pd.Series(rows).groupby(moves["game"].to_numpy(dtype=np.int64)).sum()
