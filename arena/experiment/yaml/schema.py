"""JSON schemas of configurations, for editors that complete and check YAML."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from arena.base.docs import first_line

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def model_schema(model: type[BaseModel]) -> Schema:
    """The JSON schema of a model, its parts written out where they are used."""
    schema = model.model_json_schema()
    inlined: Schema = _inlined(schema, schema.get("$defs", {}))
    return inlined


def one_of(texts: Mapping[str, str]) -> Schema:
    """The schema of one of some words, each with what it means."""
    return {"anyOf": [{"const": name, "description": text} for name, text in texts.items()]}


def field_docs(kind: type) -> dict[str, str]:
    """The docstrings under the fields of a class."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            docs[field.target.id] = first_line(str(ast.literal_eval(below.value)))
    return docs


def _inlined(part: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(part, list):
        return [_inlined(item, parts) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        part = {**parts[part["$ref"].rpartition("/")[2]], **{k: v for k, v in part.items() if k != "$ref"}}
        return _inlined(part, parts)
    return {key: _inlined(value, parts) for key, value in part.items() if not _is_noise(key, value)}


def _is_noise(key: str, value: Any) -> bool:
    """Whether an entry of a schema is of no use to editors; a property may have the same key, with a mapping."""
    if key == "discriminator":
        return "mapping" in value
    return key == "$defs" or (key == "title" and isinstance(value, str))
