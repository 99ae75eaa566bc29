"""Tables of a run: standings, crosstable, search effort, outcomes, terminations; DataFrame in, DataFrame out.

The input frames are those of `arena.store.ledger.read`: one row per game, one row per move. Everything is from the
row player's view. A value that does not exist is missing (an empty cell), never an infinity.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.ratings.joint import Ratings

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""Points of White by result."""

COLOURS = ("white", "black")

DECIMALS = {f"{elo}{end}": 1 for elo in ("elo", "elo_difference") for end in ("", "_low", "_high")}
DECIMALS |= {f"{name}{end}": 4 for name in ("score", "share") for end in ("", "_low", "_high")} | {"los": 4}
DECIMALS |= {"expected": 4, "difference": 4, "z": 2}
"""Decimals of the columns of a table when it is written."""

QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


def standings(ratings: pd.DataFrame, moves: pd.DataFrame, groups: Iterable[Sequence[str]] = ()) -> pd.DataFrame:
    """The table of `arena.ratings.joint.rate` with what each player spent on a move.

    Adds `nodes_per_move` (missing for a player that never searched a node) and `seconds_per_move`: means over
    all moves of the player, forced ones included. Elo and score are missing for a player without games, and
    los for the last of each of `groups`, the players connected through games: nobody follows there.
    """
    effort = moves.groupby("player", observed=True)[["nodes", "seconds"]].mean()
    effort = pd.DataFrame(
        {"nodes_per_move": effort["nodes"].where(effort["nodes"] > 0), "seconds_per_move": effort["seconds"]}
    )
    effort.index = effort.index.astype(str)
    return (
        rated(ratings, groups).merge(effort, how="left", left_on="player", right_index=True).reset_index(drop=True)
    )


def rated(ratings: pd.DataFrame, groups: Iterable[Sequence[str]] = ()) -> pd.DataFrame:
    """The table of `arena.ratings.joint.rate` without what is unknown, see `standings`."""
    table = ratings.copy()
    figures = ["elo", "elo_low", "elo_high", "score", "los"]
    table[figures] = table[figures].astype(float).where(table["games"] > 0)
    table.loc[table["player"].isin([group[-1] for group in groups]), "los"] = np.nan
    return table


