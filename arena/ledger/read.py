"""A run read back from its ledger: the typed experiment, and its games, moves and searches as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.damage import META, Damage
from arena.ledger.grades import CURRENT, GRADE_COLUMNS, GRADED_COLUMNS, GRADES, JUDGES, ORDER, TABLES_JUDGE
from arena.ledger.grades import unpacked as unpacked_grades
from arena.ledger.ledger import (
    ANSWERS,
    COLUMNS,
    DISQUALIFIED,
    FILE,
    GAME_COLUMNS,
    GAMES,
    PROBES,
    TABLES,
    Facts,
    experiment_and_facts,
)
from arena.ledger.manifest import Manifest, parsed
from arena.ledger.public import Pseudonyms
from arena.ledger.record import ANSWER_COLUMNS, PROBE_COLUMNS, named_of, unpacked
from arena.ledger.store import COMPLETE, REMEDY, StoreError, check_columns, check_tables, is_new, reading
from arena.rules.custom import build_variant
from arena.rules.result import MOST_MEN, NO_RESULT

GAMES_AT_ONCE = 5000
"""Games that are read at once."""
PLIES_AT_ONCE = 250_000
"""Plies of a part of the moves, about."""
EXTRA_COLUMNS = ("game", "ply", "player", "extra", "value")
_WHOLE_OR_NONE = ("white_points", "black_points", "verdict_plies", "worker")
PHASES = ("opening", "middle", "ending")
"""Phases of a game: more than two thirds of the start's pieces on the board, more than one third, the rest."""


class RunData(NamedTuple):
    """The contents of a ledger, of a run finished or not."""

    experiment: Experiment
    facts: Facts
    order: list[tuple[str, Mapping[str, float | str]]] | None
    """The final order of its format, best first: players with what places rest on, by columns of `order.csv`.

    None while the run is not complete.
    """
    games: pd.DataFrame
    """A row per finished game that counts, in the schedule's order: GAME_COLUMNS, `began` as a time in UTC."""
    moves: Callable[..., Iterator[pd.DataFrame]]
    """Reads a row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS.

    With an argument, a `pd.Index` of games by their numbers, it reads only the moves of those.

    After `pieces` stands `phase`, one of PHASES; after `score` stands `score_men`, the score in men by what the
    manifest says that a man is worth to the player, missing for certain wins and where that is not known. Where no
    win or loss is certain, `wins_in` is missing. Numbers of the players' own follow, as `extra_tokens`.

    In parts, at least one, that hold whole games, in their order.
    """
    probes: pd.DataFrame
    """A row per search of the probe, by position and then in the order of the players: PROBE_COLUMNS."""
    manifest: Manifest | None = None
    """None for a run that was not played by the command line."""
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
    """A row per graded game and judge: the fields of `arena.ledger.grades.GradedGame` but for the grades."""
    judges: Mapping[str, Any] = MappingProxyType({})
    """What is stored of each judge but the tables, by its name: `entry`, `files` (a hash of each)."""
    answers: pd.DataFrame = pd.DataFrame(columns=list(ANSWER_COLUMNS))
    """A row per position of a suite and player, a baseline among these: ANSWER_COLUMNS, by suite and position."""
    extras: pd.DataFrame = pd.DataFrame(columns=list(EXTRA_COLUMNS))
    """A row per number of a player's own that a move has: EXTRA_COLUMNS, `extra` being its name.

    A player that gave up has numbers of the move that it did not make, too.
    """
    pseudonyms: Pseudonyms | None = None
    """Where names were replaced for publication: what stands for whom."""


