"""Games saved in PDN files, and taken from there to be played on."""

from __future__ import annotations

from pathlib import Path

from arena.rules.pdn.game import PdnFile, PdnGame
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import Variant
from arena.sitting.sitting import Sitting
from arena.sitting.written import pdn_text


def saved_game(path: Path, variant: Variant | None = None, number: int | None = None) -> PdnGame:
    """A game of a PDN file, the last one without a number; `variant` is that of games that do not say.

    Raises ValueError, in one line, if there is none, or none of the variant that is given; OSError if the
    file cannot be read.
    """
    file = _read(path, variant, number)
    last = max((game.number for game in file.games), default=0)
    found = [game for game in file.games if game.number == (number or last)]
    if not found:
        faults = [str(problem) for problem in file.problems if number in (None, problem.game)]
        lacks = f"{path} has no game {number}: its last one is game {last}" if last else f"{path} has no games"
        raise ValueError(faults[-1] if faults else lacks)
    (game,) = found
    if game.problems:
        raise ValueError(str(game.problems[0]))
    if variant is not None and game.variant != variant:
        raise ValueError(f"{path}: game {game.number} is of {game.variant.name}, not of {variant.name}")
    return game


def append_game(path: Path, sitting: Sitting) -> int:
    """Write a game behind those that a PDN file has, which is made if it is not there; returns its number.

    Raises ValueError, in one line, for a file that is no PDN, which stays as it is; OSError if it cannot be
    written.
    """
    before = 0
    if path.exists() and path.stat().st_size:
        file = _read(path, sitting.variant)
        if not file.games:
            raise ValueError(f"{path} is no PDN file, and stays as it is: save under another name")
        before = max(of.number for of in file.games)
        before = max([before, *(problem.game for problem in file.problems)])
    with path.open("a", encoding="utf-8") as stream:
        stream.write(("\n" if before else "") + pdn_text(sitting))
    return before + 1


def _read(path: Path, variant: Variant | None, number: int | None = None) -> PdnFile:
    """The game of that number in a file, the last one without; all games if that one cannot be read."""
    found = read_pdn(path, variant, only=number or -1)
    return found if found.games else read_pdn(path, variant)
