"""Names of players: of a sweep, their swept values in words or a template filled in; of entries without one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath
from string import Formatter
from typing import Any

from arena.base.wording import unknown
from arena.experiment.yaml.errors import Keys
from players.player import NAME_CHARACTERS, Limit


class TemplateError(Exception):
    """A template that cannot be filled in."""


def phrases(name: str, values: list[Any]) -> list[str]:
    """Values of the setting `name` in words: "simple", "depth 4", "pvs" and "no pvs", of mappings what differs."""
    texts = words_of(name, values)
    return [f"{name} {text}" if is_number(value) else text for value, text in zip(values, texts, strict=True)]


def words_of(name: str, values: list[Any]) -> list[str]:
    """As `phrases`, numbers alone; of several values "my.py:racer" is "racer" where no other one is."""
    leaves = [set(map(repr, _leaves(value))) for value in values if isinstance(value, dict)]
    common = set.intersection(*leaves) if len(leaves) > 1 else set()
    whole = [word_of(name, value, common) for value in values]
    short = [_last(word) if isinstance(value, str) else word for word, value in zip(whole, values, strict=True)]
    alone = len(values) > 1
    return [end if alone and short.count(end) == 1 else word for end, word in zip(short, whole, strict=True)]


def word_of(name: str, value: Any, common: Collection[str] = ()) -> str:
    """One of `words_of`; `common` has what stands in all mappings, with its path, as Python writes it."""
    if value is None or isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, dict):
        telling = [leaf for leaf in _leaves(value) if common and repr(leaf) not in common]
        return " ".join(f"{path[-1]} {leaf}" for path, leaf in telling) or " ".join(value)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _last(word: str) -> str:
    """The last name of a path: "racer" of "some/where/my.py:racer", "net.npz" of "nets/net.npz"."""
    return PurePath(re.sub(r"^.*\.py:(?=\w)", "", word)).name or word


def filled(template: str, words: Mapping[str, str]) -> str:
    """The template with its {keys} replaced; `{{` and `}}` are braces. Raises TemplateError."""
    name = ""
    try:
        for literal, key, form, conversion in Formatter().parse(template):
            name += literal
            if key is None:
                continue
            if form or conversion or key not in words:
                word = key + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
                raise TemplateError(unknown("key of the template", word, words))
            name += words[key]
    except ValueError as error:
        raise TemplateError(f"'name' is not a template: {error} (write {{{{ for a brace)") from None
    return name


def completed_entry(entry: Any) -> Any:
    """A player's entry with what may be left out: its name is its type, which is negamax, or the entry if a text.

    Anything else is returned as it is.
    """
    if isinstance(entry, str):
        entry = {"type": entry}
    if isinstance(entry, dict):
        entry = {"type": "negamax", **entry}
        entry = {"name": str(entry["type"])[:NAME_CHARACTERS], **entry}
    return entry


def judge_entry(entry: Any) -> Any:
    """A judge's entry, completed; its name has the evaluation and the limits, as a run may have several judges."""
    whole = completed_entry(entry)
    if not isinstance(whole, dict) or (isinstance(entry, dict) and "name" in entry):
        return whole
    evaluation = whole.get("evaluation")
    words = [_last(evaluation if isinstance(evaluation, str) else str(whole["type"]))]
    words += [f"{name} {whole[name]}" for name in Limit._fields if name in whole]
    return {**whole, "name": ", ".join(words)[-NAME_CHARACTERS:].strip(" ,")}


def is_number(value: Any) -> bool:
    """Whether a value of a file is a number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(value: Any, path: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from _leaves(inner, (*path, key))
