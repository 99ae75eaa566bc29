"""Tournaments: every game once, faults, the ledger, and runs that are stopped and go on."""

import os
import signal
import subprocess
import sys
import time
from itertools import count
from typing import Any

import numpy as np
import pytest

import arena
from arena.experiment.load import load
from arena.ledger.ledger import StoreError
from arena.ledger.record import packed
from arena.play.carry_out import LOGS, append_logs
from arena.play.match import play
from arena.play.prepare import prepare
from arena.rules.game import ADJUDICATED, Termination
from arena.rules.variants import VARIANTS
from arena.watch.status import Observer
from players.player import EFFORT, PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.runs import CONFIG, assert_same, experiment, play_run, run, stored

SMALL = CONFIG.replace("count: 8", "count: 4")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """The tournament of SMALL, played by one worker without a stop."""
    return run(tmp_path_factory.mktemp("whole"), "out", SMALL)


def test_every_game_and_move_is_recorded_once(whole):
    assert whole.games["game"].tolist() == list(range(1, 6 * 4 + 1))
    assert (whole.games["plies"] == whole.moves.groupby("game").size().to_numpy()).all()
    assert (whole.moves.groupby("game")["ply"].max().to_numpy() == whole.games["plies"]).all()
    searched = whole.moves[whole.moves["player"] == "depth-3"]
    assert searched["depth"].between(1, 3).all() and (searched["nodes"] >= 2).all()
    assert (searched["depth"] == 3).mean() > 0.9  # less once a win is certain
    assert whole.moves.loc[whole.moves["player"] == "random", "score"].isna().all()
    assert whole.games["termination"].isin(["no_pieces", "no_moves", "max_plies", "repetition"]).all()


@pytest.mark.full
def test_the_number_of_workers_does_not_change_the_games(whole, tmp_path):
    assert_same(whole, run(tmp_path, "two", SMALL, workers=2))


def test_a_stopped_run_goes_on_and_plays_nothing_twice(whole, tmp_path):
    assert_same(run(tmp_path, "parts", SMALL, stops=(5, 17)), whole)


@pytest.mark.full
def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    """Killed among two workers, in whatever order their games end; one worker's are stored by the same loop."""
    text = SMALL.replace("type: greedy", 'type: "own.py:Slow"')
    experiment(tmp_path, text)
    command = [sys.executable, "-m", "arena", "run", "config.yaml", "--out", "killed", "--workers", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    ledger = tmp_path / "killed" / "ledger.sqlite"
    hangs = time.monotonic() + 600
    while process.poll() is None and len(stored(ledger.parent)) < 5 and time.monotonic() < hangs:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    survivors = stored(ledger.parent)
    assert 5 <= len(survivors) < 24
    whole = run(tmp_path, "whole", text)
    assert_same(run(tmp_path, "killed", text), whole)
    again = stored(ledger.parent)
    assert all(again[game] == seconds for game, seconds in survivors.items()), "a finished game was played again"


def test_each_withdrawal_is_said_once_whoever_the_player_meets(tmp_path, monkeypatch):
    players = "".join(f'  - {{name: {name}, type: "own.py:Cheats"}}\n' for name in "abc")
    whole, said = experiment(tmp_path, CONFIG.replace("count: 8", "count: 2") + players), list[str]()
    observer = Observer()
    monkeypatch.setattr(observer, "say", said.append)
    play_run(whole, tmp_path / "out", observer, workers=1)
    assert sorted(line.split()[0] for line in said if "is withdrawn" in line) == ["a", "b", "c"]
    assert sorted(line.split()[2] for line in said if line.startswith("game ")) == ["a", "b", "c"]
    played = arena.load(tmp_path / "out")
    void = played.void_games.sort_values("plies").iloc[-1]
    assert len(played.game(void["id"]).moves) == void["plies"] > 0


def test_a_mistake_of_the_arena_stops_the_run_and_keeps_finished_games(whole, tmp_path, monkeypatch):
    games = count(1)

    def fails_once(columns: Any) -> tuple[int, bytes]:
        if next(games) == 5:
            raise ZeroDivisionError("ours")
        return packed(columns)

    monkeypatch.setattr("arena.play.match.packed", fails_once)
    with pytest.raises(ZeroDivisionError, match="ours"):
        run(tmp_path, "out", SMALL)
    finished = arena.load(tmp_path / "out").games
    assert finished["game"].tolist() == [1, 2, 3, 4] and not finished["error"].any()
    assert_same(run(tmp_path, "out", SMALL), whole)


def test_a_failure_is_said_once_and_has_its_traceback_and_its_last_output_in_the_games(tmp_path, capsys):
    own = "class Fails:\n    def choose(self, game, limit, rng):\n        print('no idea')\n        return 1 / 0\n"
    (tmp_path / "own.py").write_text(own)
    config = {"name": "t", "variant": "english", "openings": {"count": 1}, "failures": {"faulty": "forfeit"}}
    fails = {"name": "fails", "type": f"{tmp_path / 'own.py'}:Fails"}
    with pytest.warns(UserWarning, match="fails lost"):
        run = arena.run(config | {"players": [fails, "random"]}, tmp_path / "out", workers=1)
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("game ")]
    assert line.startswith(f"game {run.games['id'].iloc[0]}: fails raised ZeroDivisionError")
    assert run.games["traceback"].str.contains("line 4, in choose").all()
    assert set(run.games["output"]) == {"no idea\n"}


