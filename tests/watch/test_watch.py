"""Runs that are watched: the routes that show them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import arena
from arena.board.game import BoardGame, Thought
from arena.board.sides import Side
from arena.ledger.ledger import FILE
from arena.report.files import pdn_games
from arena.rules.game import Game
from arena.rules.notation import parse_fen
from arena.rules.played import PlayedGame
from arena.rules.variants import VARIANTS
from arena.watch.live import read_moment
from arena.web.documents import played_documents, turn_document
from arena.web.runs import SANDBOX
from players.player import Choice
from tests.helpers.command_line import invoke
from tests.helpers.watched import DOCUMENT, NAMES
from tests.helpers.web_server import Served
from tests.helpers.web_server import served as serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run `deep/watched` and its report's page, and what must not be seen."""
    root = tmp_path_factory.mktemp("served")
    (root / "run.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    folder = root / "reports" / "deep" / "watched"
    assert invoke("run", root / "run.yaml", "--out", folder, "--workers", 1, "--no-report").exit_code == 0
    (folder / "report.html").write_text("<script>mine</script>", encoding="utf-8")
    (folder / "elo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' id='mine'/>", encoding="utf-8")
    (root / "secret.svg").write_text("secret", encoding="utf-8")
    (folder / "out.svg").symlink_to(root / "secret.svg")
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / FILE).write_bytes((folder / FILE).read_bytes())
    (root / "reports" / "linked").symlink_to(elsewhere)
    inside = root / "reports" / "inside"
    inside.mkdir()
    (inside / FILE).symlink_to(elsewhere / FILE)
    (folder / "manifest.svg").symlink_to(folder / "manifest.json")
    damaged = root / "reports" / "damaged"
    damaged.mkdir()
    (damaged / FILE).write_text("no ledger")
    return root / "reports"


@pytest.fixture(scope="module")
def at(served: Path) -> Iterator[Served]:
    with serving(served) as found:
        yield found


@pytest.fixture(scope="module")
def client(at: Served) -> httpx.Client:
    return at.client


def files(client: httpx.Client) -> str:
    """The path below which files of runs are."""
    return str(client.get("/api/offer").json()["files"])


def test_runs_are_listed_and_none_by_a_link_out_of_the_folder(client: httpx.Client) -> None:
    runs = client.get("/api/runs").json()["runs"]
    assert [run["run"] for run in runs] == ["deep/watched", "damaged"]
    assert runs[0]["games"] == 4
    assert [standing["player"] for standing in runs[0]["standings"]] == [NAMES[0]]
    assert "damaged" in runs[1]["error"] or "cannot be read" in runs[1]["error"]


def test_a_run_says_its_standings_with_elo(client: httpx.Client) -> None:
    run = client.get("/api/runs/deep%2Fwatched").json()
    assert run == client.get("/api/runs/deep/watched").json()
    assert [standing["player"] for standing in run["standings"]] == list(NAMES)
    best, worst = (standing["elo"] for standing in run["standings"])
    assert best[1] < best[0] < best[2] and worst[0] < best[0]
    assert (run["complete"], run["playing"], run["reported"]) == (True, False, False)
    assert (run["progress"], run["test"], run["incidents"]) == ("complete, 4 games", "", [])
    text = run["standings"][0]["text"]
    assert list(text) == run["columns"] and (text["score"], text["games"]) == ("100.0\xa0%", "4")
    assert re.fullmatch(r"\+\d+\xa0±\xa0\d+", text["Elo"])


def test_finished_games_are_listed_the_latest_first(client: httpx.Client) -> None:
    found = [client.get(f"/api/runs/deep/watched/games{words}").json() for words in ("", "?from=2")]
    assert [[game["game"] for game in answer["games"]] for answer in found] == [[4, 3, 2, 1], [2, 1]]
    assert {answer["count"] for answer in found} == {4}
    for words in ("-1", "٣", "9" * 16):
        answer = client.get(f"/api/runs/deep/watched/games?from={words}")
        assert (answer.status_code, answer.json()) == (422, {"error": "from is a whole number"})


def test_a_finished_game_is_told_as_the_viewer_takes_it(client: httpx.Client, served: Path) -> None:
    game = client.get("/api/runs/deep/watched/games/2").json()
    assert (game["fault"], game["number"], game["last"], len(game["start"]["pieces"])) == ("", 2, 4, 32)
    moves = arena.load(served / "deep" / "watched").moves.query("game == 2")
    assert [move["text"] for move in game["moves"]] == moves["move"].tolist() and len(moves) == game["plies"]
    assert [move["white"] for move in game["moves"]] == (moves["colour"] == "white").tolist()
    sign = np.where(moves["colour"] == "white", 1, -1)
    men = (sign * moves["score_men"].to_numpy(float, na_value=np.nan)).tolist()
    found = [math.nan if move["note"]["value"] is None else move["note"]["value"] for move in game["moves"]]
    assert found == pytest.approx(men, abs=1e-3, nan_ok=True) and any(men)
    wins = (sign * moves["plies_to_win"].to_numpy(np.int64, na_value=0)).tolist()
    assert [move["note"]["plies_to_win"] for move in game["moves"]] == wins


