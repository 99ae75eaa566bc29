"""Results as PDN writes them: `1-0`, or `2-0`, is a win of the colour that moves first by the rules of the game.

The PDN 2.0 text, CheckerBoard and the English collections have it so; where White moves first, it is as in chess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from arena.base.wording import quoted
from arena.rules.pdn.tokens import meaning, type_number, variant_of_tags
from arena.rules.position import COLOURS
from arena.rules.result import NO_RESULT, Colour
from arena.rules.variants import Variant

BOTH_LOST = "0-0"
_POINTS_OF_ONE, _POINTS_OF_TWO = ("1-0", "0-1", "1/2-1/2"), ("2-0", "0-2", "1-1")
_OF_TWO_POINTS = ("20", "27")
"""The GameTypes, international and Canadian draughts, whose games are of two points."""
_LETTERS: dict[str, Colour] = {"W": "white", "B": "black"}
_OTHER: dict[Colour, Colour] = {"white": "black", "black": "white"}


class FirstMover(NamedTuple):
    """The colour that moves first under the rules of a game, and what says so."""

    colour: Colour = "white"
    source: str = ""
    """Such as "GameType"; empty if nothing says it, and White is assumed."""
    is_certain: bool = False
    """Whether the rules say it, and not the moves alone."""


def first_mover(
    tags: Mapping[str, str], move: str, number: str, expected: Variant | Colour | None = None
) -> FirstMover:
    """Who moves first by the tags GameType and Variant, else by `expected`, else by the first move and its number.

    Without a FEN a move from 9 to 12 is Black's, one from 21 to 24 or from 31 to 35 White's. With a FEN the move
    `1.` is of the colour that moves first, `1...` of the other.
    """
    kind = tags.get("GameType", "")
    letter = _LETTERS.get(kind.upper().replace(" ", "").partition(",")[2][:2].rstrip(","))
    variant = expected if isinstance(expected, Variant) else None
    named = variant_of_tags(tags, variant)
    if letter or named:
        source = "GameType" if kind else "Variant" if named != variant else "the rules given"
        return FirstMover(letter or COLOURS[named.first if named else 0], source, True)
    if expected is not None and not isinstance(expected, Variant):
        return FirstMover(expected, "--first", True)
    if tags.get("FEN", "").strip("? "):
        to_move = _LETTERS.get(tags["FEN"].strip()[:1].upper())
        if to_move is None or not number:
            return FirstMover()
        return FirstMover(_OTHER[to_move] if number.endswith("..") else to_move, "the numbering of the moves")
    square = re.match("[0-9]+", move)
    origin = int(square[0]) if square else 0
    if 9 <= origin <= 12:
        return FirstMover("black", "the first move")
    return FirstMover("white", "the first move") if 21 <= origin <= 24 or 31 <= origin <= 35 else FirstMover()


def result_of_tags(tag: str, end: str, first: Colour) -> tuple[str, str]:
    """The result of a game by its tag Result and the end of its text, and what is wrong with them, or "".

    `1-0` is a win of `first`. The result is one of `arena.rules.result.RESULTS`, BOTH_LOST, or NO_RESULT where
    there is none that is sure.
    """
    stated, ended = meaning(tag), meaning(end) or NO_RESULT
    if stated is None:
        return NO_RESULT, f"unknown result {quoted(tag)}"
    if NO_RESULT not in (stated, ended) and stated != ended:
        return NO_RESULT, f"the game ends in {ended}, but its tag Result says {stated}"
    meant = ended if stated == NO_RESULT else stated
    return {"1-0": first, "0-1": _OTHER[first], "1/2-1/2": "draw"}.get(meant, meant), ""


def result_pdn(result: str, first: Colour, gametype: str) -> str:
    """A result as PDN writes it where `first` moves first, in the form that PDN 3.0 lists for the GameType."""
    win, loss, draw = _POINTS_OF_TWO if type_number(gametype) in _OF_TWO_POINTS else _POINTS_OF_ONE
    return {first: win, _OTHER[first]: loss, "draw": draw}.get(result, result)
