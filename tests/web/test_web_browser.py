"""The page of `arena play --browser` in a real browser, against a real server: a board to play on."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

import arena
from arena.rules.endgame.retrograde import make
from arena.rules.move_text import line_texts
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS
from tests.helpers.web_browser import Visitor, loaded, opened, replayed, symbols
from tests.helpers.web_server import served

pytestmark = pytest.mark.full

TAKING = ("international", "W:W47,33,49:B42,32,22,13,43,8")
"""White takes four pieces, by 47x9 or 49x9."""
CROWNING = ("english", "B:W18,26,27,11:B14,28,5")
"""Black takes two pieces and is crowned, by 14x30 or 14x32."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a server answers, with its token."""
    with served() as server:
        yield server.page


@pytest.fixture
def window(browser: Any, address: str) -> Iterator[Visitor]:
    """A window of the page, as wide as a desk's."""
    with opened(browser, address) as visitor:
        yield visitor


def test_a_game_begins_and_the_program_answers_clicks_and_drags(browser, address):
    with opened(browser, address, reduced_motion="no-preference") as window:
        assert "You are Black and begin against level 3" in window.page.inner_text("[data-part=invitation]")
        window.page.click("[data-part=begin]")
        window.headline("Your move")
        window.click(11)
        assert window.signs("end") == 2
        window.click(15)
        window.played(2)
        window.headline("Your move")
        window.drag(*window.state["legal"][0]["paths"][0])
        window.played(4)
        window.headline("Your move")
        replayed(window)
        assert "What level 3 saw before" in window.page.inner_text("[data-part=note]")
        assert re.search(r"White \d", window.page.inner_text("[data-part=spoken]"))


SMALL = {"frisian": "W:W31,32,33,42:B8,12,13,18", "simplified": "W:W5,6,12:B4,20"}
"""Positions with few pieces, by rule sets."""


@pytest.mark.parametrize("variant", SMALL)
def test_a_whole_game_by_clicks_drags_touches_and_keys(browser, address, variant):
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    opponent = "human" if variant == "simplified" else "level-1"
    with opened(browser, address, **phone) as window:
        window.begin(variant, "human", opponent, SMALL[variant])
        window.play_on([window.click, window.drag, window.tap, window.keys])
        game = replayed(window)
        assert game.outcome is not None and window.page.inner_text("[data-part=subline]")
        if opponent == "human":
            assert "pass" in " ".join(window.moves).lower()
            return
        window.headline({"white": "You win", "black": "You lose"}.get(game.outcome.result, "Draw"))
        window.page.click("[data-action=swapped]")
        window.page.wait_for_selector("[data-mode=game]")
        assert window.state["request"]["white"] == "level-1" and not window.state["outcome"]


def test_the_first_page_fits_its_window_and_shows_the_rules_that_are_chosen(window):
    page = window.page
    assert page.evaluate("document.documentElement.scrollHeight") == 800
    page.click("[data-action=swap]")
    page.select_option("[name=variant]", "frisian")
    page.wait_for_selector(".board-squares [data-square='50']")
    page.wait_for_selector("text=You are Black; level 3 begins.")
    assert window.pieces == symbols("frisian", arena.Game("frisian").fen)
    markup = "<img src=x onerror=alert(1)>"
    window.call("web/page/messages.js", "say", markup)
    assert page.inner_text("[data-say]") == markup and page.locator("img").count() == 0
    loaded(page, "report/viewer/element.js")
    written = page.evaluate("tested['report/viewer/element.js'].named('a.module/of:Mine 0.1 s').innerHTML")
    assert written == "a.<wbr>module/<wbr>of:<wbr>Mine 0.1&nbsp;s"


def test_captures_go_square_by_square_men_are_crowned_and_both_are_taken_back(browser, address):
    with opened(browser, address, reduced_motion="no-preference") as window:
        window.begin(*TAKING[:1], "human", "human", TAKING[1])
        assert window.signs("movable") == 2
        path = next(move["paths"][0] for move in window.state["legal"] if move["text"] == "47x9")
        assert "47x9" in window.page.inner_text("[data-part=subline]")
        window.click(*path[:2])
        assert set(window.pieces) == set(symbols(*TAKING)) - {path[0]} | {path[1]}
        assert window.moves == []
        window.click(*path[2:])
        window.played(1)
        window.headline("Black to move")
        assert len(replayed(window).pieces) == len(symbols(*TAKING)) - 4
        assert window.page.locator(".board-last path").count() == 4
        window.begin(*CROWNING[:1], "human", "human", CROWNING[1])
        window.drag(*next(move["paths"][0] for move in window.state["legal"] if move["text"] == "14x30"))
        window.played(1)
        window.headline("White to move")
        assert window.pieces[30] == "#board-black-king"
        assert "crowned" in window.page.inner_text("[data-part=spoken]")
        window.page.keyboard.press("u")
        window.page.wait_for_selector("text=No moves yet.")
        assert window.pieces == symbols(*CROWNING)


