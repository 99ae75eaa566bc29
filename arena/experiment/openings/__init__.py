"""Openings: where they come from, and whether they are even."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import Field

from arena.experiment.yaml.section import Section

MAX_OPENINGS = 100_000
"""Openings that can be asked for."""


class Openings(Section):
    """The openings; each is played twice by every pairing, colours swapped."""

    meant: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"games": "count", "rounds": "count", "plies": "random_plies", "number": "count"}
    )
    random_plies: int = Field(default=4, ge=0, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")
    ballots: Literal[2, 3] | None = Field(default=None, description="Use the 2- or 3-move ballots (English).")
    barred: bool = Field(default=False, description="With ballots: the barred ones, too.")
    file: str | None = Field(default=None, description="Use a file of FENs, one a line, or a PDN.")
    count: int | None = Field(
        default=None, ge=1, le=MAX_OPENINGS, description="Openings: 50 random ones, or all of the others."
    )
