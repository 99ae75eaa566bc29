"""Players that ask a service: what happens when it does not answer, and what it costs."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

import arena
from arena import Game
from arena.hosting.player_process import close_players
from arena.play import match
from arena.play.options.option import RunPaused
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
            raise NotReachable("no route\\nto host", extra={"tokens": 5})
        if ply >= self.gives_up_at:
            raise GaveUp("no move in 'e2e4'", extra={"tokens": 40})
        return Choice(rng.choice(game.legal_moves), extra={"tokens": 10})
'''


in_both = pytest.mark.parametrize("service", [True, False], ids=["in process", "own process"], indirect=True)
"""A player in the arena's own process, and one in its own."""


@pytest.fixture
def service(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A configuration of four games between a player that asks a service and one that does not."""
    monkeypatch.setattr(match, "_REST_SECONDS", 0.0)
    (tmp_path / "own.py").write_text(OWN)
    entry = {"type": f"{tmp_path}/own.py:Service", "in_process": getattr(request, "param", True)}
    players = [{"name": "asks", **entry}, {"name": "random", "type": "random"}]
    return {"name": "t", "variant": "english", "openings": {"count": 2}, "max_plies": 20, "players": players}


def played(config: dict[str, Any], folder: Path) -> arena.Run:
    try:
        return arena.run(config, folder, workers=1, quiet=True)
    finally:
        close_players()


@in_both
@pytest.mark.full(but=["in process"])
def test_a_game_without_reaching_a_player_is_played_later_and_what_it_used_is_in_the_budget(
    service: dict[str, Any], tmp_path: Path
) -> None:
    whole, folder = played(service, tmp_path / "whole"), tmp_path / "parts"
    (tmp_path / "down").touch()
    for _ in range(2):
        with pytest.raises(RunPaused) as paused:
            played(service | {"failures": {"unreachable": 2}}, folder)
        assert str(paused.value) == "game 1: asks was not reachable: no route to host at ply 6"
        assert not len(arena.load(folder).games) and not (folder / "incidents").exists()
    (tmp_path / "down").unlink()
    with pytest.raises(RunPaused, match="the budget is spent: 200 of 200 tokens"):
        played(service | {"budget": {"tokens": 200}}, folder)
    run = arena.load(folder)
    assert run.games["game"].tolist() == [1] and run.extras["sum"].tolist() == [100]
    parts = played(service | {"budget": {"tokens": 500}}, folder)
    assert parts.moves["move"].tolist() == whole.moves["move"].tolist()
    assert set(parts.games["termination"]) == set(whole.games["termination"])


@pytest.mark.full
def test_a_budget_of_a_number_that_no_player_reports_ends_the_run_if_it_is_like_one_and_is_said_else(
    service: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match=r"config\['budget'\]\['token'\]: .*'tokens'"):
        played(service | {"budget": {"token": 15}}, folder)
    assert len(arena.load(folder).games) == 1
    arena.run(service | {"budget": {"tokens": 10_000, "dollars": 1}}, folder, workers=1)
    assert len(arena.load(folder).games) == 4 and "no player has reported dollars\n" in capsys.readouterr().err
    close_players()


@pytest.mark.full
def test_a_spent_budget_and_an_unreachable_service_have_exit_codes_of_their_own(
    service: dict[str, Any], tmp_path: Path
) -> None:
    config, out = tmp_path / "t.yaml", tmp_path / "out"

    def ended(**more: Any) -> tuple[int, bool]:
        config.write_text(yaml.safe_dump(service | more))
        result = invoke("run", config, "--out", out, "--workers", 1, "--no-report")
        close_players()
        return result.exit_code, "rerun the same command" in result.stdout

    assert ended(budget={"tokens": 15}) == (6, False)
    (tmp_path / "down").touch()
    assert ended() == (7, True)
    (tmp_path / "down").unlink()
    assert ended() == (0, False)


@in_both
@pytest.mark.full(but=["own process"])
def test_a_game_is_played_as_often_as_allowed_without_reaching_a_player(
    service: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "down").touch()
    entry = service["players"][0]
    asking = PlayerSpec("asks", entry["type"], in_process=entry["in_process"])
    task = task_of(VARIANTS["english"], asking, PlayerSpec("random", "random"))
    record = match.play(task._replace(allowance=Allowance(unreachable=3)))
    close_players()
    assert (record.result, record.incident) == ("*", None)
    assert record.error == "asks was not reachable: no route to host at ply 6"
    assert (tmp_path / "asked").read_text().split() == ["2", "4", "6"] * 3


@in_both
@pytest.mark.full
def test_a_player_that_gives_up_loses_and_its_numbers_of_that_move_count(
    service: dict[str, Any], tmp_path: Path
) -> None:
    service["players"][0]["gives_up_at"] = 5
    run = played(service | {"failures": {"disqualify_after": 0}}, tmp_path / "run")
    assert set(run.games["termination"]) == {"illegal_move"}
    ply = run.games["plies"] + 1
    assert run.games["error"].tolist() == [f"asks gave up: no move in 'e2e4' at ply {number}" for number in ply]
    moves = run.moves
    asked = moves["player"] == "asks"
    assert (moves.loc[asked, "extra_tokens"] == 10).all() and moves.loc[~asked, "extra_tokens"].isna().all()
    assert run.extras["sum"].tolist() == [10 * asked.sum() + 40 * len(run.games)]
    assert run.extras["moves"].tolist() == [asked.sum() + len(run.games)]


@pytest.mark.full
def test_nothing_but_games_asks_a_player_that_costs(service: dict[str, Any], tmp_path: Path) -> None:
    config, asked = tmp_path / "config.yaml", tmp_path / "asked"
    service["players"][0]["costs"] = True
    config.write_text(json.dumps(service))
    doctor = invoke("doctor", config)
    assert doctor.exit_code == 0 and not asked.exists(), doctor.output
    plan = invoke("plan", config, "--workers", "1")
    assert plan.exit_code == 2 and not asked.exists(), plan.output
    assert "--pilot GAMES" in plan.output.splitlines()[-1]
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", "1", "--no-report")
    assert result.exit_code == 0, result.output
    run = arena.load(tmp_path / "out")
    assert len(asked.read_text().split()) == (run.moves["player"] == "asks").sum()


# --- the language model of configs/llm_player.py, against a server on this machine

KEY = "sk-nobody-may-see-this"


class Model(ThreadingHTTPServer):
    """A server of chat completions that answers as `mode` says."""

    mode = "legal"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Completions)
        self.seen: list[tuple[str | None, list[dict[str, str]]]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class Completions(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.headers["Authorization"], asked["messages"]))
        mode, first = self.server.mode, len(asked["messages"]) == 2
        fen = re.findall(r"FEN: (\S+)", asked["messages"][1]["content"])[0]
        move = Game("english", fen).legal_texts[-1]
        reply = f'I see {{"move": "1-32"}}, but {{"move": "{move}"}} is better. {{"key": "{KEY}"}}'
        if mode == "garbage" or (mode == "illegal first" and first):
            reply = f"e2e4, says {KEY}" if mode == "garbage" else '{"move": "1-32"}'
        if mode == "slow":
            time.sleep(4.0)
        content = {"choices": [{"message": {"content": reply}}]}
        body = json.dumps(content | {"usage": {"prompt_tokens": 90, "completion_tokens": 10}}).encode()
        with suppress(OSError):
            self.send_response(503 if mode == "unavailable" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:20] if mode == "truncated" else body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    monkeypatch.setattr(match, "_REST_SECONDS", 0.0)
    monkeypatch.setenv("MODEL_KEY", KEY)
    with Model() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    close_players()


def of_model(model: Model, folder: Path, **changes: Any) -> dict[str, Any]:
    """A configuration of two games between the model and random moves; its replies are kept beside the ledger."""
    shutil.copy(Path(__file__).parents[2] / "configs" / "llm_player.py", folder)
    entry = {
        "name": "model", "type": f"{folder}/llm_player.py:LanguageModel", "url": model.url, "model": "m",
        "key": "MODEL_KEY", "timeout": 2.0, "usd_in": 1.0, "usd_out": 2.0,
        "replies": str(folder / "out" / "replies.jsonl"),
    }  # fmt: skip
    players = [entry, {"name": "random", "type": "random"}]
    config = {"name": "llm", "variant": "english", "openings": {"count": 1}, "max_plies": 12, "players": players}
    return config | {"failures": {"unreachable": 1, "disqualify_after": 0}} | changes


@pytest.mark.full
def test_a_language_model_plays_and_its_numbers_are_in_the_report(model: Model, tmp_path: Path) -> None:
    run = arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True, report=True)
    assert set(run.games["termination"]) == {"max_plies"} and not run.games["error"].any()
    moves = int((run.moves["player"] == "model").sum())
    sums = dict(zip(run.extras["extra"], run.extras["sum"], strict=True))
    assert sums == pytest.approx(
        {"attempts": moves, "legal_first": moves, "tokens": 100 * moves, "usd": 110e-6 * moves}
    )
    assert len(model.seen) == moves
    assert {key for key, _ in model.seen} == {f"Bearer {KEY}"}
    assert "Men capture forward only." in model.seen[0][1][0]["content"]
    replies = (tmp_path / "out" / "replies.jsonl").read_text().splitlines()
    assert len(replies) == moves and "[key]" in replies[0]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 10 and not [path for path in written if KEY.encode() in path.read_bytes()]


@pytest.mark.full
def test_a_language_model_has_a_second_try_and_then_gives_up(model: Model, tmp_path: Path) -> None:
    model.mode = "illegal first"
    run = arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True)
    means = dict(zip(run.extras["extra"], run.extras["per_move"], strict=True))
    assert means == pytest.approx({"attempts": 2, "legal_first": 0, "tokens": 200, "usd": 220e-6})
    assert not run.games["error"].any()
    model.mode = "garbage"
    lost = arena.run(of_model(model, tmp_path) | {"name": "lost"}, tmp_path / "lost", workers=1, quiet=True)
    assert set(lost.games["termination"]) == {"illegal_move"}
    assert lost.games["error"].str.contains("gave up: no legal move in 2 replies, in the last no JSON").all()
    assert lost.extras["moves"].tolist() == [2] * 4
    assert KEY.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "lost").rglob("*.*"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("mode", "reason"),
    [("truncated", "IncompleteRead"), ("slow", "timed out|TimeoutError"), ("unavailable", "HTTP 503")],
)
def test_a_language_model_that_is_not_reachable_loses_nothing(
    model: Model, tmp_path: Path, mode: str, reason: str
) -> None:
    model.mode = mode
    with pytest.raises(RunPaused, match=f"game 1: model was not reachable: .*({reason}).* at ply"):
        arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True)
    assert not len(arena.load(tmp_path / "out").games)
