"""Games as codes and clusters: which of them are observations of their own, and how much each counts."""

from typing import NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from arena.ratings.arrays import Ints
from arena.ratings.cells import ClusteredGames
from arena.rules.result import RESULTS, Colour


class CodedGames(NamedTuple):
    """Games as codes, `int64[rows]` each; a row stands for `number` games."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    number: Ints  # 1 or more
    pair: Ints  # 0, 1, ... ; -1 for a game that stands alone
    opening: Ints  # 0, 1, ... ; -1 where it is not known
    line: Ints  # 0, 1, ... : games that repeat one another share a number; -1 for one that repeats nothing

    @property
    def total(self) -> int:
        return int(self.number.sum())

    @property
    def distinct(self) -> int:
        """Games that are not a repetition of another."""
        return len(np.unique(self.line[self.line >= 0])) + int(self.number[self.line < 0].sum())


def encode(games: pd.DataFrame, names: list[str], first: Colour, one: Ints | None = None) -> CodedGames:
    """The games of `arena.ratings.joint.rate` as codes of *names*, without rows that count no game.

    *first* is the colour that moves first. With *one*, `int64[names]`, each player's games are those of the player
    with that code, and those between two of one code are left out.

    Raises ValueError for players that are not listed or meet themselves, unknown results, and counts that are not
    whole numbers of 0 or more.
    """
    index = pd.Index(names, dtype=object)
    codes = {colour: index.get_indexer(pd.Index(games[colour], dtype=object)) for colour in get_args(Colour)}
    unknown = {name for colour in codes for name in games[colour][codes[colour] < 0]}
    if unknown:
        raise ValueError(f"games of players that are not listed: {sorted(map(str, unknown))}")
    itself = codes["white"] == codes["black"]
    if itself.any():
        raise ValueError(f"players that meet themselves cannot be rated: {sorted(set(games['white'][itself]))}")
    outcome = pd.Index(RESULTS, dtype=object).get_indexer(pd.Index(games["result"], dtype=object))
    if (outcome < 0).any():
        wrong = sorted(map(str, set(games["result"][outcome < 0])))
        raise ValueError(f"unknown results {wrong}: choose among {', '.join(RESULTS)}")

    if one is not None:
        codes = {colour: one[code] for colour, code in codes.items()}
    first_code, second_code = codes["white"], codes["black"]
    if first == "black":
        first_code, second_code, outcome = second_code, first_code, 2 - outcome
    count = _counts(games)
    meeting = np.minimum(first_code, second_code) * len(names) + np.maximum(first_code, second_code)
    pair = _shared(meeting, games.get("pair"))
    line = _shared(first_code * len(names) + second_code, games.get("line"))
    opening = pd.factorize(games["opening"])[0] if "opening" in games else np.full(len(games), -1)
    kept = (count > 0) & (first_code != second_code)
    columns = (first_code, second_code, outcome, count, pair, opening, line)
    return CodedGames(*(column[kept] for column in columns))


def clustered(games: CodedGames, size: int) -> ClusteredGames:
    """Games as the fit takes them: in clusters, with what repetitions weigh.

    Pairs that hold copies of one game are one cluster, as the copies are. With N games of two players, of which D
    are distinct, each weighs D / N, and the variance of a sum of k copies is k^2 times that of one.
    """
    rows, pairs = len(games.first), games.pair.max(initial=-1) + 1
    linked = games.line >= 0
    lone = (games.pair < 0) & ~linked
    node = np.where(games.pair >= 0, games.pair, pairs + np.arange(rows))
    lines = pairs + rows + games.line[linked]
    if len(lines) > len(np.unique(lines)):
        nodes = pairs + rows + games.line.max(initial=-1) + 1
        node = components(node[linked], lines, nodes)[node]
    cluster, clusters = pd.factorize(node)

    of_line = np.bincount(games.line[linked], games.number[linked])
    copies = np.ones(rows)
    copies[linked] = of_line[games.line[linked]]
    meeting = pd.factorize(np.minimum(games.first, games.second) * size + np.maximum(games.first, games.second))[0]
    total = np.bincount(meeting, games.number)
    distinct = np.bincount(meeting, np.where(linked, games.number / copies, games.number))
    share = (distinct / np.maximum(total, 1))[meeting]
    times = np.ones(len(clusters))
    times[cluster[lone]] = games.number[lone]
    weight = share * np.where(lone, 1, games.number)
    information = share**2 * games.number * copies
    return ClusteredGames(
        games.first, games.second, games.outcome, games.opening, cluster, weight, information, times
    )


def components(a: Ints, b: Ints, size: int) -> Ints:
    """Component of each node of the graph with edges a-b, numbered from the largest, then by first member."""
    if not size:
        return np.zeros(0, np.int64)
    labels = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    _, start, inverse, count = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(count), np.int64)
    number[np.lexsort((start, -count))] = np.arange(len(count))
    return number[inverse]


def _counts(games: pd.DataFrame) -> Ints:
    if "count" not in games:
        return np.ones(len(games), np.int64)
    given = pd.to_numeric(games["count"], errors="coerce").to_numpy(float)
    wrong = ~((given >= 0) & (given < 2**53) & (given == np.floor(given)))
    if wrong.any():
        raise ValueError(f"count must be a number of games, not {games['count'][wrong].iloc[0]!r}")
    return given.astype(np.int64)


def _shared(meeting: Ints, values: pd.Series | None) -> Ints:
    """A number for each value within each meeting, -1 where the value is missing."""
    if values is None:
        return np.full(len(meeting), -1)
    code, known = pd.factorize(values)
    number = pd.factorize(meeting * (len(known) + 1) + code)[0]
    return np.where(code < 0, -1, number)
