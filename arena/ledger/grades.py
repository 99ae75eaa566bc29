"""Grades of decisions: what a judge found of the moves of a game, as a worker returns it and as it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.ledger.record import shuffled, unshuffled
from arena.ledger.table import CHECKSUM, Table
from arena.rules.variants import Variant
from players.player import Allowance, PlayerSpec

TABLES_JUDGE = "tables"
"""The judge of the positions that the endgame tables have."""
JUDGES = "judges"
"""Key of the document with the entries of the other judges, by name."""
GRADE_RECORD = (
    *(("ply", "i8"), ("pieces", "i8"), ("legal_moves", "i8"), ("best", "f8"), ("played", "f8")),
    *(("erring_moves", "i8"), ("lost_points", "f8"), ("best_plies", "f8"), ("played_plies", "f8")),
    *(("best_men", "f8"), ("played_men", "f8")),
)
"""Names and numpy types of what is stored for a grade, besides the best move: nan where a value is missing."""
_MEN = ("best_men", "played_men")
_DECIMALS = 3
GRADES = Table(
    "grades",
    {
        "game": "INTEGER",
        "judge": "TEXT",
        "graded": "INTEGER",
        "endgame_pieces": "INTEGER",
        "white_decisions": "INTEGER",
        "black_decisions": "INTEGER",
        "contact_ply": "INTEGER",
        "contact_points": "REAL",
        "contact_plies": "INTEGER",
        "count": "INTEGER",
        "grades": "BLOB",
    },
    ["game", "judge"],
    is_needed=False,
)
"""A row per game and judge. `graded` is the checksum of the game's row: grades of another one do not count."""
GRADED_COLUMNS = tuple(name for name in GRADES.columns if name not in ("graded", "count", "grades"))
"""Names of what is read back of a graded game; the fields of `GradedGame` say what they are."""
GRADE_COLUMNS = (
    *("game", "ply", "player", "colour", "judge", "pieces", "phase", "legal_moves", "best_move"),
    *("best", "played", "chance_errors", "chance_loss", "best_plies", "played_plies", "best_men", "played_men"),
)
"""The columns of `arena.ledger.read.RunData.grades`."""
CURRENT = f"FROM grades JOIN games ON grades.game = games.game AND grades.graded = games.{CHECKSUM} WHERE 1"
"""The rest of a query for grades of games as they are stored now; conditions may follow."""
ORDER = f"ORDER BY grades.game, judge != '{TABLES_JUDGE}', judge"


class GradeTask(NamedTuple):
    """All that a worker needs to grade a game: plain data."""

    game: int
    variant: Variant
    opening_fen: str
    plies: int
    moves: bytes
    """As the ledger has them."""
    endgame_pieces: int
    judge: PlayerSpec | None
    """None where the tables judge."""
    seed: int
    allowance: Allowance


class Grade(NamedTuple):
    """The grade of one decision: a move in a position of more than one legal move; values are the mover's.

    A decision that cannot err, in the tables' positions, has no grade: it is only counted.
    """

    ply: int
    """From 1."""
    pieces: int
    """On the board before the move."""
    legal_moves: int
    best_move: str
    """As `moves.csv` has it: the played move where none is better."""
    best: float | None
    """Points, 0 to 1, with best play after the best move; None where the judge has only a score in men."""
    played: float | None
    """The same after the played move."""
    erring_moves: int = 0
    """Legal moves that lose value, at least one; 0 where that is not known, by a judge other than the tables."""
    lost_points: float = 0.0
    """Points that all legal moves lose together; 0 where that is not known."""
    best_plies: int | None = None
    """Plies from the position to the certain end after the best move; None where none is certain."""
    played_plies: int | None = None
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
    """White's and Black's decisions that the judge has looked at, those that cannot err among them."""
    contact_ply: int | None = None
    """The ply of the first move in a position of the tables; None if there is none or the judge is another."""
    contact_points: float | None = None
    """White's points with best play from there."""
    contact_plies: int | None = None
    """Plies from there to the end with best play; None in a drawn position."""

    def row(self, graded: int) -> tuple[Any, ...]:
        """The values of GRADES for a game whose row has this checksum."""
        contact = self.contact_ply, self.contact_points, self.contact_plies
        kept = len(self.grades), packed(self.grades)
        return (self.game, self.judge, graded, self.endgame_pieces, *self.decisions, *contact, *kept)


def packed(grades: Sequence[Grade]) -> bytes:
    """Grades as the ledger keeps them."""
    text = np.array([grade.best_move for grade in grades], bytes)
    records = np.empty(len(grades), [*GRADE_RECORD, ("best_move", text.dtype)])
    records["best_move"] = text
    for name, _ in GRADE_RECORD:
        records[name] = [getattr(grade, name) for grade in grades]
    for name in _MEN:
        records[name] = records[name].round(_DECIMALS)
    return shuffled(records)


def unpacked(parts: Sequence[bytes], counts: Sequence[int]) -> np.ndarray:
    """The grades of many games, a record each, by what `packed` gave and how many there are in each.

    The fields are those of `Grade`, `best_move` as bytes; nan is a missing value.
    """
    return unshuffled(parts, counts, GRADE_RECORD, "best_move")
