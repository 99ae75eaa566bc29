"""The searches that a run makes besides its games: those of its probe, and the answers to its suites."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.ledger.ledger import Ledger
from arena.ledger.record import ProbeRecord, SuiteAnswer
from arena.play.prepare import Tournament
from arena.play.probe import ONE_PLY, ProbeTask, Question, answers, question_name, questions
from arena.play.probe import measure as measure_search
from arena.play.suite import puzzle_texts
from arena.play.workers import Workers, run


def measure(
    tournament: Tournament, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[ProbeRecord]:
    """Make the searches of the probe that the ledger lacks, storing each before it is yielded.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time. Raises EngineError if a search ends the process that makes it.
    """
    for record in run(measure_search, probe_tasks(tournament, ledger.probed()), workers, stopping, _search_name):
        ledger.add_probe(record)
        yield record


def probe_tasks(tournament: Tournament, finished: set[tuple[str, int]]) -> Iterator[ProbeTask]:
    """The searches still to make, as workers receive them; `finished` has players and numbers of positions."""
    experiment, players = tournament.experiment, tournament.players
    if (settings := experiment.probe) is None:
        return
    for number, position in enumerate(tournament.probes, start=1):
        first = number % len(players)
        for spec in players[first:] + players[:first]:
            if (spec.name, number) not in finished:
                terms = settings.depth, experiment.seed, experiment.allowance
                yield ProbeTask(spec, number, tournament.variant, position, *terms)


def solve(
    tournament: Tournament, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[SuiteAnswer]:
    """Have players answer the questions of suites that the ledger lacks, storing each answer before it is yielded.

    Raises EngineError as `arena.play.workers.run` does.
    """
    for made in run(answers, unanswered(tournament, ledger), workers, stopping, question_name):
        for answer in made:
            ledger.add_answer(answer)
            yield answer


def unanswered(tournament: Tournament, ledger: Ledger) -> list[Question]:
    """The questions of suites that the ledger lacks answers to; players that are disqualified are not asked.

    Answers to positions that a suite no longer has are removed from the ledger.
    """
    for suite in tournament.suites:
        texts = [(n, *puzzle_texts(tournament.variant, puzzle)) for n, puzzle in enumerate(suite.puzzles, start=1)]
        ledger.remove_other_answers(suite.name, texts)
    done = {row[:3] for row in ledger.answered()} if tournament.suites else set()
    return [
        question
        for question in questions_of(tournament)
        if (question.player.name, question.suite, question.number) not in done
        and question.player.name not in ledger.disqualified
    ]


def questions_of(tournament: Tournament) -> Iterator[Question]:
    """Each position of the suites for each player under its own limit, and for ONE_PLY beside them."""
    players = [*tournament.players, *([] if ONE_PLY.name in tournament.names else [ONE_PLY])]
    asked, experiment = [(spec, (spec.limit,)) for spec in players], tournament.experiment
    for suite in tournament.suites:
        yield from questions(suite, asked, experiment.seed, experiment.allowance)


def _search_name(task: ProbeTask) -> str:
    return f"the search of position {task.number} by {task.player.name}"
