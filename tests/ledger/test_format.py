"""Ledgers of other versions of the arena: earlier ones are read and gone on with, newer ones refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.experiment.load import load
from arena.ledger.game import stored_game
from arena.ledger.ledger import FILE, GAMES, TABLES, Ledger
from arena.ledger.packing import MOVE_RECORD, translated
from arena.ledger.store import NUMBER, StoreError, documents, reading
from arena.ledger.table import FORMAT, META, Records, Table, tables_of
from arena.report.run import Run
from tests.helpers.command_line import refused
from tests.helpers.tournaments import play_run

KEPT = Path(__file__).parents[1] / "data" / "kept_run"
"""A run that was stopped after 2 of 4 games, whose ledger has the format of this number: 1."""
LACKING = ("tt_hits", "score", "clock")
FIELDS = tuple(field for field in MOVE_RECORD if field[0] not in LACKING)
EARLIER = replace(
    GAMES,
    columns={name: kind for name, kind in GAMES.columns.items() if name not in ("cpu_seconds", "worker", "error")},
    records={"moves": Records("plies", FIELDS)},
)
"""The games of a version that did not store some columns, nor some fields of the moves."""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    shutil.copytree(KEPT, tmp_path / "kept")
    return tmp_path / "kept"


@pytest.fixture
def earlier(kept: Path) -> Path:
    """The kept run as an earlier version would have stored it: without a table, too."""
    with closing(sqlite3.connect(kept / FILE, isolation_level=None)) as connection:
        games = connection.execute(GAMES.query).fetchall()
        connection.execute("DROP TABLE games")
        connection.execute("DROP TABLE answers")
        connection.execute(EARLIER.definition)
        for row in games:
            values = dict(zip(GAMES.columns, row, strict=False))
            values["moves"] = translated(values["moves"], values["plies"], MOVE_RECORD, FIELDS)
            stored = EARLIER.stored([values[name] for name in EARLIER.columns])
            connection.execute(f"INSERT {EARLIER.insertion}", stored)
        put(connection, "columns", {**documents(connection)["columns"], "moves": FIELDS})
    return kept


def put(connection: sqlite3.Connection, key: str, document: object) -> None:
    connection.execute(f"REPLACE {META.insertion}", META.stored((key, json.dumps(document))))


def all_moves(run: Run) -> dict[str, list[Any]]:
    [moves] = run.data.moves()
    return {str(name): moves[name].tolist() for name in moves}


def test_a_format_has_the_tables_and_records_of_the_ledger_that_is_kept_for_it() -> None:
    with reading(KEPT / FILE) as connection:
        stored = documents(connection)
        records = {name: tuple(map(tuple, stored["columns"][name])) for name in ("moves", "grades")}
        made = tables_of(connection, (META, *TABLES), records)
    assert stored.get(NUMBER, 1) == FORMAT, "another format keeps another ledger"
    assert made is not None and all(made[table.name] is table for table in TABLES)


def test_what_an_earlier_ledger_lacks_is_null_and_all_else_is_read(earlier: Path) -> None:
    whole, run = arena.load(KEPT), arena.load(earlier)
    games = run.games
    assert games["worker"].isna().all() and games["cpu_seconds"].isna().all()
    same = [name for name in games if name in EARLIER.columns]
    assert games[same].equals(whole.games[same])
    moves, wanted = all_moves(run), all_moves(whole)
    assert moves.keys() == wanted.keys()
    for name in moves.keys() - {*LACKING, "score_men"}:
        assert repr(moves[name]) == repr(wanted[name]), name
    assert set(moves["tt_hits"]) == {0} and set(map(str, moves["clock"])) == {"<NA>"}
    [first, _] = (stored_game(folder, 1).record for folder in (earlier, KEPT))
    assert first.worker is None and first.table()["move"].tolist() == [
        text.encode() for game, text in zip(wanted["game"], wanted["move"], strict=True) if game == 1
    ]


@pytest.mark.parametrize(("made", "damaged"), [("kept", False), ("earlier", False), ("earlier", True)])
def test_an_earlier_ledger_is_gone_on_with_and_mended_and_stays_as_it_was_made(
    made: str, damaged: bool, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(made)
    before, first = arena.load(folder).games, int(damaged)
    if damaged:
        with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
            connection.execute("UPDATE games SET result = 'x' WHERE game = 1")
        with pytest.raises(StoreError, match=r"damaged \(games 1\)"):
            arena.load(folder)
    assert play_run(load(folder / "kept.yaml"), folder, workers=1, force=True).complete
    run = arena.load(folder)
    assert run.games["game"].tolist() == [1, 2, 3, 4] and run.games[first:2].equals(before[first:])
    assert len(all_moves(run)["move"]) == run.games["plies"].sum()
    with reading(folder / FILE) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(games)")]
    assert columns[:-1] == [*(GAMES if made == "kept" else EARLIER).columns]


def test_a_newer_ledger_is_refused_in_a_line_by_all_who_read_it(kept: Path) -> None:
    with closing(sqlite3.connect(kept / FILE, isolation_level=None)) as connection:
        put(connection, NUMBER, FORMAT + 1)
        connection.execute("ALTER TABLE games ADD COLUMN spirit TEXT")
    data = (kept / FILE).read_bytes()
    for command in (["report", kept], ["status", kept], ["replay", kept, 1], ["grade", kept]):
        assert f"has format {FORMAT + 1}" in refused(*command)
    assert f"has format {FORMAT + 1}" in refused("run", kept / "kept.yaml", "--out", kept)
    assert (kept / FILE).read_bytes() == data


@pytest.mark.parametrize("is_in_definition", [False, True])
def test_columns_of_nobody_are_refused(kept: Path, is_in_definition: bool) -> None:
    with closing(sqlite3.connect(kept / FILE, isolation_level=None)) as connection:
        if is_in_definition:
            connection.execute("DROP TABLE games")
            connection.execute(replace(GAMES, columns={**GAMES.columns, "spirit": "TEXT"}).definition)
        else:
            connection.execute("ALTER TABLE games ADD COLUMN spirit TEXT")
    with pytest.raises(StoreError, match="another version"):
        arena.load(kept)
    experiment = load(kept / "kept.yaml")
    with pytest.raises(StoreError, match="another version"):
        Ledger(kept, experiment, stored_game(KEPT, 1).info)


def test_a_table_knows_a_row_of_another_by_its_names() -> None:
    old = Table("t", {"b": "TEXT", "a": "INTEGER"}, ["a"])
    new = Table("t", {"a": "INTEGER", "c": "REAL", "b": "TEXT"}, ["a"])
    assert new.row({"a": 1, "b": "x"}, old) == (1, None, "x")
    assert old.row({"a": 1, "b": "x", "c": 0.5}, new) == ("x", 1)
