"""Time limits scaled by the speed of the machine that plays: in games, suites and reports, and when resumed."""

from __future__ import annotations

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, partial
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import arena
from arena.base.supervisor import are_supported
from arena.ledger.ledger import Ledger
from arena.ledger.manifest import stored_manifest
from arena.play import scaling, signature
from arena.play.engine import EngineError
from arena.play.executor import Workers
from arena.play.scaling import machine_rate, play_scaled, scaled, time_factor
from arena.report.sentences.notes import notes
from arena.report.tables.telemetry import telemetry
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.player import Limit, PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke

ENGLISH = VARIANTS["english"]
RANDOM = PlayerSpec("random", "random")
OWN = '''
import time

from arena import Choice


class Clocked:
    """Keeps the limit that it was built with and is asked with, and sleeps."""

    def __init__(self, variant, seconds: float = 0.0, sleeps: float = 0.0):
        self.seconds, self.sleeps = seconds, sleeps

    def choose(self, game, limit, rng):
        time.sleep(self.sleeps)
        own = {"built": self.seconds, "seconds": limit.seconds or 0, "clock": limit.clock or 0}
        return Choice(rng.choice(game.legal_moves), extra=own | {"nodes": limit.nodes or 0})
'''


@pytest.fixture
def half_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is half as fast as the machine that begins a run."""
    monkeypatch.setattr(scaling, "_own_rate", lambda variant: 2e6)
    monkeypatch.setattr(signature, "machine_rate", lambda variant, workers: 4e6)


def own(folder: Path, name: str, **keys: Any) -> dict[str, Any]:
    (folder / "own.py").write_text(OWN)
    return {"name": name, "type": f"{folder}/own.py:Clocked", "in_process": True, **keys}


def configured(*players: dict[str, Any], **keys: Any) -> dict[str, Any]:
    config = {"name": "t", "variant": "english", "openings": {"count": 1}, "max_plies": 6, "scale_time": True}
    return config | {"players": [*players, {"name": "random", "type": "random"}]} | keys


def test_seconds_clock_and_increment_are_scaled_and_nothing_else() -> None:
    limit = Limit(depth=3, nodes=500, seconds=0.5, clock=10.0, increment=0.25)
    spec = PlayerSpec("a", "negamax", limit, {"preset": "full"})
    assert scaled(spec, 2.0) == PlayerSpec("a", "negamax", Limit(3, 500, 1.0, 20.0, 0.5), {"preset": "full"})
    assert scaled(RANDOM, 2.0) == RANDOM


@pytest.mark.usefixtures("half_as_fast")
def test_a_machine_half_as_fast_gives_twice_the_time_to_all_kinds_of_limits(tmp_path: Path) -> None:
    players = own(tmp_path, "move", seconds=5), own(tmp_path, "game", clock=9, increment=1, nodes=7)
    run = arena.run(configured(*players), tmp_path / "run", workers=1, quiet=True)
    own_numbers = ["player", "extra_built", "extra_seconds", "extra_nodes"]
    assert {*run.moves[own_numbers].dropna().itertuples(index=False, name=None)} == {
        ("move", 10, 10, 0),
        ("game", 0, 0, 7),
    }
    game = run.moves[run.moves["player"] == "game"]
    first = game.drop_duplicates("game")
    assert first["extra_clock"].tolist() == [18] * 4 and first["clock"].between(19, 20).all()
    assert run.games["time_factor"].tolist() == [2.0] * 6
    assert run.data.manifest is not None and run.data.manifest.reference == 4e6


@pytest.mark.usefixtures("half_as_fast")
def test_a_move_is_late_by_the_scaled_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(own(tmp_path, "slow", seconds=0.15, sleeps=0.3), time_margin=0.0)
    late = arena.run(config | {"scale_time": False}, tmp_path / "late", workers=1, quiet=True)
    assert set(late.games["termination"]) == {"time"} and late.games["time_factor"].isna().all()
    monkeypatch.setattr(scaling, "_own_rate", lambda variant: 5e5)
    run = arena.run(config, tmp_path / "run", workers=1, quiet=True)
    assert set(run.games["termination"]) == {"max_plies"}
    assert (run.moves.loc[run.moves["player"] == "slow", "overrun"] == 0).all()


@pytest.mark.usefixtures("half_as_fast")
@pytest.mark.skipif(not are_supported(), reason="seats need Linux")
def test_a_program_is_sent_the_scaled_time(tmp_path: Path) -> None:
    script = Path(__file__).parent / "data" / "engine.py"
    options = {"command": [sys.executable, "-S", "-E", str(script), "crashes"], "folder": str(tmp_path)}
    sent = []
    for limit in (Limit(seconds=1.0), Limit(clock=3.0, increment=1.0)):
        task = task_of(ENGLISH, PlayerSpec("e", "engine", limit, options | {"reserve": 0.5}), RANDOM)
        record = play_scaled(task._replace(opening=parse_fen(ENGLISH, "W:WK32:BK1")), 4e6)
        assert record.incident is not None and record.time_factor == 2.0
        sent += [line for line in record.incident.output.splitlines() if line.startswith("> level")]
    assert sent == ["> level move-time=1.5", "> level time=3.5 inc=2"]


@pytest.mark.usefixtures("half_as_fast")
def test_positions_of_a_suite_are_solved_under_scaled_limits(tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text("variant: english\nW:WK32:BK1 ; 32-28\n")
    config = configured(own(tmp_path, "slow", seconds=0.15, sleeps=0.2), suite=str(suite), time_margin=0.0)
    run = arena.run(config, tmp_path / "run", workers=1, quiet=True)
    assert not run.data.answers["error"].any()


@pytest.mark.usefixtures("half_as_fast")
def test_a_resumed_run_keeps_the_machine_that_it_began_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = arena.play.plan.prepare(arena.experiment.load.load(configured(own(tmp_path, "a", seconds=1))))
    with Ledger(tmp_path / "run", plan.experiment, plan.facts) as ledger:
        signature.begin(plan, ledger, 1)
        monkeypatch.setattr(signature, "machine_rate", lambda variant, workers: 9e6)
        signature.begin(plan, ledger, 1)
        manifest = stored_manifest(ledger)
    assert manifest is not None and (manifest.reference, len(manifest.sessions)) == (4e6, 2)
    run = arena.run(plan.experiment, tmp_path / "run", workers=1, quiet=True)
    assert set(run.games["time_factor"]) == {2.0}


@pytest.mark.parametrize("rate", [1e3, 1e8])
@pytest.mark.usefixtures("half_as_fast")
def test_a_factor_beyond_8_ends_the_run_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: float
) -> None:
    monkeypatch.setattr(scaling, "_own_rate", lambda variant: rate)
    (tmp_path / "c.yaml").write_text(json.dumps(configured(own(tmp_path, "a", seconds=1))))
    result = invoke("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--workers", "1")
    assert result.exit_code == 2
    assert f"'scale_time' multiplies time limits by 0.125 to 8, not by {4e6 / rate:.3g}" in result.output
    assert "Traceback" not in result.output
    for edge in (8 * rate, rate / 8):
        assert 0.125 <= time_factor(ENGLISH, edge) <= 8
    with pytest.raises(EngineError):
        time_factor(ENGLISH, 8.01 * rate)


def test_scaling_without_a_time_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'scale_time' needs a player with a time limit: seconds or clock"):
        arena.run(configured({"name": "a", "type": "negamax", "depth": 2}), tmp_path / "run")


@pytest.mark.usefixtures("half_as_fast")
def test_a_note_has_the_factors_by_machine_and_a_published_page_no_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: "inner-sanctum")
    config = configured(own(tmp_path, "a", seconds=1))
    run = arena.run(config, tmp_path / "run", workers=1, quiet=True, report=True)
    note = "Time limits were scaled to the speed of each machine: by 2.00 on inner-sanctum (2 games)."
    assert note in notes(run)
    result = invoke("report", tmp_path / "run", "--publish", tmp_path / "site")
    assert result.exit_code == 0, result.output
    texts = [path.read_text(errors="replace") for path in (tmp_path / "site").rglob("*.*") if path.is_file()]
    assert not [text for text in texts if "inner-sanctum" in text]
    assert [text for text in texts if "by 2.00 on machine 1 (2 games)" in text]


def test_the_share_of_a_limit_is_that_of_the_scaled_one(tmp_path: Path) -> None:
    spec = PlayerSpec("a", "greedy", Limit(seconds=1.0))
    entry = {"name": "a", "type": "greedy", "seconds": 1.0}
    run = arena.run(configured(entry, scale_time=False), tmp_path / "run", workers=1, quiet=True)
    whole = telemetry(run.games, run.survey, ["a"], [spec])["time_used"].iloc[0]
    games = run.games.assign(time_factor=[4.0, 4.0])
    assert telemetry(games, run.survey, ["a"], [spec])["time_used"].iloc[0] == pytest.approx(whole / 4)


@pytest.mark.parametrize(("workers", "searches"), [(1, 1), (2, 2), (9, 2), ("cluster.yaml", 2)])
def test_the_rate_of_a_machine_is_the_mean_of_the_best_of_as_many_searches_at_once(
    workers: Workers, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(searches, timeout=60)
    rates = defaultdict[int, Iterator[float]](partial(count, 1e6, 1e6))

    def searched(_: object, limit: Limit) -> float:
        if limit.nodes == 1:
            return 9e9
        together.wait()
        return next(rates[threading.get_ident()])

    monkeypatch.setattr(scaling, "_searched", searched)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert machine_rate(ENGLISH, workers) == 5e6
    assert len(rates) == searches


def test_the_rate_of_a_process_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "_own_rate", cache(scaling._own_rate.__wrapped__))
    measured = count(1e6, 1e6)
    monkeypatch.setattr(scaling, "machine_rate", lambda variant: next(measured))
    assert time_factor(ENGLISH, 1e6) == time_factor(ENGLISH, 1e6) == 1


def test_processes_of_this_machine_play_with_factors_near_1(tmp_path: Path) -> None:
    run = arena.run(configured(own(tmp_path, "a", seconds=1)), tmp_path / "run", workers=2, quiet=True)
    assert run.games["time_factor"].between(0.5, 2).all()
