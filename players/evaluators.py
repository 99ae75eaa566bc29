"""Evaluation functions, compiled; weights are data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit import kernel
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.features import (
    Evaluator,
    advancement,
    back_row,
    centre,
    edge,
    evaluator,
    far_half,
    far_row,
    kings,
    men,
    pieces,
)
from players.files import PlayerError, blame, load_object, unknown


@evaluator
def material(position: Position, rules: Rules) -> float:
    """Man 1, king 1.5; own minus other."""
    own, other = position.turn, 1 - position.turn
    return (men(position, rules, own) - men(position, rules, other)) + 1.5 * (
        kings(position, rules, own) - kings(position, rules, other)
    )


@evaluator
def simple(position: Position, rules: Rules) -> float:
    """The +7/+5/+3 heuristic: 7 for a piece on the far row, 5 elsewhere in the opponent's half, 3 in its own;
    own minus other. A king counts as a man."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        3 * (pieces(position, rules, own) - pieces(position, rules, other))
        + 2 * (far_half(position, rules, own) - far_half(position, rules, other))
        + 2 * (far_row(position, rules, own) - far_row(position, rules, other))
    )


@evaluator
def cis300(position: Position, rules: Rules) -> float:
    """Man 5, king 10, piece on its own back row 1, piece on any edge 3; own minus other."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        5 * (men(position, rules, own) - men(position, rules, other))
        + 10 * (kings(position, rules, own) - kings(position, rules, other))
        + (back_row(position, rules, own) - back_row(position, rules, other))
        + 3 * (edge(position, rules, own) - edge(position, rules, other))
    )


FEATURES = ("man", "king", "back_row", "far_row", "far_half", "edge", "centre", "advancement")
"""The vocabulary of `linear`, in the order of its weights; see `players.features` for what each counts."""


@kernel
def weighted_features(position: Position, rules: Rules, weights: NDArray[np.float64], side: int) -> float:
    """The weighted sum of one side's features."""
    value = weights[0] * men(position, rules, side) + weights[1] * kings(position, rules, side)
    if weights[2] != 0.0:
        value += weights[2] * back_row(position, rules, side)
    if weights[3] != 0.0:
        value += weights[3] * far_row(position, rules, side)
    if weights[4] != 0.0:
        value += weights[4] * far_half(position, rules, side)
    if weights[5] != 0.0:
        value += weights[5] * edge(position, rules, side)
    if weights[6] != 0.0:
        value += weights[6] * centre(position, rules, side)
    if weights[7] != 0.0:
        value += weights[7] * advancement(position, rules, side)
    return value


@evaluator
def linear(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """The sum of the FEATURES times their `weights`, own minus other."""
    own, other = position.turn, 1 - position.turn
    return weighted_features(position, rules, weights, own) - weighted_features(position, rules, weights, other)


EVALUATORS: dict[str, Evaluator] = {
    "material": material,
    "simple": simple,
    "cis300": cis300,
    "linear": linear,
}


class Evaluation(NamedTuple):
    """What a search calls at its leaves: `evaluate(pointer, position, rules, weights)`."""

    pointer: Any
    weights: NDArray[np.float64]


def build_evaluation(description: str | Mapping[str, Any], variant: Variant) -> Evaluation:
    """The evaluation that a YAML value names: `simple`, `file.py:function` or `{linear: {man: 100, ...}}`.

    Raises PlayerError, naming the choices, if there is no such evaluation.
    """
    rules = variant.constants
    if isinstance(description, Mapping):
        if list(description) != ["linear"] or not isinstance(description["linear"], Mapping):
            raise PlayerError(
                f"expected a name or {{linear: {{feature: weight, ...}}}}, found {dict(description)!r}",
                "evaluation",
            )
        return Evaluation(linear.pointer(rules), _weights(description["linear"]))
    if ":" in description:
        return Evaluation(_load_pointer(description, variant), np.zeros(0))
    if description == "linear":
        raise PlayerError("linear needs its weights: {linear: {man: 100, king: 160}}", "evaluation")
    if description not in EVALUATORS:
        raise PlayerError(unknown("evaluation", description, EVALUATORS), "evaluation")
    return Evaluation(EVALUATORS[description].pointer(rules), np.zeros(0))


def _load_pointer(reference: str, variant: Variant) -> Any:
    function = load_object(reference, "evaluation")
    if not isinstance(function, Evaluator):
        raise PlayerError(f"{reference!r} is not decorated with @evaluator", "evaluation")
    if function.weighted:
        raise PlayerError(f"{reference!r} must take (position, rules)", "evaluation")
    try:
        return function.pointer(variant.constants)
    except Exception as error:
        first_line = function.function.__code__.co_firstlineno
        reason = blame(error, reference.rpartition(":")[0], first_line)
        raise PlayerError(f"{reference} does not compile: {reason}", "evaluation") from None


def _weights(given: Mapping[str, Any]) -> NDArray[np.float64]:
    for name, weight in given.items():
        if name not in FEATURES:
            raise PlayerError(unknown("feature", str(name), FEATURES), "evaluation", "linear", str(name))
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise PlayerError(
                f"the weight of {name} must be a number, not {weight!r}", "evaluation", "linear", name
            )
    return np.array([float(given.get(name, 0)) for name in FEATURES])
