"""The games on the page of a report in a real browser: opened from a file, at two widths, light and dark."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pytest

import arena
from arena.ledger.read import GRADE_COLUMNS, GRADED_COLUMNS
from arena.report.markup import anchor
from arena.report.run import Run
from arena.rules.board import UNIT, corner
from arena.rules.custom import build_variant
from tests.helpers.command_line import invoke
from tests.helpers.report_data import changed, plain, write_quickly
from tests.helpers.web_browser import page_of, symbols

pytestmark = pytest.mark.full

LONG = "a player whose name has forty characters"
CJK = "深度搜索の棋士"
ARABIC = "لاعب الداما"
SCRIPT = "<script>alert(1)</script>"
HOSTILE = (SCRIPT, LONG, CJK, ARABIC)
VARIANTS = {
    "english": "english",
    "italian": "italian",
    "custom": {"base": "international", "men": 8, "first": "black"},
}
"""The variant of each run; a board is mirrored in Italian, and larger in the custom one."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, no_pictures: None) -> dict[str, Run]:
    """A run of each of VARIANTS, with its report: two games of two players, in English twelve of four."""
    found = {}
    for name, variant in VARIANTS.items():
        folder = tmp_path_factory.mktemp(name)
        players: list[dict[str, Any]] = [{"name": player, "type": "random"} for player in HOSTILE]
        if name == "english":
            players[1:] = [{"name": player, "type": "negamax", "depth": 2} for player in HOSTILE[1:]]
        openings = {"random_plies": 3, "count": 1}
        document = {"name": name, "variant": variant, "seed": 4, "openings": openings, "max_plies": 60}
        document["players"] = players if name == "english" else players[:2]
        (folder / "run.yaml").write_text(json.dumps(document), encoding="utf-8")
        assert invoke("run", folder / "run.yaml", "--out", folder / "out", "--workers", 1).exit_code == 0
        found[name] = arena.load(folder / "out")
    return found


RUSSIAN = """[White "Tinsley <b>"]
[Black "Derek Oldbury"]
[Event "Match"]
[GameType "25,W,8,0,A0,0"]
[Result "1-0"]

{Begun.} 1. c3-d4 b6-a5 {"sic"} 2. d4-c5 {+0.34/12 0.050s} d6:b4 1-0

[White "other"]
[GameType "20"]
[Result "2-0"]

1. 32-28 19-23 2. 28x19 14x23 2-0
"""


@contextmanager
def opened(
    browser: Any, run: Run, address: str = "", *, width: int = 1280, scheme: str = "light", script: str = ""
) -> Iterator[Any]:
    """The page of a run in a window."""
    with page_of(browser, viewport={"width": width, "height": 844}, color_scheme=scheme) as page:
        page.add_init_script(script or ";")
        page.goto(f"file://{run.folder}/report.html{address}")
        page.wait_for_selector("#viewer" if script else "#viewer[data-ready]")
        yield page


def position(page: Any) -> str:
    """The FEN that is shown."""
    return str(page.input_value("[data-part=fen]"))


def pieces(page: Any) -> dict[int, str]:
    """What is drawn on the board: the symbol of a piece by the number of its square."""
    drawn = page.eval_on_selector_all(
        ".board-pieces use", "uses => uses.map(use => [+use.dataset.square, use.getAttribute('href')])"
    )
    return dict(drawn)


def places(page: Any, selector: str) -> list[tuple[int, float, float]]:
    """Number, x and y of elements of the board."""
    numbers = "[+each.dataset.square, +each.getAttribute('x'), +each.getAttribute('y')]"
    found = page.locator(".viewer-board").locator(selector).evaluate_all(f"all => all.map(each => {numbers})")
    return [tuple(each) for each in found]


def listed(page: Any) -> list[str]:
    """The ids of the games in the list."""
    return list(page.eval_on_selector_all(".viewer-game", "all => all.map(one => one.dataset.game)"))


def fens(run: Run, id: str) -> list[str]:
    """The positions of a game after each ply, by the rules."""
    row = run.games.set_index("id").loc[id]
    game = arena.Game(run.experiment.variant, str(row["opening_fen"]))
    found = [game.fen]
    for text in run.moves.loc[run.moves["game"] == row["game"], "move"]:
        game.push(text)
        found.append(game.fen)
    return found


def show(page: Any, id: str) -> None:
    """Open a game by its address."""
    page.evaluate(f"location.hash = 'game={id}'")
    is_shown = f"document.querySelector('[data-part=title]').textContent.startsWith('Game {id}:')"
    page.wait_for_function(is_shown, polling=50)  # not frames: a busy browser may draw none


