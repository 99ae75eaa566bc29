"""What a player is: Player, Limit, Choice, EFFORT, PlayerSpec."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from arena.rules.game import Game


class Limit(NamedTuple):
    """How long a player may think about one move; None is no limit of that kind, and the first one met ends it."""

    depth: int | None = None
    """Plies to search."""
    nodes: int | None = None
    """Positions to enter."""
    seconds: float | None = None
    """Seconds for the move."""
    clock: float | None = None
    """Seconds for the whole game; when a player is asked for a move, what it has left of them."""
    increment: float | None = None
    """Seconds that its clock gains with each move."""


class Choice(NamedTuple):
    """A player's answer: the move, and what it cost to find it."""

    move: int
    """One of the game's legal moves, in the encoding of `arena.rules.moves`."""
    score: float | None = None
    """The value of the position in the evaluation's own unit, from the side to move's view."""
    depth: int = 0
    """Plies searched in full."""
    deepest: int = 0
    """Plies from the root to the deepest position entered."""
    nodes: int = 0
    """Positions entered once each, the root included (see `players.negamax.player`)."""
    leaves: int = 0
    """Calls of the evaluation."""
    cutoffs_max: int = 0
    """Beta cutoffs at nodes where the player itself is to move."""
    cutoffs_min: int = 0
    """Beta cutoffs at nodes where the opponent is to move."""
    cutoffs_first: int = 0
    """Beta cutoffs, of both kinds, by the first move that was tried."""
    tt_probes: int = 0
    """Lookups in the transposition table."""
    tt_hits: int = 0
    """Lookups that found the position."""
    pv: tuple[int, ...] = ()
    """Principal variation, the chosen move first."""

    @property
    def effort(self) -> dict[str, int]:
        """What the search counted, by the names of EFFORT."""
        return {name: getattr(self, name) for name in EFFORT}


EFFORT = tuple(name for name in Choice._fields if name not in ("move", "score", "pv"))
"""The fields of `Choice` that say what a search counted, in their order."""


class Player(Protocol):
    """Anything that chooses moves. It is built once a game, with the rules and its own options from YAML."""

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose one of `game.legal_moves`; `game` must be left as it was, and all chance come from `rng`."""
        ...


@dataclass(frozen=True)
class PlayerSpec:
    """One entry of `players:` in a configuration: plain data, the same in every process."""

    name: str
    type: str
    """A key of `players.PLAYERS`, or `package.module:Class`, or `path/to/file.py:Class`."""
    limit: Limit = field(default_factory=Limit)
    options: Mapping[str, Any] = field(default_factory=dict)
    """The entry's other keys, passed to the player's constructor by name."""
