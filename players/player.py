"""The player contract: Player, CompletePlayer, Limit, Choice, Resign, Pause, PlayerSpec, Allowance."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from arena.base import ArenaError
from arena.base.wording import quoted

if TYPE_CHECKING:
    from arena.rules.game import Game

NAME_CHARACTERS = 40  # of a player's name, at most
HUMAN = "human"  # the type of a person, who plays at the board and not in a tournament
ENGINE = "engine"  # the type of outside programs, whose options name a `command` and a `folder`
_PUBLISHED = ("game3", "checkers-ai", "simplified", "cis300")  # the types of published programs
TYPES = ("random", "greedy", "plain", "negamax", "mcts", "hybrid", "engine", *_PUBLISHED)
"""The names of `players.table.PLAYERS`, for those that do not load the compiler."""
EVALUATIONS = ("material", "simple", "game3", "checkers-ai", "cis300", "strong", "neural", "linear")
"""The names of `players.evaluation.build.EVALUATORS`, for the same."""
NETWORKS = Path(__file__).parent / "evaluation" / "networks"
"""The folder of the built-in networks: a file that is nowhere else is looked for there."""
LEVELS = range(1, 13)  # the levels of `cis300`, plies of its search


class Limit(NamedTuple):
    """Bounds a player's thinking about one move: `Limit(nodes=2000, seconds=0.1)`; the first that is met ends
    it."""

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
    moves: int | None = None
    """Moves for which the clock is, which gains as much again after them; when asked, what is left of them."""

    @property
    def longest(self) -> float | None:
        """Seconds that the next move may take, None without a time limit."""
        if self.seconds is None or self.clock is None:
            return self.clock if self.seconds is None else self.seconds
        return min(self.seconds, self.clock)

    def overrun(self, seconds: float) -> float | None:
        """Seconds by which a move of `seconds` overran the limit, 0 if it did not; None without a time limit."""
        longest = self.longest
        return None if longest is None else max(seconds - longest, 0.0)

    def after(self, seconds: float, whole: Limit) -> Limit:
        """The limit of the next move after one of `seconds`, where the game began with the limit `whole`: the
        clock gains the increment, and all that it began with when its moves are made."""
        if self.clock is None:
            return self
        clock = max(self.clock - seconds, 0.0) + (self.increment or 0.0)
        if self.moves == 1:
            return self._replace(clock=clock + (whole.clock or 0.0), moves=whole.moves)
        return self._replace(clock=clock, moves=self.moves and self.moves - 1)


MEANT_LIMITS = {"time": "seconds", "movetime": "seconds", "plies": "depth"}
"""Other programs' words for limits, and ours."""


class Choice(NamedTuple):
    """Answers with a move and what it cost to find it: `Choice(move)`, `Choice(move, score=0.3, nodes=812)`."""

    move: int
    """One of the game's legal moves, in the encoding of `arena.rules.moves`; a user's player may give its text."""
    score: float | None = None
    """The value of the position in the evaluation's own unit, from the side to move's view."""
    depth: int = 0
    """Plies of the last finished iteration, in which a search may have reduced, cut or extended lines."""
    deepest: int = 0
    """Plies from the root to the deepest position entered."""
    nodes: int = 0
    """Positions entered once each, the root included."""
    leaves: int = 0
    """Positions whose evaluation was taken for their value."""
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
    plies_to_win: int = 0
    """Plies to a win that the search holds for certain, less than 0 to a certain loss; 0 where neither is."""
    extra: Mapping[str, float] | None = None
    """Custom metrics by name, such as `{"tokens": 812}`: columns `extra_tokens` of moves.csv."""


EFFORT = tuple(name for name in Choice._fields if name not in ("move", "score", "pv", "plies_to_win", "extra"))
"""The fields of `Choice` that say what a search counted, in their order."""


class AnswerError(ValueError):
    """Refuses an answer. The message continues the player's name, as `returned None` does."""


class IllegalMove(AnswerError):
    """Refuses an answer whose move is not legal."""

    def __init__(self, move: object) -> None:
        super().__init__(f"returned the illegal move {quoted(move)}")


class Resign(Exception):
    """Resigns the game: `raise arena.Resign()`."""


class Pause(ArenaError):
    """Pauses the run, which stores nothing of this game: `raise arena.Pause("the service does not answer")`."""


