"""Suites: positions with the moves that solve them, from files, or without, drawn at random."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.files import unicode_text, unreadable
from arena.base.wording import MAX_CHARACTERS, cut, unknown
from arena.experiment.openings.sources import is_even, random_line
from arena.experiment.suite import SUITES_FOLDER, RandomSuite, shipped
from arena.rules.custom import VariantError, build_variant
from arena.rules.game import Game
from arena.rules.move_text import move_text, parse_move
from arena.rules.movegen import legal_moves
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant

FORM = "FEN ; best moves"
"""A line of a file."""
_MAX_MESSAGE = 300
"""Characters of an error in a file, which may quote it."""
PLIES = (6, 40)
"""Random plies to the first and to the last position that is drawn: from the opening to positions of 9 or 10
pieces on the small boards."""
_TRIES = 1000
"""Random lines tried for each position before giving up."""
_RULES = re.compile(r"variant:\s*(\S+)")


class Puzzle(NamedTuple):
    """Sets a position of a suite as a task, with the moves that solve it."""

    position: Position
    best: tuple[int, ...] = ()
    """The moves that solve it; none of a position without a solution."""


class Suite(NamedTuple):
    """Positions to solve, or only to search, all by the same rules."""

    name: str
    variant: Variant
    puzzles: tuple[Puzzle, ...]
    depth: int | None = None
    """Plies that every player searches, in place of its own limit."""

    def spread(self, number: int | None) -> Suite:
        """The suite with `number` of its positions, spread evenly; itself for None or where it has no more."""
        size = len(self.puzzles)
        if number is None or number >= size:
            return self
        return self._replace(puzzles=tuple(self.puzzles[i * size // number] for i in range(number)))


def read_suite(name_or_path: str, variant: Variant = VARIANTS["english"]) -> Suite:
    """The suite of a name of `shipped`, or of a file: a PDN, whose games begin with the solution, or lines
    of FORM.

    Its rules are those that it names, in a line `variant: NAME` or a tag GameType, else `variant`.
    Empty lines and lines that begin with `#` are skipped. Raises ArenaError with file, line and value.
    """
    is_shipped = name_or_path in shipped()
    path = SUITES_FOLDER / f"{name_or_path}.txt" if is_shipped else Path(name_or_path)
    name = name_or_path if is_shipped else path.name
    try:
        if not path.is_file():
            raise ArenaError(unknown("suite or file", name_or_path, shipped()))
        if path.suffix.lower() == ".pdn":
            rules, puzzles = _of_pdn(path, variant)
        else:
            rules, puzzles = _of_lines(unicode_text(path), name, variant)
    except ArenaError:
        raise
    except (OSError, ValueError) as error:
        raise ArenaError(unreadable(name_or_path, error)) from None
    if not puzzles:
        raise ArenaError(f"{name} has no positions: expected lines of {FORM}")
    return Suite(path.stem, rules, tuple(puzzles))


def random_suite(entry: RandomSuite, variant: Variant, seed: int) -> Suite:
    """Distinct positions after random plies, spread evenly over PLIES.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.sources.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ArenaError if fewer are found.
    """
    rng, (first, last) = random.Random(f"suite {seed}"), PLIES
    positions: dict[Position, None] = {}
    for number in range(entry.random):
        length = first + round(number * (last - first) / max(entry.random - 1, 1))
        lines = (random_line(variant, length, rng) for _ in range(_TRIES))
        new = (game.position for game in lines if game.position not in positions and _is_worth_searching(game))
        if (position := next(new, None)) is None:
            found = f"only {number} of {entry.random} balanced positions were found"
            raise ArenaError(f"{found}, none more after {length} random plies")
        positions[position] = None
    return Suite(entry.title, variant, tuple(map(Puzzle, positions)), entry.depth)


def _is_worth_searching(game: Game) -> bool:
    if game.outcome is not None or len(game.legal_moves) < 2:
        return False
    return is_even(game.variant, game.position)


def puzzle_texts(variant: Variant, puzzle: Puzzle) -> tuple[str, str]:
    """FEN and best moves of a position."""
    legal = legal_moves(variant.rules, puzzle.position)
    best = " ".join(move_text(variant, puzzle.position, move, legal) for move in puzzle.best)
    return fen(variant, puzzle.position), best


def _of_lines(text: str, name: str, variant: Variant) -> tuple[Variant, list[Puzzle]]:
    rules, puzzles = variant, list[Puzzle]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            if named := _RULES.fullmatch(line.strip()):
                rules = build_variant(named[1])
            else:
                puzzles.append(_puzzle(rules, line))
        except (NotationError, VariantError) as error:
            raise ArenaError(f"{name}:{number}: {cut(str(error), _MAX_MESSAGE)}") from None
    return rules, puzzles


def _puzzle(variant: Variant, line: str) -> Puzzle:
    position, _, moves = (part.strip() for part in line.partition(";"))
    if not moves:
        raise NotationError(f"{cut(line, MAX_CHARACTERS)!r} is not {FORM}")
    start = parse_fen(variant, position)
    best = (parse_move(variant, start, word) for word in re.split(r"[\s,]+", moves) if word)
    return Puzzle(start, tuple(dict.fromkeys(best)))


def _of_pdn(path: Path, variant: Variant) -> tuple[Variant, list[Puzzle]]:
    read = read_pdn(path, variant)
    if problem := next((problem for problem in read.problems if problem.game), None):
        raise ArenaError(cut(str(problem), _MAX_MESSAGE))
    puzzles = []
    for game in read.games:
        if game.variant != read.games[0].variant or not game.moves:
            fault = "has no moves" if not game.moves else f"is of {game.variant.name}, unlike the first game"
            raise ArenaError(f"{path}: game {game.number} {fault}")
        puzzles.append(Puzzle(game.start, (game.moves[0],)))
    return read.games[0].variant if read.games else variant, puzzles
