"""Games as codes and in clusters: which are observations of their own, and how much each counts."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from arena.ratings.repeats import codes_of
from arena.ratings.types import Floats, Ints
from arena.rules.result import RESULTS, Colour

POINTS = np.array([1.0, 0.5, 0.0])  # of a win, draw and loss
DRAW = 1  # index into POINTS


class CodedGames(NamedTuple):
    """Games as codes, `int64[rows]` each; a row stands for `number` games."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    number: Ints  # 1 or more
    pair: Ints  # 0, 1, ... ; -1 for a game that stands alone
    line: Ints  # 0, 1, ... : games that repeat one another share a number; -1 for one that repeats nothing

    @property
    def total(self) -> int:
        return int(self.number.sum())

    @property
    def distinct(self) -> int:
        """Games that are not a repetition of another."""
        return len(np.unique(self.line[self.line >= 0])) + int(self.number[self.line < 0].sum())


class ClusteredGames(NamedTuple):
    """Games as the fit takes them, a row for each or for several that ended alike; `[rows]` but for `times`."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    cluster: Ints  # 0, 1, ... : games that are not independent share a number
    weight: Floats  # games that the row counts as in each of the clusters that it is part of
    information: Floats  # games whose variance, under the model, is that of the row in all those clusters
    times: Floats  # `float[clusters]`: independent clusters like this one

    def cells(self, size: int) -> "Cells":
        """Games by first and second player."""
        cell, cells = pd.factorize(self.first * size + self.second, sort=True)
        games = self.weight * self.times[self.cluster]
        first, second = np.divmod(cells, max(size, 1))
        points = np.bincount(cell, games * POINTS[self.outcome]).astype(float)
        return Cells(first, second, points, np.bincount(cell, games).astype(float))


class Cells(NamedTuple):
    """Encounters of two players with given colours."""

    first: Ints
    second: Ints
    points: Floats  # of the first player, `float[cells]`
    games: Floats


def names_of(games: pd.DataFrame, players: Sequence[str] | None) -> list[str]:
    """The players in the order of equal ratings. Raises ValueError if columns are missing or names not unique."""
    missing = [column for column in ("white", "black", "result") if column not in games]
    if missing:
        raise ValueError(f"games lack the columns {missing}; they have {list(games.columns)}")
    names = sorted({*games["white"], *games["black"]}) if players is None else list(players)
    if len(set(names)) < len(names):
        raise ValueError(f"players are listed twice: {sorted({n for n in names if names.count(n) > 1})}")
    return names


def encode(games: pd.DataFrame, names: list[str], first: Colour, one: Ints | None = None) -> CodedGames:
    """The games of `arena.ratings.joint.rate` as codes of *names*, without rows that count no game.

    *first* is the colour that moves first. With *one*, `int64[names]`, each player's games are those of the player
    with that code, and those between two of one code are left out.

    Raises ValueError for players that are not listed or meet themselves, unknown results, and counts that are not
    whole numbers of 0 or more.
    """
    index = pd.Index(names, dtype=object)
    codes = {colour: codes_of(games[colour], index) for colour in get_args(Colour)}
    unknown = {name for colour in codes for name in games[colour][codes[colour] < 0]}
    if unknown:
        raise ValueError(f"games of players that are not listed: {sorted(map(str, unknown))}")
    itself = codes["white"] == codes["black"]
    if itself.any():
        raise ValueError(f"players that meet themselves cannot be rated: {sorted(set(games['white'][itself]))}")
    outcome = codes_of(games["result"], pd.Index(RESULTS, dtype=object))
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
    kept = (count > 0) & (first_code != second_code)
    columns = (first_code, second_code, outcome, count, pair, line)
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
    if len(lines) > len(pd.unique(lines)):
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
    return ClusteredGames(games.first, games.second, games.outcome, cluster, weight, information, times)


def components(a: Ints, b: Ints, size: int) -> Ints:
    """Component of each node of the graph with edges a-b, numbered from the largest, then by first member."""
    if not size:
        return np.zeros(0, np.int64)
    labels = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    _, start, inverse, count = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(count), np.int64)
    number[np.lexsort((start, -count))] = np.arange(len(count))
    return number[inverse]


def tells_advantage(games: ClusteredGames, size: int) -> bool:
    """Whether no strengths are 1 apart, first less second, in every game: they would pass for the advantage."""
    first, second = np.divmod(np.flatnonzero(np.bincount(games.first * size + games.second)), max(size, 1))
    met = np.zeros((size, size))
    np.add.at(met, (first, second), 1.0)
    met += met.T
    balance = np.bincount(first, minlength=size) - np.bincount(second, minlength=size).astype(float)
    laplacian = np.diag(met.sum(axis=1)) - met
    explained = balance @ np.linalg.lstsq(laplacian, balance)[0] if size else 0.0
    return bool(len(first) - explained > 1e-6)


def representatives(names: list[str], twins: Iterable[tuple[str, str]], anchors: Collection[str]) -> Ints:
    """For each player the code of the one that it is: that of the first of its *twins*, or of an anchor."""
    codes = np.array([[names.index(player) for player in pair] for pair in twins]).reshape(-1, 2)
    part = components(codes[:, 0], codes[:, 1], len(names))
    first = np.unique(part, return_index=True)[1]
    for anchor in anchors:
        first[part[names.index(anchor)]] = names.index(anchor)
    return first[part]


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
