"""The tokens of a PDN, what its tags mean, and how a text is cut into games: by what is read, or by tags alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.rules.custom import VariantError, build_variant
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
_IGNORED = rf"""% [^\n]* | \$ [0-9]+ | [!?]+ | \( [!?]+ \)
    | (?<=[0-9]) \* (?= \s+ (?!1\.) (?: [0-9]+ \. | {SQUARE} [-x:] ) )  # a star as strength of a move
"""
_NUMBER = r"[0-9]+ \.+ | \.+ | …"
_DASH = "[-‐‑‒–—−]"
_HALF = r"(?:1/2|½)"
_END = rf"""\* | (?: (?:1\s?)? {_HALF} \s?{_DASH}\s? (?:1\s?)? {_HALF} | {_HALF}
        | (?: 1\s?{_DASH}\s?[01] | 0\s?{_DASH}\s?[012] | 2\s?{_DASH}\s?0 ) (?:\s?F{{1,2}})? ) (?![\w/:×-])"""
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
_TAG_OR_COMMENT = re.compile(r"[\[{;%]")
_BETWEEN_MOVES = re.compile(rf"(?: \s | {_IGNORED} | {_NUMBER} )+", _FLAGS)
_FIRST_NUMBER = re.compile(r"\s*([0-9]+\.+)")
_LAST_WORDS = re.compile(rf"(?<!\S) (?: {_END} ) \s* \Z", _FLAGS)
_LONGEST_END = 20
"""Characters, spaces included, in which the end of a game is looked for."""
_END_OF_GAME = re.compile(r"\s*(?:\[|\Z)|[ \t]*\n[ \t]*\n")
_HEAD = re.compile(rf"(?:\s*{_TAG})+", re.IGNORECASE | re.ASCII)
_ENDS = re.compile(_END, _FLAGS)
_COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*")
_PLAIN = re.compile(r"[0-9a-l\s.…x:×!?$*½/–−-]*", re.IGNORECASE | re.ASCII)
_PLAIN_MOVE = re.compile(r"[0-9] ?[-x:] ?[0-9a-l]", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n\s*\n")
_TAG_SECTION = re.compile(rf"\n[ \t]*\n\s*{_TAG}", re.IGNORECASE | re.ASCII)
INTERNATIONAL = {"1-0": "2-0", "1/2-1/2": "1-1", "0-1": "0-2"}
"""Results as PDN 3.0's result type International counts them, by how they are counted elsewhere."""
_UNKNOWN = ("", "*", "-", "--")
_WITHOUT_PLAY = {"+-": "1-0", "-+": "0-1"}
_NUMBER_OF_POINTS = r"([0-9]+(?:\.[0-9]+)?)"
_POINTS = re.compile(rf"{_NUMBER_OF_POINTS}[+-]?[-:]{_NUMBER_OF_POINTS}[+-]?(?:\(?F{{1,2}}\)?)?", re.IGNORECASE)


class Token(NamedTuple):
    """A word of a game's text, or the mistake at its place."""

    kind: str
    """comment, setup, move, end; word if none of them; fault for skipped text, tag for text in the tags."""
    text: str
    line: int
    """Counted from 1."""


@dataclass
class RawGame:
    """A game cut out of the text."""

    line: int
    """Where it begins, counted from 1."""
    end: int = 0
    """The place in the text from which the next game is read."""
    tags: dict[str, str] = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    number: str = ""
    """The number of the first move, as that of a TaggedGame."""

    @property
    def first_move(self) -> str:
        """The text of the first move, empty if there is none."""
        return next((token.text for token in self.tokens if token.kind == "move"), "")

    @property
    def has_body(self) -> bool:
        """Whether there is more than tags and comments."""
        return any(token.kind not in ("comment", "tag") for token in self.tokens)


class TaggedGame(NamedTuple):
    """A game of which the tags alone are understood, whatever is played."""

    line: int
    """Where its tags begin, counted from 1."""
    tags: dict[str, str]
    moves: str
    """The text without comments, numbers and strengths of moves, and without its end, in single spaces."""
    end: str
    """The result that the text ends in, without spaces, such as 1-0, ½-½ or *; empty if there is none."""
    number: str
    """The number of the first move, `1.`, or `1...` of the side that moves second; empty if it has none."""


