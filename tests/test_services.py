"""Players that ask a service: what happens when it does not answer, and what it costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.hosting.player_process import close_held
from arena.play import match
from arena.play.tournament import RunPaused
from arena.rules.variants import VARIANTS
from players.player import Allowance, PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke

OWN = '''
from pathlib import Path

from arena import Choice, GaveUp, NotReachable

HERE = Path(__file__).parent


class Service:
    """Asks a service that is down while there is a file `down`; each answer is a line of `asked`."""

    def __init__(self, variant, gives_up_at: int = 1000, costs: bool = False):
        self.gives_up_at, self.costs = gives_up_at, costs

    def choose(self, game, limit, rng):
        ply = len(game.moves) + 1
        with open(HERE / "asked", "a") as asked:
            asked.write(f"{ply}\\n")
        if ply > 4 and (HERE / "down").exists():
            raise NotReachable("no route\\nto host")
        if ply >= self.gives_up_at:
            raise GaveUp("no move in 'e2e4'", extra={"tokens": 40})
        return Choice(rng.choice(game.legal_moves), extra={"tokens": 10})
'''


@pytest.fixture(params=[False, True], ids=["own process", "in process"])
def service(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A configuration of four games between a player that asks a service and one that does not."""
    monkeypatch.setattr(match, "_REST_SECONDS", 0.0)
    (tmp_path / "own.py").write_text(OWN)
    asking = {"name": "asks", "type": f"{tmp_path}/own.py:Service", "in_process": request.param}
    players = [asking, {"name": "random", "type": "random"}]
    return {"name": "t", "variant": "english", "openings": {"count": 2}, "max_plies": 20, "players": players}


def played(config: dict[str, Any], folder: Path) -> arena.Run:
    try:
        return arena.run(config, folder, workers=1, quiet=True)
    finally:
        close_held()


def test_a_game_without_reaching_a_player_has_no_result_and_is_played_later(
    service: dict[str, Any], tmp_path: Path
) -> None:
    whole = played(service, tmp_path / "whole")
    (tmp_path / "down").touch()
    with pytest.raises(RunPaused) as paused:
        played({**service, "unreachable": 2}, tmp_path / "parts")
    assert str(paused.value) == "game 1: asks was not reachable: no route to host at ply 6"
    assert not len(arena.load(tmp_path / "parts").games) and not (tmp_path / "parts" / "incidents").exists()
    (tmp_path / "down").unlink()
    parts = played(service, tmp_path / "parts")
    assert parts.moves["move"].tolist() == whole.moves["move"].tolist()
    assert set(parts.games["termination"]) == set(whole.games["termination"])


def test_a_game_is_played_as_often_as_allowed_without_reaching_a_player(
    service: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "down").touch()
    entry = service["players"][0]
    asking = PlayerSpec("asks", entry["type"], in_process=entry["in_process"])
    task = task_of(VARIANTS["english"], asking, PlayerSpec("random", "random"))
    record = match.play(task._replace(allowance=Allowance(unreachable=3, attempts=5)))
    close_held()
    assert (record.result, record.incident) == ("*", None)
    assert record.error == "asks was not reachable: no route to host at ply 6"
    assert (tmp_path / "asked").read_text().split() == ["2", "4", "6"] * 3


def test_a_player_that_gives_up_loses_and_its_numbers_of_that_move_count(
    service: dict[str, Any], tmp_path: Path
) -> None:
    service["players"][0]["gives_up_at"] = 5
    run = played(service | {"withdraw": 0}, tmp_path / "run")
    assert set(run.games["termination"]) == {"illegal_move"}
    ply = run.games["plies"] + 1
    assert run.games["error"].tolist() == [f"asks gave up: no move in 'e2e4' at ply {one}" for one in ply]
    moves = run.moves
    asked = moves["player"] == "asks"
    assert moves.loc[asked, "extra_tokens"].tolist() == [10.0] * int(asked.sum())
    assert moves.loc[~asked, "extra_tokens"].isna().all()
    assert run.extras["sum"].tolist() == [10 * asked.sum() + 40 * len(run.games)]
    assert run.extras["moves"].tolist() == [asked.sum() + len(run.games)]


def test_the_command_says_who_was_not_reachable_and_how_to_resume(service: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(json.dumps(service))
    (tmp_path / "down").touch()
    result = invoke("run", tmp_path / "config.yaml", "--out", tmp_path / "out", "--workers", "1")
    assert result.exit_code == 130, result.output
    assert "game 1: asks was not reachable: no route" in result.output
    assert result.output.splitlines()[-1] == "stopped; rerun the same command to resume"


def test_nothing_but_games_asks_a_player_that_costs(service: dict[str, Any], tmp_path: Path) -> None:
    config, asked = tmp_path / "config.yaml", tmp_path / "asked"
    service["players"][0]["costs"] = True
    config.write_text(json.dumps(service))
    doctor = invoke("doctor", config)
    assert doctor.exit_code == 0 and not asked.exists(), doctor.output
    plan = invoke("plan", config, "--workers", "1")
    assert plan.exit_code == 2 and not asked.exists(), plan.output
    assert plan.output.splitlines() == [
        "t: 4 games",
        "asks would cost money: --pilot GAMES measures that many games",
    ]
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", "1", "--no-report")
    assert result.exit_code == 0, result.output
    run = arena.load(tmp_path / "out")
    assert len(asked.read_text().split()) == (run.moves["player"] == "asks").sum()
    assert run.data.manifest is not None and run.data.manifest.signatures["asks"] is None


def test_a_run_stops_when_its_budget_is_spent_and_resumes_with_a_larger_one(
    service: dict[str, Any], tmp_path: Path
) -> None:
    whole = played(service, tmp_path / "whole")
    for _ in range(2):
        with pytest.raises(RunPaused, match="the budget is spent: 200 of 150 tokens; a larger one"):
            played(service | {"budget": {"tokens": 150, "calls": 1}}, tmp_path / "parts")
        assert arena.load(tmp_path / "parts").games["game"].tolist() == [1, 2]
    for budget in (400, 500):
        parts = played(service | {"budget": {"tokens": budget}}, tmp_path / "parts")
        assert parts.moves["move"].tolist() == whole.moves["move"].tolist()
        (tmp_path / "parts" / "ledger.sqlite").unlink()
