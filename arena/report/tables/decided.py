"""Decisions of a format: the sequential test of a match pair by pair, and the final order."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from arena.experiment.formats.fixed import Sprt
from arena.ratings.match import SequentialTest, Verdict
from arena.report.tables.columns import ELO_INTERVAL, columns
from arena.report.tables.outcomes import white_points
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.standings import STANDINGS
from arena.report.tables.table import Column, RunTable


def sprt_path(games: pd.DataFrame, settings: Sprt) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result. From the first game that is missing on, nothing counts.
    """
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    states = SequentialTest(settings.model_dump()).advance(points)
    rows = [(pair, state.llr, state.lower, state.upper) for pair, state in enumerate(states, 1)]
    return pd.DataFrame(rows, columns=["pair", "llr", "lower", "upper"])


def verdict(path: pd.DataFrame) -> Verdict:
    """The decision of the test of `sprt_path`."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)


def final_order(run: RatedRun) -> pd.DataFrame:
    """The final order of a Swiss or knockout with each player's rating; empty until it is complete.

    A place in a Swiss rests on points, Buchholz and Sonneborn-Berger, in a knockout on the player's last tie.
    """
    found = enumerate(run.data.order or [], start=1)
    rows = [{"place": place, "player": player, **figures} for place, (player, figures) in found]
    if not rows:
        return pd.DataFrame(columns=[column.name for column in ORDER.columns])
    names = ["player", *_RATED.split()]
    order = pd.DataFrame(rows).merge(run.standings[names], how="left", on="player")
    counts = ["games", "wins", "draws", "losses"]
    order[counts] = order[counts].fillna(0).astype(int)  # those of a player that was disqualified do not count
    return order.reindex(columns=[column.name for column in ORDER.columns]).dropna(axis=1, how="all")


def standings_text(run: RatedRun) -> pd.DataFrame:
    """The standings for people: in the final order of the format if it has one, else by rating."""
    return cast(pd.DataFrame, ORDER.text(run.order) if len(run.order) else STANDINGS.text(run.standings))


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{round(value, 2):g}"


_RATED = "elo elo_low elo_high games wins draws losses nodes_per_move seconds_per_move"
"""What the standings by rating have, too."""
ORDER = RunTable(
    "order",
    "the final order of the format, with ratings",
    final_order,
    columns(
        Column("place", "place in the final order of the format, from 1", heading="#", text=_plain),
        "player",
        Column(
            "points",
            "points of all games, a bye as won; in a knockout those of the last tie",
            "points",
            "Points",
            _plain,
        ),
        Column("buchholz", "sum of the points of the opponents", "points", "Buchholz", _plain),
        Column(
            "sonneborn_berger",
            "sum of the opponents' points, each times the share won against it",
            "points",
            "Sonneborn-Berger",
            _plain,
        ),
        Column("round", "round of the player's last tie", heading="Round", text=_plain),
        Column("opponent", "name of the player it met there", heading="Against", text=_plain),
        Column("conceded", "points of the opponent in the last tie", "points", "Conceded", _plain),
        Column(
            "decided",
            "what decided the last tie: points or, of a level one, seed",
            heading="Decided by",
            text=lambda value: "level: seed" if value == "seed" else _plain(value),
        ),
        "elo",
        ELO_INTERVAL,
        _RATED.partition("elo_low ")[2],
    ),
    note="Empty until the run is complete, and for formats without one.",
    shown="place player round opponent points conceded buchholz sonneborn_berger decided elo elo_low games wins "
    "draws losses nodes_per_move seconds_per_move",
)
TABLES = (
    RunTable(
        "sprt",
        "the sequential test pair by pair",
        lambda run: sprt_path(run.games, run.experiment.sprt) if run.experiment.sprt else pd.DataFrame(),
        columns(
            Column("pair", "number of the pair of the match, from 1"),
            Column("llr", "log-likelihood ratio of H1 to H0", "nats"),
            Column("lower", "bound at or below which H0 is accepted", "nats"),
            Column("upper", "bound at or above which H1 is accepted", "nats"),
        ),
        note="Empty without such a test.",
    ),
    ORDER,
)
