"""Tables that a report takes as they are stored: games, moves, searches, answers."""

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
    shared.OPENING, shared.OPENING_FEN,
    Column("result", "who won: white, draw or black; * in the file for a game of a player that is withdrawn"),
    shared.TERMINATION,
    Column("white_points", "White's points, where they decided the game; empty elsewhere", units.POINTS),
    Column("black_points", "Black's points, where they decided the game; empty elsewhere", units.POINTS),
    Column("plies", "plies played after the opening", units.PLIES),
    Column("seconds", "wall time of the whole game", units.SECONDS),
    Column("cpu_seconds", "processor time of both players' moves", units.SECONDS),
    Column("began", "when the game was begun, as ISO 8601", units.UTC),
    Column("worker", "process that played the game, by its number on the machine"),
    Column("machine", "name of that machine"),
    shared.ERROR,
    Column("traceback", "where the player's code raised, if it did"),
    Column("output", "what the player that failed printed last"),
)  # fmt: skip
MOVES = Table.of(
    "moves", shared.GAME, shared.PLY, shared.PLAYER, shared.COLOUR,
    Column("move", "the move, in the notation of the rules"),
    shared.LEGAL_MOVES, shared.PIECES,
    *shared.SEARCH,
    Column("score_men", "score over what a man is worth to the evaluation; empty for certain wins, or if unknown",
        units.MEN),
    shared.PLIES_TO_WIN, *shared.COUNTS,
    Column("clock", "what the player's clock shows after the move; empty without a clock", units.SECONDS),
    Column("overrun", "time beyond the limit; empty without a time limit", units.SECONDS),
    Column("pondered_seconds",
        "processor time in the opponent's time before the move; only of players with a process", units.SECONDS),
    Column("fen", "the position before the move, as FEN; in the file with --fen"),
    others=Column("extra_*", "a number of the player's own, as `extra_tokens`; empty where it gave none"),
)  # fmt: skip
SUITE_ANSWERS = Table.of(
    "suite_answers", shared.SUITE,
    Column("position", "number of the position in its suite, from 1"),
    shared.FEN,
    Column("stratum", "stratum of the position"),
    shared.PLAYER, shared.LEGAL_MOVES,
    Column("best_moves", "moves that solve the position", units.MOVES),
    Column("best", "those moves"),
    Column("move", "the move played, empty where the player failed"),
    Column("solved", "whether it is one of them, played in time"),
    shared.DEPTH, shared.NODES, shared.SECONDS, shared.CPU_SECONDS, shared.ERROR,
)  # fmt: skip
