"""Formats as lists of what they play."""

from collections.abc import Callable, Mapping
from pathlib import Path

from arena.experiment.formats.base import Batches, BatchResult, FinalPlace, Rounds, ScheduledGame
from arena.experiment.load import load
from arena.play.prepare import Tournament, prepare

Result = Callable[[ScheduledGame], float]
"""White's points in a game."""
Made = tuple[list[list[ScheduledGame]], list[FinalPlace]]


def games_of(batch: Rounds, before: int = 0) -> list[ScheduledGame]:
    """The games of a batch that comes after `before` games; each has its number as its key."""
    games = []
    for place in range(2 * len(batch)):
        first, second, opening, round = batch[place // 2]
        white, black = (second, first) if place % 2 else (first, second)
        number = before + place + 1
        games.append(ScheduledGame(number, number, (number + 1) // 2, round, white, black, opening))
    return games


def batches(format: Batches, result: Result, withdrawn: Mapping[int, frozenset[int]] = {}) -> Made:
    """The games of all batches of a format under some results, and its final order; `withdrawn` are by batch."""
    made: list[list[ScheduledGame]] = []
    before = 0
    batch = next(format)
    try:
        while True:
            games = games_of(batch, before)
            made.append(games)
            before += len(games)
            points = ((result(one), 1 - result(other)) for one, other in zip(games[::2], games[1::2], strict=True))
            batch = format.send(BatchResult(points, withdrawn.get(len(made), frozenset())))
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
