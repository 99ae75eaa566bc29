"""One pass over all moves of a run: sums by player and depth, and the greatest swing of each game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

DECIDED = 4.0
"""Men from which on a score counts as a decided game: more, and a certain win, surprise no further."""
_SUMMED = ["moves", "nodes", "cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits", "seconds"]
_GREATEST = ["deepest", "overrun", "longest"]
_SECONDS = ["seconds", "cpu_seconds", "overrun", "pondered_seconds"]


class Survey(NamedTuple):
    """The moves as a report keeps them."""

    totals: pd.DataFrame
    """The table of `totals` of all moves."""
    swings: pd.Series
    """The greatest swing of each game: `swings`."""


def survey(moves: Iterable[pd.DataFrame]) -> Survey:
    """Read the moves of a run once, in the parts of `arena.ledger.read.RunData`."""
    sums, swung = zip(*((totals(part), swings(part)) for part in moves), strict=True)
    return Survey(_summed(pd.concat(sums)), pd.concat(swung))


def time_of(table: pd.DataFrame) -> pd.Series:
    """The seconds of each row of players' moves: processor time, wall time for a player that lacks it in some row.

    The wall time of a user's own code has in it how it is handed each position, and is handed back its move.
    """
    player, cpu = table["player"].astype(str), table["cpu_seconds"].astype(float)
    is_known = cpu.notna().groupby(player).all() & (cpu.groupby(player).sum() > 0)
    return cpu.where(player.map(is_known).astype(bool), table["seconds"].astype(float))


def totals(moves: pd.DataFrame) -> pd.DataFrame:
    """Sums of moves, a row for each player, depth reached and whether it searched a node.

    Columns: player (text), depth (plies), searched, moves, sums of nodes, cutoffs and lookups, of seconds,
    pondered_seconds and cpu_seconds (missing unless it is known of all the moves), the greatest deepest (plies)
    and overrun (seconds; missing where no move had a time limit), and the longest move (seconds).
    """
    table = moves[["player", "depth", *_SUMMED[1:], *_SECONDS[1:], "deepest"]]
    table = table.astype(dict.fromkeys(_SECONDS, float))
    return _summed(table.assign(searched=moves["nodes"] > 0, moves=1, longest=table["seconds"]))


def _summed(table: pd.DataFrame) -> pd.DataFrame:
    """Sums and greatest values by player, depth and whether it searched, of moves or of rows of `totals`."""
    grouped = table.groupby(["player", "depth", "searched"], observed=True)
    sums = grouped[[*_SUMMED, "pondered_seconds"]].sum()
    seconds = grouped["cpu_seconds"]
    sums["cpu_seconds"] = seconds.sum().where(seconds.count() == seconds.size())  # missing where one of them is
    sums[_GREATEST] = grouped[_GREATEST].max()
    sums = sums.reset_index()
    return sums.assign(player=sums["player"].astype(str).astype(object))


def swings(moves: pd.DataFrame) -> pd.Series:
    """The greatest swing of each game, in men, by the game's number; none for games without two such scores.

    A swing is the difference between two scores that one player gave one after the other in a game, each in men
    and cut off at ±DECIDED; a certain win or loss counts as ±DECIDED. So 2 × DECIDED is the greatest: of a player
    that thought the game won and, at its next move, lost. `moves` are those of `arena.ledger.read.RunData`.
    """
    certain = moves["plies_to_win"].to_numpy(dtype=float, na_value=np.nan)
    score = moves["score_men"].to_numpy(dtype=float, na_value=np.nan)
    score = np.where(np.isnan(certain), score, np.copysign(DECIDED, certain)).clip(-DECIDED, DECIDED)
    scores = moves[["game", "colour"]].assign(score=score).dropna(subset="score")
    swing = scores.groupby(["game", "colour"], observed=True)["score"].diff().abs()
    greatest: pd.Series = swing.groupby(scores["game"]).max().dropna()
    return greatest