def test_the_board_of_a_published_program_has_its_edges_and_a_line_says_what_it_saw(window):
    page = window.page
    page.select_option("[name=variant]", "cis300")
    page.wait_for_selector(".game-side .strip-name:has-text('cis300')")
    page.click("[data-part=begin]")
    window.headline("Your move")
    for row_on_top in (0, 7):
        for across, group in (("x", "columns"), ("y", "rows")):
            labels = page.locator(f".board-{group} text").all()
            places = {label.text_content(): label.bounding_box()[across] for label in labels}
            order = sorted(map(int, places), key=lambda number: places[str(number)])
            assert order == sorted(range(8), reverse=row_on_top > 0)
        page.keyboard.press("f")
    window.click(11)
    page.wait_for_selector(".sign-end")
    window.click(15)
    window.played(2)
    seen = page.inner_text(".game-noted + p").replace("\N{NO-BREAK SPACE}", " ")
    assert re.fullmatch(r"\S+ for White, depth 3, deepest ply \d, \d+ nodes, \d+ cutoffs \(.*\), [\d.]+ s", seen)


def test_rules_size_and_clock_are_set_up_and_begun_with_again(browser, address):
    with opened(browser, address, viewport={"width": 390, "height": 844}) as window:
        page = window.page
        page.select_option("[name=variant]", "simplified")
        assert page.locator("[name=size] option").count() == 3
        page.select_option("[name=size]", "simplified-6x6")
        page.wait_for_selector(".board-squares [data-square='19']", state="detached")
        for side in range(2):
            page.select_option(f"[data-part=players] select >> nth={side}", "human")
        assert window.pieces == symbols("simplified-6x6", arena.Game("simplified-6x6").fen)
        page.select_option("[name=clock]", "3+2")
        page.click("[data-part=begin]")
        page.wait_for_selector("[data-mode=game]")
        asked = window.state["request"]
        page.click("[data-action=resign]")
        page.click("dialog button[value=yes]")
        page.click("[data-action=again]")
        page.wait_for_selector(".game-yours")
        assert (window.state["variant"], window.state["moves"]) == ("simplified-6x6", [])
        assert window.state["request"] == asked and asked["clock"] == {"seconds": 180.0, "increment": 2.0}


def test_a_player_has_its_seconds_per_move_beside_it(browser, address):
    with opened(browser, address, viewport={"width": 390, "height": 800}, refused=True) as window:
        page = window.page
        white, black = (page.locator("[data-part=players] .sides-seconds input").nth(place) for place in (0, 1))
        assert white.is_visible() and not black.is_visible()
        page.select_option("[data-part=players] select >> nth=0", "random")
        assert not white.is_visible()
        page.select_option("[data-part=players] select >> nth=0", "strong")
        assert white.get_attribute("placeholder") == "1"
        white.fill("0")
        page.click("[data-part=begin]")
        page.locator("[data-say]", has_text="seconds.white: Input should be greater than 0").wait_for()
        white.fill("0.05")
        page.click("[data-action=swap]")
        assert black.input_value() == "0.05"
        page.click("[data-part=begin]")
        page.wait_for_selector("[data-mode=game]")
        assert window.state["names"]["black"] == "strong, 0.05 s"
        window.played(1)
        page.click("summary:has-text('Players and level')")
        page.locator("[data-part=seats] .sides-seconds input").nth(1).fill("0.1")
        page.keyboard.press("Tab")
        page.wait_for_selector(".game-side .strip-name:has-text('strong, 0.1 s')")
        page.locator("[data-part=seats] select[aria-label=White]").select_option("level-4")  # a person before
        page.wait_for_selector(".game-side .strip-name:has-text('level 4')")
        assert window.state["request"]["white"] == "level-4"


def test_sides_are_swapped_by_one_button_and_the_board_turns(window):
    page = window.page
    window.begin("english", "level-1", "human")
    assert window.at(1)[1] > window.at(32)[1]
    window.click(11, 15)
    window.played(2)
    page.click("[data-action=sides]")
    window.played(3)
    assert window.at(1)[1] < window.at(32)[1]
    window.headline("Your move")
    first = page.locator(".game-cells [role=row] >> nth=0 >> [role=gridcell] >> nth=0")
    assert first.inner_text() == "1, black man"
    page.keyboard.press("f")
    assert window.at(1)[1] > window.at(32)[1]


