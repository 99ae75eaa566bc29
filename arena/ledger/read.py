"""A run read back from its ledger: the typed experiment, and its games, moves and searches as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.contents import contents, whole
from arena.ledger.info import RunInfo
from arena.ledger.ledger import FILE, GAME_COLUMNS, GRADE_COLUMNS, GRADED_COLUMNS, FinalOrder
from arena.ledger.packing import unpacked
from arena.ledger.public import published
from arena.ledger.record import ANSWER_COLUMNS
from arena.ledger.store import StoreError, reading
from arena.rules.custom import build_variant
from arena.rules.position import COLOURS
from arena.rules.result import MOST_MEN, NO_RESULT, Colour

PLIES_AT_ONCE = 250_000
"""Plies of a part of the moves, about."""
EXTRA_COLUMNS = ("game", "ply", "player", "extra", "value")
PHASES = ("opening", "middle", "ending")
"""Phases of a game: more than two thirds of the start's pieces on the board, more than one third, the rest."""


class RunData(NamedTuple):
    """The contents of a ledger, of a run finished or not."""

    experiment: Experiment
    info: RunInfo
    order: FinalOrder | None
    """The final order of its format; None while the run is not complete."""
    games: pd.DataFrame
    """A row per finished game that counts, in the schedule's order: GAME_COLUMNS, `began` as a time in UTC."""
    moves: Callable[..., Iterator[pd.DataFrame]]
    """Reads a row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS.

    With an argument, a `pd.Index` of games by their numbers, it reads only the moves of those.

    After `pieces` stands `phase`, one of PHASES; after `score` stands `score_men`, the score in men by what
    `info` says that a man is worth to the player, missing for certain wins and where that is not known. Where no
    win or loss is certain, `wins_in` is missing. Numbers of the players' own follow, as `extra_tokens`.

    In parts, at least one, that hold whole games, in their order.
    """
    probes: pd.DataFrame
    """A row per search of the probe, by position and then in the order of the players: PROBE_COLUMNS."""
    disqualified: tuple[str, ...] = ()
    """The players of whom no game counts."""
    void_games: pd.DataFrame = pd.DataFrame(columns=list(GAME_COLUMNS))
    """Their games, as `games` but for the result, which is `*`."""
    grades: pd.DataFrame = pd.DataFrame(columns=list(GRADE_COLUMNS))
    """A row per graded decision of these games and judge: GRADE_COLUMNS, in the order of games, plies and judges.

    Values are the mover's. `judge` is "tables" or a player's name; what such a player found of positions that the
    tables have judged is left out, and so are decisions of the tables' positions in which no move can err.
    `best_move` is the played move where none is better. `best` and `played` are the points, 0 to 1, after the best
    and the played move: 0, 0.5 or 1 by tables; by another judge only of what it holds for certain, else missing,
    as they follow from `best_men` and `played_men`, its scores in men, which are missing where a value is certain.
    `chance_errors` is the share of the legal moves that lose value, `chance_loss` the points that a move drawn at
    random would lose, on average: missing for another judge. `best_plies` and `played_plies` are plies from the
    position to the certain end, missing where none is certain.
    """
    graded: pd.DataFrame = pd.DataFrame(columns=list(GRADED_COLUMNS))
    """A row per graded game and judge: the fields of `arena.ledger.record.GradedGame` but for the grades."""
    judges: Mapping[str, Any] = MappingProxyType({})
    """What is stored of each judge but the tables, by its name: `entry`, `files` (a hash of each)."""
    answers: pd.DataFrame = pd.DataFrame(columns=list(ANSWER_COLUMNS))
    """A row per position of a suite and player, a baseline among these: ANSWER_COLUMNS, by suite and position."""
    extras: pd.DataFrame = pd.DataFrame(columns=list(EXTRA_COLUMNS))
    """A row per number of a player's own that a move has: EXTRA_COLUMNS, `extra` being its name.

    A player that gave up has numbers of the move that it did not make, too.
    """
    published: Mapping[str, tuple[str, str]] | None = None
    """Where names were replaced for publication: the other name of each player that has one, and its file."""

    @property
    def first(self) -> Colour:
        """The colour that moves first."""
        return COLOURS[build_variant(self.experiment.variant).first]


