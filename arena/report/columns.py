"""The columns of the CSV files of a report: what each means, its unit, and its decimals when it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd


class Column(NamedTuple):
    """One column of a CSV file."""

    meaning: str
    unit: str = ""
    decimals: int | None = None
    """None: integers and text as they are, other fractions to six significant digits."""


def _interval(name: str, column: Column) -> dict[str, Column]:
    """The column and the ends of its 95 % interval."""
    ends = {"low": "lower", "high": "upper"}
    return {name: column} | {
        f"{name}_{end}": column._replace(meaning=f"{side} end of the 95 % interval of {name}")
        for end, side in ends.items()
    }


COLUMNS: dict[str, Column] = {
    "player": Column("name of the player"),
    "opponent": Column("name of the player it met"),
    "family": Column("players that differ in name and one limit only, by what tells them from other families"),
    "rank": Column("place in the joint rating, from 1"),
    **_interval("elo", Column("rating in the joint fit of all games, 0 at the anchor or the mean", "Elo", 1)),
    "games": Column("games played", "games"),
    "wins": Column("games won", "games"),
    "draws": Column("games drawn", "games"),
    "losses": Column("games lost", "games"),
    **_interval("score", Column("points per game", "0 to 1", 4)),
    "los": Column("likelihood of superiority", "0 to 1", 4),
    "score_elo": Column("Elo of the score alone over the other player, where there are two", "Elo", 1),
    "nodes_per_move": Column("mean positions entered for a move", "nodes"),
    "leaves_per_move": Column("mean calls of the evaluation for a move", "leaves"),
    "seconds_per_move": Column("mean time of a move", "s"),
    "nodes_per_second": Column(
        "positions entered in a second of search, by processor time where that is known; empty where more than a "
        "fifth of the time is the call's own",
        "nodes/s",
    ),
    "nodes_per_wall_second": Column("the same by wall time", "nodes/s"),
    "cpu_seconds_per_move": Column("mean processor time of a move; empty unless it is known of all moves", "s"),
    "nodes_at_depth": Column("mean positions entered for a move searched to the depth in full", "nodes"),
    "seconds_at_depth": Column("mean time of a move searched to the depth in full", "s"),
    "branching_factor": Column("effective branching factor: nodes grow by it with each ply of depth"),
    "mean_depth": Column("mean depth of the moves that searched", "plies"),
    "moves": Column("moves that the row rests on", "moves"),
    "legal_moves": Column("legal moves to choose from; a mean where a row stands for several moves", "moves"),
    "depth": Column("depth searched in full", "plies"),
    "deepest": Column("plies from the root to the deepest position entered", "plies"),
    "first_move_cutoffs": Column("beta cutoffs that the first move tried gave, of all", "0 to 1"),
    "time_used": Column(
        "mean time of a move that searched, over its limit; the greatest of several players", "", 3
    ),
    "overrun_p99": Column("time beyond the limit, 99th percentile of the moves that had one", "s"),
    "overrun_max": Column("time beyond the limit, worst move", "s"),
    "time_losses": Column("games lost on time", "games"),
    "game": Column("number of the game in the schedule, from 1"),
    "pair": Column("number of the pair: two games from one opening with colours swapped"),
    "round": Column("round of the schedule, from 1"),
    "white": Column("player of the white pieces"),
    "black": Column("player of the black pieces"),
    "opening": Column("number of the opening, from 1"),
    "opening_fen": Column("position after the opening, as FEN"),
    "result": Column("result as PDN writes it: 1-0, 1/2-1/2 or 0-1, White first"),
    "termination": Column("why the game ended"),
    "plies": Column("plies played after the opening", "plies"),
    "seconds": Column("wall time", "s"),
    "cpu_seconds": Column(
        "processor time of the player; far below the wall time where others used the processor", "s"
    ),
    "began": Column("when the game was begun, as ISO 8601; empty, as the next ones, if nobody played it", "UTC"),
    "worker": Column("process that played the game, by its number on the machine"),
    "machine": Column("name of that machine"),
    "error": Column("what went wrong with a player, empty if nothing did"),
    "ply": Column("ply within the game, from 1", "plies"),
    "colour": Column("white or black"),
    "move": Column("the move, in the notation of the rules"),
    "pieces": Column("pieces on the board before the move", "pieces"),
    "phase": Column(
        "opening with more than two thirds of the start's pieces on the board, middle with more than one, ending"
    ),
    "score_men": Column(
        "score over what a man is worth to the evaluation; empty for certain wins, and where that is not known",
        "men",
    ),
    "wins_in": Column("plies to a win that the search holds for certain, less than 0 to a loss", "plies"),
    "nodes": Column("positions entered", "nodes"),
    "leaves": Column("calls of the evaluation", "leaves"),
    "cutoffs_max": Column("beta cutoffs where the player itself is to move", "cutoffs"),
    "cutoffs_min": Column("beta cutoffs where the opponent is to move", "cutoffs"),
    "cutoffs_first": Column("beta cutoffs by the first move tried", "cutoffs"),
    "tt_probes": Column("lookups in the transposition table", "lookups"),
    "tt_hits": Column("lookups that found the position", "lookups"),
    "tree": Column("positions in the tree that the search keeps in memory", "nodes"),
    "said_ms": Column("time that an outside program says it took", "ms"),
    "clock": Column("what the player's clock shows after the move; empty without a clock", "s"),
    "overrun": Column("time beyond the limit; empty without a time limit", "s"),
    "pondered_seconds": Column(
        "processor time of the player in its opponent's time before the move; empty unless it sits in a seat", "s"
    ),
    "expected": Column("score that the ratings expect", "0 to 1", 4),
    "difference": Column("score minus expected", "-1 to 1", 4),
    "z": Column("difference in standard errors; of a cycle the least of its three leads", "standard errors", 2),
    "a": Column("player that beats b"),
    "b": Column("player that beats c"),
    "c": Column("player that beats a"),
    "setting": Column("key of the configuration in which the players differ"),
    "value": Column("its value, in words"),
    "reference": Column("the value that it is compared with, in words"),
    "baseline": Column("whether all other values are compared with this reference, too: True or False"),
    "terms": Column("kind of limit that the compared players have in common"),
    "at": Column("least and greatest limit of that kind"),
    "pairs": Column("pairs that the row rests on", "pairs"),
    **_interval("elo_difference", Column("Elo minus that of the reference", "Elo", 1)),
    "per": Column("what is doubled: depth or nodes"),
    "players": Column("players of the family", "players"),
    "x_low": Column("least depth, or nodes per move, of the family", "plies or nodes"),
    "x_high": Column("greatest depth, or nodes per move, of the family", "plies or nodes"),
    **_interval("gain", Column("what a doubling is worth", "Elo")),
    "elo_at_1": Column("Elo of the fitted line at depth 1, or at one node", "Elo"),
    "misfit": Column("root mean square distance of the ratings from the line", "Elo"),
    "tenth": Column("tenth of the game's plies, 1 to 10"),
    "role": Column("winner or loser of the game"),
    **_interval("share", Column("moves whose own score favours the later winner; level counts half", "0 to 1", 4)),
    "position": Column("number of the position, from 1"),
    "fen": Column("the position, as FEN"),
    "positions": Column("positions that the player searched to the depth in full", "positions"),
    **_interval("node_ratio", Column("nodes to the depth, relative to the reference")),
    **_interval("time_ratio", Column("time to the depth, relative to the reference")),
    "llr": Column("log-likelihood ratio of H1 to H0", "nats"),
    "lower": Column("bound at or below which H0 is accepted", "nats"),
    "upper": Column("bound at or above which H1 is accepted", "nats"),
    "place": Column("place in the final order of the format, from 1"),
    "points": Column("points of all games, a bye as won; in a knockout or ladder those of the last tie", "points"),
    "buchholz": Column("sum of the points of the opponents", "points"),
    "sonneborn_berger": Column("sum of the opponents' points, each times the share won against it", "points"),
    "conceded": Column("points of the opponent in the last tie", "points"),
    "decided": Column("what decided the last tie: points or, of a level one, seed or holder"),
    "line": Column("what was played, as a number that games of the same opening and moves share"),
    "mean": Column("mean time of a move", "s"),
    **{
        f"p{share:02}": Column(f"time that {share} % of the moves took at most", "s")
        for share in (5, 25, 50, 75, 95)
    },
}
"""What a column means in every file, unless IN_FILE says otherwise."""

_SCORE = Column("value that the search gave the position; empty where there is none", "unit of the evaluation")
_OF_MOVES = {"seconds": Column("wall time of the move", "s"), "score": _SCORE}
_OF_GAMES = {
    "seconds": Column("wall time of the whole game", "s"),
    "cpu_seconds": Column("processor time of both players' moves", "s"),
}

_LIMIT = {"depth": Column("depth that limits the player; empty without such a limit", "plies")}

IN_FILE: dict[str, dict[str, Column]] = {
    "search.csv": _LIMIT,
    "time_to_depth.csv": _LIMIT,
    "standings.csv": {"los": Column("likelihood of superiority over the next player of the table", "0 to 1", 4)},
    "equal_terms.csv": {
        "rank": Column("place among the players with this limit, from 1"),
        "reference": Column("name of the player with this limit whose Elo is 0 here"),
        **_interval("elo", Column("rating in the joint fit of all games, minus that of the reference", "Elo", 1)),
        "los": Column("likelihood of superiority over the next player with this limit", "0 to 1", 4),
    },
    "telemetry.csv": {"tt_hits": Column("lookups that found the position, of all lookups", "0 to 1")},
    "games.csv": _OF_GAMES,
    "annulled.csv": _OF_GAMES | {"result": Column("*, as the game does not count")},
    "rated_games.csv": _OF_GAMES,
    "moves.csv": _OF_MOVES,
    "probes.csv": {"seconds": Column("wall time of the search", "s"), "score": _SCORE},
    "residuals.csv": {"games": Column("games of the pairing", "games")},
    "convergence.csv": {"games": Column("games rated: the head of the schedule", "games")},
    "openings.csv": _interval("score", Column("score of the colour that moves first", "0 to 1", 4)),
    "positions.csv": {**_OF_MOVES, "fen": Column("the position before the move, as FEN")},
    "terminations.csv": {
        "games": Column("games that ended so", "games"),
        "share": Column("of all games", "0 to 1"),
    },
    "order.csv": {
        "round": Column("round of the player's last tie"),
        "opponent": Column("name of the player it met there"),
    },
    "sprt.csv": {"pair": Column("number of the pair of the match, from 1")},
    "ablation.csv": {
        "nodes": Column("geometric mean of the nodes over these positions", "nodes"),
        "seconds": Column("geometric mean of the time over these positions", "s"),
        "depth": Column("depth of the probe", "plies"),
    },
}
"""Columns that mean something else in one file."""

OF_PLAYERS: dict[str, Column] = {
    "crosstable.csv": Column('points out of games against the player of the column, such as "12.5/20"', "points"),
    "los.csv": Column("likelihood of superiority over the player of the column", "0 to 1", 4),
    "score_matrix.csv": Column("points per game against the player of the column", "0 to 1", 4),
}
"""Files with a column for each player, besides `player`."""


def column(file: str, name: str) -> Column:
    """What a column of a CSV file is. Raises KeyError for one that is not described."""
    if file in OF_PLAYERS:
        return OF_PLAYERS[file]
    return IN_FILE.get(file, {}).get(name) or COLUMNS[name]


def rounded(table: pd.DataFrame, file: str) -> pd.DataFrame:
    """The table as the CSV file of that name has it: fractions rounded as its columns say.

    Infinities become missing values, times ISO 8601 in UTC. Integers and text stay as they are.
    """
    return with_decimals(table, {name: column(file, str(name)).decimals for name in table.columns})


def with_decimals(table: pd.DataFrame, decimals: Mapping[str, int | None]) -> pd.DataFrame:
    """The table with the fractions of each column to so many decimals, or to six significant digits for None.

    Times are texts in it, to a millisecond.
    """
    table = table.copy()
    for name in table.columns:
        if pd.api.types.is_datetime64_any_dtype(table[name].dtype):
            texts = table[name].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str[:-3] + "Z"
            table[name] = texts.where(table[name].notna(), None)
        if pd.api.types.is_float_dtype(table[name].dtype):
            values = table[name].to_numpy(dtype=float, na_value=np.nan)
            values = np.where(np.isfinite(values), values, np.nan)
            places = decimals[name]
            table[name] = (_significant(values, 6) if places is None else np.round(values, places)) + 0.0
    return table


def _significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Values rounded to a number of significant digits, so that their shortest text has no more."""
    magnitude = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    decimals = np.where(np.isnan(values), 0, digits - 1 - magnitude)
    up, down = 10.0 ** np.clip(decimals, 0, 22), 10.0 ** np.clip(-decimals, 0, 22)
    return np.rint(values * up / down) / up * down
