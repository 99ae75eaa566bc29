"""The table of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args

from pydantic import BeforeValidator, Discriminator

from arena.formats.adaptive import Adaptive
from arena.formats.base import Format
from arena.formats.gauntlet import Gauntlet
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.match import Match
from arena.formats.round_robin import RoundRobin
from arena.formats.swiss import Swiss
from arena.wording import shown

TABLE: tuple[type[Format], ...] = (
    RoundRobin,
    Match,
    Gauntlet,
    Swiss,
    Knockout,
    Ladder,
    Adaptive,
)
"""One row a format; its `type` is its name in configurations."""
FORMATS: dict[str, type[Format]] = {
    get_args(format.model_fields["type"].annotation)[0]: format for format in TABLE
}


def _mapping(value: Any) -> Any:
    """A format given by its name alone as a mapping."""
    if not isinstance(value, str | dict | Format):
        raise ValueError(f"must be the name of a format or a mapping with a type, not {shown(value)}")
    return {"type": value} if isinstance(value, str) else value


if TYPE_CHECKING:
    FormatField: TypeAlias = Format
else:
    FormatField = Annotated[Union[TABLE], Discriminator("type"), BeforeValidator(_mapping)]  # noqa: UP007
"""Any of the formats, as a field of a configuration."""
