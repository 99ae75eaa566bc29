"""What a run keeps of how it was played, and a run that is resumed with other versions, or edited files."""

import os
import sys
from pathlib import Path

import pytest
from click.testing import Result

import arena
from arena.experiment.load import KEPT_CONFIG, load
from arena.ledger.info import RunInfo, session
from arena.ledger.ledger import Ledger, run_in
from arena.play.carry_out import available
from arena.play.prepare import prepare
from arena.report.sentences.cautions import cautions
from tests.helpers.command_line import error_line, invoke
from tests.helpers.runs import playing

pytestmark = pytest.mark.usefixtures("no_pictures")
OWN = """\
from arena import Choice

class Own:
    def __init__(self, variant): pass
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])
"""
CONFIG = """\
name: t
variant: english
seed: 7
openings: {random_plies: 4, count: 2}
max_plies: 20
players:
  - {name: steady, type: greedy}
  - {name: own, type: "own.py:Own"}
  - {name: deep, type: negamax, depth: 2}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "t.yaml").write_text(CONFIG)
    return tmp_path / "t.yaml"


def begin_again(config: Path) -> None:
    plan = prepare(load(config))
    with Ledger(config.parent / "out", plan.experiment, plan.info) as ledger:
        ledger.begin(plan.info, session(0, 2))


def info(config: Path) -> RunInfo:
    stored = run_in(config.parent / "out")
    assert stored is not None
    return stored[1]


def run(config: Path, *options: str) -> Result:
    out = config.parent / "out"
    return invoke("run", str(config), "--out", str(out), "--workers", "1", *options)


def test_a_run_says_what_it_is_made_of_and_when_it_went_on_and_a_complete_one_is_left_alone(config):
    begin_again(config)
    first = info(config)
    assert run(config, "--no-report").exit_code == 0
    found = info(config)
    assert found.file == str(config) and list(found.players) == ["steady", "own", "deep"]
    [(path, mark)] = found.players["own"].files.items()
    assert first.session is not None and found.session is not None
    assert (found.session.games, found.session.workers, found.session.process) == (0, 1, os.getpid())
    assert found.began == first.began == first.session.began <= found.session.began
    assert found.versions["python"] == sys.version.split()[0] and found.versions["numba"]
    assert found.machine["cores"] >= 1
    assert run(config, "--no-report").exit_code == 0
    assert info(config) == found

    kept = config.parent / "out" / KEPT_CONFIG
    assert all(f"\n# {line}\n" in kept.read_text() for line in found.facts())
    assert (kept.parent / "files" / mark / path).read_text() == OWN
    assert load(kept).as_dict()["openings"] == load(config).as_dict()["openings"]
    kept.write_text("mine: true\n")
    assert run(config, "--no-report").exit_code == 0 and kept.read_text() == "mine: true\n"


def test_the_workers_of_a_run_are_as_many_as_the_cores_that_its_process_may_use(config, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    begin_again(config)
    assert info(config).machine["cores"] == available(None, print) == 1


@pytest.mark.parametrize(
    ("limit", "workers", "is_said"), [("seconds: 1", 2, True), ("depth: 2", 2, False), ("seconds: 1", 1, False)]
)
def test_more_workers_than_cores_are_said_before_the_games_where_time_is_limited(
    limit, workers, is_said, config, monkeypatch
):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    config.write_text(CONFIG.replace("depth: 2", limit))
    assert bool(list(prepare(load(config)).warnings(workers))) == is_said


def test_a_run_of_other_versions_is_refused_unless_forced_and_its_report_says_so(config, monkeypatch):
    begin_again(config)
    before = info(config)
    here = dict(before.versions)
    monkeypatch.setattr("arena.ledger.ledger.versions", lambda: here | {"python": "9.9"})
    refused = run(config)
    assert refused.exit_code == 2 and info(config) == before
    others = f"python {here['python']} then, 9.9 now"
    line = error_line(refused.stderr)
    assert str(config.parent / "out") in line and others in line and "--force" in line
    assert run(config, "--no-report", "--force").exit_code == 0
    after = info(config)
    assert (after.versions, after.forced) == (here, others)
    monkeypatch.undo()
    begin_again(config)
    assert info(config).forced == others
    assert sum(others in note for note in cautions(arena.load(config.parent / "out"))) == 1
    config.write_text(CONFIG.replace("seed: 7", "seed: 8"))
    line = error_line(run(config, "--force").stderr)
    assert "another seed" in line and "--force" not in line


@pytest.mark.full
def test_a_file_that_is_edited_while_a_run_plays_is_not_taken_up(config):
    config.with_name("own.py").write_text(
        OWN.replace("import Choice", "import Choice\nimport helper").replace("[0]", "[0], depth=helper.DEPTH")
    )
    config.with_name("helper.py").write_text("DEPTH = 3\n")
    out = config.parent / "out"
    plan = prepare(load(config), out)
    config.with_name("helper.py").write_text("DEPTH = 4\n")
    config.with_name("own.py").write_text(OWN)
    with Ledger(out, plan.experiment, plan.info) as ledger:
        assert {record.error for record in playing(plan, ledger)} == {""}
    moves = arena.load(out).moves
    assert set(moves[moves["player"] == "own"]["depth"]) == {3}
    assert list(plan.info.players["own"].files) == ["helper.py", "own.py"]
    assert "own changed: its games are played again" in run(config, "--no-report").stderr
    moves = arena.load(out).moves
    assert not (moves[moves["player"] == "own"]["depth"] == 3).any()
