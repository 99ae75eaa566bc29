"""Runs that are watched: games under way as workers show them, and the routes that show runs."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.experiment.load import load
from arena.play.match import play
from arena.play.plan import prepare
from arena.play.tournament import play as play_tournament
from arena.play.tournament import tasks
from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from arena.store import underway
from arena.store.ledger import FILE, Ledger
from arena.store.live import Watcher
from arena.store.underway import FOLDER, UnderwayFile, UnderwayPly, file_of, games_under_way, place
from arena.web.answers import Refusal, refused
from arena.web.boards import LiveBoards
from arena.web.charts import LIST, draw
from arena.web.feed import Feed
from arena.web.runs import SANDBOX, routes
from tests.command_line import invoke

NAN = float("nan")
START = VARIANTS["english"].start
NAMES = ("<b>bold</b>", "plain")
DOCUMENT = {
    "name": "watched",
    "variant": "english",
    "seed": 3,
    "openings": {"random_plies": 3, "count": 2},
    "max_plies": 60,
    "players": [{"name": NAMES[0], "type": "negamax", "depth": 2}, {"name": NAMES[1], "type": "random"}],
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run `deep/watched` and its report's page, and what must not be seen."""
    root = tmp_path_factory.mktemp("served")
    (root / "run.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    folder = root / "reports" / "deep" / "watched"
    assert invoke("run", root / "run.yaml", "--out", folder, "--workers", 1, "--no-report").exit_code == 0
    (folder / "report.html").write_text("<script>mine</script>", encoding="utf-8")
    (folder / "elo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
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
def client(served: Path) -> Iterator[TestClient]:
    app = Starlette(
        routes=routes(served),
        exception_handlers={Refusal: lambda _, refusal: refused(refusal)},
    )
    with TestClient(app) as found:
        yield found


def test_a_game_under_way_is_read_as_far_as_it_was_written(tmp_path: Path) -> None:
    with place(tmp_path) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        shown.begin(7, *NAMES, START)
        assert [(it.game, it.plies) for it in games_under_way(tmp_path)] == [(7, [])]
        shown.add(Game("english").legal_moves[0], 0.5, 12.0, 3.25, 0)
        shown.add(1 << 62, 0.25, NAN, NAN, -4)
        (game,) = games_under_way(tmp_path)
        assert game.plies[0] == UnderwayPly(Game("english").legal_moves[0], 0.5, 12.0, 3.25, 0)
        assert (game.plies[1].move, game.plies[1].wins_in) == (1 << 62, -4)
        assert (game.white, game.black, game.opening, game.worker) == (*NAMES, START, os.getpid())
        assert game.result == ""


def test_the_end_of_a_game_is_seen_while_the_next_one_is_played(tmp_path: Path) -> None:
    with place(tmp_path) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        for number in (1, 2, 3):
            shown.begin(number, *NAMES, START)
            shown.add(number, 0.1, NAN, NAN, 0)
            shown.end("1-0", "no_moves")
        shown.begin(4, *NAMES, START)
        found = [(it.game, len(it.plies), it.result, it.termination) for it in games_under_way(tmp_path)]
        assert found == [(3, 1, "1-0", "no_moves"), (4, 0, "", "")]


def test_a_ply_that_is_half_written_is_not_seen(tmp_path: Path) -> None:
    with place(tmp_path) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        shown.begin(1, *NAMES, START)
        for move in (5, 6):
            shown.add(move, 0.1, NAN, NAN, 0)
        path = next((tmp_path / FOLDER).iterdir())
        whole = path.read_bytes()
        second = whole.index((6).to_bytes(8, "little") + bytes(0), underway._SLOT)
        mark = second + underway._PLY.size - 8
        path.write_bytes(whole[:mark] + bytes(8) + whole[mark + 8 :])
        assert [len(it.plies) for it in games_under_way(tmp_path)] == [1]


def test_two_readings_that_differ_show_what_both_have(tmp_path: Path) -> None:
    path = tmp_path / "one"
    shown = UnderwayFile(path)
    shown.begin(1, *NAMES, START)
    shown.add(5, 0.1, NAN, NAN, 0)
    before = path.read_bytes()
    slot = underway._slot(1)
    shown.add(6, 0.1, NAN, NAN, 0)
    found = underway._game(1, path.read_bytes(), before, slot)
    assert found is not None
    assert [ply.move for ply in found.plies] == [5]
    for number in (2, 3):
        shown.begin(number, "other", "names", START)
    assert underway._game(1, before, path.read_bytes(), slot) is None


def test_what_is_no_file_of_a_living_worker_shows_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    with place(tmp_path) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        shown.begin(1, *NAMES, START)
        path = next((tmp_path / FOLDER).iterdir())
        whole = path.read_bytes()
        for name, content in {
            "empty": b"",
            "noise": b"noise" * 30_000,
            "cut": whole[:-1],
            "dead": whole[:8] + int(ended.stdout).to_bytes(8, "little") + whole[16:],
            "far": whole[:8] + b"\xff" * 8 + whole[16:],
            "text": whole.replace(b'[1, "<b>', b'[1; "<b>'),
            "long": whole.replace(bytes(16), b"\xff" * 16),
        }.items():
            (tmp_path / FOLDER / name).write_bytes(content)
        (tmp_path / FOLDER / "folder").mkdir()
        assert [it.game for it in games_under_way(tmp_path)] == [1]


def test_more_plies_than_there_is_room_for_and_long_names_harm_nothing(tmp_path: Path) -> None:
    with place(tmp_path) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        shown.begin(1, *NAMES, START)
        for move in range(underway.MAX_PLIES + 10):
            shown.add(move, 0.1, NAN, NAN, 0)
        shown.end("0-1", "time")
        shown.begin(2, "x" * 5000, "y", START)
        shown.add(1, 0.1, NAN, NAN, 0)
        assert [(it.game, len(it.plies)) for it in games_under_way(tmp_path)] == [(1, underway.MAX_PLIES)]


def test_a_session_removes_what_earlier_ones_left_and_its_own_in_the_end(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "stale").write_bytes(b"stale")
    with place(tmp_path) as at:
        assert at is not None
        assert list((tmp_path / FOLDER).iterdir()) == []
        file_of(at)
    assert not (tmp_path / FOLDER).exists()


def test_a_game_is_played_where_nothing_can_be_shown(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    task = next(iter(tasks(plan, next(plan.schedule()))))
    with place(tmp_path / "missing") as at:
        assert at is None
    gone = underway.UnderwayPlace(str(tmp_path / "nowhere"), 1)
    assert play(task, gone).moves[:1] == play(task).moves[:1]
    assert file_of(gone) is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_tournament_shows_its_games_and_its_ledger_is_the_same(tmp_path: Path, workers: int) -> None:
    plan = _plan(tmp_path)
    shown: list[Any] = []
    found = []
    for name in ("watched", "unwatched"):
        with Ledger(tmp_path / name, plan.experiment, plan.facts) as ledger:
            for _ in play_tournament(plan, ledger, workers):
                shown += games_under_way(tmp_path / name) if name == "watched" else []
            found.append([row[:2] for row in ledger.rows("SELECT game, result, plies FROM games ORDER BY game")])
        assert not (tmp_path / name / FOLDER).exists()
    assert found[0] == found[1]
    assert {it.game for it in shown} <= set(range(1, 5))
    finished = next(it for it in shown if it.result)
    game = Game("english", finished.opening)
    for ply in finished.plies:
        game.push(ply.move)
    assert len(game.moves) > 5


def test_boards_are_worked_out_ply_by_ply_and_stop_at_what_is_not_legal() -> None:
    game = Game("english")
    first = game.legal_moves[0]
    boards = LiveBoards(VARIANTS["english"], {"plain": 100.0})
    shown = underway.UnderwayGame(9, 1, 3, "unknown", "plain", START, 0.0, [], "", "")
    boards.update([shown])
    assert boards.boards[9, 1].document(0)["plies"] == []
    plies = [UnderwayPly(first, 0.5, -150.0, NAN, 0), UnderwayPly(3, 0.1, math.inf, NAN, 0)]
    boards.update([shown._replace(plies=plies)])
    (ply,) = boards.boards[9, 1].document(0)["plies"]
    text = game.text(first)
    game.push(first)
    assert (ply["text"], ply["score"], ply["clock"], ply["white"]) == (text, -1.5, None, False)
    assert ply["pieces"] == "".join(game.pieces.get(number, ".") for number in range(1, 33))
    boards.update([])
    assert boards.boards == {}


def test_a_window_is_sent_what_it_has_not_been_sent(served: Path) -> None:
    feed = Feed(served / "deep" / "watched", "deep/watched", None)  # type: ignore[arg-type]
    feed._are_shown, feed._boards = True, LiveBoards(VARIANTS["english"], {})
    game = Game("english")
    shown = underway.UnderwayGame(9, 1, 3, *NAMES, START, 0.0, [], "", "")
    sent: dict[tuple[int, int], tuple[int, str]] = {}
    assert feed.news(sent) is None
    feed._boards.update([shown])
    assert [(it["from"], it["plies"]) for it in _games(feed.news(sent))] == [(0, [])]
    plies: list[UnderwayPly] = []
    for count in (1, 2):
        plies.append(UnderwayPly(game.legal_moves[0], 0.1, NAN, NAN, 0))
        game.push(game.legal_moves[0])
        feed._boards.update([shown._replace(plies=list(plies))])
        assert [(it["from"], len(it["plies"])) for it in _games(feed.news(sent))] == [(count - 1, 1)]
        assert feed.news(sent) is None
    feed._boards.update([shown._replace(plies=plies, result="1-0")])
    assert [it["result"] for it in _games(feed.news(sent))] == ["1-0"]
    feed._boards.update([])
    assert feed.news(sent) == {"type": "boards", "games": [], "workers": []}


def test_runs_are_listed_and_none_by_a_link_out_of_the_folder(client: TestClient) -> None:
    runs = client.get("/api/runs").json()["runs"]
    assert [run["run"] for run in runs] == ["deep/watched", "damaged"]
    assert runs[0]["games"] == 4
    assert runs[0]["leader"]["player"] == NAMES[0]
    assert "damaged" in runs[1]["error"] or "cannot be read" in runs[1]["error"]


def test_a_run_says_its_standings_with_elo_and_who_met_whom(client: TestClient) -> None:
    run = client.get("/api/runs/deep%2Fwatched").json()
    assert run == client.get("/api/runs/deep/watched").json()
    assert [it["player"] for it in run["standings"]] == list(NAMES)
    assert run["standings"][0]["elo"] > run["standings"][1]["elo"]
    assert run["crosstable"][0][1][1] == run["crosstable"][1][0][1] == 4
    assert run["crosstable"][0][1][0] + run["crosstable"][1][0][0] == 4
    assert (run["complete"], run["playing"], run["reported"]) == (True, False, False)


def test_finished_games_are_listed_by_what_is_asked_for(client: TestClient) -> None:
    def numbers(words: str) -> list[int]:
        return [it["game"] for it in client.get(f"/api/runs/deep/watched/games?{words}").json()["games"]]

    assert numbers("") == [4, 3, 2, 1]
    assert numbers("order=number&from=1&count=2") == [2, 3]
    assert numbers("opening=2") == [4, 3]
    everything = client.get("/api/runs/deep/watched/games?order=number").json()["games"]
    for result in ("1-0", "0-1", "1/2-1/2"):
        wanted = [it["game"] for it in everything if it["result"] == result]
        assert numbers(f"order=number&result={result}") == wanted
    won = [it["game"] for it in everything if it["result"] == ("1-0" if it["white"] == "plain" else "0-1")]
    assert numbers("order=number&player=plain&result=won") == won
    assert numbers("player=nobody") == []
    assert numbers("player=plain' OR '1'='1") == []


@pytest.mark.parametrize(
    "words", ["count=201", "count=-1", "from=x", "opening=9999999999999999", "which=1", "count=٣", "from=1e3"]
)
def test_games_that_cannot_be_asked_for_are_refused_in_a_line(client: TestClient, words: str) -> None:
    answer = client.get(f"/api/runs/deep/watched/games?{words}")
    assert answer.status_code == 422
    assert len(answer.json()["error"]) < 100


def test_a_finished_game_is_told_as_the_viewer_takes_it(client: TestClient, served: Path) -> None:
    game = client.get("/api/runs/deep/watched/games/2").json()
    steps = game["steps"].split(" ")
    assert len(steps) == game["plies"] == len(game["score"]) == len(game["time"])
    assert (game["fault"], game["number"], game["last"], len(game["board"])) == ("", 2, 4, 32)
    white = game["white"] == NAMES[0]
    assert any(score is not None for score in game["score"][(game["turn"] == "W") != white :: 2])


@pytest.mark.parametrize("number", ["0", "5", "9" * 30, "1.5", "-1", "x", "..%2f1"])
def test_a_game_that_is_not_there_is_not_found(client: TestClient, number: str) -> None:
    assert client.get(f"/api/runs/deep/watched/games/{number}").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "nothing", "deep", "linked", "inside", "..", "%2e%2e", "..%2f..", "deep%2f%2e%2e%2fdeep%2fwatched",
        "%2e%2e%2felsewhere", "/etc", "%2fetc", "deep%2f%2e%2e%2f%2e%2e%2felsewhere", "deep/watched%00",
        "deep\\watched", "~", "damaged",
    ],
)  # fmt: skip
def test_what_is_no_run_of_the_folder_is_not_found(client: TestClient, name: str) -> None:
    for path in (
        f"/api/runs/{name}",
        f"/api/runs/{name}/games",
        f"/api/runs/{name}/board",
        f"/runs/{name}/elo.svg",
    ):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert "secret" not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        FILE, f"{FILE}-wal", "manifest.json", ".lock", "out.svg", "manifest.svg",
        "..%2fwatched%2felo.svg", "missing.svg",
        "..%2f..%2f..%2fsecret.svg", "incidents", ".", "..", "%00.svg", "charts/other.svg", "report.html%00",
    ],
)  # fmt: skip
def test_nothing_but_a_reports_files_is_given_away(client: TestClient, name: str) -> None:
    answer = client.get(f"/runs/deep/watched/{name}")
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_a_reports_page_is_shown_as_a_stranger(client: TestClient) -> None:
    answer = client.get("/runs/deep/watched/report.html")
    assert (answer.status_code, answer.text) == (200, "<script>mine</script>")
    assert answer.headers["content-security-policy"] == SANDBOX
    assert "allow-same-origin" not in SANDBOX
    assert client.get("/runs/deep/watched/elo.svg").headers["content-security-policy"] == SANDBOX