def read(folder: Path, *, anonymous: bool = False) -> RunData:
    """Read the ledger in a run's folder. Raises StoreError if there is none, or it is damaged or unreadable.

    With `anonymous`, texts have no absolute path, and machines, persons and submissions are numbered instead of
    named: `arena.ledger.public.Pseudonyms`.
    """
    with reading(folder / FILE) as connection:
        connection.execute("BEGIN")
        if is_new(connection):
            raise StoreError(f"{folder / FILE} holds nothing yet")
        damage = Damage(connection)
        check_tables(folder / FILE, connection, (META, *TABLES))
        stored = damage.documents()
        every, numbers = _games(damage.intact(GAMES))
        searches, answers = ([row[:-1] for row in damage.intact(table)] for table in (PROBES, ANSWERS))
        for _ in damage.intact(GRADES):
            pass
        if damage:
            raise StoreError(f"{folder / FILE} is damaged ({damage}); {REMEDY}")
        check_columns(folder / FILE, stored, COLUMNS)
        graded, grades = _graded(connection), _grades(connection)
    pseudonyms = None
    if anonymous:
        pseudonyms = Pseudonyms(experiment_and_facts(stored, folder / FILE)[0], stored, every)
        stored, every = pseudonyms.documents(stored), pseudonyms.games(every)
        searches, answers = pseudonyms.rows(searches, PROBE_COLUMNS), pseudonyms.rows(answers, ANSWER_COLUMNS)
        graded, grades = (it.assign(judge=it["judge"].map(pseudonyms.name)) for it in (graded, grades))
        numbers = [(game, ply, pseudonyms.text(name), value) for game, ply, name, value in numbers]
    experiment, facts = experiment_and_facts(stored, folder / FILE)
    order = [(name, figures) for name, figures in stored[COMPLETE]] if COMPLETE in stored else None
    manifest = parsed(stored, folder / FILE)
    disqualified = tuple(stored.get(DISQUALIFIED, ()))
    void = every["white"].isin(disqualified) | every["black"].isin(disqualified)
    games = every[~void].reset_index(drop=True) if void.any() else every
    void_games = every[void].assign(result=NO_RESULT).reset_index(drop=True)
    listed = [player.name for player in experiment.players]
    place = {name: number for number, name in enumerate(sorted(listed) if anonymous else listed)}
    searches.sort(
        key=lambda row: (row[PROBE_COLUMNS.index("position")], place[row[PROBE_COLUMNS.index("player")]])
    )
    probes = pd.DataFrame(searches, columns=list(PROBE_COLUMNS))
    probes["score"] = pd.array(probes["score"].to_numpy(dtype=float), dtype="Float64")
    probes["wins_in"] = _whole(probes["wins_in"].to_numpy(dtype=np.int64))
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    extras = _extras(numbers, games, names)
    known = _Known(manifest.men if manifest is not None else {}, pieces_at_start(experiment), extras)
    moves = partial(_moves, folder / FILE, games, names, known)
    graded = graded[graded["game"].isin(games["game"])].reset_index(drop=True)
    grades = _of_games(grades, games, names, known.start)
    read = (games, moves, probes, manifest, disqualified, void_games, grades, graded, stored.get(JUDGES, {}))
    return RunData(experiment, facts, order, *read, _answers(answers, disqualified), extras, pseudonyms)


def pieces_at_start(experiment: Experiment) -> int:
    """Pieces on the board at the start of the rules."""
    start = build_variant(experiment.variant).start
    return (start.white | start.black).bit_count()


def _games(rows: Iterator[tuple[Any, ...]]) -> tuple[pd.DataFrame, list[tuple[int, int, str, float]]]:
    """`RunData.games`, those that do not count among them, and the numbers of the players' own.

    Equal texts are one object.
    """
    texts: dict[str | None, int] = {}
    parts: dict[str, list[Any]] = {name: [] for name in GAME_COLUMNS}
    extras: dict[int, bytes] = {}
    while batch := list(islice(rows, GAMES_AT_ONCE)):
        of_batch = dict(zip(GAMES.columns, zip(*batch, strict=True), strict=False))
        extras |= {game: data for game, data in zip(of_batch["game"], of_batch["extras"], strict=True) if data}
        for name in GAME_COLUMNS:
            values = of_batch[name]
            is_text = GAMES.columns[name] == "TEXT"
            numbers = [texts.setdefault(text, len(texts)) for text in values] if is_text else values
            parts[name].append(_numbers(name, numbers))
    every = pd.Series(list(texts)).array
    columns: dict[str, Any] = {}
    for name in GAME_COLUMNS:
        column = pd.concat([pd.Series(_numbers(name, ())), *map(pd.Series, parts.pop(name))], ignore_index=True)
        columns[name] = every.take(column.to_numpy()) if GAMES.columns[name] == "TEXT" else column
    milliseconds = (1000 * columns["began"]).round()
    columns["began"] = pd.to_datetime(milliseconds, unit="ms", utc=True).dt.as_unit("ms")
    return pd.DataFrame(columns), named_of(extras)


