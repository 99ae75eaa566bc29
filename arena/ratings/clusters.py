"""Clusters: which games are independent of one another, and what repeated games weigh.

Games of the same two players are not independent if they are

* a pair: two games from one opening with colours swapped, which share a number, or
* copies: games with the same colours and the same line, that is opening and moves,

or if a chain of such links connects them: what is linked is one cluster. Games of any
players are linked, too, by a key of their own, as those of two versions of a player from one opening. An example,
of two players a and b:

    game  first  pair  line
    1     a      1     x
    2     b      1     y
    3     a      2     x       a copy of game 1, so that pairs 1 and 2 are linked
    4     b      2     z
    5     a      3     v
    6     b      3     w
    7     a      -     -       linked to nothing

makes the clusters {1, 2, 3, 4}, {5, 6} and {7}. Seven games are played, six of them distinct, and they count as
six: each weighs 6 / 7, copies or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from arena.base.wording import unknown
from arena.ratings.interval import Floats, Ints
from arena.rules.result import WHITE_POINTS, Colour


class Clusters(NamedTuple):
    """Games as a fit takes them, `[games]` but for `start`."""

    first: Ints  # player who moves first
    second: Ints
    points: Floats  # of the first player: 0, 0.5 or 1
    cluster: Ints  # 0, 1, ...: games that are not independent share a number
    pairing: Ints  # 0, 1, ...: games of the same two players share a number
    weight: Floats  # games that the game counts as
    information: Floats  # games whose variance is its part in that of its cluster, under the model
    start: Ints  # `int[clusters]`: its first game


def coded(games: pd.DataFrame, names: Sequence[str], first: Colour = "white") -> pd.DataFrame:
    """The games of `arena.ratings.joint.rate` as numbers, a row each.

    `first` and `second` are places in *names*, `points` are those of the first player, and `pair`, `line` and
    `linked` are numbers from 0, -1 for a game without one. Raises ValueError for an unknown result or player, and
    for a player who meets itself.
    """
    white, black = (_places(games[colour], "player", names) for colour in ("white", "black"))
    if (white == black).any():
        raise ValueError(f"{names[white[white == black][0]]} meets itself: no player can be rated by that")
    points = np.array([*WHITE_POINTS.values()])[_places(games["result"], "result", [*WHITE_POINTS])]
    table = pd.DataFrame({"first": white, "second": black, "points": points})
    if first == "black":
        table = pd.DataFrame({"first": black, "second": white, "points": 1 - points})
    for name in ("pair", "line", "linked"):
        table[name] = pd.factorize(games[name])[0] if name in games else -1
    times = games["count"].to_numpy(np.int64) if "count" in games else 1
    return table.loc[table.index.repeat(times)].reset_index(drop=True)


def clustered(games: pd.DataFrame, size: int) -> Clusters:
    """Games of `coded`, of players below *size*, in clusters."""
    first, second, linked = (games[name].to_numpy() for name in ("first", "second", "linked"))
    pairing = np.unique(pairing_of(first, second, size), return_inverse=True)[1]
    pair, line = _numbered(games["pair"], pairing), _numbered(games["line"], first * size + second)
    cluster = _linked(pair, line, linked)

    # N games of two players, D of them distinct, weigh D / N each; a sum of k copies has k^2 times the variance
    copies = np.where(line < 0, 1, np.bincount(line + 1, minlength=1)[line + 1])
    weight = (np.bincount(pairing, 1 / copies) / np.bincount(pairing))[pairing]
    start = np.unique(cluster, return_index=True)[1]
    points = games["points"].to_numpy()
    return Clusters(first, second, points, cluster, pairing, weight, weight**2 * copies, start)


def cluster_of_each(games: pd.DataFrame, names: Sequence[str]) -> Ints:
    """The cluster of each game of `arena.ratings.joint.rate`."""
    return clustered(coded(games, names), len(names)).cluster


def pairs_by_opening(games: pd.DataFrame) -> pd.Series:
    """Pairs of games that have no numbers: the k-th of two players from an opening with either colours are one.

    *games* have the columns white, black and opening.
    """
    repetition = games.groupby(["white", "black", "opening"]).cumcount().astype(str)
    return repetition + " " + games["opening"]


def pairing_of(first: Ints, second: Ints, size: int) -> Ints:
    """A number for each two players, whoever moves first: `divmod(number, size)` are the two."""
    return np.minimum(first, second) * size + np.maximum(first, second)


def components(a: Ints, b: Ints, size: int) -> Ints:
    """Component of each node of the graph with edges a-b, numbered from the largest, then by first member."""
    if not size:
        return np.zeros(0, np.int64)
    label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    _, start, count = np.unique(label, return_index=True, return_counts=True)
    number = np.empty(len(count), np.int64)
    number[np.lexsort((start, -count))] = np.arange(len(count))
    return number[label]


def _places(values: pd.Series, what: str, choices: Sequence[str]) -> Ints:
    """The place of each value among the choices. Raises ValueError for a value that is none of them."""
    place = pd.Index(list(choices), dtype=object).get_indexer(pd.Index(values))
    if (place < 0).any():
        raise ValueError(unknown(what, str(values[place < 0].iloc[0]), choices))
    return place.astype(np.int64)


def _numbered(code: pd.Series, within: Ints) -> Ints:
    """A number for each code within each of *within*, -1 where the code is -1."""
    number = pd.DataFrame({"code": code.to_numpy(), "within": within}).groupby(["code", "within"]).ngroup()
    return np.where(code < 0, -1, number)


def _linked(*keys: Ints) -> Ints:
    """The cluster of each game: games with the same key of any kind are one, a key of -1 links to nothing."""
    games, leaders = [], []
    for key in keys:
        has_key = np.flatnonzero(key >= 0)
        _, leader, place = np.unique(key[has_key], return_index=True, return_inverse=True)
        games.append(has_key)
        leaders.append(has_key[leader][place])  # the first game with the same key
    return components(np.concatenate(games), np.concatenate(leaders), len(keys[0]))
