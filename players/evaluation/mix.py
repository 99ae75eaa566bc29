"""The mix: material, formation, safety and a network, weighed, by which `casual-10x10` values leaves.

While a side's formation or safety is weak, both count differently: the mix is defensive. Formation values are
kept, by the men of both sides, in the array of the weights, where the network keeps its sums, too: two threads
must not value positions with the same array at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.rules.captures import men_capture_towards
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import bits_of, float_of, popcount
from arena.rules.moves import step
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.evaluator import evaluator
from players.evaluation.features import back_row, connected, kings, men, pieces_mask
from players.evaluation.linear import is_number, phased
from players.evaluation.neural import aligned, network_value, network_words, trained, trained_variants, word_count
from players.loading import PlayerError

WEIGHTS: Mapping[str, Any] = MappingProxyType(
    {
        "material": 100.0,
        "formation": 4.0,
        "safety": 20.0,
        "network": 0.0,
        "defensive_formation": 0.0,
        "defensive_safety": 0.0,
    }
)
"""The parts of the mix, in the order of its weights, and what they weigh if not given and without a network."""
WITH_NETWORK: Mapping[str, Any] = MappingProxyType(
    {
        "material": 0.0,
        "formation": 1.0,
        "safety": 5.0,
        "network": 100.0,
        "defensive_formation": 1.0,
        "defensive_safety": 5.0,
    }
)
"""What they weigh if not given, where the rules have a network."""
THRESHOLDS: Mapping[str, float] = MappingProxyType({"weak_formation": 4.0, "weak_safety": 2.0})
"""How far behind the other side's a side's formation or safety is weak, if not given."""
CACHE = "cache"
"""The key that says whether formation values are kept."""
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "material": "own minus other: a man 1, a king 1.5, or 3 if it flies",
        "formation": "own minus other: men with a man diagonally behind them, and men on the back row",
        "safety": "own minus other: pieces that can be taken, counted less than 0",
        "network": "men that the network of the rules says",
        "defensive_formation": "what formation weighs in addition while either side is weak",
        "defensive_safety": "what safety weighs in addition while either side is weak",
        "weak_formation": "how far behind in formation a side is weak",
        "weak_safety": "how far behind in safety a side is weak",
        CACHE: "whether formation values are kept, by the men of both sides",
    }
)
"""What each key of a mix is."""
N = len(WEIGHTS)
MATERIAL, FORMATION, SAFETY, NETWORK, DEFENSIVE_FORMATION, DEFENSIVE_SAFETY = range(N)

WEAK_FORMATION, WEAK_SAFETY, STANCE, PARTS_USED, KEPT_USED, LOOKUPS, FOUND = range(2 * N, 2 * N + 7)
"""The words behind the weights: the thresholds; what a player judged of the formation; the bits of the parts that
are needed; whether formation values are kept; and counts of lookups of them, and of those that found one."""
HEAD = 24
"""Words of all these; they stand behind the network, and formation values behind them."""
JUDGED, SOUND, WEAK = range(3)
"""Values of STANCE: the formation is judged in each position, or a player found it sound or weak."""
KEPT, KEPT_WORDS = 1 << 13, 4
"""Formation values that are kept, and the words of each: White's men, Black's men, the value."""


@evaluator
def mix(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """Material, formation, safety and a network, weighed by the pieces left and, of a weak side, defensively."""
    at = network_words(weights, rules)
    left = popcount(position.white | position.black)
    used = int(weights[at + PARTS_USED])
    value = weight(weights, at + MATERIAL, left) * material_ahead(position, rules)
    formation = formation_ahead(position, rules, weights) if used & 1 << FORMATION else 0
    safety = safety_ahead(position, rules) if used & 1 << SAFETY else 0
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
    return weights[at] + left * weights[at + N]


@inlined
def is_defensive(rules: Rules, weights: NDArray[np.float64], formation: int, safety: int) -> bool:
    """Whether a side's formation or safety is weak."""
    at = network_words(weights, rules)
    if abs(safety) >= weights[at + WEAK_SAFETY]:
        return True
    if weights[at + STANCE] != JUDGED:
        return bool(weights[at + STANCE] == WEAK)
    return bool(abs(formation) >= weights[at + WEAK_FORMATION])


