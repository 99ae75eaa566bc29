"""The status of a run: how far it is, who leads, what went wrong, and whether somebody is playing it."""

from __future__ import annotations

import os
import platform
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from arena.experiment.model import Experiment
from arena.experiment.schedule import Result, Schedule
from arena.experiment.zero import given_elo
from arena.ledger.info import RunInfo, Session
from arena.ledger.ledger import COMPLETE, FILE, GAMES, checksum, documents, reading, run_of
from arena.ledger.record import failed_in
from arena.ratings.interval import Interval
from arena.ratings.match import SprtState
from arena.rules.position import COLOURS
from arena.rules.result import points_of

CLOCK = "clock"
"""Name of the ledger's document with the reading of the machine's monotonic clock at the session's first move."""
MOST_RATED = 500
"""Players above which no Elo is shown: a fit takes seconds."""
_SHARE = 0.03
"""Share of the time that goes into reading a run and fitting its Elo again and again, at most."""


class Standing(NamedTuple):
    """A player's results."""

    player: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    elo: Interval | None = None
    """As in the run's report; None where nothing can be fitted."""

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON types."""
        elo = dict(zip(Interval.columns_of("elo"), self.elo or (None,) * 3, strict=True))
        return {**self._asdict(), "games": self.games, "score": self.score, **elo}


class LostGames(NamedTuple):
    """Games that a player lost by its own fault, in one way."""

    player: str
    termination: str
    games: int
    error: str
    """The record of the first of these games."""


class Status(NamedTuple):
    """How a run is."""

    experiment: Experiment
    info: RunInfo
    games: int
    """Games that the schedule asks for and that are stored, those of withdrawn players among them."""
    planned: int
    """Games of the whole run, the most that there may be."""
    exact: bool
    """Whether exactly this many are played, whatever their results."""
    complete: bool
    standings: Sequence[Standing]
    """Best first, by Elo, else by score; of the players with games that count."""
    lost: Sequence[LostGames]
    """In the order in which their first games were stored."""
    withdrawn: Mapping[str, str]
    """Why players are withdrawn, by name."""
    playing: bool | None
    """Whether the process of its last session lives; None if that cannot be known from here."""
    seconds: float | None
    """Since the first move of that session, by its machine's monotonic clock; None if nobody is known to play."""
    ended: float | None
    """When the last game ended, in seconds since 1970; None if that is not known."""
    sprt: SprtState | None
    """Of the sequential test; None without one, or before its first pair."""
    sprt_pairs: int
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

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON types, the configuration by its name, rules and format."""
        experiment = self.experiment
        named = {"name": experiment.name, "variant": experiment.rule_set.name, "format": experiment.format.type}
        values = {
            name: value for name, value in self._asdict().items() if name not in ("experiment", "info", "seconds")
        }
        return {
            **named,
            **values,
            "rate": self.rate,
            "seconds_left": self.seconds_left,
            "standings": [standing.as_dict() for standing in self.standings],
            "lost": [lost._asdict() for lost in self.lost],
            "session": self.session and self.session._asdict(),
            "sprt": self.sprt and self.sprt._asdict(),
        }


class StatusReader:
    """Reads the status of a run again and again: of the ledger what is new. Any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._run: _Followed | None = None
        self._last: Status | None = None
        self._due = -inf

    def look(self) -> Status:
        """The run as it is now, or as at the last look until the next is due: looks take 3 % of the time at most.

        Raises StoreError if there is no run, or it cannot be read.
        """
        with self._lock:
            began = time.monotonic()
            if self._last is None or began >= self._due:
                is_first = self._last is None
                self._last = self._read()
                now = time.monotonic()
                self._due = now if is_first else now + (now - began) / _SHARE
            return self._last

    def _read(self) -> Status:
        path = self._folder / FILE
        with reading(path) as connection:
            stored = documents(path, connection)
            experiment, info = run_of(path, stored)
            if self._run is None or (self._run.experiment.as_dict(), self._run.info) != (
                experiment.as_dict(),
                info,
            ):
                self._run = _Followed(experiment, info)
            query = f"{GAMES.query} WHERE rowid > ? ORDER BY rowid"
            for rowid, *row, mark in connection.execute(query, (self._run.last,)):
                self._run.last = rowid
                if checksum(row) == mark:
                    self._run.take(dict(zip(GAMES.columns, row, strict=True)))
            return self._run.status(bool(stored.get(COMPLETE)), stored.get(CLOCK))


