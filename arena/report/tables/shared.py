"""The columns that several tables have. One that means something else in a table stands with it."""

from __future__ import annotations

from arena.base.number import percent, signed
from arena.report.tables import units
from arena.report.tables.forms import estimate, to_2
from arena.report.tables.table import Column, Style, with_interval

PLAYER = Column("player", "name of the player", heading="Player", style=Style.NAME)
FAMILY = Column("family", "players that differ only in name and one limit, by their other options")
ELO = with_interval("elo", "rating in the joint fit of all games, 0 at the anchor or the mean", units.ELO)
NODES_PER_MOVE = Column("nodes_per_move", "mean positions entered for a move", units.NODES, "Nodes/move")
SECONDS_PER_MOVE = Column("seconds_per_move",
    "mean processor time of a move, wall time where that is not known of all moves", units.SECONDS,
    "Time/move")  # fmt: skip
BRANCHING_FACTOR = Column("branching_factor",
    "effective branching factor, by which nodes grow with each ply of depth", heading="Branching factor",
    text=to_2, is_wide=True)  # fmt: skip
TIME_USED = Column("time_used",
    "mean `seconds_per_move` of moves that searched, over the limit; of several players the greatest",
    heading="Time used", text=percent, is_wide=True)  # fmt: skip
GAME = Column("game", "number of the game in the schedule, from 1")
PLY = Column("ply", "ply within the game, from 1", units.PLIES)
COLOUR = Column("colour", "white or black")
LEGAL_MOVES = Column("legal_moves", "legal moves to choose from", units.MOVES)
PIECES = Column("pieces", "pieces on the board before the move", units.PIECES)
OPENING = Column("opening", "number of the opening, from 1")
OPENING_FEN = Column("opening_fen", "position after the opening, as FEN")
FEN = Column("fen", "the position, as FEN")
TERMINATION = Column("termination", "why the game ended")
DEPTH = Column("depth", "depth searched in full", units.PLIES)
DEEPEST = Column("deepest", "plies from the root to the deepest position entered", units.PLIES, "Deepest",
    is_wide=True)  # fmt: skip
NODES = Column("nodes", "positions entered", units.NODES)
LEAVES = Column("leaves", "calls of the evaluation", units.LEAVES)
SECONDS = Column("seconds", "wall time of the move or search", units.SECONDS)
CPU_SECONDS = Column("cpu_seconds",
    "processor time of the player; far below the wall time where others used the processor",
    units.SECONDS)  # fmt: skip
SCORE = Column("score", "value that the search gave the position; empty where there is none", units.EVALUATION)
SEARCH = (DEPTH, DEEPEST, NODES, LEAVES, SECONDS, CPU_SECONDS, SCORE)
PLIES_TO_WIN = Column("plies_to_win", "plies to a win that the search holds for certain, less than 0 to a loss",
    units.PLIES)  # fmt: skip
COUNTS = (
    Column("cutoffs_max", "beta cutoffs where the player itself is to move", units.CUTOFFS),
    Column("cutoffs_min", "beta cutoffs where the opponent is to move", units.CUTOFFS),
    Column("cutoffs_first", "beta cutoffs by the first move tried", units.CUTOFFS),
    Column("tt_probes", "lookups in the transposition table", units.LOOKUPS),
    Column("tt_hits", "lookups that found the position", units.LOOKUPS),
)
ERROR = Column("error", "what went wrong with a player, empty if nothing did")
DEPTH_LIMIT = Column("depth_limit", "depth that limits the player; empty without such a limit", units.PLIES)
DECISIONS = Column("decisions", "decisions that the row rests on", units.DECISIONS, "Decisions")
SUITE = Column("suite", "name of the suite")
ELO_DIFFERENCE = with_interval("elo_difference", "Elo minus that of the reference", units.ELO,
    "Elo difference (95 %)", text=estimate(signed))  # fmt: skip
