"""Analyses: the best lines of a position as any player sees them, deeper and deeper."""

from __future__ import annotations

import math
import random
import sys
import threading
import time
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from arena.hosting.handle import SharedPlayer
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameTables
from arena.rules.game import Game
from arena.rules.move_text import line_texts
from arena.rules.result import score_text
from players.loading import own_code
from players.negamax.score import WIN
from players.player import AnswerError, Choice, Limit, PlayerSpec

_FIRST_NODES = 500
"""Nodes of the first search by a player that cannot be given a depth; each one after has twice as many."""
_LEAST_SECONDS = 0.001

Known: TypeAlias = Literal["win", "draw", "loss"]


class Candidate(NamedTuple):
    """A move, and what the player thinks of it, from the side to move's view."""

    move: int
    score: float | None
    """In the player's unit; None where it gives none, or where the move ends the game in a win."""
    plies_to_win: int
    """Plies to a certain win, less than 0 to a certain loss; 0 where neither is known."""
    depth: int
    """Plies searched, this move included; 0 where it ends the game."""
    nodes: int
    """Of the last search."""
    pv: tuple[int, ...]
    """The line of play, the move first."""

    @property
    def value(self) -> float:
        """The key by which lines are ordered."""
        return _certain_value(self.plies_to_win) or self.score or 0.0


class Outlook(NamedTuple):
    """What a legal move comes to, from the side to move's view."""

    move: int
    text: str
    plies_to_win: int | None
    """Plies to the certain win, less than 0 to the loss; 0 for a certain draw, None where nothing is certain."""

    @property
    def known(self) -> Known | None:
        """The certain result, None without one."""
        if self.plies_to_win is None:
            return None
        return "win" if self.plies_to_win > 0 else "loss" if self.plies_to_win else "draw"

    @property
    def value(self) -> float:
        """The key by which moves are ordered: what is not certain may be better than a draw."""
        return 0.5 if self.plies_to_win is None else _certain_value(self.plies_to_win)


class Findings(NamedTuple):
    """The findings of an analysis so far."""

    lines: tuple[Candidate, ...]
    """Best first."""
    step: int
    """How many rounds were begun."""
    whole: bool
    """Whether the round is through."""
    nodes: int
    """Of all searches."""
    seconds: float


