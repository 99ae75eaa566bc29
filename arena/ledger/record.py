"""Games, searches, answers and grades as a worker returns them and the ledger stores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np

from arena.ledger.packing import NO_MOVES, packed_grades, unpacked
from arena.rules.game import FORFEITS, Termination

MEASURED = (
    *("began", "worker", "machine", "seconds", "cpu_seconds"),
    *("clock", "overrun", "extra_said_ms", "pondered_seconds"),
)
"""Columns of games, moves and searches that tell when, where and how fast: no run repeats them.

All others are the same whenever the same configuration is played, but for players with a time limit.
"""
FAULTS = tuple(ending for ending in FORFEITS if ending != Termination.DISQUALIFIED)
"""How a game ends in which a player fails."""
TABLES_JUDGE = "tables"
"""The judge of the positions that the endgame tables have."""


class Failure(NamedTuple):
    """A player's failure, by which it lost a game."""

    game: int
    player: str
    kind: Termination
    """One of FORFEITS."""
    ply: int
    """The half-move that failed, from 1."""
    detail: str = ""
    """What the record says after the player's name; empty where that is unknown."""
    traceback: str = ""
    output: str = ""

    @property
    def words(self) -> str:
        """What happened, in words that go on after the player's name."""
        is_unplayed = self.kind == Termination.DISQUALIFIED
        return self.detail or _FAILED[self.kind] + ("" if is_unplayed else f" at ply {self.ply}")


_FAILED = {
    Termination.TIME: "lost on time",
    Termination.ILLEGAL_MOVE: "did not return a legal move",
    Termination.ERROR: "failed by an error",
    Termination.DISQUALIFIED: "was disqualified",
}


def failures_of(games: Iterable[Mapping[Any, Any]]) -> Iterator[Failure]:
    """The failures by which games were lost, rows of GAME_COLUMNS; both players' of one that is drawn."""
    for game in games:
        if game["termination"] in FORFEITS:
            for player in losers(game["result"], str(game["white"]), str(game["black"])):
                told = "" if game["termination"] == Termination.DISQUALIFIED else detail(game["error"], player)
                head = game["game"], player, Termination(game["termination"]), _ply(game, player)
                yield Failure(*head, told, game["traceback"], game["output"])


def losers(result: str, white: str, black: str) -> Sequence[str]:
    """Who lost a game by a fault: both where that is a draw."""
    return {"white": (black,), "black": (white,)}.get(result, (white, black))


def failed_in(result: str, termination: str, white: str, black: str) -> str:
    """Who failed in a game that was played; "" for nobody."""
    return losers(result, white, black)[0] if termination in FAULTS else ""


def _ply(game: Mapping[Any, Any], player: str) -> int:
    """The half-move by which a player lost a game: the last one if the player made it too late, else the next."""
    plies, first_mover = int(game["plies"]), "white" if game["opening_fen"].startswith("W") else "black"
    is_last = plies > 0 and (player == game[first_mover]) == (plies % 2 == 1)
    return plies if is_last else plies + 1


def detail(error: str, player: str) -> str:
    """What a record's `error` says after the name of the player who failed."""
    return error.removeprefix(f"{player} ")


class GameRecord(NamedTuple):
    """A finished game: a row of the ledger, and behind it what is kept beside, or not at all."""

    game: int
    """Its number; games, pairs, rounds and openings count from 1."""
    pair: int
    round: int
    white: str
    black: str
    opening: int
    opening_fen: str
    result: str
    """One of `arena.rules.result.RESULTS`."""
    termination: str
    """A value of `arena.rules.game.Termination`."""
    white_points: int | None = None
    """White's and Black's points, where they decided the game."""
    black_points: int | None = None
    plies: int = 0
    seconds: float = 0.0
    """Wall time of the whole game."""
    cpu_seconds: float = nan
    """Processor time of both players' moves."""
    began: float = nan
    """When it was begun, in seconds since 1970; nan for a game that was not played."""
    worker: int | None = None
    """Number of the process that played it, on its machine."""
    machine: str = ""
    """The machine's name."""
    error: str = ""
    """Why a game was lost by a player's fault."""
    traceback: str = ""
    """Where the player's code raised, if it did."""
    output: str = ""
    """The last output of the player that failed, if it has its own process."""
    extras: bytes | None = None
    """Custom metrics of the players, packed by `named`; None where there are none."""
    moves: bytes = NO_MOVES
    """Packed by `packed`."""
    logs: tuple[str, str] = ("", "")
    """What White and Black printed; of programs, what was said by them and to them, with `log: true`."""

    @property
    def failed(self) -> str:
        """Who failed in it; "" for nobody."""
        return failed_in(self.result, self.termination, self.white, self.black)

    def table(self) -> np.ndarray:
        """The moves, a record each: `move`, the text as bytes, and MOVE_COLUMNS."""
        return unpacked([self.moves], [self.plies])


class SuiteAnswer(NamedTuple):
    """One player's answer to one position of a suite."""

    suite: str
    position: int
    """Number of the position in its suite, from 1."""
    fen: str
    player: str
    legal_moves: int
    best_moves: int
    best: str
    """The moves that solve the position; "" for one of a suite without solutions."""
    move: str
    """"" where the player failed."""
    solved: bool
    depth: int
    nodes: int
    seconds: float
    """Wall time."""
    cpu_seconds: float
    error: str


class Grade(NamedTuple):
    """The grade of one decision: a move in a position of more than one legal move; values are the mover's.

    A decision that cannot err, in the tables' positions, has no grade: it is only counted.
    """

    ply: int
    """From 1."""
    pieces: int
    """On the board before the move."""
    best_move: str
    """As `moves.csv` has it: the played move where none is better."""
    best: float | None
    """Points, 0 to 1, with best play after the best move; None where the judge has only a score in men."""
    played: float | None
    """The same after the played move."""
    best_men: float | None = None
    """The judge's score in men after the best move, kept to a thousandth; None of a certain value."""
    played_men: float | None = None
    """The same after the played move."""


class GradedGame(NamedTuple):
    """The grades of a game by one judge."""

    game: int
    judge: str
    """TABLES_JUDGE or the name of a player."""
    endgame_pieces: int
    """Most pieces of a position that the tables judged; 0 if none took part."""
    grades: tuple[Grade, ...]
    decisions: tuple[int, int] = (0, 0)
    """White's and Black's decisions that the judge has looked at, also if they cannot err."""

    def row(self, graded: int) -> dict[str, Any]:
        """The grades as a row of the ledger, of a game whose row has this checksum."""
        white, black = self.decisions
        return {
            **self._asdict(),
            "graded": graded,
            "white_decisions": white,
            "black_decisions": black,
            "count": len(self.grades),
            "grades": packed_grades(self.grades),
        }
