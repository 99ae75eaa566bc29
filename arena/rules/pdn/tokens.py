"""How a PDN is cut into games and a game into words, and what its tags and results mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from arena.rules.custom import VariantError, build_variant
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant

_TAG_NAMES = {
    name.lower(): name
    for name in (
        *("Event", "Site", "Date", "Round", "White", "Black", "Result"),
        *("GameType", "Variant", "FEN", "SetUp", "TimeControl", "PlyCount"),
    )
}
"""Tags whose spelling is put right, whatever letters are capitals in the text."""
SQUARE = r"(?:[a-l][0-9]{1,2}|[0-9]{1,3})"
_TAG = r'\[\s*([a-z]\w*)\s*"((?:\\.|[^\\\n])*?)"\s*\]'
_WHOLE_TAG = re.compile(_TAG, re.IGNORECASE | re.ASCII)
_IGNORED = r"""% [^\n]* | \$ [0-9]+ | [!?]+ | \( [!?]+ \)
    | (?<=[0-9]) \* (?! \s* 1\.(?!\.) )  # a star as strength of a move
"""
_NUMBER = r"[0-9]+ \.+ | \.+ | …"
_END = r"""\* | (?: (?:1\s?)? 1/2 \s?-\s? (?:1\s?)? 1/2
        | 1\s?-\s?[01] | 0\s?-\s?[012] | 2\s?-\s?0 ) (?![\w/:×-])"""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_TOKEN = re.compile(
    rf"""
      (?P<tag> {_TAG} )
    | (?P<bad_tag> \[ [^]\n]* \]? )
    | (?P<comment> \{{ [^}}]* \}}? | ; [^\n]* )
    | (?P<ignored> {_IGNORED} )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<setup> / [^/\n]* / )
    | (?P<end> {_END} )
    | (?P<number> {_NUMBER} )
    | (?P<move> {SQUARE} (?: [ \t]* [-–−x×:] [ \t]* {SQUARE} )+ (?![0-9])
        | (?: [a-l][0-9]{{1,2}} ){{2,}} (?!\w) | [0-9]{{4}} (?!\w) | pass\b )
    | (?P<word> [^]\s{{}}()[;]+ | . )
    """,
    _FLAGS,
)
_WORD = re.compile(r"\S")
_MARK = re.compile(r"[\[{;%]")
_COMMENT = r"\{[^}]*\}?|[;%][^\n]*"
_TAG_OR_COMMENT = re.compile(rf"{_TAG}|{_COMMENT}", re.IGNORECASE | re.ASCII)
_BETWEEN_MOVES = re.compile(rf"(?: \s | {_IGNORED} | {_NUMBER} )+", _FLAGS)
_LAST_WORDS = re.compile(rf"(?<!\S) (?: {_END} ) \s* \Z", _FLAGS)
_LONGEST_END = 20
"""Characters, spaces included, in which the end of a game is looked for."""
_ANOTHER_GAME = re.compile(rf"(?: {_END} ) \s+ (?: \[ [^]\n]* \] \s* )* 1\.(?!\.)", _FLAGS)
"""A result, and the first move of a game that has no tags, or what are none in brackets."""
_BEFORE_GAME = re.compile(r"\s+|%[^\n]*")
_END_OF_GAME = re.compile(r"\s*(?:\[|\Z)|[ \t]*\n[ \t]*\n")
_TAG_SECTION = re.compile(rf"\n[ \t]*\n\s*{_TAG}", re.IGNORECASE | re.ASCII)
_FIRST = {"W": "white", "B": "black"}
"""Who begins, by the letter of a GameType."""
_UNKNOWN = ("", "*", "?")
_NUMBER_OF_POINTS = r"([0-9]+(?:\.[0-9]+)?)"
_POINTS = re.compile(rf"{_NUMBER_OF_POINTS}[+-]?-{_NUMBER_OF_POINTS}[+-]?")


class Token(NamedTuple):
    """A word of a game's text, or the mistake at its place."""

    kind: str
    """comment, number, setup, move, end; word if none of these; fault for skipped text, tag if in the tags."""
    text: str
    line: int
    """Counted from 1."""
    end: int
    """The place behind it in the text."""


