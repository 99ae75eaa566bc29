"""Tests of the list of players, their options and limits, and of how it is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from click.testing import CliRunner
from pydantic import Field, TypeAdapter

from arena.commands.cli import main
from arena.rules.variants import VARIANTS
from players.catalogue import catalogue, takes
from players.evaluation.build import EVALUATORS
from players.evaluation.linear import FEATURES
from players.loading import PlayerError
from players.negamax.switches import KINDS, PRESETS
from players.options import options_of
from players.player import Limit, PlayerSpec
from players.table import PLAYERS, build_player

THERE_IS = catalogue()
LIMITS: dict[str, Any] = {"depth": 3, "nodes": 50, "seconds": 0.01, "clock": 1.0}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        monkeypatch.setenv("COLUMNS", "80")
        result = CliRunner().invoke(main, ["players", *arguments], catch_exceptions=False)
        assert result.exit_code == 0
        return result.stdout

    return run


def test_everything_is_in_the_catalogue():
    assert list(THERE_IS["players"]) == list(PLAYERS)
    assert set(THERE_IS["presets"]) == set(PRESETS)
    assert set(THERE_IS["switches"]) == set(KINDS)
    assert set(THERE_IS["evaluations"]) == set(EVALUATORS)
    assert set(THERE_IS["features"]) == set(FEATURES)
    assert all(text for part in ("presets", "evaluations", "features") for text in THERE_IS[part].values())


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_has_a_line_its_limits_and_each_option_with_what_it_takes(name):
    player = THERE_IS["players"][name]
    assert player["what"].endswith(".")
    assert set(player["limits"]) <= set(Limit._fields)
    assert player["options"].keys() == options_of(PLAYERS[name]).keys()
    for option in player["options"].values():
        assert option["takes"] not in ("", "anything")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in PLAYERS
        if not any(option["required"] for option in THERE_IS["players"][name]["options"].values())
    ],
)
def test_a_player_takes_each_limit_that_it_is_said_to_heed_and_needs_one_if_said_so(name):
    player = THERE_IS["players"][name]
    for limit in LIMITS.keys() & player["limits"]:
        build_player(PlayerSpec("p", name, Limit()._replace(**{limit: LIMITS[limit]})), VARIANTS["english"])
    bare = PlayerSpec("p", name)
    if player["needs_limit"]:
        with pytest.raises(PlayerError, match="needs a limit"):
            build_player(bare, VARIANTS["english"])
    else:
        build_player(bare, VARIANTS["english"])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (bool, "true, false"),
        (int | None, "whole number"),
        (Literal["a", "b"], "a, b"),
        (Annotated[int, Field(ge=1, le=64, json_schema_extra={"unit": "plies"})], "whole number, 1 to 64 plies"),
        (Annotated[float, Field(ge=0)], "number, 0 or more"),
        (str | list[str], "text, or list of text"),
        (dict[str, str], "mapping"),
        (Any, "anything"),
    ],
)
def test_what_a_type_takes_is_said_in_words(kind, words):
    assert takes(TypeAdapter(kind).json_schema()) == words


def test_the_list_has_every_name_and_fits_80_columns(listed):
    text = listed()
    assert max(map(len, text.splitlines())) <= 80
    for name, player in THERE_IS["players"].items():
        assert f"\ntype {name}:\n" in f"\n{text}"
        assert all(f"\n  {option} " in text for option in player["options"])
    for part in ("presets", "switches", "evaluations", "features"):
        assert all(f"\n  {name} " in text for name in THERE_IS[part])


def test_the_list_is_one_json_object(listed):
    assert json.loads(listed("--json")) == THERE_IS
