"""A run at a moment: how far it is, who leads, what went wrong, and whether somebody is playing it."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple, TypeAlias

from filelock import FileLock, Timeout

from arena.base.files import LOCK
from arena.experiment.zero import given_elo
from arena.ledger.info import RunInfo, Session
from arena.ledger.ledger import DISQUALIFIED, FILE, run_info, stored_experiment
from arena.ledger.record import losers
from arena.ledger.store import COMPLETE, StoreError, documents, reading
from arena.ratings.interval import Interval
from arena.ratings.match import SprtState, sprt
from arena.rules.custom import build_variant
from arena.rules.game import FORFEITS
from arena.rules.position import COLOURS
from arena.rules.result import Colour, pair_points, points_of

CLOCK = "clock"
"""Key of the ledger's document with the reading of the machine's monotonic clock at the session's first move."""
_COUNTS = """SELECT white, black, result, termination, COUNT(*), MIN(game), error FROM games
GROUP BY white, black, result, termination ORDER BY MIN(game)"""
"""Games that are alike; `error` is that of the first one, as SQLite takes it from the row of MIN."""

Rated: TypeAlias = Sequence[tuple[str, str, str, int]]
"""White, black, result and number of the pair of games."""


class Standing(NamedTuple):
    """A player's results."""

    player: str
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    def as_dict(self, estimate: Interval | None) -> dict[str, Any]:
        """All of it as JSON types, with the player's Elo."""
        elo = dict(zip(Interval.columns_of("elo"), estimate or (None,) * 3, strict=True))
        return {**self._asdict(), "games": self.games, "score": self.score, **elo}


class LostGames(NamedTuple):
    """Games that a player lost by its own fault, in one way."""

    player: str
    termination: str
    games: int
    first: int
    """Number of the first of these games."""
    error: str
    """The record of that game; empty for a loss on time."""


class Moment(NamedTuple):
    """The state of a run at a moment."""

    name: str
    variant: str
    format: str
    games: int
    planned: int
    """Games of the whole run, the most that there may be."""
    exact: bool
    """Whether exactly this many are played, whatever their results."""
    complete: bool
    standings: list[Standing]
    """Best score first, equal ones by name; of the players with games."""
    incidents: list[LostGames]
    """In the order of their first games."""
    disqualified: list[str]
    """The players of whom no game counts, in standings and results."""
    info: RunInfo
    playing: bool | None
    """Whether its last session is going on; None if that cannot be known from here."""
    seconds: float | None
    """Since the first move of that session, by its machine's monotonic clock; None if nobody is known to play."""
    ended: float | None
    """When the last game ended, in seconds since 1970; None if that is not known."""
    now: float
    """When this was read, in seconds since 1970."""
    players: int
    rated: Rated
    """The games that count."""
    first: Colour
    """The colour that moves first."""
    anchor: Mapping[str, float]
    """The Elo that is given, by player, as in the run's report."""
    sprt: SprtState | None = None
    """Of the sequential test; None without one, or before its first pair."""
    sprt_pairs: int = 0
    """Pairs that the test has taken in."""

    @property
    def session(self) -> Session | None:
        """The one that was begun last."""
        return self.info.session

    @property
    def rate(self) -> float | None:
        """Games per second since the session's first move; None while that is not known."""
        before = self.session.games if self.session else 0
        return (self.games - before) / self.seconds if self.seconds and self.games > before else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all planned games are played at this rate; None where it is not known."""
        return (self.planned - self.games) / self.rate if self.rate and self.planned else None

    def as_dict(self, elo: Mapping[str, Interval]) -> dict[str, Any]:
        """All of it as JSON types but `rated`, with the players' Elo."""
        values = self._asdict() | {
            "rate": self.rate,
            "seconds_left": self.seconds_left,
            "standings": [standing.as_dict(elo.get(standing.player)) for standing in self.standings],
            "incidents": [forfeits._asdict() for forfeits in self.incidents],
            "session": None if self.session is None else self.session._asdict(),
            "sprt": None if self.sprt is None else self.sprt._asdict() | {"pairs": self.sprt_pairs},
        }
        left_out = ("info", "seconds", "rated", "sprt_pairs")
        return {name: value for name, value in values.items() if name not in left_out}


