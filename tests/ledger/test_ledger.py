"""The ledger: one writer, rows that are damaged, files that are none, full disks, growth of players."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.base.files import LOCK, FolderError, lock_folder
from arena.ledger import ledger as ledgers
from arena.ledger.info import Entrant
from arena.ledger.ledger import FILE, Ledger, StoreError
from arena.ledger.read import ids, read
from tests.helpers.command_line import invoke
from tests.helpers.runs import StoredRun, assert_same

pytestmark = pytest.mark.usefixtures("no_pictures")
CONFIG = """\
name: disk
variant: english
seed: 3
openings: {random_plies: 4, count: 8}
players: [{name: a, type: random}, {name: b, type: random}]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Iterator[StoredRun]:
    with StoredRun(tmp_path / "out", "abc") as run:
        yield run


def reopened(run: StoredRun, **info: Any) -> Ledger:
    run.ledger.close()
    return Ledger(run.folder, run.experiment, run.info._replace(**info))


# --- folders


def test_a_folder_is_locked_until_its_writer_releases_it_or_ends(tmp_path):
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


def test_a_folder_is_released_when_its_ledger_is_refused_and_is_one_file_when_it_is_closed(run):
    run.add("a", "b", "white")
    run.ledger.close()
    other = run.experiment.model_copy(update={"seed": 99})
    for _ in range(2):
        with pytest.raises(StoreError, match=r"another seed \(0 there, 99 here\)"):
            Ledger(run.folder, other, run.info)
    with reopened(run) as ledger:
        assert len(ledger.results()) == 1
    assert sorted(path.name for path in run.folder.iterdir()) == [LOCK, FILE]


@pytest.mark.parametrize("name", ["50%25 é", "a?mode=rw#b"])
def test_a_ledger_is_read_in_a_folder_of_any_name_while_it_is_written(tmp_path, name):
    with StoredRun(tmp_path / name, "ab") as run:
        run.add("a", "b", "white")
        assert len(read(run.folder).games) == 1
        run.add("b", "a", "white")
        assert len(read(run.folder).games) == 2


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_run_is_read_in_a_folder_that_cannot_be_written_to(run):
    run.add("a", "b", "white")
    run.ledger.close()
    run.folder.chmod(0o500)
    assert len(read(run.folder).games) == 1
    run.folder.chmod(0o700)


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"", bytes(8192)])
def test_what_is_no_ledger_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(StoreError, match=r"^there is no run in .* \(no ledger\.sqlite\)$"):
        read(tmp_path)
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(StoreError) as caught:
        read(tmp_path)
    assert str(tmp_path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_run_of_another_format_is_refused(run):
    run.ledger.close()
    with closing(sqlite3.connect(run.folder / FILE)) as other:
        other.execute("PRAGMA user_version = 1")
    for refused in (lambda: read(run.folder), lambda: Ledger(run.folder, run.experiment, run.info)):
        with pytest.raises(StoreError, match="of another version"):
            refused()


# --- rows


def test_a_damaged_row_counts_as_missing_and_is_said(run):
    run.add("b", "a", "white")
    run.add("a", "b", "black")
    with closing(sqlite3.connect(run.folder / FILE)) as other, other:
        other.execute("UPDATE games SET result = 'white' WHERE result = 'black'")
    data = read(run.folder)
    assert (len(data.games), data.damaged) == (1, 1)
    with reopened(run) as ledger:
        assert len(ledger.results()) == 1
        [note] = ledger.notes
        assert note.endswith("is damaged: 1 game is played again")


@pytest.mark.parametrize("where", ["page", "document"])
def test_a_file_whose_pages_or_documents_cannot_be_trusted_is_refused(run, where):
    for _ in range(30):
        run.add("a", "b", "white", opening=len(run.ledger.results()) % 10)
    run.ledger.close()
    path = run.folder / FILE
    if where == "page":
        data = bytearray(path.read_bytes())
        data[4096 : 4096 + 64] = bytes(range(64))
        path.write_bytes(data)
    else:
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE meta SET document = '{}' WHERE name = 'info'")
    for refused in (lambda: read(run.folder), lambda: Ledger(run.folder, run.experiment, run.info)):
        with pytest.raises(StoreError, match="damaged") as caught:
            refused()
        assert "\n" not in str(caught.value)


def test_who_takes_no_part_any_more_and_who_changed_is_said_and_their_games_stay_and_do_not_count(run):
    run.add("a", "b", "white")
    run.add("a", "c", "white")
    with reopened(run, players={"a": Entrant("a"), "b": Entrant("another")}) as ledger:
        assert ledger.notes == [
            "c takes no part any more: its games do not count",
            "b changed: its games are played again",
        ]
        assert len(ledger.results()) == 2
    with reopened(run) as ledger:
        assert not ledger.notes and len(ledger.results()) == 2


def test_ids_are_six_digits_and_more_where_games_share_them():
    import pandas as pd

    keys = pd.Series([0x1ABCDEF, 0x2ABCDEF, 0x123456])
    assert ids(keys).tolist() == ["1abcdef", "2abcdef", "123456"]


# --- disks


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: SQLite and Python see what a full disk is."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.full
def test_a_full_disk_ends_a_run_in_one_line_and_the_run_goes_on_when_there_is_room(config):
    folder, whole = config.parent / "out", config.parent / "whole"
    arguments = ("run", config, "--workers", 1, "--no-report", "--out")
    with largest_file(50_000):
        *_, line = invoke(*arguments, folder).stderr.splitlines()
    assert str(folder) in line and "cannot be written" in line
    assert invoke(*arguments, folder).exit_code == 0 and invoke(*arguments, whole).exit_code == 0
    assert_same(arena.load(folder), arena.load(whole))


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_ledger_that_is_deleted_or_replaced_while_it_is_written_is_said(run, monkeypatch, is_replaced):
    monkeypatch.setattr(ledgers, "LOOK_SECONDS", 0.0)
    run.add("a", "b", "white")
    run.ledger.path.unlink()
    if is_replaced:
        run.ledger.path.write_bytes(b"")
    with pytest.raises(StoreError, match="was deleted or replaced while it was in use"):
        run.add("a", "b", "white")