def test_each_player_has_a_log_which_takes_no_further_game_once_it_is_long(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.carry_out.MOST_LOG_BYTES", 80)
    logged = task_of(VARIANTS["english"], PlayerSpec("my scan", "random"), PlayerSpec("scan", "random"))
    record = logged.record("draw", Termination.MAX_PLIES, logs=("of mine\n", "of scan"))
    for _ in range(9):
        append_logs(tmp_path, record)
    logs = {path.name: path.read_text().splitlines() for path in (tmp_path / LOGS).iterdir()}
    assert logs.keys() == {"my_scan.txt", "scan.txt"} and len(logs["scan.txt"]) == 4
    assert logs["my_scan.txt"][:2] == [f"--- game {record.id}, my scan against scan, as white", "of mine"]


# --- games read back, and played again

MIXED = """\
name: t
variant: english
seed: 7
openings: {random_plies: 4, count: 1}
max_plies: 60
failures: {withdraw_after: 0}
adjudicate: {win: {men: 2, plies: 4}}
players:
  - {name: any, type: random}
  - {name: greedy, type: greedy}
  - {name: deep, type: negamax, depth: 3}
  - {name: own, type: "own.py:Own"}
"""
TIRED = """\
from arena import Choice

class Own:
    def __init__(self, variant): pass

    def choose(self, game, limit, rng):
        if len(game.moves) > 8:
            raise RuntimeError("tired")
        return Choice(rng.choice(game.legal_moves), nodes=7)
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """A run whose players are of each kind; one of them loses all its games by raising."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "own.py").write_text(TIRED)
    (folder / "t.yaml").write_text(MIXED)
    played = arena.run(folder / "t.yaml", folder / "out", workers=1, quiet=True)
    assert isinstance(played, arena.Run)
    return played


@pytest.mark.full
def test_a_stored_game_plays_again_move_for_move(mixed):
    tournament = prepare(load(mixed.folder.with_name("t.yaml")))
    counted = ["legal_moves", "pieces", *EFFORT, "score", "plies_to_win"]
    assert set(mixed.games["termination"]) >= {"error"} and set(mixed.games["termination"]) & set(ADJUDICATED)
    schedule, games = tournament.schedule({}), mixed.games.set_index("key")
    assert [game.key for game in schedule.games()] == games.index.tolist()
    for game in schedule.games():
        again, row = play(tournament.task(game)), games.loc[game.key]
        moves, stored = again.table(), mixed.moves[mixed.moves["game"] == row["game"]]
        assert [move.decode() for move in moves["move"]] == stored["move"].tolist()
        for name in counted:
            missing = 0 if name == "plies_to_win" else np.nan
            np.testing.assert_array_equal(moves[name], stored[name].to_numpy(float, na_value=missing))
        for name in ("result", "termination", "plies", "error", "line"):
            assert getattr(again, name) == row[name]


@pytest.mark.full
def test_a_run_gives_each_of_its_games_after_any_ply(mixed):
    for number, name in zip(mixed.games["game"][::5], mixed.games["id"][::5], strict=True):
        game, texts = mixed.game(number), mixed.moves.loc[mixed.moves["game"] == number, "move"]
        for ply, (move, text) in [*enumerate(zip(game.moves, texts, strict=True))][::4]:
            assert mixed.game(name, ply).text(move) == text


def test_a_game_that_is_not_stored_is_named(mixed):
    with pytest.raises(StoreError, match="game 13"):
        mixed.game(13)
