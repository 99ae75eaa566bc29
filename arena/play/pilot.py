"""What is wrong with a configuration, and what its run will take and show, as far as a few of its games say."""

from __future__ import annotations

import math
import os
import random
import signal
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.base import ArenaError
from arena.base.wording import printable
from arena.experiment.load import load_all
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import left_out_lines
from arena.experiment.yaml.values import ConfigError, Mistake
from arena.ledger.record import GameRecord
from arena.play.carry_out import available
from arena.play.cluster import worker_count
from arena.play.match import TIME_RESERVE, play
from arena.play.prepare import Tournament, made_ready, parts_of, unguarded
from arena.play.trials import look_at
from arena.play.workers import Workers, kept_workers, run
from arena.ratings.match import detectable, resolution
from arena.rules.result import points_of
from arena.watch.status import Observer, announcing
from players.loading import UNBUILT, Finding

PILOT_SECONDS = 10.0
"""Seconds after which a pilot ends."""
_SHARE = 10
"""A pilot has at most one of so many games of the run."""


class Expectation(NamedTuple):
    """What a pilot says of a run."""

    title: str
    """`compare: round-robin, english, 6 players`."""
    games: int
    """The most games of the run."""
    exact: bool
    """Whether exactly this many are played, whatever their results."""
    searches: int
    """Of the positions of suites."""
    games_per_pairing: int
    workers: int
    costly: Sequence[str]
    """Players whose answers cost money: then there is no pilot."""
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float | None
    """Mean wall time of a game, for the worker that plays it, without what it loads before its first one; None
    where no game of a pilot ended.
    """
    loading: float | None
    """Seconds by which a worker's first game took longer, in which it loads what it needs; None where each worker
    of the pilot has played one game, so that the seconds of a game contain it.
    """
    seconds: float | None
    """Wall time of all games on the workers, and of loading."""
    pairing_elo: float
    """The difference between two players of about equal strength that their games show with a chance of 80 %."""


def check(
    config: str | os.PathLike[str] | Mapping[str, Any],
    *,
    workers: Workers | None = None,
    observer: Observer | None = None,
) -> Iterator[tuple[str, Finding | Expectation]]:
    """Yield what is wrong with a configuration as it is found, then what its run takes; runs by their names.

    Every player is built, and a user's own play a few short games: are their moves legal, their limits kept, and
    their moves the same from the same seed, whatever they played before? Their evaluations are examined. If
    nothing is wrong, a tenth of the games, or as many as end within PILOT_SECONDS, are played and not kept.
    `workers` are as in `arena.run`.

    Raises ValueError, a line for each problem, for a configuration that cannot be read.
    """
    observer = observer or Observer()
    experiments, mistakes = _loaded(config)
    for mistake in mistakes:
        yield "", Finding("error", detail=mistake.in_line())
    tournaments: dict[str, Tournament] = {}
    with announcing(observer.say), kept_workers():
        for name, experiment in experiments.items():
            for found in diagnose(experiment, Path("reports") / experiment.name / name, observer):
                if isinstance(found, Tournament):
                    tournaments[name] = found
                else:
                    yield name, found
        for name, tournament in (
            tournaments.items() if len(tournaments) == len(experiments) and not mistakes else ()
        ):
            used = available(workers or tournament.experiment.workers, observer.say, tournament.players)
            processes = used if isinstance(used, int) else worker_count(used)
            if not processes:
                raise ArenaError(f"{used} has no workers yet, on which games would be measured")
            yield name, expectation(tournament, pilot(tournament, used, observer), processes)