def read_moment(folder: Path) -> Moment:
    """The run in a folder as it is now. Raises StoreError if there is none, or it cannot be read.

    Games are counted by SQLite; their moves are not read.
    """
    path = folder / FILE
    try:
        with reading(path) as connection:
            connection.execute("BEGIN")
            return _moment(folder, connection)
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", path) from None
    except (ValueError, TypeError) as error:
        raise StoreError(f"cannot be read, as it is damaged: {error}", path) from None


def _moment(folder: Path, connection: Connection) -> Moment:
    path, stored = folder / FILE, documents(connection)
    info, experiment, complete = run_info(stored, path), stored["experiment"], COMPLETE in stored
    disqualified, session, clock = stored.get(DISQUALIFIED, []), info.session, stored.get(CLOCK)
    counts = connection.execute(_COUNTS).fetchall()
    games = sum(row[4] for row in counts)
    rows = connection.execute("SELECT white, black, result, pair FROM games ORDER BY game")
    rated = [game for game in rows if not {*game[:2]} & {*disqualified}]
    players = [player for player in stored_experiment(stored, path).players if player.name not in disqualified]
    given = {player: elo for player, elo in experiment["anchor"].items() if player not in disqualified}
    test, pairs = _sequential_test(connection, experiment["sprt"])
    playing = False if complete else _is_playing(folder, session)
    variant = build_variant(experiment["variant"])
    return Moment(
        name=experiment["name"],
        variant=variant.name,
        format=kind if isinstance(kind := experiment["format"], str) else kind["type"],
        games=games,
        planned=games if complete else info.games,
        exact=complete or info.exact,
        complete=complete,
        standings=_standings(rated),
        incidents=_incidents(counts),
        disqualified=disqualified,
        info=info,
        playing=playing,
        seconds=time.monotonic() - clock if playing and clock is not None else None,
        ended=connection.execute("SELECT MAX(began + seconds) FROM games").fetchone()[0],
        now=time.time(),
        players=len(experiment["players"]),
        rated=rated,
        first=COLOURS[variant.first],
        anchor=given_elo(players, given),
        sprt=test,
        sprt_pairs=pairs,
    )


def _standings(rated: Rated) -> list[Standing]:
    games_by_points: dict[str, Counter[float]] = defaultdict(Counter)
    for white, black, result, _ in rated:
        points = points_of(result)
        games_by_points[white][points] += 1
        games_by_points[black][1 - points] += 1
    standings = (Standing(player, of[1], of[0.5], of[0]) for player, of in games_by_points.items())
    return sorted(standings, key=lambda standing: (-standing.score, standing.player))


def _incidents(counts: Iterable[tuple[str, str, str, str, int, int, str]]) -> list[LostGames]:
    """The forfeits in rows of _COUNTS."""
    incidents: dict[tuple[str, str], LostGames] = {}
    for white, black, result, termination, games, first, error in counts:
        if termination in FORFEITS:
            for loser in losers(result, white, black):
                before = incidents.get((loser, termination), LostGames(loser, termination, 0, first, error))
                incidents[loser, termination] = before._replace(games=before.games + games)
    return list(incidents.values())


def _sequential_test(connection: Connection, settings: Mapping[str, Any] | None) -> tuple[SprtState | None, int]:
    """The test over the complete pairs at the head of the schedule, and how many they are."""
    if settings is None:
        return None, 0
    points = {game: points_of(result) for game, result in connection.execute("SELECT game, result FROM games")}
    counts, pairs = [0] * 5, 0
    while 2 * pairs + 1 in points and 2 * pairs + 2 in points:
        counts[round(2 * pair_points(points[2 * pairs + 1], points[2 * pairs + 2]))] += 1
        pairs += 1
    return (sprt(counts, **settings) if pairs else None), pairs


def _is_playing(folder: Path, session: Session | None) -> bool | None:
    """Whether the process of a session is alive and holds the folder's lock; None if that cannot be known.

    The lock is tried only while that process lives, so that no arena that begins ever finds it taken by this.
    """
    if session is None or session.host != platform.node():
        return None
    if not _lives(session.process):
        return False
    try:
        with FileLock(folder / LOCK).acquire(blocking=False):
            return False
    except Timeout:
        return True
    except OSError:
        return None


def _lives(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
