"""The JSON schema of experiments: what an editor catches, and that it refuses nothing that runs."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from arena.commands.catalogue import schema_text
from arena.experiment.formats import FORMATS
from arena.rules.custom import Changes
from arena.rules.variants import VARIANTS
from players.table import PLAYERS
from tests.helpers.configs import EXAMPLE, MINIMAL, SWEPT

CONFIGS = sorted(Path(__file__).parents[2].glob("configs/**/*.yaml"))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """That of `arena list schema`."""
    made: dict[str, Any] = json.loads(schema_text())
    Draft202012Validator.check_schema(made)
    return made


TYPES = {(kind.__name__, "type") for kind in FORMATS.values()}
"""Keys that their sections describe."""


def faults(schema: dict[str, Any], text: str) -> list[str]:
    return [fault.message for fault in Draft202012Validator(schema).iter_errors(yaml.safe_load(text))]


def with_player(entry: str) -> str:
    return MINIMAL.replace("{name: x, type: random}", entry)


@pytest.mark.parametrize(
    "text",
    [
        with_player("{name: x, type: negamx, depth: 4}"),
        MINIMAL + "openings: {counts: 3}\n",
        MINIMAL + "format: swis\n",
        MINIMAL.replace("english", "englsh"),
        MINIMAL.replace("english", "{base: english, promotoin: never}"),
        MINIMAL.replace("english", "english-7x7"),
        with_player("{name: x, type: random, increment: 1}"),
        with_player("{type: negamax, sweep: {depth: 4}}"),
        with_player("{type: negamax, sweep: {depth: {from: 1, too: 4}}}"),
        MINIMAL + "suite: {random: 40, dept: 3}\n",
        MINIMAL.replace("variant: english", "variants: [english]"),
        "name: a\nvariant: english\nplayers: []\n",
        MINIMAL + "limits: {d4: {depth: 0}, d6: {depht: 6}}\n",
    ],
)
def test_an_editor_catches_a_typing_error(schema, text):
    assert faults(schema, text)


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE,
        SWEPT,
        with_player("{name: x, type: 'mine.py:Mine', anything: {goes: [here]}}"),
        with_player("{name: x, type: negamax, depth: 3, evaluation: tables.npz}"),
        with_player("{sweep: {type: [random, greedy]}}"),
        with_player("{type: negamax, evaluation: 'submissions/*.py:value', depth: 3}"),
        with_player("{name: '" + 30 * "{depth}" + "', type: negamax, sweep: {depth: [1, 2]}}"),
        MINIMAL.replace("english", "{base: english, promotion: never, repetition: 0}"),
        MINIMAL.replace("english", "casual-10x10-6x6"),
        with_player("{name: x, type: negamax, preset: full}") + "limits: {d4: {depth: 4}, 1k: {nodes: 1000}}\n",
        MINIMAL + "suite: [english-shots, mine.txt, {random: 40, depth: 9}]\n",
        MINIMAL + "grade: {judge: neural@n20000}\n",
        MINIMAL.replace("variant: english", "variants: {usual: english, other: {base: english, flying: true}}"),
        MINIMAL.replace("variant: english", "variants: [english, italian]") + "openings: {count: {english: 3}}\n",
    ],
)
def test_what_runs_is_right_in_an_editor(schema, text):
    assert faults(schema, text) == []


def test_the_configurations_that_come_along_are_right_in_an_editor(schema):
    assert {path.name: found for path in CONFIGS if (found := faults(schema, path.read_text()))} == {}


def test_every_key_but_those_of_rules_is_described(schema):
    sections = {name: part for name, part in schema["$defs"].items() if name != "Changes"}
    for name, section in {**sections, "": schema}.items():
        for key, described in section["properties"].items():
            part = schema["$defs"].get(described.get("$ref", "").rpartition("/")[2], {})
            assert {**part, **described}.get("description") or (name, key) in TYPES, (name, key)


def test_the_schema_knows_everything_that_the_tables_name(schema):
    named, _, changed = schema["properties"]["variant"]["anyOf"]
    assert named["enum"] == list(VARIANTS) and set(schema["$defs"]["Changes"]["properties"]) == {
        *Changes.model_fields
    }
    assert changed == {"$ref": "#/$defs/Changes"}
    assert schema["$defs"]["PlayerEntry"]["properties"]["type"]["anyOf"][0]["enum"] == list(PLAYERS)
    *short, mappings = schema["properties"]["format"]["anyOf"]
    assert list(mappings["discriminator"]["mapping"]) == sorted(FORMATS)
    assert {named["const"] for named in short} == FORMATS.keys() - {"swiss", "gauntlet"}
