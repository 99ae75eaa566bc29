"""The table of evaluations, and how a value in a configuration becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import WithJsonSchema

from arena.rules.variants import Variant
from arena.wording import unknown
from players.evaluation.builtin import checkers_ai, cis300, game3, material, simple
from players.evaluation.evaluator import Evaluator
from players.evaluation.linear import VOCABULARY, build_linear, linear
from players.evaluation.mix import WEIGHTS, mix, mix_weights
from players.evaluation.patterns import learned, learned_variants, load_weights, patterns, weight_count
from players.evaluation.refusal import line_that_prints, refusal
from players.evaluation.strong import strong
from players.loading import PlayerError, load_object

EVALUATORS: dict[str, Evaluator] = {
    "material": material,
    "simple": simple,
    "game3": game3,
    "checkers-ai": checkers_ai,
    "cis300": cis300,
    "strong": strong,
    "patterns": patterns,
    "linear": linear,
}
"""The evaluations that a configuration names by one word; `linear` needs weights, `patterns` learned tables."""


_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_FEATURES = {
    name: {"description": " ".join((count.__doc__ or "").split()), "anyOf": [{"type": "number"}, _PAIR]}
    for name, count in VOCABULARY.items()
}
_MIX = {
    "type": "object",
    "properties": {name: {"type": "number", "default": weight} for name, weight in WEIGHTS.items()},
    "additionalProperties": False,
}
_LINEAR = {"type": "object", "properties": _FEATURES, "additionalProperties": False}
Description = Annotated[
    str | dict[str, Any],
    WithJsonSchema(
        {
            "description": "What values a position: a name, file.py:function, file.npz, or weights of features "
            "or of the mix.",
            "anyOf": [
                {"enum": [name for name in EVALUATORS if name != "linear"]},
                {"type": "string", "pattern": r"(:\w+|\.npz)$"},
                {
                    "type": "object",
                    "properties": {"linear": _LINEAR},
                    "required": ["linear"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"mix": _MIX},
                    "required": ["mix"],
                    "additionalProperties": False,
                },
            ],
        }
    ),
]
"""How a configuration describes an evaluation, see `build_evaluation`, with its JSON schema."""


class Evaluation(NamedTuple):
    """What a search calls at its leaves: `evaluate(address, position, rules, weights)`."""

    address: Any
    weights: NDArray[np.float64]
    """One after another in memory, as native code reads them."""


def build_evaluation(description: str | Mapping[str, Any], variant: Variant) -> Evaluation:
    """The evaluation that a YAML value names: `simple`, `file.py:function`, `{linear: {man: 100, ...}}`, or a file
    of weights for `patterns`, `file.npz`.

    Raises PlayerError, naming the choices, if there is no such evaluation.
    """
    rules = variant.constants
    if isinstance(description, Mapping):
        if list(description) == ["mix"] and isinstance(description["mix"], Mapping):
            return Evaluation(mix.address(rules), mix_weights(description["mix"]))
        if list(description) != ["linear"] or not isinstance(description["linear"], Mapping):
            raise PlayerError(
                "expected a name, {linear: {feature: weight, ...}} or {mix: {part: weight, ...}}, "
                f"found {dict(description)!r}",
                "evaluation",
            )
        function, weights = build_linear(description["linear"], 2 * variant.men)
        return Evaluation(function.address(rules), weights)
    if description.endswith(".npz"):
        return Evaluation(patterns.address(rules), _from_file(description, variant))
    if ":" in description:
        return Evaluation(_load_address(description, variant), np.zeros(0))
    if description == "linear":
        raise PlayerError("linear needs its weights: {linear: {man: 100, king: 160}}", "evaluation")
    if description not in EVALUATORS:
        raise PlayerError(unknown("evaluation", description, EVALUATORS), "evaluation")
    if description == "patterns":
        return Evaluation(patterns.address(rules), _learned(variant))
    return Evaluation(EVALUATORS[description].address(rules), np.zeros(0))


def _learned(variant: Variant) -> NDArray[np.float64]:
    """The weights in `players/evaluation/tables` for a variant; raises PlayerError if there are none."""
    weights = learned(variant.rules)
    if weights is None:
        known = ", ".join(learned_variants())
        raise PlayerError(
            f"patterns are learned for the rules of {known}, not for {variant.name}; "
            "`arena tune` learns others, to be named by their file",
            "evaluation",
        )
    return weights


def _from_file(name: str, variant: Variant) -> NDArray[np.float64]:
    """The weights in a file; raises PlayerError if they cannot be read or are for other boards."""
    try:
        weights = load_weights(Path(name))
    except (OSError, KeyError, TypeError, ValueError, BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no file of weights"
        raise PlayerError(f"{name} cannot be read: {reason}", "evaluation") from None
    if weights.shape != (weight_count(variant.rules),):
        raise PlayerError(f"{name} holds weights for another size of board", "evaluation")
    return weights


def _load_address(reference: str, variant: Variant) -> Any:
    function = load_object(reference, "evaluation")
    if not isinstance(function, Evaluator):
        raise PlayerError(f"{reference!r} is not decorated with @evaluator", "evaluation")
    signature = inspect.signature(function.function)
    if len(signature.parameters) != 2:
        raise PlayerError(f"{reference!r} must take (position, rules), not {signature}", "evaluation")
    if line := line_that_prints(function.function):
        message = "print cannot be called in compiled code; `arena check` and `arena evaluate` show values"
        raise PlayerError(f"{reference} does not compile: line {line}: {message}", "evaluation")
    try:
        return function.address(variant.constants)
    except Exception as error:
        reason = refusal(function.function, reference.rpartition(":")[0], error)
        raise PlayerError(f"{reference} does not compile: {reason}", "evaluation") from None
