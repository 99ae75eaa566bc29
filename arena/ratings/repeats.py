"""Repeated games: which games of a run are the same, move for move, and which players play the same moves."""

import numpy as np
import pandas as pd

FEWEST_LINES = 5
"""Openings that two players must have played alike from both sides to pass for one player."""
_PLY = np.uint64(0x9E3779B97F4A7C15)


def line_hashes(moves: pd.DataFrame) -> pd.Series:
    """A 64-bit hash of the moves of each game, by its number: equal for games of the same moves.

    *moves* are those of whole games, a row per move: game, ply, move.
    """
    code, texts = pd.factorize(moves["move"])
    of_text = pd.util.hash_array(np.asarray(texts, dtype=object), categorize=False)
    ply = moves["ply"].to_numpy(dtype=np.uint64)
    hashes = pd.util.hash_array((of_text[code] if len(texts) else ply) + _PLY * ply)
    return pd.Series(hashes).groupby(moves["game"].to_numpy(dtype=np.int64)).sum()


def lines(games: pd.DataFrame, hashes: pd.Series) -> pd.Series:
    """The line of each game: a number that games of the same opening and moves share, as `int64[games]`.

    *games* are those of `arena.ledger.read` (game, opening_fen), *hashes* those of `line_hashes`.
    """
    line = games["game"].map(hashes).fillna(0)
    return games[["opening_fen"]].assign(line=line).groupby(["opening_fen", "line"], sort=False).ngroup()


def repeated_games(games: pd.DataFrame, hashes: pd.Series) -> int:
    """Games that repeat an earlier one: same players, colours, opening and moves."""
    return int(games[["white", "black"]].assign(line=lines(games, hashes)).duplicated().sum())


def alike(games: pd.DataFrame, names: list[str]) -> dict[tuple[str, str], int]:
    """Players that played the same moves whenever they met, by the order of *names*, with the games between them.

    Of each game there is one with colours swapped, move for move the same, and there are FEWEST_LINES such lines
    at least. *games* are those of `arena.ratings.joint.rate`; without lines there are no such players.
    """
    if "line" not in games or not len(games):
        return {}
    codes = pd.Index(names, dtype=object)
    white, black = (codes.get_indexer(pd.Index(games[colour], dtype=object)) for colour in ("white", "black"))
    table = pd.DataFrame({"low": np.minimum(white, black), "high": np.maximum(white, black)})
    table["side"], table["number"] = (
        white < black,
        pd.to_numeric(games["count"]).to_numpy() if "count" in games else 1,
    )
    known = games["line"].notna().to_numpy()
    played = pd.MultiIndex.from_arrays([games["line"].astype(object), games["result"]])
    table["line"] = np.where(known, played.factorize()[0], -1)
    table = table[table["number"] > 0]
    by_line = table.groupby(["low", "high", "line"])["side"].agg(["min", "max"]).reset_index()
    by_line["mirrored"] = (by_line["min"] != by_line["max"]) & (by_line["line"] >= 0)
    ties = by_line.groupby(["low", "high"])["mirrored"].agg(["all", "size"])
    one = ties.index[ties["all"] & (ties["size"] >= FEWEST_LINES)]
    number = table.groupby(["low", "high"])["number"].sum()
    return {(names[low], names[high]): int(number[low, high]) for low, high in one}
