"""What is kept on disk: a folder's lock, files replaced whole, and the store under every ledger."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.base.files import LOCK, FolderError, lock_folder
from arena.ledger.store import Store, StoreError, documents, reading
from arena.ledger.table import FORMAT, Table

ROWS = Table("rows", {"number": "INTEGER", "text": "TEXT"}, ["number"])
PARTS: dict[str, dict[str, Any]] = {"config": {"name": "x", "depth": 3}, "facts": {"first": "black"}}


def store(folder: Path, parts: dict[str, dict[str, Any]] = PARTS, **options: Any) -> Store:
    return Store(folder / "rows.sqlite", (ROWS,), parts, **options)


def test_a_folder_is_locked_until_its_writer_releases_it_or_ends(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    lock_folder(folder).release()
    program = (
        "import sys; from pathlib import Path; from arena.base.files import lock_folder; "
        "lock = lock_folder(Path(sys.argv[1])); print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        with pytest.raises(FolderError, match=r"folder is in use by another arena$"):
            lock_folder(folder)
        process.kill()
        process.wait()
    first = lock_folder(folder)
    with pytest.raises(FolderError, match="in use"):
        lock_folder(folder)
    first.release()
    assert [path.name for path in folder.iterdir()] == [LOCK]


def test_a_file_in_the_way_of_a_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"file/out cannot be written to: Not a directory$"):
        lock_folder(tmp_path / "file" / "out")
    with pytest.raises(FolderError, match=r"file cannot be written to: File exists$"):
        lock_folder(tmp_path / "file")


def test_other_settings_are_refused_by_name_and_the_folder_is_released(tmp_path: Path) -> None:
    store(tmp_path).close()
    changed: dict[str, dict[str, Any]] = {"config": {"name": "x", "nodes": 3}, "facts": {"first": "white"}}
    for _ in range(2):
        with pytest.raises(StoreError, match=r"another experiment \(changed: depth, first, nodes\); give this"):
            store(tmp_path, changed)
    store(tmp_path).close()


def test_a_store_that_dies_while_it_is_made_can_be_made_again(tmp_path: Path) -> None:
    class Dies(Store):
        def _put(self, connection: sqlite3.Connection, key: str, document: Any) -> None:
            if key == "facts":
                raise KeyboardInterrupt
            super()._put(connection, key, document)

    with pytest.raises(KeyboardInterrupt):
        Dies(tmp_path / "rows.sqlite", (ROWS,), PARTS)
    store(tmp_path).close()


@pytest.mark.parametrize("name", ["50%25 é", "a?mode=rw#b"])
def test_a_store_is_read_from_a_folder_of_any_name_and_closed_while_it_is_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.ledger.store.CLOSE_SECONDS", 0.01)
    with store(tmp_path / name) as opened:
        opened.insert(ROWS, {"number": 1, "text": "one"})
        with reading(opened.path) as connection:
            connection.execute("BEGIN")
            assert connection.execute("SELECT text FROM rows").fetchall() == [("one",)]
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute("DELETE FROM rows")
            opened.close()
            assert connection.execute("SELECT text FROM rows").fetchall() == [("one",)]


@pytest.mark.parametrize("content", ["no database at all" * 100, ""], ids=["other content", "empty"])
def test_a_file_that_is_no_store_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rows.sqlite"
    with pytest.raises(StoreError, match=r"^there is no run in .* \(no rows.sqlite\)$"), reading(path):
        pass
    path.write_text(content)
    with pytest.raises(StoreError, match="cannot be read"), reading(path) as connection:
        documents(connection)
    if content:
        with pytest.raises(StoreError, match="cannot be used: file is not a database"):
            store(tmp_path)


def test_a_store_keeps_rows_and_documents_and_is_one_file_also_after_it_was_read(tmp_path: Path) -> None:
    with store(tmp_path) as opened:
        opened.insert(ROWS, {"number": 1, "text": "one"})
        opened.put("complete", ["a", "b"])
        with pytest.raises(sqlite3.IntegrityError):
            opened.insert(ROWS, {"number": 1, "text": "two"})
        assert (tmp_path / "rows.sqlite-wal").exists()
    kept = {**PARTS, "complete": ["a", "b"], "format": FORMAT}
    for _ in range(2):
        with reading(tmp_path / "rows.sqlite") as connection:
            assert connection.execute("SELECT number, text FROM rows").fetchall() == [(1, "one")]
            assert documents(connection) == kept
        assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK, "rows.sqlite"]
        with store(tmp_path) as opened:
            assert opened.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_another_format_is_refused_in_a_line_by_who_reads_and_by_who_writes(tmp_path: Path) -> None:
    with store(tmp_path) as opened:
        opened.put("format", FORMAT - 1)
    with pytest.raises(StoreError, match=f"has format {FORMAT - 1}, of another version of the arena"):
        store(tmp_path)
    with pytest.raises(StoreError, match="of another version"), reading(tmp_path / "rows.sqlite"):
        pass
