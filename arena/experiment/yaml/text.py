"""Data as YAML that people read."""

from __future__ import annotations

from typing import Any

import yaml

_WIDTH = 100
"""Characters of a line, about."""


def yaml_text(document: dict[str, Any]) -> str:
    """A mapping of plain data as YAML, in its order, text of several lines as it stands."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as it is."""


def _literal(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _literal)
