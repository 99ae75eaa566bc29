"""A game at the board in words: moves as a person types them, and what is printed of moves, players and ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby, islice

from arena.base import ArenaError
from arena.base.wording import MAX_CHOICES, counted, cut, first_few, joined
from arena.board.game import Thought
from arena.hosting.analysis import Outlook
from arena.rules.game import Game, Outcome
from arena.rules.move_text import paths
from arena.rules.moves import sides
from arena.rules.notation import place, squares_by_name
from arena.rules.position import COLOURS
from players.evaluation.mix import WEAK

_BETWEEN = r"[\s:x×–-]+"
"""The separator between two squares."""
_SQUARE = re.compile(r"[a-l][0-9]{1,2}|[0-9]{1,3}")
_PLACES = re.compile(r"(?=.*[(,])[0-9\s(),:xto-]+")
"""Rows and columns in brackets or with commas, as `(5, 2) to (4, 3)`."""
_MOST_PATHS = 5000
"""Paths of a capture that are looked at."""
_LONGEST = 200
"""Characters of a move that is read."""
_OUTLOOKS = {"win": "+ wins", "draw": "= draws", "loss": "- loses"}


# --- what is typed


def is_like_move(text: str) -> bool:
    """Whether a text looks like a move: it begins with a digit, a bracket or the name of a square."""
    return bool(re.match(r"\s*([0-9(]|[a-l][0-9])", text.lower()))


def read_move(game: Game, text: str) -> int:
    """The legal move that a text means.

    Squares with anything between them: `11-15`, `22x15x8`, `22 15`, `c3-d4`; the first squares of a move are
    enough if no other move has them, and of a capture its origin and some of its squares. Four numbers or more
    with spaces alone between them, each below the number of rows, and pairs in brackets or with commas, are rows
    and columns from 0 at the top left, as White sees the board: `5 2 4 3`, `(5, 2) to (4, 3)`. `pass` where that
    is the move. Raises ArenaError, one line with the legal moves, for a text that means none or several.
    """
    words = text.strip().lower()
    if words and "pass".startswith(words) and list(game.legal_moves) == [0]:
        return 0
    numbers = _by_place(game, words) or _by_number(game, words)
    if not numbers:
        raise ArenaError(f"{cut(text)!r} is no move; {legal_line(game)}")
    with suppress(ValueError):
        return game.move("x".join(map(str, numbers)))
    fitting = [move for move in game.legal_moves if move and _passes(game, move, numbers)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ArenaError(f"{cut(text)!r} can be {joined(list(map(game.text, fitting[:MAX_CHOICES])), 'or')}")
    raise ArenaError(f"{cut(text)!r} is not a legal move; {legal_line(game)}")


def numbered_move(game: Game, text: str) -> int:
    """The legal move of a number, counted from 1 in the order of `legal_moves`. Raises ArenaError beyond them."""
    count, number = len(game.legal_moves), int(text)
    if not 1 <= number <= count:
        raise ArenaError(f"{cut(text)} is not in the list of moves, 1 to {count}; squares are written as 11-15")
    return game.legal_moves[number - 1]


def legal_line(game: Game, *, numbered: bool = False) -> str:
    """The legal moves in a line: `legal moves: 11-15, 11-16`, `you must capture: 22x15`, `the only move: pass`.

    Where they are `numbered`, each has the number that `numbered_move` takes.
    """
    if not game.legal_moves:
        return "the game is over"
    only = "the only move" if len(game.legal_moves) == 1 else "legal moves"
    texts = [f"{number}) {text}" if numbered else text for number, text in enumerate(game.legal_texts, start=1)]
    return f"{'you must capture' if must_capture(game) else only}: {first_few(texts, MAX_CHOICES)}"


def must_capture(game: Game) -> bool:
    """Whether the legal moves are captures."""
    _, other = sides(game.position)
    return any(move & other for move in game.legal_moves)


def _by_place(game: Game, words: str) -> list[int]:
    """The squares of rows and columns; none if the words are something else."""
    variant = game.variant
    numbers = [int(number) for number in re.findall("[0-9]+", words[:_LONGEST])]
    is_spaced = re.fullmatch(r"[0-9\s]+", words) and len(numbers) >= 4 and max(numbers) < variant.rules.rows
    if not (_PLACES.fullmatch(words) or (is_spaced and len(numbers) % 2 == 0)):
        return []
    if len(numbers) % 2:
        raise ArenaError(f"{cut(words)!r} is not rows and columns in pairs, as 5 2 4 3 is")
    squares = {place(variant, bit)[::-1]: number for number, bit in enumerate(variant.bits, start=1)}
    places = list(zip(numbers[::2], numbers[1::2], strict=True))
    for row, column in places:
        if (row, column) not in squares:
            raise ArenaError(f"row {row}, column {column} is not a square for pieces")
    return [squares[at] for at in places]


def _by_number(game: Game, words: str) -> list[int]:
    """The squares of numbers and names; none if the words are something else."""
    named = squares_by_name(game.variant)
    numbers = []
    for square in re.split(_BETWEEN, re.sub(f"{_BETWEEN}$", "", words[:_LONGEST])):
        if not _SQUARE.fullmatch(square):
            return []
        if square[0].isalpha() and square not in named:
            raise ArenaError(f"{square} is not a square for pieces")
        numbers.append(game.variant.numbers[named[square]] if square in named else int(square))
    return numbers


def _passes(game: Game, move: int, numbers: Sequence[int]) -> bool:
    """Whether a move starts on the first number and passes over the others in their order."""
    squares = game.squares(move)
    ways = islice(paths(game.variant, game.position, move), _MOST_PATHS)
    for way in ((squares.origin, squares.target), *ways):
        rest = iter(way)
        if way[0] == numbers[0] and all(number in rest for number in numbers):
            return True
    return False


# --- what is printed


def seen_text(thought: Thought) -> str:
    """What a player saw, from its own view, and counted: `score +0.25 men, depth 6, deepest ply 9, ...`."""
    is_number = thought.score and not thought.choice.plies_to_win
    score = f"score {thought.score}{' men' if thought.man_value else ''}" if is_number else thought.score
    return ", ".join(filter(None, [score, counts_text(thought)]))


def counts_text(thought: Thought) -> str:
    """What a player counted: `depth 6, deepest ply 9, 1,234 nodes, 13 cutoffs (7 max, 6 min), 0.012 s`.

    Behind it the formation, if it was assessed again before this move.
    """
    choice = thought.choice
    most, least = choice.cutoffs_max, choice.cutoffs_min
    assessed = (choice.extra or {}).get("assessed")
    parts = (
        f"depth {choice.depth}" if choice.depth else "",
        f"deepest ply {choice.deepest}" if choice.deepest else "",
        f"{choice.nodes:,} nodes" if choice.nodes else "",
        f"{most + least:,} cutoffs ({most:,} max, {least:,} min)" if most or least else "",
        f"{thought.seconds:.3f} s",
        f"formation {'weak' if assessed == WEAK else 'sound'}" if assessed else "",
    )
    return ", ".join(filter(None, parts))


def ending_text(outcome: Outcome) -> str:
    """Who won and why: `White wins: no legal moves`, `White wins by 9 points to 7: the points decide`."""
    by = f" by {counted(max(outcome.points), 'point')} to {min(outcome.points)}" if outcome.points else ""
    who = "Draw" if outcome.winner is None else f"{COLOURS[outcome.winner].capitalize()} wins{by}"
    return f"{who}: {'the points decide' if outcome.points else outcome.termination.words}"


def pass_text(turn: int) -> str:
    """Why a colour passes: `White has no move and passes`."""
    return f"{COLOURS[turn].capitalize()} has no move and passes"


def outlook_lines(outlooks: Iterable[Outlook]) -> list[str]:
    """List moves by what they certainly come to, in plies: `+ wins: 1-5 in 29, 1-6 in 33`, `= draws: 10-14`."""
    return [
        f"{_OUTLOOKS[known]}: {', '.join(map(_outlook, group))}"
        for known, group in groupby(outlooks, lambda outlook: outlook.known)
        if known
    ]


def _outlook(outlook: Outlook) -> str:
    return f"{outlook.text} in {abs(outlook.plies_to_win)}" if outlook.plies_to_win else outlook.text
