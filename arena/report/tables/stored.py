"""Tables that a report takes as they are stored: games and moves."""

from __future__ import annotations

from arena.report.tables import shared, units
from arena.report.tables.table import Column, Table

GAMES = Table.of(
    "games", shared.GAME,
    Column("id", "short name of the game, which it keeps when the run grows"),
    Column("pair", "number of the pair: two games from one opening with colours swapped"),
    Column("round", "round of the schedule, from 1"),
    Column("white", "player of the white pieces"),
    Column("black", "player of the black pieces"),
    Column("opening", "number of the opening, from 1"),
    Column("opening_fen", "position after the opening, as FEN"),
    Column("result", "who won: white, draw or black; * in the file for a game that does not count"),
    Column("termination", "why the game ended"),
    Column("white_points", "White's points, where they decided the game; empty elsewhere", units.POINTS),
    Column("black_points", "Black's points, where they decided the game; empty elsewhere", units.POINTS),
    Column("plies", "plies played after the opening", units.PLIES),
    Column("seconds", "wall time of the whole game", units.SECONDS),
    Column("cpu_seconds", "processor time of both players' moves", units.SECONDS),
    Column("began", "when the game was begun, as ISO 8601", units.UTC),
    Column("worker", "process that played the game, by its number on the machine"),
    Column("machine", "name of that machine"),
    Column("error", "what went wrong with a player, empty if nothing did"),
    Column("traceback", "where the player's code raised, if it did"),
    Column("output", "what the player that failed printed last"),
)  # fmt: skip
MOVES = Table.of(
    "moves", shared.GAME, shared.PLY, shared.PLAYER, shared.COLOUR,
    Column("move", "the move, in the notation of the rules"),
    Column("legal_moves", "legal moves to choose from", units.MOVES),
    Column("pieces", "pieces on the board before the move", units.PIECES),
    Column("depth", "depth searched in full", units.PLIES),
    shared.DEEPEST,
    Column("nodes", "positions entered", units.NODES),
    Column("leaves", "calls of the evaluation", units.LEAVES),
    Column("seconds", "wall time of the move", units.SECONDS),
    Column("cpu_seconds", "processor time of the player; far below the wall time where others used the processor",
        units.SECONDS),
    Column("score", "value that the search gave the position; empty where there is none", units.EVALUATION),
    Column("score_men", "score over what a man is worth to the evaluation; empty for certain wins, or if unknown",
        units.MEN),
    Column("plies_to_win", "plies to a win that the search holds for certain, less than 0 to a loss", units.PLIES),
    Column("cutoffs_max", "beta cutoffs where the player itself is to move", units.CUTOFFS),
    Column("cutoffs_min", "beta cutoffs where the opponent is to move", units.CUTOFFS),
    Column("cutoffs_first", "beta cutoffs by the first move tried", units.CUTOFFS),
    Column("tt_probes", "lookups in the transposition table", units.LOOKUPS),
    Column("tt_hits", "lookups that found the position", units.LOOKUPS),
    Column("clock", "what the player's clock shows after the move; empty without a clock", units.SECONDS),
    Column("overrun", "time beyond the limit; empty without a time limit", units.SECONDS),
    Column("pondered_seconds",
        "processor time in the opponent's time before the move; only of players with a process", units.SECONDS),
    Column("fen", "the position before the move, as FEN; in the file with --fen"),
    others=Column("extra_*", "a number of the player's own, as `extra_tokens`; empty where it gave none"),
)  # fmt: skip
