"""Elo of a run while it is played, fitted again to the results so far when it is due."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from math import inf
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

from arena.base.writing import cell_text
from arena.ratings.interval import Interval
from arena.rules.result import Colour

ResultCounts: TypeAlias = Mapping[tuple[str, str, str], int]
"""How many games have each white, black and result."""

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


class EloScale(NamedTuple):
    """The measure of a run's Elo."""

    first: Colour = "white"
    """The colour that moves first."""
    anchor: Mapping[str, float] = {}
    """The Elo that is given, by player; without any the mean is 0."""


def estimates(results: ResultCounts, scale: EloScale) -> dict[str, Interval]:
    """The joint rating of those results, by player, best first; 0 is the mean, or the anchor if it has games.

    Games are taken as independent, without their pairs and openings: a report's intervals may be narrower. Empty
    without games, and for more than MAX_PLAYERS players.
    """
    import pandas as pd

    from arena.ratings.joint import rate

    players = {name for white, black, _ in results for name in (white, black)}
    if not 0 < len(players) <= MAX_PLAYERS:
        return {}
    rows = [(*key, games) for key, games in results.items()]
    games = pd.DataFrame(rows, columns=["white", "black", "result", "count"])
    anchor = {player: elo for player, elo in scale.anchor.items() if player in players}
    table = rate(games, first=scale.first, anchor=anchor).table
    return {row["player"]: Interval.of(row, "elo") for row in table.to_dict("records")}


class EloSoFar(NamedTuple):
    """The Elo of a run's players at a moment, best first."""

    elo: dict[str, Interval]
    provisional: bool
    """Whether there is Elo that is not that of a report of the same games."""


def so_far(folder: Path, results: ResultCounts, scale: EloScale) -> EloSoFar:
    """The Elo of the report in a run's folder, if that is of these games; else `estimates`."""
    return Refits(folder).of(results, scale, last=True)


def reported(folder: Path, games: int) -> dict[str, Interval] | None:
    """The Elo of the report in a run's folder, of the players that it rates; None without one of `games` games."""
    try:
        with (folder / STANDINGS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if not games or sum(int(row["games"]) for row in rows) != 2 * games:
            return None
        return {cell_text(row["player"]): _reported(row) for row in rows if row["elo"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Refits:
    """The Elo of a running run, for a window that is drawn often: computed again at most every few seconds.

    Fits take FIT_SHARE of the time at most, but for the first one, in which libraries prepare themselves.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._found, self._games = EloSoFar({}, provisional=False), 0
        """As it was found last, and the number of games to which it was fitted; 0 for that of a report."""
        self._due = -inf

    def of(self, results: ResultCounts, scale: EloScale, *, last: bool = False) -> EloSoFar:
        """The Elo as it was found last; if it is the `last` time, of just these results.

        It is that of the run's report, if that is of these games; else it is fitted.
        """
        if (not last and time.monotonic() < self._due) or not self._lock.acquire(blocking=False):
            return self._found
        try:
            games = sum(results.values())
            if (elo := reported(self._folder, games)) is not None:
                self._found, self._games = EloSoFar(elo, provisional=False), 0
            elif games != self._games:
                self._refit(dict(results), scale)
        finally:
            self._lock.release()
        return self._found

    def _refit(self, results: ResultCounts, scale: EloScale) -> None:
        began = time.monotonic()
        elo = estimates(results, scale)
        now = time.monotonic()
        took = now - began if self._games else 0.0
        self._due = now + max(REFIT_SECONDS, took / FIT_SHARE)
        self._found, self._games = EloSoFar(elo, provisional=bool(elo)), sum(results.values())


def _reported(row: dict[str, str]) -> Interval:
    elo = float(row["elo"])
    return Interval(elo, float(row["elo_low"] or elo), float(row["elo_high"] or elo))
