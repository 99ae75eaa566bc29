"""Where two players part: the first ply at which their games against one opponent, from one opening, differ."""

from __future__ import annotations

from itertools import zip_longest

import pandas as pd

from arena.ledger.read import RunData
from arena.rules.result import WHITE_POINTS

_ENCOUNTER = ["opponent", "colour", "opening_fen", "time"]
"""What the games of a pair have in common: the opponent, the colour of the two, and the how-many-th time."""


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
