"""The options of a tree search: their types, with what each does, and their rows in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, get_type_hints

from pydantic import Field, WithJsonSchema

from arena.base.wording import quoted, unknown
from players.evaluation.build import Description
from players.loading import PlayerError
from players.mcts.state import EVALUATION, RANDOM, SHALLOW
from players.options import choices_of, options_of

DEEPEST_ROLLOUT = 16
"""Plies of a shallow search, at most."""


def option(what: str, unit: str = "", least: float | None = None, most: float | None = None) -> Any:
    """The annotation of an option's type: what it does, its unit and its bounds."""
    return Field(description=what, json_schema_extra={"unit": unit} if unit else None, ge=least, le=most)


ROLLOUT = "how a new position is valued: random moves; the evaluation; negamax to that depth, then captures"
"""The value of the option `rollout`."""
Rollout = Annotated[
    str | dict[str, Any],
    WithJsonSchema(
        {
            "description": ROLLOUT,
            "anyOf": [
                {"enum": ["random", "evaluation"]},
                {
                    "type": "object",
                    "properties": {
                        "depth": {
                            "description": "plies that negamax searches",
                            "type": "integer",
                            "minimum": 0,
                            "maximum": DEEPEST_ROLLOUT,
                        }
                    },
                    "required": ["depth"],
                    "additionalProperties": False,
                },
            ],
        }
    ),
]


@dataclass(frozen=True)
class TreeOptions:
    """How a tree is searched, each option with its unit and what it does; the same for `mcts` and `hybrid`."""

    simulations: Annotated[
        int | None, option("simulations of a move, as the limit `nodes`", "simulations", least=1)
    ] = None
    exploration: Annotated[
        float, option("the constant of UCB1: how often moves that look worse are tried", least=0)
    ] = 0.7
    first_play: Annotated[
        float, option("the value of an untried move, against mean plus exploration of others")
    ] = 1.0
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


def option_rows(maker: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    """A row of Markdown for each option of a player: its name, its default, its choices or unit, what it does."""
    for name, parameter in options_of(maker).items():
        kind, default = parameter.annotation, parameter.default
        if kind == Description:
            choices, does = "see above", "what the evaluation is"
        elif kind == Rollout:
            choices, does = f"random, evaluation, {{depth: 0 to {DEEPEST_ROLLOUT}}}", ROLLOUT
        else:
            choices, does = choices_of(kind), kind.__metadata__[0].description
        yield f"`{name}`", "" if default is None else str(default).lower(), choices, does


def rollout_of(description: str | dict[str, Any]) -> tuple[int, int]:
    """How a new position is valued, RANDOM, EVALUATION or SHALLOW, and the plies of the shallow search.

    Raises PlayerError, naming the choices, if there is no such way.
    """
    if isinstance(description, str):
        ways = {"random": RANDOM, "evaluation": EVALUATION}
        if description not in ways:
            message = unknown("rollout", description, [*ways, "{depth: 2}"])
            raise PlayerError(message, "rollout")
        return ways[description], 0
    depth = description.get("depth")
    if list(description) != ["depth"] or type(depth) is not int or not 0 <= depth <= DEEPEST_ROLLOUT:
        raise PlayerError(
            f"rollout must be random, evaluation or {{depth: 0 to {DEEPEST_ROLLOUT}}}, not {quoted(description)}",
            "rollout",
        )
    return SHALLOW, depth
