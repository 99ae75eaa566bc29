"""Suites of a run: every player answers their positions when the games are over."""

from __future__ import annotations

from collections.abc import Collection

from arena.base.errors import ArenaError
from arena.base.wording import listed, quoted
from arena.experiment.model import Experiment
from arena.experiment.suite import NamedSuite, RandomSuite
from arena.ledger.ledger import ANSWERS, Ledger
from arena.ledger.record import SuiteAnswer
from arena.play.solving import ONE_PLY, Question, failed, questions, solve
from arena.play.suite import Suite, puzzle_texts, random_suite, read_suite
from arena.play.tournament import Tournament
from arena.play.workers import Workers, carry_through, is_here
from arena.watch.observer import Observer


def suites_of(experiment: Experiment) -> tuple[Suite, ...]:
    """The suites of a configuration. Raises ConfigError."""
    suites = []
    for number, entry in enumerate(experiment.suite):
        try:
            suites.append(_suite_of(experiment, entry))
        except ArenaError as error:
            key = "random" if isinstance(entry, RandomSuite) else "name"
            raise experiment.error(("suite", number, key), str(error)) from None
    return tuple(suites)


def plan_line(tournament: Tournament) -> str:
    """How many positions are searched, and of which suites; "" without any."""
    suites = tournament.suites
    if not suites:
        return ""
    asked = len(tournament.players) * sum(len(suite.puzzles) for suite in suites)
    return f"{asked:,} searches of the positions of {listed([suite.name for suite in suites])}"


def answer_suites(tournament: Tournament, ledger: Ledger, workers: Workers, observer: Observer) -> bool:
    """Have players answer the questions that the ledger lacks; whether nobody stopped it.

    Raises EngineError as `arena.play.workers.run` does.
    """
    if not (asked := unanswered(tournament, ledger)):
        return True
    failures: list[SuiteAnswer] = []

    def store(answer: SuiteAnswer) -> None:
        ledger.insert(ANSWERS, answer._asdict())
        if answer.error:
            failures.append(answer)

    what, here = "answers to suites", is_here(workers, tournament.players)
    is_whole = carry_through(what, solve, asked, len(asked), store, workers, observer, here=here)
    if line := failed(failures):
        observer.say(line)
    return is_whole


def _suite_of(experiment: Experiment, entry: NamedSuite | RandomSuite) -> Suite:
    """The suite of an entry. Raises ArenaError."""
    variant = experiment.rule_set
    if isinstance(entry, RandomSuite):
        return random_suite(entry, variant, experiment.seed)
    suite = read_suite(str(entry.path(experiment.path.parent)), variant)
    if suite.variant.rules != variant.rules:
        message = f"the suite {quoted(suite.name)} is of {suite.variant.name}, the run of {variant.name}"
        raise ArenaError(message)
    return suite.spread(entry.count)


def unanswered(tournament: Tournament, ledger: Ledger) -> list[Question]:
    """The questions that the ledger lacks answers to, for all players and, where there are solutions, ONE_PLY.

    Withdrawn players are not asked. Answers to positions that a suite no longer has, and those of players as they
    were before they changed, are removed from the ledger.
    """
    experiment, hashes = tournament.experiment, tournament.info.players
    for player in hashes.items():
        ledger.delete(ANSWERS, "player = ? AND hash != ?", player)
    if not tournament.suites:
        return []
    out = tournament.played(ledger.results()).withdrawn
    asked_ones = [player for player in tournament.players if player.name not in out]
    baseline = [] if ONE_PLY.name in tournament.names else [ONE_PLY]
    missing: list[Question] = []
    for suite in tournament.suites:
        players = [*asked_ones, *(baseline if suite.puzzles[0].best else ())]
        texts = [(n, *puzzle_texts(tournament.variant, puzzle)) for n, puzzle in enumerate(suite.puzzles, start=1)]
        _remove_others(ledger, suite.name, texts)
        answered = {row[:3] for row in answered_in(ledger)}
        asked = questions(suite, players, experiment.seed, experiment.allowance)
        missing += (
            question._replace(hash=hashes.get(question.player.name, ""))
            for question in asked
            if (question.player.name, question.suite, question.number) not in answered
        )
    return missing


def answered_in(ledger: Ledger) -> set[tuple[str, str, int, str, str]]:
    """Player, suite, number, FEN and best moves of every answer that is stored."""
    return set(ledger.rows("SELECT player, suite, position, fen, best FROM answers"))


def _remove_others(ledger: Ledger, suite: str, positions: Collection[tuple[int, str, str]]) -> None:
    """Delete the answers to positions that a suite does not have now: number, FEN, best moves."""
    for number, *_ in {(*row[2:],) for row in answered_in(ledger) if row[1] == suite} - set(positions):
        ledger.delete(ANSWERS, "suite = ? AND position = ?", (suite, number))