class Analysis:
    """A search for the best lines: `findings()` gives what is found, `stop()` from another thread ends it.

    The limits `depth` and `nodes` hold for each search, `seconds` for all. One line is the player's search of the
    position. For several, each move is made and the position after it searched: its score is minus that. The
    player is given depth after depth, or twice as many nodes each time, or is asked once if it heeds neither.
    """

    def __init__(self, spec: PlayerSpec, game: Game, lines: int = 1) -> None:
        """Raises PlayerError for a player that cannot be built, ValueError if the game is over or the depth 1."""
        if not game.legal_moves:
            raise ValueError("the game is over: there is no legal move")
        self._game, self._count = game, min(lines, len(game.legal_moves))
        self._limit, self._rng = spec.limit, random.Random(0)
        self._player = SharedPlayer(spec, game.variant)
        self._player.begin()
        assert self._player.player is not None
        self._begins = bool(own_code(spec))
        self.man_value = self._player.man_value
        """What a man is worth in the player's unit, if it says so."""
        self.turn = game.turn
        """The colour to move, whose scores they are."""
        self._heeds, self._check_limit = self._player.player.limits, self._player.player.check_limit
        self._can_stop = self._player.player.stop is not None
        if self._count > 1 and "depth" in self._heeds and spec.limit.depth == 1:
            raise ValueError("several lines need a depth of 2 or more")
        pieces = spec.options.get("tables", 0) if spec.type == "negamax" else 0
        self._certain = _endings(game, opened(game.variant, pieces) if pieces else None)
        """Plies to the win of each move that ends the game or leads into the tables, as in Outlook."""
        self._nodes = 0
        self._lines: dict[int, Candidate] = {}
        self._done: set[int] = set()
        """Moves that a longer search would say no more of."""
        self._stopping = threading.Event()
        self._began = time.perf_counter()

    def findings(self) -> Iterator[Findings]:
        """Yield the findings after each search that found something, until a limit is met or all is certain.

        Raises AnswerError for an answer that is none or lacks the score that several lines need, ValueError for
        limits that the player cannot do with, and whatever a class of your own raises.
        """
        self._began = time.perf_counter()
        timer = threading.Timer(self._limit.seconds or 0.0, self.stop)
        timer.daemon = True
        if self._limit.seconds is not None and self._can_stop:
            timer.start()
        try:
            for step, limit in enumerate(self._limits(), start=1):
                try:
                    self._check_limit(limit)
                except ValueError:
                    if step == 1:
                        raise
                    break
                yield from self._round(step, limit)
                is_stopped = self._stopping.is_set()
                yield self._findings(step, whole=not is_stopped)
                if is_stopped or self._done.issuperset(self._game.legal_moves):
                    break
        finally:
            timer.cancel()
            self._stopping.set()
            self._player.close()

    def stop(self) -> None:
        """End it soon, if the player can be stopped in a search, else after the one under way."""
        self._stopping.set()
        self._player.stop()

    def texts(self, line: Candidate) -> list[str]:
        """The moves of a line as PDN writes them, as far as they are legal."""
        return line_texts(self._game.variant, self._game.position, line.pv)

    def outlook(self) -> list[Outlook]:
        """What the legal moves come to by tables and search, best first; empty if nothing is certain of any."""
        searched = {line.move: line.plies_to_win for line in list(self._lines.values()) if line.plies_to_win}
        certain = self._certain | searched
        moves = self._game.legal_moves if certain else ()
        outlooks = (Outlook(move, self._game.text(move), certain.get(move)) for move in moves)
        return sorted(outlooks, key=lambda outlook: outlook.value, reverse=True)

    def known(self, line: Candidate) -> Known | None:
        """What a line's move comes to for certain; None where that is not known."""
        return Outlook(line.move, "", line.plies_to_win or self._certain.get(line.move)).known

    def score(self, line: Candidate) -> str:
        """A line's score as people read it: `wins in 7`, `draw`, in men, or in the player's unit."""
        return "draw" if self.known(line) == "draw" else score_text(line.score, line.plies_to_win, self.man_value)

    def _limits(self) -> Iterator[Limit]:
        """The limit of each search in turn, apart from seconds."""
        most = self._limit.nodes if "nodes" in self._heeds else None
        if "depth" in self._heeds:
            last = self._limit.depth or sys.maxsize
            below = min(self._count, 2) - 1
            yield from (Limit(depth=depth, nodes=most) for depth in range(1, last - below + 1))
        elif "nodes" in self._heeds:
            nodes = _FIRST_NODES
            while most is None or nodes < most:
                yield Limit(nodes=nodes)
                nodes *= 2
            yield Limit(nodes=most)
        else:
            yield Limit()

    def _round(self, step: int, limit: Limit) -> Iterator[Findings]:
        if self._count == 1:
            choice = self._search(self._game, limit)
            if self._counts(choice, next(iter(self._lines.values()), None), limit):
                score = None if choice.score is None else choice.score + 0.0
                pv = tuple(choice.pv) or (choice.move,)
                line = Candidate(choice.move, score, choice.plies_to_win, choice.depth, choice.nodes, pv)
                self._lines = {line.move: line}
                if _is_done(choice, limit):
                    self._done.update(self._game.legal_moves)
            return
        values = {move: line.value for move, line in self._lines.items()}
        for move in sorted(self._game.legal_moves, key=lambda move: values.get(move, -math.inf), reverse=True):
            if self._stopping.is_set():
                return
            if move not in self._done and self._follows(move, limit):
                yield self._findings(step, whole=False)

    def _follows(self, move: int, limit: Limit) -> bool:
        """Search the position after a move; whether that says more than what was known."""
        after = self._game.copy()
        after.push(move)
        if after.outcome is not None:
            decided = self._certain[move]
            self._lines[move] = Candidate(move, None if decided else 0.0, decided, 0, 0, (move,))
            self._done.add(move)
            return True
        choice = self._search(after, limit)
        if choice.score is None and not self._stopping.is_set():
            raise AnswerError("gives no scores, so that moves cannot be compared: ask for one line")
        if choice.score is None or not self._counts(choice, self._lines.get(move), limit):
            return False
        pv = (move, *choice.pv) if choice.pv else (move, choice.move)
        plies_to_win = _before(choice.plies_to_win)
        self._lines[move] = Candidate(move, 0.0 - choice.score, plies_to_win, choice.depth + 1, choice.nodes, pv)
        if _is_done(choice, limit):
            self._done.add(move)
        return True

    def _search(self, game: Game, limit: Limit) -> Choice:
        if self._begins:
            self._player.begin()
        if self._limit.seconds is not None and not self._can_stop:
            left = self._limit.seconds - (time.perf_counter() - self._began)
            limit = limit._replace(seconds=max(left, _LEAST_SECONDS))
        choice = self._player.choose(game, limit, self._rng, self._stopping).choice
        self._nodes += choice.nodes
        if limit.seconds is not None and limit.seconds <= _LEAST_SECONDS:
            self._stopping.set()
        return choice

    def _counts(self, choice: Choice, before: Candidate | None, limit: Limit) -> bool:
        """Whether an answer says more than the one before: not always, if the search was stopped."""
        if before is None or not self._stopping.is_set():
            return True
        return choice.depth >= limit.depth if limit.depth is not None else choice.nodes >= before.nodes

    def _findings(self, step: int, whole: bool) -> Findings:
        lines = sorted(self._lines.values(), key=lambda line: line.value, reverse=True)[: self._count]
        return Findings(tuple(lines), step, whole, self._nodes, time.perf_counter() - self._began)


def _endings(game: Game, tables: EndgameTables | None) -> dict[int, int]:
    """Plies to the win of each move that ends the game or leads into the tables, as in Outlook."""
    plies = {}
    for move in game.legal_moves:
        after = game.copy()
        after.push(move)
        if (outcome := after.outcome) is not None:
            plies[move] = 0 if outcome.winner is None else 1 if outcome.winner == game.turn else -1
        elif tables is not None and (value := tables.value(after.position)) is not None:
            plies[move] = _before(value.result * value.plies)
    return plies


def _before(theirs: int) -> int:
    """Plies to a certain win, as in Outlook, for the side that moved, from what the side to move has after it."""
    return -theirs + (-1 if theirs > 0 else 1) if theirs else 0


def _certain_value(plies_to_win: int) -> float:
    return (WIN if plies_to_win > 0 else -WIN) - plies_to_win if plies_to_win else 0.0


def _is_done(choice: Choice, limit: Limit) -> bool:
    """Whether a longer search would say no more: it is certain, or the player ended before its limit."""
    if choice.plies_to_win:
        return True
    if limit.depth is not None:
        return choice.depth < limit.depth
    return limit.nodes is not None and choice.nodes < limit.nodes
