"""The schema of tunings, and the table of their methods."""

from typing import Any, get_args

import jsonschema
import pytest
import yaml

from arena.tuning.config import tuning_schema
from arena.tuning.methods import TABLE

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
    assert list(tuning_schema()["properties"]["tuning"]["discriminator"]["mapping"]) == sorted(names)


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
        ("preset: full", "lmr: 1"),
        ("variant: english", "variant: englsh"),
    ],
)
def test_the_schema_catches_typing_errors(old: str, new: str) -> None:
    assert problems(SMALL) == []
    assert problems(SMALL.replace(old, new))


def test_the_schema_describes_every_key() -> None:
    schema = tuning_schema()
    sections: list[dict[str, Any]] = [schema, *schema["$defs"].values()]
    keys = {name: value for section in sections for name, value in section.get("properties", {}).items()}
    assert len(keys) > 30
    assert [name for name, value in keys.items() if not value.get("description")] == []