@pytest.mark.parametrize("name", VARIANTS)
def test_every_position_on_the_board_is_that_of_the_game_by_the_rules(browser, runs, name):
    run = runs[name]
    with opened(browser, run) as page:
        for id in run.games["id"]:
            expected = fens(run, id)
            show(page, id)
            assert position(page) == expected[0]
            page.keyboard.press("End")
            assert position(page) == expected[-1]
        for fen in reversed(expected[:-1]):
            page.keyboard.press("ArrowLeft")
            assert position(page) == fen
        page.keyboard.press("End")
        assert pieces(page) == symbols(run.experiment.variant, expected[-1])
        variant = build_variant(run.experiment.variant)
        for flip in (False, True):
            drawn = places(page, ".board-squares [data-square], .board-pieces use")
            assert len(drawn) == variant.squares + len(pieces(page))
            corners = {number: corner(variant, number, flip) for number in range(1, variant.squares + 1)}
            assert {number: (x, y) for number, x, y in drawn} == corners
            [_, *label] = places(page, ".board-labels text")[0]
            assert [value // UNIT * UNIT for value in label] == [*corners[1]]
            page.click("[data-action=flip]")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_buttons_and_keys_go_through_a_game(browser, runs, width, scheme):
    run = runs["english"]
    id = run.ids[5]
    expected = fens(run, id)
    with opened(browser, run, f"#game={id}&ply=3", width=width, scheme=scheme) as page:
        assert position(page) == expected[3]
        for action, ply in (("first", 0), ("forward", 1), ("forward", 2), ("back", 1), ("last", -1)):
            page.click(f"[data-action={action}]")
            assert position(page) == expected[ply]
        page.focus("[data-part=board]")
        for key, ply in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", -1)):
            page.keyboard.press(key)
            assert position(page) == expected[ply]
        page.click(".viewer-moves button >> nth=5")
        assert position(page) == expected[6]
        assert page.inner_text(".viewer-moves [aria-current]") == run.moves.query("game == 5")["move"].iloc[5]
        assert page.inner_text("[data-part=status]").startswith(f"Ply 6 of {len(expected) - 1}: ")
        page.click(".viewer-curves", position={"x": 1, "y": 40})
        assert position(page) == expected[0]
        page.click("[data-action=next]")
        page.wait_for_function(f"!document.querySelector('[data-part=title]').textContent.includes('{id}')")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        board, button = (page.locator(part).bounding_box() for part in (".viewer-board", "[data-action=forward]"))
        assert width > 500 or board["width"] == width
        assert button["height"] >= 44 and button["width"] >= 40


def test_the_list_is_filtered_and_sorted_and_a_cell_of_the_crosstable_leads_to_its_games(browser, runs):
    run = runs["english"]
    games = run.games
    with opened(browser, run) as page:
        assert len(listed(page)) == len(games) == 12
        page.select_option("[name=order]", "shortest")
        plies = games.set_index("id")["plies"]
        assert plies[listed(page)].tolist() == sorted(plies)
        page.select_option("[name=player]", SCRIPT)
        page.select_option("[name=result]", "lost")
        lost = (games["white"] == SCRIPT) & (games["result"] == "black")
        lost |= (games["black"] == SCRIPT) & (games["result"] == "white")
        assert {*listed(page)} == {*games.loc[lost, "id"]} != set()
        assert page.inner_text(".viewer-count") == f"{lost.sum()} of 12 games"
        pair = [run.players[1], run.players[3]]
        met = games[games["white"].isin(pair) & games["black"].isin(pair)]["id"].tolist()
        for _ in range(2):  # the second time the address is there already
            page.locator("#crosstable-table tbody tr").nth(1).locator("td").nth(1 + 3).locator("a").click()
            page.wait_for_timeout(300)
            assert sorted(listed(page)) == sorted(met)
            page.click("button[type=reset]")
        address = page.evaluate("location.hash")
    with opened(browser, run, address) as page:
        assert sorted(listed(page)) == sorted(met)


def test_an_address_names_a_game_and_its_ply_and_follows_the_reader(browser, runs):
    run = runs["english"]
    id = run.ids[7]
    with opened(browser, run, f"#game={id}&ply=9") as page:
        assert page.inner_text("[data-part=title]").startswith(f"Game {id}: ")
        assert position(page) == fens(run, id)[9]
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"location.hash === '#game={id}&ply=10'")
        page.evaluate("location.hash = 'game=7'")
        page.wait_for_selector("text=Game 7 is not inside this page.")


def test_names_scores_and_the_position_to_copy_are_those_of_the_game(browser, runs):
    run = runs["english"]
    game = run.games[run.games["white"] == SCRIPT].iloc[0]
    with opened(browser, run) as page:
        assert set(page.locator(".viewer-game bdi").all_inner_texts()) == set(HOSTILE)
        show(page, game["id"])
        assert page.locator("[data-part=title] bdi").all_inner_texts() == [game["white"], game["black"]]
        count = {side: page.locator(f"circle.viewer-{side}").count() for side in ("white", "black")}
        moves = run.moves[run.moves["game"] == game["game"]]
        scored = moves[moves["score_men"].notna() | moves["plies_to_win"].notna()]
        assert count == {side: int((scored["colour"] == side).sum()) for side in ("white", "black")}
        assert count["black"] > 3 and count["white"] == 0
        text = page.eval_on_selector(".viewer-curves", "svg => svg.outerHTML")
        assert not re.search("NaN|Infinity|undefined|null", text)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("[data-action=copy]")
        page.wait_for_selector("text=copied")
        assert page.evaluate("navigator.clipboard.readText()") == position(page)


