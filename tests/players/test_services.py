"""Players that ask a service: what happens when it does not answer, and what it costs."""

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
from players.player import Pause
from tests.helpers.command_line import invoke

OWN = '''
from pathlib import Path

from arena import Choice, Pause, Resign

HERE = Path(__file__).parent


class Service:
    """Asks a service that is down while there is a file `down`; each answer is a line of `asked`."""

    def __init__(self, variant, resigns_at: int = 1000, costs: bool = False):
        self.resigns_at, self.costs = resigns_at, costs

    def choose(self, game, limit, rng):
        ply = len(game.moves) + 1
        with open(HERE / "asked", "a") as asked:
            asked.write(f"{ply}\\n")
        if ply > 4 and (HERE / "down").exists():
            raise Pause("no route\\nto host")
        if ply >= self.resigns_at:
            raise Resign()
        return Choice(rng.choice(game.legal_moves), extra={"tokens": 10})
'''


@pytest.fixture
def service(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """A configuration of four games between a player that asks a service and one that does not."""
    (tmp_path / "own.py").write_text(OWN)
    players = [{"name": "asks", "type": f"{tmp_path}/own.py:Service"}, {"name": "random", "type": "random"}]
    yield {"name": "t", "variant": "english", "openings": {"count": 2}, "max_plies": 20, "players": players}
    close_players()


@pytest.mark.full
def test_a_player_pauses_the_run_which_stores_nothing_of_that_game_and_goes_on_by_the_same_command(
    service, tmp_path
):
    service["players"][0]["costs"] = True
    whole, config, out = arena.run(service, tmp_path / "whole", workers=1), tmp_path / "t.yaml", tmp_path / "out"
    config.write_text(yaml.safe_dump(service))
    (tmp_path / "down").touch()
    for _ in range(2):
        result = invoke("run", config, "--out", out, "--workers", 1, "--no-report")
        assert result.exit_code == 2
        why = "asks paused the run: no route to host; all that is finished is kept in"
        assert why in result.stderr.splitlines()[-1] and not len(arena.load(out).games)
    with pytest.raises(Pause, match=r"^asks paused the run: no route to host$"):
        arena.run(service, out, workers=1, quiet=True)
    (tmp_path / "down").unlink()
    assert invoke("run", config, "--out", out, "--workers", 1, "--no-report").exit_code == 0
    assert arena.load(out).moves["move"].tolist() == whole.moves["move"].tolist()


def test_a_player_that_resigns_loses_and_has_not_failed(service, tmp_path):
    service["players"][0]["resigns_at"] = 5
    run = arena.run(service, tmp_path / "run", workers=1, quiet=True)
    assert set(run.games["termination"]) == {"resigned"} and not run.games["error"].any()
    assert ((run.games["white"] == "asks") == (run.games["result"] == "black")).all()
    assert not run.data.failures and not run.data.withdrawn


@pytest.mark.full
def test_nothing_but_games_asks_a_player_that_costs(service, tmp_path):
    config, asked = tmp_path / "config.yaml", tmp_path / "asked"
    service["players"][0]["costs"] = True
    config.write_text(json.dumps(service))
    checked = invoke("check", config, "--workers", "1")
    assert checked.exit_code == 0 and not asked.exists(), checked.output
    assert "asks would cost money" in checked.stdout
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
    return config | changes


def means_of(run: arena.Run) -> dict[str, float]:
    """The means of the model's own numbers, by name."""
    of_model = run.effort.set_index("player").filter(like="extra_").reindex(["model"]).iloc[0].dropna()
    return {str(name).removeprefix("extra_"): value for name, value in of_model.items()}


@pytest.mark.full
def test_a_language_model_plays_and_its_numbers_are_in_the_report(model, tmp_path):
    run = arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True, report=True)
    assert set(run.games["termination"]) == {"max_plies"} and not run.games["error"].any()
    moves = int((run.moves["player"] == "model").sum())
    assert means_of(run) == pytest.approx({"attempts": 1, "legal_first": 1, "tokens": 100, "usd": 110e-6})
    assert len(model.seen) == moves
    assert {key for key, _ in model.seen} == {f"Bearer {KEY}"}
    assert "Men capture forward only." in model.seen[0][1][0]["content"]
    replies = (tmp_path / "out" / "replies.jsonl").read_text().splitlines()
    assert len(replies) == moves and "[key]" in replies[0]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 10 and not [path for path in written if KEY.encode() in path.read_bytes()]


@pytest.mark.full
def test_a_language_model_has_a_second_try_and_then_resigns(model, tmp_path):
    model.mode = "illegal first"
    run = arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True)
    assert means_of(run) == pytest.approx({"attempts": 2, "legal_first": 0, "tokens": 200, "usd": 220e-6})
    assert not run.games["error"].any()
    model.mode = "garbage"
    lost = arena.run(of_model(model, tmp_path) | {"name": "lost"}, tmp_path / "lost", workers=1, quiet=True)
    assert set(lost.games["termination"]) == {"resigned"} and not means_of(lost)
    assert KEY.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "lost").rglob("*.*"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("mode", "reason"),
    [("truncated", "IncompleteRead"), ("slow", "timed out|TimeoutError"), ("unavailable", "HTTP 503")],
)
def test_a_language_model_that_is_not_reachable_loses_nothing(model, tmp_path, mode, reason):
    model.mode = mode
    with pytest.raises(Pause, match=f"model paused the run: .*({reason})"):
        arena.run(of_model(model, tmp_path), tmp_path / "out", workers=1, quiet=True)
    assert not len(arena.load(tmp_path / "out").games)
