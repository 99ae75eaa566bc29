"""The mix: material, formation, safety and a network, weighed, by which `casual-10x10` values leaves.

While a side's formation or safety is weak, both count differently: the mix is defensive. The network keeps its
sums in the array of the weights: two threads must not value positions with the same array at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.captures import men_capture_towards
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import popcount
from arena.rules.moves import step
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.evaluator import evaluator
from players.evaluation.features import back_row, connected, kings, men, pieces_mask
from players.evaluation.linear import weights_by_phase
from players.evaluation.neural import network_for, network_value, network_words, trained_variants, word_count
from players.loading import PlayerError


class _Part(NamedTuple):
    """A key of the mix."""

    meaning: str
    value: float  # if none is given and the rules have no network
    with_network: float  # if none is given and they have one


PARTS: Mapping[str, _Part] = {
    "material": _Part("own minus other: a man 1, a king 1.5, or 3 if it flies", 100.0, 0.0),
    "formation": _Part(
        "own minus other: men with a man diagonally behind them, and men on the back row", 4.0, 1.0
    ),
    "safety": _Part("own minus other: pieces that can be taken, counted less than 0", 20.0, 5.0),
    "network": _Part("men that the network of the rules says", 0.0, 100.0),
    "defensive_formation": _Part("what formation weighs in addition while either side is weak", 0.0, 1.0),
    "defensive_safety": _Part("what safety weighs in addition while either side is weak", 0.0, 5.0),
}
"""The parts that are weighed, in the order of the weights."""
_N = len(PARTS)
MATERIAL, FORMATION, SAFETY, NETWORK, DEFENSIVE_FORMATION, DEFENSIVE_SAFETY = range(_N)
WEAK_FORMATION, WEAK_SAFETY = 4, 2
"""How far a side that is weak is behind."""

STANCE, PARTS_USED = range(2 * _N, 2 * _N + 2)
"""The words behind the weights: a player's judgement of the formation; the bits of the parts that are needed."""
HEAD = 16  # words of all these; they stand behind the network
JUDGED, SOUND, WEAK = range(3)
"""Values of STANCE: the formation is judged in each position, or a player found it sound or weak."""


