"""Suites: positions with the moves that solve them, the files that hold them, and how those that ship are made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from arena.base.wording import MAX_CHARACTERS, choices, counted, cut, quoted
from arena.experiment.openings.lines import Shots, random_line
from arena.play.executor import Workers, run
from arena.rules.custom import VariantError, build_variant
from arena.rules.move_text import move_text, parse_move
from arena.rules.movegen import legal_moves
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.negamax.player import Negamax
from players.player import Limit

FOLDER = Path(__file__).with_name("suites")
"""The suites that ship, a file each."""
FORM = "FEN ; best moves ; stratum"
"""A line of a file."""
_MAX_MESSAGE = 300
"""Characters of an error in a file, which may quote it."""
_RULES = re.compile(r"variant:\s*(\S+)")

SHOT_STRATA = {"1-2 plies": 2, "3-4 plies": 4, "5-6 plies": 6, "7 plies or more": 99}
"""Strata of shots, with the greatest depth of a combination in each."""
_SHOT_PIECES = 10
"""Pieces on the board of a shot, at least."""
_OPENING_PLIES = (6, 12)
"""Random plies before self-play, at least and at most."""
_PLAYED_PLIES, _PLAYED_DEPTH = 120, 2
"""Plies of a game of self-play at most, and of its searches: few, so that the players walk into shots."""
_GAMES = 16
"""Games of self-play after which full strata are left out."""
_FRUITLESS = 2000
"""Games without a new shot after which the search for more stops."""


class SuiteError(ValueError):
    """A suite that cannot be read or made; the message is one line."""


class Puzzle(NamedTuple):
    """A position of a suite."""

    position: Position
    best: tuple[int, ...]
    """The moves that solve it."""
    stratum: str = ""
    """The group of positions that it is counted with."""


class Suite(NamedTuple):
    """Positions to solve, all by the same rules."""

    name: str
    variant: Variant
    puzzles: tuple[Puzzle, ...]

    def spread(self, number: int | None) -> Suite:
        """The suite with `number` of its positions, spread evenly; itself for None or where it has no more."""
        size = len(self.puzzles)
        if number is None or number >= size:
            return self
        return self._replace(puzzles=tuple(self.puzzles[i * size // number] for i in range(number)))


def shipped() -> list[str]:
    """The names of the suites that ship."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def read_suite(given: str, variant: Variant | None = None) -> Suite:
    """The suite of a name of `shipped`, or of a file: a PDN, whose games begin with the solution, or lines
    of FORM.

    Its rules are those that it names, in a line `variant: NAME` or a tag GameType, else `variant`, else English.
    Empty lines and lines that begin with `#` are passed over. Raises SuiteError with file, line and value.
    """
    is_shipped = given in shipped()
    path = FOLDER / f"{given}.txt" if is_shipped else Path(given)
    name = given if is_shipped else path.name
    try:
        if not path.is_file():
            raise SuiteError(f"there is no suite or file {quoted(given)}; {choices(given, shipped())}")
        if path.suffix.lower() == ".pdn":
            rules, puzzles = _of_pdn(path, variant)
        else:
            rules, puzzles = _of_lines(path.read_text(encoding="utf-8"), name, variant)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise SuiteError(f"{given} cannot be read: {reason}") from None
    if not puzzles:
        raise SuiteError(f"{name} has no positions: expected lines of {FORM}")
    return Suite(path.stem, rules, tuple(puzzles))


def written(suite: Suite) -> str:
    """The lines of a suite, as `read_suite` takes them."""
    lines = [f"variant: {suite.variant.name}"]
    for position, best, stratum in suite.puzzles:
        legal = legal_moves(suite.variant.constants, position)
        texts = " ".join(move_text(suite.variant, position, move, legal) for move in best)
        lines.append(" ; ".join([fen(suite.variant, position), texts, *([stratum] if stratum else [])]))
    return "\n".join(lines) + "\n"


def _of_lines(text: str, name: str, variant: Variant | None) -> tuple[Variant, list[Puzzle]]:
    rules, puzzles = variant or VARIANTS["english"], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            if named := _RULES.fullmatch(line.strip()):
                rules = build_variant(named[1])
            else:
                puzzles.append(_puzzle(rules, line))
        except (NotationError, VariantError) as error:
            raise SuiteError(f"{name}:{number}: {cut(str(error), _MAX_MESSAGE)}") from None
    return rules, puzzles


