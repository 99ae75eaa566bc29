"""How a YAML file becomes an experiment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

from pydantic import (
    BaseModel,
    ValidationError,
)
from pydantic_core import ErrorDetails

from arena.experiment import sweep
from arena.experiment.checks import cross_problems
from arena.experiment.model import FOLDER, Experiment
from arena.formats.table import FORMATS
from arena.player import Limit
from arena.wording import choices as _choices
from arena.wording import shown as _shown
from arena.yaml.errors import ConfigError, Keys, Problem
from arena.yaml.values import Source

_EXPECTED = {
    FOLDER: "a folder name (letters and digits, then also '.', '_' and '-')",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text (a number, true or null needs quotes)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
}


def load(path: str | Path) -> Experiment:
    """Read the experiment in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    problems = [*source.problems, *_expand(source, data)]
    if len(problems) == len(source.problems):
        problems += cross_problems(source, data)
    try:
        experiment = Experiment.model_validate(data)
    except ValidationError as error:
        new = (e for e in error.errors() if not source.refuses(_place(e)) or e["type"] == "extra_forbidden")
        raise ConfigError([*problems, *(source.problem(_place(e), message(e)) for e in new)]) from None
    if problems:
        raise ConfigError(problems)
    experiment._source = source
    return experiment


def _expand(source: Source, data: Any) -> list[Problem]:
    """Write the sweeps out, in `data` itself; what is wrong in them."""
    if not isinstance(data, dict) or not isinstance(data.get("players"), list):
        return []
    expansion = sweep.expand(data["players"], Limit._fields)
    problems = [source.problem(*problem) for problem in expansion.problems if not source.refuses(problem[0])]
    data["players"], source.expansion = expansion.players, expansion
    return problems


def _place(error: ErrorDetails) -> Keys:
    """The keys of what pydantic found, without the name of the format that it puts among them."""
    loc = error["loc"]
    if loc[:1] != ("format",):
        return loc
    return (*loc, "type") if error["type"].startswith("union_tag") else (*loc[:1], *loc[2:])


def message(error: ErrorDetails, model: type[BaseModel] = Experiment) -> str:
    """What pydantic found, in the words of the file, which is a `model`."""
    loc, kind, shown = error["loc"], error["type"], _shown(error["input"])
    if kind == "union_tag_invalid":
        tag = str(error["ctx"]["tag"])
        return f"'format' must be a known format, not {_shown(tag)}; {_choices(tag, FORMATS)}"
    if kind == "union_tag_not_found":
        return f"'format' must have a type; {_choices('', FORMATS)}"
    if kind == "model_attributes_type" and loc == ("format",):
        return f"'format' must be text or a mapping with a type, not {shown}; {_choices('', FORMATS)}"
    key = loc[-1] if loc else None
    subject = "the file" if key is None else f"an entry of {loc[-2]!r}" if isinstance(key, int) else repr(key)
    if kind == "missing":
        return f"the key {key!r} is missing"
    if kind == "extra_forbidden":
        return f"unknown key {key!r}; {_choices(str(key), _section(loc[:-1], model).model_fields)}"
    if kind == "value_error":
        return f"{subject} {error['ctx']['error']}"
    expected = _EXPECTED.get(error.get("ctx", {}).get("pattern", kind))
    rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
    return f"{subject} must {rule}, not {shown}"


def _section(keys: Keys, model: type[BaseModel]) -> type[BaseModel]:
    """The model at `keys` of a `model`, which is a field's type or part of it, as in `Openings | None`."""
    for key in keys:
        if key in FORMATS:
            model = FORMATS[str(key)]
        elif isinstance(key, str) and key != "format":
            hint = model.model_fields[key].annotation
            model = next(t for t in (hint, *get_args(hint)) if isinstance(t, type) and issubclass(t, BaseModel))
    return model
