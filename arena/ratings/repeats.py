"""Repeated games: which games of a run are the same, move for move."""

import pandas as pd


def repeated_games(games: pd.DataFrame) -> int:
    """Games that repeat an earlier one: same players, colours, opening and moves.

    *games* have the columns white, black and line, a number that games of the same opening and moves share.
    """
    return int(games[["white", "black", "line"]].duplicated().sum())
