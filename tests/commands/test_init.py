"""What `arena init` writes: experiments that play as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.commands.init import TEMPLATE_FILES
from arena.experiment.load import load_all
from tests.helpers.command_line import invoke, refused

OPTIONS = {"heuristic": (), "class": ("--class",), "engine": ("--engine",)}
PLAYERS = {"heuristic": 4, "class": 5, "engine": 4}


@pytest.mark.parametrize("kind", TEMPLATE_FILES)
def test_each_kind_is_a_configuration_and_is_not_overwritten(tmp_path: Path, kind: str) -> None:
    assert invoke("init", tmp_path, *OPTIONS[kind]).exit_code == 0
    (experiment,) = load_all(tmp_path / TEMPLATE_FILES[kind][0].name).values()
    assert len(experiment.players) == PLAYERS[kind]
    config = tmp_path / TEMPLATE_FILES[kind][0].name
    config.write_text("mine")
    assert invoke("init", tmp_path, *OPTIONS[kind]).exit_code == 2 and config.read_text() == "mine"


def test_a_recipe_is_written_and_an_unknown_one_names_those_that_there_are(tmp_path: Path) -> None:
    assert invoke("init", tmp_path, "--recipe", "texel").stdout.endswith("python texel.py\n")
    assert "import arena" in (tmp_path / "texel.py").read_text()
    assert "spsa" in refused("init", tmp_path, "--recipe", "texle")


@pytest.mark.full
@pytest.mark.compiled
def test_a_class_is_played_without_failures_and_random_moves_do_not_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written for heuristics is played in `test_installed`, the program of `engine` in `test_starters`."""
    monkeypatch.chdir(tmp_path)
    assert invoke("init", ".", "--class").exit_code == 0
    config = Path("class.yaml")
    config.write_text(config.read_text().replace("count: 10", "count: 1"))
    played = invoke("run", config, "--workers", "1")
    assert played.exit_code == 0, played.output
    table = [line.split() for line in played.stdout.splitlines() if line[:1].isdigit()]
    assert len(table) == PLAYERS["class"] and table[0][1] != "random"
