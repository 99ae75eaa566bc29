"""A game read back: of a PDN, of a run, or begun by a position and some moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from arena.rules.move_text import MoveSquares, move_squares, move_text, parse_move
from arena.rules.movegen import after_move, apply, legal_moves
from arena.rules.notation import NO_RUNS, KingRuns, NotationError, parse_fen
from arena.rules.position import WHITE, Position
from arena.rules.result import NO_RESULT
from arena.rules.variants import Variant


class Problem(NamedTuple):
    """Something of a game that could not be read, and where it stands."""

    file: str
    line: int  # counted from 1
    game: int  # counted from 1; 0 for the whole file
    ply: int  # the ply that was to be read, counted from 1; 0 in the tags
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: game {self.game}, ply {self.ply}" if self.game else self.file
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class PlayedGame:
    """One game read back; one with problems may have fewer moves than were written down."""

    variant: Variant
    start: Position
    moves: list[int]
    result: str = NO_RESULT  # who won: `white`, `black`, `draw`; `0-0` if both lost, `*` if unfinished or unknown
    tags: dict[str, str] = field(default_factory=dict)
    """All tags as in the text, their names in the standard spelling."""
    comments: dict[int, str] = field(default_factory=dict)
    """By the number of plies played before; runs of spaces and line ends are single spaces."""
    setups: dict[int, Position] = field(default_factory=dict)
    """Positions set up in mid-game, by the number of plies played before."""
    number: int = 1  # in its file or run, counted from 1
    problems: list[Problem] = field(default_factory=list)
    count: int = 1  # games of the file, those that cannot be read among them; of a run its highest number
    answers: Mapping[str, Any] | None = field(default=None, compare=False)
    """The movers' answers, if known: columns of `arena.ledger.record.MOVE_COLUMNS`, a value per ply.

    Of a PDN, `score`, `plies_to_win`, `depth`, `nodes` and `seconds`, as far as its comments have them.
    """
    king_runs: KingRuns = NO_RUNS  # of the start position, by its FEN
    men: tuple[float | None, float | None] = (None, None)
    """What a man is worth in White's and in Black's scores, where it is known."""

    @cached_property
    def positions(self) -> list[Position]:
        """The positions before each move and after the last: `len(moves) + 1` of them."""
        positions = [self.start]
        for ply, move in enumerate(self.moves, start=1):
            after = apply(self.variant.rules, positions[-1], move)
            positions.append(self.setups.get(ply, after))
        return positions

    @property
    def names(self) -> tuple[str, str]:
        """White's and Black's name, `?` where there is none."""
        return self.tags.get("White", "?"), self.tags.get("Black", "?")

    def text(self, ply: int) -> str:
        """The move of a ply, from 1, as PDN writes it."""
        before = self.positions[ply - 1]
        return move_text(self.variant, before, self.moves[ply - 1], legal_moves(self.variant.rules, before))

    @cached_property
    def texts(self) -> list[str]:
        """The moves as PDN writes them."""
        return [self.text(ply) for ply in range(1, len(self.moves) + 1)]

    def squares(self, ply: int) -> MoveSquares:
        """The squares of the move of a ply, from 1."""
        return move_squares(self.variant, self.positions[ply - 1], self.moves[ply - 1])


def replayed(variant: Variant, opening: str, texts: Iterable[str], **fields: Any) -> PlayedGame:
    """The game with these moves from the FEN of its opening, up to one that is not legal; `fields` are others of
    `PlayedGame`. Where the opening cannot be read the board is empty."""
    positions, moves, problems = [Position(0, 0, 0, WHITE)], list[int](), list[Problem]()
    try:
        positions = [parse_fen(variant, opening)]
        legal = legal_moves(variant.rules, positions[0])
    except NotationError as error:
        problems.append(Problem("", 0, fields.get("number", 1), 0, str(error)))
        texts = ()
    try:
        for text in texts:
            moves.append(parse_move(variant, positions[-1], text, legal))
            position, legal = after_move(variant.rules, positions[-1], moves[-1])
            positions.append(position)
    except NotationError as error:
        problems.append(Problem("", 0, fields.get("number", 1), len(moves) + 1, str(error)))
    game = PlayedGame(variant, positions[0], moves, problems=problems, **fields)
    vars(game)["positions"] = positions  # in place of the same ones from `apply`, which takes longer
    return game
