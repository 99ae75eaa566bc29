"""Runs on the page of the local server, in a real browser: being played and finished, wide and narrow."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from arena.experiment.load import load
from arena.ledger.ledger import Ledger
from arena.ledger.record import GameRecord, packed
from arena.play.plan import Plan, prepare
from arena.play.signature import begin
from arena.play.tournament import play
from arena.rules.game import Game
from arena.rules.pdn.read import read_pdn
from arena.watch.underway import FOLDER, UnderwayFile
from arena.web.games import GameRoom
from arena.web.offer import Offer
from arena.web.serving import endpoint, server
from tests.helpers.command_line import invoke
from tests.helpers.watched import DOCUMENT as WATCHED
from tests.helpers.watched import worker_of
from tests.helpers.web_browser import loaded

BOLD = "<b>bold</b>"
LONG = "a player whose name has forty characters"
NAN = float("nan")
DOCUMENT = WATCHED | {
    "name": "run",
    "players": [{"name": BOLD, "type": "negamax", "depth": 2}, {"name": LONG, "type": "random"}],
}
MANY = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs: `finished`, `many` with 60 players, and `live`, whose ledger a test opens."""
    root = tmp_path_factory.mktemp("runs")
    (root / "run.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    assert (
        invoke("run", root / "run.yaml", "--out", root / "finished", "--workers", 1, "--no-report").exit_code == 0
    )
    players = [{"name": f"{LONG[:36]} {number:03}", "type": "random"} for number in range(MANY)]
    plan = _plan(root, DOCUMENT | {"name": "many", "players": players})
    with Ledger(root / "many", plan.experiment, plan.facts) as ledger:
        for number, pairing in enumerate(islice(next(plan.schedule()), 400)):
            record = GameRecord(pairing, ("1-0", "1/2-1/2", "0-1")[number % 3], "max_plies", 0.1, "", *packed([]))
            ledger.add(record, plan.names[pairing.white], plan.names[pairing.black], plan.facts.start_fen)
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Of the page of a server in a thread."""
    at = endpoint(0)
    said: list[str] = []
    room = GameRoom(Offer([]), folder)
    started = server(room, at, said.append)
    thread = threading.Thread(target=lambda: asyncio.run(started.serve(sockets=[at.socket])), daemon=True)
    thread.start()
    yield at.address
    started.should_exit = True
    thread.join(20)
    assert said == []


@pytest.fixture
def live(folder: Path) -> Iterator[UnderwayFile]:
    """What a worker shows of the run `live`, which this process plays and of which two games are finished."""
    plan = _plan(folder, DOCUMENT | {"name": "live", "openings": {"random_plies": 3, "count": 100}})
    with Ledger(folder / "live", plan.experiment, plan.facts) as ledger:
        begin(plan, ledger, 1)
        done: list[Any] = []
        done.extend(play(plan, ledger, 1, lambda: len(done) + len(ledger.finished()) >= 2))
        with worker_of(folder / "live") as shown:
            yield shown


@contextmanager
def opened(browser: Any, address: str, view: str, *, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """A view in a window; no error may be written to its console, no dialog opened, and nothing be too wide."""
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    wrong: list[str] = []
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: wrong.append(str(error.stack)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto(address + view)
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert not wrong


def test_a_game_under_way_grows_ply_by_ply_and_is_held_while_paused(
    browser: Any, address: str, live: UnderwayFile
) -> None:
    game = Game("english")
    texts: list[str] = []

    def add(file: UnderwayFile) -> None:
        move = game.legal_moves[0]
        texts.append(game.text(move))
        file.add(move, 0.25, NAN if len(texts) % 2 else 130.0, 65.0 - len(texts), 0)
        game.push(move)

    live.begin(3, BOLD, LONG, game.start)
    with opened(browser, address, "#/run/live") as page:
        line = page.locator(".watch-line")
        for ply in range(1, 5):
            add(live)
            line.filter(has_text=f"ply {ply}: {texts[-1]}").wait_for()
        drawn = page.locator(".watch-board use").evaluate_all("all => all.map(use => +use.dataset.square)")
        assert sorted(drawn) == sorted(game.pieces)
        assert page.locator(".watch-side .strip-name").all_inner_texts() == [LONG, BOLD]
        assert page.locator(".watch-clock").all_inner_texts() == ["1:02", "1:01"]
        page.get_by_role("button", name="Pause").click()
        for _ in range(3):
            add(live)
        page.locator(".watch-controls .small", has_text="3 plies have been played since").wait_for()
        assert "ply 4:" in line.inner_text()
        page.get_by_label("Speed").select_option("500")
        page.get_by_role("button", name="Go on").click()
        line.filter(has_text=f"ply 5: {texts[4]}").wait_for()
        line.filter(has_text=f"ply 7: {texts[6]}").wait_for()
        live.end("1-0", "no_moves")
        line.filter(has_text="1–0, no moves").wait_for()
        live.begin(4, LONG, BOLD, game.start)
        line.filter(has_text="Game 4 · ply 0").wait_for()


WRITE_DOWN = """() => {
  const line = document.querySelector(".watch-line");
  window.lines = [];
  const note = () => lines.push(line.textContent.split(":")[0]);
  new MutationObserver(note).observe(line, { childList: true });
}"""
"""Have what a board is said to show be kept as `lines`."""


@pytest.fixture
def grid(browser: Any, address: str) -> Iterator[Any]:
    """A page with boards of games under way, the LiveBoards `grid`, that is sent what a test says.

    `told(game, count)` is a game of one worker with so many plies.
    """
    with opened(browser, address, "#/run/finished") as page:
        page.locator("a.viewer-game").first.wait_for()
        for module in ("web/page/live_boards.js", "web/page/server.js"):
            loaded(page, module)
        page.evaluate(
            """async () => {
              const host = document.createElement("div");
              document.querySelector("main").replaceChildren(host);
              const board = await tested["web/page/server.js"].get("/api/runs/finished/board");
              window.grid = new tested["web/page/live_boards.js"].LiveBoards(host, board);
              const pieces = "b".repeat(12) + ".".repeat(8) + "w".repeat(12);
              const ply = (_, place) => ({ text: `ply${place + 1}`, squares: null, pieces, white: place % 2 === 1,
                seconds: null, clock: null, note: null });
              window.told = (game, count) => ({ worker: 7, began: game, game, white: "w", black: "b",
                start: { pieces, turn: "black" }, from: 0, moves: Array.from({ length: count }, ply),
                result: "", termination: "" });
            }"""
        )
        yield page


def test_a_slow_board_goes_on_to_the_next_game_though_the_end_of_one_was_never_sent(grid: Any) -> None:
    grid.evaluate("grid.take({ games: [told(1, 2)], workers: [7] })")
    line = grid.locator(".watch-line")
    line.filter(has_text="Game 1 · ply 2").wait_for()
    grid.get_by_label("Speed").select_option("500")
    grid.evaluate(WRITE_DOWN)
    grid.evaluate("grid.take({ games: [told(2, 1), told(3, 2)], workers: [7] })")
    line.filter(has_text="Game 3 · ply 2").wait_for()
    shown = [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    assert grid.evaluate("lines") == [f"Game {game} · ply {ply}" for game, ply in shown]
    assert grid.evaluate("grid.workers.get(7).waiting") == 0


def test_a_slow_board_that_is_far_behind_shows_its_game_to_the_end_and_then_the_last_one(grid: Any) -> None:
    grid.evaluate("grid.take({ games: [told(1, 2)], workers: [7] })")
    grid.get_by_label("Speed").select_option("500")
    grid.evaluate(WRITE_DOWN)
    grid.evaluate("grid.take({ games: [1, 2, 3, 4, 5].map((game) => told(game, 150)), workers: [7] })")
    grid.evaluate("grid.take({ games: [told(1, 4)], workers: [7] })")
    grid.locator(".watch-line", has_text="Game 5 · ply 1").wait_for()
    shown = [(1, 3), (1, 4), (5, 0), (5, 1)]
    assert grid.evaluate("lines.slice(0, 4)") == [f"Game {game} · ply {ply}" for game, ply in shown]


def test_boards_stay_while_paused_and_one_that_comes_is_drawn(grid: Any) -> None:
    grid.evaluate("grid.take({ games: [], workers: [] })")
    grid.evaluate("grid.pause(true)")
    grid.evaluate("grid.take({ games: [told(1, 2)], workers: [7] })")
    line = grid.locator(".watch-line")
    line.filter(has_text="Game 1 · ply 2").wait_for()
    grid.evaluate("grid.take({ games: [], workers: [] })")
    grid.evaluate("grid.take({ games: [told(2, 3)], workers: [7] })")
    assert "Game 1 · ply 2" in line.inner_text()
    assert grid.locator(".watch-board use").count() == 24
    grid.get_by_role("button", name="Go on").click()
    line.filter(has_text="Game 2 · ply 3").wait_for()
    grid.evaluate("grid.take({ games: [], workers: [] })")
    grid.locator(".watch-game").wait_for(state="detached")


def test_a_list_says_when_there_are_more_games_than_it_knows(browser: Any, address: str) -> None:
    with opened(browser, address, "#/run/finished") as page:
        page.locator("a.viewer-game").first.wait_for()
        loaded(page, "web/page/finished.js")
        page.evaluate(
            """() => {
              const host = document.createElement("div");
              document.querySelector("main").replaceChildren(host);
              window.list = new tested["web/page/finished.js"].FinishedGames(host, "finished");
              list.know([], 4);
            }"""
        )
        count = page.locator(".watch-finished .small[role=status]")
        count.filter(has_text="4 games").wait_for()
        page.evaluate("list.know([], 1234)")
        assert count.inner_text() == "The first 4 of 1\u202f234\xa0games"


def test_the_board_of_a_worker_goes_with_it_and_standings_stay(
    browser: Any, address: str, folder: Path, live: UnderwayFile
) -> None:
    live.begin(3, BOLD, LONG, Game("english").start)
    with opened(browser, address, "#/run/live") as page:
        page.locator(".watch-game").wait_for()
        assert page.locator("tbody th").first.inner_text() == BOLD
        for path in (folder / "live" / FOLDER).iterdir():
            path.unlink()
        page.locator(".watch-game").wait_for(state="detached")
        page.get_by_text("2/200 games").wait_for()


def test_the_list_has_live_runs_first_and_leads_to_them(browser: Any, address: str, live: UnderwayFile) -> None:
    with opened(browser, address, "#/runs", scheme="dark") as page:
        page.locator(".watch-card").first.wait_for()
        assert page.locator(".watch-card a").all_inner_texts() == ["live", "finished", "many"]
        assert page.locator(".watch-card").first.locator(".watch-live").is_visible()
        page.get_by_role("link", name="finished").click()
        page.locator(".watch-table th", has_text=BOLD).first.wait_for()
        assert page.evaluate("location.hash") == "#/run/finished"


def test_a_finished_game_is_found_gone_through_and_played_on(browser: Any, address: str) -> None:
    with opened(browser, address, "#/run/finished") as page:
        page.locator("a.viewer-game").first.wait_for()
        page.get_by_text("Filter and sort").click()
        page.get_by_label("Opening").fill("2")
        page.locator(".watch-finished .small", has_text="2 games of these").wait_for()
        page.get_by_label("Sorted by").select_option("number")
        page.locator("a.viewer-game", has_text="Game 3").click()
        page.locator("h3", has_text="Game 3:").wait_for()
        start = page.input_value(".watch-stage [data-part=fen]")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        fen = page.input_value(".watch-stage [data-part=fen]")
        assert fen != start
        assert page.locator(".viewer-moves [aria-current]").count() == 1
        page.keyboard.press("p")
        page.locator("h3", has_text="Game 2:").wait_for()
        page.keyboard.press("n")
        page.locator("h3", has_text="Game 3:").wait_for()
        names = page.locator(".watch-stage .watch-side").all_inner_texts()
        assert sorted(names) == [BOLD, LONG]
        page.keyboard.press("f")
        assert page.locator(".watch-stage .watch-side").all_inner_texts() == names[::-1]
        page.keyboard.press("f")
        with page.expect_download() as saving:
            page.get_by_role("link", name="Save as PDN").click()
        [saved] = read_pdn(saving.value.path()).games
        assert (saved.tags["White"], saved.tags["Black"]) == (names[1], names[0])
        page.locator(".watch-stage [data-part=board]").focus()
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        with page.expect_response(lambda answer: answer.url.endswith("/api/games")) as begun:
            page.get_by_role("button", name="Play on from here").click()
        state = begun.value.json()
        assert (state["fen"], len(state["moves"])) == (fen, 2)
        assert {side["person"] for side in state["sides"].values()} == {True, False}
        assert state["sides"][state["turn"]]["person"]
        page.wait_for_url(lambda url: url.endswith(f"#/game/{state['game']}"))
        page.wait_for_selector("[data-mode=game] .board-pieces use")
        assert _is_white_below(page, ".game-board")
        page.go_back()
        page.locator(".watch-stage [data-part=status]", has_text="Ply 2 of").wait_for()
        assert page.input_value(".watch-stage [data-part=fen]") == fen
        with page.expect_response(lambda answer: answer.url.endswith("/api/games")) as begun:
            page.get_by_role("button", name="Analyse").click()
        state = begun.value.json()
        assert all(side["person"] for side in state["sides"].values())
        page.wait_for_url(lambda url: url.endswith(f"#/game/{state['game']}/analysis"))
        page.wait_for_selector("[data-mode=game] .best-lines")
        assert _is_white_below(page, ".game-board")


def test_a_game_that_is_not_there_is_said_to_be_so(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}#/run/finished/game/1")
    page.locator("h3", has_text="Game 1:").wait_for()
    page.goto(f"{address}#/run/finished/game/99")
    page.locator(".viewer-missing", has_text="Game 99 cannot be shown").wait_for()
    assert page.locator(".viewer-stage").is_hidden()
    page.go_back()
    page.locator("h3", has_text="Game 1:").wait_for()
    page.goto(f"{address}#/run/nothing")
    page.locator(".viewer-missing", has_text="there is nothing of that name").wait_for()
    page.close()


def test_a_report_is_a_stranger_to_the_page_and_its_files_can_be_opened(
    browser: Any, address: str, folder: Path
) -> None:
    run = folder / "finished"
    asks = "fetch('/api/runs').then(() => 'read', () => 'refused').then((words) => { document.title = words; })"
    (run / "report.html").write_text(f"<script>{asks}</script><a href='summary.md'>more</a>", encoding="utf-8")
    (run / "summary.md").write_text("what it says", encoding="utf-8")
    page = browser.new_page()
    page.goto(address)
    page.goto(f"{address.partition('?')[0]}runs/finished/report.html")
    page.wait_for_function("document.title")
    assert page.title() == "refused"
    assert page.evaluate("origin") == "null"
    page.get_by_role("link", name="more").click()
    page.get_by_text("what it says").wait_for()
    page.close()
    (run / "report.html").unlink()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_many_players_and_a_few_fit_a_screen(browser: Any, address: str, width: int, scheme: str) -> None:
    for run, players in (("many", MANY), ("finished", 2)):
        with opened(browser, address, f"#/run/{run}", width=width, scheme=scheme) as page:
            page.locator(".watch-elo circle").first.wait_for()
            page.locator("a.viewer-game").first.wait_for()
            assert page.locator(".watch-table tbody tr").first.is_visible()
            assert page.locator(".watch-elo circle").count() == players
            assert page.locator("b, script:not([nonce])").count() == 0
            assert "NaN" not in page.inner_text("main")
    with opened(browser, address, "#/run/finished/game/1", width=width, scheme=scheme) as page:
        page.locator("h3", has_text="Game 1:").wait_for()


def _is_white_below(page: Any, board: str) -> bool:
    """Whether the highest number is nearer than 1 to who looks at a board."""
    tops = [
        page.locator(f"{board} .board-squares [data-square='{number}']").bounding_box()["y"] for number in (1, 32)
    ]
    return bool(tops[0] < tops[1])


def _plan(folder: Path, document: dict[str, Any]) -> Plan:
    path = folder / f"{document['name']}.yaml"
    path.write_text(json.dumps(document), encoding="utf-8")
    return prepare(load(path))
