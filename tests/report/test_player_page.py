"""The pages of players inside a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.ledger.record import failures_of
from arena.report.markup import anchor
from arena.report.page.player import PlayerPages, player_sections
from arena.report.run import Run
from arena.rules.notation import fen
from arena.rules.played import replayed
from players.loading import Finding
from tests.helpers.report_data import MISSING_WORD, changed, found_before, plain, player, synthetic, write_quickly
from tests.helpers.web_browser import page_of

NAMES = ["a b", "a%20b", "q\"<i>'&x=y#", "対局/ü", "plain", "plain:2"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    players = [player(name, 1 + place) for place, name in enumerate(NAMES)]
    return synthetic(tmp_path_factory.mktemp("players"), players, 2, plies=20)


def test_the_numbers_of_a_page_are_those_of_the_tables(run: Run) -> None:
    pages = PlayerPages(run, run.placed)
    for row in run.standings.to_dict("records"):
        page = pages.page(row["player"])
        assert len(page["opponents"].rows) == len(NAMES) - 1
        against = [float(points.text.removesuffix("/4")) for _, points, *_ in page["opponents"].rows]
        assert sum(against) == row["wins"] + row["draws"] / 2
        assert page["results"] == tuple(row[count] for count in ("wins", "draws", "losses"))
        text = plain(pages.html(row["player"], "", linked=True))
        assert f"No failure in {row['games']} games." in text and not MISSING_WORD.search(text)


def test_a_failure_has_the_traceback_and_the_output_of_the_game(run: Run, tmp_path: Path) -> None:
    games = run.games.assign(error="")
    loser = games["black"][0]
    games.loc[0, ["result", "termination", "error"]] = ["white", "error", f"{loser} raised ValueError at ply 3"]
    games.loc[0, ["traceback", "output"]] = ["bot.py, line 7, in choose", "thinking\nstill thinking"]
    text = PlayerPages(changed(run, tmp_path, games=games), [loser]).html(loser, "")
    assert "Failures in 1 game" in text
    assert "bot.py, line 7, in choose" in text and "still thinking" in text


@pytest.mark.parametrize(("termination", "ply", "before"), [("time", 3, 2), ("time", 4, 3), ("error", 4, 3)])
def test_the_position_of_a_failure_is_that_before_the_move_also_where_a_late_one_was_played(
    run: Run, tmp_path: Path, termination: str, ply: int, before: int
) -> None:
    games = run.games.assign(error="")
    loser, result = (games["black"][0], "white") if ply % 2 else (games["white"][0], "black")
    said = f"{loser} failed at ply {ply}"
    fields: dict[str, Any] = {"result": result, "termination": termination, "error": said, "plies": 3}
    for column, value in fields.items():
        games.loc[0, column] = value
    start = f"B:W{','.join(map(str, range(21, 33)))}:B{','.join(map(str, range(1, 13)))}"
    played = replayed(run.experiment.rule_set, start, ["11-15", "23-19", "8-11"])
    pages = PlayerPages(changed(run, tmp_path, games=games), [loser])
    vars(pages)["_replayed"] = {int(games["game"][0]): played}
    text = pages.html(loser, "")
    assert f"<code>{fen(played.variant, played.positions[before])}</code>" in text


def test_who_is_left_out_reads_each_mistake_once(run: Run) -> None:
    found = tuple(Finding("error", where="gone", detail=f"mistake {n}", place="W:W1:B32") for n in "ab")
    of_gone = changed(run, info=found_before(run.info, found, {"gone": "gone.py"}))
    text = PlayerPages(of_gone, ["gone"]).html("gone", "")
    assert [text.count(f"mistake {n}") for n in "ab"] == [1, 1] and text.count("W:W1:B32") == 2


@pytest.mark.parametrize(("plies", "ply"), [(0, 1), (46, 47), (47, 47)])
def test_a_failure_without_words_has_the_ply_that_failed(plies: int, ply: int) -> None:
    """White, who begins, is to move after an even number of plies; after an odd one its last move was late."""
    game = {"game": 1, "white": "a", "black": "b", "result": "black", "termination": "time", "plies": plies}
    texts = {"id": "00000a", "opening_fen": "W:W1:B32", "error": "", "traceback": "", "output": ""}
    (failure,) = failures_of([game | texts])
    assert failure.ply == ply and f"ply {ply}" in failure.words


def test_players_that_do_not_fit_into_the_page_are_left_out_from_the_end(run: Run) -> None:
    text, names = player_sections(run)
    assert names == run.placed and text.count("<section") == len(NAMES)
    some, fitting = player_sections(run, characters=len(text) // 2)
    assert fitting == names[: len(fitting)] and 0 < len(fitting) < len(NAMES) and len(some) <= len(text) // 2


@pytest.mark.full
def test_every_name_has_a_page_that_its_address_opens(browser: Any, run: Run) -> None:
    write_quickly(run)
    with page_of(browser) as page:
        page.goto(f"file://{run.folder}/report.html")
        assert page.locator("section.player:visible").count() == 0
        for name in NAMES:
            page.evaluate("name => { location.hash = name; }", anchor(name))
            assert page.locator("section.player:visible h1").all_inner_texts() == [name]
            assert not page.locator("main").is_visible()
        page.locator("section.player:visible .back a").click()
        assert page.locator("main").is_visible()
        page.locator("main a[href^='#player=']").first.click()
        assert page.locator("section.player:visible h1").all_inner_texts() == run.placed[:1]
