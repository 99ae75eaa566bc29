"""How the published program of a rule set showed its board and asked for moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.rules.variants import Variant


class _Program(NamedTuple):
    """The published program of a rule set as a person at its board saw it."""

    numbers_edges: bool = False
    """Whether rows and columns stand at the edges of its board, row 0 on top for a person of either colour."""
    lists_moves: bool = False
    """Whether each turn of a person begins with the numbered list of the legal moves."""
    asks_for_squares: bool = False
    """Whether a move is asked for at two prompts, its start and its end as row and column."""


def program_of(variant: Variant) -> _Program:
    """The published program of a rule set, and of rules made from it."""
    return _PROGRAMS.get(variant.family, _Program())


_PROGRAMS: Mapping[str, _Program] = {
    "game3": _Program(numbers_edges=True, asks_for_squares=True),
    "checkers-ai": _Program(lists_moves=True),
    "cis300": _Program(numbers_edges=True),
    "casual-10x10": _Program(numbers_edges=True),
}
"""Programs by the names of their rule sets."""
