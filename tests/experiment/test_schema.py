"""The JSON schema of experiments: what an editor catches, and that it refuses nothing that runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from arena.commands.catalogue import schema_text
from arena.experiment.formats import FORMATS
from arena.experiment.schema import experiment_schema, options_schema
from arena.rules.custom import Changes
from arena.rules.variants import VARIANTS
from players.negamax.switches import SWITCHES
from players.table import PLAYERS
from tests.helpers.configs import EXAMPLE, MINIMAL, SWEPT

PRINTED: dict[str, Any] = json.loads(schema_text())
CONFIGS = sorted(Path(__file__).parents[2].glob("configs/**/*.yaml"))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(experiment_schema()))
    Draft202012Validator.check_schema(made)
    return made


def faults(schema: dict[str, Any], text: str) -> list[str]:
    return [fault.message for fault in Draft202012Validator(schema).iter_errors(yaml.safe_load(text))]


def with_player(entry: str) -> str:
    return MINIMAL.replace("{name: x, type: random}", entry)


@pytest.mark.parametrize(
    "text",
    [
        with_player("{name: x, type: negamx, depth: 4}"),
        with_player("{name: x, type: negamax, depth: 4, evaluation: simpel}"),
        with_player("{name: x, type: negamax, depht: 4}"),
        MINIMAL + "openings: {counts: 3}\n",
        MINIMAL + "format: swis\n",
        MINIMAL + "format: {type: swiss, rouds: 3}\n",
        MINIMAL.replace("english", "englsh"),
        MINIMAL.replace("english", "{base: english, promotoin: never}"),
        MINIMAL.replace("english", "{base: english, rows: 12}"),
        MINIMAL.replace("english", "english-7x7"),
        with_player("{type: negamax, sweeep: {depth: [4, 6]}}"),
        with_player("{type: submissions/*.txt, depth: 3}"),
        with_player("{type: negamax, depth: 4, sweep: {evaluation: [simple, simpel]}}"),
        with_player("{type: negamax, sweep: {depth: {from: 4, too: 6}}}"),
        with_player("{type: negamax, sweep: {limit: [{depht: 4}]}}"),
        with_player("{name: x, type: negamax, depth: 4, evaluation: {linear: {mann: 1}}}"),
        with_player("{name: x, type: random, increment: 1}"),
        MINIMAL + "seed: -1\n",
        "name: a\nvariant: english\nplayers: []\n",
        MINIMAL + "limits: {d4: {depth: 4}}\n",
        MINIMAL + "limits: {d4: {depht: 4}, d6: {depth: 6}}\n",
        MINIMAL + "limits: {d/4: {depth: 4}, d6: {depth: 6}}\n",
    ],
)
def test_an_editor_catches_a_typing_error(schema: dict[str, Any], text: str) -> None:
    assert faults(schema, text)


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE,
        SWEPT,
        with_player("{name: x, type: 'mine.py:Mine', anything: {goes: [here]}}"),
        with_player("{name: x, type: package.module:Mine, depth: 3}"),
        with_player("{name: x, type: negamax, depth: 3, evaluation: tables.npz}"),
        with_player("{sweep: {type: [random, greedy]}}"),
        with_player("{type: submissions/*.py, depth: 3}"),
        with_player("{type: negamax, evaluation: 'submissions/*.py:value', depth: 3}"),
        with_player("{name: '" + 30 * "{depth}" + "', type: negamax, sweep: {depth: [1, 2]}}"),
        MINIMAL.replace("english", "{base: english, promotion: never, repetition: 0}"),
        MINIMAL.replace("english", "casual-10x10-6x6"),
        with_player("{name: x, type: negamax, preset: full}") + "limits: {d4: {depth: 4}, 1k: {nodes: 1000}}\n",
        MINIMAL + "format: knockout\n",
    ],
)
def test_what_runs_is_right_in_an_editor(schema: dict[str, Any], text: str) -> None:
    assert faults(schema, text) == []


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_configurations_that_come_along_are_right_in_an_editor(path: Path) -> None:
    """By the schema that `arena list schema` prints."""
    assert faults(PRINTED, path.read_text()) == []


def keys(schema: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All keys that a schema describes, with the way to them."""
    if isinstance(schema, dict):
        for key, described in schema.get("properties", {}).items():
            yield (*path, key), described
        for key, part in schema.items():
            yield from keys(part, (*path, key))
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from keys(part, (*path, number))


def test_every_key_is_described(schema: dict[str, Any]) -> None:
    """But where it is mentioned again, as allowed, forbidden, bounded or the only one of its mapping."""
    bare = {
        path[-1]
        for path, described in keys(schema)
        if isinstance(described, dict) and "if" not in path and not described.get("description")
    }
    assert bare <= {"linear", "name"}
    assert schema["properties"]["players"]["items"]["anyOf"][1]["properties"]["name"]["description"]


def test_the_schema_knows_everything_that_the_tables_name(schema: dict[str, Any]) -> None:
    variant = schema["properties"]["variant"]["anyOf"]
    assert [named["const"] for named in variant[0]["anyOf"]] == list(VARIANTS)
    assert set(variant[2]["properties"]) == set(Changes.model_fields)
    types = schema["properties"]["players"]["items"]["anyOf"][1]["properties"]["type"]["anyOf"]
    assert [named["const"] for named in types[:-2]] == list(PLAYERS)
    assert set(SWITCHES) | {"evaluation", "preset"} == set(options_schema("negamax"))
    *short, mappings = schema["properties"]["format"]["anyOf"]
    assert [kind["properties"]["type"]["const"] for kind in mappings["oneOf"]] == list(FORMATS)
    assert {named["const"] for named in short} == FORMATS.keys() - {"swiss", "gauntlet"}