def _numbers(name: str, values: Sequence[Any]) -> Any:
    if name in _WHOLE_OR_NONE:
        return pd.array(values, dtype="Int64")
    return np.array(values, {"TEXT": np.int32, "INTEGER": np.int64, "REAL": np.float64}[GAMES.columns[name]])


def _graded(connection: Connection) -> pd.DataFrame:
    """See `RunData.graded`, of all games."""
    names = ", ".join(f"grades.{name}" for name in GRADED_COLUMNS)
    rows = connection.execute(f"SELECT {names} {CURRENT} {ORDER}").fetchall()
    kinds = {"INTEGER": "Int64", "TEXT": "str", "REAL": "float64"}
    frame = pd.DataFrame(rows, columns=list(GRADED_COLUMNS))
    return frame.astype({name: kinds[GRADES.columns[name]] for name in GRADED_COLUMNS})


def _grades(connection: Connection) -> pd.DataFrame:
    """See `RunData.grades`, of all games, without the columns that these have."""
    query = f"SELECT grades.game, judge, endgame_pieces, count, grades {CURRENT} {ORDER}"
    rows = connection.execute(query).fetchall()
    game, judge, pieces, counts, parts = zip(*rows, strict=True) if rows else ((),) * 5
    by_tables = {one: most for one, by, most in zip(game, judge, pieces, strict=True) if by == TABLES_JUDGE}
    theirs = [0 if by == TABLES_JUDGE else by_tables.get(one, 0) for one, by in zip(game, judge, strict=True)]
    each = np.repeat(np.arange(len(rows)), np.array(counts, np.int64))
    found = unpacked_grades(parts, counts)
    of_game = {"game": np.array(game, np.int64)[each], "judge": pd.array(judge, dtype="str").take(each)}
    columns = {name: found[name] for name in found.dtype.names or ()}
    frame: pd.DataFrame = pd.DataFrame(of_game | columns | {"best_move": columns["best_move"].astype("U")})
    frame = frame[found["pieces"] > np.array(theirs, np.int64)[each]]
    erring = frame.pop("erring_moves").replace(0, np.nan)
    frame["chance_errors"] = erring / frame["legal_moves"]
    frame["chance_loss"] = frame.pop("lost_points").where(erring.notna()) / frame["legal_moves"]
    frame = frame.astype({"best_move": "str", "best_plies": "Int64", "played_plies": "Int64"})
    return frame.sort_values(["game", "ply"], kind="stable", ignore_index=True)


def _answers(rows: Any, disqualified: Sequence[str]) -> pd.DataFrame:
    """See `RunData.answers`."""
    found = pd.DataFrame(rows, columns=list(ANSWER_COLUMNS)).astype({"solved": bool})
    return found[~found["player"].isin(disqualified)].sort_values(
        ["suite", "position", "player"], kind="stable", ignore_index=True
    )


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


def _extras(numbers: list[tuple[int, int, str, float]], games: pd.DataFrame, names: pd.Index) -> pd.DataFrame:
    """See `RunData.extras`, from the numbers of all games."""
    found: pd.DataFrame = pd.DataFrame(numbers, columns=["game", "ply", "extra", "value"])
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
        "wins_in": _whole(columns["wins_in"]),
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


def _whole(values: np.ndarray) -> Any:
    return pd.arrays.IntegerArray(values.astype(np.int64), values == 0)


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
