"""The stored tables: games, moves with their positions, and searches of the probe."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pandas as pd

from arena.ratings.repeats import lines
from arena.report.tables.columns import columns
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.table import Column, RunTable
from arena.rules.custom import build_variant
from arena.rules.notation import NotationError, fen
from arena.rules.played import replayed
from arena.rules.variants import Variant


def with_fen(variant: Variant, games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """Moves of whole games with a further column `fen`, the position before the move.

    `games` has game and opening_fen of each of them, `moves` has game and move, in the order of play. Raises
    NotationError for a move that is not legal.
    """
    opening = dict(zip(games["game"], games["opening_fen"], strict=True))
    found: list[str] = []
    for game, texts in moves.groupby("game", sort=False)["move"]:
        played = replayed(variant, str(opening[game]), texts.tolist())
        if played.problems:
            raise NotationError(played.problems[0].message)
        found += [fen(variant, position) for position in played.positions[:-1]]
    return moves.assign(fen=pd.array(found, dtype="str"))


def positions_in_parts(run: RatedRun, games: Collection[int] | None = None) -> Iterator[pd.DataFrame]:
    """The moves of these games, or of all, with the position before each; at least one part."""
    for part in run.data.moves():
        chosen = part if games is None else part[part["game"].isin(list(games))]
        yield with_fen(build_variant(run.experiment.variant), run.games, chosen)


def _all_games(run: RatedRun) -> pd.DataFrame:
    if not len(run.void_games):
        return run.games
    return pd.concat([run.games, run.void_games]).sort_values("game").reset_index(drop=True)


_GAMES = columns(
    "game",
    Column("pair", "number of the pair: two games from one opening with colours swapped"),
    Column("round", "round of the schedule, from 1"),
    Column("white", "player of the white pieces"),
    Column("black", "player of the black pieces"),
    "opening opening_fen",
    Column("result", "who won: white, draw or black"),
    "termination",
    Column("white_points", "White's points, where they decided the game; empty elsewhere", "points"),
    Column("black_points", "Black's points, where they decided the game; empty elsewhere", "points"),
    Column("plies", "plies played after the opening", "plies"),
    Column("verdict", "result that adjudication would have given, of a game that was played on to verify it"),
    Column("verdict_by", "how it would have ended the game"),
    Column("verdict_plies", "plies played before that", "plies"),
    Column("seconds", "wall time of the whole game", "s"),
    Column("cpu_seconds", "processor time of both players' moves", "s"),
    Column("began", "when the game was begun, as ISO 8601; empty, as the next ones, if nobody played it", "UTC"),
    Column("worker", "process that played the game, by its number on the machine"),
    Column("machine", "name of that machine"),
    "error",
)
_VOID = Column("result", "*, as the game does not count")
_SCORE = Column(
    "score", "value that the search gave the position; empty where there is none", "unit of the evaluation"
)
_COUNTS = "cutoffs_max cutoffs_min cutoffs_first tt_probes tt_hits"
_MOVES = columns(
    "game",
    Column("ply", "ply within the game, from 1", "plies"),
    "player colour",
    Column("move", "the move, in the notation of the rules"),
    "legal_moves",
    Column("pieces", "pieces on the board before the move", "pieces"),
    Column(
        "phase",
        "opening with more than two thirds of the start's pieces on the board, middle with more than one, ending",
    ),
    "depth deepest nodes leaves",
    Column("seconds", "wall time of the move", "s"),
    "cpu_seconds",
    _SCORE,
    Column(
        "score_men",
        "score over what a man is worth to the evaluation; empty for certain wins, and where that is not known",
        "men",
    ),
    "plies_to_win",
    _COUNTS,
    Column("clock", "what the player's clock shows after the move; empty without a clock", "s"),
    Column("overrun", "time beyond the limit; empty without a time limit", "s"),
    Column(
        "pondered_seconds",
        "processor time of the player in its opponent's time before the move; empty unless it has its own process",
        "s",
    ),
)
_EXTRAS = Column("extra_*", "a number of the player's own, as `extra_tokens`; empty where it gave none")
GAMES = RunTable(
    "games",
    "one row per game; the result of a void game is *",
    lambda run: run.data.games,
    _GAMES,
    note="The attribute has only the games that count; those of disqualified players are in `void_games`.",
    always=True,
    parts=lambda run: [_all_games(run)],
)
POSITIONS = RunTable(
    "positions",
    "one row per move with the position before it",
    lambda run: pd.concat(list(positions_in_parts(run)), ignore_index=True),
    (*_MOVES, Column("fen", "the position before the move, as FEN")),
    _EXTRAS,
    written=False,
)
TABLES = (
    GAMES,
    RunTable(
        "void_games",
        "games that do not count, as a player was disqualified that failed in its games",
        lambda run: run.data.void_games,
        tuple(_VOID if column.name == "result" else column for column in _GAMES),
        written=False,
    ),
    RunTable(
        "moves",
        "one row per move",
        lambda run: pd.concat(list(run.data.moves()), ignore_index=True),
        _MOVES,
        _EXTRAS,
        note="All are in memory; `data.moves()` reads them in parts.",
        always=True,
        parts=lambda run: run.data.moves(),
        of_moves=True,
    ),
    POSITIONS,
    RunTable(
        "probes",
        "one row per search to a fixed depth",
        lambda run: run.data.probes,
        columns(
            "player",
            Column("position", "number of the position, from 1"),
            Column("fen", "the position, as FEN"),
            "depth deepest nodes leaves",
            Column("seconds", "wall time of the search", "s"),
            "cpu_seconds",
            _SCORE,
            "plies_to_win",
            _COUNTS,
            "error",
        ),
    ),
)
RATED_GAMES = RunTable(
    "rated_games",
    "the games with what was played as a number, as `arena.ratings.joint.rate` takes them",
    lambda run: run.games.assign(line=lines(run.games, run.survey.hashes)),
    (*_GAMES, Column("line", "what was played, as a number that games of the same opening and moves share")),
    written=False,
)
