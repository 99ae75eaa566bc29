"""Suites of a run: every player answers their positions when the games are over."""

from __future__ import annotations

from collections.abc import Collection

from arena.base.errors import ArenaError
from arena.base.wording import listed, quoted
from arena.experiment.model import Experiment
from arena.experiment.suite import NamedSuite, RandomSuite
from arena.ledger.ledger import ANSWERS, Ledger
from arena.ledger.record import SuiteAnswer
from arena.play.options.option import Option, Running
from arena.play.ready import Tournament
from arena.play.solving import ONE_PLY, Question, failed, questions, solve
from arena.play.suite import Suite, puzzle_texts, random_suite, read_suite
from arena.play.workers import carry_through, is_here


class Suites(Option):
    """The suites of a run."""

    key = "suite"

    @staticmethod
    def prepare(experiment: Experiment) -> tuple[Suite, ...]:
        """The suites of the configuration."""
        suites = []
        for number, entry in enumerate(experiment.suite):
            try:
                suites.append(_suite_of(experiment, entry))
            except ArenaError as error:
                key = "random" if isinstance(entry, RandomSuite) else "name"
                raise experiment.error(("suite", number, key), str(error)) from None
        return tuple(suites)

    @staticmethod
    def plan(tournament: Tournament) -> str:
        """How many positions are searched, and of which suites."""
        suites = tournament.prepared[Suites.key]
        if not suites:
            return ""
        asked = len(tournament.players) * sum(len(suite.puzzles) for suite in suites)
        return f"{asked:,} searches of the positions of {listed([suite.name for suite in suites])}"

    def is_missing(self) -> bool:
        """Whether answers are missing, of a suite that was given or changed after the games perhaps."""
        return bool(unanswered(self.run))

    def after(self) -> bool:
        """Have players answer the questions that the ledger lacks; whether nobody stopped it.

        Raises EngineError as `arena.play.workers.run` does.
        """
        tournament, ledger, workers, observer = self.run
        if not (asked := unanswered(self.run)):
            return True
        failures: list[SuiteAnswer] = []

        def store(answer: SuiteAnswer) -> None:
            ledger.insert(ANSWERS, answer._asdict())
            if answer.error:
                failures.append(answer)

        what = "answers to suites"
        here = is_here(workers, tournament.players)
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


def unanswered(run: Running) -> list[Question]:
    """The questions that the ledger lacks answers to, for all players and, where there are solutions, ONE_PLY.

    Players that are disqualified are not asked. Answers to positions that a suite no longer has are removed from
    the ledger.
    """
    tournament, ledger, *_ = run
    experiment = tournament.experiment
    baseline = [] if ONE_PLY.name in tournament.names else [ONE_PLY]
    missing: list[Question] = []
    for suite in tournament.prepared[Suites.key]:
        players = [*tournament.players, *(baseline if suite.puzzles[0].best else ())]
        texts = [(n, *puzzle_texts(tournament.variant, puzzle)) for n, puzzle in enumerate(suite.puzzles, start=1)]
        _remove_others(ledger, suite.name, texts)
        answered = {row[:3] for row in answered_in(ledger)}
        missing += (
            question
            for question in questions(suite, players, experiment.seed, experiment.allowance)
            if (question.player.name, question.suite, question.number) not in answered
            and question.player.name not in ledger.disqualified
        )
    return missing


def answered_in(ledger: Ledger) -> set[tuple[str, str, int, str, str]]:
    """Player, suite, number, FEN and best moves of every answer that is stored."""
    return set(ledger.rows("SELECT player, suite, position, fen, best FROM answers"))


def _remove_others(ledger: Ledger, suite: str, positions: Collection[tuple[int, str, str]]) -> None:
    """Delete the answers to positions that a suite does not have now: number, FEN, best moves."""
    for number, *_ in {(*row[2:],) for row in answered_in(ledger) if row[1] == suite} - set(positions):
        ledger.delete(ANSWERS, "suite = ? AND position = ?", (suite, number))
