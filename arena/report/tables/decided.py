"""Decisions of a format: the sequential test of a match pair by pair, and the final order."""

from __future__ import annotations

from typing import cast

import pandas as pd

from arena.experiment.formats.fixed import Sprt
from arena.ledger.ledger import FinalOrder
from arena.ratings.match import SequentialTest, Verdict
from arena.report.tables import shared, units
from arena.report.tables.forms import plain
from arena.report.tables.outcomes import white_points
from arena.report.tables.table import Column, Table

ORDER = Table.of(
    "order",
    Column("place", "place in the final order of the format, from 1"),
    shared.PLAYER,
    Column("points", "points of all games, byes and void rounds; in a knockout those of the last pairing",
        units.POINTS, "Points"),
    shared.BUCHHOLZ, shared.SONNEBORN_BERGER, shared.BYES, shared.VOID_ROUNDS,
    Column("round", "round of the player's last pairing", heading="Round", text=plain),
    Column("opponent", "name of the player it met there"),
    Column("conceded", "points of the opponent in the last pairing", units.POINTS),
    Column("decided", "what decided the last pairing: points or, of a drawn one, seed"),
    *shared.ELO, *shared.RESULTS, shared.NODES_PER_MOVE, shared.SECONDS_PER_MOVE,
)  # fmt: skip
SPRT = Table.of(
    "sprt",
    Column("pair", "number of the pair of the match, from 1"),
    Column("llr", "log-likelihood ratio of H1 to H0", units.NATS),
    Column("lower", "bound at or below which H0 is accepted", units.NATS),
    Column("upper", "bound at or above which H1 is accepted", units.NATS),
)  # fmt: skip


def sprt_path(games: pd.DataFrame, settings: Sprt | None) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result. From the first game that is missing on, nothing counts.
    """
    if settings is None:
        return pd.DataFrame(columns=SPRT.names)
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    states = SequentialTest(settings.model_dump()).advance(points)
    rows = [(pair, state.llr, state.lower, state.upper) for pair, state in enumerate(states, 1)]
    return pd.DataFrame(rows, columns=SPRT.names)


def verdict(path: pd.DataFrame) -> Verdict:
    """The decision of the test of `sprt_path`."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)


def final_order(order: FinalOrder | None, standings: pd.DataFrame) -> pd.DataFrame:
    """The final order of a Swiss or knockout with each player's rating; empty until it is complete.

    A place in a Swiss rests on points, Buchholz and Sonneborn-Berger, in a knockout on the player's last pairing.
    """
    rows = [
        {"place": place, "player": player, **figures}
        for place, (player, figures) in enumerate(order or [], start=1)
    ]
    names = ORDER.names
    if not rows:
        return pd.DataFrame(columns=names)
    rated = [name for name in names if name in standings]
    table = pd.DataFrame(rows).merge(standings[rated], how="left", on="player")
    counts = ["games", "wins", "draws", "losses"]
    table[counts] = table[counts].fillna(0).astype(int)  # those of a player that was disqualified do not count
    return table.reindex(columns=names).dropna(axis=1, how="all")
