"""Tests of the pools that ship, and of the command that places a newcomer against one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import arena
from arena.commands.place import POOLS
from arena.experiment.load import load
from tests.helpers.command_line import error_line, invoke

NEWCOMER = "{name: level 4, type: greedy, evaluation: strong}"


@pytest.mark.parametrize("file", sorted(POOLS.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_pool_is_a_configuration_in_which_every_player_has_its_elo(file: Path) -> None:
    experiment = load(file)
    assert list(experiment.anchor) == [player.name for player in experiment.players]
    assert experiment.anchor["level 4"] == 0
    assert all(player.limit.longest is None for player in experiment.players)
    assert "full" not in file.read_text()


def test_pools_are_listed_with_the_elo_of_their_players() -> None:
    result = invoke("place")
    assert result.exit_code == 0 and "level 4" in result.stdout
    assert [line.split(":")[0] for line in result.stdout.splitlines() if ":" in line] == [
        "english-2026",
        "international-2026",
    ]


@pytest.mark.parametrize("line", [("simple", "--pool", "englisch"), ("simpel@d3",), ("simple", "--error", 0)])
def test_a_wrong_line_is_an_error(line: tuple[object, ...]) -> None:
    result = invoke("place", *line)
    assert result.exit_code == 2 and error_line(result.stderr)


def test_a_pool_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.commands.place.POOLS", tmp_path)
    (tmp_path / "own-2026.yaml").write_text("name: [x")
    for line in ((), ("simple", "--pool", "own")):
        result = invoke("place", *line)
        assert result.exit_code == 2 and str(tmp_path / "own-2026.yaml") in error_line(result.stderr)


@pytest.mark.full
def test_a_newcomer_plays_a_gauntlet_against_a_pool_whose_elo_is_fixed(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "placed"
    result = invoke("place", NEWCOMER, "--error", 60, "--seed", 3, "--workers", 2, "--out", folder)
    assert result.exit_code == 0, result.stderr
    document = yaml.safe_load((folder / "place.yaml").read_text())
    newcomer = document["players"][0]["name"]
    assert document["format"] == {"type": "gauntlet", "seeds": [newcomer]} and newcomer != "level 4"
    run = arena.load(folder)
    table = run.standings.set_index("player")
    assert table["elo"].drop(newcomer).to_dict() == pytest.approx(run.experiment.anchor)
    assert 0 < table["elo_high"][newcomer] - table["elo"][newcomer] <= 60
    assert f"{newcomer}: " in result.stdout and "leads" not in result.stdout
