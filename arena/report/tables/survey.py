"""One pass over all moves of a run: what they come to by player and depth, their lines, their swings, a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.base.work import in_background
from arena.ratings.repeats import line_hashes

SAMPLE = 1_000_000
"""Plies of a run above which tables that need single moves rest on the moves of so many plies, and `moves.csv` and
`games.pdn` are written only when asked for."""
COUNTED = ("nodes", "cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits")
"""Columns of moves that `totals` sums, beside the seconds."""
_SEED = 1
_SAMPLED = ["game", "player", "seconds", "cpu_seconds", "overrun", "pondered_seconds"]
_SHOWN = ["colour", "move", "depth", "nodes", "score", "score_men", "plies_to_win"]
"""Columns that tables take of single moves; those that the page's games need, too, unless the run is large."""
DECIDED = 4.0
"""Men from which on a score counts as a decided game: more, and a certain win, surprise no further."""


class Survey(NamedTuple):
    """The moves as a report keeps them."""

    totals: pd.DataFrame
    """That of `totals`."""
    hashes: pd.Series
    """That of `arena.ratings.repeats.line_hashes`, of all games."""
    sample: pd.DataFrame
    """The moves of the games of `sampled`, with the columns that are needed of single moves."""
    swings: pd.Series
    """That of `tables.survey.swings`, of all games."""
    phases: pd.DataFrame = pd.DataFrame()
    """That of `phase_totals`."""


def survey(games: pd.DataFrame, moves: Callable[..., Iterable[pd.DataFrame]]) -> Survey:
    """Read the moves of games once, in two halves side by side if they are many.

    `games` and `moves` are those of `arena.ledger.read.RunData`.
    """
    chosen = sampled(games)
    if chosen is None:
        return _surveyed(moves(), None)
    half = int((2 * games["plies"].cumsum() <= games["plies"].sum()).sum())
    first, second = pd.Index(games["game"].iloc[:half]), pd.Index(games["game"].iloc[half:])
    with in_background(lambda: _surveyed(moves(second), chosen)) as others:
        ours, theirs = _surveyed(moves(first), chosen), others()
    return Survey(
        _together(pd.concat([ours.totals, theirs.totals])),
        pd.concat([ours.hashes, theirs.hashes]),
        pd.concat([ours.sample, theirs.sample], ignore_index=True),
        pd.concat([ours.swings, theirs.swings]),
        _phases_together(pd.concat([ours.phases, theirs.phases])),
    )


def _surveyed(parts: Iterable[pd.DataFrame], chosen: pd.Index | None) -> Survey:
    sums: list[pd.DataFrame] = []
    hashes: list[pd.Series] = []
    sample: list[pd.DataFrame] = []
    swung: list[pd.Series] = []
    phases: list[pd.DataFrame] = []
    for part in parts:
        phases.append(phase_totals(part))
        sums.append(totals(part))
        hashes.append(line_hashes(part))
        swung.append(swings(part))
        sample.append(part[_SAMPLED + _SHOWN] if chosen is None else part.loc[part["game"].isin(chosen), _SAMPLED])
    return Survey(
        _together(pd.concat(sums)),
        pd.concat(hashes),
        pd.concat(sample, ignore_index=True),
        pd.concat(swung),
        _phases_together(pd.concat(phases)),
    )


def time_of(table: pd.DataFrame) -> pd.Series:
    """The seconds of each row of players' moves: processor time, wall time for a player that lacks it in some row.

    The wall time of a user's own code has in it how it is handed each position, and is handed back its move.
    """
    cpu, is_known = table["cpu_seconds"].astype(float), table["player"].astype(str).map(knows_cpu(table))
    return cpu.where(is_known.astype(bool), table["seconds"].astype(float))


