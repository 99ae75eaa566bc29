"""A game of a PDN, and what could not be read of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from arena.rules.movegen import apply
from arena.rules.position import Position
from arena.rules.variants import Variant

INTERNATIONAL = {"1-0": "2-0", "1/2-1/2": "1-1", "0-1": "0-2"}
"""Results as PDN 3.0's result type International counts them, by how they are counted elsewhere."""


class PdnProblem(NamedTuple):
    """Something in a PDN that could not be read, and where it stands."""

    file: str
    line: int
    """Counted from 1."""
    game: int
    """Counted from 1."""
    ply: int
    """The ply that was to be read, counted from 1; 0 in the tags."""
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: game {self.game}, ply {self.ply}: {self.message}"


@dataclass(frozen=True)
class PdnGame:
    """One game of a PDN; one with problems may have fewer moves than its text."""

    variant: Variant
    start: Position
    moves: list[int]
    result: str = "*"
    """`1-0`, `1/2-1/2`, `0-1` with White's points first, `0-0` if both lost, `*` if unfinished or unknown.

    As the text has it: some collections of games in which Black moves first put Black's points first.
    """
    tags: dict[str, str] = field(default_factory=dict)
    """All tags as in the text, their names in the standard spelling."""
    comments: dict[int, str] = field(default_factory=dict)
    """By the number of plies played before; runs of spaces and line ends are single spaces."""
    setups: dict[int, Position] = field(default_factory=dict)
    """Positions set up in mid-game, by the number of plies played before."""
    number: int = 1
    """In the text, counted from 1."""
    problems: list[PdnProblem] = field(default_factory=list)
    count: int = 1
    """Games in the text, those that cannot be read among them."""

    def positions(self) -> list[Position]:
        """The positions before each move and after the last: `len(moves) + 1` of them."""
        positions = [self.start]
        for ply, move in enumerate(self.moves, start=1):
            after = apply(self.variant.constants, positions[-1], move)
            positions.append(self.setups.get(ply, after))
        return positions


class PdnFile(NamedTuple):
    """The games of a PDN in their order, and the problems of all."""

    games: list[PdnGame]
    problems: list[PdnProblem]
