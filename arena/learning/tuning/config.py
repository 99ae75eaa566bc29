"""The configuration of a tuning: its model, `load_tuning` and its JSON schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from arena.experiment.checks import variant_problems
from arena.experiment.load import refuse_other
from arena.experiment.model import VariantField
from arena.experiment.schema import options_schema, variant_schema
from arena.experiment.yaml.errors import Problem
from arena.experiment.yaml.messages import FOLDER
from arena.experiment.yaml.schema import DIALECT, Schema, first_line, model_schema
from arena.experiment.yaml.section import Document, validated
from arena.experiment.yaml.values import Source
from arena.learning.tuning.methods import MethodField
from arena.learning.tuning.settings import RandomOpenings, Search

_REFUSED = {
    "evaluation": "'evaluation' is what is tuned: its weights to begin with are 'start', in 'tuning'",
    "seconds": "'seconds' would make a tuning depend on the machine: give 'nodes' or 'depth'",
    "clock": "'clock' would make a tuning depend on the machine: give 'nodes' or 'depth'",
    "increment": "'increment' would make a tuning depend on the machine: give 'nodes' or 'depth'",
}
"""Keys of a player that have no place in a tuning, and why."""


class GameTerms(Document):
    """On what terms the games of a tuning or a training are played."""

    name: str = Field(max_length=100, pattern=FOLDER, description="The run, kept in reports/<name>/.")
    variant: VariantField = Field(description="The rules: a name, or a base and what is different.")
    seed: int = Field(default=0, ge=0, description="The source of all chance.")
    openings: RandomOpenings = RandomOpenings()
    max_plies: int = Field(default=200, ge=1, description="Plies after which a game is a draw.")


class Tuning(GameTerms):
    """One tuning: which evaluation of which player, by which method."""

    player: Search = Field(description="The player: a limit of nodes or depth, and options of negamax.")
    tuning: MethodField = Field(description="The method and its settings.")


def load_tuning(path: str | Path) -> Tuning:
    """Read the tuning in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    refuse_other(source, data, "tuning")
    return validated(Tuning, data, source, [*source.problems, *searching_problems(source, data, _REFUSED)])


def tuning_schema() -> Schema:
    """The JSON schema of a tuning, for editors: every key, with the methods, options and rules that there are."""
    schema = searching_schema(Tuning, _REFUSED)
    for method in schema["properties"]["tuning"]["oneOf"]:
        method["description"] = first_line(method["description"])
        method["properties"]["method"]["description"] = method["description"]
    return schema


def searching_schema(model: type[Document], refused: Mapping[str, str]) -> Schema:
    """The JSON schema of a document with a `variant`, whose `player` takes negamax options but those `refused`."""
    schema = model_schema(model)
    properties = schema["properties"]
    properties["variant"] = variant_schema() | {"description": properties["variant"]["description"]}
    player = properties["player"]
    player["properties"] |= {key: value for key, value in options_schema("negamax").items() if key not in refused}
    player["additionalProperties"] = False
    return {"$schema": DIALECT, **schema}


def searching_problems(source: Source, data: Any, refused: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with its variant, and the keys of its player that are `refused`, each with the reason."""
    if not isinstance(data, dict):
        return
    yield from variant_problems(source, data.get("variant"))
    player = data.get("player")
    for key in player if isinstance(player, dict) else ():
        if key in refused:
            yield source.problem(("player", key), refused[key])
