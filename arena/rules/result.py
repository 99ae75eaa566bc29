"""Results: how they are written, and what they are worth. The one place that knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

Result: TypeAlias = Literal["1-0", "1/2-1/2", "0-1"]
"""As PDN writes it, White first."""
Colour: TypeAlias = Literal["white", "black"]

RESULTS: tuple[Result, ...] = get_args(Result)
"""All results: White's win, draw and loss."""
NO_RESULT = "*"
"""What stands in place of a result where a game has none that counts, as in PDN."""
WHITE_POINTS: dict[str, float] = dict(zip(RESULTS, (1.0, 0.5, 0.0), strict=True))
"""White's points by result."""


def points_of(result: str) -> float:
    """White's points: 0, 1/2 or 1. Raises ValueError for what is no result."""
    if result not in WHITE_POINTS:
        raise ValueError(f"{result!r} is no result; choose among {', '.join(RESULTS)}")
    return WHITE_POINTS[result]


def result_of(points: float) -> Result:
    """The result that is worth so many points to White. Raises ValueError for other numbers than 0, 1/2 and 1."""
    for result in RESULTS:
        if WHITE_POINTS[result] == points:
            return result
    raise ValueError(f"no result is worth {points} points")


def pair_points(first: float, second: float) -> float:
    """What a player wins in a pair of games with colours swapped, 0 to 2.

    `first` and `second` are White's points in the two games; the player is White in the first of them.
    """
    return first + 1 - second


def pentanomial(pairs: Iterable[float]) -> list[int]:
    """Counts of pairs by their points (`pair_points`), worst first: [LL, LD, WL + DD, WD, WW]."""
    counts = [0] * 5
    for points in pairs:
        counts[round(2 * points)] += 1
    return counts


def humanised(termination: str) -> str:
    """A termination in words for people: "no_moves" -> "no legal moves"."""
    words = {
        "no_pieces": "all pieces captured",
        "no_moves": "no legal moves",
        "points": "nobody can move",
        "repetition": "position repeated",
        "ending": "endgame draw rule",
        "max_plies": "ply limit reached",
        "time": "out of time",
        "error": "error of a player",
        "withdrawn": "player withdrawn",
        "agreement": "agreed draw",
    }
    return words.get(termination, termination.replace("_", " "))
