"""Formats: the table of them, and their field in a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias, Union, get_args

from pydantic import BeforeValidator, Discriminator, SerializeAsAny, WithJsonSchema

from arena.base.wording import first_line
from arena.experiment.formats.base import Format
from arena.experiment.formats.fixed import Gauntlet, Match, RoundRobin
from arena.experiment.formats.knockout import Knockout
from arena.experiment.formats.swiss import Swiss
from arena.experiment.yaml.section import one_of

_TABLE: tuple[type[Format], ...] = (RoundRobin, Match, Gauntlet, Swiss, Knockout)
"""One row a format; its `type` is its name in configurations."""
FORMATS: dict[str, type[Format]] = {
    get_args(format.model_fields["type"].annotation)[0]: format for format in _TABLE
}


if TYPE_CHECKING:
    FormatField: TypeAlias = Format
else:
    _ALONE = {
        name: first_line(format)
        for name, format in FORMATS.items()
        if not any(field.is_required() for key, field in format.model_fields.items() if key != "type")
    }
    _KINDS = Annotated[SerializeAsAny[Union[_TABLE]], Discriminator("type")]  # noqa: UP007
    _FORMS = Annotated[str, WithJsonSchema(one_of(_ALONE))] | _KINDS
    FormatField = Annotated[
        _KINDS,
        BeforeValidator(lambda it: {"type": it} if isinstance(it, str) else it, json_schema_input_type=_FORMS),
    ]
"""Any of the formats, as a field of a configuration: a name, or a mapping with a type."""
