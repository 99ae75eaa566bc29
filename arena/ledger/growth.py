"""Growth: a run that is played again with more openings or players, or with another file of one player.

A game is known by what makes it: its players with their colours, its opening, and for which time that is played.
So each game of the run finds its number in the schedule of the run as it is wanted now. A game of a player that
is another one by now, by its entry or its files, is to be played again. What results decided cannot grow.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from sqlite3 import Connection, connect
from typing import Any, NamedTuple

from arena.base.wording import first_few, listed
from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.store import StoreError
from arena.ledger.table import CHECKSUM, Table
from arena.ratings.match import SequentialTest
from arena.rules.game import Termination
from arena.rules.result import points_of
from players.identity import changes

KEYS = frozenset({"openings", "players", "format", "until", "games", "exact", "files"})
"""What of a run may change when it grows."""
EARLIER = "earlier-"
"""The beginning of the name, in a run's folder, of the run as it was before games were played again."""
_REMEDY = "give this run another name or --out"
_MAKING = f"{EARLIER}making"
"""The name of such a folder until it is whole."""


class OtherOpenings(StoreError):
    """Refuses a folder whose games are from other openings than those of its run now."""


class Stored(NamedTuple):
    """What is known of a game that is stored."""

    game: int
    white: str
    black: str
    opening: int
    opening_fen: str
    result: str
    termination: str

    @classmethod
    def all_of(cls, connection: Connection) -> Iterator[Stored]:
        """The games of a ledger, in their order."""
        rows = connection.execute(f"SELECT {', '.join(cls._fields)} FROM games ORDER BY game")
        yield from map(cls._make, rows)


class Wanted(NamedTuple):
    """A run as it is stored, or is wanted now."""

    experiment: Experiment
    info: RunInfo


class Growth(NamedTuple):
    """What becomes of the games that are stored."""

    places: Mapping[int, Mapping[str, int]]
    """By number of each game that stays its new number, pair, round and opening."""
    others: tuple[str, ...] = ()
    """The players that are others by now."""
    again: int = 0
    """How many games of theirs are played again."""


def growth(
    folder: Path, before: Wanted, after: Wanted, openings: Sequence[str], games: Sequence[Stored]
) -> Growth:
    """What becomes of the games in a run's folder; `openings` are FENs. Raises StoreError if it cannot grow."""
    if not games:
        return Growth({})
    _check_kind(folder, before.experiment, after.experiment, games)
    names = [spec.name for spec in after.experiment.players]
    old, new = entries_by_name(before.experiment), entries_by_name(after.experiment)
    files, files_now = before.info.files_by, after.info.files_by
    others = tuple(
        name for name in names if name in old and (old[name] != new[name] or files(name) != files_now(name))
    )
    _check_players(folder, before, after, others, games)
    places, again, is_fixed = dict[int, dict[str, int]](), 0, _is_ended_early(after.experiment)
    schedule = _Numbers(after.experiment, openings)
    for stored in games:
        if stored.termination == Termination.DISQUALIFIED:
            continue  # it was not played, and the schedule says again who loses it
        place = schedule.place_of(stored, before.experiment.openings.time_of(stored.opening - 1))
        if place is None or (is_fixed and place["game"] != stored.game):
            raise OtherOpenings(_no_place(folder, stored, openings, after.experiment))
        if {stored.white, stored.black}.isdisjoint(others):
            places[stored.game] = place
        else:
            again += 1
    if again and not places:
        raise StoreError(
            f"{folder} would keep no game, as {listed(others)} changed ({_why(others, before, after)}); put that "
            f"back as it was, or {_REMEDY}"
        )
    return Growth(places, others, again)


class _Numbers:
    """The numbers of the games of a schedule that is known before the first of them."""

    def __init__(self, experiment: Experiment, openings: Sequence[str]) -> None:
        names = [spec.name for spec in experiment.players]
        self._names, pairings = names, experiment.format.pairings(names)
        self._of_pairing = {(names[a], names[b]): place for place, (a, b) in enumerate(pairings)}
        time_of = experiment.openings.time_of
        self._of_opening = {(opening, time_of(number)): number for number, opening in enumerate(openings)}
        self._rounds = experiment.format.all_rounds(names, len(openings))

    def place_of(self, stored: Stored, time: int) -> dict[str, int] | None:
        """The numbers of a game from its opening for this time; None if it is not in the schedule."""
        opening = self._of_opening.get((stored.opening_fen, time))
        pairing = self._of_pairing.get((stored.white, stored.black))
        if pairing is None:
            pairing = self._of_pairing.get((stored.black, stored.white))
        if pairing is None or opening is None:
            return None
        index = self._rounds.index(pairing, opening)
        game = 2 * index + 1 + (self._names[self._rounds[index].first] != stored.white)
        return {"game": game, "pair": index + 1, "round": opening + 1, "opening": opening + 1}


