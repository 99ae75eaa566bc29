"""Elo of a run while it is played, fitted again to the results so far when it is due."""

from __future__ import annotations

import csv
import time
from math import inf
from pathlib import Path
from typing import NamedTuple

from arena.base.writing import cell_text
from arena.ratings.interval import Interval
from arena.watch.live import Moment

REFIT_SECONDS = 3.0
"""Seconds between two fits, at least."""
FIT_SHARE = 0.005
"""Share of the time that goes into fits, at most."""
MAX_PLAYERS = 500
"""Players above which nothing is fitted: a fit takes seconds."""
STANDINGS = "standings.csv"
"""The file in a run's folder to which a report writes its players' Elo."""
PROVISIONAL = "Elo is provisional: a report also counts pairs, openings and repeated games"
"""The note beside Elo that is not a report's."""


class EloSoFar(NamedTuple):
    """The Elo of a run's players at a moment, best first."""

    elo: dict[str, Interval]
    provisional: bool
    """Whether there is Elo that is not that of a report of the same games."""


class Refits:
    """The Elo of a running run, for a window that is drawn often: computed again at most every few seconds.

    Fits take FIT_SHARE of the time at most, but for the first one, in which libraries prepare themselves. One
    thread at a time may ask.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._latest, self._games = EloSoFar({}, provisional=False), 0
        """The last Elo, and the number of games to which it was fitted; 0 for that of a report."""
        self._due = -inf

    def of(self, moment: Moment, *, last: bool = False) -> EloSoFar:
        """The Elo of the run's report, if that is of these games, else the last fit; if `last`, of just these."""
        games = sum(moment.results.values())
        if last or time.monotonic() >= self._due:
            if (elo := _reported(self._folder, games)) is not None:
                self._latest, self._games = EloSoFar(elo, provisional=False), 0
            elif games != self._games:
                began = time.monotonic()
                elo = estimates(moment)
                now = time.monotonic()
                self._due = now + max(REFIT_SECONDS, (now - began) / FIT_SHARE if self._games else 0.0)
                self._latest, self._games = EloSoFar(elo, provisional=bool(elo)), games
        return self._latest


def estimates(moment: Moment) -> dict[str, Interval]:
    """The joint rating of a run's results, by player, best first; 0 is the mean, or the anchor if it has games.

    Games are taken as independent, without their pairs and openings: a report's intervals may be narrower. Empty
    without games, and for more than MAX_PLAYERS players.
    """
    import pandas as pd

    from arena.ratings.joint import rate

    players = {name for white, black, _ in moment.results for name in (white, black)}
    if not 0 < len(players) <= MAX_PLAYERS:
        return {}
    rows = [(*key, games) for key, games in moment.results.items()]
    games = pd.DataFrame(rows, columns=["white", "black", "result", "count"])
    anchor = {player: elo for player, elo in moment.anchor.items() if player in players}
    table = rate(games, first=moment.first, anchor=anchor).table
    return {row["player"]: Interval.of(row, "elo") for row in table.to_dict("records")}


def _reported(folder: Path, games: int) -> dict[str, Interval] | None:
    """The Elo of the report in a run's folder, of the players that it rates; None without one of `games` games."""
    try:
        with (folder / STANDINGS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if not games or sum(int(row["games"]) for row in rows) != 2 * games:
            return None
        return {
            cell_text(row["player"]): Interval(
                *(float(row[end] or row["elo"]) for end in Interval.columns_of("elo"))
            )
            for row in rows
            if row["elo"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None