def test_nothing_but_reading_is_answered(client: TestClient) -> None:
    for path in ("/api/runs", "/api/runs/deep/watched", "/runs/deep/watched/elo.svg"):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert client.request(method, path).status_code == 405


def test_a_complete_run_is_told_once_to_who_listens(client: TestClient) -> None:
    with client.websocket_connect("/api/runs/deep/watched/events") as socket:
        told = socket.receive_json()
        assert (told["type"], told["run"], told["games"]) == ("run", "deep/watched", 4)


def test_who_listens_to_no_run_is_told_so(client: TestClient) -> None:
    with client.websocket_connect("/api/runs/linked/events") as socket:
        assert socket.receive_json()["type"] == "failure"
        assert socket.receive()["code"] == 4404


def test_charts_are_drawn_into_another_folder_than_the_runs(served: Path, tmp_path: Path) -> None:
    folder = served / "deep" / "watched"
    before = sorted(path.name for path in folder.iterdir())
    draw(folder, tmp_path)
    named = [it["name"] for it in json.loads((tmp_path / LIST).read_text(encoding="utf-8"))]
    assert "elo" in named
    assert {path.name for path in tmp_path.iterdir()} == {LIST, *(f"{name}.svg" for name in named)}
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.slow
def test_charts_of_the_games_so_far_are_drawn_elsewhere_and_kept(client: TestClient, served: Path) -> None:
    folder = served / "deep" / "watched"
    before = sorted(path.name for path in folder.iterdir())
    found = client.get("/api/runs/deep/watched/charts").json()
    assert found["games"] == 4
    assert found["error"] == ""
    names = [it["name"] for it in found["charts"]]
    assert "elo" in names
    for chart in found["charts"]:
        assert client.get(chart["path"]).text.count("<svg") == 1
    assert sorted(path.name for path in folder.iterdir()) == before
    assert client.get("/api/runs/deep/watched/charts").json() == found
    assert client.get("/runs/deep/watched/charts/nothing.svg").status_code == 404


def test_reading_a_run_writes_nothing_but_what_sqlite_needs(client: TestClient, served: Path) -> None:
    folder = served / "deep" / "watched"
    content = (folder / FILE).read_bytes()
    client.get("/api/runs/deep/watched")
    client.get("/api/runs/deep/watched/games")
    assert (folder / FILE).read_bytes() == content
    assert Watcher(folder).read().games == 4


def _games(message: dict[str, Any] | None) -> list[dict[str, Any]]:
    assert message is not None
    games: list[dict[str, Any]] = message["games"]
    return games


def _plan(folder: Path) -> Any:
    path = folder / "run.yaml"
    path.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return prepare(load(path))
