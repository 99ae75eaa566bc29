"""BoardGame: one game between two sides, with moves taken back, clocks, and what players saw."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from arena.base import ArenaError
from arena.base.wording import message_of
from arena.board.sides import Side
from arena.hosting.handle import SharedPlayer
from arena.rules.game import Game, Outcome, Termination, game_of
from arena.rules.move_text import line_texts
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS, Position
from arena.rules.result import score_text
from arena.rules.variants import Variant
from players.player import AnswerError, Choice, Limit, Resign

MOST_PLIES = 2000
"""Plies of a game that is played on from a file, at most."""


class Clock(NamedTuple):
    """Time for a whole game, of each side."""

    seconds: float
    increment: float = 0.0
    """Seconds that are added after each move."""


class Thought(NamedTuple):
    """A player's findings and their cost; scores are from its own view."""

    choice: Choice
    seconds: float
    """Wall time."""
    man_value: float | None
    """What a man is worth in its scores, if it says so."""
    line: tuple[str, ...]
    """Its principal variation as PDN writes it, the move first."""

    @property
    def score(self) -> str:
        """Its score as people read it, empty without one."""
        return score_text(self.choice.score, self.choice.plies_to_win, self.man_value)


class Turn(NamedTuple):
    """A move that was played."""

    move: int
    text: str
    """As PDN writes it."""
    side: Side
    """Who played it."""
    seconds: float
    """The time that the side took for it; 0 for a move of a file."""
    thought: Thought | None
    """None of a person's move, or one of a file."""
    clocks: tuple[float, float] | None
    """White's and Black's clocks before it; None without clocks."""


class Request(NamedTuple):
    """A request to the player to move: `answer` may be called in another thread."""

    player: SharedPlayer
    game: Game
    """A copy, for the player alone."""
    limit: Limit
    rng: random.Random
    version: int
    """Of the game at the board."""
    stopped: threading.Event
    """Set to have it answered soon."""

    def answer(self) -> Thought:
        """Ask the player; it answers soon once `stopped` is set. Raises what `SharedPlayer.choose` raises."""
        game = self.game
        answer = self.player.choose(game, self.limit, self.rng, self.stopped)
        choice = answer.choice
        line = line_texts(game.variant, game.position, choice.pv or (choice.move,))
        return Thought(choice, answer.seconds, self.player.man_value, tuple(line))


def build(players: Iterable[SharedPlayer]) -> None:
    """Have players ready for a game, in any thread. Raises ArenaError, in one line, for one that fails."""
    try:
        for player in players:
            player.prepare()
    except ArenaError:
        raise
    except Exception as error:
        raise ArenaError(f"a player raised {type(error).__name__}: {message_of(error)}") from None


