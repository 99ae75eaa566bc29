"""Two runs, or two files of results, side by side: the players on a common scale, what changed, equal games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.errors import ArenaError
from arena.base.number import known, quantity, with_error
from arena.base.wording import counted
from arena.ledger.packing import MOVE_COLUMNS
from arena.ledger.record import MEASURED
from arena.ratings.interval import UNKNOWN, Interval
from arena.ratings.joint import Ratings, rate
from arena.report.load import load_run, read_results
from arena.report.run import Run
from arena.report.tables.forms import plain
from arena.report.tables.table import Cell, Grid, Heading, cell, words
from arena.report.tables.views import NAMED
from arena.rules.result import Colour

SIDES = ("a", "b")
"""The first and the second side, as endings of columns."""
_KEY = ["white", "black", "opening_fen", "time"]


class RatedSide(NamedTuple):
    """One of the two that are compared: a run, or a file of results."""

    name: str
    ratings: Ratings
    seconds: dict[str, float]
    """Mean seconds per move of each player, known of runs only."""
    run: Run | None = None
    """None for a file of results."""
    games: pd.DataFrame | None = None
    """Of a file."""
    notes: Sequence[str] = ()
    """Sentences on games of the file that are not counted."""


class Comparison(NamedTuple):
    """The findings of `compare`."""

    table: pd.DataFrame
    """A row per player of either: player; elo, error, games and seconds, each ending in _a and _b; difference and
    difference_error, of b less a. Errors are half widths of 95 % intervals, and what is not known is missing."""
    games: str
    """A sentence on the games that both have; "" if none is known to be the same."""
    changes: tuple[str, ...]
    """Sentences: what differs by more than its interval, or that nothing does; none of equal games."""
    notes: tuple[str, ...]
    """Sentences: what a reader of the table must know."""


def read_side(path: Path, first: Colour | None = None) -> RatedSide:
    """A run's folder, or a file of results, as `read_results` takes it. Raises ArenaError."""
    if path.is_dir():
        run = load_run(path)
        if not len(run.games):
            raise ArenaError(f"{path}: no game with a result")
        timed = run.standings.dropna(subset="seconds_per_move")
        seconds = dict(zip(timed["player"], timed["seconds_per_move"], strict=True))
        return RatedSide(str(path), run.ratings, seconds, run)
    file = read_results([path], first)
    return RatedSide(str(path), rate(file.games, first=file.first), {}, notes=file.notes, games=file.games)


def compare(a: RatedSide, b: RatedSide) -> Comparison:
    """Set the ratings of both sides side by side.

    Ratings of each are shifted so that the players that games connect on both sides have a mean of 0. Intervals
    are of the difference to that mean, and the two are taken as independent, unless they have the same games:
    then no rating differs, and for certain.
    """
    played = [side.ratings.table.loc[side.ratings.table["games"] > 0] for side in (a, b)]
    names = list(dict.fromkeys([*played[0]["player"], *played[1]["player"]]))
    columns: dict[str, object] = {"player": names}
    scale = _common_scale(a.ratings, b.ratings, [set(table["player"]) for table in played])
    for end, side, table in zip(SIDES, (a, b), played, strict=True):
        elo = _on_scale(side.ratings, scale)
        columns[f"elo_{end}"] = [elo.get(name, UNKNOWN).value for name in names]
        columns[f"error_{end}"] = [elo.get(name, UNKNOWN).error for name in names]
        games = table.set_index("player")["games"]
        columns[f"games_{end}"] = games.reindex(names).astype("Int64").array
        columns[f"seconds_{end}"] = [side.seconds.get(name, np.nan) for name in names]
    result = pd.DataFrame(columns)
    both = result["player"].isin(scale)
    result["difference"] = (result["elo_b"] - result["elo_a"]).where(both)
    result["difference_error"] = ((result["error_a"] ** 2 + result["error_b"] ** 2) ** 0.5).where(both)
    is_same, sentence = _same_games(a, b)
    if is_same:
        result["difference_error"] = result["difference_error"].where(~both, 0.0)
    notes = (*a.notes, *b.notes, *_notes(played, scale))
    return Comparison(result, sentence, () if is_same else tuple(_changes(result, a, b)), notes)


def _same_games(a: RatedSide, b: RatedSide) -> tuple[bool, str]:
    """Whether the two have the same games, and a sentence on those that they share."""
    if a.run is not None and b.run is not None:
        same = sameness(a.run, b.run)
        return same.moves == same.games_a == same.games_b, sameness_sentence(same)
    is_same = a.games is not None and b.games is not None and a.games.equals(b.games)
    return is_same, "The two have the same games." if is_same else ""


def comparison_grid(table: pd.DataFrame) -> Grid:
    """The table of a comparison as people read it."""

    def estimates(value: str, error: str) -> list[Cell]:
        rows = zip(table[value], table[error], strict=True)
        return [cell(v, with_error(v, e) if known(v) else "") for v, e in rows]

    columns = [(NAMED, words(table["player"]))]
    columns += [(Heading(f"Elo {end}"), estimates(f"elo_{end}", f"error_{end}")) for end in SIDES]
    columns += [(Heading("b − a"), estimates("difference", "difference_error"))]
    columns += [(Heading(f"Games {end}"), [cell(v, plain(v)) for v in table[f"games_{end}"]]) for end in SIDES]
    for end in SIDES:
        if table[f"seconds_{end}"].notna().any():
            times = [cell(v, quantity(v, "s")) for v in table[f"seconds_{end}"]]
            columns.append((Heading(f"Time/move {end}"), times))
    return Grid.of(columns)


