"""Games on the workers of a Dask scheduler, started by Dask's own commands."""

import json
import os
import pickle
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import arena
from arena.ledger.ledger import Ledger
from arena.play.cluster import _call, worker_count
from arena.play.prepare import Tournament, prepare
from arena.play.processes import Chunk, EngineError
from arena.play.workers import run as run_tasks
from arena.rules.variants import VARIANTS
from players.importing import forget_modules, loaded
from players.player import PlayerSpec
from players.table import build_player
from tests.helpers.needed import needed
from tests.helpers.runs import CONFIG, assert_same, experiment, playing, run, stored
from tests.helpers.tasks import work

pytestmark = pytest.mark.full

needed("distributed")

TEXT = (
    CONFIG.replace("type: greedy", 'type: "own.py:Slow"').replace("count: 8", "count: 6")
    + '  - {name: own, type: negamax, depth: 3, evaluation: "weights.py:count"}\n'
)
WEIGHTS = """\
from arena import evaluator, features


@evaluator
def count(position, rules):
    men = features.men
    return 1.0 * (men(position, rules, position.turn) - men(position, rules, 1 - position.turn))
"""


class Dask:
    """A scheduler, and workers that a test starts and kills."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._all: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        self.address: str = waited(self._address)

    def worker(self) -> subprocess.Popen[bytes]:
        folder = self._folder / f"worker-{len(self._all)}"
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))

    def workers(self, count: int) -> list[subprocess.Popen[bytes]]:
        """Start so many, and wait until all are there."""
        started = [self.worker() for _ in range(count)]
        waited(lambda: worker_count(self.address) == count)
        return started

    def close(self) -> None:
        for process in self._all:
            process.kill()
            process.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self._file), *options]
        with (self._folder / "dask.log").open("ab") as log:
            self._all.append(subprocess.Popen([*command, "--no-dashboard"], cwd=self._folder, stderr=log))
        return self._all[-1]

    def _address(self) -> str:
        text = self._file.read_text() if self._file.exists() else ""
        return str(json.loads(text)["address"]) if text.endswith("}") else ""


def waited(ready: Callable[[], Any]) -> Any:
    """What is true within five minutes."""
    deadline = time.monotonic() + 300
    while not (found := ready()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    cluster = Dask(tmp_path)
    yield cluster
    cluster.close()


def planned(folder: Path) -> Tournament:
    (folder / "weights.py").write_text(WEIGHTS)
    return prepare(experiment(folder, TEXT))


def test_lost_and_joining_workers_change_nothing_and_own_files_reach_them(dask, tmp_path):
    workers = dask.workers(2)
    (tmp_path / "here").mkdir()
    plan = planned(tmp_path / "here")
    with Ledger(tmp_path / "out", plan.experiment, plan.info) as ledger:
        for number, _ in enumerate(playing(plan, ledger, dask.address), start=1):
            if number == 10:
                workers[0].kill()
                dask.worker()
    games = arena.load(tmp_path / "out").games
    assert workers[0].wait() != 0 and len(games) == 72
    assert games["worker"].nunique() <= 3 and os.getpid() not in set(games["worker"])
    assert set(games["machine"]) == {platform.node()}
    whole = run(tmp_path / "here", "whole", TEXT, workers=2)
    assert_same(arena.load(tmp_path / "out"), whole)


def test_a_lost_scheduler_is_one_line_and_what_is_finished_is_kept(dask, tmp_path):
    dask.worker()
    planned(tmp_path)
    command = [sys.executable, "-m", "arena", "run", "config.yaml", "--out", "out", "--no-report"]
    started = subprocess.Popen(
        [*command, "--workers", dask.address], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    waited(lambda: started.poll() is not None or len(stored(tmp_path / "out")) >= 5)
    dask.scheduler.kill()
    error = started.communicate(timeout=300)[1]
    assert started.returncode == 2 and "Traceback" not in error
    assert dask.address in (last := error.splitlines()[-1]) and "kept in out;" in last
    assert 5 <= len(stored(tmp_path / "out")) < 72


def test_ctrl_c_ends_a_run_that_waits_for_workers(dask, tmp_path):
    planned(tmp_path)
    command = [sys.executable, "-m", "arena", "run", "config.yaml", "--no-report", "--workers", dask.address]
    waiting = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert waiting.stderr is not None
    assert any("0 Dask workers" in line for line in waiting.stderr)
    waited(lambda: [*tmp_path.rglob("experiment.yaml")] or waiting.poll() is not None)
    time.sleep(1)
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(timeout=60) == 130
    waiting.stderr.close()


def test_a_task_that_ends_two_workers_is_given_up_and_all_others_are_done(dask, tmp_path):
    dask.workers(4)  # a third one ends where the task came with another one
    kinds = ["fast", "dies", *["fast", "slow"] * 2]
    tasks = [(kind, tmp_path / str(number)) for number, kind in enumerate(kinds)]
    records: list[str] = []
    with pytest.raises(EngineError, match=r"dies.* ended the process of a worker, twice$"):
        records.extend(run_tasks(work, tasks, dask.address, lambda: False))
    assert sorted(records) == sorted(kind for kind in kinds if kind != "dies")


def test_where_no_scheduler_answers_is_one_line(monkeypatch):
    monkeypatch.setattr("arena.play.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(EngineError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        list(run_tasks(abs, range(3), "tcp://127.0.0.1:1", lambda: False))


class Probed(NamedTuple):
    player: PlayerSpec


def itself(task: Probed) -> Probed:
    return task


def test_another_machine_loads_a_player_with_its_helper_from_what_was_sent(tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    (here / "sent.py").write_text("import worth\nclass Own(worth.Worth):\n    def choose(self, *_): ...\n")
    (here / "worth.py").write_text("class Worth: worth = 7\n")
    spec = PlayerSpec("own", f"{here}/sent.py:Own")
    forget_modules()
    build_player(spec, VARIANTS["english"])
    task = Probed(replace(spec, files=loaded()))
    call = pickle.dumps(_call(itself, Chunk([task]), set()))
    here.rename(tmp_path / "elsewhere")
    forget_modules()
    [sent] = pickle.loads(call).records
    assert build_player(sent.player, VARIANTS["english"]).worth == 7  # type: ignore[attr-defined]
