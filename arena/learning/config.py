"""The configurations of tunings and trainings: their models, how a file becomes one, their JSON schemas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import Discriminator, Field

from arena.experiment.load import refuse_other
from arena.experiment.yaml.errors import Problem
from arena.experiment.yaml.schema import Schema, first_line
from arena.experiment.yaml.section import Section, validated
from arena.experiment.yaml.values import Source
from arena.learning.games import RANDOM_MOVES
from arena.learning.method import Method
from arena.learning.spsa import Spsa
from arena.learning.terms import (
    EvaluationField,
    GameTerms,
    refused_limits,
    terms_problems,
    terms_schema,
)
from arena.learning.texel import Texel
from arena.rules.pdn.result import Winner

TABLE: tuple[type[Method], ...] = (Texel, Spsa)
"""One row a method; its `method` is its name in configurations."""

if TYPE_CHECKING:
    MethodField: TypeAlias = Method
else:
    MethodField = Annotated[Union[TABLE], Discriminator("method")]  # noqa: UP007
"""Any of the methods, as a field of a configuration."""


_TUNING_REFUSES = refused_limits("tuning")
"""Keys of a player that have no place in a tuning, and why."""
_EVALUATION_REFUSES = {
    "evaluation": "'evaluation' is tuned here: set its first weights by 'start', in 'tuning'"
} | _TUNING_REFUSES
"""Those where an evaluation is tuned."""


class Tuning(GameTerms):
    """One tuning: what of which player, by which method."""

    tuning: MethodField = Field(description="The method and its settings.")


def load_tuning(path: str | Path) -> Tuning:
    """Read the tuning in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    refuse_other(source, data, "tuning")
    method = data.get("tuning") if isinstance(data, dict) else None
    weighs = isinstance(method, dict) and method.get("method") == "texel"
    refused = _EVALUATION_REFUSES if weighs else _TUNING_REFUSES
    return validated(Tuning, data, source, [*source.problems, *terms_problems(source, data, refused)])


def tuning_schema() -> Schema:
    """The JSON schema of a tuning, for editors: every key, with the methods, options and rules that there are."""
    schema = terms_schema(Tuning, _TUNING_REFUSES)
    for method in schema["properties"]["tuning"]["oneOf"]:
        method["description"] = first_line(method["description"])
        method["properties"]["method"]["description"] = method["description"]
    return schema


_TRAINING_REFUSES = refused_limits("training")
"""Keys of a player that have no place in a training, and why."""


class Positions(Section):
    """The sources of positions; those of all sources are learned together."""

    games: int = Field(default=4000, ge=0, description="Games that the player plays with itself.")
    earlier: tuple[Annotated[int, Field(ge=20)], ...] = Field(
        default=(),
        strict=False,
        description="Games of rounds before; each round makes the network that plays the next one.",
    )
    random_moves: float = Field(
        default=RANDOM_MOVES, ge=0, lt=1, description="Share of their moves that are drawn at random."
    )
    runs: tuple[str, ...] = Field(
        default=(), strict=False, description="Folders of runs: positions that were searched with a score."
    )
    pdn: tuple[str, ...] = Field(
        default=(), strict=False, description="PDN files: positions of their games, with the results."
    )
    pdn_results: Winner = Field(
        default="first", description="Whose win `1-0` is in them: that of the side that moves first, or White's."
    )

    @property
    def rounds(self) -> tuple[int, ...]:
        """The games of each round, of which the last is the one that is learned."""
        return (*self.earlier, self.games)


Width: TypeAlias = Literal[64, 128, 256]
"""Numbers of a network's first layer."""


class FitSection(Section):
    """How the network is fitted."""

    width: Width = Field(default=64, description="Numbers of the network's first layer.")
    results: float = Field(
        default=0.2, ge=0, le=1, description="Weight of results against scores, which get the rest."
    )
    epochs: int = Field(default=15, ge=1, description="Passes over the positions.")
    batch: int = Field(default=4096, ge=1, description="Positions of a step.")
    rate: float = Field(default=0.004, gt=0, description="Learning rate at first; falls to 0 along a cosine.")


class Training(GameTerms):
    """One training: from which positions, and whom the network meets in the end."""

    positions: Positions = Field(description="Where positions come from.")
    fit: FitSection = FitSection()
    against: EvaluationField = Field(
        default="material", description="The evaluation that the network meets in the end."
    )
    check: int = Field(default=100, ge=1, description="Pairs of games of that match.")


def load_training(path: str | Path) -> Training:
    """Read the training in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    refuse_other(source, data, "positions")
    return validated(Training, data, source, [*source.problems, *_training_problems(source, data)])


def training_schema() -> Schema:
    """The JSON schema of a training, for editors: every key, with the options and rules that there are."""
    return terms_schema(Training, _TRAINING_REFUSES)


def _training_problems(source: Source, data: Any) -> Iterator[Problem]:
    if not isinstance(data, dict):
        return
    yield from terms_problems(source, data, _TRAINING_REFUSES)
    positions = data.get("positions")
    if not isinstance(positions, dict) or positions.get("games") != 0:
        return
    if not any(map(positions.get, ("runs", "pdn"))):
        yield source.problem(("positions", "games"), "there are no positions to learn: give games, runs or pdn")
    elif positions.get("earlier"):
        yield source.problem(("positions", "earlier"), "the last round has no games: give games")
