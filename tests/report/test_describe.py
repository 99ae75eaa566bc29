"""Players in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.report.describe import describe
from players.player import Limit, PlayerSpec

LINEAR = {"linear": {"man": 100, "king": [120, 160.5], "back_row": 6, "mobility": 1, "tempo": 2}}


@pytest.mark.parametrize(
    ("kind", "limit", "options", "words"),
    [
        ("random", {}, {}, "a random legal move"),
        ("greedy", {}, {}, "best move one ply ahead · simple (+7/+5/+3)"),
        ("negamax", {"depth": 6}, {"preset": "pvs"}, "alpha-beta, 6 plies · simple (+7/+5/+3)"),
        ("negamax", {"depth": 1}, {"preset": "full", "evaluation": "a.npz"},
         "alpha-beta (full), 1 ply · network a.npz"),
        ("negamax", {"nodes": 2000}, {"tt": 0, "lmr": "early", "tt_deeper": False, "evaluation": LINEAR},
         "alpha-beta, tt 0, lmr early, no tt deeper, 2,000 nodes · "
         "linear (man 100, king 120/160.5, back row 6, mobility 1 and 1 more)"),
        ("mcts", {"seconds": 0.05}, {}, "Monte-Carlo tree search, 50 ms"),
        ("negamax", {"clock": 60.0, "increment": 0.5}, {"evaluation": "/home/me/mine.py:value"},
         "alpha-beta, 1 min for the game and 500 ms a move · mine.py:value"),
        ("cis300", {"depth": 3}, {}, "cis300, level 3"),
        ("engine", {"seconds": 1.0}, {"command": "/opt/scan hub", "folder": "."}, "program scan, 1 s"),
        ("my.py:Mine", {}, {}, "my.py:Mine"),
    ],
)  # fmt: skip
def test_a_player_is_described(kind: str, limit: dict[str, Any], options: dict[str, Any], words: str) -> None:
    assert describe(PlayerSpec("a", kind, Limit(**limit), options)) == words
