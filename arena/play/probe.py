"""Positions that players search alone: those of a probe, all to one depth, and those of a suite, to be solved.

A search is made by a player built for it alone, so that nothing is left over from another position.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import counted, cut
from arena.experiment.openings.sources import is_even, random_line
from arena.hosting.handle import Answer, failure_of
from arena.hosting.player_process import begin_game
from arena.ledger.packing import NO_SEARCH, search_values
from arena.ledger.record import ProbeRecord, SuiteAnswer
from arena.play.match import REASON_CHARACTERS
from arena.play.suite import Puzzle, Suite, puzzle_texts
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.player import Allowance, Limit, PlayerSpec

PLIES = (6, 40)
"""Random plies to the first and to the last position where a configuration does not say how many: from the
opening to positions of 9 or 10 pieces on the small boards."""
ONE_PLY = PlayerSpec("one ply (greedy)", "greedy")
"""The baseline of suites that looks one ply ahead."""
_USUAL = Allowance()
_TRIES = 1000
"""Random lines tried for each position before giving up."""


class ProbeTask(NamedTuple):
    """All that a worker needs to make one search: plain data."""

    player: PlayerSpec
    number: int
    """Of the position, from 1."""
    variant: Variant
    position: Position
    depth: int
    seed: int
    allowance: Allowance = Allowance()


def positions(variant: Variant, count: int, plies: int | None, seed: int) -> list[Position]:
    """`count` distinct positions after `plies` random plies, spread evenly over PLIES for None.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.sources.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ArenaError if fewer are found.
    """
    rng = random.Random(f"probe {seed}")
    first, last = PLIES if plies is None else (plies, plies)
    drawn: dict[Position, None] = {}
    for number in range(count):
        length = first + round(number * (last - first) / max(count - 1, 1))
        lines = (random_line(variant, length, rng) for _ in range(_TRIES))
        position = next(
            (game.position for game in lines if game.position not in drawn and _worth_searching(game)), None
        )
        if position is None:
            raise ArenaError(
                f"only {number} of {count} balanced positions were found, none more after {length} random plies"
            )
        drawn[position] = None
    return list(drawn)


class Question(NamedTuple):
    """A position of a suite for one player, under each of some limits in turn: plain data."""

    player: PlayerSpec
    limits: tuple[Limit, ...]
    suite: str
    variant: Variant
    number: int
    """Of the position in its suite, from 1."""
    puzzle: Puzzle
    seed: int
    allowance: Allowance = Allowance()


def measure(task: ProbeTask) -> ProbeRecord:
    """Search one position to the task's depth with no other limit; a player's failure is its record's error."""
    text = fen(task.variant, task.position)
    spec = replace(task.player, limit=Limit(depth=task.depth))
    seed = f"{task.seed} probe {task.number}"
    try:
        answer = _answer(spec, Game(task.variant, task.position), seed, task.allowance)
        search = search_values(answer.choice, answer.seconds, answer.cpu_seconds)
    except Exception as raised:
        error = cut(str(failure_of(raised)), REASON_CHARACTERS)
        return ProbeRecord(spec.name, task.number, text, NO_SEARCH, error)
    return ProbeRecord(spec.name, task.number, text, search, "")


def questions(
    suite: Suite,
    players: Sequence[tuple[PlayerSpec, Sequence[Limit]]],
    seed: int = 0,
    allowance: Allowance = _USUAL,
) -> Iterator[Question]:
    """Each position of a suite for each player under each of its limits."""
    for number, puzzle in enumerate(suite.puzzles, start=1):
        for spec, limits in players:
            yield Question(spec, tuple(limits), suite.name, suite.variant, number, puzzle, seed, allowance)


def failed(answers: Iterable[SuiteAnswer]) -> str:
    """How many answers failed, and the first of these, in a line; empty if none did."""
    failures = [answer for answer in answers if answer.error]
    if not failures:
        return ""
    number, first = counted(len(failures), "answer"), failures[0]
    return f"{number} failed; {first.player} at position {first.position} {first.error}"


def question_name(question: Question) -> str:
    """A question as errors name it."""
    return f"{question.player.name} at position {question.number} of {question.suite}"


def in_order(answered: Iterable[list[SuiteAnswer]], players: Sequence[PlayerSpec]) -> list[SuiteAnswer]:
    """Answers by player, suite and position, whatever the order in which workers made them."""
    place = {spec.name: number for number, spec in enumerate(players)}
    by_question = sorted(answered, key=lambda made: (place[made[0].player], made[0].suite, made[0].position))
    return [answer for made in by_question for answer in made]


def answers(question: Question) -> list[SuiteAnswer]:
    """The answers to a question, one for each limit. After a failure the player is not asked again."""
    number, best = question.number, question.puzzle.best
    text, moves, stratum = puzzle_texts(question.variant, question.puzzle)
    game, seed = Game(question.variant, question.puzzle.position), f"{question.seed} {question.suite} {number}"
    made: list[SuiteAnswer] = []
    error = ""
    for limit in question.limits:
        kind, at = limit.first
        answer, move = None, ""
        spec = replace(question.player, limit=limit)
        if not error:
            try:
                answer = _answer(spec, game, seed, question.allowance)
                move = game.text(answer.choice.move)
                over = limit.overrun(answer.seconds)
                if over is not None and over > question.allowance.time_margin:
                    error = f"took {answer.seconds:.3g} s, {over:.3g} s more than it had"
            except Exception as raised:
                error = cut(str(failure_of(raised)), REASON_CHARACTERS)
        counts = len(game.legal_moves), len(best), moves
        searched = (0, 0, 0.0) if answer is None else (answer.choice.depth, answer.choice.nodes, answer.seconds)
        solved = not error and answer is not None and answer.choice.move in best
        row = (question.suite, number, text, stratum, spec.name, kind, at, *counts, move, solved, *searched, error)
        made.append(SuiteAnswer(*row))
    return made


def _answer(spec: PlayerSpec, game: Game, seed: str, allowance: Allowance) -> Answer:
    """The answer of a player begun for this position alone."""
    player = begin_game(spec, game.variant, game.start, seed, allowance)
    return player.choose(game, spec.limit, random.Random(seed))


def _worth_searching(game: Game) -> bool:
    if game.outcome is not None or len(game.legal_moves) < 2:
        return False
    return is_even(game.variant, game.position)
