"""Runs: of games that a test stores itself, and played in this process; and what makes two of them the same."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import pandas as pd

import arena
from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.schedule import Keys, number_of
from arena.ledger.info import Entrant, RunInfo, session
from arena.ledger.ledger import COMPLETE, Ledger, StoreError
from arena.ledger.record import MOVE_COLUMNS, GameRecord, packed
from arena.play.carry_out import Outcome, play, play_runs
from arena.play.prepare import Tournament, prepare
from arena.play.workers import Workers
from arena.rules.result import RESULTS
from arena.watch.status import Observer
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
import time

from arena import Choice


class Slow:
    """The first legal move, after a while."""

    def choose(self, game, limit, rng):
        time.sleep(0.002)
        return Choice(game.legal_moves[0])


class Cheats:
    """Plays an illegal move."""

    def choose(self, game, limit, rng):
        return Choice(12345)
'''


class StoredRun:
    """A run of random players, or of entries, begun by this process; a context manager that closes its ledger."""

    def __init__(
        self,
        folder: Path,
        players: Iterable[str | Mapping[str, Any]],
        openings: int = 10,
        *,
        planned: int | None = None,
        exact: bool = True,
        hashes: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        """Of so many openings, by default of as many games as a round robin of them has.

        `hashes` say of what players are made, by default of their names.
        """
        entries = [{"name": each, "type": "random"} if isinstance(each, str) else each for each in players]
        document = {"name": "t", "variant": "english", "openings": {"count": openings}, "players": entries}
        self.experiment = load(document | settings)
        self.folder = folder
        self.names = [spec.name for spec in self.experiment.players]
        games = len(self.names) * (len(self.names) - 1) * openings if planned is None else planned
        fens = tuple(f"B:W{number}" for number in range(openings))
        self.info = RunInfo({name: Entrant(hashes.get(name, name)) for name in self.names}, fens, games, exact)
        self._keys = Keys(self.info.hashes, fens, self.experiment.openings.time_of)
        self._met: Counter[tuple[str, str]] = Counter()
        self.ledger = Ledger(folder, self.experiment, self.info)
        self.begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def begin(self, **changes: Any) -> None:
        """Begin another session now, by this process, but for the changes."""
        now = session(len(self.ledger.results()), 2)._replace(**changes)
        self.ledger.begin(self.info, now)
        self.ledger.put(COMPLETE, False)

    def end(self) -> None:
        """Mark the run as complete."""
        self.ledger.put(COMPLETE, True)

    def add(
        self,
        white: str,
        black: str,
        result: str,
        termination: str = "no_moves",
        error: str = "",
        *,
        opening: int | None = None,
        began: float = 0.0,
        moves: Sequence[str] = ("11-15",),
        columns: Mapping[str, float] = MappingProxyType({}),
    ) -> GameRecord:
        """Store a game, from the next opening of these players with these colours unless one is given, from 0.

        Each of its moves has these values in its columns, 1 in others. Games with other moves are other lines.
        """
        if opening is None:
            opening = self._met[white, black]
            self._met[white, black] += 1
        every = {name: [columns.get(name, 1.0)] * len(moves) for name, _ in MOVE_COLUMNS}
        plies, packed_moves = packed({"move": moves, **every} if moves else {})
        fen = self.info.openings[opening]
        key = self._keys.of(self.names.index(white), self.names.index(black), opening)
        record = GameRecord(
            *(key, white, black, fen, self.experiment.openings.time_of(opening), result, termination),
            plies=plies,
            seconds=0.1,
            began=began,
            error=error,
            line=number_of(fen, *moves),
            moves=packed_moves,
        )
        self.ledger.add(record)
        return record


def fill(folder: Path, games: int, players: int = 6) -> None:
    """Store a complete run of so many games with moves, lengths, counts and results at random."""
    rng, names = random.Random(1), [f"player-{number}" for number in range(1, players + 1)]
    openings = math.ceil(games / math.perm(players, 2))
    with StoredRun(folder, names, openings, planned=games) as run:
        for opening, (white, black) in islice(product(range(openings), permutations(names, 2)), games):
            moves = [f"{rng.randint(1, 28)}-{rng.randint(1, 28)}" for _ in range(rng.randint(30, 100))]
            columns = {"nodes": rng.randint(8, 10_000), "seconds": rng.random(), "score": rng.gauss(0, 50)}
            run.add(white, black, rng.choice(RESULTS), opening=opening, moves=moves, columns=columns)
        run.end()


def experiment(folder: Path, text: str = CONFIG) -> Experiment:
    """The experiment of a file in the folder, beside the file of PLAYERS."""
    (folder / "own.py").write_text(PLAYERS)
    path = folder / "config.yaml"
    path.write_text(text)
    return load(path)


def run(folder: Path, out: str, text: str = CONFIG, workers: int = 1, stops: Sequence[int] = ()) -> arena.Run:
    """Play the tournament of `experiment` to its end, as `play_whole` does."""
    return play_whole(prepare(experiment(folder, text)), folder / out, workers, stops)


def play_whole(plan: Tournament, folder: Path, workers: int = 1, stops: Sequence[int] = ()) -> arena.Run:
    """Play a tournament to its end, stopped and resumed after some numbers of games; none is played twice."""
    for stop in (*stops, math.inf):
        with Ledger(folder, plan.experiment, plan.info) as ledger:
            before, played = ledger.results().keys(), list[int]()

            def is_over(played: list[int] = played, stop: float = stop) -> bool:
                return len(played) >= stop

            for record in playing(plan, ledger, workers, is_over):
                played.append(record.key)
            assert not before & {*played}
            assert is_over() or plan.schedule(ledger.results()).order is not None
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


def assert_same(one: arena.Run, other: arena.Run) -> None:
    """Assert that runs are the same, be it that the command line, which alone measures men, played only one."""
    pd.testing.assert_frame_equal(repeatable(one.games), repeatable(other.games))
    one_moves, other_moves = (repeatable(run.moves.drop(columns="score_men")) for run in (one, other))
    pd.testing.assert_frame_equal(one_moves, other_moves)
    columns = [column for column in one.standings if not str(column).startswith("seconds")]
    pd.testing.assert_frame_equal(one.standings[columns], other.standings[columns])


def stored(folder: Path) -> dict[int, float]:
    """The seconds of each stored game, by its number; none where there is no run yet."""
    try:
        games = arena.load(folder).games
    except StoreError:
        return {}
    return dict(zip(games["game"], games["seconds"], strict=True))
