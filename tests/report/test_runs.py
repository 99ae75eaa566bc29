"""Many runs together: their list and its page, games that are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.ledger.ledger import FILE
from arena.report.compare import sameness, sameness_sentence
from arena.report.index import list_grid
from arena.report.load import load as load_run
from arena.report.write import FAULTS_FILE
from arena.watch.entry import entries_below
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
    found = entries_below(tmp_path)
    assert [entry.name for entry in found] == ["deep/down/new", "half", "old"]
    newest, half, _ = list_grid(found).texts().to_dict("records")
    assert (newest["Began"], newest["State"]) == ("2026-03-09 10:00", "complete")
    assert (newest["Players"], newest["Games"], newest["Leader"], newest["Machine"]) == ("2", "8", "mine", "box")
    assert re.fullmatch(r"\+\d+ ± \d+", newest["Elo"])
    assert half["State"].startswith("3/30 games (10 %)")


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
    states = {entry.name: entry.state for entry in entries_below(tmp_path)}
    assert states["good"] == states["bare"] == "complete"
    assert "cannot be read" in states["broken"] and str(tmp_path) not in states["broken"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert states["broken"].split(":")[0] in page


def test_the_page_links_reports_and_escapes_what_users_wrote(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    run(tmp_path / "a b#c", games(3, 1, white=name))
    (tmp_path / "a b#c" / "report.html").touch()
    run(tmp_path / "none", games(4, 1, white=name), day=2)
    assert invoke("report", tmp_path).stdout.endswith(f"index: {tmp_path / 'index.html'}\n")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall('href="([^"]*)"', text) == ["a%20b%23c/report.html"]
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text
    body = re.sub(r"<(style|script)>.*?</\1>|<svg.*?</svg>", "", text, flags=re.DOTALL)
    assert not MISSING_WORD.search(re.sub(r"<[^>]*>", " ", body).replace("none", ""))


def test_a_list_does_not_overwrite_a_page_of_a_users_own(tmp_path: Path) -> None:
    run(tmp_path / "a", games(1, 1))
    (tmp_path / "index.html").write_text("<h1>mine</h1>")
    assert str(tmp_path / "index.html") in refused("report", tmp_path)
    assert (tmp_path / "index.html").read_text() == "<h1>mine</h1>"
    (tmp_path / "index.html").unlink()
    assert invoke("report", tmp_path).exit_code == invoke("report", tmp_path).exit_code == 0


@pytest.mark.usefixtures("no_pictures")
def test_a_report_that_lacks_a_part_says_so_on_stderr_and_by_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("float division by zero")

    folder = run(tmp_path / "a", games(6, 2))
    with monkeypatch.context() as patch:
        patch.setattr("arena.report.sentences.answer._comparisons", broken)
        faulty = invoke("report", folder)
    assert faulty.exit_code == 1 and "Traceback" not in faulty.output
    (line,) = [line for line in faulty.stderr.splitlines() if "ZeroDivisionError" in line]
    assert line in (folder / "report.html").read_text(encoding="utf-8")
    assert "Traceback" not in faulty.stderr and str(folder / FAULTS_FILE) in faulty.stderr
    assert invoke("report", folder).exit_code == 0


# --- the same games


@pytest.mark.parametrize(
    ("made", "changes", "same"),
    [
        (games(2, 2), {}, (4, 4, 4)),
        (games(2, 2), {"seconds": 0.5, "overrun": 0.25}, (4, 4, 4)),
        (games(2, 2), {"nodes": 17}, (4, 4, 0)),
        (games(3, 2), {}, (4, 3, 3)),
        (games(2, 2), {"moves": ("11-15", "23-19", "8-12")}, (4, 0, 0)),
        (games(2, 2, "x", "y"), {}, (0, 0, 0)),
    ],
    ids=["copies", "times", "searches", "another game", "other moves", "other players"],
)
def test_games_of_two_runs_are_the_same_by_their_moves_and_by_their_searches(
    tmp_path: Path, made: list[tuple[str, str, str]], changes: dict[str, Any], same: tuple[int, int, int]
) -> None:
    first, other = run(tmp_path / "first", games(2, 2)), run(tmp_path / "other", made, **changes)
    found = sameness(load_run(first), load_run(other))
    assert (found.shared, found.moves, found.searches) == same
    sentence = sameness_sentence(found)
    assert bool(sentence) == (found.shared > 0)
    assert sentence in ["", *invoke("compare", first, other).stdout.splitlines()]
