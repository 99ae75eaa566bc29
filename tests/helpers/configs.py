"""Configurations that are right, to be broken."""

from pathlib import Path

import pytest

from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.yaml.values import ConfigError

EXAMPLE = """\
name: heuristics                 # the run
variant: english
seed: 2026
openings: {random_plies: 6, count: 20}
max_plies: 200
anchor: simple-d6
players:
  - {name: random, type: random}
  - {name: simple-d6, type: negamax, depth: 6, evaluation: simple}
  - {name: mine-d6, type: negamax, depth: 6, evaluation: "my_heuristic.py:advance"}
  - name: weights-d6
    type: negamax
    depth: 6
    evaluation: {linear: {man: 100, king: 160.5, back_row: -6}}
"""

SWEPT = """\
name: swept
variant: english
players:
  - name: "{evaluation} {depth}"
    type: negamax
    sweep:
      evaluation: [simple, {linear: {man: 1}}]
      depth: {from: 1, to: 3, step: 1}
  - type: random
    sweep: {limit: [{depth: 1}, {nodes: 5}], evaluation.linear.man: [1, 2]}
"""

MINIMAL = "name: a\nvariant: english\nplayers:\n  - {name: x, type: random}\n"


GOOD = """\
name: t
variant: english
openings: {random_plies: 4, count: 2}
players:
  - {name: a, type: random}
"""

BROKEN = """\
from arena import evaluator

@evaluator
def poor(position, rules):
    return positon.white

class Raises:
    def __init__(self, variant):
        raise RuntimeError("no weights file")
    def choose(self, game, limit, rng): ...

class Crashes:
    def __init__(self, variant, level: int = 1): pass
    def choose(self, game, limit, rng):
        return 1 / 0
"""

CHOOSES = "class {}:\n    def choose(self, game, limit, rng):\n        raise SystemExit\n"
"""The code of a player of that name, which must not be run."""


def loaded(folder: Path, text: str | bytes) -> Experiment:
    """The experiment of a text, as a file in the folder has it."""
    path = folder / "run.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
    return load(path)


def errors(folder: Path, text: str | bytes) -> list[str]:
    """The lines of what is wrong with a text, each from its line and column on: `3:1: 'seed' must ...`."""
    with pytest.raises(ConfigError) as caught:
        loaded(folder, text)
    lines, file = str(caught.value).split("\n"), f"{folder}/run.yaml:"
    assert len(lines) == len(caught.value.problems)
    assert all(line.startswith(file) and len(line) < 800 for line in lines)
    return [line.removeprefix(file) for line in lines]
