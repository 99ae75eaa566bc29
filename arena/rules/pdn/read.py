"""Games read from the PDN of any program: lenient, with a note of what could not be read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import decoded
from arena.rules.notation import NotationError
from arena.rules.pdn.moves import read_moves
from arena.rules.pdn.rules import GameRules, Guess, guesses, meaning, result_of_tags, rules_of_tags, type_number
from arena.rules.pdn.tokens import RawGame, split
from arena.rules.played import PlayedGame, Problem
from arena.rules.variants import VARIANTS, Variant

_FINDINGS = re.compile(
    r"""(?: (?P<score> [+-][0-9]{1,3}\.[0-9]{1,6} | [0-9]{1,3}\.[0-9]{1,6}(?=/) )
          | (?P<wins> [+-]W[0-9]{1,4} ) | [+-]M[0-9]+ )?
        (?: / (?P<depth> [0-9]{1,4}) )? (?: (?:^|\s) (?P<seconds> [0-9]{1,7}(?:\.[0-9]{1,9})?) s )?
        (?: ,\s (?P<nodes> [0-9]{1,18}) \s nodes )? (?= \s* (?: [,;] | \[% | $) )""",
    re.VERBOSE | re.ASCII,
)
"""The findings of a mover at the head of a comment, in the form of `arena.rules.pdn.write.search_comment`."""


class PdnFile(NamedTuple):
    """The games of a PDN in their order, and the problems of all."""

    games: list[PlayedGame]
    problems: list[Problem]  # one of game 0 is of the whole file


def read_pdn(
    source: str | os.PathLike[str],
    variant: Variant | None = None,
    *,
    only: int | None = None,
) -> PdnFile:
    """Read the games of a PDN: of the file if `source` is a path, of the text if it is a str.

    A game's variant is the one that its tag Variant or GameType names, else `variant`, else the one that reads
    most of the first such games to their end, which is noted as a problem. A game whose variant or start is
    unknown is left out; one with a move that cannot be read ends before it, or goes on where a position is set up.
    A capture that may be several is the one with which the game goes on. Variations, NAGs and move strengths are
    skipped; a comment such as `+0.34/12 0.050s` is an answer, in men from the mover's view. `1-0` is a win of the
    side that moves first by the GameType, else by the variant. With `only` one game alone is read, from 1, or -1
    for the last. Raises OSError.
    """
    file, text, problems = _file(source)
    games: list[PlayedGame] = []
    guess, noted = guesses(text), set[Guess]()

    def read(number: int, raw: RawGame) -> None:
        rules = rules_of_tags(raw.tags, variant)
        if rules is None:
            guessed = guess(raw)
            rules = guessed.rules
            if guessed not in noted:
                problems.append(Problem(file, raw.line, number, 0, str(guessed)))
            noted.add(guessed)
        game, faults = _played(raw, rules, file, number)
        games.extend([game] if game else [])
        problems.extend(faults)

    count, last = 0, None
    for count, last in enumerate(split(text), start=1):
        if only in (None, count):
            read(count, last)
    if only == -1 and last is not None:
        read(count, last)
    for game in games:
        vars(game)["count"] = count  # which is known at the end
    return PdnFile(games, problems)


def _file(source: str | os.PathLike[str]) -> tuple[str, str, list[Problem]]:
    """Name, text and problems of a source."""
    file, text, caution = "<text>", "", ""
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
    else:
        file, (text, caution) = os.fspath(source), decoded(Path(source).read_bytes())
    problems = [Problem(file, 1, 0, 0, caution)] if caution else []
    return file, text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a"), problems


def _played(raw: RawGame, rules: GameRules, file: str, number: int) -> tuple[PlayedGame | None, list[Problem]]:
    """The game as its rules read it, unless nothing of it can be read, and its problems."""
    if rules.variant is None:
        tag = "Variant" if raw.tags.get("Variant", "").strip() else "GameType"
        types = ", ".join(f"{type_number(row.gametype)} {row.name}".strip() for row in VARIANTS.values())
        message = f"{tag} {raw.tags[tag]!r} is not a variant known here; known: {types}"
        return None, [Problem(file, raw.line_of(tag), number, 0, message)]
    try:
        game = read_moves(raw, rules.variant, file, number)
    except NotationError as error:
        return None, [Problem(file, raw.line_of("FEN"), number, 0, str(error))]
    if not (raw.tags or game.moves or game.start != rules.variant.start):
        return None, game.problems
    stated = raw.tags.get("Result", "")
    result, fault = result_of_tags(stated, raw.end, rules.first)
    if fault and raw.end and meaning(stated):
        at = next(token.at for token in raw.tokens if token.kind == "end")
        game.problems.append(Problem(file, raw.line_at(at), number, len(game.moves) + 1, fault))
    answers = _answers(game.comments, len(game.moves))
    return replace(game, result=result, answers=answers, men=(1.0, 1.0)), game.problems


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
