"""The JSON schema of configurations, for editors."""

from __future__ import annotations

from typing import Any

from arena.experiment import sweep
from arena.experiment.model import Experiment
from arena.formats.table import FORMATS


def schema() -> dict[str, Any]:
    """The JSON schema of a configuration, for editors that complete and check YAML."""
    from arena.rules.variants import VARIANTS

    result = Experiment.model_json_schema()
    result["properties"]["variant"]["anyOf"][0]["enum"] = list(VARIANTS)
    player = result["$defs"]["Player"]
    player["properties"]["sweep"] = sweep.SCHEMA
    player["anyOf"] = [{"required": player.pop("required")}, {"required": ["sweep"]}]
    mapping = result["properties"]["format"]
    result["properties"]["format"] = {"anyOf": [{"enum": list(FORMATS)}, mapping]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **result}
