"""Tests of tournaments played from Python: what the command line plays, and errors as exceptions."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import arena
from arena.experiment.load import load
from arena.ledger.ledger import StoreError
from arena.report.joint import load_joint
from players.loading import own_code
from tests.helpers.command_line import invoke
from tests.helpers.report_data import repeatable

CONFIG: dict[str, Any] = {
    "name": "from-python",
    "variant": "english",
    "seed": 3,
    "openings": {"random_plies": 4, "count": 2},
    "max_plies": 60,
    "players": [
        {"name": "r", "type": "random"},
        {"name": "n{depth}", "type": "negamax", "sweep": {"depth": [1, 2]}},
    ],
}
YAML = yaml.safe_dump(CONFIG, sort_keys=False)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.full
def test_a_mapping_a_file_and_the_command_line_play_the_same_tournament_which_is_reported_when_asked(
    here, capsys, monkeypatch, no_pictures
):
    (here / "run.yaml").write_text(YAML)
    assert invoke("run", here / "run.yaml", "--out", here / "typed", "--workers", 1, "--no-report").exit_code == 0
    typed = arena.load(here / "typed")
    mapped = arena.run(CONFIG, workers=1, quiet=True)
    assert capsys.readouterr() == ("", "")
    filed = arena.run(here / "run.yaml", here / "filed", workers=1)
    assert "12/12 games" in capsys.readouterr().err
    again = arena.run(filed.experiment, here / "again", workers=1, quiet=True)
    assert mapped.folder == Path("reports/from-python") and not (mapped.folder / "report.html").exists()
    for run in (mapped, filed, again):
        assert run.data.order is not None and len(run.games) == 12
        pd.testing.assert_frame_equal(repeatable(run.moves), repeatable(typed.moves))
        pd.testing.assert_frame_equal(run.standings[["player", "elo"]], typed.standings[["player", "elo"]])
    monkeypatch.setattr("arena.play.carry_out.play_game", None)
    second = arena.run(CONFIG, workers=1, quiet=True, report=True)
    pd.testing.assert_frame_equal(second.games, mapped.games)
    assert (mapped.folder / "report.html").exists()


# --- what the command line says and does, Python does


OWN = """\
from arena import Choice, evaluator, features

@evaluator
def turned(position, rules):
    own, other = position.turn, 1 - position.turn
    return features.pieces(position, rules, other) - features.pieces(position, rules, own)

class Costly:
    def __init__(self, variant): pass
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], extra={"tokens": 1})

class Fails(Costly):
    def choose(self, game, limit, rng):
        raise RuntimeError("no answer")
"""
HEAD = "name: t\nvariant: english\nopenings: {random_plies: 4, count: 2}\nmax_plies: 12\n"


@pytest.fixture
def config(here: Path) -> Path:
    """A file in a folder of its own, whose players' file stands beside it."""
    (here / "deep").mkdir()
    (here / "deep" / "own.py").write_text(OWN)
    return here / "deep" / "run.yaml"


@pytest.mark.full
def test_each_run_of_rule_sets_and_limits_is_played_and_returned_by_its_name(here):
    config = {key: value for key, value in CONFIG.items() if key != "variant"}
    config |= {"variants": ["english", "russian"], "openings": {"count": 1}, "players": ["random", "greedy"]}
    runs: Any = arena.run(config, workers=1, quiet=True)
    folder = Path("reports") / "from-python"
    assert list(runs) == ["english", "russian"] == list(load_joint(folder).runs)
    loaded: Any = arena.load(folder)
    assert list(loaded) == list(runs)
    for name, run in loaded.items():
        pd.testing.assert_frame_equal(run.games, runs[name].games)
    assert [run.experiment.variant for run in runs.values()] == list(runs)
    assert [len(run.games) for run in runs.values()] == [2, 2]


@pytest.mark.full
def test_an_experiment_keeps_all_that_its_file_says(config):
    config.write_text(
        HEAD + "workers: 1\nsuite: {name: english-shots, count: 2}\ngrade: {pieces: 0, judge: simple@d2}\n"
        'players:\n  - {name: a, type: random}\n  - {name: b, type: "own.py:Costly"}\n'
    )
    run = arena.run(load(config), "out", quiet=True)
    assert len(run.games) == 4 and len(run.data.answers) and len(run.data.graded) == 4
    assert run.info.session is not None and run.info.session.workers == 1
    assert run.experiment.model_dump() == load(config).model_dump()
    again = arena.run(run.experiment, "again", quiet=True)
    assert len(again.data.answers) == len(run.data.answers) and len(again.data.graded) == 4
    pd.testing.assert_frame_equal(repeatable(again.moves), repeatable(run.moves))


@pytest.mark.full
def test_a_users_python_is_tried_and_played_without_a_fork_of_the_calling_process(config, monkeypatch):
    """A notebook's threads may hold locks, for which a fork would wait for ever."""
    monkeypatch.setattr("arena.play.workers.own_code", own_code)
    monkeypatch.setattr("os.fork", None)
    config.write_text(HEAD + 'players:\n  - {name: a, type: random}\n  - {name: b, type: "own.py:Costly"}\n')
    assert len(arena.run(config, "out", workers=1, quiet=True).games) == 4


@pytest.mark.full
def test_what_is_wrong_with_own_code_is_said_and_its_failures_are_a_warning(config, capsys):
    config.write_text(
        HEAD + "players:\n  - {name: a, type: random}\n  - {name: b, type: greedy, evaluation: own.py:turned}\n"
        '  - {name: c, type: "own.py:Fails"}\n'
    )
    with pytest.warns(UserWarning, match=r"out: .*c was withdrawn.*b: its evaluation .*the sign"):
        run = arena.run(config, "out", workers=1)
    said = capsys.readouterr().err
    assert "is the sign right?" in said and "no answer" in said
    assert [finding.where for finding in run.info.found] == ["b", "c"]


def test_what_cannot_be_played_is_an_exception_of_one_line_with_its_keys(here):
    twice: tuple[Any, ...] = ({"name": "a", "type": "randm"}, {"name": "b", "type": "random"})
    wrong: tuple[dict[str, Any], ...] = ({"variant": "englsh"}, {"players": twice}, {"players": []})
    for changes in wrong:
        with pytest.raises(ValueError, match=r"^config\[[^\n]*$"):
            arena.run(CONFIG | changes)
    assert not (here / "reports").exists()
    with pytest.raises(ValueError, match=r"^nothing.yaml: cannot read the file"):
        arena.run("nothing.yaml")
    (here / "bad.yaml").write_text(YAML.replace("seed: 3", "seed: -3").replace("plies: 60", "plies: 0"))
    with pytest.raises(ValueError, match=r"^bad.yaml:3:.*; bad.yaml:7:[^\n]*$"):
        arena.run("bad.yaml")
    none: tuple[Any, ...] = (0, -1, 1.5, True, "somewhere")
    for workers in none:
        with pytest.raises(ValueError, match=r"^[^\n]*must be[^\n]*$"):
            arena.run(CONFIG, "out", workers=workers, quiet=True)
    arena.run(CONFIG, "out", workers=1, quiet=True)
    with pytest.raises(StoreError, match=r"^out holds a run with another seed \(3 there, 4 here\)"):
        arena.run(CONFIG | {"seed": 4}, "out", workers=1, quiet=True)
