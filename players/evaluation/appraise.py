"""The values that evaluations give one position, and the share of each feature in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import kernel
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import build_evaluation, known_evaluations
from players.evaluation.evaluator import evaluate
from players.evaluation.linear import Share, shares, strong_weights
from players.loading import PlayerError


def appraise(
    variant: Variant, position: Position, description: str | Mapping[str, Any] | None = None
) -> tuple[dict[str, float], dict[str, Share]]:
    """The values of a position, from the side to move's view, and of a linear evaluation each feature's share.

    Of the evaluation described, or of all that are built in, with the weights of `strong` for the shares. Raises
    PlayerError for an evaluation that cannot be built, or whose value is not finite.
    """
    rules = variant.constants
    if description is None:
        wanted: dict[str, Any] = {name: name for name in known_evaluations(variant)}
    else:
        wanted = {description if isinstance(description, str) else next(iter(description), ""): description}
    values, weights = {}, np.zeros(0)
    for name, one in wanted.items():
        evaluation = build_evaluation(one, variant)
        values[name] = value_of(*evaluation, rules, position)
        if not np.isfinite(values[name]):
            raise PlayerError(f"{name} is {values[name]} here, not a finite number", "evaluation")
        if name == "strong":
            weights = strong_weights(rules)
        elif name == "linear":
            weights = evaluation.weights
    return values, shares(position, rules, weights) if weights.size else {}


@kernel
def value_of(address: Any, weights: NDArray[np.float64], rules: Rules, position: Position) -> float:
    """The value of a position, be it finished or not, from the side to move's view; see `Evaluation`."""
    return evaluate(address, position, rules, weights)


@kernel
def values_of(
    address: Any, weights: NDArray[np.float64], rules: Rules, positions: NDArray[np.int64]
) -> NDArray[np.float64]:
    """`value_of` of many positions, `int64[n, 4]`: `float64[n]`."""
    values = np.empty(len(positions))
    for i in range(len(positions)):
        row = positions[i]
        values[i] = evaluate(address, Position(row[0], row[1], row[2], row[3]), rules, weights)
    return values
