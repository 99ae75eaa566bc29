"""The searches that a run makes besides its games: those of its probe, and the answers to its suites."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.ledger.ledger import Ledger
from arena.ledger.record import ProbeRecord, SuiteAnswer
from arena.play.prepare import Tournament
from arena.play.probe import ONE_PLY, ProbeTask, Question, answers, failed, measure, question_name, questions
from arena.play.suite import puzzle_texts
from arena.play.workers import Workers, carry_through
from arena.watch.observer import Observer


def measured(
    tournament: Tournament,
    ledger: Ledger,
    workers: Workers,
    observer: Observer,
    tell: Callable[[ProbeRecord], object] = lambda _: None,
) -> bool:
    """Make the searches of the probe that the ledger lacks; whether it was not stopped. `tell` is given each.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time. Raises EngineError if a search ends the process that makes it.
    """

    def store(record: ProbeRecord) -> None:
        ledger.add_probe(record)
        tell(record)

    tasks = list(probe_tasks(tournament, ledger.probed()))
    return not tasks or carry_through(
        "searches", measure, tasks, len(tasks), store, workers, observer, _search_name
    )


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


def solved(tournament: Tournament, ledger: Ledger, workers: Workers, observer: Observer) -> bool:
    """Have players answer the questions of suites that the ledger lacks; whether it was not stopped.

    Raises EngineError as `arena.play.workers.run` does.
    """
    if not (asked := unanswered(tournament, ledger)):
        return True
    failures = list[SuiteAnswer]()

    def store(made: list[SuiteAnswer]) -> None:
        for answer in made:
            ledger.add_answer(answer)
            failures.extend([answer] if answer.error else [])

    is_whole = carry_through(
        "answers to suites", answers, asked, len(asked), store, workers, observer, question_name
    )
    if line := failed(failures):
        observer.say(line)
    return is_whole


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
