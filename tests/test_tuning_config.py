"""The schema of tunings, and the table of their methods."""

from collections.abc import Iterator
from typing import Any, get_args

import jsonschema
import pytest
import yaml

from arena.learning.config import TABLE, tuning_schema

SMALL = """\
name: tiny
variant: english
player: {nodes: 1000, preset: full}
tuning: {method: texel, features: [man, king], rounds: 2}
"""


def problems(text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(tuning_schema())
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


def test_every_method_has_a_name_of_its_own_in_the_schema() -> None:
    names = [get_args(method.model_fields["method"].annotation)[0] for method in TABLE]
    assert len(set(names)) == len(names)
    listed = tuning_schema()["properties"]["tuning"]["oneOf"]
    assert [method["properties"]["method"]["const"] for method in listed] == names


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("method: texel", "method: texl"),
        ("rounds: 2", "round: 2"),
        ("rounds: 2", "rounds: 0"),
        ("[man, king]", "[man, kng]"),
        ("nodes: 1000", "nodes: many"),
        ("preset: full", "presets: full"),
        ("preset: full", "preset: ful"),
        ("preset: full", "lmr: true"),
        ("variant: english", "variant: englsh"),
    ],
)
def test_the_schema_catches_typing_errors(old: str, new: str) -> None:
    assert problems(SMALL) == []
    assert problems(SMALL.replace(old, new))


def keys(schema: Any) -> Iterator[tuple[str, Any]]:
    """All properties in a schema, with their schemas."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for key, part in schema.items():
            yield from keys(part if key != "if" else {})
    elif isinstance(schema, list):
        for part in schema:
            yield from keys(part)


def test_the_schema_describes_every_key() -> None:
    found = list(keys(tuning_schema()))
    assert len(found) > 80
    assert [name for name, value in found if not value.get("description")] == []
