"""One game between two players on their clocks, and its record.

Time limits are enforced: a move that takes longer than it may, by more than the margin, loses the game. Players
keep to limits of depth and nodes themselves, as only they can count what they do; their counts are recorded.
"""

from __future__ import annotations

import math
import os
import platform
import random
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from arena.base.number import known
from arena.base.wording import cut
from arena.experiment.model import Adjudication
from arena.experiment.schedule import number_of
from arena.hosting.handle import Answer, PlayerFailure, failure_of
from arena.hosting.player_process import PlayerHandle, begin_game
from arena.ledger.record import GameRecord, named, packed, short_id
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameTables
from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_text
from arena.rules.position import BLACK, COLOURS, WHITE
from arena.rules.variants import Variant
from players.loading import from_folder, is_logged
from players.player import ENGINE, TYPES, Allowance, Choice, Limit, PlayerSpec, Resign

REASON_CHARACTERS = 200
"""Characters of the message of a player's exception that are kept."""
KEPT_CHARACTERS = 4000
"""Characters of its traceback, and of its last output, that are kept: the last ones."""
TIME_RESERVE = 0.01
"""Seconds of its time that a search of the arena's own is not told of, as far as `time_margin` is less."""


class Task(NamedTuple):
    """Tells a worker all that it needs to play a game: plain data."""

    key: int
    variant: Variant
    opening: str
    """FEN."""
    time: int
    """For which time its players play the opening with these colours, from 0."""
    white: PlayerSpec
    black: PlayerSpec
    seed: int
    max_plies: int
    allowance: Allowance = Allowance()
    adjudication: Adjudication | None = None
    man_values: tuple[float | None, float | None] = (None, None)
    """What a man is worth in the scores of White and of Black, where that is known."""

    def __str__(self) -> str:
        return f"game {short_id(self.key)} ({self.white.name} against {self.black.name})"

    def record(self, result: str, termination: Termination, **fields: Any) -> GameRecord:
        """The record of this game, which has ended so."""
        head = self.key, self.white.name, self.black.name, self.opening, self.time
        return GameRecord(*head, result, str(termination), **fields)

    def seed_of(self, colour: int) -> str:
        """The seed of a player's random stream."""
        return f"{self.seed} {self.white.name} {self.black.name} {self.opening} {self.time} {COLOURS[colour]}"


class _Fault(Exception):
    """A player cannot be built, fails to answer, answers with no legal move, or too late."""

    def __init__(self, colour: int, failure: PlayerFailure, ply: int) -> None:
        super().__init__(str(failure))
        self.colour, self.failure, self.ply = colour, failure, ply


class _Move(NamedTuple):
    """What is recorded of a move."""

    text: str
    legal: int
    pieces: int
    answer: Answer
    clock: float | None
    overrun: float | None


def _columns(moves: Sequence[_Move]) -> dict[str, Sequence[Any]]:
    """The columns of the moves of a game; none without moves."""
    if not moves:
        return {}
    texts, legal, pieces, answers, clocks, overruns = zip(*moves, strict=True)
    choices, seconds, cpu_seconds, pondered = zip(*answers, strict=True)
    columns = dict(zip(Choice._fields, zip(*choices, strict=True), strict=True))
    columns |= {"seconds": seconds, "cpu_seconds": cpu_seconds, "pondered_seconds": pondered}
    return columns | {"move": texts, "legal_moves": legal, "pieces": pieces, "clock": clocks, "overrun": overruns}


