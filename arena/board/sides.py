"""The sides of a game: a person, or a player of the arena; such a player for programs in Python."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.experiment.load import player_spec
from arena.experiment.yaml.values import ConfigError
from arena.hosting.handle import LocalPlayer
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import known_pieces
from arena.rules.game import Game
from arena.rules.variants import Variant
from players.evaluation.build import has_network
from players.loading import PlayerError, located
from players.player import HUMAN, LEVELS, NAME_CHARACTERS, Choice, Limit, PlayerSpec, default_limit, limits_of
from players.table import PLAYERS

USUAL_SECONDS = 1.0
"""Seconds per move of a player whose entry has no limit, if it cannot do without."""
ADVICE_SECONDS = 0.5
"""Seconds of a hint, and of an evaluation that a person asks for."""
USUAL_LEVEL = 3
"""The level of a person's opponent by default, which the published `cis300` begins with."""


class Program(NamedTuple):
    """A person's usual opponent in a rule set: its published program as a person saw it, or a level."""

    entry: str = f"level {USUAL_LEVEL}"
    """As `side_of` reads it."""
    about: str = ""
    numbers_edges: bool = False
    """Whether rows and columns stand at the edges of its board, row 0 on top for a person of either colour."""
    lists_moves: bool = False
    """Whether each turn of a person begins with the numbered list of the legal moves."""


PROGRAMS: Mapping[str, Program] = {
    "game3": Program("game3", "alpha-beta, 4 plies", numbers_edges=True),
    "checkers-ai": Program("checkers-ai", "iterative deepening, 1 s", lists_moves=True),
    "simplified": Program("simplified", "alpha-beta, 6 plies"),
    "cis300": Program(
        f"{{name: cis300, type: cis300, depth: {USUAL_LEVEL}}}",
        f"negamax, level {USUAL_LEVEL} of {LEVELS[-1]}",
        numbers_edges=True,
    ),
    "casual-10x10": Program(
        "{type: hybrid, name: casual-10x10, nodes: 1000}",
        "tree search with alpha-beta, 1000 nodes",
        numbers_edges=True,
    ),
}
"""The published programs by the names of their rule sets."""


def program_of(variant: Variant) -> Program:
    """A person's usual opponent in a rule set, and in rules made from it."""
    return PROGRAMS.get(variant.family, Program())


class Side(NamedTuple):
    """Plays one colour at a board: a person or a player."""

    name: str
    spec: PlayerSpec | None = None
    """None for a person."""

    @property
    def is_person(self) -> bool:
        """Whether a person plays it."""
        return self.spec is None


def side_of(entry: str | Mapping[str, Any], given_as: str = "player", folder: Path = Path()) -> Side:
    """`human`, or a player: an entry of `players:`, a mapping or YAML, or in short as `simple@d6` and `level 3`.

    Files that are named are looked for in `folder`. Without a limit a player has USUAL_SECONDS. Raises
    ConfigError, naming `given_as`, for a wrong entry.
    """
    if isinstance(entry, str) and entry.strip() == HUMAN:
        return Side(HUMAN)
    spec = located(player_spec(entry, given_as, folder), folder)
    kind = PLAYERS.get(spec.type)
    needs = kind is not None and default_limit(kind) == Limit() and "seconds" in limits_of(kind)
    if needs and spec.limit == Limit():
        spec = replace(spec, limit=Limit(seconds=USUAL_SECONDS))
    return Side(spec.name, spec)


def level(number: int) -> Side:
    """The player of a level, one of LEVELS: `cis300` that searches `number` plies."""
    spec = PlayerSpec(f"level {number}", "cis300", Limit(depth=number))
    return Side(spec.name, spec)


def own_seconds(spec: PlayerSpec) -> float | None:
    """A player's limit of seconds per move, 0.0 if it has none; None if it heeds no such limit."""
    kind = PLAYERS.get(spec.type)
    if kind is not None and "seconds" not in limits_of(kind):
        return None
    return spec.limit.seconds or default_limit(kind).seconds or 0.0


def timed(side: Side, seconds: float) -> Side:
    """The player with so many seconds per move in place of its own seconds or nodes; its depth stays.

    Raises ValueError, in one line, for a person and for a player that heeds no limit of seconds.
    """
    if side.spec is None:
        raise ValueError("a person has no limit of seconds per move; a clock limits both sides")
    before = own_seconds(side.spec)
    if before is None:
        raise ValueError(f"{side.name} takes no limit of seconds per move")
    if before == seconds:
        return side
    words = f", {seconds:g} s"
    name = side.name[: NAME_CHARACTERS - len(words)] + words
    return Side(name, replace(side.spec, name=name, limit=side.spec.limit._replace(seconds=seconds, nodes=None)))


def adviser(variant: Variant, limit: Limit) -> PlayerSpec:
    """The player behind a board's hints and analyses: the strongest, with all endgame tables that exist."""
    evaluation, pieces = "neural" if has_network(variant) else "strong", known_pieces(variant)
    tables = {"tables": pieces} if pieces else {}
    return replace(player_spec({"preset": "full", "evaluation": evaluation, **tables}), limit=limit)


class Opponent:
    """Asks a player of the arena for moves: `choose(game)`; done with it: `close()`, or `with`.

    It runs in this process, and nobody holds it to its limits but itself.
    """

    def __init__(
        self,
        entry: str | Mapping[str, Any],
        variant: Variant | str | Mapping[str, Any] = "english",
        seed: int = 0,
    ) -> None:
        """The player of an entry of `players:`: a mapping, YAML or in short, as `simple@d6` and `level 3`.

        All its random numbers come from `seed`. Raises ValueError, in one line, for a wrong entry or variant.
        """
        self.variant = build_variant(variant)
        try:
            self._spec = located(player_spec(entry), Path())
            self._player = LocalPlayer(self._spec, self.variant)
            self._player.begin()
        except ConfigError as error:
            raise ValueError("; ".join(problem.in_line() for problem in error.problems)) from None
        except PlayerError as error:
            raise ValueError(str(error)) from None
        self._rng = random.Random(seed)
        self._limit = self._spec.limit
        self._game: Game | None = None
        self._plies = 0

    def choose(self, game: Game) -> Choice:
        """The player's choice for the side to move: `choice.move`, one of `game.legal_moves`, and what it counted.

        Another game than last time, or one that went back, is a new game to the player. Raises ValueError if the
        game is over by the rules or of another variant, AnswerError for an answer that is none, and whatever a
        class of your own raises.
        """
        if game.variant != self.variant:
            raise ValueError(f"the game is {game.variant.name}, and the player plays {self.variant.name}")
        if not game.legal_moves:
            raise ValueError("the game is over: there is no legal move")
        if self._game is not None and (game is not self._game or len(game.moves) < self._plies):
            self._player.begin()
            self._limit = self._spec.limit
        self._game, self._plies = game, len(game.moves)
        answer = self._player.choose(game, self._limit, self._rng)
        self._limit = self._limit.after(answer.seconds, self._spec.limit)
        return answer.choice

    def seed(self, seed: int) -> None:
        """Draw all random numbers from here on from `seed`."""
        self._rng = random.Random(seed)

    def close(self) -> None:
        """Close the player."""
        self._player.close()

    def __enter__(self) -> Opponent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
