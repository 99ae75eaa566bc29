"""The suites that ship, made again from a seed and printed.

python -m tools.suites english-shots > arena/experiment/suites/english-shots.txt
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import count, islice, zip_longest
from multiprocessing import get_context
from typing import NamedTuple

from arena.experiment.openings.sources import random_line
from arena.play.suites import Puzzle
from arena.rules.endgame.retrograde import make
from arena.rules.endgame.tables import EndgameTables
from arena.rules.game import Game
from arena.rules.movegen import apply, has_move, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.negamax.player import Negamax
from players.player import Limit

SHOT_DEPTHS = (2, 4, 6, 99)
"""The greatest depth of a combination in each of four groups of shots."""
_SHOT_PIECES = 10
"""Pieces on the board of a shot, at least."""
_OPENING_PLIES = (6, 12)
"""Random plies before self-play, at least and at most."""
_PLAYED_PLIES, _PLAYED_DEPTH = 120, 2
"""Plies of a game of self-play at most, and of its searches: few, so that the players walk into shots."""
_GAMES = 16
"""Games of self-play after which full groups are left out."""
_SHOTS = 200

ENDING_PLIES = (0, 9, 29, 999)
"""The most plies to the end in each of four groups of endings: drawn ones, and three of won ones."""
_ENDING_PIECES = 4
"""Pieces on the board of an ending, at most."""
_ENDINGS = 1000
_TRIES = 300
"""Positions drawn by lot for each ending."""


class ShotGame(NamedTuple):
    """A game of self-play in which a shot of some groups is looked for."""

    variant: Variant
    seed: int
    number: int
    groups: frozenset[int]


def shots(variant: Variant, number: int, seed: int) -> list[Puzzle]:
    """Shots from self-play, as many of each group of SHOT_DEPTHS, group after group.

    A shot has _SHOT_PIECES or more on the board. A game gives one at most, none of a group that is full.
    """
    left = {most: (number + i) // len(SHOT_DEPTHS) for i, most in enumerate(SHOT_DEPTHS)}
    found: dict[Puzzle, int] = {}
    games = count()
    with get_context("spawn").Pool() as pool:
        while len(found) < number:
            wanted = frozenset(most for most, missing in left.items() if missing)
            tasks = [ShotGame(variant, seed, game, wanted) for game in islice(games, _GAMES)]
            for shot, most in filter(None, pool.map(shot_of, tasks, chunksize=1)):
                if left[most] and shot not in found:
                    left[most] -= 1
                    found[shot] = most
            print(f"{len(found)} of {number} shots", file=sys.stderr)
    return sorted(found, key=found.__getitem__)


def shot_of(task: ShotGame) -> tuple[Puzzle, int] | None:
    """The first shot of the wanted groups in a game of self-play, and its group."""
    rng = random.Random(f"shots {task.seed} {task.number}")
    game, finder = random_line(task.variant, rng.randint(*_OPENING_PLIES), rng), Shots(task.variant)
    player = Negamax(task.variant, "strong", quiescence="captures")
    while game.outcome is None and len(game.moves) < _PLAYED_PLIES:
        position = game.position
        if (position.white | position.black).bit_count() < _SHOT_PIECES:
            break
        move, depth = finder.find(game)
        group = next(most for most in SHOT_DEPTHS if depth <= most)
        if depth and group in task.groups:
            return Puzzle(fen(task.variant, position), game.text(move)), group
        game.push(player.choose(game, Limit(depth=_PLAYED_DEPTH), rng).move)
    return None


class Shots:
    """Finds shots: combinations that give material and win more.

    One move lets the other side capture, and all its captures win material; yet in a search of PROVED plies that
    counts men, and kings as 1.5, it wins a man or more, and is better by a man or more than each other move. A
    search of FOUND plies with the evaluation `strong` prefers it by a man, too. An object sees one game: tables of
    its searches are kept, so that its findings may depend on the positions before.
    """

    FOUND, PROVED = 9, 11

    def __init__(self, variant: Variant) -> None:
        self._variant, self._rng = variant, random.Random(0)
        self._quick = Negamax(variant, "material", "full", iir=0, probcut=False, draws=False)
        self._material, self._strong = (
            Negamax(variant, evaluation, "pvs", quiescence="captures") for evaluation in ("material", "strong")
        )

    def find(self, game: Game) -> tuple[int, int]:
        """The move of a shot and the depth of its combination, that from which searches to each depth that count
        material play it for its gain; depth 0 where there is no shot."""
        position, before = game.position, _material(game.position)
        if len(game.legal_moves) < 2 or self._best(self._quick, position, self.FOUND)[1] < before + 1:
            return 0, 0
        move, value = self._best(self._material, position, self.PROVED)
        if value < before + 1 or not self._gives(position, move):
            return 0, 0
        if not self._is_alone(self._material, position, move, self.PROVED, 1.0):
            return 0, 0
        if not self._is_alone(self._strong, position, move, self.FOUND, self._strong.man_value or 1.0):
            return 0, 0
        depth = self.PROVED
        while depth > 1:
            found, value = self._best(self._material, position, depth - 1)
            if found != move or value < before + 1:
                break
            depth -= 1
        return move, depth

    def _best(self, player: Negamax, position: Position, depth: int) -> tuple[int, float]:
        choice = player.choose(Game(self._variant, position), Limit(depth=depth), self._rng)
        return choice.move, choice.score or 0.0

    def _gives(self, position: Position, move: int) -> bool:
        """Whether all answers to a move are captures that leave the mover with a man less than before it."""
        rules, before = self._variant.rules, _material(position)
        after = apply(rules, position, move)
        replies = legal_moves(rules, after)
        _, other = sides(after)
        return bool(replies) and all(
            reply & other and _material(apply(rules, after, reply)) <= before - 1 for reply in replies
        )

    def _is_alone(self, player: Negamax, position: Position, move: int, depth: int, man: float) -> bool:
        """Whether a search finds a move, and each other one worth less by a man or more."""
        rules = self._variant.rules
        found, value = self._best(player, position, depth)
        if found != move:
            return False
        afters = [apply(rules, position, other) for other in legal_moves(rules, position) if other != move]
        return all(
            has_move(rules, after) and -self._best(player, after, depth - 1)[1] <= value - man for after in afters
        )


def _material(position: Position) -> float:
    """Own men and kings, worth 1 and 1.5, less the other side's, for the side to move."""
    own, other = sides(position)
    men, kings = (
        (own & mask).bit_count() - (other & mask).bit_count() for mask in (~position.kings, position.kings)
    )
    return men + 1.5 * kings


