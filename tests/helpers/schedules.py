"""Schedules as lists of what they play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from arena.experiment.formats.base import Batches, BatchResult, FinalPlace, ScheduledGame
from arena.experiment.load import load
from arena.ledger.record import GameRecord
from arena.play.match import Task
from arena.play.prepare import prepare
from arena.play.ready import Tournament
from arena.play.schedule import scheduled_game
from arena.rules.game import Termination

Result = Callable[[ScheduledGame], float]
"""White's points in a game."""
Made = tuple[list[list[ScheduledGame]], list[FinalPlace]]


def batches(format: Batches, result: Result, void: Mapping[int, frozenset[int]] = {}) -> Made:
    """The games of all batches of a format under some results, and its final order; `void` players by batch."""
    made: list[list[ScheduledGame]] = []
    before = 0
    batch = next(format)
    try:
        while True:
            games = [scheduled_game(batch, before + 1 + place, before) for place in range(2 * len(batch))]
            made.append(games)
            before += len(games)
            points = ((result(one), 1 - result(other)) for one, other in zip(games[::2], games[1::2], strict=True))
            batch = format.send(BatchResult(points, void.get(len(made), frozenset())))
    except StopIteration as end:
        return made, end.value


def drawn(scheduled: ScheduledGame) -> float:
    return 0.5


HEAD = "name: f\nvariant: english\nseed: 5\nopenings: {random_plies: 3, count: 24}\nmax_plies: 90\n"

FOUR = (
    "players:\n  - {name: a, type: greedy}\n  - {name: b, type: random}\n"
    "  - {name: c, type: random}\n  - {name: d, type: greedy, evaluation: cis300}\n"
)


def plan_of(folder: Path, text: str) -> Tournament:
    path = folder / "config.yaml"
    path.write_text(HEAD + text)
    return prepare(load(path))


DYNAMIC = {
    "swiss": "format: {type: swiss, rounds: 3, pairs: 2}\n",
    "knockout": "format: {type: knockout, pairs: 1, extra: 4}\n",
}


def record(task: Task) -> GameRecord:
    """A made-up game: of three pairs the first player wins two with 1.5 points, one is level."""
    won = task.scheduled.game % 2 == 1 and task.scheduled.pair % 3 != 0
    result = "white" if won else "draw"
    return task.record(result, Termination.NO_MOVES)
