"""The games that a page holds: which they are, and what it is told of them, as plain data."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.report.charts.outcomes import humanised
from arena.report.run import Run
from arena.report.tables.surprise import men
from arena.report.viewer.replay import replay
from arena.rules.custom import build_variant
from arena.rules.variants import Variant

CHARACTERS = 1_500_000
"""Characters that games take in a page, at most, unless a number of games is asked for."""
AT_ONCE = 40
"""Games of a block: what a browser unpacks to show one of them."""
_LEAST = 2
"""Characters that a ply takes at least: bounds the moves that are read to fill a page."""
_COLUMNS = ("depth", "nodes")


class Games(NamedTuple):
    """The games inside a page."""

    inside: int
    of: int
    """Games of the run."""
    index: str
    """What the list shows, see `index_of`; packed."""
    blocks: list[str]
    """The moves, AT_ONCE games each, see `game_of`; packed."""


def games_of(run: Run, most: int | None = None, characters: int = CHARACTERS) -> Games:
    """The games of a run that a page holds, the greatest swings first: see `arena.report.tables.surprise`.

    As many as fit into `characters`, or `most` if that is a number.
    """
    table = by_surprise(run.games, run.survey.swings)
    if most is None:
        table = table[table["plies"].cumsum() <= characters / _LEAST]
    else:
        table = table.head(most)
    moves = _moves(run, pd.Index(table["game"]))
    blocks: list[str] = []
    inside = 0
    for first in range(0, len(table), AT_ONCE):
        part = table.iloc[first : first + AT_ONCE]
        block = packed([game_of(*one) for one in _of_games(run, part, moves)])
        characters -= len(block)
        if most is None and characters < 0:
            break
        blocks.append(block)
        inside += len(part)
    return Games(inside, len(run.games), packed(index_of(table.head(inside), run)), blocks)


def by_surprise(games: pd.DataFrame, swings: pd.Series) -> pd.DataFrame:
    """Games with the column `swing`, in men, the greatest first; those without one last, in their order."""
    table = games.assign(swing=games["game"].map(swings))
    return table.sort_values("swing", ascending=False, kind="stable", na_position="last")


def index_of(games: pd.DataFrame, run: Run) -> dict[str, Any]:
    """What the list shows of games, a list a column: players and terminations are numbers of `players` and `ends`.

    `swing` is in hundredths of a man, null where there is none; `error` has the games, by their place, that have one.
    """
    players, ends = pd.Index(run.players), pd.Index(pd.unique(games["termination"]))
    errors = games["error"].astype(str).tolist() if "error" in games else []
    return {
        "players": players.tolist(),
        "ends": [humanised(str(end)) for end in ends],
        "game": games["game"].tolist(),
        "white": players.get_indexer(pd.Index(games["white"])).tolist(),
        "black": players.get_indexer(pd.Index(games["black"])).tolist(),
        "opening": games["opening"].tolist(),
        "result": games["result"].tolist(),
        "end": ends.get_indexer(pd.Index(games["termination"])).tolist(),
        "plies": games["plies"].tolist(),
        "swing": _whole(100 * games["swing"].to_numpy(dtype=float)),
        "error": {place: error for place, error in enumerate(errors) if error},
    }


def game_of(variant: Variant, opening: str, moves: dict[str, list[Any]]) -> dict[str, Any]:
    """What the board shows of a game: its opening's position, and of each ply what changed and what was searched.

    `score` is in hundredths of a man and `wins` in plies, both from the mover's view, `time` in microseconds (three
    digits); null where there is none.
    """
    played = replay(variant, opening, moves.pop("move"))
    text = {"board": played.board, "turn": opening[0], "steps": " ".join(played.steps), "fault": played.fault}
    return text | moves


def packed(data: Any) -> str:
    """Plain data as JSON, deflated, as text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _moves(run: Run, games: pd.Index) -> pd.DataFrame:
    """The moves of some games, as `RunData.moves` has them."""
    if not run.large:
        return run.survey.sample
    return pd.concat([part[part["game"].isin(games)] for part in run.data.moves()], ignore_index=True)


def _of_games(
    run: Run, games: pd.DataFrame, moves: pd.DataFrame
) -> Iterator[tuple[Variant, str, dict[str, list[Any]]]]:
    """The arguments of `game_of`, of each game."""
    variant = build_variant(run.experiment.variant)
    numbers = moves["game"].to_numpy()
    for game, fen in zip(games["game"], games["opening_fen"], strict=True):
        first, last = np.searchsorted(numbers, [game, game + 1])
        yield variant, str(fen), _columns(moves.iloc[first:last])


def _columns(moves: pd.DataFrame) -> dict[str, list[Any]]:
    """What is shown of moves, a list a column: see `game_of`."""
    score = men(moves)
    certain = np.isinf(score)
    return {
        "move": moves["move"].tolist(),
        "score": _whole(np.where(certain, np.nan, 100 * score)),
        "wins": _whole(
            np.where(certain, moves.get("wins_in", moves["score"]).to_numpy(dtype=float, na_value=np.nan), np.nan)
        ),
        "time": _whole(_three_digits(1e6 * moves["seconds"].to_numpy(dtype=float, na_value=np.nan))),
        **{name: moves[name].tolist() for name in _COLUMNS},
    }


def _three_digits(values: np.ndarray) -> np.ndarray:
    size = 10.0 ** np.maximum(np.floor(np.log10(np.maximum(np.abs(values), 1))) - 2, 0)
    return np.rint(values / size) * size


def _whole(values: np.ndarray) -> list[int | None]:
    """Rounded numbers, None for nan."""
    missing = np.isnan(values)
    whole = np.rint(np.where(missing, 0, values)).astype(np.int64).tolist()
    return [None if none else value for value, none in zip(whole, missing.tolist(), strict=True)]
