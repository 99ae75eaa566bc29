"""A run while it is played: who watches it, and its status: how far it is, who leads, what went wrong."""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.number import duration, known, percent, quantity, with_minus
from arena.base.wording import counted, first_few
from arena.experiment.model import Experiment
from arena.experiment.schedule import Result, Schedule
from arena.experiment.submissions import given_elo
from arena.ledger.info import RunInfo, Session
from arena.ledger.ledger import COMPLETE, FILE, GAMES, checksum, documents, reading, run_of
from arena.ledger.record import GameRecord
from arena.ratings.interval import Interval
from arena.rules.endgame.retrograde import solving
from arena.rules.game import Termination
from arena.rules.jit.kernel import compiling
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from players.engines.program import program_is_slow

COLUMNS = ("player", "Elo", "score", "games", "won", "drawn", "lost")
CLOCK = "clock"
"""Name of the ledger's document with the reading of the machine's monotonic clock at the session's first move."""
_SHARE = 0.03
"""Share of the time that goes into reading a run and rating its players again and again, at most."""
_FUNCTIONS = 110
"""What the rules, an alpha-beta search and its evaluations are compiled from, about."""
_COMPILING_SECONDS = 4.0
"""Seconds between two lines while kernels are compiled."""
_SOLVING_SECONDS = 10.0
"""Seconds between two lines while endgame tables are made."""
_ENDING_SECONDS = 0.6e-6
"""Processor time to solve an ending, about."""


class Observer:
    """What a run tells, and may be stopped by; as it stands it hears nothing, and lets a run come to its end."""

    def say(self, line: str) -> None:
        """Hear a line: a warning, a failure, what is done next."""

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        """See work on `total` pieces, in words; where they are games, of the run in `folder`.

        Yields a function: whether to begin no further piece.
        """
        yield lambda: False

    def done(self, pieces: int) -> None:
        """See how many pieces are done by now."""


@contextmanager
def announcing(say: Callable[[str], None]) -> Iterator[None]:
    """Say so if anything has to be compiled or solved, or an outside program is long in answering."""
    compiled, last, begun, announced = 0, -inf, ("", 0), 0.0

    def on_kernel() -> None:
        nonlocal compiled, last
        if time.monotonic() - last >= _COMPILING_SECONDS:
            last = time.monotonic()
            done = f"compiled {compiled} of about {max(compiled, _FUNCTIONS)} functions"
            say(done if compiled else "compiling the rules and the search: some seconds, kept for later runs")
        compiled += 1

    def on_endings(variant: Variant, sizes: Collection[int], solved: int) -> None:
        nonlocal begun, announced
        tables, left, now = (variant.name, sum(sizes)), sum(sizes) - solved, time.monotonic()
        if tables != begun or (left and now - announced >= _SOLVING_SECONDS):
            begun, announced = tables, now
            takes = (
                f"about {duration(left * _ENDING_SECONDS)} of processor time, {quantity(sum(sizes), 'B')} on disk"
            )
            say(f"solving {left:,} endings of {variant.name}: {takes}; Ctrl-C stops, the same command resumes")

    with compiling.heard_by(on_kernel), solving.heard_by(on_endings), program_is_slow.heard_by(say):
        yield


class Status(NamedTuple):
    """How a run is, in JSON types."""

    title: str
    """`compare: round-robin, english`."""
    games: int
    """Games that the schedule asks for and that are stored, those of withdrawn players among them."""
    planned: int
    """Games of the whole run, the most that there may be."""
    exact: bool
    """Whether exactly this many are played, whatever their results."""
    complete: bool
    standings: Sequence[Mapping[str, Any]]
    """Rows of `Ratings.table`, of the players with games that count; None for what is not known."""
    lost: Sequence[Mapping[str, Any]]
    """Games lost by failures: `player`, `termination`, how many `games`, and the `error` of the first of them."""
    withdrawn: Mapping[str, str]
    """Why players are withdrawn, by name."""
    sprt: Mapping[str, Any] | None
    """The sequential test: the fields of `SprtState`, and `pairs`; None without one, or before its first pair."""
    session: Mapping[str, Any] | None
    """The fields of the last `Session`."""
    playing: bool | None
    """Whether its process lives; None if that cannot be known from here."""
    seconds_left: float | None
    """Until all planned games are played, at the rate since its first move; None if that is not known."""
    ended: float | None
    """When the last game ended, in seconds since 1970; None if that is not known."""


