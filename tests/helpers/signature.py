"""The signature: what searches find within counted limits, a table that changes only when a search does.

The positions are middle games and endings with captures under way, shots, and kings of both kinds. No clock is
read, so every machine prints the same lines.
"""

import random
from collections.abc import Collection, Iterator

from arena.rules.game import Game
from arena.rules.move_text import move_text
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.player import Limit, PlayerSpec
from players.table import build_player

_POSITIONS = (
    ("english", "W:W17,19,20,21,22,23,28,29,32:B2,5,7,8,9,10,12,13,15"),
    ("english", "B:W15,18,19,23,24,26,27,29,31,32:B1,2,4,5,6,8,10,11,12,16"),
    ("english", "B:W18,20,22,23,24,25,30,32:B4,5,6,8,9,10,11,12,13"),
    ("english", "B:WK9,17,18,25,27,28,30,32:B4,5,8,10,13,21"),
    ("english", "B:WK2,K4,8,31:B5,22,K23,25,K29"),
    ("english", "W:WK14,K18,K23:BK27,K32"),
    ("english", "W:W8,11,26:B4,10"),
    ("international", "W:W24,27,31,32,33,41,42,43,44,45,46,47,48,49,50:B2,4,5,6,7,8,9,13,15,16,18,19,21"),
    ("international", "W:W34,35,36,37,38,39,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,8,9,10,13,16,18,24,27"),
    ("international", "B:W25,27,34,35,41,42,43,45,46,47,48,49,50:B1,2,3,4,6,8,9,10,11,13,16,17,18,21,32"),
    ("international", "W:W25,30,35,37,40,45,49,50:B1,6,11,12,13,14,17,18,19,20,27,28"),
    ("international", "B:W15,20,40:B1,6,17,K19,26,27,31,33"),
    ("international", "B:WK3,15,24,50:B5,28,42,K47"),
    ("international", "W:W24,30,K35,38,41:B4,K8"),
    ("russian", "W:W20,21,23,24,25,26,28,29,31,32:B2,3,4,5,7,8,9,11,14,16,22"),
    ("russian", "B:W18,19,20,23,28,29,30,31,32:B1,3,5,6,7,9,11,12,13,14"),
    ("russian", "B:W13,16,17,24,25,29,32:B1,3,5,6,8,9,10,K30"),
    ("russian", "B:W19,20,23,24,32:B1,10,11,12,13,14"),
    ("russian", "W:W12,13,17,25,26,31:B4,5,6,10,14,K32"),
    ("russian", "W:WK4,20:B21,K23"),
)
"""Rule sets and FENs."""
SEARCHES = (
    PlayerSpec("minimax", "negamax", Limit(depth=4), {"preset": "minimax"}),
    PlayerSpec("alphabeta", "negamax", Limit(depth=6), {"preset": "alphabeta"}),
    PlayerSpec("pvs", "negamax", Limit(depth=8), {"preset": "pvs", "tt": 1}),
    PlayerSpec("mtdf", "negamax", Limit(depth=8), {"preset": "mtdf", "tt": 1}),
    PlayerSpec("full", "negamax", Limit(depth=10), {"preset": "full", "tt": 1}),
    PlayerSpec("full by nodes", "negamax", Limit(nodes=20_000), {"preset": "full", "tt": 1}),
    PlayerSpec("full neural", "negamax", Limit(depth=9), {"preset": "full", "tt": 1, "evaluation": "neural"}),
    PlayerSpec("mcts", "mcts", Limit(nodes=500), {"tree": 4}),
    PlayerSpec("hybrid", "hybrid", Limit(nodes=2000), {"tree": 4, "tt": 1}),
)
"""Each is asked once in each position, with empty tables."""
PROGRAMS = (
    PlayerSpec("game3", "game3", Limit(depth=4)),
    PlayerSpec("game3 as printed", "game3", Limit(depth=4), {"as_printed": True}),
    PlayerSpec("cis300", "cis300", Limit(depth=6)),
    PlayerSpec("cis300 as printed", "cis300", Limit(depth=4), {"as_printed": True}),
)
"""The published programs, each asked once in each position of English draughts."""


def signature_lines(names: Collection[str] = ("english", "international", "russian")) -> Iterator[str]:
    """The lines of the table, a CSV: a comment, its header, and a row for each search in each position.

    `names` are the rule sets whose positions are searched.
    """
    yield "# What searches find within limits of depth, nodes or simulations"
    yield "variant,fen,player,value,move,depth,nodes"
    for name, fen in _POSITIONS:
        if name not in names:
            continue
        variant = VARIANTS[name]
        game = Game(variant, parse_fen(variant, fen))
        for spec in (*SEARCHES, *(PROGRAMS if name == "english" else ())):
            choice = build_player(spec, variant).choose(game, spec.limit, random.Random(0))
            assert choice.score is not None
            value = choice.score + 0.0  # a zero without a sign
            move = move_text(variant, game.position, choice.move, game.legal_moves)
            yield f'{name},"{fen}",{spec.name},{value:.6g},{move},{choice.depth},{choice.nodes}'