def test_a_ply_is_the_same_document_at_the_board_and_finished() -> None:
    """Scores are from White's view, whoever moved, in men where a man's worth is known."""
    english, seen = VARIANTS["english"], [(50.0, 0), (-25.0, 0), (30.0, 0), (0.0, 7), (0.0, -6)]
    sitting = BoardGame(english, (Side("w"), Side("b")), parse_fen(english, "B:W9,K32:B3,5,20"))
    game = Game(english, sitting.game.start)
    for score, plies_to_win in seen:
        move = game.legal_moves[-1]
        choice = Choice(move, score=score, plies_to_win=plies_to_win, depth=3, nodes=9)
        man = 100.0 if game.turn else None
        sitting._push(move, 0.5, Thought(choice, 0.5, man, ()))
        game.push(move)
    columns: dict[str, Any] = dict(zip(("score", "plies_to_win"), zip(*seen, strict=True), strict=True))
    columns |= {"seconds": [0.5] * 5, "clock": [9.0] * 5, "depth": [3] * 5, "nodes": [9] * 5}
    answers = {name: np.array(values) for name, values in columns.items()}
    answers["move"] = np.array([turn.text.encode() for turn in sitting.turns])
    played = PlayedGame(english, sitting.game.start, game.moves, answers=answers, men=(None, 100.0))
    finished, table = played_documents(played), [turn_document(sitting, ply) for ply in range(5)]
    for one, other in zip(finished, table, strict=True):
        known = set(one["note"])
        assert one | {"clock": None} == other | {"note": {name: other["note"][name] for name in known}}
    assert [move["white"] for move in finished] == [False, True, False, True, False]
    notes = [(it["note"]["value"], it["note"]["own"], it["note"]["plies_to_win"]) for it in finished]
    assert notes == [(-0.5, None, 0), (None, -25.0, 0), (-0.3, None, 0), (None, None, 7), (None, None, 6)]


def test_a_games_pdn_is_the_same_alone_and_among_all(client: httpx.Client, served: Path) -> None:
    alone = [client.get(f"/api/runs/deep/watched/games/{number}/pdn").text for number in (1, 2, 3, 4)]
    assert alone == list(pdn_games(arena.load(served / "deep" / "watched")))


def test_a_game_that_is_not_there_is_not_found(client: httpx.Client) -> None:
    for number in ("0", "5", "9" * 30, "-1", "..%2f1"):
        for path in (number, f"{number}/pdn"):
            assert client.get(f"/api/runs/deep/watched/games/{path}").status_code == 404, path


@pytest.mark.parametrize(
    "name",
    [
        "nothing", "deep", "linked", "inside", "..", "deep%2f%2e%2e%2fdeep%2fwatched", "%2e%2e%2felsewhere",
        "%2fetc", "deep/watched%00", "deep\\watched", "damaged",
    ],
)  # fmt: skip
def test_what_is_no_run_of_the_folder_is_not_found(client: httpx.Client, name: str) -> None:
    for path in (
        f"/api/runs/{name}",
        f"/api/runs/{name}/games",
        f"/api/runs/{name}/games/1/pdn",
        f"{files(client)}{name}/elo.svg",
    ):
        answer = client.get(path)
        assert answer.status_code in (404, 405), path
        assert "secret" not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        FILE, "manifest.json", ".lock", "out.svg", "manifest.svg", "..%2fwatched%2felo.svg", "missing.svg",
        "..%2f..%2f..%2fsecret.svg", "incidents", ".", "%00.svg", "report.html%00",
    ],
)  # fmt: skip
def test_nothing_but_a_reports_files_is_given_away(client: httpx.Client, name: str) -> None:
    answer = client.get(f"{files(client)}deep/watched/{name}")
    assert answer.status_code == 404 and "secret" not in answer.text


@pytest.mark.parametrize("name", ["report.html", "elo.svg"])
def test_a_reports_files_are_strangers_to_the_page(client: httpx.Client, name: str) -> None:
    answer = client.get(f"{files(client)}deep/watched/{name}")
    assert answer.status_code == 200 and "mine" in answer.text
    assert answer.headers["content-security-policy"] == SANDBOX
    assert SANDBOX.startswith("sandbox ") and "allow-same-origin" not in SANDBOX


def test_reading_a_run_writes_nothing_but_what_sqlite_needs(client: httpx.Client, served: Path) -> None:
    folder = served / "deep" / "watched"
    content = (folder / FILE).read_bytes()
    client.get("/api/runs/deep/watched")
    client.get("/api/runs/deep/watched/games")
    assert (folder / FILE).read_bytes() == content
    assert read_moment(folder).games == 4