def _check_kind(folder: Path, before: Experiment, after: Experiment, games: Sequence[Stored]) -> None:
    """Raise StoreError for a run whose results decide which games it has, unless more openings go on with it."""
    for experiment in (before, after):
        if not experiment.format.is_known:
            raise StoreError(
                f"{folder} cannot grow, as results decide who meets in a {experiment.format.type}: {_REMEDY}"
            )
    if before.sprt is not None:
        test = SequentialTest(before.sprt.model_dump())
        test.advance({stored.game: points_of(stored.result) for stored in games})
        if test.decided:
            raise StoreError(
                f"{folder} cannot grow, as its sequential test was decided after {test.games} games: {_REMEDY}"
            )
    if _is_ended_early(before) != _is_ended_early(after):
        raise StoreError(f"{folder} cannot get or lose 'until', which decides its games: {_REMEDY}")
    if before.until is not None and after.until is not None and after.until.error > before.until.error:
        raise StoreError(
            f"{folder} cannot end earlier, at ± {after.until.error:g} Elo, than it did, at "
            f"± {before.until.error:g}: {_REMEDY}"
        )


def _is_ended_early(experiment: Experiment) -> bool:
    """Whether results decide how many games there are."""
    return experiment.sprt is not None or experiment.until is not None


def _check_players(
    folder: Path, before: Wanted, after: Wanted, others: Sequence[str], games: Sequence[Stored]
) -> None:
    """Raise StoreError if players are missing, or there are new ones where all results decide when it ends."""
    old, new = ([spec.name for spec in run.experiment.players] for run in (before, after))
    have_played = {name for game in games for name in (game.white, game.black)}
    if missing := [name for name in old if name not in new and name in have_played]:
        raise StoreError(f"{folder} has games of {first_few(missing, 3)}, who take no part any more: {_REMEDY}")
    if _is_ended_early(after.experiment) and (old != new or others):
        raise StoreError(
            f"{folder} cannot get other players, as the results of all decide when it ends: {_REMEDY}"
        )


def entries_by_name(experiment: Experiment) -> dict[str, Any]:
    """The entries of the players of an experiment as JSON types, by name."""
    return {entry["name"]: entry for entry in experiment.as_dict()["players"]}


def _why(others: Sequence[str], before: Wanted, after: Wanted) -> str:
    """What of these players has changed: their files with hashes, or else their entries."""
    files = [line for name in others for line in changes(before.info.files_by(name), after.info.files_by(name))]
    return first_few(list(dict.fromkeys(files)), 2) or "changed: players"


def _no_place(folder: Path, stored: Stored, openings: Sequence[str], experiment: Experiment) -> str:
    """Why a game has no place in the schedule, or has another one that it may not have."""
    if stored.opening_fen in openings and not _is_ended_early(experiment):
        meeting = f"{stored.white} and {stored.black} would meet less often, without game {stored.game}"
        return f"{folder} cannot shrink: {meeting}; {_REMEDY}"
    return (
        f"{folder} has games from other openings (that of game {stored.game} is not number {stored.opening} of "
        f"the {len(openings)} now): put them back as they were, or {_REMEDY}"
    )


def keep_earlier(folder: Path, ledger: str, beside: Sequence[str]) -> Path:
    """Copy a run, its `ledger` as it is stored, and more files into a new folder in its own; its path."""
    kept = next(path for number in count(1) if not (path := folder / f"{EARLIER}{number}").exists())
    making = folder / _MAKING
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    with closing(connect(folder / ledger)) as stored, closing(connect(making / ledger)) as copy:
        stored.backup(copy)
    for name in beside:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, making / name)
    making.rename(kept)
    return kept


def renumber(connection: Connection, games: Table, grades: Table, places: Mapping[int, Mapping[str, int]]) -> None:
    """Give the games of a ledger, and their grades, their new numbers; those without a place are deleted.

    A game that moves has a number below 0 until all have moved.
    """
    marks: dict[tuple[int, int], int] = {}
    """The new checksum of a game by its old number and checksum, which its grades name."""

    def change(table: Table, key: str, values: tuple[int | str, ...], numbers: Mapping[str, Any] | None) -> None:
        """Give a row new numbers; without any it is deleted."""
        names = (*table.columns, CHECKSUM)
        old = dict(zip(names, connection.execute(f"{table.query} WHERE {key}", values).fetchone(), strict=True))
        new: dict[str, Any] = {}
        if numbers:
            row = table.stored([numbers.get(name, old[name]) for name in table.columns])
            new = dict(zip(names, row, strict=True))
        if new != old:
            connection.execute(f"DELETE FROM {table.name} WHERE {key}", values)
        if new and new != old:
            connection.execute(f"INSERT {table.insertion}", (*{**new, "game": -new["game"]}.values(),))
        if new and table is games:
            marks[old["game"], old[CHECKSUM]] = new[CHECKSUM]

    for (number,) in connection.execute("SELECT game FROM games").fetchall():
        change(games, "game = ?", (number,), places.get(number))
    for number, judge, graded in connection.execute("SELECT game, judge, graded FROM grades").fetchall():
        mark = marks.get((number, graded))
        numbers = None if mark is None else {"game": places[number]["game"], "graded": mark}
        change(grades, "game = ? AND judge = ?", (number, judge), numbers)
    for table in (games, grades):
        connection.execute(f"UPDATE {table.name} SET game = -game WHERE game < 0")