def diagnose(
    experiment: Experiment, folder: Path, observer: Observer | None = None
) -> Iterator[Finding | Tournament]:
    """Yield problems of a configuration whose run is to be kept in `folder`, and what its players printed.

    First those that need no player to be asked; then every player of the user's own plays several games, unless
    there is no sandbox where one is asked for. Last, if nothing is wrong, comes the tournament.
    """
    observer, findings = observer or Observer(), list[Finding]()
    if line := unguarded(experiment):
        observer.say(line)
    parts = parts_of(experiment, observer.say)
    for key, problems in parts.errors.items():
        findings.append(Finding("error", where=key, detail=str(problems)))
    for line in (*left_out_lines(parts.openings.left_out)[1:], *parts.openings.notes):
        findings.append(Finding("warning", line, "openings"))
    existing = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        findings.append(Finding("error", f"{folder} cannot be written to", "disk"))
    if experiment.is_timed and experiment.time_margin < TIME_RESERVE:
        margin = f"{experiment.time_margin:g} s to spare"
        late = f"moves are not timed here: with {margin} a player on a busy machine loses games by time"
        findings.append(Finding("warning", late, "time_margin"))
    yield from findings
    if "sandbox" in parts.errors:
        observer.say("without a sandbox no player is tried")
        return
    with observer.working("players", len(experiment.players)):
        entrants = look_at(experiment, "examined", observer.say, everyone=True, done=observer.done)
    of_players: list[Finding] = []
    for index, (name, entrant) in enumerate(entrants.items()):
        for finding in entrant.problems:
            detail = finding.detail
            if finding.kind == UNBUILT:
                detail = str(experiment.error(("players", index, *finding.keys), detail))
            if finding.kind != UNBUILT or detail not in {other.detail for other in findings + of_players}:
                of_players.append(finding._replace(where=name, detail=detail))
        if entrant.printed:
            printed = printable(entrant.printed)
            of_players.append(Finding("ok", "printed in a game of its trial", name, output=printed))
    if (rules := experiment.adjudicate) is not None:
        men = [entrant.man_value for entrant in entrants.values()]
        lines = rules.unusable(men, experiment.max_plies)
        of_players += [Finding("warning", line, "adjudicate") for line in lines]
    yield from of_players
    if not any(finding.level == "error" for finding in findings + of_players):
        yield made_ready(experiment, entrants, parts)


def _loaded(config: Any) -> tuple[dict[str, Experiment], Sequence[Mistake]]:
    """The runs of a configuration, and mistakes in names of players, which do not keep them from being tried."""
    try:
        return load_all(config), ()
    except ConfigError as error:
        try:
            experiments = load_all(config, are_tried=True)
        except ConfigError:
            raise error from None
        return experiments, [mistake for mistake in error.problems if mistake.keys[-1:] == ("name",)]


def pilot(tournament: Tournament, workers: Workers, observer: Observer | None = None) -> list[GameRecord]:
    """Play games of the first batch, drawn at random, that end within PILOT_SECONDS, a tenth of all at most.

    None is played where an answer costs money. Raises what `arena.play.workers.run` raises.
    """
    observer, records = observer or Observer(), list[GameRecord]()
    chosen = [] if tournament.costly else list(tournament.schedule({}).games())
    random.Random(f"{tournament.experiment.seed} pilot").shuffle(chosen)
    chosen = chosen[: math.ceil(len(chosen) / _SHARE)]
    with observer.working("games of a pilot", len(chosen)) as stopping, _ending_after(PILOT_SECONDS):
        for record in run(play, map(tournament.task, chosen), workers, stopping):
            records.append(record)
            observer.done(len(records))
    return records


class _Over(BaseException):
    """The seconds of a pilot are over."""


@contextmanager
def _ending_after(seconds: float) -> Iterator[None]:
    """End the block after some seconds; in another thread than the main one, it comes to its own end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise _Over

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with suppress(_Over):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def expectation(tournament: Tournament, pilot: Sequence[GameRecord], workers: int) -> Expectation:
    """The expectation for the whole run on a number of workers after the games of a pilot."""
    experiment, games = tournament.experiment, tournament.info.games
    of_process: defaultdict[int | None, list[float]] = defaultdict(list)
    for record in pilot:
        of_process[record.worker].append(record.seconds)
    firsts = [seconds[0] for seconds in of_process.values()]
    others = [each for seconds in of_process.values() for each in seconds[1:]]
    seconds = np.array(others or firsts)
    mean = float(seconds.mean()) if len(seconds) else None
    loading = max(float(np.mean(firsts)) - mean, 0.0) if others and mean is not None else None
    draw_rate = (sum(points_of(record.result) == 0.5 for record in pilot) + 0.5) / (len(pilot) + 1)
    games_per_pairing = 2 * experiment.format.pairs_of_pairing(len(tournament.parts.openings.openings))
    players, rules = len(tournament.players), tournament.variant.name
    return Expectation(
        title=f"{experiment.name}: {experiment.format.type}, {rules}, {players} players",
        games=games,
        exact=tournament.info.exact,
        searches=len(tournament.questions([])),
        games_per_pairing=games_per_pairing,
        workers=workers,
        costly=tournament.costly,
        pilot_games=len(pilot),
        draw_rate=draw_rate,
        seconds_per_game=mean,
        loading=loading,
        seconds=None if mean is None else mean * games / workers + (loading or 0.0),
        pairing_elo=detectable(resolution(games_per_pairing, draw_rate)),
    )
