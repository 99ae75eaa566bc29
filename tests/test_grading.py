"""Grades of decisions: how they are stored and read back, and who judges what."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.ledger.grades import GRADE_COLUMNS, Grade, GradedGame
from arena.ledger.ledger import FILE, GAMES, Facts, Ledger
from arena.ledger.read import read
from arena.ledger.store import StoreError
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS
from tests.benchmarks import volume

ENGLISH = VARIANTS["english"]


def reopened(folder: Path, games: int = 12) -> Ledger:
    """The ledger of a made-up run, as the command that made it opens it."""
    start = fen(ENGLISH, ENGLISH.start)
    return Ledger(
        folder, volume._experiment("searching"), Facts("black", ENGLISH.gametype, start, games, True, {})
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a complete run of 12 made-up games."""
    volume.fill(tmp_path, "searching", 12)
    return tmp_path


def drawn_grade(rng: random.Random, ply: int) -> Grade:
    """A grade with any values, by the tables or by a player."""
    known, plies = rng.choice((None, 0.0, 0.5, 1.0)), rng.choice((None, 0, 1, 300))
    men = rng.choice((None, 0.0, -0.001, 31.999, rng.randrange(-9000, 9000) / 1000))
    return Grade(
        ply,
        rng.randrange(2, 25),
        rng.randrange(2, 40),
        rng.choice(("11-15", "1x10x19", "22x15")),
        known,
        rng.choice((None, known)),
        rng.randrange(3),
        rng.randrange(9) / 2,
        plies,
        rng.choice((plies, None)),
        men,
        rng.choice((men, None)),
    )


def read_back(grade: Grade) -> tuple[Any, ...]:
    """What `RunData.grades` has of a grade, from `legal_moves` on."""
    chance: list[float | None] = [None, None]
    if grade.erring_moves:
        chance = [grade.erring_moves / grade.legal_moves, grade.lost_points / grade.legal_moves]
    known = grade.legal_moves, grade.best_move, grade.best, grade.played
    return (*known, *chance, grade.best_plies, grade.played_plies, grade.best_men, grade.played_men)


def values(row: Any) -> tuple[Any, ...]:
    """A row of a table, missing values as None."""
    return tuple(None if pd.isna(value) else value for value in row)


def test_grades_are_read_back_as_they_were_stored(folder: Path) -> None:
    rng = random.Random(1)
    graded = [
        GradedGame(game, judge, 0, tuple(drawn_grade(rng, ply) for ply in sorted(rng.sample(range(1, 40), 20))))
        for game in (3, 1, 7)
        for judge in ("tables", "deep")
    ]
    with reopened(folder) as ledger:
        for each in graded:
            ledger.add_grades(each)
        ledger.add_grades(GradedGame(2, "tables", 4, ()))
    data = read(folder)
    assert data.grades.columns.tolist() == list(GRADE_COLUMNS)
    wanted = {(each.game, each.judge, grade.ply): read_back(grade) for each in graded for grade in each.grades}
    shown = data.grades[[name for name in GRADE_COLUMNS if name not in ("player", "colour", "pieces", "phase")]]
    order = [(row[0], row[2], row[1]) for row in shown.itertuples(index=False)]
    assert dict(zip(order, map(values, shown.iloc[:, 3:].itertuples(index=False)), strict=True)) == wanted
    keys = list(zip(data.grades["game"], data.grades["ply"], strict=True))
    assert keys == sorted(keys)
    moves = next(data.moves()).merge(data.grades, on=["game", "ply"], suffixes=("", "_graded"))
    assert len(moves) > 50
    for name in ("player", "colour"):
        assert moves[name].tolist() == moves[f"{name}_graded"].tolist()


def test_of_a_graded_game_the_decisions_and_the_first_contact_are_kept(folder: Path) -> None:
    with reopened(folder) as ledger:
        ledger.add_grades(GradedGame(5, "tables", 4, (), (3, 2), 31, 0.5))
        ledger.add_grades(GradedGame(4, "tables", 4, (), (1, 0), 30, 1.0, 11))
        ledger.add_grades(GradedGame(4, "deep", 4, (), (9, 8)))
    rows = [values(row) for row in read(folder).graded.itertuples(index=False)]
    assert rows == [
        (4, "tables", 4, 1, 0, 30, 1.0, 11),
        (4, "deep", 4, 9, 8, None, None, None),
        (5, "tables", 4, 3, 2, 31, 0.5, None),
    ]


def test_in_positions_of_the_tables_the_tables_judge(folder: Path) -> None:
    """Also where another judge graded the game before there were tables."""
    grades = tuple(
        Grade(ply, pieces, 3, "11-15", None, None, best_men=1.0, played_men=0.5)
        for ply, pieces in ((1, 5), (2, 4))
    )
    with reopened(folder) as ledger:
        ledger.add_grades(GradedGame(1, "deep", 0, grades))
        ledger.add_grades(GradedGame(2, "deep", 0, grades))
        ledger.add_grades(GradedGame(1, "tables", 4, ()))
    found = read(folder).grades
    assert list(zip(found["game"], found["pieces"], strict=True)) == [(1, 5), (2, 5), (2, 4)]


def test_grades_of_an_earlier_record_of_a_game_do_not_count(folder: Path) -> None:
    one = (Grade(1, 4, 3, "11-15", 1.0, 0.5, 1, 0.5),)
    with reopened(folder) as ledger:
        ledger.add_grades(GradedGame(1, "tables", 4, one))
        ledger.add_grades(GradedGame(2, "tables", 4, one))
        assert ledger.graded("tables", 4) == {1, 2}
        assert ledger.graded("tables", 5) == ledger.graded("deep") == set()
        row = next(iter(ledger.rows("SELECT * FROM games WHERE game = 2")))
        again = [*row[:-1]]
        again[list(GAMES.columns).index("seconds")] += 1
        ledger.insert(GAMES, again, replace=True)
        assert ledger.graded("tables", 4) == {1}
    assert set(read(folder).grades["game"]) == {1}


def test_another_judge_of_the_same_name_takes_the_grades_of_the_first_one_away(folder: Path) -> None:
    with reopened(folder) as ledger:
        ledger.add_judge("deep", {"entry": {"depth": 9}})
        ledger.add_grades(GradedGame(1, "deep", 0, ()))
        ledger.add_judge("deeper", {"entry": {"depth": 10}})
        assert ledger.graded("deep") == {1}
        ledger.add_judge("deep", {"entry": {"depth": 11}})
        assert ledger.graded("deep") == set()
    assert read(folder).judges == {"deep": {"entry": {"depth": 11}}, "deeper": {"entry": {"depth": 10}}}


def test_a_damaged_grade_is_named_and_removed_and_the_run_stays_complete(folder: Path) -> None:
    with reopened(folder) as ledger:
        for game in (1, 2, 3):
            ledger.add_grades(GradedGame(game, "tables", 4, (Grade(1, 4, 3, "11-15", 1.0, 0.5, 1, 0.5),)))
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("UPDATE grades SET white_decisions = 7 WHERE game = 2")
    with pytest.raises(StoreError, match="is damaged"):
        read(folder)
    with reopened(folder) as ledger:
        assert "2 grades are intact" in ledger.repaired
        assert ledger.complete
        assert ledger.graded("tables") == {1, 3}
