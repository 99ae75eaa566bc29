"""Models of a configuration: its mappings, the whole file, how data become one; pydantic's findings in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from arena.base.docs import docstring
from arena.base.wording import choices, shown, unknown
from arena.experiment.yaml.errors import ConfigError, Keys, Mistake
from arena.experiment.yaml.values import Source

FOLDER_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""The pattern of a folder's name."""
FOLDER_WORDS = "letters a to z, A to Z and digits, then also '.', '_' and '-'"
"""What that pattern allows."""

MISSING = "missing_key"
"""The kind of an error at a key that is not there."""
_REFUSAL, _UNKNOWN = "refusal", "unknown_key"
_EXPECTED = {
    FOLDER_NAME: f"a folder name ({FOLDER_WORDS})",
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


def worded(text: str, kind: Any = _REFUSAL) -> PydanticCustomError:
    """An error for a validator to raise whose message stands as it is, without the key before it."""
    return PydanticCustomError(kind, "{text}", {"text": text})


def one_of(texts: Mapping[str, str]) -> dict[str, Any]:
    """The JSON schema of one of some words, each with what it means."""
    return {"anyOf": [{"const": name, "description": text} for name, text in texts.items()]}


def of_known_kind(value: Any, key: str, kinds: Collection[str], noun: str) -> Any:
    """The mapping, refused unless it has at `key` one of some kinds, by which pydantic tells a union apart."""
    if isinstance(value, dict) and key not in value:
        raise worded(f"the key {key!r} is missing {choices(kinds)}")
    if isinstance(value, dict) and value[key] not in list(kinds):
        raise refusal_at((key,), unknown(noun, str(value[key]), kinds))
    return value


def refusal_at(keys: Keys, text: str) -> ValidationError:
    """As `worded`, of what stands at these keys of the value."""
    return _joined([_line(worded(text), keys, None)])


def _line(error: str | PydanticCustomError, keys: Keys, value: Any, context: Any = None) -> InitErrorDetails:
    return {"type": error, "loc": keys, "input": value, "ctx": context or {}}


def _joined(lines: list[InitErrorDetails]) -> ValidationError:
    """One error of several, for a validator to raise; pydantic puts the keys that lead to it before theirs."""
    return ValidationError.from_exception_data("", lines)


AnyDocument = TypeVar("AnyDocument", bound="Document")


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    synonyms: ClassVar[Mapping[str, str]] = {}
    """What to write in place of a key that it does not have, where that is unlike any key."""
    lacking: ClassVar[Mapping[str, str]] = {}
    """What to write for a key that is missing, where its name does not say it."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.__doc__ = cls.__doc__ or docstring(cls)  # which its schema shows

    @model_validator(mode="wrap")
    @classmethod
    def _say_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Say of an unknown key which ones there are, and of a missing one what to write."""
        try:
            return handler(data)
        except ValidationError as error:
            lines = []
            for found in error.errors(include_url=False):
                kind: str | PydanticCustomError = found["type"]
                if kind == "extra_forbidden" and len(found["loc"]) == 1:
                    kind = worded(unknown("key", str(found["loc"][0]), cls.model_fields, cls.synonyms), _UNKNOWN)
                elif kind == "missing" and len(found["loc"]) == 1 and (key := str(found["loc"][0])) in cls.lacking:
                    kind = worded(f"the key {key!r} is missing: {cls.lacking[key]}", MISSING)
                elif kind in (_REFUSAL, _UNKNOWN, MISSING):
                    kind = worded(found["ctx"]["text"], kind)
                lines.append(_line(kind, found["loc"], found["input"], found.get("ctx")))
            raise _joined(lines) from None


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


def validated(model: type[AnyDocument], data: Any, source: Source, problems: Sequence[Mistake]) -> AnyDocument:
    """The data of a source as a model; raises ConfigError with `problems` and whatever the model refuses."""
    try:
        document = model.model_validate(data)
    except ValidationError as error:
        found = [(_keys(each, data), each) for each in error.errors()]
        new = [(keys, each) for keys, each in found if not source.refuses(keys) or each["type"] == _UNKNOWN]
        raise ConfigError([*problems, *(source.problem(keys, message(each)) for keys, each in new)]) from None
    if problems:
        raise ConfigError(problems)
    document._source = source
    return document


def _keys(error: ErrorDetails, data: Any) -> Keys:
    """The keys of the data that lead to an error: its location without the names of a union's members."""
    keys: list[str | int] = []
    for part in error["loc"]:
        if part in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()):
            keys.append(part)
            data = data[part]
    return (*keys, error["loc"][-1]) if error["type"] in ("missing", MISSING) else tuple(keys)


def message(error: ErrorDetails) -> str:
    """What pydantic found, in the words of a file."""
    keys, kind, context = error["loc"], error["type"], error.get("ctx", {})
    if kind in (_REFUSAL, _UNKNOWN, MISSING):
        return str(context["text"])
    if kind == "missing":
        return f"the key {keys[-1]!r} is missing"
    subject = "the file"
    if keys:
        subject = f"an entry of {keys[-2]!r}" if isinstance(keys[-1], int) else repr(keys[-1])
    if kind == "value_error":
        return f"{subject} {context['error']}"
    expected = _EXPECTED.get(context.get("pattern", kind))
    rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
    return f"{subject} must {rule}, not {shown(error['input'])}"