@dataclass
class RawGame:
    """A game cut out of a text; its moves are not understood yet."""

    text: str
    line: int
    """Where it begins, counted from 1."""
    tags: dict[str, str]

    @cached_property
    def body(self) -> str:
        """The text without tags and comments."""
        return _TAG_OR_COMMENT.sub(" ", self.text)

    @property
    def first_move(self) -> tuple[str, str]:
        """The first move, and its number, `1.`, or `1...` of the side that moves second; each may be empty."""
        number = ""
        for token in self.tokens():
            if token.kind in ("move", "word"):
                return token.text, number
            if token.kind == "end":
                break
            number = number or (token.text if token.kind == "number" else "")
        return "", number

    @property
    def moves(self) -> str:
        """The body without numbers and strengths of moves, and without its end, in single spaces."""
        ending = self._ending()
        return _BETWEEN_MOVES.sub(" ", self.body[: ending.start()] if ending else self.body).strip()

    @property
    def end(self) -> str:
        """The result that the body ends in, without spaces, such as 1-0 or *; empty if there is none."""
        ending = self._ending()
        return re.sub(r"\s", "", ending[0]) if ending else ""

    def _ending(self) -> re.Match[str] | None:
        return _LAST_WORDS.search(self.body, max(len(self.body.rstrip()) - _LONGEST_END, 0))

    def line_of(self, tag: str) -> int:
        """The line of a tag."""
        places = [at for at, kind, token in _marks(self.text) if kind == "tag" and _tag(token)[0] == tag]
        return self.line + self.text.count("\n", 0, places[-1] if places else 0)

    def tokens(self) -> Iterator[Token]:
        """The words of the game but for its tags and variations."""
        line, counted, at = self.line, 0, 0
        named: set[str] = set()
        opened: list[int] = []  # lines of variations
        while word := _WORD.search(self.text, at):
            line, counted = line + self.text.count("\n", counted, word.start()), word.start()
            kind, token = _token(self.text, counted, self.tags.get("Result", ""))
            at = counted + len(token)
            if kind == "tag":
                name, _ = _tag(token)
                if name in named:
                    yield Token("tag", f"the tag {name} is given twice", line, at)
                named.add(name)
            elif kind == "open":
                opened.append(line)
            elif kind == "close" and opened:
                opened.pop()
            elif opened or kind == "ignored":
                pass
            elif kind == "bad_tag":
                yield Token("tag", f"{token[:40]!r} is not a tag", line, at)
            elif kind == "close" or token == "}":
                yield Token("fault", f"{token!r} has no opening bracket", line, at)
            elif kind in ("comment", "unclosed"):
                words = token[1:].removesuffix("}" if token[0] == "{" else "").split()
                yield Token("comment", " ".join(words), line, at)
                if kind == "unclosed":
                    yield Token("fault", "a comment is not closed", line, at)
            else:
                yield Token(kind, token, line, at)
        if opened:
            yield Token("fault", "a variation is not closed", opened[0], at)


def meaning(text: str) -> str | None:
    """The result that a text means, `*` for an unfinished game; None if it is in no known form.

    Known are 1-0 and 2-0, 0-0 if both lost, and draws, shared evenly (1/2-1/2, 1-1) or by PDN 3.0's formats Delfts
    (1 1/2 - 1/2), Plus draw (1+ - 1-) and Goes (1.01-0.99).
    """
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


def split(text: str) -> Iterator[RawGame]:
    """Cut a text into games.

    Tags that stand together begin a game, which goes on to the next tags; a text without tags, or with a result
    before a move numbered `1.`, is read and cut behind each result. What moves mean does not matter, so that games
    of any rules are cut. A line's end that some programs write as the letters \\r is none.
    """
    text = re.sub(r"\\r(?=\n|\Z)", "", text)
    tags: dict[str, str] = {}
    has_body = False
    begin = at = 0
    line = 1
    for place, kind, token in _marks(text):
        has_body = has_body or bool(text[at:place].strip())
        at = place + len(token)
        if kind == "tag":
            name, value = _tag(token)
            if has_body or name == next(iter(tags), None):
                yield from _games(text[begin:place], line, tags)
                line, begin = line + text.count("\n", begin, place), place
                tags, has_body = {}, False
            tags[name] = value
    yield from _games(text[begin:], line, tags)


def _marks(text: str) -> Iterator[tuple[int, str, str]]:
    """Place, kind and text of each tag and comment."""
    at = 0
    while mark := _MARK.search(text, at):
        kind, token = _token(text, mark.start(), "")
        at = mark.start() + len(token)
        yield mark.start(), kind, token


def _games(text: str, line: int, tags: dict[str, str]) -> Iterator[RawGame]:
    """The games of a text whose tags stand before its moves: one, unless there are results in its middle."""
    counted = 0

    def game(begin: int, end: int, tags: dict[str, str]) -> RawGame:
        nonlocal line, counted
        while skipped := _BEFORE_GAME.match(text, begin):
            begin = skipped.end()
        line, counted = line + text.count("\n", counted, begin), begin
        return RawGame(text[begin:end], line, tags)

    if tags and not _ANOTHER_GAME.search(text):
        yield game(0, len(text), tags)
        return
    begin, has_body = 0, False
    for token in RawGame(text, line, tags).tokens():
        if token.kind == "end":
            if tags or has_body:
                yield game(begin, token.end, tags)
            begin, has_body, tags = token.end, False, {}
        has_body = has_body or token.kind not in ("comment", "tag", "number", "end")
    if tags or has_body:
        yield game(begin, len(text), tags)


def _token(text: str, at: int, stated: str) -> tuple[str, str]:
    """Kind and text of the token at a place of the text; `stated` is the game's tag Result."""
    stated = stated.strip(" *?")
    if stated and text.startswith(stated, at) and _END_OF_GAME.match(text, at + len(stated)):
        return "end", stated
    match = _TOKEN.match(text, at)
    assert match is not None and match.lastgroup is not None
    kind, token = match.lastgroup, match[0]
    if token[0] == "{":
        next_game = _TAG_SECTION.search(token)
        token = token[: next_game.start()] if next_game else token
        kind = "comment" if token.endswith("}") else "unclosed"
    return kind, token


def _tag(token: str) -> tuple[str, str]:
    match = _WHOLE_TAG.match(token)
    assert match is not None
    name = _TAG_NAMES.get(match[1].lower(), match[1][0].upper() + match[1][1:])
    return name, re.sub(r"""\\(["'\\])""", r"\1", match[2])


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

    It has the first move of the GameType where squares have letters: numbers are counted from who begins, and
    programs that name the wrong colour for them are many. So `23,W,8,8,A0,0` is pool with White first.
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
    if notation.startswith("A") and first in _FIRST and _FIRST[first] != COLOURS[named.first]:
        changes["first"] = _FIRST[first]
    try:
        return build_variant({"base": named.name, **changes}) if changes else named
    except VariantError:
        return None


def type_number(gametype: str) -> str:
    """The number that a GameType begins with, empty if there is none."""
    return gametype.partition(",")[0].strip()
