"""PDN 3.0: games written as text, and games read from the PDN of any program.

Writing follows the standard (Wieger Wesselink, PDN 3.0, https://wiegerw.github.io/pdn) but for one habit of all
programs: a game ends in its result, where PDN 3.0 has `*`. Reading is lenient, and tells what it cannot read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.rules.movegen import apply, legal_moves
from arena.rules.notation import (
    NotationError,
    algebraic,
    fen,
    move_text,
    parse_fen,
    parse_move,
    squares_by_name,
)
from arena.rules.position import COLOURS, Position
from arena.rules.variants import VARIANTS, Variant

_SEPARATORS = {"25": ":", "41": ":", "31": "-"}
"""Between the squares of a capture, by the number of the GameType; all others have `x`."""
_INTERNATIONAL = {"1-0": "2-0", "1/2-1/2": "1-1", "0-1": "0-2"}
"""Results of PDN 3.0's result type International."""
_RESULTS = {result: result for result in ("1-0", "1/2-1/2", "0-1", "0-0", "*")} | {
    points: result for result, points in _INTERNATIONAL.items()
}
_TAG_NAMES = {name.lower(): name for name in ("GameType", "FEN", "SetUp", "TimeControl", "PlyCount")}
"""Tags whose name is not a word with a capital."""
_SQUARE = r"(?:[a-l][0-9]{1,2}|[0-9]{1,3})"
_TAG = re.compile(r'\[\s*([a-z]\w*)\s*"((?:\\.|[^\\\n])*?)"\s*\]', re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(
    rf"""
      (?P<tag> {_TAG.pattern} )
    | (?P<bad_tag> \[ [^]\n]* \]? )
    | (?P<comment> \{{ [^}}]* \}}? | ; [^\n]* )
    | (?P<ignored> % [^\n]* | \$ [0-9]+ | [!?]+ | \( [!?]+ \)
        | (?<=[0-9]) \* (?= \s+ (?!1\.) (?: [0-9]+ \. | {_SQUARE} [-x:] ) ) )  # a star as strength of a move
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<setup> / [^/\n]* / )
    | (?P<end> \* | (?: (?:1/2|½)\s?-\s?(?:1/2|½) | 1\s?-\s?[01] | 0\s?-\s?[012] | 2\s?-\s?0 ) (?![\w/:-]) )
    | (?P<number> [0-9]+ \.+ | \.+ | … )
    | (?P<move> {_SQUARE} (?: [ \t]* [-–−x×:] [ \t]* {_SQUARE} )+ (?![0-9])
        | (?: [a-l][0-9]{{1,2}} ){{2,}} (?!\w) | [0-9]{{4}} (?!\w) | pass\b )
    | (?P<word> [^]\s{{}}()[;]+ | . )
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_WORD = re.compile(r"\S")
_END_OF_GAME = re.compile(r"\s*(?:\[|\Z)|[ \t]*\n[ \t]*\n")
_TAG_SECTION = re.compile(rf"\n[ \t]*\n\s*{_TAG.pattern}", re.IGNORECASE | re.ASCII)


class PdnProblem(NamedTuple):
    """Something in a PDN that could not be read, and where it stands."""

    file: str
    line: int
    """Counted from 1."""
    game: int
    """Counted from 1."""
    ply: int
    """The ply that was to be read, counted from 1; 0 in the tags."""
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: game {self.game}, ply {self.ply}: {self.message}"


@dataclass(frozen=True)
class PdnGame:
    """One game of a PDN; one with problems may have fewer moves than its text."""

    variant: Variant
    start: Position
    moves: list[int]
    result: str = "*"
    """`1-0`, `1/2-1/2`, `0-1` with White's points first, `0-0` if both lost, `*` if unfinished or unknown.

    As the text has it: some collections of games in which Black moves first put Black's points first.
    """
    tags: dict[str, str] = field(default_factory=dict)
    """All tags as in the text, their names in the standard spelling."""
    comments: dict[int, str] = field(default_factory=dict)
    """By the number of plies played before; runs of spaces and line ends are single spaces."""
    setups: dict[int, Position] = field(default_factory=dict)
    """Positions set up in mid-game, by the number of plies played before."""
    number: int = 1
    """In the text, counted from 1."""
    problems: list[PdnProblem] = field(default_factory=list)

    def positions(self) -> list[Position]:
        """The positions before each move and after the last: `len(moves) + 1` of them."""
        positions = [self.start]
        for ply, move in enumerate(self.moves, start=1):
            after = apply(self.variant.constants, positions[-1], move)
            positions.append(self.setups.get(ply, after))
        return positions


class PdnFile(NamedTuple):
    """The games of a PDN in their order, and the problems of all."""

    games: list[PdnGame]
    problems: list[PdnProblem]


def pdn_game(
    tags: Mapping[str, str],
    moves: Sequence[str],
    result: str,
    first: str,
    fen: str | None,
    *,
    comments: Mapping[int, str] | None = None,
    setups: Mapping[int, str] | None = None,
    variant: Variant | None = None,
    international: bool = False,
) -> str:
    """One game in PDN 3.0: tags, numbered moves with `first` ("white" or "black") opening each number, result.

    `moves` are as `move_text` writes them; a capture gets the separator of the tag GameType. `fen` is the start
    position if it is not the variant's own; its side to move then counts. `comments`, and FENs to set up, are
    keyed by the number of plies played before. With a `variant` whose GameType has algebraic notation, squares
    are written so. `international` writes results as 2-0, 1-1 and 0-2.
    """
    tags = dict(tags)
    if international:
        result = _INTERNATIONAL.get(result, result)
        tags |= {"Result": result} if "Result" in tags else {}
    if fen is not None:
        tags |= {"SetUp": "1", "FEN": fen}
    header = [f'[{name} "{_quoted(value)}"]' for name, value in tags.items()]
    separator = _SEPARATORS.get(_type_number(tags.get("GameType", "")), "x")
    names = _names(variant) if variant and ",A" in variant.gametype else {}
    behind = 0 if fen is None or fen[0].upper() == first[0].upper() else 1
    words: list[str] = []
    for ply in range(len(moves) + 1):
        if setups and ply in setups:
            words.append(f'/FEN "{setups[ply]}"/')
        if comments and ply in comments:
            words += f"{{{comments[ply].replace('{', '(').replace('}', ')')}}}".split()
        if ply == len(moves):
            break
        move = moves[ply].replace("x", separator)
        move = re.sub(r"[0-9]+", lambda square: names.get(int(square[0]), square[0]), move)
        number, second = divmod(ply + behind, 2)
        if not second:
            move = f"{number + 1}. {move}"
        elif ply == 0:
            move = f"{number + 1}... {move}"
        words.append(move)
    return "\n".join([*header, "", *_wrapped([*words, result]), ""])


def write_pdn(game: PdnGame, *, international: bool = False) -> str:
    """A game as PDN 3.0, in the notation of its variant's GameType.

    The tags GameType, FEN, SetUp and Result say what the game is, whatever `game.tags` say. A variant that its
    GameType does not tell gets the tag Variant.
    """
    variant = game.variant
    tags = {name: value for name, value in game.tags.items() if name not in ("FEN", "SetUp", "Variant")}
    tags["Result"] = game.result
    if variant.gametype:
        tags["GameType"] = variant.gametype
    if _variant_of_type(tags.get("GameType", "")) != variant:
        tags["Variant"] = variant.name
    texts = [
        move_text(variant, position, move, legal_moves(variant.constants, position))
        for position, move in zip(game.positions(), game.moves, strict=False)
    ]
    return pdn_game(
        tags,
        texts,
        game.result,
        COLOURS[variant.first],
        None if game.start == variant.start else fen(variant, game.start),
        comments=game.comments,
        setups={ply: fen(variant, position) for ply, position in game.setups.items()},
        variant=variant,
        international=international,
    )


def read_pdn(source: str | os.PathLike[str], variant: Variant | None = None) -> PdnFile:
    """The games of a PDN: of the file if `source` is a path, of the text if it is a str.

    A game's variant is the one that its tag Variant or GameType tells, else `variant`, else the first of
    VARIANTS, which is noted as a problem. Nothing stops the reading: a game whose variant or start position is
    unknown is left out, one with a move that cannot be read ends before it, or goes on where a position is set
    up. Variations, NAGs and move strengths are skipped. A file is UTF-8, or Latin-1 where it cannot be UTF-8.
    Raises OSError if the file cannot be opened.
    """
    if isinstance(source, str):
        file, text = "<text>", source.removeprefix("\ufeff")
    else:
        file, data = os.fspath(source), Path(source).read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a")

    games: list[PdnGame] = []
    problems: list[PdnProblem] = []
    default, is_told = next(iter(VARIANTS.values())), False
    for number, raw in enumerate(_split(text), start=1):
        played = _variant_told(raw.tags, variant)
        if played is None and raw.tags.get("GameType", "").strip():
            known = ", ".join(
                f"{_type_number(row.gametype)} {row.name}" for row in VARIANTS.values() if row.gametype
            )
            message = f"GameType {raw.tags['GameType']!r} is no variant known here; known: {known}"
            problems.append(PdnProblem(file, raw.tag_lines["GameType"], number, 0, message))
            continue
        if played is None and not is_told:
            is_told = True
            message = f"no GameType, and no variant given: read as {default.name}, as are all such games"
            problems.append(PdnProblem(file, raw.line, number, 0, message))
        game, faults = _read_game(raw, played or default, file, number)
        games += [game] if game else []
        problems += faults
    return PdnFile(games, problems)


class _Token(NamedTuple):
    kind: str
    """comment, setup, move, end; word if none of them; fault for what is skipped, tag for what is in the tags."""
    text: str
    line: int


@dataclass
class _Raw:
    """A game cut out of the text."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    tokens: list[_Token] = field(default_factory=list)

    @property
    def has_body(self) -> bool:
        return any(token.kind not in ("comment", "tag") for token in self.tokens)


def _split(text: str) -> Iterator[_Raw]:
    """Cut a text into games: each ends in a result, in `*`, or before a new tag section."""
    raw = _Raw(1)
    line, counted, at, depth = 1, 0, 0, 0
    while word := _WORD.search(text, at):
        at = word.start()
        line, counted = line + text.count("\n", counted, at), at
        if not (raw.tags or raw.tokens):
            raw.line = line
        kind, token = _token(text, at, raw.tags.get("Result", ""))
        at += len(token)
        if kind == "tag":
            if depth:
                raw.tokens.append(_Token("fault", "a variation is not closed", line))
                depth = 0
            name, value = _tag(token)
            if raw.has_body or name == next(iter(raw.tags), None):
                yield raw
                raw = _Raw(line)
            if name in raw.tags:
                raw.tokens.append(_Token("tag", f"the tag {name} is given twice", line))
            raw.tags[name], raw.tag_lines[name] = value, line
        elif kind == "open":
            depth += 1
        elif kind == "close" and depth:
            depth -= 1
        elif depth or kind in ("ignored", "number"):
            pass
        elif kind == "end":
            if raw.tags or raw.has_body:
                raw.tokens.append(_Token(kind, token, line))
                yield raw
                raw = _Raw(line)
        elif kind == "bad_tag":
            raw.tokens.append(_Token("tag", f"{token[:40]!r} is not a tag", line))
        elif kind == "close" or token == "}":
            raw.tokens.append(_Token("fault", f"{token!r} closes nothing", line))
        else:
            raw.tokens.append(_Token("comment" if kind == "unclosed" else kind, token, line))
            if kind == "unclosed":
                raw.tokens.append(_Token("fault", "a comment is not closed", line))
    if raw.tags or raw.has_body:
        yield raw


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
    """Name and value of a tag, the name in its standard spelling."""
    match = _TAG.match(token)
    assert match is not None
    name = _TAG_NAMES.get(match[1].lower(), match[1][0].upper() + match[1][1:])
    return name, re.sub(r'\\(["\\])', r"\1", match[2])


def _variant_told(tags: Mapping[str, str], given: Variant | None) -> Variant | None:
    """The variant of a game with some tags, where `given` is the one to expect."""
    name, gametype = tags.get("Variant", "").strip().lower(), tags.get("GameType", "")
    if given and given.name == name:
        return given
    if name in VARIANTS:
        return VARIANTS[name]
    if given and gametype and _type_number(given.gametype) == _type_number(gametype):
        return given
    return _variant_of_type(gametype) or given


def _variant_of_type(gametype: str) -> Variant | None:
    """The variant with a GameType, or else the first with its number."""
    number = _type_number(gametype)
    rows = [row for row in VARIANTS.values() if number and _type_number(row.gametype) == number]
    return next((row for row in rows if row.gametype == gametype.replace(" ", "")), rows[0] if rows else None)


def _type_number(gametype: str) -> str:
    return gametype.partition(",")[0].strip()


def _read_game(raw: _Raw, variant: Variant, file: str, number: int) -> tuple[PdnGame | None, list[PdnProblem]]:
    """The game and its problems; no game if it has no start position, or nothing that could be read."""
    problems: list[PdnProblem] = []
    moves: list[int] = []
    comments: dict[int, str] = {}
    setups: dict[int, Position] = {}
    stated, ended = _result(raw.tags.get("Result", "")), "*"

    def report(line: int, ply: int, message: str) -> None:
        problem = PdnProblem(file, line, number, ply, message)
        if problem not in problems[-1:]:
            problems.append(problem)

    try:
        start = parse_fen(variant, raw.tags["FEN"]) if raw.tags.get("FEN", "").strip(" ?") else variant.start
    except NotationError as error:
        report(raw.tag_lines["FEN"], 0, str(error))
        return None, problems
    position: Position | None = start
    for kind, text, line in raw.tokens:
        ply = len(moves)
        if kind == "comment":
            words = text[1:].removesuffix("}" if text[0] == "{" else "").split()
            comments[ply] = " ".join([*comments.get(ply, "").split(), *words])
        elif kind in ("tag", "fault"):
            report(line, 0 if kind == "tag" else ply + 1, text)
        elif kind == "end":
            ended = _result(text) or "*"
            if stated and "*" not in (stated, ended) and stated != ended:
                report(line, ply + 1, f"the game ends in {ended}, but its tag Result says {stated}")
                stated = ended = "*"
        elif kind == "setup" or position is not None:
            try:
                if kind == "setup":
                    position = setups[ply] = _set_up(variant, position, text)
                elif position is not None:
                    moves.append(_read_move(variant, position, kind, text))
                    position = apply(variant.constants, position, moves[-1])
            except NotationError as error:
                report(line, ply + 1, str(error))
                position = None
    if not (raw.tags or moves or setups):
        return None, problems
    result = (ended if stated == "*" else stated) or "*"
    start = setups.pop(0, start)
    return PdnGame(variant, start, moves, result, raw.tags, comments, setups, number, problems), problems


def _result(text: str) -> str | None:
    """The result that a text means, `*` if it is empty or unknown; None if it is counted otherwise."""
    return _RESULTS.get(re.sub(r"\s", "", text.replace("½", "1/2")).strip("?") or "*")


def _set_up(variant: Variant, position: Position | None, text: str) -> Position:
    """The position that `/FEN "..."/` sets up; without any pieces (`B::`) it is a null move."""
    setup = re.sub(r'^FEN|"', "", text.strip("/ ")).strip()
    if position is not None and re.fullmatch("[WB]::", setup):
        return position._replace(turn="WB".index(setup[0]))
    return parse_fen(variant, setup)


def _read_move(variant: Variant, position: Position, kind: str, text: str) -> int:
    """The legal move that a word of a PDN means. Raises NotationError if there is none."""
    if kind != "move":
        raise NotationError(f"cannot read {text[:40]!r}")
    if text.lower() == "pass":
        return parse_move(variant, position, "pass")
    squares = [text[:2], text[2:]] if text.isdigit() else re.findall(_SQUARE, text.lower())
    bits = squares_by_name(variant)
    for square in squares:
        if square[0].isalpha() and square not in bits:
            raise NotationError(f"{text!r}: {square} is not a square of {variant.name}")
    separator = "x" if len(squares) > 2 or re.search("[x:×]", text, re.IGNORECASE) else "-"
    numbers = (variant.numbers[bits[square]] if square in bits else int(square) for square in squares)
    plain = separator.join(map(str, numbers))
    try:
        return parse_move(variant, position, plain)
    except NotationError as error:
        raise NotationError(str(error) if plain == text else f"{text!r}: {error}") from None


@lru_cache
def _names(variant: Variant) -> dict[int, str]:
    """The algebraic name of each square by its number."""
    return {number: algebraic(variant, bit) for bit, number in variant.numbers.items()}


def _quoted(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value.replace("\\", "\\\\").replace('"', '\\"'))


def _wrapped(words: Sequence[str], width: int = 80) -> list[str]:
    lines = [""]
    for word in words:
        joined = f"{lines[-1]} {word}".strip()
        if lines == [""] or len(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
