"""The options of a tree search: their types, with what each does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, get_type_hints

from pydantic import Field, WithJsonSchema

from arena.base.wording import quoted, unknown
from players.loading import PlayerError
from players.mcts.state import SHALLOW

DEEPEST = 16
"""Plies of a shallow search, at most."""


def option(what: str, unit: str = "", least: float | None = None, most: float | None = None) -> Any:
    """The annotation of an option's type: what it does, its unit and its bounds."""
    return Field(description=what, json_schema_extra={"unit": unit} if unit else None, ge=least, le=most)


def valued(what: str, words: Sequence[str]) -> Any:
    """The annotation of an option that values positions in a way of `words`, or by a shallow search."""
    plies = {"description": "plies that negamax searches", "type": "integer", "minimum": 0, "maximum": DEEPEST}
    shallow = {
        "type": "object",
        "properties": {"depth": plies},
        "required": ["depth"],
        "additionalProperties": False,
    }
    return WithJsonSchema({"description": what, "anyOf": [{"enum": list(words)}, shallow]})


ROLLOUTS, POLICIES = ("random", "evaluation"), ("none", "evaluation")
"""The words of `rollout` and of `policy`, in the order of RANDOM and EVALUATION of `players.mcts.state`."""
Rollout = Annotated[
    str | dict[str, Any],
    valued(
        "how a new position is valued: random moves; the evaluation; negamax to that depth, then captures",
        ROLLOUTS,
    ),
]
Policy = Annotated[
    str | dict[str, Any],
    valued(
        "how a move gets its prior: not at all, so UCB1 chooses moves; or, for PUCT, by the evaluation after the "
        "move; by negamax to that depth after it, then captures",
        POLICIES,
    ),
]


@dataclass(frozen=True)
class TreeOptions:
    """How a tree is searched, each option with its unit and what it does; the same for `mcts` and `hybrid`."""

    simulations: Annotated[
        int | None, option("simulations of a move, as the limit `nodes`", "simulations", least=1)
    ] = None
    exploration: Annotated[
        float, option("the constant of UCB1 or PUCT: how often moves that look worse are tried", least=0)
    ] = 0.7
    first_play: Annotated[
        float, option("the value of an untried move in UCB1, against mean plus exploration of others")
    ] = 1.0
    policy: Policy = "none"
    temperature: Annotated[
        float,
        option("a move whose position is worth this much less has a prior 1 / e times as high", "men", least=0.01),
    ] = 0.2
    scale: Annotated[float, option("an evaluation v counts tanh(v / scale)", "men", least=0.01)] = 3.0
    solver: Annotated[
        bool, option("proven wins, losses and draws are passed up the tree and not searched again")
    ] = True
    keep_tree: Annotated[bool, option("the subtree of the position after both moves is kept")] = True
    tree: Annotated[
        int, option("memory of the tree; it stops growing when full", "megabytes", least=1, most=65_536)
    ] = 64


KINDS: Mapping[str, Any] = MappingProxyType(get_type_hints(TreeOptions, include_extras=True))
"""The type of each of the TreeOptions, with its bounds and what it does."""
DEFAULTS: Mapping[str, Any] = MappingProxyType(vars(TreeOptions()))

RejectDepth = Annotated[
    int, option("a shallow search that shows which moves lose, 0: none is rejected", "plies", least=0, most=16)
]
RejectMargin = Annotated[
    float, option("moves this far below the best are rejected, until all others are proven lost", "men", least=0)
]
Minimax = Annotated[
    float, option("minimax first searches for this share, 0: none", "of the limit", least=0, most=0.95)
]
Trust = Annotated[int, option("visits with which the tree begins at minimax's best move", "visits", least=1)]
Monitor = Annotated[
    int, option("from one assessment of the formation to the next, 0: judged in each position", "moves", least=0)
]
Table = Annotated[
    int, option("transposition table of minimax and the shallow search", "megabytes", least=0, most=65_536)
]


def way_of(name: str, value: str | dict[str, Any], words: Sequence[str]) -> tuple[int, int]:
    """How an option values positions: the place of its word, or SHALLOW, and the plies of the shallow search.

    Raises PlayerError, naming the choices, if there is no such way.
    """
    if isinstance(value, str):
        if value not in words:
            raise PlayerError(unknown(name, value, [*words, "{depth: 2}"]), name)
        return words.index(value), 0
    depth = value.get("depth")
    if list(value) != ["depth"] or type(depth) is not int or not 0 <= depth <= DEEPEST:
        message = f"{name} must be {', '.join(words)} or {{depth: 0 to {DEEPEST}}}, not {quoted(value)}"
        raise PlayerError(message, name)
    return SHALLOW, depth