@evaluator
def mix(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """Material, formation, safety and a network, weighed by the pieces left and, of a weak side, defensively."""
    at = network_words(weights, rules)
    left = popcount(position.white | position.black)
    used = int(weights[at + PARTS_USED])
    value = weight(weights, at + MATERIAL, left) * material_ahead(position, rules)
    formation = formation_ahead(position, rules) if used & 1 << FORMATION else 0
    own, other = position.turn, 1 - position.turn
    safety = takeable(position, rules, other) - takeable(position, rules, own) if used & 1 << SAFETY else 0
    value += weight(weights, at + FORMATION, left) * formation + weight(weights, at + SAFETY, left) * safety
    if is_defensive(rules, weights, formation, safety):
        value += weight(weights, at + DEFENSIVE_FORMATION, left) * formation
        value += weight(weights, at + DEFENSIVE_SAFETY, left) * safety
    if used & 1 << NETWORK:
        value += weight(weights, at + NETWORK, left) * network_value(position, rules, weights) / 100.0
    return value


@inlined
def weight(weights: NDArray[np.float64], at: int, left: int) -> float:
    """The weight in the word `at` with so many pieces left."""
    return weights[at] + left * weights[at + _N]


@inlined
def is_defensive(rules: Rules, weights: NDArray[np.float64], formation: int, safety: int) -> bool:
    """Whether a side's formation or safety is weak."""
    at = network_words(weights, rules)
    if abs(safety) >= WEAK_SAFETY:
        return True
    if weights[at + STANCE] != JUDGED:
        return bool(weights[at + STANCE] == WEAK)
    return bool(abs(formation) >= WEAK_FORMATION)


def defaults(rules: Rules) -> dict[str, float]:
    """The value of each key of a mix that is not given."""
    has_network = network_for(rules) is not None
    return {name: part.with_network if has_network else part.value for name, part in PARTS.items()}


def mix_weights(parts: Mapping[str, Any], variant: Variant) -> NDArray[np.float64]:
    """The memory in which `mix` evaluates, by a mapping from parts to weights as of `linear`. A part of weight 0
    is defensively 0, too, if not given. Raises PlayerError for a network that the rules do not have."""
    network = network_for(variant.rules)
    chosen: dict[str, Any] = {**defaults(variant.rules), **parts}
    for part in ("formation", "safety"):
        if chosen[part] == 0 and f"defensive_{part}" not in parts:
            chosen[f"defensive_{part}"] = 0
    pairs = weights_by_phase(chosen, 2 * variant.men, tuple(PARTS))
    used = [bool(pairs[[part, _N + part]].any()) for part in range(_N)]
    if used[NETWORK] and network is None:
        names = ", ".join(trained_variants())
        message = f"a network is trained for the rules of {names}, not for {variant.name}"
        raise PlayerError(message, "evaluation", "mix", "network")
    defensive = used[DEFENSIVE_FORMATION] or used[DEFENSIVE_SAFETY]
    used[FORMATION], used[SAFETY] = used[FORMATION] or defensive, used[SAFETY] or defensive
    if network is None:
        memory = np.zeros(word_count(variant.rules, 0) + HEAD)
    else:
        memory = network.runnable(variant.rules, HEAD)
    head = head_of(memory, variant.rules)
    head[: 2 * _N] = pairs
    head[PARTS_USED] = sum(1 << part for part in (FORMATION, SAFETY, NETWORK) if used[part])
    return memory


def head_of(weights: NDArray[np.float64], rules: Rules) -> NDArray[np.float64]:
    """The words of a mix's memory behind the network."""
    return weights[network_words(weights, rules) :]


def assess(position: Position, rules: Rules, head: NDArray[np.float64]) -> int:
    """Judge the side to move, WEAK if it is behind in material or its formation is, else SOUND, for all positions
    that are valued until the next time."""
    is_weak = formation_ahead(position, rules) <= -WEAK_FORMATION or material_ahead(position, rules) < 0
    head[STANCE] = WEAK if is_weak else SOUND
    return int(head[STANCE])


def is_mix(evaluation: Any) -> bool:
    """Whether the description of an evaluation is one of a mix."""
    return isinstance(evaluation, Mapping) and list(evaluation) == ["mix"]


@inlined
def material_ahead(position: Position, rules: Rules) -> float:
    """Own material minus the other side's."""
    own, other = position.turn, 1 - position.turn
    king = 3.0 if rules.flying else 1.5
    ahead = men(position, rules, own) - men(position, rules, other)
    return ahead + king * (kings(position, rules, own) - kings(position, rules, other))


@kernel
def formation_ahead(position: Position, rules: Rules) -> int:
    """Own formation minus the other side's: men with a man diagonally behind them, and men on the back row."""
    own, other = position.turn, 1 - position.turn
    men_alone = Position(position.white & ~position.kings, position.black & ~position.kings, 0, own)
    ahead = connected(men_alone, rules, own) - connected(men_alone, rules, other)
    return ahead + back_row(men_alone, rules, own) - back_row(men_alone, rules, other)


@kernel
def takeable(position: Position, rules: Rules, side: int) -> int:
    """How many pieces of a side the first jump of a capture could take, were it the other side's turn."""
    takers = Position(position.white, position.black, position.kings, 1 - side)
    taken = 0
    for direction in range(4):
        taken |= taken_towards(rules, takers, direction)
    if rules.straight_captures:
        for direction in range(4, 8):
            taken |= taken_towards(rules, takers, direction)
    return popcount(taken)


@inlined
def taken_towards(rules: Rules, position: Position, direction: int) -> int:
    """The pieces that the side to move can take by a first jump in one direction."""
    own, other = pieces_mask(position, position.turn), pieces_mask(position, 1 - position.turn)
    empty = rules.board & ~(own | other)
    before_empty = step(rules, empty, direction ^ 2)
    prey = other if rules.men_capture_kings else other & ~position.kings
    taken = 0
    if men_capture_towards(rules, position, direction):
        taken = step(rules, own & ~position.kings, direction) & prey & before_empty
    reached = own & position.kings
    if reached == 0:
        return taken
    if rules.flying:
        fill = step(rules, reached, direction) & empty
        while fill != 0:
            reached |= fill
            fill = step(rules, fill, direction) & empty
    return taken | (step(rules, reached, direction) & other & before_empty)
