"""Runs that are made by hand: reports that lack a part, games of two that are the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.command_line import invoke
from tests.helpers.runs import StoredRun

MOVES = ("11-15", "23-19", "8-11")


def run(
    folder: Path,
    results: Sequence[tuple[str, str, str]],
    *,
    moves: Sequence[str] = MOVES,
    **columns: float,
) -> Path:
    """A complete run whose games have these white, black and result, and the same moves."""
    players = dict.fromkeys(name for white, black, _ in results for name in (white, black))
    with StoredRun(folder, players, len(results)) as stored:
        for white, black, result in results:
            stored.add(white, black, result, moves=moves, columns=columns)
        stored.end()
    return folder


def games(wins: int, losses: int, white: str = "mine", black: str = "rock") -> list[tuple[str, str, str]]:
    return [(white, black, "white")] * wins + [(white, black, "black")] * losses


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
    assert faulty.exit_code == 2 and "Traceback" not in faulty.output
    (line,) = [line for line in faulty.stderr.splitlines() if "ZeroDivisionError" in line]
    assert line in (folder / "report.html").read_text(encoding="utf-8")
    assert invoke("report", folder).exit_code == 0


def test_what_a_report_has_besides_may_change_whenever_the_run_is_resumed(tmp_path: Path) -> None:
    config = "name: t\nvariant: english\nopenings: {count: 1}\nmax_plies: 4\nplayers: [random, greedy]\n"
    for added, kinds in (("", set()), ("report: [png]", {"png"}), ("report: [png, pdf]", {"png", "pdf"})):
        (tmp_path / "t.yaml").write_text(config + added)
        done = invoke("run", tmp_path / "t.yaml", "--out", tmp_path / "out", "--workers", 1)
        assert done.exit_code == 0
        written = {path.suffix for path in (tmp_path / "out").iterdir() if path.stem == "elo"}
        assert written == {".svg", *(f".{kind}" for kind in kinds)}