class Sameness(NamedTuple):
    """How many games of two runs are the same, by players, colours, opening and its how-many-th time."""

    games_a: int
    games_b: int
    shared: int
    """Games that both have."""
    moves: int
    """Of these, games with the same moves and the same result."""
    searches: int
    """Of these, games with the same nodes, depths, scores and so on for every move; times may differ."""


def sameness(a: Run, b: Run) -> Sameness:
    """Compare the games of two runs; reads all moves, in parts."""
    tables = [_hashed_games(run) for run in (a, b)]
    both = tables[0].merge(tables[1], on=_KEY, suffixes=("_a", "_b"))
    moves = (both["moves_a"] == both["moves_b"]) & (both["result_a"] == both["result_b"])
    searches = moves & (both["searches_a"] == both["searches_b"])
    return Sameness(len(tables[0]), len(tables[1]), len(both), int(moves.sum()), int(searches.sum()))


def sameness_sentence(same: Sameness) -> str:
    """A sentence on it; "" where no game is in both."""
    if not same.shared:
        return ""
    has_others = not same.shared == same.games_a == same.games_b
    if same.moves < same.shared:
        whole = " of both" if has_others else ""
        return f"{same.moves} of {counted(same.shared, 'game')}{whole} are the same, move for move."
    which = f"the {same.shared} of both" if has_others else f"all {same.shared}"
    if same.searches == same.shared:
        return f"The games are identical: {which} have the same moves, nodes, depths and scores."
    differ = same.shared - same.searches
    return f"The games are identical, {which}, move for move; nodes, depths or scores differ in {differ} of them."


def _common_scale(a: Ratings, b: Ratings, played: list[set[str]]) -> list[str]:
    """The most players of both that games connect on both sides; none if these are fewer than two."""
    common = [name for name in a.table["player"] if name in played[0] & played[1]]
    parts = [[name for name in common if name in {*one} & {*other}] for one in a.groups for other in b.groups]
    scale = max(parts, key=len, default=[])
    return scale if len(scale) > 1 else []


def _on_scale(ratings: Ratings, scale: list[str]) -> dict[str, Interval]:
    """Elo of the players that games connect to those of the scale, relative to their mean."""
    if not scale:
        return {}
    mean = dict.fromkeys(scale, -1 / len(scale))
    members = next(group for group in ratings.groups if scale[0] in group)
    elo = {name: ratings.contrast({**mean, name: mean.get(name, 0.0) + 1}) for name in members}
    return {name: interval for name, interval in elo.items() if interval is not None}


def _changes(table: pd.DataFrame, a: RatedSide, b: RatedSide) -> Iterable[str]:
    compared = table.dropna(subset="difference")
    columns = (compared[column].tolist() for column in ("difference", "difference_error", "player"))
    rows = sorted(zip(*columns, strict=True), key=lambda row: -abs(row[0]))
    beyond = [row for row in rows if abs(row[0]) > row[1]]
    for difference, error, player in beyond:
        word = "stronger" if difference > 0 else "weaker"
        yield f"{player} is {abs(difference):.0f} ± {error:.0f} Elo {word} in {b.name}."
    if beyond:
        yield (
            f"{len(beyond)} of {len(rows)} ratings changed by more than their 95 % interval; "
            "chance alone does that to one in twenty."
        )
    elif rows:
        yield "No player's rating changed by more than its interval."
    first, second = a.ratings.advantage, b.ratings.advantage
    difference, error = second.value - first.value, float(np.hypot(first.error, second.error))
    if abs(difference) > error:
        word = "more" if difference > 0 else "less"
        yield f"Moving first is worth {abs(difference):.0f} ± {error:.0f} Elo {word} in {b.name}."


def _notes(played: list[pd.DataFrame], scale: list[str]) -> Iterable[str]:
    shared = set(played[0]["player"]) & set(played[1]["player"])
    if len(shared) < 2:
        common = "one player" if shared else "no player"
        yield f"Ratings compare only relative to one another, and the two have {common} in common."
    elif apart := sorted(shared - {*scale}):
        yield f"Games do not connect {', '.join(apart)} to the other common players in both."


def _hashed_games(run: Run) -> pd.DataFrame:
    """A row for each game: _KEY, result, and hashes of its moves and of its searches."""
    searches = run.games["game"].map(pd.concat([_search_hashes(part) for part in run.data.moves()])).fillna(0)
    return run.games[[*_KEY, "result"]].assign(moves=run.games["line"], searches=searches)


def _search_hashes(moves: pd.DataFrame) -> pd.Series:
    """A 64-bit hash by game of all that is recorded of its moves but times."""
    rows = moves["ply"].to_numpy(dtype=np.uint64)
    for name, _ in MOVE_COLUMNS:
        if name in moves and name not in MEASURED:
            values = moves[name].to_numpy(dtype=float, na_value=np.nan)
            rows = pd.util.hash_array(rows + pd.util.hash_array(values))
    return pd.Series(rows).groupby(moves["game"].to_numpy(dtype=np.int64)).sum()