class BoardGame:
    """A game between two sides: `play` a person's moves, `request` a player's and `accept` what it found.

    One thread uses it. Another may `build` its `players`, and answer a request while the game goes elsewhere.
    """

    def __init__(
        self,
        variant: Variant,
        sides: tuple[Side, Side],
        start: Position | str | None = None,
        *,
        clock: Clock | None = None,
        seed: int = 0,
    ) -> None:
        """White's side first; `start` may be a FEN. All random numbers of its players come from `seed`."""
        self.variant, self.clock, self.seed = variant, clock, seed
        self.sides = sides
        """White's side and Black's; `seat` changes them."""
        self.game = Game(variant, start)
        self.turns: list[Turn] = []
        self.version = 0
        """Grows with everything that happens."""
        self.failure = ""
        """The failure of a player, in one line."""
        self._ended: Outcome | None = None
        self._clocks = None if clock is None else (clock.seconds, clock.seconds)
        self._began = time.monotonic()
        """When the turn began."""
        self._players: dict[int, SharedPlayer] = {}
        self._rngs = [random.Random(f"{seed} {colour}") for colour in COLOURS]
        self._request: Request | None = None
        """The last one."""

    @classmethod
    def of(cls, played: PlayedGame, sides: tuple[Side, Side], **options: Any) -> BoardGame:
        """A game to be played on from the end of one that was read, its start the last position set up there.

        Raises ArenaError for one of more than MOST_PLIES.
        """
        if len(played.moves) > MOST_PLIES:
            raise ArenaError(f"the game has {len(played.moves):,} plies; one of {MOST_PLIES:,} can be played on")
        game = game_of(played)
        board = cls(played.variant, sides, game.start_fen, **options)
        for move in game.moves:
            before = board._clocks
            board._push(move, 0.0, None)
            board._clocks = before
        return board

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.sides[self.game.turn]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by its rules, on time, resignation, agreement or failure; None while it goes on."""
        return self._ended or self.game.outcome

    @property
    def players(self) -> list[SharedPlayer]:
        """The players of both sides, which are built when they are first asked."""
        return [self._player(colour) for colour, side in enumerate(self.sides) if not side.is_person]

    def clocks(self) -> tuple[float, float] | None:
        """White's and Black's clocks now; None without. A person whose clock has run out has lost."""
        clocks, request = self._clocks, self._request
        is_asked = request is not None and request.version == self.version and not request.stopped.is_set()
        if clocks is None or self.outcome is not None or not (self.side.is_person or is_asked):
            return clocks
        left = max(clocks[self.game.turn] - (time.monotonic() - self._began), 0.0)
        if not left and self.side.is_person:
            self._flag()
        return self._clocks_with(left)

    def play(self, move: int) -> None:
        """Play a legal move for the person to move.

        Raises ArenaError if the game is over or a player is to move, ValueError for an illegal move.
        """
        self._goes_on()
        if not self.side.is_person:
            raise ArenaError(f"it is {self.side.name}'s move")
        if move not in self.game.legal_moves:
            raise ValueError(f"{move} is not a legal move")
        self._push(move, time.monotonic() - self._began, None)

    def prepare(self) -> None:
        """Build the players, then begin the turn. Raises ArenaError, and keeps none, if one cannot be built."""
        try:
            build(self.players)
        except ArenaError:
            self.release()
            raise
        self.begin_turn()

    def begin_turn(self) -> None:
        """Have the time of the side to move run from now on."""
        self._began = time.monotonic()

    def request(self) -> Request:
        """The request to the player to move. Raises ArenaError if that is a person or the game is over."""
        self._goes_on()
        turn, spec = self.game.turn, self.side.spec
        if spec is None:
            raise ArenaError("it is a person's move")
        limit = spec.limit
        if self.clock is not None and self._clocks is not None:
            limit = limit._replace(clock=self._clocks[turn], increment=self.clock.increment, moves=None)
        self.begin_turn()
        player, rng = self._player(turn), self._rngs[turn]
        self._request = Request(player, self.game.copy(), limit, rng, self.version, threading.Event())
        return self._request

    def accept(self, request: Request, thought: Thought) -> bool:
        """Play what a player found. Does nothing and returns False if anything else happened since the request."""
        if request.version != self.version:
            return False
        if self._clocks is not None and thought.seconds > self._clocks[self.game.turn]:
            self._flag()
        else:
            self._push(thought.choice.move, thought.seconds, thought)
        return True

    def fail(self, request: Request, error: BaseException) -> bool:
        """End the game by the player's resignation or failure. Does nothing and returns False as `accept` does."""
        if request.version != self.version:
            return False
        if isinstance(error, Resign):
            self.resign(self.game.turn)
            return True
        words = message_of(error)
        if not isinstance(error, AnswerError):
            words = f"raised {type(error).__name__}: {words}"
        self.failure = f"{self.side.name} {words}"
        self._end(Termination.ERROR, self.game.turn)
        return True

    def stop(self) -> None:
        """Have the request under way answered soon, if its player can be stopped; the answer is played."""
        if self._request is not None:
            self._request.stopped.set()
        for player in self._players.values():
            player.stop()

    def undo(self) -> int:
        """Take back the last move of a person and what followed; of players alone one ply. Returns how many plies.

        Raises ArenaError if there is none.
        """
        movers = [position.turn for position in reversed(self.game.positions[:-1])]
        persons = [side.is_person for side in self.sides]
        plies = next((back for back, turn in enumerate(movers, 1) if persons[turn] or not any(persons)), 0)
        if not plies:
            raise ArenaError("there is no move to take back")
        for _ in range(plies):
            self.game.pop()
            self._clocks = self.turns.pop().clocks
        self._ended, self.failure = None, ""
        self._elsewhere()
        return plies

    def seat(self, sides: tuple[Side, Side]) -> None:
        """Continue with those sides, without waiting for a current search."""
        for colour, side in enumerate(sides):
            if side != self.sides[colour] and colour in self._players:
                self._players.pop(colour).retire()
        self.sides = sides
        self._elsewhere()

    def resign(self, colour: int) -> None:
        """Give up for a colour. Raises ArenaError if the game is over."""
        self._goes_on()
        self._end(Termination.RESIGNED, colour)

    def give_up(self) -> None:
        """Resign for the person to move, else for the other. Raises ArenaError without a person or at the end."""
        persons = [colour for colour in (self.game.turn, 1 - self.game.turn) if self.sides[colour].is_person]
        if not persons:
            raise ArenaError("no person plays")
        self.resign(persons[0])

    def release(self) -> None:
        """Let go of the players, until they are next asked, without waiting for a search, which is stopped."""
        while self._players:
            self._players.popitem()[1].retire()

    def close(self) -> None:
        """Close the players, after a search under way, which is stopped."""
        self._elsewhere()
        while self._players:
            self._players.popitem()[1].close()

    def _goes_on(self) -> None:
        self.clocks()
        if self.outcome is not None:
            raise ArenaError("the game is over")

    def _push(self, move: int, seconds: float, thought: Thought | None) -> None:
        self.turns.append(Turn(move, self.game.text(move), self.side, seconds, thought, self._clocks))
        if self.clock is not None and self._clocks is not None:
            self._clocks = self._clocks_with(
                max(self._clocks[self.game.turn] - seconds, 0.0) + self.clock.increment
            )
        self.game.push(move)
        self._moved()

    def _clocks_with(self, left: float) -> tuple[float, float] | None:
        """The clocks with so much left for the side to move."""
        return self._clocks and ((self._clocks[0], left) if self.game.turn else (left, self._clocks[1]))

    def _end(self, termination: Termination, loser: int) -> None:
        self._ended = Outcome(1 - loser, termination)
        self._moved()
        self.stop()

    def _flag(self) -> None:
        """The time of the side to move is up."""
        self._clocks = self._clocks_with(0.0)
        self._end(Termination.TIME, self.game.turn)

    def _elsewhere(self) -> None:
        """The game changed otherwise than by a move: searches under way stop, and players begin a new game."""
        self._moved()
        self.stop()
        for player in self._players.values():
            player.renew()

    def _moved(self) -> None:
        self.version += 1
        self.begin_turn()

    def _player(self, colour: int) -> SharedPlayer:
        spec = self.sides[colour].spec
        if colour not in self._players and spec is not None:
            self._players[colour] = SharedPlayer(spec, self.variant)
        return self._players[colour]