def _puzzle(variant: Variant, line: str) -> Puzzle:
    position, *parts = (part.strip() for part in line.split(";"))
    if not 1 <= len(parts) <= 2 or not parts[0]:
        raise NotationError(f"{cut(line, MAX_CHARACTERS)!r} is not {FORM}")
    found = parse_fen(variant, position)
    best = (parse_move(variant, found, word) for word in re.split(r"[\s,]+", parts[0]) if word)
    return Puzzle(found, tuple(dict.fromkeys(best)), "".join(parts[1:]))


def _of_pdn(path: Path, variant: Variant | None) -> tuple[Variant, list[Puzzle]]:
    read = read_pdn(path, variant or VARIANTS["english"])
    if read.problems:
        raise SuiteError(cut(str(read.problems[0]), _MAX_MESSAGE))
    puzzles = []
    for game in read.games:
        if game.variant != read.games[0].variant or not game.moves:
            fault = "has no moves" if not game.moves else f"is of {game.variant.name}, unlike the first game"
            raise SuiteError(f"{path}: game {game.number} {fault}")
        puzzles.append(Puzzle(game.start, (game.moves[0],), game.tags.get("Stratum", "")))
    return read.games[0].variant if read.games else VARIANTS["english"], puzzles


class _ShotGame(NamedTuple):
    variant: Variant
    seed: int
    number: int
    strata: frozenset[str]
    """Those that a shot may be of."""


def make(name: str, number: int | None, seed: int, workers: Workers = 1) -> tuple[Variant, int, Iterator[Puzzle]]:
    """What makes the positions of a suite named VARIANT-KIND, the kind one of MAKERS, and how many it will make.

    The same seed makes the same ones. Raises SuiteError for an unknown name; the iterator raises it if there are
    fewer positions.
    """
    rules, _, kind = name.rpartition("-")
    if kind not in MAKERS:
        kinds = [f"{rules or 'english'}-{kind}" for kind in MAKERS]
        raise SuiteError(f"no suite {quoted(name)} can be made; {choices(name, kinds)}")
    try:
        variant = build_variant(rules)
    except VariantError as error:
        raise SuiteError(str(error)) from None
    maker, usual = MAKERS[kind]
    return variant, number or usual, maker(variant, number or usual, seed, workers)


def sorted_suite(name: str, variant: Variant, puzzles: Iterable[Puzzle]) -> Suite:
    """Positions as a suite, by stratum and else in their order."""
    return Suite(name, variant, tuple(sorted(puzzles, key=lambda puzzle: puzzle.stratum)))


def _shots(variant: Variant, number: int, seed: int, workers: Workers) -> Iterator[Puzzle]:
    """Shots from self-play, in equal shares of SHOT_STRATA.

    A shot has _SHOT_PIECES or more on the board, see `arena.experiment.openings.lines.Shots`. A game gives one at
    most, none of a stratum that is full.
    """
    left = {stratum: (number + i) // len(SHOT_STRATA) for i, stratum in enumerate(SHOT_STRATA)}
    found: set[Puzzle] = set()
    fruitless, games = 0, count()
    while len(found) < number:
        wanted = frozenset(stratum for stratum, shots in left.items() if shots)
        tasks = [_ShotGame(variant, seed, game, wanted) for game in islice(games, _GAMES)]
        made = sorted(run(_numbered_shot, tasks, workers, lambda: False))
        fruitless += _GAMES
        for shot in (shot for _, shot in made if shot is not None and left[shot.stratum] and shot not in found):
            left[shot.stratum] -= 1
            found.add(shot)
            fruitless = 0
            yield shot
        if fruitless >= _FRUITLESS:
            raise SuiteError(f"only {counted(len(found), 'shot')} of {number} were found in {variant.name}")


def _numbered_shot(task: _ShotGame) -> tuple[int, Puzzle | None]:
    """The number of a game of self-play, and a shot of the wanted strata in it."""
    rng = random.Random(f"shots {task.seed} {task.number}")
    game, shots = random_line(task.variant, rng.randint(*_OPENING_PLIES), rng), Shots(task.variant)
    player = Negamax(task.variant, "strong", quiescence="captures")
    while game.outcome is None and len(game.moves) < _PLAYED_PLIES:
        position = game.position
        if (position.white | position.black).bit_count() < _SHOT_PIECES:
            break
        move, depth = shots.find(game)
        stratum = next(name for name, most in SHOT_STRATA.items() if depth <= most)
        if depth and stratum in task.strata:
            return task.number, Puzzle(position, (move,), stratum)
        game.push(player.choose(game, Limit(depth=_PLAYED_DEPTH), rng).move)
    return task.number, None


MAKERS: Mapping[str, tuple[Callable[[Variant, int, int, Workers], Iterator[Puzzle]], int]] = {
    "shots": (_shots, 200),
}
"""By the end of a suite's name: what makes its positions, and how many unless a number is given."""
