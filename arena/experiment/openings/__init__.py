"""Openings: where they come from, and whether they are even."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from arena.base.wording import unknown
from arena.experiment.openings.sets import SETS
from arena.experiment.yaml.messages import refusal
from arena.experiment.yaml.schema import named
from arena.experiment.yaml.section import Section

MAX_OPENINGS = 100_000
"""Openings that can be asked for."""


def _set_name(name: str) -> str:
    if name not in SETS:
        raise refusal(unknown("set of openings", name, SETS))
    return name


SetName = Annotated[
    str,
    AfterValidator(_set_name),
    WithJsonSchema(named({one.name: f"{one.played} openings: {one.source}." for one in SETS.values()})),
]
"""The name of one of SETS, as a field."""


class Openings(Section):
    """The openings; each is played twice by every pairing, colours swapped."""

    meant: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "games": "count",
            "rounds": "count",
            "number": "count",
            "plies": "random_plies",
            "name": "set",
            "table": "set",
            "ballots": "set",
        }
    )
    random_plies: int = Field(default=4, ge=0, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")
    set: SetName | None = Field(default=None, description="Use a named set of openings.")
    barred: bool = Field(default=False, description="With a set: the barred ones, too.")
    file: str | None = Field(default=None, description="Use a file of FENs, one a line, or a PDN.")
    count: int | None = Field(
        default=None, ge=1, le=MAX_OPENINGS, description="Openings: 50 random ones, or all of the others."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.set is not None and self.file is not None:
            raise refusal("'set' and 'file' cannot be combined: openings have one source")
        return self
