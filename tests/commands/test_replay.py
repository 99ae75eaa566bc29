"""Games of a run played again: the same ones, others, and what cannot be played."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from click.testing import Result

import arena
from arena.commands.games import difference, players_by_ply, task_of, with_time_limit
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.load import load
from arena.hosting import sandbox
from arena.ledger.game import stored_game
from arena.ledger.packing import packed
from arena.ledger.read import read
from arena.ledger.record import GameRecord
from arena.play.match import Task
from arena.play.options.grading import arranged
from arena.play.prepare import prepare
from tests.helpers.command_line import error_line, invoke, refused

CONFIG = """\
name: t
variant: english
seed: 7
openings: {random_plies: 4, count: 1}
max_plies: 30
failures: {disqualify_after: 0}
players:
  - {name: any, type: random}
  - {name: deep, type: negamax, depth: 3}
  - {name: own, type: "own.py:Own"}
  - {name: timed, type: negamax, seconds: 0.002}
"""
OWN = """\
from pathlib import Path
from arena import Choice

class Own:
    def __init__(self, variant): pass

    def choose(self, game, limit, rng):
        if len(game.moves) > int(Path(__file__).with_name("tired.txt").read_text()):
            raise RuntimeError("tired")
        return Choice(game.legal_moves[0], nodes=7)
"""
"""Raises after so many plies as a file says."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose players are of each kind; one of them loses all its games by raising."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "own.py").write_text(OWN)
    (folder / "tired.txt").write_text("8")
    (folder / "t.yaml").write_text(CONFIG)
    out = folder / "out"
    assert invoke("run", folder / "t.yaml", "--out", out, "--workers", 1, "--no-report").exit_code == 3
    return out


def replay(folder: Path, game: int) -> Result:
    return invoke("replay", str(folder), str(game))


def games(folder: Path, condition: str) -> list[tuple[int, str, str, int]]:
    with sqlite3.connect(folder / "ledger.sqlite") as connection:
        query = f"SELECT game, white, black, plies FROM games WHERE {condition} ORDER BY game"
        return connection.execute(query).fetchall()


def test_every_game_without_a_limit_of_time_is_played_again_alike_and_the_run_stays_as_it_is(run: Path) -> None:
    before = {path: path.read_bytes() for path in run.iterdir() if path.suffix not in ("", ".sqlite-shm")}
    untimed = games(run, "white <> 'timed' AND black <> 'timed'")
    assert len(untimed) == 6
    for game, white, black, plies in untimed:
        result = replay(run, game)
        assert result.exit_code == 0, result.output
        assert (
            f"{white} (white) against {black} (black)" in result.stdout and f", {plies} plies, " in result.stdout
        )
        assert result.stdout.splitlines()[-1] == "the same as in the run"
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("opponent", "last"),
    [
        ("deep", "differs from the run at the end: Black won by error after 9 plies in the run, .+ now"),
        ("timed", "with a time limit, as timed had, a game may differ each time"),
    ],
)
def test_a_game_that_ends_otherwise_is_told_and_exits_with_1(run: Path, opponent: str, last: str) -> None:
    [(game, *_), *_] = games(run, f"white = 'own' AND black = '{opponent}'")
    tired = run.with_name("tired.txt")
    tired.write_text("11")  # own raises three plies later
    try:
        result = replay(run, game)
    finally:
        tired.write_text("8")
    assert result.exit_code == 1 and re.fullmatch(last, result.stdout.splitlines()[-1])


def stored_task(run: Path, where: str) -> tuple[Task, GameRecord]:
    """The first game of a run with those players, ready to be played again, and its record."""
    stored = stored_game(run, games(run, where)[0][0])
    return task_of(stored), stored.record


def test_a_file_that_was_edited_or_is_gone_is_named(run: Path) -> None:
    [(game, *_)] = games(run, "white = 'own' AND black = 'deep'")
    own = run.with_name("own.py")
    try:
        own.write_text(OWN + "# edited")
        assert "own.py (" in replay(run, game).stdout
        own.unlink()
        result = replay(run, game)
    finally:
        own.write_text(OWN)
    assert result.exit_code == 2 and "own.py" in error_line(result.stderr)


def test_from_any_folder_a_game_is_replayed_and_graded_under_the_terms_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "unavailable", lambda: "")
    config, out = tmp_path / "inside" / "c.yaml", tmp_path / "out"
    config.parent.mkdir()
    config.write_text(
        "name: c\nvariant: english\nsandbox: true\nprocess: {readable: [notes.txt]}\nmax_plies: 4\n"
        "openings: {count: 1}\nplayers: [{name: a, type: random}, {name: b, type: random}]\n"
    )
    monkeypatch.chdir(config.parent)
    tournament = prepare(load("c.yaml"), out)
    in_run = tournament.task(ScheduledGame(1, 1, 1, 0, 1, 0))
    arena.run("c.yaml", out, workers=1, quiet=True)
    monkeypatch.chdir(tmp_path)
    assert in_run.allowance.sandbox == (str(config.with_name("notes.txt")),)
    assert task_of(stored_game(out, 1)) == in_run
    assert arranged(read(out).experiment, 2, None, Path()).allowance == in_run.allowance


def altered(record: GameRecord, ply: int, **changes: str | float) -> GameRecord:
    """The record with something else recorded of a ply."""
    rows = [dict(zip(row.dtype.names, row.item(), strict=True)) for row in record.table()]
    rows[ply - 1] |= changes
    plies, moves = packed({name: [row[name] for row in rows] for name in rows[0]})
    return record._replace(plies=plies, moves=moves)


def test_moves_and_what_was_counted_are_compared_ply_by_ply(run: Path) -> None:
    task, record = stored_task(run, "white = 'any' AND black = 'deep'")
    assert difference(task, record, record) == ""
    assert difference(task, record, record._replace(seconds=1e9, error="other words")) == ""
    text = record.table()["move"][3].decode()
    nodes = altered(record, 5, nodes=99)
    assert (
        difference(task, record, altered(nodes, 4, move="1-2")) == f"ply 4, any: move {text} in the run, 1-2 now"
    )
    assert difference(task, record, nodes).startswith("ply 5, deep: nodes ")
    assert difference(task, record, altered(record, 4, score=2.5)).startswith("ply 4, any: score none ")
    assert difference(task, record, record._replace(result="*")).startswith("the end: ")


def test_of_a_player_with_a_limit_of_time_only_moves_are_compared(run: Path) -> None:
    task, record = stored_task(run, "white = 'timed' AND black = 'deep'")
    assert with_time_limit(task) == ["timed"]
    own, deep = (1, 2) if players_by_ply(task)[0].name == "timed" else (2, 1)
    assert difference(task, record, altered(record, own, nodes=1)) == ""
    assert difference(task, record, altered(record, deep, nodes=1)).startswith(f"ply {deep}, deep: nodes ")
    assert difference(task, record, altered(record, own, move="1-2")).startswith(f"ply {own}, timed: move ")


@pytest.mark.parametrize(("folder", "game"), [("out", 13), ("nowhere", 1)])
def test_what_is_not_there_gets_one_line(run: Path, folder: str, game: int) -> None:
    assert str(run.with_name(folder)) in refused("replay", run.with_name(folder), game)
