"""Elo of a run while it is played, fitted again to the results so far when it is due; and its sequential test."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from arena.base.writing import cell_text
from arena.experiment.formats.fixed import Sprt
from arena.ratings.match import SprtState, sprt
from arena.rules.result import Colour, pair_points

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


class EloEstimate(NamedTuple):
    """A player's Elo so far, with its 95 % interval."""

    elo: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half width of the interval."""
        return (self.high - self.low) / 2


class EloScale(NamedTuple):
    """The measure of a run's Elo."""

    first: Colour = "white"
    """The colour that moves first."""
    anchor: Mapping[str, float] = {}
    """The Elo that is given, by player; without any the mean is 0."""


def scale_of(experiment: Mapping[str, Any], facts: Mapping[str, Any]) -> EloScale:
    """The measure of a run's Elo, by its configuration and facts as its ledger stores them."""
    return EloScale(facts["first"], experiment["anchor"])


def estimates(results: ResultCounts, scale: EloScale) -> dict[str, EloEstimate]:
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
    columns = (table[name].tolist() for name in ("player", "elo", "elo_low", "elo_high"))
    return {player: EloEstimate(*figures) for player, *figures in zip(*columns, strict=True)}


class EloSoFar(NamedTuple):
    """The Elo of a run's players at a moment, best first."""

    elo: dict[str, EloEstimate]
    provisional: bool
    """Whether there is Elo that is not that of a report of the same games."""


def so_far(folder: Path, results: ResultCounts, scale: EloScale) -> EloSoFar:
    """The Elo of the report in a run's folder, if that is of these games; else `estimates`."""
    return Refits(folder).of(results, scale, last=True)


def reported(folder: Path, games: int) -> dict[str, EloEstimate] | None:
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
        self._folder = folder
        self._found = self._fitted = EloSoFar({}, provisional=False)
        self._games = self._fits = 0
        self._due = -inf
        self._lock = Lock()

    def of(self, results: ResultCounts, scale: EloScale, *, last: bool = False) -> EloSoFar:
        """The Elo as it was found last; if it is the `last` time, of just these results.

        It is that of the run's report, if that is of these games; else it is fitted.
        """
        is_due = last or time.monotonic() >= self._due
        if not is_due or not self._lock.acquire(blocking=False):
            return self._found
        try:
            elo = reported(self._folder, sum(results.values()))
            self._found = self._refitted(dict(results), scale) if elo is None else EloSoFar(elo, provisional=False)
        finally:
            self._lock.release()
        return self._found

    def _refitted(self, results: ResultCounts, scale: EloScale) -> EloSoFar:
        import arena.ratings.joint  # noqa: F401  its time is none of the fit's

        games = sum(results.values())
        if games == self._games:
            return self._fitted
        began = time.monotonic()
        elo = estimates(results, scale)
        self._fitted, self._games = EloSoFar(elo, provisional=bool(elo)), games
        now = time.monotonic()
        took, self._fits = (now - began) * (self._fits > 0), self._fits + 1
        self._due = now + max(REFIT_SECONDS, took / FIT_SHARE)
        return self._fitted


def _reported(row: dict[str, str]) -> EloEstimate:
    elo = float(row["elo"])
    return EloEstimate(elo, float(row["elo_low"] or elo), float(row["elo_high"] or elo))


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule; without settings never decided."""

    def __init__(self, settings: Sprt | None) -> None:
        self._settings = settings.model_dump() if settings else None
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.decided = False
        self.state: SprtState | None = None
        """After the last pair taken in; None before the first."""

    def advance(self, points: Mapping[int, float]) -> list[SprtState]:
        """Take in the next pairs as far as both games are known, until decided; returns the state after each.

        `points` are White's by number of the game, from 1. Games 2 k - 1 and 2 k are a pair, and the first player
        is White in the first of them. Some five milliseconds a pair.
        """
        states: list[SprtState] = []
        if self._settings is None:
            return states
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            won = pair_points(points[self.games + 1], points[self.games + 2])
            self._counts[round(2 * won)] += 1
            self.games += 2
            self.state = sprt(self._counts, **self._settings)
            states.append(self.state)
            self.decided = self.state.verdict != "continue"
        return states