def knows_cpu(table: pd.DataFrame) -> pd.Series:
    """Whether processor time is known of all rows of a player's moves, by player."""
    player, cpu = table["player"].astype(str), table["cpu_seconds"].astype(float)
    return cpu.notna().groupby(player).all() & (cpu.groupby(player).sum() > 0)


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

    Columns: player (text), depth (plies), searched, moves, the sums of COUNTED, of seconds and of cpu_seconds
    (missing unless it is known of all the moves), the greatest deepest (plies) and overrun (seconds; missing where
    no move had a time limit), and the longest move (seconds).
    """
    player, depth = pd.Categorical(moves["player"]), moves["depth"].to_numpy(np.int64)
    depths = int(depth.max(initial=0)) + 1
    searched = moves["nodes"].to_numpy(np.int64) > 0
    group, keys = pd.factorize((player.codes.astype(np.int64) * depths + depth) * 2 + searched, sort=True)
    names = player.categories[keys // 2 // depths].astype(str).astype(object)
    found: dict[str, Any] = {"player": names, "depth": keys // 2 % depths, "searched": keys % 2 == 1}
    found["moves"] = np.bincount(group, minlength=len(keys))
    for name in COUNTED:
        found[name] = np.bincount(group, moves[name].to_numpy(float), len(keys)).astype(np.int64)
    found["seconds"] = np.bincount(group, moves["seconds"].to_numpy(float, na_value=np.nan), len(keys))
    # nan where it is not known of all the moves
    found["cpu_seconds"] = np.bincount(group, moves["cpu_seconds"].to_numpy(float, na_value=np.nan), len(keys))
    for name, of in (("deepest", "deepest"), ("overrun", "overrun"), ("longest", "seconds")):
        found[name] = np.full(len(keys), np.nan)
        np.fmax.at(found[name], group, moves[of].to_numpy(float, na_value=np.nan))
    return pd.DataFrame(found)


def phase_totals(moves: pd.DataFrame) -> pd.DataFrame:
    """Sums of moves by player and phase: moves, nodes, depth (plies), seconds and cpu_seconds.

    cpu_seconds is missing unless it is known of all the moves.
    """
    names = ["nodes", "depth", "seconds", "cpu_seconds"]
    columns = moves[names].astype(float).assign(player=moves["player"], phase=moves["phase"], moves=1)
    grouped = columns.groupby(["player", "phase"], observed=True)
    table = grouped[["moves", *names]].sum()
    table["cpu_seconds"] = table["cpu_seconds"].where(grouped["cpu_seconds"].count() == table["moves"])
    table = table.reset_index()
    return table.assign(player=table["player"].astype(str).astype(object), phase=table["phase"].astype(str))


def swings(moves: pd.DataFrame) -> pd.Series:
    """The greatest swing of each game, in men, by the game's number; none for games without two such scores.

    A swing is the difference between two scores that one player gave one after the other in a game, each in men
    and cut off at ±DECIDED; a certain win or loss counts as ±DECIDED. So 2 × DECIDED is the greatest: of a player
    that thought the game won and, at its next move, lost. `moves` are those of `arena.ledger.read.RunData`.
    """
    certain = moves["plies_to_win"].to_numpy(dtype=float, na_value=np.nan)
    score = moves["score_men"].to_numpy(dtype=float, na_value=np.nan)
    score = np.where(np.isnan(certain), score, np.copysign(DECIDED, certain))
    there = np.flatnonzero(~np.isnan(score))
    games, of = pd.factorize(moves["game"].to_numpy()[there])
    side = 2 * games + (moves["colour"].to_numpy()[there] == "white")
    order = np.argsort(side, kind="stable")
    same = np.diff(side[order]) == 0
    swing = np.abs(np.diff(np.clip(score[there][order], -DECIDED, DECIDED)))[same]
    greatest = np.full(len(of), -1.0)
    np.maximum.at(greatest, games[order][1:][same], swing)
    return pd.Series(greatest, index=pd.Index(of, name="game"))[greatest >= 0]


def _together(table: pd.DataFrame) -> pd.DataFrame:
    grouped = table.groupby(["player", "depth", "searched"], observed=True)
    found = grouped[["moves", *COUNTED, "seconds", "cpu_seconds"]].sum()
    found["cpu_seconds"] = found["cpu_seconds"].where(grouped["cpu_seconds"].count() == grouped.size())
    greatest = ["deepest", "overrun", "longest"]
    found[greatest] = grouped[greatest].max()
    found = found.reset_index()
    return found.assign(player=found["player"].astype(str).astype(object))


def _phases_together(table: pd.DataFrame) -> pd.DataFrame:
    grouped = table.groupby(["player", "phase"])
    sums = grouped.sum()
    sums["cpu_seconds"] = sums["cpu_seconds"].where(grouped["cpu_seconds"].count() == grouped.size())
    return sums.reset_index()
