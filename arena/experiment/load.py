"""How a YAML file becomes an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.experiment import sweep
from arena.experiment.checks import cross_problems
from arena.experiment.model import Experiment
from arena.player import Limit
from arena.yaml.errors import Problem
from arena.yaml.section import validated
from arena.yaml.values import Source


def load(path: str | Path) -> Experiment:
    """Read the experiment in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    problems = [*source.problems, *_expand(source, data)]
    if len(problems) == len(source.problems):
        problems += cross_problems(source, data)
    return validated(Experiment, data, source, problems)


def _expand(source: Source, data: Any) -> list[Problem]:
    """Write the sweeps out, in `data` itself; what is wrong in them."""
    if not isinstance(data, dict) or not isinstance(data.get("players"), list):
        return []
    expansion = sweep.expand(data["players"], Limit._fields)
    problems = [source.problem(*problem) for problem in expansion.problems if not source.refuses(problem[0])]
    data["players"], source.origin = expansion.players, expansion.origin
    if "type" in expansion.swept:
        data.setdefault("compare_types", True)
    return problems
