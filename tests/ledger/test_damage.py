"""Disks that fail: damaged ledgers, full disks, folders that are read-only, deleted or replaced under a run."""

from __future__ import annotations

import math
import os
import random
import resource
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from arena.ledger import store
from arena.ledger.info import RunInfo
from arena.ledger.ledger import ANSWERS, FILE, GAMES, Ledger
from arena.ledger.read import read
from arena.ledger.record import GameRecord, Grade, GradedGame, SuiteAnswer
from arena.ledger.store import StoreError
from arena.ledger.table import Table
from arena.play.options.grading import add_grades
from arena.play.prepare import prepare
from arena.play.tournament import play
from tests.helpers import made_up
from tests.helpers.command_line import error_line, invoke, refused
from tests.helpers.report_data import repeatable
from tests.helpers.schedules import DYNAMIC, FOUR, plan_of
from tests.helpers.tournaments import assert_same, play_whole

pytestmark = pytest.mark.usefixtures("no_pictures")
CONFIG = """\
name: disk
variant: english
seed: 3
openings: {random_plies: 4, count: 8}
players: [{name: a, type: random}, {name: b, type: random}]
"""
NOBODY = 65534


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


# --- a program that writes to the ledger of a run


@pytest.mark.full
def test_a_game_that_another_program_changes_during_a_run_ends_it_and_is_played_again(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its checksum, so that no reader could see it; by a player, perhaps."""
    folder, whole, add = config.parent / "out", config.parent / "whole", Ledger.add

    def add_and_change(self: Ledger, record: GameRecord) -> None:
        add(self, record)
        if record.game == 5:
            with closing(sqlite3.connect(self.path)) as other, other:
                row = list(other.execute(f"{GAMES.query} WHERE game = 2").fetchone()[:-1])
                row[list(GAMES.columns).index("result")] = "white" if "black" in row else "black"
                other.execute(f"REPLACE {GAMES.insertion}", GAMES.stored(row))

    arguments = ("run", config, "--workers", 1, "--no-report", "--out")
    assert invoke(*arguments, whole).exit_code == 0
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "add", add_and_change)
        result = invoke(*arguments, folder)
    assert result.exit_code == 2
    assert "was changed by another program during the run, in games that are removed (2);" in result.stderr
    assert invoke(*arguments, folder).exit_code == 0
    assert_same(arena.load(folder), arena.load(whole))


# --- bits that change


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a complete run: 12 made-up games, grades of 8 games, 48 answers."""
    folder = tmp_path_factory.mktemp("ledger")
    made_up.fill(folder, "searching", 12)
    with reopened(folder) as opened:
        for number in range(8):
            grade = Grade(number + 1, 4, "11-15", 1.0, 0.5)
            add_grades(opened, GradedGame(number + 1, "tables", 4, (grade,) * number, (number, number)))
            position = "W:W13,20,23,26,27,28,29,30,31,32:B1,2,4,6,7,8,10,11,14,16"
            for player in range(1, 7):
                asked = "suite", number, position, f"player-{player}", 7, 1, "23-18"
                answer = SuiteAnswer(*asked, "26-22", False, 5, 10 * number, 0.1, 0.1, "")
                opened.insert(ANSWERS, answer._asdict())
    return folder


def reopened(folder: Path, kind: str = "searching", games: int = 12) -> Ledger:
    """The ledger of `ledger`, or of a damaged copy, as the command that made it opens it."""
    return Ledger(folder, made_up.experiment(kind), RunInfo(games))


def content(folder: Path) -> str:
    """All that a report reads."""
    data = read(folder)
    tables = [data.games, data.grades, data.graded, data.answers, *data.moves()]
    return repr((data.experiment, data.info, data.order, [table.to_csv() for table in tables]))


def rows(folder: Path) -> set[tuple[Any, ...]]:
    """The games as they are stored."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return set(connection.execute(GAMES.query))


@pytest.mark.parametrize(
    "flips", [pytest.param(40, marks=pytest.mark.full), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_a_flipped_bit_changes_nothing_or_is_named(ledger: Path, tmp_path: Path, flips: int) -> None:
    """Single bits anywhere in a ledger, which is then read, and opened to go on."""
    folder = tmp_path / "flipped"
    data, whole, stored = (ledger / FILE).read_bytes(), content(ledger), rows(ledger)
    rng = random.Random(2)
    seen = {"same": 0, "refused": 0, "repaired": 0}
    for _ in range(flips):
        bit = rng.randrange(8 * len(data))
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / FILE).write_bytes(damaged)
        same = _or_refused(lambda: content(folder))
        assert same in (None, whole), f"bit {bit} changed what a report reads"
        with _or_refused(lambda: reopened(folder)) or closing(Path(os.devnull).open()) as opened:
            if not isinstance(opened, Ledger):
                seen["refused"] += 1
                continue
            said, complete = opened.repaired, opened.complete
        left = rows(folder)
        assert left <= stored, f"bit {bit} changed a row"
        assert (left == stored and complete) or said, f"bit {bit} lost something in silence"
        assert left == stored or not complete, f"bit {bit} lost a row of a run that is complete"
        assert bool(said) == (same is None), f"bit {bit}: a report says another thing than a run"
        seen["repaired" if said else "same"] += 1
        content(folder)
    assert seen["same"] and seen["repaired"] and seen["refused"] <= flips / 20, seen


def _or_refused(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except StoreError as error:
        message = str(error)
    assert len(message.splitlines()) == 1
    return None


@pytest.mark.parametrize(
    "row",
    [
        [3, -0.0, "½\ud800\x00", b"\x00"],
        [np.int64(2**40), np.float64(1), "x", bytes(5000)],
        [-1, math.inf, "'\"\n", b"\xff"],
        [None, math.nan, None, None],
    ],
)
def test_any_values_are_read_back_with_their_checksum(row: list[Any]) -> None:
    table = Table("t", {"i": "INTEGER", "r": "REAL", "t": "TEXT", "b": "BLOB"}, ["t"])
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(table.definition)
        connection.execute(f"INSERT {table.insertion}", table.stored(row))
        [found] = connection.execute(table.query)
    assert table.is_intact(found)
    assert not table.is_intact((*found[:-1], found[-1] ^ 1))


def test_a_checksum_tells_types_tables_and_neighbours_apart() -> None:
    tables = [Table(name, {"a": "TEXT", "b": "TEXT"}, ["a"]) for name in "tu"]
    rows = [("1", ""), ("", "1"), (1, ""), (b"1", ""), (1.0, ""), (None, "1")]
    sums = {table.checksum(row) for table in tables for row in rows}
    assert len(sums) == 2 * len(rows)


# --- what is done about damage


def spoil(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.full
def test_a_damaged_game_is_named_and_played_again(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert invoke("run", config, "--out", out, "--workers", 1).exit_code == 0
    whole = arena.load(out)
    times = whole.games.set_index("game")["seconds"]
    moves = repeatable(whole.moves)
    spoil(out, "UPDATE games SET result = 'draw', plies = plies + 1 WHERE game IN (3, 5)")

    assert f"{out / FILE} is damaged (games 3, 5)" in refused("report", out)
    assert f"{out / FILE} is damaged (games 3)" in refused("show", out, "--game", 3)
    assert invoke("status", out).exit_code == 0, "it reads no more than it shows"

    spoil(out, "UPDATE meta SET value = '{}' WHERE key = 'manifest'")
    assert "the document manifest is damaged" in refused("status", out)
    again = invoke("run", config, "--out", out, "--workers", 1)
    assert again.exit_code == 0, again.output
    assert f"{out / FILE} was damaged (meta manifest; games 3, 5): 14 games are intact" in again.stderr
    assert (out / f"{FILE}.damaged").stat().st_size > 0
    mended = arena.load(out)
    assert repeatable(mended.moves).equals(moves)
    kept = mended.games.set_index("game")["seconds"] == times
    assert kept.drop([3, 5]).all() and not kept[[3, 5]].any()


@pytest.mark.parametrize("key", ["experiment", "facts", "complete"])
def test_a_damaged_description_costs_nothing_where_the_same_is_given_again(
    ledger: Path, tmp_path: Path, key: str
) -> None:
    folder = shutil.copytree(ledger, tmp_path / "copy")
    spoil(folder, f"UPDATE meta SET value = '{{}}' WHERE key = '{key}'")
    with pytest.raises(StoreError, match=rf"damaged \(meta {key}\); arena run does again"):
        read(folder)
    if key == "experiment":
        with pytest.raises(StoreError, match=r"is damaged .* not known any more what it holds; give this run"):
            reopened(folder, "random")
        assert rows(folder) == rows(ledger) and not (folder / f"{FILE}.damaged").exists()
    with reopened(folder) as opened:
        assert f"(meta {key}): 12 games, 8 grades, 48 answers are intact" in opened.repaired
        assert not opened.complete
        opened.finish([])
    assert content(folder) == content(ledger)


def miscounted(data: bytearray) -> None:
    """A page counts one game less than it has: SQLite reads it without a word."""
    data[leaves(data)[-1] + 4] -= 1


def zeroed(data: bytearray) -> None:
    """Two pages are nothing but zeros."""
    places = leaves(data)
    for place in (places[len(places) // 3], places[len(places) // 2]):
        data[place : place + 4096] = bytes(4096)


def leaves(data: bytearray) -> list[int]:
    """Where the pages of tables with rows begin."""
    return [start for start in range(0, len(data), 4096) if data[start] == 0x0D]


def cut(share: float) -> Callable[[bytearray], None]:
    """Only this share of the file is left."""
    return lambda data: data.__delitem__(slice(int(share * len(data)), None))


@pytest.mark.parametrize(
    ("games", "damage", "least"),
    [
        pytest.param(100, miscounted, 99, marks=pytest.mark.full),
        pytest.param(200, zeroed, 180, marks=pytest.mark.full),
        pytest.param(200, cut(0.2), 0, marks=pytest.mark.full),
        (60, cut(0.6), 10),
    ],
)
def test_the_games_around_what_is_lost_of_a_file_are_kept(
    tmp_path: Path, games: int, damage: Callable[[bytearray], None], least: int
) -> None:
    made_up.fill(tmp_path, "random", games)
    stored, data = rows(tmp_path), bytearray((tmp_path / FILE).read_bytes())
    damage(data)
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(StoreError, match=r"is damaged \(.+\); arena run does again") as error:
        read(tmp_path)
    assert len(str(error.value).splitlines()) == 1
    with reopened(tmp_path, "random", games) as opened:
        assert "was damaged (" in opened.repaired and not opened.complete
    left = rows(tmp_path)
    assert left < stored and len(left) >= least
    assert read(tmp_path).games["game"].is_monotonic_increasing


def dies(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.full
@pytest.mark.parametrize("at", [(shutil, "copyfile"), (Path, "unlink"), (Path, "replace")])
def test_a_process_that_dies_while_it_mends_a_ledger_loses_nothing(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: tuple[Any, str]
) -> None:
    folder = shutil.copytree(ledger, tmp_path / "copy")
    spoil(folder, "UPDATE games SET result = '*' WHERE game = 3")
    with monkeypatch.context() as patch:
        patch.setattr(*at, dies)
        with pytest.raises(KeyboardInterrupt):
            reopened(folder)
    with reopened(folder) as opened:
        assert "(games 3): 11 games, 8 grades, " in opened.repaired
    assert len(rows(folder)) == 11


@pytest.mark.full
def test_what_a_game_played_again_changes_behind_it_is_played_again(tmp_path: Path) -> None:
    text = DYNAMIC["swiss"] + FOUR
    plan = plan_of(tmp_path, text)
    whole = play_whole(plan, tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "other")
    with closing(sqlite3.connect(tmp_path / "other" / FILE, isolation_level=None)) as connection:
        rows = connection.execute(f"{GAMES.query} WHERE round > 1 ORDER BY game LIMIT 4").fetchall()
        for row in rows:
            of = dict(zip(GAMES.columns, row[:-1], strict=True))
            swapped = of | {"white": of["black"], "black": of["white"]}
            connection.execute(f"REPLACE {GAMES.insertion}", GAMES.stored(list(swapped.values())))
        connection.execute("UPDATE games SET plies = 0 WHERE game = 1")
    with Ledger(tmp_path / "other", plan.experiment, plan.info) as opened:
        again = {record.game for record in play(plan, opened, 1)}
        assert opened.complete
    assert again == {1, *(row[0] for row in rows)}
    assert_same(arena.load(tmp_path / "other"), whole)


@pytest.mark.full
def test_games_that_a_mended_knockout_no_longer_has_are_removed_in_a_later_session_too(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, DYNAMIC["knockout"] + FOUR)
    whole = play_whole(plan, tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "other")
    with closing(sqlite3.connect(tmp_path / "other" / FILE, isolation_level=None)) as connection:
        row = connection.execute(f"{GAMES.query} ORDER BY game DESC LIMIT 1").fetchone()
        last = dict(zip(GAMES.columns, row[:-1], strict=True))
        for number in (1, 2):
            stale = last | {"game": last["game"] + number}
            connection.execute(f"INSERT {GAMES.insertion}", GAMES.stored(list(stale.values())))
        connection.execute("UPDATE games SET plies = 0 WHERE game = 1")
    with Ledger(tmp_path / "other", plan.experiment, plan.info) as opened:
        assert opened.repaired and not opened.complete
    with Ledger(tmp_path / "other", plan.experiment, plan.info) as opened:
        assert [record.game for record in play(plan, opened, 1)] == [1] and opened.complete
    assert_same(arena.load(tmp_path / "other"), whole)


# --- disks and folders


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: SQLite and Python see what a full disk is."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.full
@pytest.mark.parametrize("size", [1000, 90_000])
def test_a_disk_without_room_is_one_line_and_loses_nothing(config: Path, tmp_path: Path, size: int) -> None:
    config.write_text(CONFIG.replace("count: 8", "count: 100"))
    prepare(arena.experiment.load.load(config))
    with largest_file(size):
        stopped = [invoke("run", config, "--out", tmp_path / "out", "--workers", 1) for _ in range(2)]
    for result in stopped:
        assert result.exit_code == 2, result.output
        assert any(word in result.stderr.splitlines()[-1] for word in ("cannot be", "holds nothing yet"))
        assert "Traceback" not in result.output
    before = {row[0]: row for row in rows(tmp_path / "out")} if size > 40_000 else {}
    assert (size > 40_000) == (len(before) > 0)
    assert invoke("run", config, "--out", tmp_path / "out", "--workers", 1).exit_code == 0
    after = {row[0]: row for row in rows(tmp_path / "out")}
    assert len(after) == 200 and before.items() <= after.items()


@contextmanager
def only_readable(folder: Path) -> Iterator[None]:
    """A folder that this process may not write to."""
    folder.chmod(0o555)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(NOBODY)
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


@pytest.mark.full
def test_a_complete_run_that_can_only_be_read_is_complete() -> None:
    with tempfile.TemporaryDirectory() as above:
        Path(above).chmod(0o755)
        folder, config = Path(above) / "out", Path(above) / "config.yaml"
        config.write_text(CONFIG)
        other = config.with_name("other.yaml")
        other.write_text(CONFIG.replace("seed: 3", "seed: 4"))
        assert invoke("run", config, "--out", folder, "--workers", 1).exit_code == 0
        assert invoke("rate", folder).exit_code == 0, "loaded while the package can be read"
        (folder / "report.html").unlink()
        with only_readable(folder):
            quiet = invoke("run", config, "--out", folder, "--workers", 1, "--no-report")
            report, rated = invoke("report", folder), invoke("rate", folder)
            another = refused("run", other, "--out", folder, "--workers", 1)
    assert (quiet.exit_code, rated.exit_code, report.exit_code) == (0, 0, 2), quiet.output
    said = [error_line(quiet.stderr), error_line(report.stderr), another]
    assert all(f"{folder}" in line and "Permission denied" in line for line in said), said
    assert "Elo" in report.stdout, "the standings are told all the same"


@pytest.mark.full
@pytest.mark.parametrize("how", ["folder moved", "log deleted", "ledger replaced"])
def test_a_ledger_that_goes_under_a_run_is_noticed_at_the_next_game(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(store, "LOOK_SECONDS", 0.0)
    plan, out = prepare(arena.experiment.load.load(config)), tmp_path / "out"
    opened = Ledger(out, plan.experiment, plan.info)
    games = play(plan, opened, 1)
    next(games), next(games)
    match how:
        case "folder moved":
            out.rename(tmp_path / "moved")
        case "log deleted":
            (out / f"{FILE}-wal").unlink()
        case "ledger replaced":
            shutil.copyfile(out / FILE, out / "copy")
            (out / "copy").rename(out / FILE)
    with pytest.raises(StoreError, match=r"out/ledger.sqlite(-wal)? was deleted or replaced while "):
        next(games)
    opened.close()
    if how == "folder moved":
        assert len(rows(tmp_path / "moved")) == 2
    assert invoke("run", config, "--out", out, "--workers", 1).exit_code == 0
    assert len(rows(out)) == 16
