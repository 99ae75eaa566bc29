"""Openings, start positions that every pairing plays from both sides: random lines, sets, files; their balance."""

from __future__ import annotations

import random
import stat
import threading
from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from arena.base import ArenaError
from arena.base.files import unicode_text, unreadable
from arena.base.wording import counted, cut
from arena.experiment.openings import BARRED, MAX_OPENINGS, SETS, SETS_FOLDER, OpeningSet
from arena.rules.game import Game
from arena.rules.movegen import apply, has_move, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import NotationError, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.player import Limit

if TYPE_CHECKING:
    from players.negamax.player import Negamax

MAX_BYTES = 64 * 2**20
"""Bytes of a file of openings."""
_MAX_QUOTED = 200
"""Characters of an error in a file, which may quote it."""
_LISTED = 20
"""Games left out that are named."""
_MISSES = 10_000
"""Random lines in a row without a new opening after which there are too few."""
_SILENT_SECONDS = 5.0
"""Seconds after which the search for openings says how far it is, first and from then on."""


class OpeningsError(ArenaError):
    """There are not the openings that were asked for; `key` is the key of a configuration to blame."""

    def __init__(self, message: str, key: str = "count") -> None:
        super().__init__(message)
        self.key = key


class Opening(NamedTuple):
    """A position to start from, and what is known of it: its name or moves, and notes."""

    position: Position
    name: str = ""
    mark: str = ""
    balance: str = ""
    """How many men White is ahead by after a search of ten plies, in words: "+0.02"."""


def random_openings(
    variant: Variant,
    plies: int,
    count: int,
    seed: int,
    balanced: bool = True,
    say: Callable[[str], object] = lambda _: None,
) -> list[Opening]:
    """`count` distinct positions after `plies` random moves, the same for the same seed.

    None is over, or can be won by the very next move; `balanced` also throws out those in which a search of
    EVEN_DEPTH plies wins material. Without plies it is the start position, `count` times. `say` hears how far a
    long search is. Raises OpeningsError if it becomes clear that there are too few, or `count` is more than
    MAX_OPENINGS.
    """
    if count > MAX_OPENINGS:
        raise OpeningsError(f"'count' is {count} openings, more than {MAX_OPENINGS}")
    if not plies or not count:
        return [Opening(variant.start)] * count
    rng, said_at = random.Random(f"openings {seed}"), monotonic()
    openings: list[Opening] = []
    tried: set[Position] = set()
    lines = ended = misses = 0
    while misses < _MISSES:
        game = random_line(variant, plies, rng)
        lines, misses, ended = lines + 1, misses + 1, ended + (len(game.moves) < plies)
        if game.position not in tried:
            tried.add(game.position)
            after = [apply(variant.rules, game.position, move) for move in game.legal_moves]
            is_won_at_once = not all(has_move(variant.rules, position) for position in after)
            if game.outcome is None and not is_won_at_once and (not balanced or is_even(variant, game.position)):
                openings.append(Opening(game.position))
                misses = 0
        if len(openings) == count:
            return openings
        if lines == 1:  # which compiles what all need
            said_at = monotonic()
        elif monotonic() - said_at > _SILENT_SECONDS:
            said_at = monotonic()
            say(f"{len(openings):,} of {count:,} openings of {plies} random plies are found")
    hint = "lower" if 2 * ended > lines else "raise"
    raise OpeningsError(
        f"{count} distinct openings of {plies} random plies are too many: {lines} random games had "
        f"{len(openings)}, and new ones become rarer; {hint} random_plies or lower count"
    )


def sets_of(variant: Variant) -> list[OpeningSet]:
    """The sets of openings of a variant, of its start position and its moves."""
    of_rules = (variant.rules, variant.start)
    variants = {name: (other.rules, other.start) for name, other in VARIANTS.items()}
    return [opening_set for opening_set in SETS.values() if variants[opening_set.variant] == of_rules]


