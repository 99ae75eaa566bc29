"""The units of columns: how their numbers are written into files and for people."""

from __future__ import annotations

from arena.base.number import percent, quantity
from arena.report.tables import forms
from arena.report.tables.table import Unit

ELO = Unit("Elo", 3, forms.elo)
SHARE = Unit("0 to 1", 4, percent)
POINTS = Unit("points", 4, forms.plain)
SECONDS = Unit("s", text=forms.seconds)
NODES = Unit("nodes", text=quantity)
SPEED = Unit("nodes/s", text=quantity)
PLIES = Unit("plies", text=forms.to_0)
PLIES_OR_NODES = Unit("plies or nodes")
GAMES, MOVES, PAIRS, PLAYERS = Unit("games"), Unit("moves"), Unit("pairs"), Unit("players")
ROUNDS = Unit("rounds", text=forms.nonzero)
DECISIONS, POSITIONS, PIECES = Unit("decisions"), Unit("positions"), Unit("pieces")
CUTOFFS, LOOKUPS, LEAVES = Unit("cutoffs"), Unit("lookups"), Unit("leaves")
EVALUATION, MEN = Unit("unit of the evaluation"), Unit("men")
UTC, NATS = Unit("UTC"), Unit("nats")
