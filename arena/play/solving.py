"""Players that are asked for moves: each is begun for one position, so that nothing is left over from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import nan
from typing import NamedTuple

from arena.base.wording import counted, cut
from arena.hosting.handle import Answer, failure_of
from arena.hosting.player_process import answer_of
from arena.ledger.record import SuiteAnswer
from arena.play.match import REASON_CHARACTERS
from arena.play.suite import Puzzle, Suite, puzzle_texts
from arena.rules.game import Game
from arena.rules.variants import Variant
from players.player import Allowance, Limit, PlayerSpec

ONE_PLY = PlayerSpec("one ply (greedy)", "greedy")
"""The baseline of suites that looks one ply ahead."""
_USUAL = Allowance()


class Question(NamedTuple):
    """A position of a suite for one player under its limit: plain data."""

    player: PlayerSpec
    suite: str
    variant: Variant
    number: int
    """Of the position in its suite, from 1."""
    puzzle: Puzzle
    seed: int
    allowance: Allowance = Allowance()
    hash: str = ""
    """Of the player's settings and files: `arena.ledger.info.player_hash`."""

    def __str__(self) -> str:
        return f"{self.player.name} at position {self.number} of {self.suite}"

    def answer(self) -> tuple[Answer | None, str]:
        """The player's answer, or why it has none."""
        game, seed = Game(self.variant, self.puzzle.position), f"{self.seed} {self.suite} {self.number}"
        try:
            return answer_of(self.player, game, seed, self.allowance), ""
        except Exception as failure:
            return None, cut(str(failure_of(failure)), REASON_CHARACTERS)


def solve(question: Question) -> SuiteAnswer:
    """Have a player answer a question; its failure, or being late, is the answer's error."""
    spec, number, best = question.player, question.number, question.puzzle.best
    game = Game(question.variant, question.puzzle.position)
    move, depth, nodes, seconds, cpu_seconds, is_solved = "", 0, 0, 0.0, nan, False
    answer, error = question.answer()
    if answer is not None:
        depth, nodes = answer.choice.depth, answer.choice.nodes
        seconds, cpu_seconds = answer.seconds, answer.cpu_seconds
        move, is_solved = game.text(answer.choice.move), answer.choice.move in best
        overrun = spec.limit.overrun(seconds)
        if overrun is not None and overrun > question.allowance.time_margin:
            error = f"took {seconds:.3g} s, {overrun:.3g} s more than it had"
    text, best_moves = puzzle_texts(question.variant, question.puzzle)
    counts = len(game.legal_moves), len(best), best_moves
    head = question.suite, number, text, spec.name
    return SuiteAnswer(
        *head, *counts, move, is_solved and not error, depth, nodes, seconds, cpu_seconds, error, question.hash
    )


def questions(
    suite: Suite, players: Sequence[PlayerSpec], seed: int = 0, allowance: Allowance = _USUAL
) -> Iterator[Question]:
    """Each position of a suite for each player."""
    if suite.depth is not None:
        players = [replace(spec, limit=Limit(depth=suite.depth)) for spec in players]
    for number, puzzle in enumerate(suite.puzzles, start=1):
        for spec in players:
            yield Question(spec, suite.name, suite.variant, number, puzzle, seed, allowance)


def failed(answers: Iterable[SuiteAnswer]) -> str:
    """How many answers failed, and the first of these, in a line; empty if none did."""
    failures = [answer for answer in answers if answer.error]
    if not failures:
        return ""
    first = failures[0]
    return f"{counted(len(failures), 'answer')} failed; {first.player} at position {first.position} {first.error}"
