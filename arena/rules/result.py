"""How games end: results and scores, how they are written and what they are worth, and when a game is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Literal, NamedTuple, TypeAlias, get_args

from arena.rules.position import Position, row_and_column, single_bits
from arena.rules.rules import Rules

Result: TypeAlias = Literal["white", "draw", "black"]  # who won
Colour: TypeAlias = Literal["white", "black"]

RESULTS: tuple[Result, ...] = get_args(Result)  # all results: White's win, draw and loss
NO_RESULT = "*"  # the mark in place of a result where a game has none that counts, as in PDN
WHITE_POINTS: dict[str, float] = dict(zip(RESULTS, (1.0, 0.5, 0.0), strict=True))  # White's points by result
_WHOLE = 999.5  # scores in a player's own unit from which on they are whole numbers
MOST_MEN = 50  # men beyond which a score is a win that its player counts in a way of its own: no board holds more


def points_of(result: str) -> float:
    """White's points: 0, 1/2 or 1. Raises ValueError for an unknown result."""
    if result not in WHITE_POINTS:
        raise ValueError(f"{result!r} is no result; choose among {', '.join(RESULTS)}")
    return WHITE_POINTS[result]


def result_of(points: float) -> Result:
    """The result that is worth `points` points to White. Raises ValueError for other numbers than 0, 1/2 and 1."""
    for result in RESULTS:
        if WHITE_POINTS[result] == points:
            return result
    raise ValueError(f"no result is worth {points} points")


def pentanomial(pairs: Iterable[float]) -> list[int]:
    """Counts of pairs by a player's points in both games, worst first: [LL, LD, WL + DD, WD, WW]."""
    counts = [0] * 5
    for points in pairs:
        counts[round(2 * points)] += 1
    return counts


def result_text(result: str) -> str:
    """A result in words: `White won`, `drawn`; what is no result as it is."""
    return {"white": "White won", "black": "Black won", "draw": "drawn"}.get(result, result)


def points_text(points: tuple[int, int]) -> str:
    """White's and Black's points of a position under rules that count them: `points: White 9, Black 7`."""
    white, black = points
    return f"points: White {white}, Black {black}"


def in_men(score: float | None, plies_to_win: int, man: float | None) -> float | None:
    """A score in men, None for a certain win or loss and where it is not known what a man is worth."""
    if score is None or plies_to_win or not man:
        return None
    return score / man if abs(score / man) <= MOST_MEN else None


def score_text(score: float | None, plies_to_win: int = 0, man: float | None = None) -> str:
    """`+1.25` in men where a man's worth is known, else three digits in the player's unit; `wins in 7` plies,
    `loses in 8`; empty without a score."""
    if plies_to_win:
        return f"{'wins' if plies_to_win > 0 else 'loses'} in {abs(plies_to_win)}"
    if score is None:
        return ""
    if man:
        return f"{round(score / man, 2) + 0.0:+.2f}"
    return f"{score + 0.0:.3g}" if abs(score) < _WHOLE else f"{score:.0f}"


class Ending(NamedTuple):
    """An endgame that is drawn when its balance of pieces has lasted `plies` plies; both sides have a king."""

    plies: int  # the move that brings the balance about is not counted
    least: int
    most: int  # pieces on the board, of both sides
    lone_king: bool = True  # one side has a single king and nothing else
    kings: int = 1
    """The least number of kings of the side that has more, or of each side where there is no lone king."""
    long_diagonal: bool = False  # the lone king stands on the long diagonal
    restarts: bool = False  # a capture starts the count again


class Draws(NamedTuple):
    """A variant's draw rules; 0 and the empty tuple switch a rule off."""

    repetition: int = 0  # occurrences of a position with the same side to move
    no_progress: int = 0  # plies in a row without a capture or a man's move
    no_capture: int = 0  # plies in a row without a capture
    endings: tuple[Ending, ...] = ()


def plies_left(draws: Draws, rules: Rules, position: Position, counts: Sequence[int]) -> float:
    """Plies in which no draw rule but repetition can end a game, whatever is played, or infinity; a win in the
    last of them counts. `counts` are the plies without progress, without a capture, and of each ending."""
    without_progress, without_capture, *lasted = counts
    left = [
        limit - count
        for limit, count in ((draws.no_progress, without_progress), (draws.no_capture, without_capture))
        if limit
    ]
    total = (position.white | position.black).bit_count()
    for ending, count in zip(draws.endings, lasted, strict=True):
        if in_balance(ending, rules, position):
            left.append(ending.plies - count)
        elif total >= ending.least:
            left.append(ending.plies + 1)
    return min(left, default=inf)


def in_balance(ending: Ending, rules: Rules, position: Position) -> bool:
    """Whether a position has the balance of pieces of an ending."""
    total = (position.white | position.black).bit_count()
    if not ending.least <= total <= ending.most:
        return False
    sides = sorted((position.white, position.black), key=int.bit_count)
    kings = [(side & position.kings).bit_count() for side in sides]
    if min(kings) == 0 or kings[1] < ending.kings:
        return False
    if not ending.lone_king:
        return kings[0] >= ending.kings
    lone = sides[0].bit_count() == 1
    return lone and (not ending.long_diagonal or bool(sides[0] & long_diagonal(rules)))


def long_diagonal(rules: Rules) -> int:
    """The diagonal from the bottom left to the top right corner."""
    places = {bit: row_and_column(bit.bit_length() - 1, rules.per_row) for bit in single_bits(rules.board)}
    return sum(bit for bit, (row, column) in places.items() if row + column == rules.rows - 1)
