"""A report that plays itself again: what its page holds, and what it says of other games."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.base import ArenaError
from arena.report.replay import compared, held_by, write_sources
from players.importing import forget_modules
from tests.helpers.command_line import invoke, refused

RUN = """\
name: tiny
variant: english
max_plies: 60
openings: {file: openings.txt}
players:
  - {name: own, evaluation: "mine/own.py:value", depth: 2}
  - {name: greedy, type: greedy}
"""
OWN = """\
from arena import evaluator, features
from worth import MAN

@evaluator
def value(position, rules):
    worth = 0.0
    for side, sign in ((position.turn, 1), (1 - position.turn, -1)):
        worth += sign * 100 * features.men(position, rules, side)
        worth += sign * MAN * features.advancement(position, rules, side)
    return worth
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run with a file of one's own, what that imports, and a file of openings, all deleted."""
    folder: Path = tmp_path_factory.mktemp("replay")
    (folder / "mine").mkdir()
    (folder / "tiny.yaml").write_text(RUN)
    (folder / "mine" / "own.py").write_text(OWN)
    (folder / "mine" / "worth.py").write_text("MAN = 20.0\n")
    (folder / "openings.txt").write_text("B:W21-32:B1-12\nB:W18,21,23-32:B1-12\n")
    assert invoke("run", folder / "tiny.yaml", "--out", folder / "out", "--workers", 1).exit_code == 0
    for name in ("tiny.yaml", "mine/own.py", "mine/worth.py", "openings.txt"):
        (folder / name).unlink()
    return folder / "out" / "report.html"


def test_a_report_alone_plays_the_same_games_with_the_code_of_its_author(page: Path, tmp_path: Path) -> None:
    assert "--yes" in refused("run", page, "--out", tmp_path / "out")
    result = invoke("run", page, "--out", tmp_path / "out", "--yes", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("4 of 4 games are the same\n") and "own.py" in result.stdout


def test_games_of_a_changed_source_are_counted_as_others_by_pairing(page: Path, tmp_path: Path) -> None:
    document = held_by(page)
    config = write_sources(document, tmp_path / "again", sandbox=False)
    (config.parent / "mine" / "worth.py").write_text("MAN = -20.0\n")
    forget_modules()
    assert invoke("run", config, "--out", tmp_path / "again", "--workers", 1).exit_code == 0
    found = compared(document, tmp_path / "again")
    assert found.startswith(("0 of 4", "2 of 4")) and "own" in found
    assert "python 2 then" in compared({**document, "versions": {"python": "2"}}, tmp_path / "again")


def test_files_outside_of_the_folder_and_pages_without_sources_are_refused(page: Path, tmp_path: Path) -> None:
    document = held_by(page)
    with pytest.raises(ArenaError, match="outside"):
        write_sources({**document, "files": {"/etc/own.py": "", "../x.py": ""}}, tmp_path, sandbox=False)
    other = tmp_path / "other.html"
    other.write_text("<html></html>")
    assert "other.html" in refused("run", other, "--yes")
    assert "--force" in refused("run", page, "--force") and "--yes" in refused("run", tmp_path / "a.yaml", "--yes")
