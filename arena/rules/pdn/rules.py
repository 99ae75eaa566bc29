"""The rules of a game and whom `1-0` is for: by its tags, else by its moves; results as PDN writes them.

`1-0`, or `2-0`, is a win of the colour that moves first by the rules of the game, as in the PDN 2.0 text,
CheckerBoard and the English collections; where White moves first, it is as in chess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from arena.base.wording import counted, joined, quoted
from arena.rules.custom import VariantError, build_variant
from arena.rules.notation import NotationError
from arena.rules.pdn.moves import read_moves
from arena.rules.pdn.tokens import RawGame, split
from arena.rules.position import COLOURS
from arena.rules.result import NO_RESULT, Colour
from arena.rules.variants import VARIANTS, Variant

_SAMPLE = 20  # games of a file, at most, by which its rules are guessed
_COMMON = (
    *("english", "international", "russian", "brazilian", "italian", "pool", "czech"),
    *("spanish", "portuguese", "thai", "frisian"),
)
"""The rule sets with a number in PDN 3.0, the common ones first."""
_LARGE = re.compile(r"(?<![0-9])(?:3[3-9]|[4-9][0-9])(?![0-9])|(?<![a-z])(?:[ij][0-9]|[a-j](?:9|10)(?![0-9]))")
"""A square that only a board of more than 8x8 has."""
_FIRST = re.compile(r"\s*[0-9]+\s*,\s*([WB])", re.IGNORECASE)
_BY_LETTER: dict[str, Colour] = {"W": "white", "B": "black"}
_OTHER: dict[Colour, Colour] = {"white": "black", "black": "white"}
_UNKNOWN = ("", "*", "?")
_NUMBER = r"-?([0-9]+(?:\.[0-9]+)?)"
_POINTS = re.compile(rf"{_NUMBER}[+-]?-{_NUMBER}[+-]?")


class GameRules(NamedTuple):
    """The rules of a game, and what says so."""

    variant: Variant | None  # None for rules that are not known here
    first: Colour  # whose win 1-0 is
    source: str  # such as "GameType"; empty if nothing says who moves first


def rules_of_tags(tags: Mapping[str, str], expected: Variant | None = None) -> GameRules | None:
    """The rules that the tags GameType and Variant name, else those expected; None where there are none."""
    kind = tags.get("GameType", "").strip()
    named, letter = variant_of_tags(tags, expected), _FIRST.match(kind)
    if letter:
        return GameRules(named, _BY_LETTER[letter[1].upper()], "GameType")
    if named:
        source = "GameType" if kind else "Variant" if named != expected else "the rules given"
        return GameRules(named, COLOURS[named.first], source)
    return GameRules(None, "white", "") if kind or tags.get("Variant", "").strip() else None


class Guess(NamedTuple):
    """The rule set of games whose tags do not say."""

    variant: Variant
    others: tuple[str, ...]  # further ones that read as many games to their end
    whole: int  # how many it reads to their end
    tried: int  # of how many

    @property
    def rules(self) -> GameRules:
        """What it says of a game."""
        return GameRules(self.variant, COLOURS[self.variant.first], "the moves" if self.whole else "")

    def __str__(self) -> str:
        name, fit = self.variant.name, f"{self.whole} of {counted(self.tried, 'game')} to the end"
        others = f", as {'does' if len(self.others) == 1 else 'do'} {joined(self.others)}" if self.others else ""
        unread = "though none reads a game to its end" if self.tried else "as no game has moves to tell"
        by = f"which reads {fit}{others}" if self.whole else unread
        return f"no GameType, and no --variant: read as {name}, {by}"


def guesses(text: str) -> Callable[[RawGame], Guess]:
    """What guesses the rules of the games of a text whose tags do not say: the rule set that reads most of the
    first ones to their end, then most moves of them, of equal ones the common one. Games with squares of a larger
    board are guessed apart; where no other has moves, their rules are those of all."""

    @cache
    def guess(is_large: bool) -> Guess:
        unsaid = (game for game in split(text) if rules_of_tags(game.tags) is None and game.moves)
        games = (game for game in unsaid if _is_large(game) == is_large)
        return _guessed(list(islice(games, _SAMPLE)), 10 if is_large else 8)

    def of(game: RawGame) -> Guess:
        is_large = _is_large(game)
        return guess(is_large) if guess(is_large).tried or not guess(not is_large).tried else guess(not is_large)

    return of


def _is_large(game: RawGame) -> bool:
    return _LARGE.search(f"{game.tags.get('FEN', '')} {game.moves.lower()}") is not None


def _guessed(games: Sequence[RawGame], least: int) -> Guess:
    """The best of the rule sets whose board has so many rows at least."""
    variants = [VARIANTS[name] for name in _COMMON if VARIANTS[name].rules.rows >= least]
    reads = [_read(games, variant) for variant in variants]
    best = reads.index(max(reads))
    whole, alike = reads[best][0], zip(variants, reads, strict=True)
    others = (variant.name for variant, (other, _) in alike if other == whole and variant is not variants[best])
    return Guess(variants[best], tuple(others) if whole else (), whole, len(games))


def _read(games: Sequence[RawGame], variant: Variant) -> tuple[int, int]:
    """How many games a rule set reads to their end, and how many moves of all."""
    read = []
    for game in games:
        with suppress(NotationError):
            read.append(read_moves(game, variant))
    whole = (game.moves and not any(problem.ply for problem in game.problems) for game in read)
    return sum(map(bool, whole)), sum(len(game.moves) for game in read)


def variant_of_tags(tags: Mapping[str, str], expected: Variant | None) -> Variant | None:
    """The variant that the tags Variant and GameType name, else `expected`; None where there is none."""
    name, gametype = tags.get("Variant", "").strip().lower(), tags.get("GameType", "").strip()
    if expected and expected.name == name:
        return expected
    if name:
        with suppress(VariantError):
            return build_variant(name)
    named = variant_of_type(gametype)
    if expected and named and type_number(expected.gametype) == type_number(gametype):
        is_same = named.first == expected.first and named.rules.rows == expected.rules.rows
        return expected if is_same or "," not in gametype else named
    return named or expected


def variant_of_type(gametype: str) -> Variant | None:
    """The variant with a GameType, or else the first with its number, on the board that the GameType names.

    Where squares have letters the GameType says who moves first (`23,W,8,8,A0,0` is pool with White first); where
    they have numbers, which are counted from who begins, many programs name the wrong colour.
    """
    number, *fields = (field.strip() for field in gametype.split(","))
    rows = [row for row in VARIANTS.values() if number and type_number(row.gametype) == number]
    named = next((row for row in rows if row.gametype == ",".join([number, *fields])), rows[0] if rows else None)
    if named is None or len(fields) < 3:
        return named
    first, width, height, notation = [*fields, ""][:4]
    changes: dict[str, Any] = {}
    sizes = {int(size) for size in (width, height) if re.fullmatch("[0-9]{1,3}", size) and int(size)}
    if sizes - {named.rules.rows}:
        if len(sizes) > 1:
            return None
        changes["rows"] = sizes.pop()
    if notation.startswith("A") and _BY_LETTER.get(first, COLOURS[named.first]) != COLOURS[named.first]:
        changes["first"] = _BY_LETTER[first]
    try:
        return build_variant({"base": named.name, **changes}) if changes else named
    except VariantError:
        return None


def type_number(gametype: str) -> str:
    """The number that a GameType begins with, empty if there is none."""
    return gametype.partition(",")[0].strip()


def meaning(text: str) -> str | None:
    """The result that a text means, `*` for an unfinished game; None if it is in no known form: 1-0 and 2-0, 0-0
    if both lost, draws (1/2-1/2, 1-1), also as PDN 3.0's Delfts (1 1/2 - 1/2), Plus draw (1+ - 1-) and Goes
    (1.01-0.99)."""
    plain = re.sub(r"\s", "", text)
    if plain in _UNKNOWN:
        return "*"
    points = _POINTS.fullmatch(re.sub("(?<![0-9/])1/2", "0.5", plain.replace("11/2", "1.5")))
    if points is None:
        return None
    first, second = float(points[1]), float(points[2])
    if first + second == 0:
        return "0-0"
    if round(first + second, 9) not in (1, 2):
        return None
    return "1-0" if second == 0 else "0-1" if first == 0 else "1/2-1/2"


def result_of_tags(tag: str, end: str, first: Colour) -> tuple[str, str]:
    """The result of a game, where `1-0` is a win of `first`, by its tag Result and the end of its text, and what
    is wrong with them, or "": one of RESULTS, `0-0` if both lost, or NO_RESULT where none is sure."""
    stated, ended = meaning(tag), meaning(end) or NO_RESULT
    if stated is None:
        return NO_RESULT, f"unknown result {quoted(tag)}"
    if NO_RESULT not in (stated, ended) and stated != ended:
        return NO_RESULT, f"the game ends in {ended}, but its tag Result says {stated}"
    meant = ended if stated == NO_RESULT else stated
    return {"1-0": first, "0-1": _OTHER[first], "1/2-1/2": "draw"}.get(meant, meant), ""
