"""Phases of games: when the searches of winner and loser saw the result coming."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.ratings.errors import wilson
from arena.report.tables.columns import columns, interval
from arena.report.tables.table import Column, RunTable

TENTHS = 10
_WINNERS = {"1-0": "white", "0-1": "black"}


def phases(games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """When the searches of winner and loser saw the result coming, in decisive games, by tenths of the game.

    Only moves with a score are counted. Scores are those of the players' own searches, so this is when the result
    was seen, not when it was decided.

    Shares are means over pairs of games; the interval is Wilson's with as many trials as pairs, which is wide
    rather than narrow, as moves of one pair are not all alike.
    """
    decisive = games[games["result"].isin(list(_WINNERS))]
    winner = decisive.set_index("game")["result"].map(_WINNERS)
    table = moves.loc[moves["game"].isin(winner.index) & moves["score"].notna()]
    plies = table["game"].map(decisive.set_index("game")["plies"]).to_numpy(dtype=float)
    won = table["colour"].astype(str).to_numpy() == table["game"].map(winner).to_numpy(dtype=object)
    score = np.sign(table["score"].to_numpy(dtype=float)) * np.where(won, 1, -1)
    frame = pd.DataFrame(
        {
            "tenth": np.minimum((table["ply"].to_numpy() - 1) * TENTHS // plies, TENTHS - 1).astype("int64") + 1,
            "role": np.where(won, "winner", "loser"),
            "pair": table["game"].map(decisive.set_index("game")["pair"]).to_numpy(),
            "favours": (score + 1) / 2,
            "legal_moves": table["legal_moves"].to_numpy(dtype=float),
        }
    )
    by_pair = frame.groupby(["tenth", "role", "pair"], sort=True).agg(
        moves=("favours", "size"), share=("favours", "mean"), legal_moves=("legal_moves", "mean")
    )
    result = by_pair.groupby(["tenth", "role"]).agg(
        pairs=("share", "size"),
        moves=("moves", "sum"),
        share=("share", "mean"),
        legal_moves=("legal_moves", "mean"),
    )
    result = result.reset_index().sort_values(["tenth", "role"], ascending=[True, False]).reset_index(drop=True)
    n, p = result["pairs"].to_numpy(dtype=float), result["share"].to_numpy(dtype=float)
    low, high = wilson(p, n)
    result.insert(5, "share_low", low)
    result.insert(6, "share_high", high)
    return result


TABLES = (
    RunTable(
        "phases",
        "when winner and loser saw the result, by tenths of the game",
        lambda run: phases(run.games, run.survey.sample),
        columns(
            Column("tenth", "tenth of the game's plies, 1 to 10"),
            Column("role", "winner or loser of the game"),
            "pairs moves",
            *interval(
                Column(
                    "share",
                    "moves whose own score favours the later winner; level counts half",
                    "0 to 1",
                    decimals=4,
                )
            ),
            "legal_moves",
        ),
        applies=lambda run: not run.small,
    ),
)
