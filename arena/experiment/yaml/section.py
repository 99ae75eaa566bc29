"""Models of a configuration: its mappings, the whole file, and how data become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from arena.experiment.yaml.errors import ConfigError, Problem
from arena.experiment.yaml.messages import message, place
from arena.experiment.yaml.values import Source

AnyDocument = TypeVar("AnyDocument", bound="Document")


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    meant: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What to write in place of a key that it does not have, where that is unlike any key."""


class Document(Section):
    """A whole file."""

    _source: Source

    @property
    def path(self) -> Path:
        """The file that this was loaded from, as it was given."""
        return self._source.path

    def locate(self, path: Path) -> None:
        """Look for the files that it names beside `path`, where it was not read from that file."""
        self._source = Source(path)

    def error(self, keys: Iterable[str | int], message: str) -> ConfigError:
        """An error at the key `keys`, or at the nearest enclosing key that the file has."""
        return ConfigError([self._source.problem(tuple(keys), message)])

    def beside(self, model: type[AnyDocument], data: Any) -> AnyDocument:
        """Data that follow from this document as another one, whose errors name places of this file."""
        return validated(model, data, self._source, ())

    def as_dict(self) -> dict[str, Any]:
        """The configuration as JSON types, defaults filled in; equal for equal configurations."""
        return self.model_dump(mode="json")


def validated(model: type[AnyDocument], data: Any, source: Source, problems: Sequence[Problem]) -> AnyDocument:
    """The data of a source as a model; raises ConfigError with `problems` and whatever the model refuses."""
    try:
        document = model.model_validate(data)
    except ValidationError as error:
        found = [(place(e, model), e) for e in error.errors()]
        new = [(keys, e) for keys, e in found if not source.refuses(keys) or e["type"] == "extra_forbidden"]
        raise ConfigError([*problems, *(source.problem(keys, message(e, model)) for keys, e in new)]) from None
    if problems:
        raise ConfigError(problems)
    document._source = source
    return document