class Player(Protocol):
    """Chooses moves. One is built for each game, with the rules and the options of its entry in YAML.

    A parameter of the constructor called `name`, or like a field of `Limit`, gets that value of the entry.

    A class may also have:

    - `limits`: the fields of `Limit` that it heeds, by default all; `default`: the `Limit` if its entry has none.
    - `kept = True`: each worker keeps one object for all games; an earlier game must not change what it decides.
    - `begin()`: called before every game, the first one included.
    - `close()`: called once, when the object is no longer needed. It has half a second.
    - `man_value`: what a man is worth in the unit of its scores, so that reports give them in men.
    - `cpu_elsewhere`: the processor seconds that its last answer took in other processes.
    - `costs = True`: its answers cost money. It is asked in games and suites alone, never to be tried out.
    - `check_limit(limit)`: raises ValueError for a limit under which it cannot play.
    - `stop()`: called from another thread, perhaps several times: end the current search and answer soon.
    - `progress()`: called from another thread: what the current search has found so far, a `Choice`, or None.
    """

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose one of `game.legal_moves`. Leave `game` as it was, and take all random numbers from `rng`."""
        ...


class CompletePlayer:
    """Completes a player with all that a class may also have; what it lacks does nothing."""

    __slots__ = ("begin", "check_limit", "choose", "close", "kept", "player", "progress", "stop")

    def __init__(self, player: Any) -> None:
        self.player: Player = player
        self.choose: Callable[[Game, Limit, random.Random], Choice] = player.choose
        self.kept: bool = getattr(player, "kept", False)
        self.begin: Callable[[], object] = getattr(player, "begin", _nothing)
        self.close: Callable[[], object] = getattr(player, "close", _nothing)
        self.check_limit: Callable[[Limit], object] = getattr(player, "check_limit", _nothing)
        self.stop: Callable[[], object] | None = getattr(player, "stop", None)
        self.progress: Callable[[], Choice | None] | None = getattr(player, "progress", None)

    @property
    def limits(self) -> tuple[str, ...]:
        """The fields of `Limit` that it heeds."""
        return limits_of(self.player)

    @property
    def man_value(self) -> float | None:
        """What a man is worth in the unit of its scores; None unless it says so, a number above 0."""
        try:
            man = float(self.player.man_value)  # type: ignore[attr-defined]
        except Exception:
            return None
        return man if 0 < man < math.inf else None

    @property
    def costs(self) -> bool:
        """Whether its answers cost money."""
        return getattr(self.player, "costs", False) is True

    @property
    def cpu_elsewhere(self) -> float:
        """Processor seconds of its last answer in other processes; nan if invalid."""
        try:
            seconds = float(getattr(self.player, "cpu_elsewhere", 0.0))
        except Exception:
            return math.nan
        return seconds if 0 <= seconds < math.inf else math.nan


def limits_of(kind: Any) -> tuple[str, ...]:
    """The fields of `Limit` that a player, or the players of a class, heed."""
    return tuple(getattr(kind, "limits", Limit._fields))


def default_limit(kind: Any) -> Limit:
    """The limit that holds for the players of a class that are given none."""
    return getattr(kind, "default", Limit())


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True)
class PlayerSpec:
    """Describes a player as an entry of `players:` does: `PlayerSpec("a", "negamax", Limit(depth=4))`."""

    name: str
    type: str
    """A key of `players.table.PLAYERS`, or `package.module:Class`, or `path/to/file.py:Class`; or HUMAN."""
    limit: Limit = field(default_factory=Limit)
    options: Mapping[str, Any] = field(default_factory=dict)
    """The entry's other keys, passed to the player's constructor by name."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that it is loaded from in a run, `players.identity.Files`; empty: as they are now."""
    copies: str = ""
    """The folder with the run's copies of these."""


class Allowance(NamedTuple):
    """What a player with a user's code may take; times are wall time."""

    time_margin: float = 0.1  # seconds by which a move may take longer than its limit before the game is lost
    move_timeout: float = 60.0  # seconds for a move without a time limit, and for building a player
    game_timeout: float = 3600.0  # seconds for all of a player's moves of a game
    memory: int = 2048  # megabytes that its process may take
    processes: int = 64  # processes that it may be at once, itself included
    sandbox: tuple[str, ...] | None = None  # the further files that it may read in a sandbox; None outside one
    folder: str = ""  # the configuration's folder, which no program in a sandbox may read as its own
    own_folders: tuple[str, ...] = ()
    """Folders with the files of one player alone, all of which it may read in a sandbox."""
