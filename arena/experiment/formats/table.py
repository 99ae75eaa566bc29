"""The table of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args

from pydantic import BeforeValidator, Discriminator, SerializeAsAny

from arena.base.wording import shown
from arena.experiment.formats.base import Format
from arena.experiment.formats.fixed import Gauntlet, Match, RoundRobin
from arena.experiment.formats.knockout import Knockout
from arena.experiment.formats.swiss import Swiss

TABLE: tuple[type[Format], ...] = (RoundRobin, Match, Gauntlet, Swiss, Knockout)
"""One row a format; its `type` is its name in configurations."""
FORMATS: dict[str, type[Format]] = {
    get_args(format.model_fields["type"].annotation)[0]: format for format in TABLE
}


def _mapping(value: Any) -> Any:
    if not isinstance(value, str | dict | Format):
        raise ValueError(f"must be the name of a format or a mapping with a type, not {shown(value)}")
    return {"type": value} if isinstance(value, str) else value


if TYPE_CHECKING:
    FormatField: TypeAlias = Format
else:
    FormatField = Annotated[
        SerializeAsAny[Union[TABLE]],  # noqa: UP007
        Discriminator("type"),
        BeforeValidator(_mapping),
    ]
"""Any of the formats, as a field of a configuration."""