class Adjudicator:
    """Watches one game, and ends it."""

    def __init__(
        self,
        rules: Adjudication,
        man_values: tuple[float | None, float | None],
        tables: EndgameTables | None = None,
        *,
        max_plies: int,
    ) -> None:
        """`man_values` is the worth of a man in the scores of White and of Black, None where that is not known."""
        self._rules, self._man_values, self._tables = rules, man_values, tables
        self._max_plies = max_plies
        longest = max((rule.plies for rule in (rules.win, rules.draw) if rule is not None), default=0)
        self._scores: deque[tuple[int, float | None]] = deque(maxlen=longest)
        """Who moved, and White's lead in men, infinite for certain wins; None if the player gave no score."""

    def note(self, game: Game, choice: Choice) -> None:
        """Note the score of a move that is about to be made; a forced move counts only if it has a score."""
        mover, man_value = game.turn, self._man_values[game.turn]
        men: float | None = None
        if choice.plies_to_win:
            men = math.copysign(math.inf, choice.plies_to_win)
        elif choice.score is not None and man_value is not None:
            men = choice.score / man_value
        if men is not None:
            self._scores.append((mover, men if mover == WHITE else -men))
        elif len(game.legal_moves) > 1:
            self._scores.append((mover, None))

    def outcome(self, game: Game) -> Outcome | None:
        """How the game ends after the last move noted, which was made; None if it goes on."""
        if (outcome := self._of_tables(game)) is not None:
            return outcome
        win, draw = self._rules.win, self._rules.draw
        if win is not None:
            for winner, sign in ((WHITE, 1), (BLACK, -1)):
                leads = self._leads(win.plies, {WHITE, BLACK} if win.agreed else {1 - winner})
                if leads and min(sign * lead for lead in leads) >= win.men:
                    return Outcome(winner, Termination.ADJUDICATED_WIN)
        if draw is not None and len(game.moves) >= draw.after:
            leads = self._leads(draw.plies, {WHITE, BLACK})
            if leads and max(map(abs, leads)) <= draw.men:
                return Outcome(None, Termination.ADJUDICATED_DRAW)
        return None

    def _of_tables(self, game: Game) -> Outcome | None:
        """How the game ends by the tables; None if they lack it, or a limit of moves may end it before a win."""
        if self._tables is None or (value := self._tables.value(game.position)) is None:
            return None
        if value.result == 0:
            return Outcome(None, Termination.ADJUDICATED_TABLES)
        if value.plies > min(game.plies_left, self._max_plies - len(game.moves)):
            return None
        winner = game.turn if value.result > 0 else 1 - game.turn
        return Outcome(winner, Termination.ADJUDICATED_TABLES)

    def _leads(self, plies: int, movers: set[int]) -> list[float]:
        """White's leads by the scores of these movers in the last plies; none if one of them lacks a score."""
        recent = list(self._scores)[-plies:]
        leads = [lead for mover, lead in recent if mover in movers]
        known = [lead for lead in leads if lead is not None]
        is_whole = len(recent) == plies and movers <= {mover for mover, _ in recent}
        return known if is_whole and len(known) == len(leads) else []


def play(task: Task) -> GameRecord:
    """Play a game to its end: a player that raises, answers with no legal move or is late loses.

    Time is wall time, judged when the answer is there; building the players is not on their clocks. The move that
    came too late is recorded, as the game's last. A player in its own process that does not answer is not waited
    for beyond its time. Only what building a player and its answers raise is blamed on it: any other exception is
    a mistake of the arena, and is raised, as is the Pause that a player asks for.
    """
    when, began = time.time(), time.perf_counter()
    game = Game(task.variant, task.opening)
    moves, judge, players = list[_Move](), None, list[PlayerHandle]()
    if (rules := task.adjudication) is not None:
        tables = opened(task.variant, rules.tables) if rules.tables else None
        judge = Adjudicator(rules, task.man_values, tables, max_plies=task.max_plies)
    error = traceback = output = ""
    try:
        outcome = _play(task, game, moves, judge, players)
    except _Fault as fault:
        name, failure = (task.white, task.black)[fault.colour].name, fault.failure
        outcome = Outcome(1 - fault.colour, failure.termination)
        reason = cut(from_folder(str(failure), task.allowance.folder), REASON_CHARACTERS)
        error = f"{name} {reason} at ply {fault.ply}"
        traceback, output = (text[-KEPT_CHARACTERS:] for text in (failure.traceback, failure.output))
    plies, packed_moves = packed(_columns(moves))
    answers = [move.answer for move in moves]
    white_points, black_points = outcome.points or (None, None)
    both = zip((task.white, task.black), players, strict=False)
    white_log, black_log, *_ = *(player.printed() if is_logged(spec) else "" for spec, player in both), "", ""
    return task.record(
        outcome.result,
        outcome.termination,
        white_points=white_points,
        black_points=black_points,
        plies=plies,
        seconds=time.perf_counter() - began,
        cpu_seconds=math.fsum(answer.cpu_seconds for answer in answers if known(answer.cpu_seconds)),
        began=when,
        worker=os.getpid(),
        machine=platform.node(),
        error=error,
        traceback=traceback,
        output=output,
        line=number_of(task.opening, *(move.text for move in moves)),
        extras=named([answer.choice.extra for answer in answers]),
        moves=packed_moves,
        logs=(white_log, black_log),
    )


