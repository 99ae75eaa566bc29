"""Elo of a run while it is played: that of its report, or a fit to the results so far."""

from __future__ import annotations

import csv
import threading
import time
from math import inf
from pathlib import Path
from typing import NamedTuple

from arena.base.writing import cell_text
from arena.ratings.interval import Interval
from arena.watch.live import Moment, read_moment

_SHARE = 0.03
"""Share of the time that goes into reading a run and fitting its Elo again and again, at most."""
MOST_RATED = 500
"""Players above which nothing is fitted: a fit takes seconds."""
REPORTED = "standings.csv"
"""The file in a run's folder to which a report writes its players' Elo."""
PROVISIONAL = "Elo is provisional: a report also finds repeated games"
"""The note beside Elo that is not a report's."""


class EloSoFar(NamedTuple):
    """The Elo of a run's players at a moment, best first."""

    elo: dict[str, Interval]
    provisional: bool
    """Whether there is Elo that is not that of a report of the same games."""


def elo_so_far(folder: Path, moment: Moment) -> EloSoFar:
    """The Elo of the report in a run's folder if it is of the same games, else a fit to the results."""
    reported = _reported(folder, len(moment.rated))
    if reported is not None:
        return EloSoFar(reported, provisional=False)
    elo = estimates(moment)
    return EloSoFar(elo, provisional=bool(elo))


class RunReader:
    """Reads a run that is being played, with its Elo, for a window; any thread may ask.

    Looks take SHARE of the time at most, but for the first one, in which libraries prepare themselves.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._last: tuple[Moment, EloSoFar] | None = None
        self._due = -inf

    def look(self) -> tuple[Moment, EloSoFar]:
        """The run as it is now, or as at the last look until the next one is due. Raises StoreError."""
        with self._lock:
            began = time.monotonic()
            if self._last is None or began >= self._due:
                is_first, moment = self._last is None, read_moment(self._folder)
                self._last = moment, elo_so_far(self._folder, moment)
                now = time.monotonic()
                self._due = now if is_first else now + (now - began) / _SHARE
            return self._last


def estimates(moment: Moment) -> dict[str, Interval]:
    """The joint rating of a run's games, by player, best first.

    Its intervals are those of a report but for games that repeat one another, which it cannot know, as it reads no
    moves. Empty without games, and for more than MAX_PLAYERS players.
    """
    import pandas as pd

    from arena.ratings.joint import rate

    games = pd.DataFrame(moment.rated, columns=["white", "black", "result", "pair"])
    players = {*games["white"], *games["black"]}
    if not 0 < len(players) <= MOST_RATED:
        return {}
    anchor = {player: elo for player, elo in moment.anchor.items() if player in players}
    table = rate(games, first=moment.first, anchor=anchor).table
    return {row["player"]: Interval.of(row, "elo") for row in table.to_dict("records")}


def _reported(folder: Path, games: int) -> dict[str, Interval] | None:
    """The Elo of the report in a run's folder, of the players that it rates; None without one of `games` games."""
    try:
        with (folder / REPORTED).open(encoding="utf-8", newline="") as file:
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
