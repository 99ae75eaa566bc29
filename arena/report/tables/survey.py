"""One pass over all moves of a run: sums by player and depth, the line and swing of each game, a sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

SAMPLE = 1_000_000
"""Plies of a run above which tables that need single moves rest on the moves of so many plies, and `moves.csv` and
`games.pdn` are written only when asked for."""
COUNTED = ("nodes", "cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits")
"""Columns of moves that `totals` sums, beside the seconds."""
_SEED = 1
_KEYS = ["player", "depth", "searched"]
_SAMPLED = ["game", "player", "seconds", "cpu_seconds", "overrun", "pondered_seconds"]
_SHOWN = ["colour", "move", "depth", "nodes", "score", "score_men", "plies_to_win"]
"""Columns that tables take of single moves; those that the page's games need, too, unless the run is large."""
DECIDED = 4.0
"""Men from which on a score counts as a decided game: more, and a certain win, surprise no further."""


class Survey(NamedTuple):
    """The moves as a report keeps them."""

    totals: pd.DataFrame
    """The table of `totals` of all moves."""
    sample: pd.DataFrame
    """The moves of the games of `sampled`, with the columns that are needed of single moves."""
    swings: pd.Series
    """The greatest swing of each game: `swings`."""


def survey(games: pd.DataFrame, moves: Iterable[pd.DataFrame]) -> Survey:
    """Read the moves of games once. Both are those of `arena.ledger.read.RunData`."""
    chosen = sampled(games)
    parts = [
        Survey(
            totals(part),
            part[_SAMPLED + _SHOWN] if chosen is None else part.loc[part["game"].isin(chosen), _SAMPLED],
            swings(part),
        )
        for part in moves
    ]
    sums, samples, swung = zip(*parts, strict=True)
    return Survey(_summed(pd.concat(sums)), pd.concat(samples, ignore_index=True), pd.concat(swung))


def time_of(table: pd.DataFrame) -> pd.Series:
    """The seconds of each row of players' moves: processor time, wall time for a player that lacks it in some row.

    The wall time of a user's own code has in it how it is handed each position, and is handed back its move.
    """
    player, cpu = table["player"].astype(str), table["cpu_seconds"].astype(float)
    is_known = cpu.notna().groupby(player).all() & (cpu.groupby(player).sum() > 0)
    return cpu.where(player.map(is_known).astype(bool), table["seconds"].astype(float))


def is_large(games: pd.DataFrame) -> bool:
    """Whether games have more than SAMPLE plies."""
    return int(games["plies"].sum()) > SAMPLE


def sampled(games: pd.DataFrame) -> pd.Index | None:
    """The numbers of the games whose moves are the sample; None for all games, if they have SAMPLE plies at most.

    They are whole pairs, drawn from a fixed seed, with SAMPLE plies at most.
    """
    if not is_large(games):
        return None
    pairs = games.groupby("pair", sort=False)["plies"].sum()
    drawn = pairs.iloc[np.random.default_rng(_SEED).permutation(len(pairs))]
    numbers: pd.Index = pd.Index(games.loc[games["pair"].isin(drawn.index[drawn.cumsum() <= SAMPLE]), "game"])
    return numbers


def totals(moves: pd.DataFrame) -> pd.DataFrame:
    """Sums of moves, a row for each player, depth reached and whether it searched a node.

    Columns: player (text), depth (plies), searched, moves, the sums of COUNTED, of seconds and of
    cpu_seconds (missing unless it is known of all the moves), the greatest deepest (plies) and overrun (seconds;
    missing where no move had a time limit), and the longest move (seconds).
    """
    columns = [*COUNTED, "seconds", "cpu_seconds", "deepest", "overrun"]
    table = moves[columns].astype(dict.fromkeys(("seconds", "cpu_seconds", "overrun"), float))
    return _summed(
        table.assign(
            player=moves["player"],
            depth=moves["depth"],
            searched=moves["nodes"] > 0,
            moves=1,
            longest=table["seconds"],
        )
    )


def _summed(table: pd.DataFrame) -> pd.DataFrame:
    """Sums and greatest values by _KEYS, of single moves or of rows of `totals`."""
    grouped = table.groupby(_KEYS, observed=True)
    sums = grouped[["moves", *COUNTED, "seconds"]].sum()
    seconds = grouped["cpu_seconds"]
    sums["cpu_seconds"] = seconds.sum().where(seconds.count() == seconds.size())  # missing where one of them is
    greatest = ["deepest", "overrun", "longest"]
    sums[greatest] = grouped[greatest].max()
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
