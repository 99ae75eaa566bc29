"""Games read from the PDN of any program: lenient, with a note of what could not be read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import decoded
from arena.rules.move_text import fitting_moves, not_legal, parse_move
from arena.rules.movegen import apply, legal_moves
from arena.rules.notation import NO_RUNS, NotationError, off_board, parse_fen, parse_start, squares_by_name
from arena.rules.pdn.result import first_mover, result_of_tags
from arena.rules.pdn.tokens import SQUARE, RawGame, Token, meaning, split, type_number, variant_of_tags
from arena.rules.played import PlayedGame, Problem
from arena.rules.position import Position
from arena.rules.result import Colour
from arena.rules.variants import VARIANTS, Variant

_SQUARES_OF_MOVE = re.compile(r"\b[0-9]{1,2}(?=[-x:×][0-9])|(?<=[0-9][-x:×])[0-9]{1,2}\b", re.ASCII)
_NUMBER = re.compile("[0-9]{1,2}", re.ASCII)
_NAMED = re.compile(r"\b([a-l])([0-9]{1,2})[-x:×]?([a-l])([0-9]{1,2})", re.ASCII)
_COLON = re.compile("(?<=[0-9]):(?=[a-l0-9])", re.ASCII)
_MOST_LINES = 64
"""Ways to read a game that are followed where captures may be several."""
_FINDINGS = re.compile(
    r"""(?: (?P<score> [+-][0-9]{1,3}\.[0-9]{1,6} | [0-9]{1,3}\.[0-9]{1,6}(?=/) )
          | (?P<wins> [+-]W[0-9]{1,4} ) | [+-]M[0-9]+ )?
        (?: / (?P<depth> [0-9]{1,4}) )? (?: (?:^|\s) (?P<seconds> [0-9]{1,7}(?:\.[0-9]{1,9})?) s )?
        (?: ,\s (?P<nodes> [0-9]{1,18}) \s nodes )? (?= \s* (?: [,;] | $) )""",
    re.VERBOSE | re.ASCII,
)
"""The findings of a mover at the head of a comment, in the form of `arena.rules.pdn.write.search_comment`."""


class PdnFile(NamedTuple):
    """The games of a PDN in their order, and the problems of all."""

    games: list[PlayedGame]
    problems: list[Problem]
    """One of game 0 is of the whole file."""


def read_pdn(
    source: str | os.PathLike[str],
    variant: Variant | None = None,
    *,
    only: int | None = None,
) -> PdnFile:
    """Read the games of a PDN: of the file if `source` is a path, of the text if it is a str.

    A game's variant is the one that its tag Variant or GameType names, else `variant`, else by its squares
    English, Russian or international draughts, which is noted as a problem. Nothing stops the reading: a game
    whose variant or start position is unknown is left out, one with a move that cannot be read ends before it, or
    goes on where a position is set up. A capture that may be several is the one with which the game goes on, if
    there is only one. Variations, NAGs and move strengths are skipped; a comment such as `+0.34/12 0.050s` is an
    answer, too, in men from the mover's view. A file that is read as Latin-1 is noted as a problem. With `only`
    that game alone is read, counted from 1, or the last one for -1, which is much faster. `1-0` is a win of the
    side that moves first by a game's tags, else by `variant`, else by its first move.

    Raises OSError if the file cannot be opened.
    """
    file, text, problems = _file(source)
    raws: Iterable[tuple[int, RawGame]] = enumerate(split(text), start=1)
    count = 0
    if only is not None:
        raws = list(raws)
        count = len(raws)
        raws = raws[(only if only > 0 else count) - 1 :][:1]
    games: list[PlayedGame] = []
    noted: set[str] = set()
    for number, raw in raws:
        count = max(count, number)
        played = variant_of_tags(raw.tags, variant)
        said = [tag for tag in ("Variant", "GameType") if raw.tags.get(tag, "").strip()]
        if played is None and said:
            types = ", ".join(f"{type_number(row.gametype)} {row.name}".strip() for row in VARIANTS.values())
            message = f"{said[0]} {raw.tags[said[0]]!r} is not a variant known here; known: {types}"
            problems.append(Problem(file, raw.line_of(said[0]), number, 0, message))
            continue
        if played is None:
            played = _by_squares(raw)
            if played.name not in noted:
                note = (
                    f"no GameType, and no --variant: read as {played.name} by its squares, as are all such games"
                )
                problems.append(Problem(file, raw.line, number, 0, note))
            noted.add(played.name)
        mover = first_mover(raw.tags, *raw.first_move, variant)
        game, faults = _read_game(raw, played, file, number, mover.colour)
        games += [game] if game else []
        problems += faults
    return PdnFile([replace(game, count=count) for game in games], problems)


def _by_squares(raw: RawGame) -> Variant:
    """The variant of a game that does not name it.

    International with squares beyond 32 or h8; Russian with letters, or a colon in captures, which PDN 3.0 gives
    to that game; else English.
    """
    moves, (english, *_) = raw.moves.lower(), VARIANTS.values()
    numbers = _SQUARES_OF_MOVE.findall(moves) + _NUMBER.findall(raw.tags.get("FEN", ""))
    named = _NAMED.findall(moves)
    is_larger = any(max(a, b) > "h" or max(int(c), int(d)) > english.rules.rows for a, c, b, d in named)
    if is_larger or any(int(number) > english.squares for number in numbers):
        return VARIANTS["international"]
    return VARIANTS["russian"] if named or _COLON.search(moves) else english


def _file(source: str | os.PathLike[str]) -> tuple[str, str, list[Problem]]:
    """Name, text and problems of a source."""
    problems = []
    if isinstance(source, str):
        file, text = "<text>", source.removeprefix("\ufeff")
    else:
        file = os.fspath(source)
        text, caution = decoded(Path(source).read_bytes())
        if caution:
            problems.append(Problem(file, 1, 0, 0, caution))
    return file, text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a"), problems


def _read_game(
    raw: RawGame, variant: Variant, file: str, number: int, first: Colour
) -> tuple[PlayedGame | None, list[Problem]]:
    problems: list[Problem] = []
    moves: list[int] = []
    comments: dict[int, str] = {}
    setups: dict[int, Position] = {}

    def report(line: int, ply: int, message: str) -> None:
        problem = Problem(file, line, number, ply, message)
        if problem not in problems[-1:]:
            problems.append(problem)

    fen, stated = raw.tags.get("FEN", ""), raw.tags.get("Result", "")
    try:
        start, runs = parse_start(variant, fen) if fen.strip(" ?") else (variant.start, NO_RUNS)
    except NotationError as error:
        report(raw.line_of("FEN"), 0, str(error))
        return None, problems
    position: Position | None = start
    tokens = [token for token in raw.tokens() if token.kind != "number"]
    end: Token | None = None
    for index, token in enumerate(tokens, start=1):
        kind, text, line, _ = token
        ply = len(moves)
        if kind == "comment":
            comments[ply] = f"{comments.get(ply, '')} {text}".strip()
        elif kind in ("tag", "fault"):
            report(line, 0 if kind == "tag" else ply + 1, text)
        elif kind == "end":
            end = end or token
        elif end:
            report(line, ply + 1, f"{text[:40]!r} behind the result is not read")
            break
        elif kind == "setup" or position is not None:
            try:
                if kind == "setup":
                    position = setups[ply] = _set_up(variant, position, text)
                elif position is not None:
                    moves.append(_read_move(variant, position, kind, text, tokens[index:]))
                    position = apply(variant.rules, position, moves[-1])
            except NotationError as error:
                report(line, ply + 1, str(error))
                position = None
    if not (raw.tags or moves or setups):
        return None, problems
    result, fault = result_of_tags(stated, end.text if end else "", first)
    if fault and end and meaning(stated):
        report(end.line, len(moves) + 1, fault)
    return PlayedGame(
        variant,
        king_runs=NO_RUNS if 0 in setups else runs,
        start=setups.pop(0, start),
        moves=moves,
        result=result,
        tags=raw.tags,
        comments=comments,
        setups=setups,
        number=number,
        problems=problems,
        answers=_answers(comments, len(moves)),
        men=(1.0, 1.0),
    ), problems


def _answers(comments: Mapping[int, str], plies: int) -> dict[str, list[Any]] | None:
    """The findings of the movers by column, a value per ply; None if no comment has any."""
    findings = [_FINDINGS.match(comments.get(ply, "")) for ply in range(1, plies + 1)]
    if not any(match and match[0] for match in findings):
        return None

    def column(name: str, kind: type[float], unknown: float) -> list[Any]:
        texts = (match and match[name] for match in findings)
        return [kind(text.replace("W", "")) if text else unknown for text in texts]

    numbers = {"score": nan, "seconds": nan}
    counts = {"plies_to_win": "wins", "depth": "depth", "nodes": "nodes"}
    return {name: column(name, float, unknown) for name, unknown in numbers.items()} | {
        name: column(group, int, 0) for name, group in counts.items()
    }


def _set_up(variant: Variant, position: Position | None, text: str) -> Position:
    """The position that `/FEN "..."/` sets up; without any pieces (`B::`) it is a null move."""
    setup = re.sub(r'^FEN|"', "", text.strip("/ ")).strip()
    if position is not None and re.fullmatch("[WB]::", setup):
        return position._replace(turn="WB".index(setup[0]))
    return parse_fen(variant, setup)


def _read_move(variant: Variant, position: Position, kind: str, text: str, rest: Sequence[Token]) -> int:
    """The move that a text means, or of several the only one with which the rest of the game goes on."""
    fitting = _fitting(variant, position, kind, text)
    if len(fitting) > 1:
        fitting = _that_go_on(variant, position, fitting, rest)
    if len(fitting) > 1:
        legal = legal_moves(variant.rules, position)
        raise NotationError(not_legal(variant, position, f"{text!r} is ambiguous", legal))
    return fitting[0]


def _that_go_on(variant: Variant, position: Position, moves: Sequence[int], rest: Sequence[Token]) -> list[int]:
    """Of several moves, the ones after which most of the following moves can be played."""
    lines = [(move, apply(variant.rules, position, move)) for move in moves]
    for kind, text, *_ in rest:
        if kind == "setup" or len({move for move, _ in lines}) == 1:
            break
        if kind not in ("move", "word"):
            continue
        longer = []
        for move, reached in lines:
            with suppress(NotationError):
                longer += [
                    (move, apply(variant.rules, reached, reply))
                    for reply in _fitting(variant, reached, kind, text)
                ]
        if not 0 < len(longer) <= _MOST_LINES:
            break
        lines = longer
    return list({move for move, _ in lines})


def _fitting(variant: Variant, position: Position, kind: str, text: str) -> list[int]:
    """The moves that a text may mean, at least one. Raises NotationError."""
    if kind != "move":
        raise NotationError(f"cannot read {text[:40]!r}")
    legal = legal_moves(variant.rules, position)
    if text.lower() == "pass":
        return [parse_move(variant, position, "pass", legal)]
    squares = [text[:2], text[2:]] if text.isdigit() else re.findall(SQUARE, text.lower())
    bits = squares_by_name(variant)
    for square in squares:
        if square[0].isalpha() and square not in bits:
            raise NotationError(f"{text!r}: {square} is not a square of {variant.name}")
    separator = "x" if len(squares) > 2 or re.search("[x:×]", text, re.IGNORECASE) else "-"
    numbers = [variant.numbers[bits[square]] if square in bits else int(square) for square in squares]
    plain = separator.join(map(str, numbers))
    if fitting := fitting_moves(variant, position, plain, legal):
        return fitting
    if max(numbers) > variant.squares:
        raise NotationError(off_board(variant, text, max(numbers)))
    spelt = plain if plain == text else f"{text} ({plain})"
    raise NotationError(not_legal(variant, position, f"{spelt!r} is not legal", legal))
