"""Models of a configuration: its mappings, the whole file, how data become one; pydantic's findings in words."""

from __future__ import annotations

import re
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from arena.base.docs import docstring
from arena.base.wording import choices, shown, unknown
from arena.experiment.yaml.errors import ConfigError, Keys, Problem
from arena.experiment.yaml.values import Source

FOLDER = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""The pattern of a folder's name."""
FOLDER_WORDS = "letters a to z, A to Z and digits, then also '.', '_' and '-'"
"""What that pattern allows."""

_REFUSAL = "refusal"
_EXPECTED = {
    FOLDER: f"a folder name ({FOLDER_WORDS})",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text (a number, true or null needs quotes)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}
"""The expected value, by pydantic's type of error or by pattern."""


def refusal(text: str) -> PydanticCustomError:
    """An error for a validator to raise whose message stands as it is, without the key before it."""
    return PydanticCustomError(_REFUSAL, "{text}", {"text": text})


AnyDocument = TypeVar("AnyDocument", bound="Document")


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    meant: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What to write in place of a key that it does not have, where that is unlike any key."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.__doc__ = cls.__doc__ or docstring(cls)  # which its schema shows


class Document(Section):
    """A whole file."""

    _source: Source = PrivateAttr(default_factory=lambda: Source(Path()))

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
        places = [(place(e, model), e) for e in error.errors()]
        new = [(keys, e) for keys, e in places if not source.refuses(keys) or e["type"] == "extra_forbidden"]
        raise ConfigError([*problems, *(source.problem(keys, message(e, model)) for keys, e in new)]) from None
    if problems:
        raise ConfigError(problems)
    document._source = source
    return document


def place(error: ErrorDetails, model: type[BaseModel]) -> Keys:
    """The keys to blame for an error that pydantic found in a document of type `model`."""
    keys = _walk(error["loc"], model).keys
    return (*keys, _discriminator(error)) if error["type"] == "union_tag_invalid" else keys


def message(error: ErrorDetails, model: type[BaseModel]) -> str:
    """Pydantic's findings in a file that is a `model`."""
    keys, kind, value = _walk(error["loc"], model).keys, error["type"], shown(error["input"])
    context = error.get("ctx", {})
    key = keys[-1] if keys else None
    if kind == "union_tag_invalid":
        name = _discriminator(error)
        tags = re.findall("'([^']*)'", str(context["expected_tags"]))
        return unknown(str(key) if name == "type" else name, str(context["tag"]), tags)
    if kind == "union_tag_not_found":
        return f"the key {_discriminator(error)!r} is missing {choices('', _walk(error['loc'], model).tags)}"
    if kind == "missing":
        return f"the key {key!r} is missing"
    if kind == "extra_forbidden":
        section = _walk(error["loc"][:-1], model).section
        fields, meant = (section.model_fields, getattr(section, "meant", {})) if section else ((), {})
        return unknown("key", str(key), fields, meant)
    subject = "the file" if key is None else f"an entry of {keys[-2]!r}" if isinstance(key, int) else repr(key)
    if kind == _REFUSAL:
        return str(context["text"])
    if kind == "value_error":
        return f"{subject} {context['error']}"
    expected = _EXPECTED.get(context.get("pattern", kind))
    rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
    return f"{subject} must {rule}, not {value}"


class _Place(NamedTuple):
    keys: Keys
    """The keys of the file: the location without the tags of unions."""
    section: type[BaseModel] | None
    """The model of the mapping there, None if it is not a mapping with a known model."""
    tags: Collection[str]
    """The tags of the union there, if it is one."""


def _walk(loc: tuple[str | int, ...], model: type[BaseModel]) -> _Place:
    keys: list[str | int] = []
    section: type[BaseModel] | None = model
    tagged: dict[str, type[BaseModel]] = {}
    is_mapping = False
    for part in loc:
        if part in tagged:
            section, tagged = tagged[str(part)], {}
            continue
        keys.append(part)
        if isinstance(part, int) or is_mapping:
            is_mapping = False
            continue
        field = section.model_fields.get(part) if section else None
        members = list(_models(field.annotation)) if field else []
        is_mapping = field is not None and _is_mapping(field.annotation)
        section = members[0] if members else None
        tagged = {tag: member for member in members for tag in _tags(member)} if len(members) > 1 else {}
    return _Place(tuple(keys), section, tagged)


def _models(hint: Any) -> Iterator[type[BaseModel]]:
    """The models that a type is made of, as in `Probe | None`, `tuple[SuiteEntry, ...]` or `dict[str, Number]`."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    elif get_origin(hint) in (Union, types.UnionType, Annotated, tuple, dict):
        for part in get_args(hint):
            yield from _models(part)


def _is_mapping(hint: Any) -> bool:
    """Whether a type is a mapping, or may be one, whose keys a file chooses."""
    inner = get_origin(hint) in (Union, types.UnionType, Annotated) and any(map(_is_mapping, get_args(hint)))
    return inner or get_origin(hint) is dict


def _discriminator(error: ErrorDetails) -> str:
    return str(error["ctx"]["discriminator"]).strip("'")


def _tags(member: type[BaseModel]) -> tuple[Any, ...]:
    """The words in the first key of a union's member by which that is meant."""
    return get_args(next(iter(member.model_fields.values())).annotation)
