"""The columns that several tables have. One that means something else in a table stands with it."""

from __future__ import annotations

from arena.base.number import percent, signed
from arena.report.tables import units
from arena.report.tables.forms import estimate, to_2
from arena.report.tables.table import Column, Style, with_interval

PLAYER = Column("player", "name of the player", heading="Player", style=Style.NAME)
FAMILY = Column("family", "players that differ only in name and one limit, by their other options")
ELO = with_interval(
    "elo",
    "rating in the joint fit of all games, 0 at the anchor, or at the mean weighted by information",
    units.ELO,
)
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
DEEPEST = Column("deepest", "plies from the root to the deepest position entered", units.PLIES, "Deepest",
    is_wide=True)  # fmt: skip
DEPTH_LIMIT = Column("depth_limit", "depth that limits the player; empty without such a limit", units.PLIES)
DECISIONS = Column("decisions", "decisions that the row rests on", units.DECISIONS, "Decisions")
ELO_DIFFERENCE = with_interval("elo_difference", "Elo minus that of the reference", units.ELO,
    "Elo difference (95 %)", text=estimate(signed))  # fmt: skip