def test_a_server_that_does_not_answer_is_named_and_draws_can_be_switched_off(browser, address):
    with opened(browser, address, refused=True) as window:
        page = window.page
        page.route("**/api/games", lambda route: route.abort(), times=1)
        page.click("[data-part=begin]")
        page.locator("[data-say]", has_text="The server does not answer").wait_for()
        page.uncheck("[name=draws]")
        page.click("[data-part=begin]")
        page.wait_for_selector("[data-mode=game]")
        assert not window.state["request"]["draws"] and page.inner_text("[data-part=undrawn]")


def test_a_wrong_field_in_a_folded_panel_is_shown_and_what_fits_other_rules_stays(browser, address):
    with opened(browser, address, refused=True) as window:
        page = window.page
        page.click("summary:has-text('Position')")
        page.fill("[name=fen]", "W:W99:B1")
        page.click("summary:has-text('Position')")
        page.click("[data-part=begin]")
        page.locator("[data-part=wrong]", has_text="99").wait_for()
        assert page.evaluate("document.activeElement.name") == "fen" and page.is_visible("[name=fen]")
        page.fill("[name=fen]", "W:WK32:BK1")
        page.wait_for_selector("text=You are Black; level 3 begins.")
        assert window.pieces == symbols("english", "W:WK32:BK1") and not page.inner_text("[data-part=wrong]")
        page.locator("[data-part=players] select >> nth=0").select_option("strong")
        page.select_option("[name=variant]", "russian")
        page.wait_for_selector("text=You are White and begin against strong")
        assert page.input_value("[name=fen]") == "W:WK32:BK1" and len(window.pieces) == 2
        page.click("summary:has-text('Position')")
        page.select_option("[name=size]", "russian-6x6")
        page.wait_for_selector(".board-squares [data-square='19']", state="detached")
        assert page.input_value("[name=fen]") == ""
        page.press("[data-part=begin]", "Enter")
        page.wait_for_selector("[data-mode=game]")
        assert page.evaluate("document.activeElement.dataset.part") == "board"
        page.check("[data-part=analysis]")
        side = window.at(1)
        page.keyboard.press("f")
        assert window.at(1) != side


def test_looking_back_changes_nothing_and_games_and_positions_are_taken_along(window):
    window.begin("english", "human", "human")
    for _ in range(3):
        state = window.state
        window.click(*state["legal"][0]["paths"][0])
        window.played(len(state["moves"]) + 1)
    game = replayed(window)
    window.page.click(".game .viewer-moves button >> nth=0")
    assert window.pieces == symbols("english", at_ply(window.moves, 1))
    assert window.signs("movable") == 0
    window.page.keyboard.press("Home")
    assert window.pieces == symbols("english", at_ply(window.moves, 0))
    window.page.keyboard.press(".")
    assert window.pieces == symbols("english", at_ply(window.moves, 1))
    window.page.click("[data-part=looking] [data-action=now]")
    assert window.pieces == symbols("english", game.fen)
    assert len(window.state["moves"]) == 3
    [first, *_] = window.moves
    window.page.click(".game .viewer-moves button >> nth=0")
    window.page.click("summary:has-text('Position and file')")
    with window.page.expect_download() as saving:
        window.page.click("details [data-action=save]")
    (saved,) = read_pdn(saving.value.path().read_text()).games
    assert saved.moves == game.moves
    window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.page.click("[data-action=copy]")
    window.page.wait_for_selector("text=Copied.")
    assert window.page.evaluate("navigator.clipboard.readText()") == at_ply([first], 1)


def at_ply(moves: Sequence[str], ply: int) -> str:
    """The FEN of an English game after so many plies."""
    found = arena.Game("english")
    for text in moves[:ply]:
        found.push(text)
    return found.fen


def test_a_finger_drags_a_piece_and_the_page_does_not_scroll(browser, address):
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 500}, "has_touch": True, "is_mobile": True}
    with opened(browser, address, **phone) as window:
        window.begin("english", "human", "human")
        session = window.page.context.new_cdp_session(window.page)
        (x, y), (to_x, to_y) = window.at(11), window.at(15)
        steps = [{"x": x + (to_x - x) * part / 5, "y": y + (to_y - y) * part / 5} for part in range(6)]
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": steps[:1]})
        for step in steps[1:]:
            session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [step]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        window.played(1)
        assert window.moves == ["11-15"]
        assert window.page.evaluate("scrollY") == 0