def mix_weights(given: Mapping[str, Any], variant: Variant) -> NDArray[np.float64]:
    """The memory in which `mix` evaluates, by a mapping from parts of the mix to numbers or pairs.

    A pair is `[opening, ending]`, as of `linear`. A part of weight 0 is defensively 0, too, if not given. Raises
    PlayerError for any other value, and for a network that the rules do not have.
    """
    network = trained(variant.rules)
    own = WEIGHTS if network is None else WITH_NETWORK
    chosen = {**own, **THRESHOLDS, CACHE: True, **given}
    for name, value in chosen.items():
        if name not in MEANINGS:
            raise _error(unknown("part of the mix", str(name), MEANINGS), name)
        if name in THRESHOLDS and not (is_number(value) and value > 0):
            raise _error(f"{name} must be a number above 0, not {value!r}", name)
        if name == CACHE and not isinstance(value, bool):
            raise _error(f"{name} must be true or false, not {value!r}", name)
    for part in ("formation", "safety"):
        if chosen[part] == 0 and f"defensive_{part}" not in given:
            chosen[f"defensive_{part}"] = 0
    pairs = phased({name: chosen[name] for name in WEIGHTS}, tuple(WEIGHTS), 2 * variant.men, "mix")
    used = [bool(pairs[[part, N + part]].any()) for part in range(N)]
    if used[NETWORK] and network is None:
        names = ", ".join(trained_variants())
        raise _error(f"a network is trained for the rules of {names}, not for {variant.name}", "network")
    defensive = used[DEFENSIVE_FORMATION] or used[DEFENSIVE_SAFETY]
    used[FORMATION], used[SAFETY] = used[FORMATION] or defensive, used[SAFETY] or defensive
    at = word_count(variant.rules, 0) if network is None else network.size
    memory = aligned(at + HEAD + KEPT * KEPT_WORDS * chosen[CACHE])
    if network is not None:
        memory[:at] = network
    head = memory[at : at + HEAD]
    head[: 2 * N] = pairs
    head[WEAK_FORMATION], head[WEAK_SAFETY] = (chosen[name] for name in THRESHOLDS)
    head[PARTS_USED] = sum(1 << part for part in (FORMATION, SAFETY, NETWORK) if used[part])
    head[KEPT_USED] = chosen[CACHE]
    return memory


def head_of(weights: NDArray[np.float64], rules: Rules) -> NDArray[np.float64]:
    """The words of a mix's memory from its weights to its counts."""
    return weights[network_words(weights, rules) :][:HEAD]


def forget(weights: NDArray[np.float64], rules: Rules) -> None:
    """Drop a player's judgement of the formation from a mix's memory, and the formation values that are kept."""
    head_of(weights, rules)[STANCE] = JUDGED
    weights[network_words(weights, rules) + HEAD :] = 0.0


def assess(position: Position, rules: Rules, head: NDArray[np.float64]) -> int:
    """Judge the side to move, SOUND or WEAK, for all positions that are valued until the next time.

    It is weak if it is behind in material, or its formation is.
    """
    white = white_formation(rules, position.white & ~position.kings, position.black & ~position.kings)
    ahead = white if position.turn == 0 else -white
    is_weak = ahead <= -head[WEAK_FORMATION] or material_ahead(position, rules) < 0
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


@inlined
def formation_ahead(position: Position, rules: Rules, weights: NDArray[np.float64]) -> int:
    """Own formation minus the other side's: men with a man diagonally behind them, and men on the back row."""
    white_men, black_men = position.white & ~position.kings, position.black & ~position.kings
    if weights[network_words(weights, rules) + KEPT_USED] != 0.0:
        white = kept_formation(rules, weights, white_men, black_men)
    else:
        white = white_formation(rules, white_men, black_men)
    return white if position.turn == 0 else -white


@inlined
def kept_formation(rules: Rules, weights: NDArray[np.float64], white_men: int, black_men: int) -> int:
    """`white_formation`, computed only if the men are not those of its entry."""
    mixed = white_men ^ (black_men << 3) ^ (black_men >> 19)
    mixed ^= mixed >> 29
    mixed ^= mixed >> 13
    at = network_words(weights, rules)
    entry = at + HEAD + (mixed & (KEPT - 1)) * KEPT_WORDS
    weights[at + LOOKUPS] += 1.0
    if bits_of(weights[entry]) == white_men and bits_of(weights[entry + 1]) == black_men:
        weights[at + FOUND] += 1.0
    else:
        weights[entry], weights[entry + 1] = float_of(white_men), float_of(black_men)
        weights[entry + 2] = white_formation(rules, white_men, black_men)
    return int(weights[entry + 2])


@kernel
def white_formation(rules: Rules, white_men: int, black_men: int) -> int:
    """White's men that have a man diagonally behind them, and those on the back row, minus Black's."""
    alone = Position(white_men, black_men, 0, 0)
    connected_men = connected(alone, rules, 0) - connected(alone, rules, 1)
    return connected_men + back_row(alone, rules, 0) - back_row(alone, rules, 1)


@inlined
def safety_ahead(position: Position, rules: Rules) -> int:
    """The other side's pieces that can be taken minus the own ones."""
    own, other = position.turn, 1 - position.turn
    return takeable(position, rules, other) - takeable(position, rules, own)


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


def _error(message: str, key: object) -> PlayerError:
    return PlayerError(message, "evaluation", "mix", str(key))
