"""Suites: positions with the moves that solve them, the files that hold them, and how those that ship are made."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from arena.base.wording import MAX_CHARACTERS, choices, counted, cut, quoted, unknown
from arena.experiment.openings.lines import Shots, random_line
from arena.experiment.suite import FOLDER, shipped
from arena.play.executor import Workers, run
from arena.rules.custom import VariantError, build_variant
from arena.rules.endgame.tables import EndgameError, EndgameTables
from arena.rules.endgame.tables import make as make_tables
from arena.rules.move_text import move_text, parse_move
from arena.rules.movegen import apply, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.negamax.player import Negamax
from players.player import Limit

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

SIZES = {"endings": 1000, "shots": 200}
"""Positions of each kind of suite that can be made, unless a number is given."""
_ENDING_PIECES = 4
"""Pieces on the board of an ending, at most."""
ENDING_PLIES = {"drawn": 0, "won in 1-9 plies": 9, "won in 10-29 plies": 29, "won in 30 plies or more": 999}
"""Ends of the names of strata of endings, with the most plies to the end in each."""
_TRIES = 300
"""Positions drawn by lot for each ending."""


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
            raise SuiteError(unknown("suite or file", given, shipped()))
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
    lines += [" ; ".join(filter(None, puzzle_texts(suite.variant, puzzle))) for puzzle in suite.puzzles]
    return "\n".join(lines) + "\n"


def puzzle_texts(variant: Variant, puzzle: Puzzle) -> tuple[str, str, str]:
    """FEN, best moves and stratum of a position."""
    legal = legal_moves(variant.constants, puzzle.position)
    best = " ".join(move_text(variant, puzzle.position, move, legal) for move in puzzle.best)
    return fen(variant, puzzle.position), best, puzzle.stratum


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
    """What makes the positions of a suite named VARIANT-KIND, the kind one of SIZES, and how many it will make.

    The same seed makes the same ones. Raises SuiteError for an unknown name; the iterator raises it if there are
    fewer positions.
    """
    rules, _, kind = name.rpartition("-")
    if kind not in SIZES:
        kinds = [f"{rules or 'english'}-{kind}" for kind in SIZES]
        raise SuiteError(f"no suite {quoted(name)} can be made; {choices(name, kinds)}")
    try:
        variant = build_variant(rules)
    except VariantError as error:
        raise SuiteError(str(error)) from None
    number = number or SIZES[kind]
    puzzles = _shots(variant, number, seed, workers) if kind == "shots" else _endings(variant, number, seed)
    return variant, number, puzzles


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


def _endings(variant: Variant, number: int, seed: int) -> Iterator[Puzzle]:
    """Endings of _ENDING_PIECES at most in which one move alone keeps what the position is worth, a win or a draw.

    Pieces are put on squares by lot; nothing can be captured. Strata, as equal as can be, are by the pieces of the
    mover and of the other side, and by the plies of a win with best play; one with fewer than a fiftieth of the
    positions is left out. The endgame tables are made if they are not there. Raises SuiteError for rules without.
    """
    try:
        tables = make_tables(variant, _ENDING_PIECES)
    except EndgameError as error:
        raise SuiteError(str(error)) from None
    rng = random.Random(f"endings {seed}")
    strata: dict[str, dict[Puzzle, None]] = defaultdict(dict)
    for _ in range(_TRIES * number):
        if (puzzle := _ending(variant, tables, scattered(variant, _ENDING_PIECES, rng))) is not None:
            strata[puzzle.stratum][puzzle] = None
    rounds = zip_longest(*(strata[name] for name in sorted(strata) if len(strata[name]) >= number / 50))
    found = [puzzle for puzzles in rounds for puzzle in puzzles if puzzle is not None][:number]
    if len(found) < number:
        raise SuiteError(f"only {counted(len(found), 'ending')} of {number} were found in {variant.name}")
    yield from found


def scattered(variant: Variant, pieces: int, rng: random.Random) -> Position:
    """A position of 2 to `pieces` pieces on squares drawn by lot, men perhaps where there can be none."""
    total = rng.randint(2, pieces)
    bits = rng.sample(variant.bits, total)
    own = rng.randint(1, total - 1)
    kings = sum(bit for bit in bits if rng.random() < 0.5)
    white, black, turn = sum(bits[:own]), sum(bits[own:]), rng.randint(0, 1)
    return Position(white, black, kings, turn)


def moves_that_keep(variant: Variant, tables: EndgameTables, position: Position) -> list[int]:
    """The legal moves after which a position is worth what it was; none where the tables do not have it."""
    value, rules = tables.value(position), variant.constants
    if value is None:
        return []
    after = ((move, tables.value(apply(rules, position, move))) for move in legal_moves(rules, position))
    return [move for move, theirs in after if theirs is not None and theirs.result == -value.result]


def _ending(variant: Variant, tables: EndgameTables, position: Position) -> Puzzle | None:
    """The position with its one move that keeps its value; None if several do, all lose, or something captures."""
    value = tables.value(position)
    if value is None or value.result < 0:
        return None
    own, other = sides(position)
    legal = legal_moves(variant.constants, position)
    if len(legal) < 2 or legal[0] & other:
        return None
    keeping = moves_that_keep(variant, tables, position)
    if len(keeping) != 1:
        return None
    plies = next(name for name, most in ENDING_PLIES.items() if value.plies <= most)
    return Puzzle(position, tuple(keeping), f"{own.bit_count()} v {other.bit_count()}, {plies}")