def set_openings(variant: Variant, name: str, barred: bool = False) -> list[Opening]:
    """The openings of one of SETS, without the barred ones unless asked for.

    Raises OpeningsError for a set of another variant.
    """
    fitting = [opening_set.name for opening_set in sets_of(variant)]
    if name not in fitting:
        message = f"{name} has openings of {SETS[name].variant}, not of {variant.name}"
        raise OpeningsError(f"{message} (choices: {', '.join(fitting) or 'none'})", "set")
    lines = (SETS_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    parts = [line.rstrip("}").partition(" {") for line in lines if not line.startswith("#")]
    openings = [Opening(parse_fen(variant, text), *notes.split("; ")) for text, _, notes in parts]
    return [opening for opening in openings if barred or opening.mark != BARRED]


class FileOpenings(NamedTuple):
    """The openings of a file."""

    openings: list[Opening]
    left_out: Sequence[str] = ()
    """A line on each game of a PDN that gives no opening."""
    notes: Sequence[str] = ()
    """Further remarks on them, a line each."""


def file_openings(variant: Variant, path: Path, plies: int | None = None) -> FileOpenings:
    """The openings in a file: positions of the games of a `.pdn`, else a FEN in each line.

    Of a game it is the position after so many plies, or without them the last one. Empty lines, lines that begin
    with `#` and what stands in braces behind a FEN are skipped; games of other rules, games that cannot be read so
    far and shorter ones are left out.
    Raises OpeningsError, with file and line; only regular files of MAX_BYTES at most are read.
    """
    is_pdn = path.suffix.lower() == ".pdn"
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("it is not a regular file")
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES // 2**20} MB")
        openings, left_out = _from_pdn(variant, path, plies) if is_pdn else (_from_lines(variant, path), [])
    except (OSError, ValueError) as error:
        raise OpeningsError(cut(unreadable(path, error), 2 * _MAX_QUOTED), "file") from None
    if not openings:
        raise OpeningsError(left_out[0] if left_out else f"{path} has no openings", "file")
    notes, of = list[str](), f"of {len(openings)} openings of {path.name}"
    hint = "; 'plies' begins the games earlier" if is_pdn and plies is None else ""
    if doubled := len(openings) - len({opening.position for opening in openings}):
        notes.append(
            f"{doubled} {of} repeat the position of an earlier one and count once; 'repeat' plays all again"
        )
    counts = [(position.white.bit_count(), position.black.bit_count()) for position, *_ in openings]
    if few := sum(white + black < variant.men for white, black in counts):
        notes.append(f"{few} {of} have less than half of the pieces of the start{hint}")
    uneven = [opening.position for opening, (white, black) in zip(openings, counts, strict=True) if white != black]
    captures = [
        [move for move in legal_moves(variant.rules, position) if move & sides(position)[1]] for position in uneven
    ]
    if won := captures.count([]):
        notes.append(f"in {won} {of} one side has more pieces and there is nothing to take{hint}")
    return FileOpenings(openings, left_out, notes)


def _from_lines(variant: Variant, path: Path) -> list[Opening]:
    openings = []
    for number, line in enumerate(unicode_text(path).splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                openings.append(Opening(parse_fen(variant, line.split("{")[0]), f"{path.name}:{number}"))
            except NotationError as error:
                raise OpeningsError(f"{path}:{number}: {cut(str(error), _MAX_QUOTED)}", "file") from None
    return openings


def left_out_lines(faults: Sequence[str]) -> list[str]:
    """What was left out in some lines: the number, and the first faults."""
    if not faults:
        return []
    return [f"{counted(len(faults), 'game')} left out of the openings:", *faults[:_LISTED]]


def drawn(openings: Sequence[Opening], count: int | None, seed: int, order: str | None = None) -> list[Opening]:
    """`count` of the openings drawn by lot, or in the `order` "file" the first ones; all, in order, for None.

    Openings of the same position count once. With the same seed a smaller count gives the first ones of a larger
    count. Raises OpeningsError if there are fewer.
    """
    distinct = list({opening.position: opening for opening in openings}.values())
    if count is None:
        return distinct
    if count > len(distinct):
        raise OpeningsError(f"there are only {len(distinct)} such openings, not {count}")
    if order != "file":
        distinct = random.Random(f"openings {seed}").sample(distinct, len(distinct))
    return distinct[:count]


def _from_pdn(variant: Variant, path: Path, plies: int | None) -> tuple[list[Opening], list[str]]:
    """The positions of the games of a PDN after so many plies or at their end, and a line on each without one."""
    from arena.rules.pdn.read import read_pdn

    read = read_pdn(path, variant)
    far = inf if plies is None else plies
    faults = {
        problem.game: str(problem) for problem in reversed(read.problems) if problem.game and problem.ply <= far
    }
    for game in read.games:
        if game.variant.rules != variant.rules:
            faults[game.number] = f"{path}: game {game.number} is of {game.variant.name}, not of {variant.name}"
        elif len(game.moves) < (plies or 0):
            faults.setdefault(game.number, f"{path}: game {game.number} has {len(game.moves)} plies, not {plies}")
    left_out = [cut(fault, 2 * _MAX_QUOTED) for _, fault in sorted(faults.items())]
    openings = [
        Opening(game.positions[-1 if plies is None else plies], f"{path.name}: game {game.number}")
        for game in read.games
        if game.number not in faults
    ]
    return openings, left_out


def random_line(variant: Variant, plies: int, rng: random.Random) -> Game:
    """A game from the start after `plies` random moves, all equally likely; fewer if it is over before."""
    game = Game(variant)
    while game.outcome is None and len(game.moves) < plies:
        game.push(rng.choice(game.legal_moves))
    return game


EVEN_DEPTH = 8
"""Plies that a search looks ahead to tell whether an opening is even."""


def is_even(variant: Variant, position: Position) -> bool:
    """Whether neither side wins material by force within EVEN_DEPTH plies."""
    with _one_search:
        choice = _searcher(variant).choose(Game(variant, position), Limit(EVEN_DEPTH), random.Random(0))
    return abs(choice.score or 0.0) < 1.0


_one_search = threading.Lock()
"""Held while `_searcher` searches: it is the same for all threads, and has one memory."""


@cache
def _searcher(variant: Variant) -> Negamax:
    """A search that counts men, with an order of moves that does not change its values."""
    from players.negamax.player import Negamax

    return Negamax(variant, "material", "alphabeta", order="all")