def adjudicate(game: Game, max_plies: int) -> Outcome | None:
    """How the game ended, by its rules or by the arena's limit of plies; None while it is played."""
    outcome = game.outcome
    if outcome is None and len(game.moves) >= max_plies:
        return Outcome(None, Termination.MAX_PLIES)
    return outcome


def _play(
    task: Task, game: Game, moves: list[_Move], judge: Adjudicator | None, players: list[PlayerHandle]
) -> Outcome:
    """Play the game, record its moves, and return how it ended; `players` receives those begun. Raises Fault."""
    specs = (task.white, task.black)
    for colour, spec in enumerate(specs):
        copy = colour if task.white == task.black else 0
        try:
            seed = task.seed_of(colour)
            players.append(begin_game(spec, task.variant, game.start, seed, task.allowance, copy))
        except Exception as error:
            raise _Fault(colour, failure_of(error), ply=1) from error
    rngs = [random.Random(task.seed_of(colour)) for colour in (WHITE, BLACK)]
    limits = [spec.limit for spec in specs]
    outcome = game.outcome
    while outcome is None:
        turn = game.position.turn
        limit = limits[turn]
        try:
            answer = players[turn].choose(game, limit_for(specs[turn], limit, task.allowance), rngs[turn])
        except Resign:
            return Outcome(1 - turn, Termination.RESIGNED)
        except Exception as error:
            raise _Fault(turn, failure_of(error), len(game.moves) + 1) from error
        limits[turn] = limit.after(answer.seconds, specs[turn].limit)
        overrun = limit.overrun(answer.seconds)
        move, position, legal = answer.choice.move, game.position, game.legal_moves
        text, pieces = (
            move_text(game.variant, position, move, legal),
            (position.white | position.black).bit_count(),
        )
        moves.append(_Move(text, len(legal), pieces, answer, limits[turn].clock, overrun))
        if judge is not None:
            judge.note(game, answer.choice)
        game.push(move)
        if late := lateness(answer.seconds, overrun, task.allowance):
            raise _Fault(turn, PlayerFailure(Termination.TIME, f"{late},"), len(game.moves))
        outcome = adjudicate(game, task.max_plies)
        if outcome is None and judge is not None:
            outcome = judge.outcome(game)
    return outcome


def lateness(seconds: float, overrun: float | None, allowance: Allowance) -> str:
    """That a move of `seconds`, which overran its limit by `overrun`, came too late; "" if it did not."""
    is_late = overrun is not None and overrun > allowance.time_margin
    return f"took {seconds:.3g} s, {overrun:.3g} s more than it had" if is_late else ""


def limit_for(spec: PlayerSpec, limit: Limit, allowance: Allowance) -> Limit:
    """The limit of a move as a player hears it: a built-in search is told TIME_RESERVE less without a margin."""
    reserve = TIME_RESERVE - allowance.time_margin
    if reserve <= 0 or spec.type not in TYPES or spec.type == ENGINE:
        return limit
    seconds, clock = (
        None if time is None else max(time - reserve, time / 2) for time in (limit.seconds, limit.clock)
    )
    return limit._replace(seconds=seconds, clock=clock)
