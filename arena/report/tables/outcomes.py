"""Outcomes: who scored what against whom, how games ended, what a format decided, where two players part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, zip_longest
from typing import cast

import numpy as np
import pandas as pd

from arena.experiment.formats.fixed import Sprt
from arena.ledger.read import RunData
from arena.ratings.interval import UNKNOWN, Z95, Interval
from arena.ratings.joint import Ratings
from arena.ratings.match import SequentialTest, Verdict
from arena.rules.result import WHITE_POINTS, points_of

_ELO = Interval.columns_of("elo_difference")
_SPRT = ["pair", "llr", "lower", "upper"]
_ENCOUNTER = ["opponent", "colour", "opening_fen", "time"]
"""What the games of a pair have in common: the opponent, the colour of the two, and the how-many-th time."""


def white_points(games: pd.DataFrame) -> pd.Series:
    """White's points by game, 0 to 1. Raises ValueError for an unknown result."""
    results = games["result"].astype(str)
    for result in results.unique():
        points_of(result)
    return results.map(WHITE_POINTS).astype(float)


def sides(games: pd.DataFrame, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Each game twice, as White's and as Black's: player, opponent, colour, points, and `columns` of it."""
    white = white_points(games)
    parts = [
        games[list(columns)].assign(
            player=games[colour].astype(str), opponent=games[other].astype(str), colour=colour, points=points
        )
        for colour, other, points in (("white", "black", white), ("black", "white", 1 - white))
    ]
    return pd.concat(parts)


def differences(ratings: Ratings) -> pd.DataFrame:
    """Every two players that games connect, in rank order: Elo of the one over the other.

    The columns are player, other, elo_difference with the ends of its 95 % interval, standard_error and los.
    """
    names = ["player", "other", *_ELO, "standard_error", "los"]
    every = combinations(ratings.table["player"], 2)
    found = [(one, other, ratings.difference(one, other)) for one, other in every]
    rows = [(one, other, *elo, elo.error / Z95, elo.los) for one, other, elo in found if elo is not None]
    return pd.DataFrame(rows, columns=names)


def pairings(games: pd.DataFrame, ratings: Ratings, players: Sequence[str]) -> pd.DataFrame:
    """Every two players that met: results of the one that stands first in `players`, its Elo over the other."""
    met = sides(games).reset_index(drop=True)
    place = {name: number for number, name in enumerate(players)}
    first, second = (met[name].map(place) for name in ("player", "opponent"))
    met = met.assign(first=first, second=second, games=1)[first < second]
    for name, points in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0)):
        met[name] = met["points"] == points
    counts = ["games", "wins", "draws", "losses", "points"]
    table = met.groupby(["first", "second", "player", "opponent"])[counts].sum().reset_index()
    pairs = zip(table["player"], table["opponent"], strict=True)
    elo = [ratings.difference(*pair) or UNKNOWN for pair in pairs]
    table[[*_ELO]] = np.array(elo, float).reshape(-1, 3)
    return table.drop(columns=["first", "second"])


def terminations(games: pd.DataFrame) -> pd.DataFrame:
    """How games ended: termination, games and their share of all, the most frequent first."""
    counts = games["termination"].astype(str).value_counts().rename_axis("termination").reset_index(name="games")
    counts["share"] = counts["games"] / max(len(games), 1)
    return counts.sort_values(["games", "termination"], ascending=[False, True]).reset_index(drop=True)


def sprt_path(games: pd.DataFrame, settings: Sprt | None) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result. From the first game that is missing on, nothing counts.
    """
    if settings is None:
        return pd.DataFrame(columns=_SPRT)
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    test, rows = SequentialTest(settings.model_dump()), list[tuple[float, ...]]()
    while not test.decided and test.games + 1 in points and test.games + 2 in points:
        state = test.add(points[test.games + 1], points[test.games + 2])
        rows.append((test.games // 2, state.llr, state.lower, state.upper))
    return pd.DataFrame(rows, columns=_SPRT)


def verdict(path: pd.DataFrame) -> Verdict:
    """The decision of the test of `sprt_path`."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)


def partings(run: RunData, player: str, other_run: RunData, other: str) -> pd.DataFrame:
    """The games of a player and of another one, perhaps of another run, by two against the same opponent.

    A row has what they have in common, `game` and `other_game`, their numbers, the points of the two, and where
    they part `ply`, from 1, `by` whom, the players or the opponent, and both moves there, which are missing of a
    game that ended. All four are missing where the games are the same.
    """
    mine, others = _encounters(run, player, other), _encounters(other_run, other, player)
    both = mine.merge(others, on=_ENCOUNTER, suffixes=("", "_of_other"))
    both = both.rename(columns={"game_of_other": "other_game", "points_of_other": "other_points"})
    moves, other_moves = _moves(run, both["game"]), _moves(other_run, both["other_game"])
    rows = [
        _parting(moves[row["game"]], other_moves[row["other_game"]], row["colour"])
        for row in both.to_dict("records")
    ]
    return both.join(pd.DataFrame(rows, columns=["ply", "by", "move", "other_move"], dtype=object))


def summary(table: pd.DataFrame, player: str, other: str) -> str:
    """How many games of a table of `partings` are the same, and what the others came to; "" for an empty one."""
    if table.empty:
        return ""
    own = table[table["by"] == "players"]
    same, gain = int(table["by"].isna().sum()), own["points"] - own["other_points"]
    counts = [f"{same:,} the same game"]
    if apart := len(table) - same - len(own):
        counts.append(f"{apart:,} by another move of the opponent")
    if len(own):
        better, worse, ply = (gain > 0).sum(), (gain < 0).sum(), own["ply"].astype(float).median()
        counts.append(f"of those that part {better:,} better and {worse:,} worse, at ply {ply:g} in the median")
    return f"{player} and {other}, {len(table):,} pairs against the same opponents: {'; '.join(counts)}."


def _encounters(run: RunData, player: str, other: str) -> pd.DataFrame:
    """The games of a player but those against the other: _ENCOUNTER, `game` and `points`."""
    sides = []
    for colour, opponent in (("white", "black"), ("black", "white")):
        mine = run.games[(run.games[colour] == player) & (run.games[opponent] != other)]
        white = mine["result"].map(WHITE_POINTS).astype(float)
        points = white if colour == "white" else 1 - white
        sides.append(mine.assign(opponent=mine[opponent], colour=colour, points=points))
    return pd.concat(sides)[[*_ENCOUNTER, "game", "points"]]


def _moves(run: RunData, games: pd.Series) -> dict[int, list[tuple[str, str]]]:
    """The colour and the text of each move of games, by their numbers."""
    moves = pd.concat(run.moves(pd.Index(games.unique())))[["game", "colour", "move"]].astype(object)
    found: dict[int, list[tuple[str, str]]] = {game: [] for game in games}
    for game, colour, move in moves.itertuples(index=False):
        found[game].append((colour, move))
    return found


def _parting(
    moves: list[tuple[str, str]], others: list[tuple[str, str]], colour: str
) -> tuple[int | None, str | None, str | None, str | None]:
    """The first ply at which two games differ, by whom, and both moves there; the players have one *colour*."""
    for ply, (one, other) in enumerate(zip_longest(moves, others), 1):
        if one != other:
            mover = (one or other)[0]
            by = "players" if mover == colour else "opponent"
            return ply, by, one and one[1], other and other[1]
    return None, None, None, None