def meaning(text: str) -> str | None:
    """The result that a text means, `*` for an unfinished game; None if it is in no known form.

    Known are 1-0, 2-0, +- and 1-0F, with any dash, spaces and question marks, 0-0 if both lost, and draws, shared
    evenly (1/2, 1-1) or by PDN 3.0's formats Delfts (1 1/2 - 1/2), Plus draw (1+ - 1-) and Goes (1.01-0.99).
    """
    plain = re.sub(_DASH, "-", re.sub(r"[\s?]", "", text).replace("½", "1/2"))
    if plain in _UNKNOWN:
        return "*"
    if (without_play := plain.replace("/", "").replace(":", "")) in _WITHOUT_PLAY:
        return _WITHOUT_PLAY[without_play]
    if plain == "1/2":
        return "1/2-1/2"
    points = _POINTS.fullmatch(re.sub("(?<![0-9/])1/2", "0.5", plain.replace("11/2", "1.5")))
    if points is None:
        return None
    first, second = float(points[1]), float(points[2])
    if first + second == 0:
        return "0-0"
    if round(first + second, 9) not in (1, 2):
        return None
    return "1-0" if second == 0 else "0-1" if first == 0 else "1/2-1/2"


def split(text: str, at: int = 0, line: int = 1) -> Iterator[RawGame]:
    """Cut a text, from a place and its line on, into games: each ends in a result, `*`, or before new tags."""
    raw = RawGame(line)
    counted, depth = at, 0
    while word := _WORD.search(text, at):
        at = word.start()
        line, counted = line + text.count("\n", counted, at), at
        raw.line, raw.end = raw.line if raw.tags or raw.tokens else line, at
        kind, token = _token(text, at, raw.tags.get("Result", ""))
        at += len(token)
        if kind == "tag":
            if depth:
                raw.tokens.append(Token("fault", "a variation is not closed", line))
                depth = 0
            name, value = _tag(token)
            if raw.has_body or name == next(iter(raw.tags), None):
                yield raw
                raw = RawGame(line)
            if name in raw.tags:
                raw.tokens.append(Token("tag", f"the tag {name} is given twice", line))
            raw.tags[name], raw.tag_lines[name] = value, line
        elif kind == "open":
            depth += 1
        elif kind == "close" and depth:
            depth -= 1
        elif depth or kind in ("ignored", "number"):
            raw.number = raw.number or (token if kind == "number" and not depth else "")
        elif kind == "end":
            if raw.tags or raw.has_body:
                raw.tokens.append(Token(kind, token, line))
                raw.end = at
                yield raw
                raw = RawGame(line)
        elif kind == "bad_tag":
            raw.tokens.append(Token("tag", f"{token[:40]!r} is not a tag", line))
        elif kind == "close" or token == "}":
            raw.tokens.append(Token("fault", f"{token!r} has no opening bracket", line))
        else:
            raw.tokens.append(Token("comment" if kind == "unclosed" else kind, token, line))
            raw.tokens += [Token("fault", "a comment is not closed", line)] * (kind == "unclosed")
    if raw.tags or raw.has_body:
        raw.end = len(text)
        yield raw


