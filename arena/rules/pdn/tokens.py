"""How a PDN is cut into games, and a game into words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_TAG_NAMES = {
    name.lower(): name
    for name in (
        *("Event", "Site", "Date", "Round", "White", "Black", "Result"),
        *("GameType", "Variant", "FEN", "SetUp", "TimeControl", "PlyCount"),
    )
}
"""Tags whose spelling is put right, whatever letters are capitals in the text."""
SQUARE = r"(?:[a-l][0-9]{1,2}|0*[1-9][0-9]{0,2})"
_PLAIN = r"(?!1-1\s)[1-9][0-9]?[-x][1-9][0-9]?"
_STRENGTH = r"[!?]+ | \( [!?]+ \)"
_END = r"""
    \* | (?: (?:1\s?)? 1/2 \s?-\s? (?:1\s?)? 1/2 | 1\s?-\s?[01] | 0\s?-\s?[012] | 2\s?-\s?0
        | 1[+-]\s?-\s?1[+-] | -?[012]\.[0-9]{2}-[012]\.[0-9]{2} ) (?![\w/:×-])
"""
"""The results of PDN 3.0 and of its formats Plus draw, Delfts and Goes."""
_TOKEN = re.compile(
    rf"""\s* (?:
      (?P<moves> {_PLAIN} \s (?: \s* (?: [0-9]+ \.+ \s* )? {_PLAIN} \s )+ )
    | (?P<move> (?! 1\s*-\s*1 (?![0-9]) )
          (?: {SQUARE} (?: \s* [-–−x×:] \s* {SQUARE} )+ (?![0-9])
            | (?: [a-l][0-9]{{1,2}} ){{2,}} (?!\w) | [0-9]{{4}} (?!\w) | pass\b )
        ) (?: \* (?! \s* 1\.(?!\.) ) )?  # a star that touches a move is its strength
    | (?P<end> {_END} )
    | (?P<number> [0-9]+ \.+ | \.+ | … )
    | (?P<comment> \{{ (?: [^}}\n]+ | \n (?! [ \t]* \n \s* \[ \s* [a-z]\w* \s* " ) )* \}}? | ; [^\n]* )
    | (?P<tag> \[ \s* (?P<name> [a-z]\w* ) \s*
        " (?P<value> [^\\\n"]* (?: (?: \\. | " (?! \s* \] ) | \n (?! \s* [\[\n] ) ) [^\\\n"]* )* ) " \s* \] )
    | (?P<bad_tag> \[ [^]\n]* \]? )
    | (?P<ignored> % [^\n]* | \$ [0-9]+ | {_STRENGTH} )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<setup> / [^]\[/{{}}]* / )
    | (?P<word> [^]\s{{}}()[;]+ | \S )
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_MOVE = re.compile(_PLAIN + r"(?=\s)")
_BETWEEN = re.compile(r"\s+(?:[0-9]+\.+\s*)?")
_PLAYED = ("move", "moves", "word", "setup")


class Token(NamedTuple):
    """A word of a game's text, or the mistake at its place."""

    kind: str  # comment, setup, move, end; word if none of these; fault for skipped text, tag if that is a tag's
    text: str
    at: int  # its place in the text of the file


@dataclass
class RawGame:
    """A game cut out of a text; its moves are not understood yet."""

    source: str  # the text of the file
    at: int  # where in it the game begins
    line: int  # the line of that place, counted from 1
    tags: dict[str, str] = field(default_factory=dict)
    """Their names in the standard spelling; of a tag that is given twice the last value."""
    words: list[Token] = field(default_factory=list)
    """As `tokens`, plain moves that follow one another as one of the kind `moves`."""
    places: dict[str, int] = field(default_factory=dict)  # where in the text each tag stands
    stop: int = 0  # where the game ends

    @property
    def text(self) -> str:
        """All of its text."""
        return self.source[self.at : self.stop].strip()

    @property
    def tokens(self) -> list[Token]:
        """The words of the game but for numbers and strengths of moves and variations."""
        tokens = list[Token]()
        for word in self.words:
            if word.kind == "moves":
                tokens += [Token("move", move[0], word.at + move.start()) for move in _MOVE.finditer(word.text)]
            else:
                tokens.append(word)
        return tokens

    @property
    def moves(self) -> str:
        """All that is played, in single spaces."""
        return " ".join([_BETWEEN.sub(" ", text).strip() for kind, text, _ in self.words if kind in _PLAYED])

    @property
    def end(self) -> str:
        """The result that stands first, such as 1-0 or *; empty if there is none."""
        return next((text for kind, text, _ in self.words if kind == "end"), "")

    def line_at(self, at: int) -> int:
        """The line of a place of the text that is not before the game."""
        return self.line + self.source.count("\n", self.at, at)

    def line_of(self, tag: str) -> int:
        """The line of a tag, or where the game begins."""
        return self.line_at(self.places.get(tag, self.at))


def split(text: str) -> Iterator[RawGame]:
    """Cut a text into games, of any rules.

    A game is tags and what follows, up to the next tags. The same tag again begins another game where a line is
    empty between the two, or all games begin with it and have a result. A result ends a game without tags; behind
    it, the number `1.` begins a game without tags in any. The letters \\r, which some programs write for a line's
    end, are none.
    """
    text = re.sub(r"\\r(?=\n|\Z)", "", text)
    game, behind_tag = RawGame(text, 0, 1), 0
    has_body = has_end = False
    opened: list[int] = []  # places of variations
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        word, at = match[kind], match.start(kind)
        if kind == "tag":
            name = match["name"]
            name = _TAG_NAMES.get(name.lower(), name[0].upper() + name[1:])
            begins = has_body or has_end
            if name in game.tags and not begins:
                is_first = name == next(iter(game.tags)) and "Result" in game.tags
                begins = is_first or bool(text[behind_tag:at].strip()) or text.count("\n", behind_tag, at) > 1
        else:
            is_next = kind == "bad_tag" or (kind == "number" and word == "1.")
            is_next |= not game.tags and (kind == "number" or kind in _PLAYED)
            begins = has_end and is_next and not opened
        if begins:
            yield from _whole(game, opened, at)
            game, opened = RawGame(text, at, game.line_at(at)), []
            has_body = has_end = False
        if not (game.tags or game.words):
            game.line, game.at = game.line_at(at), at
        if kind == "tag":
            value = match["value"]
            if "\n" in value or "\\" in value:
                value = re.sub(r"""\\(["'\\])""", r"\1", re.sub(r"\s*\n\s*", " ", value))
            game.tags[name] = value
            game.places[name] = at
            behind_tag = match.end()
        elif kind == "open":
            opened.append(at)
        elif kind == "close" and opened:
            opened.pop()
        elif kind not in ("number", "ignored") and not opened:
            has_body = has_body or kind in _PLAYED
            has_end = has_end or kind == "end"
            game.words += _words(kind, word, at)
    yield from _whole(game, opened, len(text))


def _words(kind: str, word: str, at: int) -> list[Token]:
    """The token of a word, and the mistake in it."""
    if kind == "bad_tag":
        return [Token("tag", f"{word[:40]!r} is not a tag", at)]
    if kind == "close" or word == "}":
        return [Token("fault", f"{word!r} has no opening bracket", at)]
    if kind == "comment" and word[0] == "{" and word[-1] != "}":
        return [Token(kind, word, at), Token("fault", "a comment is not closed", at)]
    return [Token(kind, word, at)]


def _whole(game: RawGame, opened: list[int], stop: int) -> Iterator[RawGame]:
    """The game up to a place of the text, its last words understood, unless there is none."""
    game.stop = stop
    if opened:
        game.words.append(Token("fault", "a variation is not closed", opened[0]))
    stated = "".join(game.tags.get("Result", "").split())
    if stated and not game.end:
        game.words = game.tokens
        last = next((number for number, word in enumerate(game.words) if "".join(word.text.split()) == stated), -1)
        if last >= 0 and not any(word.kind in _PLAYED for word in game.words[last + 1 :]):
            game.words[last] = game.words[last]._replace(kind="end")
    if game.tags or any(kind not in ("comment", "end") for kind, _, _ in game.words):
        yield game