class StatusReader:
    """Reads the status of a run again and again: of its games those that are new. Any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / FILE, threading.Lock()
        self._run: tuple[Experiment, RunInfo] | None = None
        self._rowid = 0
        """The row that was read last."""
        self._games: dict[int, GameRecord] = {}
        self._pairs: dict[int, int] = {}
        """The numbers of the pairs of the games that the schedule has asked for, by the games' keys."""
        self._took, self._due = 0.0, -inf
        """Seconds that reading took last, and when it is due again, by the shorter of the last two."""

    def look(self) -> Status:
        """What `read` gives, or gave last: reading takes 3 % of the time at most."""
        if time.monotonic() >= self._due:
            self._status = self.read()
        return self._status

    def read(self) -> Status:
        """The run as it is now. Raises StoreError if there is none, or it cannot be read."""
        with self._lock, reading(self._path) as connection:
            began = time.monotonic()
            stored = documents(self._path, connection)
            run = run_of(self._path, stored)
            if run != self._run:
                self._run, self._rowid, self._games, self._pairs = run, 0, {}, {}
                self._schedule = Schedule(run[0], run[1].hashes, run[1].openings, {})
            query = f"{GAMES.query} WHERE rowid > ? ORDER BY rowid"
            for rowid, *row, mark in connection.execute(query, (self._rowid,)):
                self._rowid = rowid
                if checksum(row) == mark:
                    game = GameRecord(*row)._replace(moves=b"", extras=None)
                    self._games[game.key] = game
                    self._schedule.take(game.key, Result(game.result, game.failed))
            self._schedule.advance()
            self._pairs = {game.key: game.pair for game in self._schedule.asked()}
            status = self._status_of(*run, bool(stored.get(COMPLETE)), stored.get(CLOCK))
            took, before = time.monotonic() - began, self._took
            self._took, self._due = took, began + min(took, before) / _SHARE
            return status

    def _status_of(self, experiment: Experiment, info: RunInfo, complete: bool, clock: float | None) -> Status:
        games = [game for game in self._games.values() if game.key in self._pairs]
        lost: dict[tuple[str, str], dict[str, Any]] = {}
        for game in games:
            if game.failed:
                first = {"player": game.failed, "termination": game.termination, "games": 0, "error": game.error}
                lost.setdefault((game.failed, game.termination), first)["games"] += 1
        session, test = info.session, self._schedule.test
        planned = len(games) if complete else info.games
        playing = not complete and _is_playing(session)
        new = len(games) - session.games if session and playing else 0
        seconds = time.monotonic() - clock if clock is not None else None
        return Status(
            title=f"{experiment.name}: {experiment.format.type}, {experiment.rule_set.name}",
            games=len(games),
            planned=planned,
            exact=complete or info.exact,
            complete=complete,
            standings=self._standings(experiment, games),
            lost=list(lost.values()),
            withdrawn=self._schedule.withdrawn,
            sprt={**test.state._asdict(), "pairs": test.games // 2} if test and test.state else None,
            session=session and session._asdict(),
            playing=playing,
            seconds_left=(planned - len(games)) * seconds / new if seconds and new > 0 else None,
            ended=max((game.began + game.seconds for game in games if game.began is not None), default=None),
        )

    def _standings(self, experiment: Experiment, games: Iterable[GameRecord]) -> list[Any]:
        """The joint rating, as in a report; rows of the players with games that count."""
        import pandas as pd

        from arena.ratings.joint import rate

        rows = [(game.white, game.black, game.result, game.line, self._pairs[game.key]) for game in games]
        every = pd.DataFrame(rows, columns=["white", "black", "result", "line", "pair"])
        out = self._schedule.withdrawn
        counting = every[~every["white"].isin(out) & ~every["black"].isin(out)]
        players = [name for name in self._schedule.names if name not in out]
        specs = [spec for spec in experiment.players if spec.name in players]
        anchor = given_elo(specs, {name: elo for name, elo in experiment.anchor.items() if name in players})
        table = rate(counting, players, first=COLOURS[experiment.rule_set.first], anchor=anchor).table
        played = table[table["games"] > 0].astype(object)
        return played.where(played.notna(), None).to_dict("records")


def _is_playing(session: Session | None) -> bool | None:
    if session is None or session.host != platform.node():
        return None
    try:
        os.kill(session.process, 0)
    except OSError as error:  # one of permission: the process is another user's
        return not isinstance(error, ProcessLookupError)
    return True


def cells(standing: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of the standings, a text for each of COLUMNS."""
    elo = str(Interval.of(standing, "elo")) if known(standing["elo"]) else ""
    counts = (str(standing[name]) for name in ("games", "wins", "draws", "losses"))
    return (standing["player"], elo, percent(standing["score"]), *counts)


def lines(status: Status, most: int = 10_000) -> list[str]:
    """All about a run but its standings: how far it is, who plays it or did last, and `most` of its faults."""
    found = [status.title, status_line(status)]
    if (session := status.session) is not None:
        plays = {True: "being played", False: "played last", None: "perhaps being played"}[status.playing]
        who = f"process {session['process']} on {session['host']}"
        found.append(f"{plays} by {who} since {session['began'][:16]} UTC")
    if status.ended is not None:
        found[-1] += f", last game {duration(max(time.time() - status.ended, 0))} ago"
    faults = [
        f"{lost['player']} lost {counted(lost['games'], 'game')} ({Termination(lost['termination']).words})"
        + (f": {lost['error']}" if lost["error"] else "")
        for lost in status.lost
    ]
    faults += [f"{player} is withdrawn: {why}" for player, why in status.withdrawn.items()]
    return found + first_few(faults, most, "\n").splitlines()


def status_line(status: Status) -> str:
    """`120/600 games (20.0 %), 14 s left, leader simple-d6 75.0 %`, without what is not known.

    The state of a sequential test follows: `LLR 1.23 of −2.94 (H0) to 2.94 (H1) by 120 pairs`.
    """
    most = "" if status.exact else "at most "
    share = percent(status.games / max(status.planned, 1))
    parts = (
        [f"{status.games:,}/{most}{counted(status.planned, 'game')} ({share})"] if status.planned else ["no games"]
    )
    if not status.complete and status.playing is False:
        parts.append("no process is playing it")
    if (left := status.seconds_left) is not None:
        parts.append(f"{most}{duration(left)} left")
    if status.standings:
        leader = status.standings[0]
        parts.append(f"leader {leader['player']} {percent(leader['score'])}")
    if (test := status.sprt) is not None:
        llr, lower, upper = (with_minus(f"{test[name]:.2f}") for name in ("llr", "lower", "upper"))
        decided = "" if test["verdict"] == "continue" else f", {test['verdict']} accepted"
        parts.append(f"LLR {llr} of {lower} (H0) to {upper} (H1) by {counted(test['pairs'], 'pair')}{decided}")
    return ", ".join(parts)