def test_an_analysis_and_a_hint_show_lines_and_arrows(browser, address):
    make(VARIANTS["english"], 4)
    with opened(browser, address) as window:
        window.begin("english", "human", "human", fen="W:WK22,18:BK32,K9")
        page = window.page
        page.select_option("[data-part=lines]", "2")
        page.check("[data-part=analysis]")
        page.wait_for_selector(".best-lines li >> nth=1")
        page.wait_for_selector("[data-part=score]:not(:empty)")
        assert page.inner_text(".best-lines li >> nth=0 >> strong") == "draw"
        page.click(".best-lines li >> nth=0 >> .line-move >> nth=0")
        page.wait_for_selector(".arrow-line")
        page.reload()
        page.wait_for_selector(".best-lines li >> nth=1")
        assert page.input_value("[data-part=lines]") == "2"
        page.click("[data-action=hint]")
        page.wait_for_selector(".arrow-hint")
        hint = page.inner_text("[data-part=subline]")
        assert re.fullmatch("Hint by endgame tables: 22-(26|17), draw", hint)
        assert page.inner_text("[data-part=spoken]") == hint and window.moves == []
        window.click(22, 17)
        page.wait_for_selector(".best-lines")
        page.locator("[data-part=best]", has_text="by endgame tables").wait_for()


def test_two_windows_show_one_game_and_who_plays_and_what_is_analysed(browser, address):
    with opened(browser, address) as first, opened(browser, address) as second:
        first.begin("english", "human", "human")
        hash_of_game = first.page.evaluate("location.hash")
        second.page.evaluate("hash => { location.hash = hash; }", hash_of_game)
        second.page.wait_for_selector("[data-mode=game]")
        second.click(11, 15)
        first.played(1)
        first.click(22, 18)
        second.played(2)
        assert first.moves == second.moves == ["11-15", "22-18"]
        second.page.click("summary:has-text('Players and level')")
        second.page.locator("[data-part=seats] select[aria-label=White]").select_option("random")
        second.page.check("[data-part=analysis]")
        first.page.wait_for_function(
            """() => document.querySelector("[data-part=seats] select").value === "random"
                && document.querySelector("[data-part=analysis]").checked"""
        )


def test_a_move_that_was_lost_or_refused_can_be_made_again(browser, address):
    with opened(browser, address, refused=True) as window:
        page = window.page
        page.evaluate("location.hash = '#/game/nothing'")
        page.locator("[data-say]", has_text="does not have this game any more").wait_for()
        page.wait_for_selector("[data-part=begin]")
        window.begin("english", "human", "human")
        page.evaluate(
            """() => {  // a websocket that nothing goes through, and then is closed
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function () {
                    WebSocket.prototype.send = send;
                    setTimeout(() => this.close(), 300);
                };
            }"""
        )
        window.click(11, 15)
        assert window.signs("movable") == 0
        page.locator("[data-say]", has_text="The connection is back.").wait_for()
        window.click(11, 15)
        window.played(1)
        page.evaluate(
            """() => {  // another window takes the move back
                const { store } = tested["web/page/state.js"];
                const prototype = WebSocket.prototype, send = prototype.send;
                const version = store.game.version;
                prototype.send = function () {
                    prototype.send = send;
                    this.send(JSON.stringify({ do: "undo", version }));
                    this.send(JSON.stringify({ do: "move", text: "22-18", version }));
                };
            }"""
        )
        window.click(22, 18)
        page.locator("[data-say]", has_text="the game has moved on").wait_for()
        window.headline("Black to move")
        assert window.moves == [] and page.is_hidden("[data-part=looking]")
        assert window.pieces == symbols("english", arena.Game("english").fen)


def test_a_game_can_be_saved_when_its_server_is_gone(browser):
    with ExitStack() as first:
        server = first.enter_context(served())
        with opened(browser, server.page, refused=True) as window:
            window.begin("english", "level-1", "human")
            window.click(11, 15)
            window.played(2)
            first.close()
            window.page.locator("[data-part=lost]", has_text="is lost; trying again").wait_for()
            with window.page.expect_download() as download:
                window.page.click("[data-part=lost] button:has-text('Save as PDN')")
            (saved,) = read_pdn(download.value.path().read_text()).games
            assert line_texts(saved.variant, saved.start, saved.moves) == window.moves
            assert (saved.tags["White"], saved.tags["Black"]) == ("level 1", "human")
