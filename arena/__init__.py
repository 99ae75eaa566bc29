"""draughts-arena: tournaments, benchmarks and Elo ratings for checkers and draughts programs.

Users import from here: `from arena import evaluator, kernel, features, Choice, Game, load`. A name is imported
from its home when it is first asked for, so that `import arena` and `arena --help` import nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.board.sides import Opponent
    from arena.hosting.analysis import Analysis
    from arena.play.carry_out import run
    from arena.play.pilot import check
    from arena.report.load import load
    from arena.report.run import Run
    from arena.report.together import rate
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
    from players.player import Choice, Limit, Pause, Player, PlayerSpec, Resign
    from players.table import PLAYERS, build_player

__all__ = [
    "BLACK", "PLAYERS", "VARIANTS", "WHITE", "Analysis", "Board", "Choice", "Encoding", "Game", "Limit",
    "Opponent", "Outcome", "Pause", "Player", "PlayerSpec", "Position", "Resign", "Rules", "Run", "Termination",
    "Variant", "build_player", "check", "divide", "evaluator", "features", "fen", "kernel", "load", "move_text",
    "parse_fen", "parse_move", "perft", "rate", "read_pdn", "run", "write_pdn",
]  # fmt: skip

_NAMES = {
    "arena.board.sides": "Opponent",
    "arena.hosting.analysis": "Analysis",
    "arena.play.pilot": "check",
    "arena.play.carry_out": "run",
    "arena.report.load": "load",
    "arena.report.run": "Run",
    "arena.report.together": "rate",
    "arena.rules.board": "Board",
    "arena.rules.encoding": "Encoding",
    "arena.rules.game": "Game Outcome Termination",
    "arena.rules.jit.kernel": "kernel",
    "arena.rules.move_text": "move_text parse_move",
    "arena.rules.movegen": "divide perft",
    "arena.rules.notation": "fen parse_fen",
    "arena.rules.pdn.read": "read_pdn",
    "arena.rules.pdn.write": "write_pdn",
    "arena.rules.position": "BLACK WHITE Position",
    "arena.rules.rules": "Rules",
    "arena.rules.variants": "VARIANTS Variant",
    "players.evaluation": "features",
    "players.evaluation.evaluator": "evaluator",
    "players.player": "Choice Limit Pause Player PlayerSpec Resign",
    "players.table": "PLAYERS build_player",
}
"""The public names of each module; `features` is a module itself."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    if name == "features":
        return import_module("players.evaluation.features")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOMES))
