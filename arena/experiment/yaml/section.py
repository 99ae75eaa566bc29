"""Models of a configuration's mappings, and how plain data become one: pydantic's findings, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails

from arena.base.wording import phrase, unknown
from arena.experiment.yaml.values import MAPPING, ConfigError, Keys, Problem, Refusal, Source

FOLDER_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""The pattern of a folder's name."""
_RULES = {
    FOLDER_NAME: "be a folder name (letters a to z, A to Z and digits, then also '.', '_' and '-')",
    "int_type": "be a whole number",
    "float_type": "be a number",
    "string_type": "be text (a number, true or null needs quotes)",
    "bool_type": "be true or false",
    "too_short": "have {min_length} or more entries",
    **dict.fromkeys(("tuple_type", "list_type"), "be a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), f"be {MAPPING}"),
}
"""What a value must do, by pydantic's type of error or by pattern; others are as pydantic says them."""


def one_of(texts: Mapping[str, str]) -> dict[str, Any]:
    """The JSON schema of one of some words, each with what it means."""
    return {"anyOf": [{"const": name, "description": text} for name, text in texts.items()]}


def repeated(words: Sequence[str]) -> list[int]:
    """The places of the words that stand before, too."""
    return [number for number, word in enumerate(words) if word in words[:number]]


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    synonyms: ClassVar[Mapping[str, str]] = {}
    """What to write in place of a key that it does not have, where that is unlike any key."""
    lacking: ClassVar[Mapping[str, str]] = {}
    """What to write for a key that is missing, where its name does not say it."""

    def conflicts(self, folder: Path) -> Iterable[Problem]:
        """What of a file in `folder` does not go together, in values that are right by themselves."""
        return ()

    @classmethod
    def of(cls, data: Any, source: Source) -> Self:
        """The section that a mapping of a source is. Raises Refusal."""
        try:
            return cls.model_validate(data, context=source)
        except ValidationError as error:
            raise Refusal.of((_keys(keys, data), message) for keys, message in cls._problems(error)) from None

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if not isinstance(data, dict | cls):
            return handler(data)  # which refuses it, as a value of the key that it stands at
        try:
            section = handler(data)
        except ValidationError as error:
            raise Refusal.of(cls._problems(error)) from None
        source: Source | None = info.context
        if source and not source.mistakes and (problems := list(section.conflicts(source.path.parent))):
            raise Refusal.of(problems)
        return section

    @classmethod
    def _problems(cls, errors: ValidationError) -> Iterator[Problem]:
        for error in errors.errors(include_url=False):
            refusal = error.get("ctx", {}).get("error")
            found = refusal.problems if isinstance(refusal, Refusal) else [cls._in_words(error)]
            yield from (((*error["loc"], *keys), message) for keys, message in found)

    @classmethod
    def _in_words(cls, error: ErrorDetails) -> Problem:
        """What pydantic found, in the words of a file: of an unknown key also which ones there are."""
        *_, key = keys = [part for part in error["loc"] if not str(part).startswith("[")]
        kind, context = error["type"], error.get("ctx", {})
        tag = str(context.get("discriminator", key)).strip("'")
        if kind == "extra_forbidden":
            names = [field.alias or name for name, field in cls.model_fields.items()]
            return (), unknown("key", str(key), names, cls.synonyms)
        if kind == "union_tag_invalid":
            return (tag,), unknown(str(key), context["tag"], re.findall("'(.*?)'", context["expected_tags"]))
        if kind in ("missing", "union_tag_not_found"):
            return (), f"the key {tag!r} is missing" + (f": {cls.lacking[tag]}" if tag in cls.lacking else "")
        subject = f"an entry of {keys[-2]!r}" if isinstance(key, int) else repr(key)
        if kind == "value_error":
            return (), f"{subject} {context['error']}"
        rule = _RULES.get(context.get("pattern", kind)) or re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
        return (), f"{subject} must {rule.format(**context)}, not {phrase(error['input'])}"


AnySection = TypeVar("AnySection", bound=Section)


def validated(model: type[AnySection], source: Source) -> AnySection:
    """The data of a source as a model. Raises ConfigError with its mistakes and whatever the model refuses."""
    problems: list[Problem] = []
    try:
        made = model.of(source.data, source)
    except Refusal as refusal:
        problems = refusal.problems
    if mistakes := source.with_mistakes(problems).mistakes:
        raise ConfigError(mistakes)
    return made


def _keys(location: Keys, data: Any) -> Keys:
    """The keys of the data that lead to an error: its location without the names of a union's members.

    A list of names may have become a mapping with these as its keys.
    """
    keys: list[str | int] = []
    for key in location:
        part = data.index(key) if isinstance(data, list) and key in data and isinstance(key, str) else key
        if part in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()):
            keys.append(part)
            data = data[part]
    return tuple(keys)
