"""Evaluation functions, compiled; weights are data."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from arena.rules.board import step
from arena.rules.jit import inlined, kernel, popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.features import (
    Evaluator,
    apart,
    back_row,
    double_corners,
    edge,
    evaluate,
    evaluator,
    far_half,
    far_row,
    forward_of,
    kings,
    men,
    pieces,
    pieces_mask,
)
from players.files import PlayerError, blame, load_object, unknown
from players.linear import Share, build_linear, linear, shares
from players.patterns import learned, learned_variants, load_weights, patterns, weight_count
from players.strong import strong, strong_weights


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


@evaluator
def game3(position: Position, rules: Rules) -> float:
    """Man 1, king 3, and 10 for each piece more; own minus other. The penalty for repetition is the search's."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        11 * (men(position, rules, own) - men(position, rules, other))
        + 13 * (kings(position, rules, own) - kings(position, rules, other))
    )


@evaluator
def checkers_ai(position: Position, rules: Rules) -> float:
    """Man 1, king 1.5, worth more the fewer are left; advancement, central kings, back row; with at most 5 pieces,
    kings all, their distances and the double corners; 3 for the side to move.

    Stated for 8x8. On other boards the central squares are those of `centre`, and 37, which is 13 more than the
    men of a full board, is 13 more than theirs.
    """
    own, other = pieces_mask(position, position.turn), pieces_mask(position, 1 - position.turn)
    own_kings, other_kings = own & position.kings, other & position.kings
    ahead, total = popcount(own) - popcount(other), popcount(own) + popcount(other)
    if position.kings == own | other and total <= 5:
        corners = double_corners(rules)
        cornered = popcount(own & corners) - popcount(other & corners)
        return 3.0 + 50 * ahead * (6 - total) - ahead * apart(rules, own, other) + 50 * cornered
    material_ahead = ahead + 0.5 * (popcount(own_kings) - popcount(other_kings))
    material_total = total + 0.5 * popcount(position.kings)
    most = 13 + rules.per_row * (rules.rows - 2)
    own_side, other_side = first_rows(rules, position.turn), first_rows(rules, 1 - position.turn)
    advanced = popcount(own & ~own_side) - popcount(other & ~other_side)
    central = popcount(own_kings & rules.centre) - popcount(other_kings & rules.centre)
    guarding = back_row(position, rules, position.turn) - back_row(position, rules, 1 - position.turn)
    value = 5 * material_ahead * (most - material_total) + 20 * advanced + 20 * central + 10 * guarding
    return 3.0 + value


@inlined
def first_rows(rules: Rules, side: int) -> int:
    """The three rows on a side's own edge of the board."""
    rows, forward = rules.top if side == 1 else rules.bottom, forward_of(side)
    for _ in range(2):
        rows |= (step(rules, rows, forward) | step(rules, rows, forward + 1)) & rules.board
    return rows


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


class Evaluation(NamedTuple):
    """What a search calls at its leaves: `evaluate(pointer, position, rules, weights)`."""

    pointer: Any
    weights: NDArray[np.float64]


def build_evaluation(description: str | Mapping[str, Any], variant: Variant) -> Evaluation:
    """The evaluation that a YAML value names: `simple`, `file.py:function`, `{linear: {man: 100, ...}}`, or a file
    of weights for `patterns`, `file.npz`.

    Raises PlayerError, naming the choices, if there is no such evaluation.
    """
    rules = variant.constants
    if isinstance(description, Mapping):
        if list(description) != ["linear"] or not isinstance(description["linear"], Mapping):
            raise PlayerError(
                f"expected a name or {{linear: {{feature: weight, ...}}}}, found {dict(description)!r}",
                "evaluation",
            )
        function, weights = build_linear(description["linear"], 2 * variant.men)
        return Evaluation(function.pointer(rules), weights)
    if description.endswith(".npz"):
        return Evaluation(patterns.pointer(rules), _from_file(description, variant))
    if ":" in description:
        return Evaluation(_load_pointer(description, variant), np.zeros(0))
    if description == "linear":
        raise PlayerError("linear needs its weights: {linear: {man: 100, king: 160}}", "evaluation")
    if description not in EVALUATORS:
        raise PlayerError(unknown("evaluation", description, EVALUATORS), "evaluation")
    if description == "patterns":
        return Evaluation(patterns.pointer(rules), _learned(variant))
    return Evaluation(EVALUATORS[description].pointer(rules), np.zeros(0))


def appraise(
    variant: Variant, position: Position, description: str | Mapping[str, Any] | None = None
) -> tuple[dict[str, float], dict[str, Share]]:
    """The values of a position, from the side to move's view, and of a linear evaluation each feature's share.

    Of the evaluation described, or of all that are built in, with the weights of `strong` for the shares. Raises
    PlayerError for an evaluation that cannot be built, or whose value is not finite.
    """
    rules = variant.constants
    if description is None:
        wanted: dict[str, Any] = {name: name for name in EVALUATORS if name not in ("linear", "patterns")}
        if learned(variant.rules) is not None:
            wanted["patterns"] = "patterns"
    else:
        wanted = {description if isinstance(description, str) else "linear": description}
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
def value_of(pointer: Any, weights: NDArray[np.float64], rules: Rules, position: Position) -> float:
    """The value of a position, be it finished or not, from the side to move's view; see `Evaluation`."""
    return evaluate(pointer, position, rules, weights)


def _learned(variant: Variant) -> NDArray[np.float64]:
    """The weights in `players/tables` for a variant; raises PlayerError if there are none."""
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
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no file of weights"
        raise PlayerError(f"{name} cannot be read: {reason}", "evaluation") from None
    if weights.shape != (weight_count(variant.rules),):
        raise PlayerError(f"{name} holds weights for another size of board", "evaluation")
    return weights


def _load_pointer(reference: str, variant: Variant) -> Any:
    function = load_object(reference, "evaluation")
    if not isinstance(function, Evaluator):
        raise PlayerError(f"{reference!r} is not decorated with @evaluator", "evaluation")
    signature = inspect.signature(function.function)
    if len(signature.parameters) != 2:
        raise PlayerError(f"{reference!r} must take (position, rules), not {signature}", "evaluation")
    try:
        return function.pointer(variant.constants)
    except Exception as error:
        reason = _in_plain_words(blame(error, reference.rpartition(":")[0], _likely_line(function, error)))
        raise PlayerError(f"{reference} does not compile: {reason}", "evaluation") from None


def _likely_line(function: Evaluator, error: Exception) -> int:
    """The line where a function uses the name that an error says is not defined, else its first line."""
    missing = re.search(r"name '(\w+)' is not defined", str(error))
    for instruction in dis.get_instructions(function.function):
        if missing and instruction.argval == missing[1] and instruction.positions and instruction.positions.lineno:
            return instruction.positions.lineno
    return function.function.__code__.co_firstlineno


def _in_plain_words(reason: str) -> str:
    """What the compiler says, with its inner names replaced."""
    for pattern, words in (
        (r"No conversion from (.+) to float64 .*", r"it must return a number on every path, not \1"),
        (r"\.*\s*Raised from .*", ""),
        (r"type Constants_\w+", "rules"),
        (r"type Position\(.*?\)", "position"),
        (r"(Untyped global name '\w+'): .*<class 'function'>", r"\1: a function that is called needs @kernel"),
    ):
        reason = re.sub(pattern, words, reason)
    return reason