def crosstable(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Points of the row player out of the games against the column player, as text such as "12.5/20".

    Rows and columns are `players` in the order given; the diagonal and pairs that never met are empty text.
    """
    points, played = _meetings(games, players)
    text = [
        [f"{p:g}/{n}" if n else "" for p, n in zip(*rows, strict=True)]
        for rows in zip(points.tolist(), played.tolist(), strict=True)
    ]
    return _matrix(np.array(text, dtype=object).reshape(points.shape), players)


def score_matrix(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Score of the row player against the column player, 0 to 1; missing where the two never met."""
    points, played = _meetings(games, players)
    return _matrix(np.divide(points, played, out=np.full(points.shape, np.nan), where=played > 0), players)


def los_matrix(ratings: Ratings) -> pd.DataFrame:
    """Likelihood of superiority of the row player over the column player, 0 to 1, in rank order.

    Missing where no games connect the two, and of a player over itself.
    """
    group = {player: number for number, members in enumerate(ratings.groups) for player in members}
    players = ratings.table["player"].tolist()
    of = np.array([group[player] for player in players], dtype=np.int64)
    connected = (of[:, None] == of) & ~np.eye(len(of), dtype=bool)
    return _matrix(np.where(connected, ratings.los_matrix().to_numpy(float), np.nan), players)


def by_depth(moves: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Search effort for each player and depth reached, over the moves that searched at least one node.

    Columns: player, depth (plies), moves, the means legal_moves, nodes_per_move, leaves_per_move and
    seconds_per_move, and nodes_per_second (missing if no time was measured). Rows are in the order of
    `players`, then of depth.
    """
    searched = moves.loc[moves["nodes"] > 0, ["player", "depth", "legal_moves", "nodes", "leaves", "seconds"]]
    table = (
        searched.groupby(["player", "depth"], observed=True)
        .agg(
            moves=("nodes", "size"),
            legal_moves=("legal_moves", "mean"),
            nodes_per_move=("nodes", "mean"),
            leaves_per_move=("leaves", "mean"),
            seconds_per_move=("seconds", "mean"),
        )
        .reset_index()
    )
    seconds = table["seconds_per_move"]
    table["nodes_per_second"] = table["nodes_per_move"] / seconds.where(seconds > 0)
    return _in_order(table, players, then="depth")


def branching(effort: pd.DataFrame, config: Mapping[str, Any]) -> pd.DataFrame:
    """One row of `by_depth` per player, with its family and the family's effective branching factor.

    A family is a set of players whose configurations differ in name and depth only. A player of a family is
    represented by the moves searched to its configured depth (and left out if there are none), any other
    player by the depth it reached most often; its `family` is missing. The effective branching factor is the
    geometric mean of the ratios of mean nodes per move at successive depths, per ply: with nodes N and depths
    d, (N_last / N_first) ** (1 / (d_last - d_first)). Each player's nodes come from its own games, so
    positions differ from depth to depth, and an odd number of plies between the first and the last depth
    carries the odd-even effect of alpha-beta.
    """
    family = families(config)
    depth = {player["name"]: player.get("depth") for player in config["players"]}
    member = effort["player"].isin(list(family))
    configured = member & (effort["depth"] == effort["player"].map(depth))
    usual = effort[~member].sort_values("moves", ascending=False, kind="stable").drop_duplicates("player")
    table = pd.concat([effort[configured], usual])
    table = _in_order(table, list(dict.fromkeys(effort["player"])), then="depth")
    table["family"] = table["player"].map(family).astype(object)
    factors = {name: _branching_factor(rows) for name, rows in table.groupby("family")}
    table["branching_factor"] = table["family"].map(factors).astype(float)
    return table


def elo_by_depth(standings: pd.DataFrame, config: Mapping[str, Any]) -> pd.DataFrame:
    """Elo against depth: family, depth, player, elo, elo_low, elo_high.

    One family for players that differ in name and depth only, if it has at least three depths with games.
    """
    family = families(config)
    depth = {player["name"]: player.get("depth") for player in config["players"]}
    table = standings.loc[(standings["games"] > 0) & standings["player"].isin(list(family))]
    table = table[["player", "elo", "elo_low", "elo_high"]].copy()
    table.insert(0, "depth", table["player"].map(depth).astype("int64"))
    table.insert(0, "family", table["player"].map(family).astype(object))
    table = table[table.groupby("family")["depth"].transform("nunique") >= 3]
    return table.sort_values(["family", "depth"], kind="stable").reset_index(drop=True)


def outcomes(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Games, wins, draws and losses of each player with each colour: two rows a player, White first."""
    sides = pd.concat(
        [
            pd.DataFrame({"player": games["white"].astype(str), "colour": "white", "points": _points(games)}),
            pd.DataFrame({"player": games["black"].astype(str), "colour": "black", "points": 1 - _points(games)}),
        ]
    )
    counts = {
        "games": sides["points"] >= 0,
        "wins": sides["points"] == 1,
        "draws": sides["points"] == 0.5,
        "losses": sides["points"] == 0,
    }
    table = sides[["player", "colour"]].assign(**counts).groupby(["player", "colour"]).sum()
    rows = pd.MultiIndex.from_product([list(players), COLOURS], names=["player", "colour"])
    return table.reindex(rows, fill_value=0).astype("int64").reset_index()


def terminations(games: pd.DataFrame) -> pd.DataFrame:
    """How games ended: termination, games and their share of all, the most frequent first."""
    counts = games["termination"].astype(str).value_counts().rename_axis("termination").reset_index(name="games")
    counts["share"] = counts["games"] / max(len(games), 1)
    return counts.sort_values(["games", "termination"], ascending=[False, True]).reset_index(drop=True)


def search_time(moves: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Seconds per move of each player that moved: moves, mean and the quantiles p05, p25, p50, p75, p95."""
    seconds = moves.groupby("player", observed=True)["seconds"]
    table = pd.DataFrame({"moves": seconds.size(), "mean": seconds.mean()})
    levels = list(QUANTILES.values())
    quantiles = seconds.quantile(np.array(levels)).unstack().reindex(columns=levels)
    table[list(QUANTILES)] = quantiles
    return _in_order(table.reset_index(), players)


def telemetry(games: pd.DataFrame, moves: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """What the search and the clock of each player that moved show over all its moves; missing what no move tells.

    Columns: player, nodes_per_second and mean_depth (over the moves that searched at least one node), deepest
    (plies), first_move_cutoffs (share of the beta cutoffs that the first move tried gave), tt_hits (share of the
    lookups that found the position), overrun_p99 and overrun_max (seconds beyond the limit of time, over the
    moves that had one), time_losses (games lost on time, if any move had a limit of time).
    """
    searched = moves[moves["nodes"] > 0].groupby("player", observed=True)
    grouped = moves.groupby("player", observed=True)
    total = grouped[["cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits"]].sum()
    effort = searched[["nodes", "seconds"]].sum()
    overrun = moves["overrun"].astype(float).groupby(moves["player"], observed=True)
    beaten = games["white"].where(games["result"].astype(str) == "0-1", games["black"]).astype(str)
    table = pd.DataFrame(index=total.index)
    table["nodes_per_second"] = effort["nodes"] / effort["seconds"].where(effort["seconds"] > 0)
    table["mean_depth"] = searched["depth"].mean()
    table["deepest"] = _told(grouped["deepest"].max()).astype("Int64")
    table["first_move_cutoffs"] = _told(total["cutoffs_first"]) / (total["cutoffs_max"] + total["cutoffs_min"])
    table["tt_hits"] = total["tt_hits"] / _told(total["tt_probes"])
    table["overrun_p99"], table["overrun_max"] = overrun.quantile(0.99), overrun.max()
    losses = beaten[games["termination"].astype(str) == "time"].value_counts()
    losses = losses.reindex(table.index.astype(str), fill_value=0).set_axis(table.index)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    return _in_order(table.reset_index(), players)


def lines(games: pd.DataFrame, moves: pd.DataFrame) -> pd.Series:
    """What was played in each game: a number that games of the same opening and moves share, as `int64[games]`.

    Told by a 64-bit hash of the moves.
    """
    step = np.int64(1 + moves["ply"].max()) if len(moves) else 1
    codes = pd.factorize(moves["move"])[0].astype(np.int64) * step + moves["ply"].to_numpy(dtype=np.int64)
    hashes = pd.Series(pd.util.hash_array(codes)).groupby(moves["game"].to_numpy()).sum()
    line = games["game"].map(hashes).fillna(0)
    return games[["opening_fen"]].assign(line=line).groupby(["opening_fen", "line"], sort=False).ngroup()


def repeated_games(games: pd.DataFrame, moves: pd.DataFrame) -> int:
    """Games that repeat an earlier one: same colours, opening and moves."""
    return int(games[["white", "black"]].assign(line=lines(games, moves)).duplicated().sum())


def families(config: Mapping[str, Any], limit: str = "depth") -> dict[str, str]:
    """Player name -> family name, for players that differ from another one in name and in one limit only.

    A family is named by its type, unless all players are of one type and something else tells, and by those
    options in which other players of that type differ from it; if that leaves two of one name, by its first
    player too.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for player in config["players"]:
        if isinstance(player.get(limit), int | float):
            rest = {key: value for key, value in player.items() if key not in ("name", limit)}
            groups.setdefault(json.dumps(rest, sort_keys=True, default=str), []).append(player)
    members = [group for group in groups.values() if len({player[limit] for player in group}) > 1]
    names = [_family_name(group[0], config["players"], limit) for group in members]
    names = [
        name if names.count(name) == 1 else f"{name} ({group[0]['name']}, ...)"
        for name, group in zip(names, members, strict=True)
    ]
    return {player["name"]: name for name, group in zip(names, members, strict=True) for player in group}


def rounded(table: pd.DataFrame, decimals: Mapping[str, int] = DECIMALS) -> pd.DataFrame:
    """The table as it is written: columns named in `decimals` to so many, other fractions to 6 digits.

    Infinities become missing values. Integers and text stay as they are.
    """
    table = table.copy()
    for name in table.columns:
        if pd.api.types.is_float_dtype(table[name].dtype):
            values = table[name].to_numpy(dtype=float, na_value=np.nan)
            values = np.where(np.isfinite(values), values, np.nan)
            known = name in decimals
            table[name] = (np.round(values, decimals[name]) if known else _significant(values, 6)) + 0.0
    return table


def quantity(value: float, unit: str = "") -> str:
    """A number with three digits and an SI prefix: 1234 -> "1.23 k", 0.0005 s -> "500 µs"."""
    if not value or not math.isfinite(value):
        return f"{value:g} {unit}".strip() if value == 0 else ""
    power = min(max(math.floor(math.log10(abs(value)) / 3), -4), 4)
    if abs(float(f"{value / 1000.0**power:.3g}")) >= 1000 and power < 4:
        power += 1
    prefix = ["p", "n", "µ", "m", "", "k", "M", "G", "T"][power + 4]
    return f"{float(f'{value / 1000.0**power:.3g}'):g} {prefix}{unit}".strip()


def signed(value: float) -> str:
    """A whole number with its sign, as people write it: "+12", "−7", "0"."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def _points(games: pd.DataFrame) -> pd.Series:
    return games["result"].astype(str).map(POINTS).astype(float)


def _meetings(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Points of row against column and games between them, each [players, players]."""
    index = pd.Index(list(players))
    white = index.get_indexer(pd.Index(games["white"].astype(str)))
    black = index.get_indexer(pd.Index(games["black"].astype(str)))
    points = np.zeros((len(index), len(index)))
    played = np.zeros((len(index), len(index)), dtype=np.int64)
    result = _points(games).to_numpy()
    np.add.at(points, (white, black), result)
    np.add.at(points, (black, white), 1 - result)
    np.add.at(played, (white, black), 1)
    np.add.at(played, (black, white), 1)
    return points, played


def _told(counts: pd.Series) -> pd.Series:
    """Counts, missing where they are 0, which is what a player that does not count says."""
    return counts.where(counts > 0)


def _matrix(values: np.ndarray, players: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(values, index=pd.Index(list(players), name="player"), columns=list(players))


def _in_order(table: pd.DataFrame, players: Sequence[str], then: str | None = None) -> pd.DataFrame:
    """Rows in the order of `players`, then by the column `then`; names as plain text."""
    table = table.assign(player=table["player"].astype(str).astype(object))
    order = table["player"].map({name: i for i, name in enumerate(players)})
    table = table.assign(_order=order).sort_values(["_order", then] if then else ["_order"], kind="stable")
    return table.drop(columns="_order").reset_index(drop=True)


def _branching_factor(rows: pd.DataFrame) -> float:
    """Effective branching factor of one family (see `branching`); nan with fewer than two depths."""
    nodes = rows.groupby("depth")["nodes_per_move"].mean()
    if len(nodes) < 2:
        return math.nan
    return float((nodes.iloc[-1] / nodes.iloc[0]) ** (1 / (nodes.index[-1] - nodes.index[0])))


def _family_name(player: Mapping[str, Any], players: Sequence[Mapping[str, Any]], limit: str) -> str:
    same_type = [other for other in players if other["type"] == player["type"]]
    options = [key for key in player if key not in ("name", "type", limit) and player[key] is not None]
    telling = [key for key in options if any(other.get(key) != player[key] for other in same_type)]
    parts = [f"{key} {_option(player[key])}" for key in telling]
    return ", ".join(parts if parts and len(same_type) == len(players) else [str(player["type"]), *parts])


def _option(value: Any) -> str:
    """An option's value in short: of a mapping the keys only."""
    return ", ".join(map(str, value)) if isinstance(value, Mapping) else str(value)


def _significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Values rounded to a number of significant digits, so that their shortest text has no more."""
    magnitude = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    decimals = np.where(np.isnan(values), 0, digits - 1 - magnitude)
    up, down = 10.0 ** np.clip(decimals, 0, 22), 10.0 ** np.clip(-decimals, 0, 22)
    return np.rint(values * up / down) / up * down
