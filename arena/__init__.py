"""draughts-arena: tournaments, benchmarks and Elo ratings for checkers and draughts programs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.player import Choice, Limit, Player
    from arena.report.run import Run, load
    from arena.rules.game import Game
    from arena.rules.position import BLACK, WHITE, Position
    from arena.rules.variants import VARIANTS

_HOMES = {
    "BLACK": "arena.rules.position",
    "Choice": "arena.player",
    "Game": "arena.rules.game",
    "Limit": "arena.player",
    "Player": "arena.player",
    "Position": "arena.rules.position",
    "Run": "arena.report.run",
    "VARIANTS": "arena.rules.variants",
    "WHITE": "arena.rules.position",
    "load": "arena.report.run",
}
__all__ = ["BLACK", "VARIANTS", "WHITE", "Choice", "Game", "Limit", "Player", "Position", "Run", "load"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `arena --help` imports nothing heavy."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")
