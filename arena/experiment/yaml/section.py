"""Models of a configuration: its mappings, the whole file, how data become one; pydantic's findings in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from arena.base.wording import choices, shown, unknown
from arena.experiment.yaml.errors import ConfigError, Keys, Problem
from arena.experiment.yaml.values import MAPPING, Source

FOLDER_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""The pattern of a folder's name."""
FOLDER_WORDS = "letters a to z, A to Z and digits, then also '.', '_' and '-'"
"""What that pattern allows."""

_WORDED = "worded"
"""The kind of errors whose message stands as it is."""
_EXPECTED = {
    FOLDER_NAME: f"a folder name ({FOLDER_WORDS})",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text (a number, true or null needs quotes)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": MAPPING,
}
"""The expected value, by pydantic's type of error or by pattern."""


def worded(text: str) -> PydanticCustomError:
    """An error for a validator to raise whose message stands as it is, without the key before it."""
    return PydanticCustomError(_WORDED, "{text}", {"text": text})


def refused(problems: Iterable[Problem]) -> ValidationError:
    """As `worded`, of what stands at some keys of the value."""
    lines: list[InitErrorDetails] = [{"type": worded(text), "loc": keys, "input": None} for keys, text in problems]
    return ValidationError.from_exception_data("", lines)


def one_of(texts: Mapping[str, str]) -> dict[str, Any]:
    """The JSON schema of one of some words, each with what it means."""
    return {"anyOf": [{"const": name, "description": text} for name, text in texts.items()]}


def of_known_kind(value: Any, key: str, kinds: Collection[str], noun: str) -> Any:
    """The mapping, refused unless it has at `key` one of some kinds, by which pydantic tells a union apart."""
    if isinstance(value, dict) and key not in value:
        raise worded(f"the key {key!r} is missing {choices(kinds)}")
    if isinstance(value, dict) and value[key] not in list(kinds):
        raise refused([((key,), unknown(noun, str(value[key]), kinds))])
    return value


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    synonyms: ClassVar[Mapping[str, str]] = {}
    """What to write in place of a key that it does not have, where that is unlike any key."""
    lacking: ClassVar[Mapping[str, str]] = {}
    """What to write for a key that is missing, where its name does not say it."""

    def conflicts(self, source: Source) -> Iterable[Problem]:
        """What of a source does not go together, in values that are right by themselves."""
        return ()

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if not isinstance(data, dict | cls):
            raise ValueError(f"must be {MAPPING}, not {shown(data)}")
        try:
            section = handler(data)
            problems = [] if info.context is None else list(section.conflicts(info.context))
        except ValidationError as error:
            problems = [(each["loc"], cls._in_words(each)) for each in error.errors(include_url=False)]
        if problems:
            raise refused(problems)
        return section

    @classmethod
    def _in_words(cls, error: ErrorDetails) -> str:
        """What pydantic found, in the words of a file: of an unknown key also which ones there are."""
        keys, kind, context = error["loc"], error["type"], error.get("ctx", {})
        if kind == _WORDED:
            return str(context["text"])
        key = keys[-1]
        if kind == "extra_forbidden":
            return unknown("key", str(key), cls.model_fields, cls.synonyms)
        if kind == "missing":
            return f"the key {key!r} is missing" + (f": {cls.lacking[str(key)]}" if key in cls.lacking else "")
        subject = f"an entry of {keys[-2]!r}" if isinstance(key, int) else repr(key)
        if kind == "value_error":
            return f"{subject} {context['error']}"
        expected = _EXPECTED.get(context.get("pattern", kind))
        rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
        return f"{subject} must {rule}, not {shown(error['input'])}"


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
        return ConfigError([self._source.mistake(tuple(keys), message)])


AnyDocument = TypeVar("AnyDocument", bound=Document)


def validated(model: type[AnyDocument], source: Source) -> AnyDocument:
    """The data of a source as a model. Raises ConfigError with its mistakes and whatever the model refuses."""
    try:
        document = model.model_validate(source.data, context=source)
    except ValidationError as error:
        problems = [(_keys(each["loc"], source.data), each["ctx"]["text"]) for each in error.errors()]
        raise ConfigError(source.with_mistakes(problems).mistakes) from None
    if source.mistakes:
        raise ConfigError(source.mistakes)
    document._source = source
    return document


def _keys(location: Keys, data: Any) -> Keys:
    """The keys of the data that lead to an error: its location without the names of a union's members."""
    keys: list[str | int] = []
    for part in location:
        if part in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()):
            keys.append(part)
            data = data[part]
    return tuple(keys)
