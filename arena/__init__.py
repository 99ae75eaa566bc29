"""draughts-arena: tournaments, benchmarks and Elo ratings for checkers and draughts programs.

Users import from here: `from arena import evaluator, kernel, features, Choice, Game, load`. A name is imported
from its home when it is first asked for, so that `import arena` and `arena --help` import nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.board.sides import Opponent
    from arena.play.runner import run
    from arena.report.load import load
    from arena.report.run import Run
    from arena.rules.board import Board
    from arena.rules.encoding import Encoding
    from arena.rules.game import Game, Outcome, Termination
    from arena.rules.jit.kernel import kernel
    from arena.rules.move_text import move_text, parse_move
    from arena.rules.movegen import divide, perft
    from arena.rules.notation import fen, parse_fen
    from arena.rules.pdn.read import read_pdn
    from arena.rules.pdn.write import write_pdn
    from arena.rules.position import BLACK, WHITE, Position
    from arena.rules.rules import Rules
    from arena.rules.variants import VARIANTS, Variant
    from players.evaluation import features
    from players.evaluation.evaluator import evaluator
    from players.player import Choice, GaveUp, Limit, NotReachable, Player, PlayerSpec
    from players.table import PLAYERS, build_player

_HOMES = {
    "BLACK": "arena.rules.position",
    "Board": "arena.rules.board",
    "Choice": "players.player",
    "Encoding": "arena.rules.encoding",
    "Game": "arena.rules.game",
    "GaveUp": "players.player",
    "Limit": "players.player",
    "NotReachable": "players.player",
    "Opponent": "arena.board.sides",
    "Outcome": "arena.rules.game",
    "PLAYERS": "players.table",
    "Player": "players.player",
    "PlayerSpec": "players.player",
    "Position": "arena.rules.position",
    "Rules": "arena.rules.rules",
    "Run": "arena.report.run",
    "Termination": "arena.rules.game",
    "VARIANTS": "arena.rules.variants",
    "Variant": "arena.rules.variants",
    "WHITE": "arena.rules.position",
    "build_player": "players.table",
    "divide": "arena.rules.movegen",
    "evaluator": "players.evaluation.evaluator",
    "features": "players.evaluation",
    "fen": "arena.rules.notation",
    "kernel": "arena.rules.jit.kernel",
    "load": "arena.report.load",
    "move_text": "arena.rules.move_text",
    "parse_fen": "arena.rules.notation",
    "parse_move": "arena.rules.move_text",
    "perft": "arena.rules.movegen",
    "read_pdn": "arena.rules.pdn.read",
    "run": "arena.play.runner",
    "write_pdn": "arena.rules.pdn.write",
}
"""The module that holds each public name; `features` is a module itself."""

__all__ = [
    "BLACK",
    "PLAYERS",
    "VARIANTS",
    "WHITE",
    "Board",
    "Choice",
    "Encoding",
    "Game",
    "GaveUp",
    "Limit",
    "NotReachable",
    "Opponent",
    "Outcome",
    "Player",
    "PlayerSpec",
    "Position",
    "Rules",
    "Run",
    "Termination",
    "Variant",
    "build_player",
    "divide",
    "evaluator",
    "features",
    "fen",
    "kernel",
    "load",
    "move_text",
    "parse_fen",
    "parse_move",
    "perft",
    "read_pdn",
    "run",
    "write_pdn",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    if name == "features":
        return import_module("players.evaluation.features")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOMES))