def places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place and the line from which `split` reads each game; ten times as fast as reading them."""
    at, line, counted = 0, 1, 0
    while word := _WORD.search(text, at):
        line, counted = line + text.count("\n", counted, word.start()), word.start()
        end = _end_of_plain_game(text, word.start())
        if not end and (raw := next(split(text, word.start(), line), None)):
            end = raw.end
        if not end:
            return
        yield word.start(), line
        at = end


def _end_of_plain_game(text: str, at: int) -> int:
    """The end of the game that begins at a place; 0 unless it is tags, then moves and comments up to new tags."""
    head = _HEAD.match(text, at)
    if head is None:
        return 0
    next_tags = _TAG_SECTION.search(text, head.end())
    end = next_tags.start() if next_tags else len(text)
    written = text[head.end() : end].rstrip()
    body = _COMMENT.sub(" ", written)
    names = [name.lower() for name, _ in re.findall(_TAG, head[0], re.IGNORECASE | re.ASCII)]
    if names[0] in names[1:] or not _PLAIN.fullmatch(body) or _EMPTY_LINE.search(body.strip()):
        return 0
    ends = [match.end() for match in _ENDS.finditer(body)]
    is_one = ends == [len(body)] or (not ends and _PLAIN_MOVE.search(body))
    return end if is_one else 0


def tagged_games(text: str) -> Iterator[TaggedGame]:
    """Cut a text into games by its tags: those that stand together begin a game, whose text goes on to the next.

    The moves are not understood, so that games of any rules are read, and read fast. What stands before the
    first tag is passed over.
    """
    tags: dict[str, str] = {}
    parts: list[str] = []
    begins, line, counted, at = 1, 1, 0, 0
    while mark := _TAG_OR_COMMENT.search(text, at):
        parts.append(text[at : mark.start()])
        kind, token = _token(text, mark.start(), "")
        at = mark.start() + len(token)
        if kind == "tag":
            name, value = _tag(token)
            body = "".join(parts)
            if tags and (body.strip() or name == next(iter(tags))):
                yield _tagged_game(begins, tags, body)
                tags = {}
            line, counted = line + text.count("\n", counted, mark.start()), mark.start()
            begins = begins if tags else line
            tags[name] = value
            parts = []
        elif kind not in ("comment", "unclosed", "ignored"):
            parts.append(token)
    if tags:
        yield _tagged_game(begins, tags, "".join(parts) + text[at:])


def _tagged_game(line: int, tags: dict[str, str], body: str) -> TaggedGame:
    ending = _LAST_WORDS.search(body, max(len(body.rstrip()) - _LONGEST_END, 0))
    moves = body[: ending.start()] if ending else body
    number = _FIRST_NUMBER.match(moves)
    return TaggedGame(
        line,
        tags,
        _BETWEEN_MOVES.sub(" ", moves).strip(),
        re.sub(r"\s", "", ending[0]) if ending else "",
        number[1] if number else "",
    )


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
    match = re.match(_TAG, token, re.IGNORECASE | re.ASCII)
    assert match is not None
    name = _TAG_NAMES.get(match[1].lower(), match[1][0].upper() + match[1][1:])
    return name, re.sub(r'\\(["\\])', r"\1", match[2])


def variant_of_tags(tags: Mapping[str, str], given: Variant | None) -> Variant | None:
    """The variant that the tags Variant and GameType name, else `given`, which is the one to expect."""
    name, gametype = tags.get("Variant", "").strip().lower(), tags.get("GameType", "")
    if given and given.name == name:
        return given
    if name:
        with suppress(VariantError):
            return build_variant(name)
    if given and gametype and type_number(given.gametype) == type_number(gametype):
        is_same_board = _board(gametype) in ([], _board(given.gametype))
        return given if is_same_board else variant_of_type(gametype)
    return variant_of_type(gametype) or given


def variant_of_type(gametype: str) -> Variant | None:
    """The variant with a GameType, or else the first with its number, on the board that the GameType names."""
    number = type_number(gametype)
    rows = [row for row in VARIANTS.values() if number and type_number(row.gametype) == number]
    found = next((row for row in rows if row.gametype == gametype.replace(" ", "")), rows[0] if rows else None)
    if found is None or _board(gametype) in ([], _board(found.gametype)):
        return found
    width, height = _board(gametype)
    try:
        return build_variant({"base": found.name, "rows": height}) if width == height else None
    except VariantError:
        return None


def _board(gametype: str) -> list[int]:
    """Columns and rows of the board that a GameType names; empty if it names none."""
    sizes = [field.strip() for field in gametype.split(",")[2:4]]
    return [int(size) for size in sizes] if len(sizes) == 2 and all(map(str.isdecimal, sizes)) else []


def type_number(gametype: str) -> str:
    """The number that a GameType begins with, empty if there is none."""
    return gametype.partition(",")[0].strip()
