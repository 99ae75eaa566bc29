"""Runs on the page of the local server, in a real browser: being played and finished, wide and narrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from arena.experiment.load import load
from arena.ledger.ledger import Ledger
from arena.play.prepare import prepare
from arena.play.ready import Tournament
from arena.play.schedule import Schedule
from arena.play.tournament import begin_session, play
from arena.rules.game import Termination
from arena.rules.pdn.read import read_pdn
from tests.helpers.command_line import invoke
from tests.helpers.watched import DOCUMENT as WATCHED
from tests.helpers.web_browser import loaded, page_of
from tests.helpers.web_server import served

pytestmark = pytest.mark.full

BOLD = "<b>bold</b>"
LONG = "a player whose name has forty characters"
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
    run = ("run", root / "run.yaml", "--out", root / "finished", "--workers", 1, "--no-report")
    assert invoke(*run).exit_code == 0
    players = [{"name": f"{LONG[:36]} {number:03}", "type": "random"} for number in range(MANY)]
    plan = _plan(root, DOCUMENT | {"name": "many", "players": players})
    with Ledger(root / "many", plan.experiment, plan.info) as ledger:
        schedule = Schedule(plan, ())
        assert schedule.advance()
        for number, pairing in enumerate(islice(schedule.games(), 400)):
            result = ("white", "draw", "black")[number % 3]
            ledger.add(plan.task(pairing).record(result, Termination.MAX_PLIES))
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Of the page of a server in a thread."""
    with served(folder) as at:
        yield f"{at.base}/?token={at.token}"


@pytest.fixture
def live(folder: Path) -> Iterator[Callable[[int], None]]:
    """Plays so many games of the run `live`, which this process has open; two are finished."""
    plan = _plan(folder, DOCUMENT | {"name": "live", "openings": {"random_plies": 3, "count": 100}})
    with Ledger(folder / "live", plan.experiment, plan.info) as ledger:
        begin_session(plan, ledger, 1)

        def up_to(games: int) -> None:
            for _ in play(plan, ledger, 1, lambda: len(ledger.finished()) >= games):
                pass

        up_to(2)
        yield up_to


@contextmanager
def opened(browser: Any, address: str, view: str, *, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """A view in a window; nothing may be wider than that."""
    with page_of(browser, viewport={"width": width, "height": 844}, color_scheme=scheme) as page:
        page.goto(address + view)
        yield page
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_live_run_leads_the_list_and_shows_what_is_played_meanwhile(
    browser: Any, address: str, live: Callable[[int], None]
) -> None:
    with opened(browser, address, "#/runs", scheme="dark") as page:
        page.locator(".watch-card").first.wait_for()
        assert page.locator(".watch-card a").all_inner_texts() == ["live", "finished", "many"]
        assert page.locator(".watch-card").first.locator(".watch-live").is_visible()
        page.get_by_role("link", name="live").click()
        page.locator(".watch-line", has_text="2/200 games").wait_for()
        assert page.locator("tbody th").first.inner_text() == BOLD
        live(4)
        page.locator(".watch-line", has_text="4/200 games").wait_for()


def test_a_run_and_a_game_that_are_not_there_are_said_to_be_so(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}#/run/finished/game/99")
    page.locator(".viewer-missing", has_text="Game 99 cannot be shown").wait_for()
    assert page.locator(".viewer-stage").is_hidden()
    page.goto(f"{address}#/run/nothing")
    page.locator(".viewer-missing", has_text="there is nothing of that name").wait_for()
    page.close()


def test_a_finished_game_is_found_gone_through_and_played_on(browser: Any, address: str) -> None:
    with opened(browser, address, "#/run/finished") as page:
        page.locator("a.viewer-game").first.wait_for()
        page.locator("a.viewer-game", has_text="Game 3").click()
        page.locator("h3", has_text="Game 3:").wait_for()
        start = page.input_value(".watch-stage [data-part=fen]")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        fen = page.input_value(".watch-stage [data-part=fen]")
        assert fen != start
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
        game = begun.value.json()["game"]
        page.wait_for_selector("[data-mode=game] .board-pieces use")
        state = store(page)
        assert (state["fen"], len(state["moves"])) == (fen, 2)
        assert {side["person"] for side in state["sides"].values()} == {True, False}
        assert state["sides"][state["turn"]]["person"]
        assert page.url.endswith(f"#/game/{game}")
        assert _is_white_below(page, ".game-board")
        page.go_back()
        page.locator(".watch-stage [data-part=status]", has_text="Ply 2 of").wait_for()
        assert page.input_value(".watch-stage [data-part=fen]") == fen
        page.get_by_role("button", name="Analyse").click()
        page.wait_for_selector("[data-mode=game] .best-lines")
        assert all(side["person"] for side in store(page)["sides"].values())


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


def store(page: Any) -> dict[str, Any]:
    """The game at the board as the page has it."""
    loaded(page, "web/page/store.js")
    return dict(page.evaluate("tested['web/page/store.js'].store.game"))


def _is_white_below(page: Any, board: str) -> bool:
    """Whether the highest number is nearer than 1 to who looks at a board."""
    tops = [
        page.locator(f"{board} .board-squares [data-square='{number}']").bounding_box()["y"] for number in (1, 32)
    ]
    return bool(tops[0] < tops[1])


def _plan(folder: Path, document: dict[str, Any]) -> Tournament:
    path = folder / f"{document['name']}.yaml"
    path.write_text(json.dumps(document), encoding="utf-8")
    return prepare(load(path))
