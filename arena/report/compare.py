"""Two runs, or two files of results, side by side: the same players on a common scale, and what changed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.number import quantity, signed
from arena.ledger.store import StoreError
from arena.ratings.joint import Ratings, rate
from arena.ratings.match import Z95
from arena.ratings.results import ResultsError
from arena.ratings.types import Floats
from arena.report.run import Run, load
from arena.report.sources import read_results
from arena.rules.result import Colour

SIDES = ("a", "b")
"""The first and the second side, as endings of columns."""


class RatedSide(NamedTuple):
    """One of the two that are compared: a run, or a file of results."""

    name: str
    ratings: Ratings
    seconds: dict[str, float]
    """Mean seconds per move of each player, known of runs only."""
    run: Run | None = None
    """None for a file of results."""


class Comparison(NamedTuple):
    """What `compare` finds."""

    table: pd.DataFrame
    """A row per player of either: player; elo, error, games and seconds, each ending in _a and _b; difference and
    difference_error, of b less a. Errors are half widths of 95 % intervals, and what is not known is missing."""
    changes: tuple[str, ...]
    """Sentences: what differs by more than its interval, or that nothing does."""
    notes: tuple[str, ...]
    """Sentences: what a reader of the table must know."""


def read_side(path: Path, first: Colour | None = None) -> RatedSide:
    """A run's folder, or a file of results in which *first* moves first. Raises ResultsError."""
    if path.is_dir():
        try:
            run = load(path)
        except StoreError as error:
            raise ResultsError(str(error)) from None
        if not len(run.games):
            raise ResultsError(f"{path}: no game with a result")
        known = run.standings.dropna(subset="seconds_per_move")
        seconds = dict(zip(known["player"], known["seconds_per_move"], strict=True))
        return RatedSide(str(path), run.ratings, seconds, run)
    found = read_results([path], first)
    return RatedSide(str(path), rate(found.games, first=found.first), {})


def compare(a: RatedSide, b: RatedSide) -> Comparison:
    """Set the ratings of both sides side by side.

    Ratings of each are shifted so that the players of both have a mean of 0, together where games connect them on
    both sides. Intervals are of the difference to that mean, and the two are taken as independent.
    """
    played = [side.ratings.table.loc[side.ratings.table["games"] > 0] for side in (a, b)]
    names = list(dict.fromkeys([*played[0]["player"], *played[1]["player"]]))
    columns: dict[str, object] = {"player": names}
    scale = _common_scale(a.ratings, b.ratings, [set(table["player"]) for table in played])
    for end, side, table in zip(SIDES, (a, b), played, strict=True):
        elo, error = _on_scale(side.ratings, scale)
        columns[f"elo_{end}"] = [elo.get(name, np.nan) for name in names]
        columns[f"error_{end}"] = [error.get(name, np.nan) for name in names]
        games = table.set_index("player")["games"]
        columns[f"games_{end}"] = games.reindex(names).astype("Int64").array
        columns[f"seconds_{end}"] = [side.seconds.get(name, np.nan) for name in names]
    result = pd.DataFrame(columns)
    both = result["player"].isin([name for part in scale for name in part])
    result["difference"] = (result["elo_b"] - result["elo_a"]).where(both)
    result["difference_error"] = ((result["error_a"] ** 2 + result["error_b"] ** 2) ** 0.5).where(both)
    return Comparison(result, tuple(_changes(result, a, b)), tuple(_notes((a, b), played, scale)))


def comparison_text(table: pd.DataFrame) -> pd.DataFrame:
    """The table of a comparison with every cell as text for people, "" where there is no value."""

    def estimates(value: str, error: str) -> list[str]:
        rows = zip(table[value], table[error], strict=True)
        return ["" if np.isnan(v) else f"{signed(v)} ± {e:.0f}" for v, e in rows]

    columns = {"Player": table["player"].astype(str).tolist()}
    for end in SIDES:
        columns[f"Elo {end}"] = estimates(f"elo_{end}", f"error_{end}")
    columns["b − a"] = estimates("difference", "difference_error")
    for end in SIDES:
        columns[f"Games {end}"] = ["" if pd.isna(v) else str(v) for v in table[f"games_{end}"]]
    for end in SIDES:
        if table[f"seconds_{end}"].notna().any():
            columns[f"Time/move {end}"] = [quantity(v, "s") for v in table[f"seconds_{end}"]]
    return pd.DataFrame(columns)


def _common_scale(a: Ratings, b: Ratings, played: list[set[str]]) -> list[list[str]]:
    """The players of both, apart where games do not connect them in both; parts of two or more."""
    group = [{name: n for n, members in enumerate(ratings.groups) for name in members} for ratings in (a, b)]
    parts: dict[tuple[int, int], list[str]] = {}
    for name in a.table["player"]:
        if name in played[0] & played[1]:
            parts.setdefault((group[0][name], group[1][name]), []).append(name)
    return [part for part in parts.values() if len(part) > 1]


def _on_scale(ratings: Ratings, scale: list[list[str]]) -> tuple[dict[str, float], dict[str, float]]:
    """Elo and half width of the players that games connect to a part of the scale, each to the part's mean.

    A player that games connect to two parts stands on the scale of the first, unless it is of the other.
    """
    names = ratings.table["player"].tolist()
    values, covariance = ratings.table["elo"].to_numpy(float), ratings.covariance.to_numpy(float)
    elo: dict[str, float] = {}
    error: dict[str, float] = {}
    for part in scale:
        members = next(group for group in ratings.groups if part[0] in group)
        contrast: Floats = np.eye(len(names)) - np.isin(names, part) / len(part)
        shifted = contrast @ values
        spread = Z95 * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", contrast, covariance, contrast), 0))
        for name in members:
            if name not in elo or name in part:
                number = names.index(name)
                elo[name], error[name] = float(shifted[number]), float(spread[number])
    return elo, error


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
    difference = b.ratings.advantage - a.ratings.advantage
    error = float(np.hypot(a.ratings.advantage_error, b.ratings.advantage_error))
    if abs(difference) > error:
        word = "more" if difference > 0 else "less"
        yield f"Moving first is worth {abs(difference):.0f} ± {error:.0f} Elo {word} in {b.name}."


def _notes(sides: Sequence[RatedSide], played: list[pd.DataFrame], scale: list[list[str]]) -> Iterable[str]:
    if len({side.ratings.model for side in sides}) > 1:
        yield "The two are rated by different models, so that their Elo means different things."
    shared = set(played[0]["player"]) & set(played[1]["player"])
    alone = sorted(shared - {name for part in scale for name in part})
    if len(shared) < 2:
        common = "one player" if shared else "no player"
        yield f"Ratings compare only relative to one another, and the two have {common} in common."
    elif alone:
        yield f"Games do not connect {', '.join(alone)} to any other common player in both."
    if len(scale) > 1:
        parts = "; ".join(f"({number}) {', '.join(part)}" for number, part in enumerate(scale, 1))
        yield f"Games do not connect all common players in both; each part has its own mean: {parts}."