def endings(variant: Variant, number: int, seed: int) -> list[Puzzle]:
    """Endings of _ENDING_PIECES at most in which one move alone keeps what the position is worth, a win or a draw.

    Pieces are put on squares by lot; nothing can be captured. Groups, as equal as can be, are by the pieces of the
    mover and of the other side, and by the plies of a win with best play; one with fewer than a fiftieth of the
    positions is left out. They stand group after group. The endgame tables are made if they are not there.
    """
    tables, rng = make(variant, _ENDING_PIECES), random.Random(f"endings {seed}")
    groups: dict[tuple[int, ...], dict[Puzzle, None]] = defaultdict(dict)
    for _ in range(_TRIES * number):
        if (ending := _ending(variant, tables, _scattered(variant, _ENDING_PIECES, rng))) is not None:
            puzzle, group = ending
            groups[group][puzzle] = None
    chosen = [[(place, puzzle) for puzzle in groups[group]] for place, group in enumerate(sorted(groups))]
    rounds = zip_longest(*(puzzles for puzzles in chosen if len(puzzles) >= number / 50))
    first = [puzzle for puzzles in rounds for puzzle in puzzles if puzzle is not None][:number]
    return [puzzle for _, puzzle in sorted(first, key=lambda placed: placed[0])]


def _scattered(variant: Variant, pieces: int, rng: random.Random) -> Position:
    """A position of 2 to `pieces` pieces on squares drawn by lot, men perhaps where there can be none."""
    total = rng.randint(2, pieces)
    bits = rng.sample(variant.bits, total)
    own = rng.randint(1, total - 1)
    kings = sum(bit for bit in bits if rng.random() < 0.5)
    white, black, turn = sum(bits[:own]), sum(bits[own:]), rng.randint(0, 1)
    return Position(white, black, kings, turn)


def _ending(variant: Variant, tables: EndgameTables, position: Position) -> tuple[Puzzle, tuple[int, ...]] | None:
    """The position with its one move that keeps its value, and its group.

    None if several moves do, all lose, or something captures.
    """
    value = tables.value(position)
    if value is None or value.result < 0:
        return None
    own, other = sides(position)
    legal = legal_moves(variant.rules, position)
    if len(legal) < 2 or legal[0] & other:
        return None
    after = ((move, tables.value(apply(variant.rules, position, move))) for move in legal)
    keeping = [move for move, theirs in after if theirs is not None and theirs.result == -value.result]
    if len(keeping) != 1:
        return None
    plies = next(most for most in ENDING_PLIES if value.plies <= most)
    game = Game(variant, position)
    puzzle = Puzzle(fen(variant, position), " ".join(map(game.text, keeping)))
    return puzzle, (own.bit_count(), other.bit_count(), plies)


def lines(name: str, seed: int = 1) -> Iterator[str]:
    """The lines of the file of a suite that ships."""
    rules, _, kind = name.rpartition("-")
    variant = VARIANTS[rules]
    found = shots(variant, _SHOTS, seed) if kind == "shots" else endings(variant, _ENDINGS, seed)
    yield f"variant: {rules}"
    for puzzle in found:
        yield " ; ".join(puzzle)


if __name__ == "__main__":
    print(*lines(sys.argv[1]), sep="\n")