def test_a_browser_that_cannot_unpack_games_says_so(browser, runs):
    with opened(browser, runs["english"], script="delete window.DecompressionStream") as page:
        page.wait_for_selector("text=This browser is too old to unpack the games")
        assert page.is_hidden(".viewer-body")


def test_an_error_is_linked_and_marked_and_an_arrow_shows_a_better_move(browser, runs, tmp_path):
    run = runs["english"]
    mover = run.moves.set_index(["game", "ply"]).loc[(3, 5)]
    id = run.ids[3]
    game = arena.Game(run.experiment.variant, fens(run, id)[4])
    better = next(text for text in map(game.text, game.legal_moves) if text != mover["move"])
    grade = {
        "game": 3, "ply": 5, "player": mover["player"], "colour": mover["colour"], "judge": "tables", "best": 1.0,
        "played": 0.0, "best_move": better, "pieces": 4,
    }  # fmt: skip
    grades = pd.DataFrame([grade]).reindex(columns=list(GRADE_COLUMNS))
    graded = pd.DataFrame({"game": [3], "judge": "tables", "endgame_pieces": 4})
    errs = changed(run, tmp_path, grades=grades, graded=graded.reindex(columns=list(GRADED_COLUMNS)))
    write_quickly(errs)
    with opened(browser, errs, width=390) as page:
        page.locator(f"main a[href^='#game={id}&']").first.click()
        page.wait_for_selector(".arrow-hint")
        assert position(page) == fens(run, id)[4]
        told = f"Next {mover['move']} −1; the green arrow shows {better}."
        assert told in page.text_content("[data-part=status]")
        origin, *_, target = map(int, re.findall(r"\d+", better))
        for flip in (False, True):
            for part, number in ((".arrow-hint .arrow-head", target), (".arrow-hint .arrow-shaft", origin)):
                x, y = corner(build_variant(run.experiment.variant), number, flip)
                assert page.get_attribute(part, "d").startswith(f"M{x + UNIT // 2} {y + UNIT // 2} ")
            page.click("[data-action=flip]")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".arrow-hint", state="detached")
        assert page.text_content(".viewer-moves [aria-current]") == f"{mover['move']} −1"
        assert f"{mover['move']} −1 (better {better}) by" in page.text_content("[data-part=status]")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.evaluate("name => { location.hash = name; }", anchor(str(mover["player"])))
        text = page.inner_text("section.player:visible")
        assert f"Played {mover['move']} −1, better {better} (the arrow)." in text
        assert "Costs a win turned into a loss." in text


@pytest.mark.parametrize(("width", "height"), [(1366, 657), (390, 844)])
def test_a_pdn_is_shown_as_it_is_written_on_a_board_that_fits(browser, tmp_path, width, height):
    (tmp_path / "g.pdn").write_text(RUSSIAN)
    assert invoke("show", tmp_path / "g.pdn", "--out", tmp_path / "g.html").exit_code == 0
    with page_of(browser, viewport={"width": width, "height": height}) as page:
        page.goto(f"file://{tmp_path}/g.html")
        page.wait_for_selector("#viewer[data-ready]")
        assert page.inner_text("[data-part=title]") == "Game 1: Tinsley <b> – Derek Oldbury, White won"
        assert page.inner_text("[data-part=status] q") == "Begun."
        assert page.locator(".board-labels text").first.text_content() == "b8"
        assert page.locator(".viewer-moves button").all_inner_texts() == ["c3-d4", "b6-a5", "d4-c5", "d6:b4"]
        page.click(".viewer-moves button >> nth=2")
        assert "score +0.34 men" in plain(page.inner_text("[data-part=status]"))
        game = arena.Game("russian")
        for text in ("22-18", "9-13", "18-14"):  # c3-d4, b6-a5, d4-c5
            game.push(text)
        command = page.input_value("[data-part=play]")
        assert command == f"arena play russian --browser --fen {position(page)}" and "c5" in command
        shown = invoke("show", position(page), "--variant", "russian", "--json")
        assert json.loads(shown.stdout)["fen"] == position(page) and pieces(page) == symbols("russian", game.fen)
        assert {"Event", "GameType"} <= {*page.locator(".viewer-facts dt").all_inner_texts()}
        page.keyboard.press("n")  # the focus was on a button of a game that is no longer there
        page.wait_for_selector(".board-squares [data-square='50']")
        page.keyboard.press("End")
        assert page.locator(".viewer-moves [aria-current]").inner_text() == "14x23"
        box = page.locator(".viewer-play").bounding_box()
        assert box["height"] <= height and page.evaluate("document.documentElement.scrollWidth") <= width