def read_status(folder: Path) -> Status:
    """The status of the run in a folder. Raises StoreError if there is none, or it cannot be read."""
    return StatusReader(folder).look()


class _Game(NamedTuple):
    """A row of a ledger, as far as a status needs it."""

    key: int
    white: str
    black: str
    result: str
    termination: str
    line: int
    error: str
    failed: str


class _Followed:
    """The games of a run that were read so far."""

    def __init__(self, experiment: Experiment, info: RunInfo) -> None:
        self.experiment, self.info = experiment, info
        self.last = 0
        """The row that was read last."""
        self._ended: float | None = None
        self._stored: dict[int, _Game] = {}
        self._schedule = Schedule(experiment, info.players, info.openings, {})
        self._asked: dict[int, int] = {}
        """The numbers of the pairs of the games that the schedule has asked for so far, by key."""

    def take(self, row: Mapping[str, Any]) -> None:
        """Take in a row of the ledger, by its columns."""
        failed = failed_in(row["result"], row["termination"], row["white"], row["black"])
        game = _Game(failed=failed, **{name: row[name] for name in _Game._fields if name in row})
        self._stored[game.key] = game
        self._schedule.take(game.key, Result(game.result, failed))
        if row["began"] is not None:
            self._ended = max(self._ended or 0.0, row["began"] + row["seconds"])

    def status(self, complete: bool, clock: float | None) -> Status:
        """The status of the run by what was read."""
        schedule, experiment, info = self._schedule, self.experiment, self.info
        while schedule.advance():
            self._asked |= {game.key: game.pair for game in schedule.games()}
        games = [game for key, game in self._stored.items() if key in self._asked]
        out = schedule.withdrawn
        counting = [game for game in games if not {game.white, game.black} & out.keys()]
        playing = False if complete else _is_playing(info.session)
        return Status(
            experiment,
            info,
            games=len(games),
            planned=len(games) if complete else info.games,
            exact=complete or info.exact,
            complete=complete,
            standings=self._standings(counting, out),
            lost=_lost(games),
            withdrawn=out,
            playing=playing,
            seconds=time.monotonic() - clock if playing and clock is not None else None,
            ended=self._ended,
            sprt=schedule.test.state if schedule.test else None,
            sprt_pairs=schedule.test.games // 2 if schedule.test else 0,
        )

    def _standings(self, games: Sequence[_Game], out: Mapping[str, str]) -> list[Standing]:
        points: dict[str, Counter[float]] = {}
        for game in games:
            white = points_of(game.result)
            points.setdefault(game.white, Counter())[white] += 1
            points.setdefault(game.black, Counter())[1 - white] += 1
        elo = self._elo(games, [name for name in self.info.players if name not in out]) if points else {}
        standings = [Standing(name, of[1], of[0.5], of[0], elo.get(name)) for name, of in points.items()]
        return sorted(standings, key=lambda each: (-each.elo.value if each.elo else inf, -each.score, each.player))

    def _elo(self, games: Sequence[_Game], players: Sequence[str]) -> dict[str, Interval]:
        """The joint rating, as in a report; empty for more than MOST_RATED players."""
        if len(players) > MOST_RATED:
            return {}
        import pandas as pd

        from arena.ratings.joint import rate

        columns = ["white", "black", "result", "line", "pair"]
        rows = [(game.white, game.black, game.result, game.line, self._asked[game.key]) for game in games]
        given = given_elo(
            [spec for spec in self.experiment.players if spec.name in players],
            {name: elo for name, elo in self.experiment.anchor.items() if name in players},
        )
        first = COLOURS[self.experiment.rule_set.first]
        table = rate(pd.DataFrame(rows, columns=columns), players, first=first, anchor=given).table
        return {row["player"]: Interval.of(row, "elo") for row in table.dropna(subset="elo").to_dict("records")}


def _lost(games: Sequence[_Game]) -> list[LostGames]:
    lost: dict[tuple[str, str], LostGames] = {}
    for game in games:
        if game.failed:
            kind = game.failed, game.termination
            before = lost.get(kind, LostGames(*kind, 0, game.error))
            lost[kind] = before._replace(games=before.games + 1)
    return list(lost.values())


def _is_playing(session: Session | None) -> bool | None:
    if session is None or session.host != platform.node():
        return None
    return lives(session.process)


def lives(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
