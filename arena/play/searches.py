"""Searches of single positions beside the games: the probe's, all to one depth, and those that solve suites.

Each is made by a player begun for it alone, so that nothing is left over from another position.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from arena.base.wording import counted, cut
from arena.hosting.handle import Answer, failure_of
from arena.hosting.player_process import begin_game
from arena.ledger.ledger import Ledger
from arena.ledger.packing import NO_SEARCH, search_values
from arena.ledger.record import ProbeRecord, SuiteAnswer
from arena.play.match import REASON_CHARACTERS
from arena.play.prepare import Tournament
from arena.play.suite import Puzzle, Suite, puzzle_texts
from arena.play.workers import Workers, carry_through
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.watch.observer import Observer
from players.player import Allowance, Limit, PlayerSpec

ONE_PLY = PlayerSpec("one ply (greedy)", "greedy")
"""The baseline of suites that looks one ply ahead."""
_USUAL = Allowance()


class ProbeTask(NamedTuple):
    """All that a worker needs to make one search of a probe: plain data."""

    player: PlayerSpec
    """Its limit is the depth of the probe alone."""
    number: int
    """Of the position, from 1."""
    variant: Variant
    position: Position
    seed: int
    allowance: Allowance = Allowance()

    def __str__(self) -> str:
        return f"the search of position {self.number} by {self.player.name}"


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

    def __str__(self) -> str:
        return f"{self.player.name} at position {self.number} of {self.suite}"


def measure(task: ProbeTask) -> ProbeRecord:
    """Make a search of a probe; a player's failure is the record's error."""
    spec, text = task.player, fen(task.variant, task.position)
    game, seed = Game(task.variant, task.position), f"{task.seed} probe {task.number}"
    try:
        answer = _answer(spec, game, seed, task.allowance)
        search = search_values(answer.choice, answer.seconds, answer.cpu_seconds)
    except Exception as error:
        reason = cut(str(failure_of(error)), REASON_CHARACTERS)
        return ProbeRecord(spec.name, task.number, text, NO_SEARCH, reason)
    return ProbeRecord(spec.name, task.number, text, search, "")


def solve(question: Question) -> SuiteAnswer:
    """Have a player answer a question; its failure, or being late, is the answer's error."""
    spec, number, best = question.player, question.number, question.puzzle.best
    game, seed = Game(question.variant, question.puzzle.position), f"{question.seed} {question.suite} {number}"
    move, error, depth, nodes, seconds, is_solved = "", "", 0, 0, 0.0, False
    try:
        answer = _answer(spec, game, seed, question.allowance)
        depth, nodes, seconds = answer.choice.depth, answer.choice.nodes, answer.seconds
        move, is_solved = game.text(answer.choice.move), answer.choice.move in best
        overrun = spec.limit.overrun(seconds)
        if overrun is not None and overrun > question.allowance.time_margin:
            error = f"took {seconds:.3g} s, {overrun:.3g} s more than it had"
    except Exception as failure:
        error = cut(str(failure_of(failure)), REASON_CHARACTERS)
    text, best_moves, stratum = puzzle_texts(question.variant, question.puzzle)
    counts = len(game.legal_moves), len(best), best_moves
    head = question.suite, number, text, stratum, spec.name, *spec.limit.first
    return SuiteAnswer(*head, *counts, move, is_solved and not error, depth, nodes, seconds, error)


def _answer(spec: PlayerSpec, game: Game, seed: str, allowance: Allowance) -> Answer:
    player = begin_game(spec, game.variant, game.start, seed, allowance)
    return player.choose(game, spec.limit, random.Random(seed))


def questions(
    suite: Suite, players: Sequence[PlayerSpec], seed: int = 0, allowance: Allowance = _USUAL
) -> Iterator[Question]:
    """Each position of a suite for each player; one that is asked under several limits is given several times."""
    for number, puzzle in enumerate(suite.puzzles, start=1):
        for spec in players:
            yield Question(spec, suite.name, suite.variant, number, puzzle, seed, allowance)


def in_order(answers: Iterable[SuiteAnswer], players: Sequence[PlayerSpec]) -> list[SuiteAnswer]:
    """Answers by player, suite, position and limit, whatever the order in which workers gave them."""
    names = list(dict.fromkeys(spec.name for spec in players))
    return sorted(answers, key=lambda row: (names.index(row.player), row.suite, row.position, row.at or 0))


def failed(answers: Iterable[SuiteAnswer]) -> str:
    """How many answers failed, and the first of these, in a line; empty if none did."""
    failures = [answer for answer in answers if answer.error]
    if not failures:
        return ""
    first = failures[0]
    return f"{counted(len(failures), 'answer')} failed; {first.player} at position {first.position} {first.error}"


def measured(tournament: Tournament, ledger: Ledger, workers: Workers, observer: Observer) -> bool:
    """Make the searches of the probe that the ledger lacks; whether it was not stopped.

    The observer hears the first failure of each player. Raises EngineError if a search ends the process that makes
    it.
    """
    told: set[str] = set()

    def store(record: ProbeRecord) -> None:
        ledger.add_probe(record)
        if record.error and record.player not in told:
            told.add(record.player)
            observer.say(f"{record.player} cannot be measured at position {record.position}: {record.error}")

    tasks = list(probe_tasks(tournament, ledger.probed()))
    return not tasks or carry_through("searches", measure, tasks, len(tasks), store, workers, observer)


def probe_tasks(tournament: Tournament, finished: set[tuple[str, int]]) -> Iterator[ProbeTask]:
    """The searches still to make; `finished` has players and numbers of positions.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time.
    """
    experiment, players = tournament.experiment, tournament.players
    if (probe := experiment.probe) is None:
        return
    for number, position in enumerate(tournament.probes, start=1):
        first = number % len(players)
        for spec in players[first:] + players[:first]:
            if (spec.name, number) not in finished:
                searching = replace(spec, limit=Limit(depth=probe.depth))
                yield ProbeTask(
                    searching, number, tournament.variant, position, experiment.seed, experiment.allowance
                )


def solved(tournament: Tournament, ledger: Ledger, workers: Workers, observer: Observer) -> bool:
    """Have players answer the questions of suites that the ledger lacks; whether it was not stopped.

    Raises EngineError as `arena.play.workers.run` does.
    """
    if not (asked := unanswered(tournament, ledger)):
        return True
    failures: list[SuiteAnswer] = []

    def store(answer: SuiteAnswer) -> None:
        ledger.add_answer(answer)
        if answer.error:
            failures.append(answer)

    what = "answers to suites"
    is_whole = carry_through(what, solve, asked, len(asked), store, workers, observer)
    if line := failed(failures):
        observer.say(line)
    return is_whole


def unanswered(tournament: Tournament, ledger: Ledger) -> list[Question]:
    """The questions of suites that the ledger lacks answers to, for all players and ONE_PLY.

    Players that are disqualified are not asked. Answers to positions that a suite no longer has are removed from
    the ledger.
    """
    experiment = tournament.experiment
    players = [*tournament.players, *([] if ONE_PLY.name in tournament.names else [ONE_PLY])]
    missing: list[Question] = []
    for suite in tournament.suites:
        texts = [(n, *puzzle_texts(tournament.variant, puzzle)) for n, puzzle in enumerate(suite.puzzles, start=1)]
        ledger.remove_other_answers(suite.name, texts)
        answered = {row[:3] for row in ledger.answered()}
        missing += (
            question
            for question in questions(suite, players, experiment.seed, experiment.allowance)
            if (question.player.name, question.suite, question.number) not in answered
            and question.player.name not in ledger.disqualified
        )
    return missing
