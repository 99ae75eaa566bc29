"""The table of evaluations, how a value in a configuration becomes one, and the values that they give."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from zipfile import BadZipFile

import numpy as np
from pydantic import AfterValidator, WithJsonSchema

from arena.base.wording import first_line, unknown
from arena.rules.position import Position
from arena.rules.rules import SIZES, board_rules
from arena.rules.variants import Variant
from players.evaluation.evaluator import Evaluation, Evaluator, checkers_ai, cis300, game3, material, simple
from players.evaluation.features import VOCABULARY
from players.evaluation.linear import (
    FEATURES,
    Share,
    check_weights,
    linear,
    linear_evaluation,
    shares,
    strong,
    strong_weights,
    weights_by_phase,
)
from players.evaluation.mix import PARTS, is_mix, mix, mix_weights
from players.evaluation.neural import network_for, network_in, neural, trained_variants
from players.evaluation.refusal import line_that_calls, refusal
from players.loading import PlayerError, load_object
from players.player import EVALUATIONS

EVALUATORS: dict[str, Evaluator] = {
    "material": material,
    "simple": simple,
    "game3": game3,
    "checkers-ai": checkers_ai,
    "cis300": cis300,
    "strong": strong,
    "neural": neural,
    "linear": linear,
}
"""The evaluations that a configuration names by one word; `linear` needs weights."""
assert tuple(EVALUATORS) == EVALUATIONS, "EVALUATIONS of players/player.py are to be the names of EVALUATORS"

_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_WEIGHT = {"anyOf": [{"type": "number"}, _PAIR]}


def _weights(name: str, description: str, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of a mapping with one key, whose value maps names to weights or other numbers."""
    mapping = {"type": "object", "properties": kinds, "additionalProperties": False}
    keys = {name: {"description": description} | mapping}
    return {"type": "object", "properties": keys, "required": [name], "additionalProperties": False}


_FEATURES = {name: {"description": first_line(count)} | _WEIGHT for name, count in VOCABULARY.items()}
_PARTS = {name: {"description": part.meaning} | _WEIGHT for name, part in PARTS.items()}


def check_description(description: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """The description of an evaluation. Raises PlayerError, with its key, where it is wrong for any rules."""
    if isinstance(description, Mapping):
        (kind, weights), *more = [*description.items()] or [("", None)]
        if more or kind not in ("linear", "mix") or not isinstance(weights, Mapping):
            raise PlayerError(
                "expected a name, {linear: {feature: weight, ...}} or {mix: {part: weight, ...}}, "
                f"found {dict(description)!r}",
                "evaluation",
            )
        check_weights(weights, *{"linear": (FEATURES, "feature"), "mix": (PARTS, "part of the mix")}[kind], kind)
    elif description == "linear":
        raise PlayerError("linear needs its weights: {linear: {man: 100, king: 160}}", "evaluation")
    elif ":" not in description and not description.endswith((".npz", ".py")) and description not in EVALUATORS:
        raise PlayerError(unknown("evaluation", description, EVALUATORS), "evaluation")
    return description


Description = Annotated[
    str | dict[str, Any],
    AfterValidator(check_description),
    WithJsonSchema(
        {
            "description": "What values a position: a name, file.py:function, file.npz, or weights of features "
            "or of the mix.",
            "anyOf": [
                {"enum": [name for name in EVALUATORS if name != "linear"]},
                {"type": "string", "pattern": r"(:\w+|\.npz)$"},
                _weights("linear", "Weights of features.", _FEATURES),
                _weights("mix", "Weights of the parts of the mix.", _PARTS),
            ],
        }
    ),
]
"""How a configuration describes an evaluation, see `build_evaluation`, with its JSON schema."""


def build_evaluation(description: str | Mapping[str, Any], variant: Variant) -> Evaluation:
    """The evaluation that a YAML value names: `simple`, `file.py:function`, `{linear: {man: 100, ...}}`, or
    `file.npz` with a network for `neural`. Raises PlayerError, naming the choices, if there is none."""
    rules = variant.rules
    check_description(description)
    if isinstance(description, Mapping):
        if is_mix(description):
            return mix.compiled(rules, mix_weights(description["mix"], variant))
        return linear_evaluation(weights_by_phase(description["linear"], 2 * variant.men), rules)
    if description.endswith(".npz"):
        return _from_file(description, variant)
    if description.endswith(".py"):
        description += ":"
    if ":" in description:
        return _of_user(description, variant)
    if description == "strong":
        return linear_evaluation(strong_weights(rules), rules)
    if description == "neural":
        if not (network := network_for(rules)):
            raise PlayerError(
                f"neural is trained for the rules of {', '.join(trained_variants())}, not for {variant.name}; "
                "another network is named by its file",
                "evaluation",
            )
        return neural.compiled(rules, network.runnable(rules))
    return EVALUATORS[description].compiled(rules)


def has_network(variant: Variant) -> bool:
    """Whether a network for `neural` is built in for the rules of a variant."""
    return network_for(variant.rules) is not None


def _from_file(name: str, variant: Variant) -> Evaluation:
    try:
        with np.load(Path(name)) as file:
            network = network_in(file)
    except (OSError, EOFError, KeyError, TypeError, ValueError, BadZipFile, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no network's file"
        raise PlayerError(f"{name} cannot be read: {reason}", "evaluation") from None

    rules = variant.rules
    if not network.width(rules):
        sizes = [f"{rows}x{rows}" for rows in SIZES if network.width(board_rules(rows, rows // 2))]
        raise PlayerError(
            f"{name} holds weights for {sizes[0] if sizes else 'no board'}, not for {rules.rows}x{rules.rows}",
            "evaluation",
        )
    return neural.compiled(rules, network.runnable(rules))


def _of_user(reference: str, variant: Variant) -> Evaluation:
    """The evaluation of a user's function, `file.py:name` or `module:name`."""
    function = load_object(reference, "evaluation", lambda loaded: isinstance(loaded, Evaluator))
    if not isinstance(function, Evaluator):
        raise PlayerError(f"{reference!r} is not decorated with @evaluator", "evaluation")
    signature = inspect.signature(function.function)
    if len(signature.parameters) != 2:
        raise PlayerError(f"{reference!r} must take (position, rules), not {signature}", "evaluation")
    # Native code that is called by its address has no interpreter to print with: it would wait for it for ever.
    if line := line_that_calls("print", function.function):
        message = "print cannot be called in compiled code; `arena check` and `arena show` show values"
        raise PlayerError(f"{reference} does not compile: line {line}: {message}", "evaluation")
    try:
        return function.compiled(variant.rules)
    except Exception as error:
        reason = refusal(function.function, reference.rpartition(":")[0], error, variant)
        raise PlayerError(f"{reference} does not compile: {reason}", "evaluation") from None


def explained_value(
    variant: Variant, position: Position, description: str | Mapping[str, Any]
) -> tuple[float, dict[str, Share]]:
    """The value of a position, from the side to move's view, and of a linear evaluation each feature's share.
    Raises PlayerError for an evaluation that cannot be built, or whose value is not finite."""
    evaluation, rules = build_evaluation(description, variant), variant.rules
    [value] = evaluation.values(rules, [position]).tolist()
    if not np.isfinite(value):
        name = description if isinstance(description, str) else next(iter(description), "")
        raise PlayerError(f"{name} is {value} here, not a finite number", "evaluation")
    is_linear = description == "strong" or (isinstance(description, Mapping) and "linear" in description)
    return value, shares(position, rules, evaluation.weights) if is_linear else {}
