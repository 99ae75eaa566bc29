"""Small tournaments played in this process, and what makes two of them the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import arena
from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.ledger.info import session
from arena.ledger.ledger import Ledger, StoreError
from arena.ledger.record import GameRecord
from arena.play.carry_out import Outcome, play, play_runs
from arena.play.prepare import Tournament, prepare
from arena.play.workers import Workers
from arena.watch.observer import Observer
from tests.helpers.report_data import repeatable

CONFIG = """\
name: small
variant: english
seed: 3
openings: {random_plies: 4, count: 8}
max_plies: 60
players:
  - {name: random, type: random}
  - {name: greedy, type: greedy}
  - {name: depth-3, type: negamax, depth: 3}
"""

PLAYERS = '''\
import os
import time


class Slow:
    """The first legal move, after a while."""

    def __init__(self, variant):
        pass

    def choose(self, game, limit, rng):
        from arena import Choice

        time.sleep(0.002)
        return Choice(game.legal_moves[0])


class Cheats(Slow):
    """Plays an illegal move."""

    def choose(self, game, limit, rng):
        from arena import Choice

        return Choice(12345)
'''


def experiment(folder: Path, text: str = CONFIG) -> Experiment:
    (folder / "own.py").write_text(PLAYERS)
    path = folder / "config.yaml"
    path.write_text(text)
    return load(path)


def run(folder: Path, out: str, text: str = CONFIG, workers: int = 1, stops: Sequence[int] = ()) -> arena.Run:
    return play_whole(prepare(experiment(folder, text)), folder / out, workers, stops)


def play_whole(plan: Tournament, folder: Path, workers: int = 1, stops: Sequence[int] = ()) -> arena.Run:
    """Play a tournament to its end, stopped and resumed after some numbers of games; none is played twice."""
    for stop in (*stops, math.inf):
        with Ledger(folder, plan.experiment, plan.info) as ledger:
            before = ledger.results().keys()
            played: list[int] = []
            for record in playing(plan, ledger, workers, lambda played=played, stop=stop: len(played) >= stop):  # type: ignore[misc]
                played.append(record.key)
            assert not before & {*played}
            assert plan.schedule(ledger.results()).order is not None or len(played) >= stop
            assert len(played) <= stop or workers > 1
    return arena.load(folder)


def playing(
    plan: Tournament, ledger: Ledger, workers: Workers = 1, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Begin a session, and play the games that are missing."""
    schedule = plan.schedule(ledger.results())
    ledger.begin(plan.info, session(len(schedule.asked()), workers))
    return play(plan, schedule, ledger, workers, stopping)


def play_run(plan: Experiment, folder: Path, observer: Observer | None = None, **options: Any) -> Outcome:
    """Play one run, as a command does."""
    ((_, outcome),) = play_runs({"": plan}, folder, observer, **options)
    return outcome


def open_for(folder: Path, text: str = CONFIG) -> Ledger:
    """A ledger in which a run has begun."""
    plan = prepare(experiment(folder, text))
    ledger = Ledger(folder / "out", plan.experiment, plan.info)
    ledger.begin(plan.info, session(0, 1))
    return ledger


def assert_same(one: arena.Run, other: arena.Run) -> None:
    """Assert that runs are the same, be it that the command line, which alone measures men, played only one."""
    pd.testing.assert_frame_equal(repeatable(one.games), repeatable(other.games))
    one_moves, other_moves = (repeatable(run.moves.drop(columns="score_men")) for run in (one, other))
    pd.testing.assert_frame_equal(one_moves, other_moves)
    columns = [column for column in one.standings if not str(column).startswith("seconds")]
    pd.testing.assert_frame_equal(one.standings[columns], other.standings[columns])


def stored(folder: Path) -> dict[int, float]:
    try:
        games = arena.load(folder).games
    except StoreError:
        return {}
    return dict(zip(games["game"], games["seconds"], strict=True))