def read(folder: Path, *, anonymous: bool = False) -> RunData:
    """Read the ledger in a run's folder. Raises StoreError if there is none, or it is damaged or unreadable.

    With `anonymous`, texts have no absolute path, and machines, persons and submissions are numbered instead of
    named: `arena.ledger.public`.
    """
    found = contents(folder / FILE)
    if anonymous:
        found = published(found)
    out = found.disqualified
    void = found.games["white"].isin(out) | found.games["black"].isin(out)
    games = found.games[~void].reset_index(drop=True) if void.any() else found.games
    players = [player.name for player in found.experiment.players]
    place = {name: number for number, name in enumerate(sorted(players) if anonymous else players)}
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    extras = _extras(found.extras, games, names)
    start = pieces_at_start(found.experiment)
    answers = found.answers[~found.answers["player"].isin(out)]
    return RunData(
        experiment=found.experiment,
        info=found.info,
        order=found.order,
        games=games,
        moves=partial(_moves, folder / FILE, games, names, _Known(found.info.men, start, extras)),
        probes=found.probes.sort_values(
            ["position", "player"],
            key=lambda column: column.map(place) if column.name == "player" else column,
            kind="stable",
            ignore_index=True,
        ),
        disqualified=out,
        void_games=found.games[void].assign(result=NO_RESULT).reset_index(drop=True),
        grades=_of_games(found.grades, games, names, start),
        graded=found.graded[found.graded["game"].isin(games["game"])].reset_index(drop=True),
        judges=found.judges,
        answers=answers.sort_values(["suite", "position", "player"], kind="stable", ignore_index=True),
        extras=extras,
        published=found.published,
    )


def pieces_at_start(experiment: Experiment) -> int:
    """Pieces on the board at the start of the rules."""
    start = build_variant(experiment.variant).start
    return (start.white | start.black).bit_count()


def _of_games(grades: pd.DataFrame, games: pd.DataFrame, names: pd.Index, start: int) -> pd.DataFrame:
    """See `RunData.grades`: with the movers, of these games alone, as `names` has their players."""
    place = pd.Index(games["game"]).get_indexer(grades["game"])
    grades, place = grades[place >= 0].reset_index(drop=True), place[place >= 0]
    black, player = _movers(games, place, grades["ply"].to_numpy(), names)
    return grades.assign(
        player=pd.Categorical.from_codes(player, names),
        colour=pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"])),
        phase=_phase(grades["pieces"].to_numpy(), start),
    )[list(GRADE_COLUMNS)]


def _extras(found: pd.DataFrame, games: pd.DataFrame, names: pd.Index) -> pd.DataFrame:
    """See `RunData.extras`, from the numbers of all games."""
    place = pd.Index(games["game"]).get_indexer(pd.Index(found["game"]))
    found = found[place >= 0].reset_index(drop=True)
    place = place[place >= 0]
    _, player = _movers(games, place, found["ply"].to_numpy(np.int64), names)
    found.insert(2, "player", pd.Series(pd.Categorical.from_codes(player, names)))
    return found


def _movers(
    games: pd.DataFrame, rows: np.ndarray, plies: np.ndarray, names: pd.Index
) -> tuple[np.ndarray, np.ndarray]:
    """Whether Black moves at plies of the games in these rows, and the mover's place among the names."""
    black_first = games["opening_fen"].str.startswith("B").to_numpy(dtype=bool)[rows]
    black = (plies % 2 == 1) == black_first
    white_code, black_code = (names.get_indexer(pd.Index(games[side]))[rows] for side in ("white", "black"))
    return black, np.where(black, black_code, white_code)


class _Known(NamedTuple):
    """What the moves are read with."""

    men: Mapping[str, float | None]
    """By player what a man is worth to it."""
    start: int
    """Pieces at the start."""
    extras: pd.DataFrame
    """See `RunData.extras`."""


