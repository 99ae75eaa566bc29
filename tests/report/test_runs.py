"""Many runs together: their list and its page, games that are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from arena.ledger.ledger import FILE
from arena.report.compare import sameness, sameness_sentence
from arena.report.load import load as load_run
from arena.watch.entry import entries, read_entry
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import MISSING_WORD
from tests.helpers.stored_run import StoredRun

MOVES = ("11-15", "23-19", "8-11")


def run(
    folder: Path,
    results: Sequence[tuple[str, str, str]],
    *,
    day: int = 1,
    planned: int = 0,
    moves: Sequence[str] = MOVES,
    **columns: float,
) -> Path:
    """A run whose games have these white, black and result, and the same moves; complete if `planned` is 0."""
    players = dict.fromkeys(name for white, black, _ in results for name in (white, black))
    with StoredRun(folder, players, planned or len(results)) as stored:
        stored.begin(began=f"2026-03-{day:02}T10:00:00+00:00", host="box")
        for game, (white, black, result) in enumerate(results, 1):
            stored.add(game, white, black, result, moves=moves, columns=columns)
        if not planned:
            stored.ledger.finish([])
    return folder


def games(wins: int, losses: int, white: str = "mine", black: str = "rock") -> list[tuple[str, str, str]]:
    return [(white, black, "white")] * wins + [(white, black, "black")] * losses


# --- the list


def test_a_list_has_every_run_below_a_folder_the_latest_first(tmp_path: Path) -> None:
    run(tmp_path / "old", games(1, 1), day=1)
    run(tmp_path / "deep" / "down" / "new", games(6, 2), day=9)
    run(tmp_path / "half", games(2, 1), day=4, planned=30)
    found = entries(tmp_path)
    assert [entry.name for entry in found] == ["deep/down/new", "half", "old"]
    newest, half = found[0].cells(), found[1].cells()
    assert (newest["began"], newest["state"]) == ("2026-03-09 10:00", "complete")
    assert (newest["players"], newest["games"], newest["leader"], newest["machine"]) == ("2", "8", "mine", "box")
    assert re.fullmatch(r"\+\d+ ± \d+", newest["Elo"])
    assert half["state"].startswith("3/30 games (10 %)")


def test_a_damaged_run_is_listed_with_what_is_wrong_and_harms_no_other(tmp_path: Path) -> None:
    run(tmp_path / "good", games(1, 1))
    broken = run(tmp_path / "broken", games(1, 1))
    for file in broken.glob(f"{FILE}*"):
        file.write_bytes(b"no database at all" * 100)
    (run(tmp_path / "bare", games(1, 1)) / "manifest.json").write_text("{")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / FILE).touch()
    result = invoke("report", tmp_path)
    assert result.exit_code == 0
    assert "4 runs: 2 complete, 2 cannot be read." in result.stdout
    states = {entry.name: entry.state for entry in entries(tmp_path)}
    assert states["good"] == states["bare"] == "complete"
    assert "cannot be read" in states["broken"] and str(tmp_path) not in states["broken"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert states["broken"].split(":")[0] in page


def test_elo_is_that_of_the_report_unless_games_were_played_since(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", games(3, 1))
    fitted = read_entry(folder, tmp_path).elo
    header = "rank,player,elo,elo_low,elo_high,games\n"
    (folder / "standings.csv").write_text(header + "1,mine,50,20,80,4\n2,rock,-50,,,4\n")
    reported = read_entry(folder, tmp_path).elo
    assert reported["mine"] == (50, 20, 80) and reported["rock"] == (-50, -50, -50)
    assert reported != fitted
    (folder / "standings.csv").write_text(header + "1,mine,50,20,80,3\n2,rock,-50,,,3\n")
    assert read_entry(folder, tmp_path).elo == fitted
    (folder / "standings.csv").write_text("nonsense")
    assert read_entry(folder, tmp_path).elo == fitted


class Links(HTMLParser):
    """The links and the cells of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name == "href" and value]


def test_the_page_links_reports_and_escapes_what_users_wrote(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    run(tmp_path / "a b#c", games(3, 1, white=name))
    (tmp_path / "a b#c" / "report.html").touch()
    run(tmp_path / "none", games(4, 1, white=name), day=2)
    assert invoke("report", tmp_path).stdout.endswith(f"index: {tmp_path / 'index.html'}\n")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    page = Links(text)
    assert page.links == ["a%20b%23c/report.html"]
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text
    assert page.tags.count("script") == 1
    assert page.tags.count("tr") == 3
    body = re.sub(r"<(style|script)>.*?</\1>|<svg.*?</svg>", "", text, flags=re.DOTALL)
    assert not MISSING_WORD.search(re.sub(r"<[^>]*>", " ", body).replace("none", ""))


def test_a_folder_without_a_run_and_an_option_that_a_list_does_not_have_are_one_line(tmp_path: Path) -> None:
    for folder, words in ((tmp_path, "there is no run in"), (tmp_path / "no", "is not a folder")):
        assert words in refused("report", folder)
    run(tmp_path / "a", games(1, 1))
    options: list[tuple[str, ...]] = [("--latex",), ("--games", "0")]
    for option in options:
        assert option[0] in refused("report", tmp_path, *option)


# --- the same games


def compared(tmp_path: Path, other: Path) -> str:
    first = tmp_path / "first"
    if not first.exists():
        run(first, games(2, 2))
    return sameness_sentence(sameness(load_run(first), load_run(other)))


def test_games_that_differ_in_time_alone_and_copies_are_identical(tmp_path: Path) -> None:
    said = "The games are identical: all 4 have the same moves, nodes, depths and scores."
    assert compared(tmp_path, run(tmp_path / "again", games(2, 2), seconds=0.5, overrun=0.25)) == said
    assert compared(tmp_path, tmp_path / "first") == said


def test_the_same_moves_found_by_another_search_are_told_apart(tmp_path: Path) -> None:
    other = run(tmp_path / "other", games(2, 2), nodes=17)
    assert compared(tmp_path, other) == (
        "The games are identical, all 4, move for move; nodes, depths or scores differ in 4 of them."
    )


def test_games_are_counted_that_are_the_same_of_those_that_both_have(tmp_path: Path) -> None:
    other = run(tmp_path / "other", games(3, 2))
    assert compared(tmp_path, other) == "3 of 4 games that both have are the same, move for move."
    moved = run(tmp_path / "moved", games(2, 2), moves=("11-15", "23-19", "8-12"))
    assert compared(tmp_path, moved) == "0 of 4 games are the same, move for move."
    stranger = run(tmp_path / "stranger", games(2, 2, "x", "y"))
    assert compared(tmp_path, stranger) == ""


def test_compare_says_which_games_of_two_runs_are_the_same(tmp_path: Path) -> None:
    a = run(tmp_path / "a", games(8, 4))
    b = run(tmp_path / "b", games(8, 4), seconds=0.5)
    same = "The games are identical: all 12 have the same moves, nodes, depths and scores."
    assert same in invoke("compare", a, b).stdout.splitlines()
    assert json.loads(invoke("compare", a, b, "--json").stdout)["games"] == same
