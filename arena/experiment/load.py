"""How a YAML file becomes an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.experiment import sweep
from arena.experiment.checks import cross_problems
from arena.experiment.model import Experiment
from arena.player import Limit, PlayerSpec
from arena.wording import shown
from arena.yaml.errors import ConfigError, Problem
from arena.yaml.section import validated
from arena.yaml.values import Source, inline


def load(path: str | Path) -> Experiment:
    """Read the experiment in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    problems = [*source.problems, *_expand(source, data)]
    if len(problems) == len(source.problems):
        problems += cross_problems(source, data)
    return validated(Experiment, data, source, problems)


def player_of(text: str, name: str) -> PlayerSpec:
    """The player of an entry of `players:` on the command line; its type is negamax, and its name its type's, if
    it gives none. Raises ConfigError, naming `name`."""
    entry = inline(text, name)
    if not isinstance(entry, dict):
        raise ConfigError([(name, 1, 1, f"expected a mapping, such as {{preset: full}}, not {shown(entry)}")])
    entry = {"type": "negamax"} | entry
    entry = {"name": entry["type"]} | entry
    document = {"name": "player", "variant": "english", "players": [entry]}
    return validated(Experiment, document, Source(Path(name)), []).players[0]


def _expand(source: Source, data: Any) -> list[Problem]:
    """Write the sweeps out, in `data` itself; what is wrong in them."""
    if not isinstance(data, dict) or not isinstance(data.get("players"), list):
        return []
    expansion = sweep.expand(data["players"], Limit._fields)
    problems = [source.problem(*problem) for problem in expansion.problems if not source.refuses(problem[0])]
    data["players"], source.origin = expansion.players, expansion.origin
    return problems