def _moves(
    path: Path, games: pd.DataFrame, names: pd.Index, known: _Known, chosen: pd.Index | None = None
) -> Iterator[pd.DataFrame]:
    """See `RunData.moves`. Raises StoreError if the ledger does not hold one of the games any more."""
    games = games if chosen is None else games[games["game"].isin(chosen)]
    part = games["plies"].to_numpy(dtype=np.int64).cumsum() // PLIES_AT_ONCE
    bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(games)]
    with reading(path) as connection:
        for first, last in pairwise(bounds):
            yield _part(path, connection, games.iloc[first:last], names, known)


def _part(path: Path, connection: Connection, games: pd.DataFrame, names: pd.Index, known: _Known) -> pd.DataFrame:
    numbers = games["game"].tolist()
    query = "SELECT game, moves FROM games WHERE game IN (SELECT value FROM json_each(?))"
    stored = dict(connection.execute(query, (json.dumps(numbers),)))
    if not stored.keys() >= set(numbers):
        raise StoreError(f"{path} has lost games while it was read: read it again")
    plies = games["plies"].to_numpy(dtype=np.int64)
    columns = unpacked([stored[number] for number in numbers], plies.tolist())
    game = np.repeat(np.arange(len(games)), plies)
    start = np.cumsum(plies) - plies
    ply = np.arange(len(game)) - np.repeat(start, plies) + 1
    black, player = _movers(games, game, ply, names)
    moves: dict[str, Any] = {
        "game": games["game"].to_numpy(dtype=np.int64)[game],
        "ply": ply,
        "player": pd.Categorical.from_codes(player, names),
        "colour": pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"])),
        **columns,
        "move": _texts(columns["move"]),
        "wins_in": whole(columns["wins_in"]),
    }
    for name in ("score", "cpu_seconds", "clock", "overrun", "pondered_seconds"):
        moves[name] = pd.array(columns[name], dtype="Float64")
    table = pd.DataFrame(moves, copy=False)
    men = np.array([known.men.get(name) or np.nan for name in names], float)
    in_men = _in_men(columns["score"], columns["wins_in"], men[player])
    order = list(table)
    table.insert(order.index("score") + 1, "score_men", in_men)
    table.insert(order.index("pieces") + 1, "phase", _phase(columns["pieces"], known.start))
    extras = known.extras[known.extras["game"].isin(numbers)]
    place = pd.Index(numbers).get_indexer(pd.Index(extras["game"]))
    extras = extras.assign(row=start[place] + extras["ply"].to_numpy(np.int64) - 1)
    extras = extras[extras["ply"].to_numpy(np.int64) <= plies[place]]
    for name in sorted(known.extras["extra"].unique()):
        ours = extras[extras["extra"] == name]
        column = np.full(len(table), np.nan)
        column[ours["row"]] = ours["value"]
        table[f"extra_{name}"] = pd.array(column, dtype="Float64")
    return table


def _in_men(score: np.ndarray, wins_in: np.ndarray, man: np.ndarray) -> Any:
    """Scores in men, missing for certain wins and losses, and where it is not known what a man is worth."""
    values = np.where(wins_in == 0, score / man, np.nan)
    return pd.array(np.where(np.abs(values) <= MOST_MEN, values, np.nan), dtype="Float64")


def _phase(pieces: np.ndarray, start: int) -> Any:
    codes = 2 - (3 * pieces.astype(np.int64) > start).astype(int) - (3 * pieces.astype(np.int64) > 2 * start)
    return pd.Categorical.from_codes(codes, pd.Index(PHASES), ordered=True)


def _texts(found: np.ndarray) -> Any:
    """Texts from their bytes, equal ones being one object."""
    words = np.zeros((len(found), -(-found.itemsize // 8) * 8), np.uint8)
    words[:, : found.itemsize] = found.view(np.uint8).reshape(len(found), found.itemsize)
    code = np.zeros(len(found), np.int64)
    for word in words.view(np.int64).T:
        of_word, values = pd.factorize(word)
        code = pd.factorize(code * len(values) + of_word)[0]
    first = np.zeros(code.max(initial=-1) + 1, np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    texts = pd.array(found[first].astype(str), dtype="str")
    return texts.take(code) if len(texts) else texts
