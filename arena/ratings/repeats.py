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


def codes_of(values: pd.Series, among: pd.Index) -> np.ndarray:
    """The place of each value *among* others, -1 if it is not there; categories are looked up once."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        places = among.get_indexer(pd.Index(values.cat.categories, dtype=object))
        return np.append(places, -1)[values.cat.codes.to_numpy()]
    return among.get_indexer(pd.Index(values, dtype=object))


def alike(games: pd.DataFrame, names: list[str]) -> dict[tuple[str, str], int]:
    """Players that played the same moves whenever they met, by the order of *names*, with the games between them.

    Of each game there is one with colours swapped, move for move the same, and there are FEWEST_LINES such lines
    at least. *games* are those of `arena.ratings.joint.rate`; without lines there are no such players.
    """
    if "line" not in games or not len(games):
        return {}
    codes = pd.Index(names, dtype=object)
    white, black = (codes_of(games[colour], codes) for colour in ("white", "black"))
    number = pd.to_numeric(games["count"]).to_numpy() if "count" in games else np.ones(len(games), np.int64)
    line, (result, results) = pd.factorize(games["line"])[0], pd.factorize(games["result"])
    lines = np.where(line < 0, 0, line * len(results) + result + 1)
    counted = number > 0
    meeting = (np.minimum(white, black) * len(names) + np.maximum(white, black))[counted]
    played, of_line = pd.factorize(meeting * (lines.max(initial=0) + 1) + lines[counted])
    sides, times = np.bincount(played, (white < black)[counted]), np.bincount(played)
    of_meeting, known = np.divmod(of_line, lines.max(initial=0) + 1)
    mirrored = (known > 0) & (sides > 0) & (sides < times)
    tie, ties = pd.factorize(of_meeting, sort=True)
    those_of = np.bincount(tie)
    one = ties[(those_of == np.bincount(tie, mirrored)) & (those_of >= FEWEST_LINES)]
    games_of = {int(code): int(number[counted][meeting == code].sum()) for code in one}
    return {(names[code // len(names)], names[code % len(names)]): games for code, games in games_of.items()}
