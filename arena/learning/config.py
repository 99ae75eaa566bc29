"""The configuration of a learning run: its model, how a file becomes one, its JSON schema."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, Union, get_args

from pydantic import BeforeValidator, Discriminator, Field

from arena.base.docs import first_line
from arena.experiment.load import refuse_other
from arena.experiment.schema import single_player_schema, variant_schema
from arena.experiment.yaml.schema import DIALECT, Schema, model_schema
from arena.experiment.yaml.section import of_known_kind, validated
from arena.experiment.yaml.values import Source
from arena.learning.method import Method
from arena.learning.network import Network
from arena.learning.spsa import Spsa
from arena.learning.terms import TIMED, Terms
from arena.learning.texel import Texel

TABLE: tuple[type[Method], ...] = (Texel, Spsa, Network)
"""One row a method; its `method` is its name in configurations."""

if TYPE_CHECKING:
    MethodField: TypeAlias = Method
else:
    _METHODS = [get_args(method.model_fields["method"].annotation)[0] for method in TABLE]
    _NAMED = BeforeValidator(partial(of_known_kind, key="method", kinds=_METHODS, noun="method"))
    MethodField = Annotated[Union[TABLE], Discriminator("method"), _NAMED]  # noqa: UP007
"""Any of the methods, as a field of a configuration."""


class Learning(Terms):
    """One learning run: what of which player, by which method."""

    learn: MethodField = Field(description="The method and its settings.")


def load_learning(path: str | Path) -> Learning:
    """Read the learning run in the YAML file `path`; raises ConfigError with all values that it refuses."""
    source = Source(Path(path))
    data = source.read()
    refuse_other(source, data, "learn")
    return validated(Learning, data, source, source.problems)


def learning_schema() -> Schema:
    """The JSON schema of a learning run, for editors: every key, with all methods, options and rules."""
    schema = model_schema(Learning)
    properties = schema["properties"]
    properties["variant"] = variant_schema() | {"description": properties["variant"]["description"]}
    properties["player"] = single_player_schema(properties["player"], TIMED)
    for method in properties["learn"]["oneOf"]:
        method["description"] = first_line(method["description"])
        method["properties"]["method"]["description"] = method["description"]
    return {"$schema": DIALECT, **schema}
