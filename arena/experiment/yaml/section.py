"""Models of a configuration: its mappings, the whole file, how data become one; pydantic's findings in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

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

from arena.base.docs import docstring
from arena.base.wording import choices, shown, unknown
from arena.experiment.yaml.errors import ConfigError, Keys, Problem
from arena.experiment.yaml.values import Source

FOLDER_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""The pattern of a folder's name."""
FOLDER_WORDS = "letters a to z, A to Z and digits, then also '.', '_' and '-'"
"""What that pattern allows."""

_WORDED, _UNKNOWN = "worded", "unknown_key"
"""The kinds of errors whose message stands as it is."""
_MAPPING = "a mapping of keys to values"
_EXPECTED = {
    FOLDER_NAME: f"a folder name ({FOLDER_WORDS})",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text (a number, true or null needs quotes)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": _MAPPING,
}
"""The expected value, by pydantic's type of error or by pattern."""


class Reading(NamedTuple):
    """How far a configuration that is read is checked; what a run has stored was checked when that began."""

    folder: Path
    """Where files that it names are looked for."""
    with_options: bool = True
    """Whether the options of players are checked."""
    is_whole: bool = True
    """Whether it has all its players, so that values can be compared with one another."""


def worded(text: str, kind: Any = _WORDED) -> PydanticCustomError:
    """An error for a validator to raise whose message stands as it is, without the key before it."""
    return PydanticCustomError(kind, "{text}", {"text": text})


def refused(problems: Iterable[Problem]) -> ValidationError:
    """As `worded`, of what stands at some keys of the value."""
    return ValidationError.from_exception_data("", [_line(keys, worded(text)) for keys, text in problems])


def _line(keys: Keys, error: PydanticCustomError) -> InitErrorDetails:
    return {"type": error, "loc": keys, "input": None}


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

    @classmethod
    def faults(cls, data: Any, reading: Reading) -> Iterable[Problem]:  # noqa: ARG003  a section may have some
        """What is wrong in a mapping that is read and no type of a value says, whatever else is wrong."""
        return ()

    def conflicts(self, reading: Reading) -> Iterable[Problem]:
        """What does not go together in a mapping that is read and whose values are right by themselves."""
        return ()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.__doc__ = cls.__doc__ or docstring(cls)  # which its schema shows

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if not isinstance(data, dict | cls):
            raise ValueError(f"must be {_MAPPING}, not {shown(data)}")
        reading: Reading | None = info.context
        faults = [] if reading is None else list(cls.faults(data, reading))
        try:
            section = handler(data)
        except ValidationError as error:
            lines = [_line(each["loc"], cls._in_words(each)) for each in error.errors(include_url=False)]
            lines += [_line(keys, worded(text)) for keys, text in faults]
            raise ValidationError.from_exception_data("", lines) from None
        if problems := faults + ([] if reading is None else list(section.conflicts(reading))):
            raise refused(problems)
        return section

    @classmethod
    def _in_words(cls, error: ErrorDetails) -> PydanticCustomError:
        """What pydantic found, in the words of a file: of an unknown key also which ones there are."""
        keys, kind, context = error["loc"], error["type"], error.get("ctx", {})
        if kind in (_WORDED, _UNKNOWN):
            return worded(context["text"], kind)
        key = keys[-1]
        if kind == "extra_forbidden":
            return worded(unknown("key", str(key), cls.model_fields, cls.synonyms), _UNKNOWN)
        if kind == "missing":
            advice = f": {cls.lacking[str(key)]}" if key in cls.lacking else ""
            return worded(f"the key {key!r} is missing{advice}")
        subject = f"an entry of {keys[-2]!r}" if isinstance(key, int) else repr(key)
        if kind == "value_error":
            return worded(f"{subject} {context['error']}")
        expected = _EXPECTED.get(context.get("pattern", kind))
        rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
        return worded(f"{subject} must {rule}, not {shown(error['input'])}")


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


def validated(model: type[AnyDocument], source: Source, reading: Reading) -> AnyDocument:
    """The data of a source as a model. Raises ConfigError with its mistakes and whatever the model refuses."""
    if not isinstance(source.data, dict):
        source = source.with_mistakes([((), f"the file must be {_MAPPING}, not {shown(source.data)}")])
        raise ConfigError(source.mistakes)
    try:
        document = model.model_validate(source.data, context=reading)
    except ValidationError as error:
        found = [(_keys(each["loc"], source.data), each) for each in error.errors()]
        of_keys = [(keys, each["ctx"]["text"]) for keys, each in found if each["type"] == _UNKNOWN]
        of_values = [(keys, each["ctx"]["text"]) for keys, each in found if each["type"] != _UNKNOWN]
        mistakes = source.with_mistakes(of_values).mistakes
        raise ConfigError([*mistakes, *(source.mistake(*problem) for problem in of_keys)]) from None
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
