"""Run a tournament: the schedule less what the ledger has, through the executor, into the ledger."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType

from arena.base.files import replace
from arena.base.wording import listed
from arena.base.writing import write_text
from arena.experiment.formats.base import Pairing
from arena.experiment.yaml.values import yaml_text
from arena.ledger.columns import add_named
from arena.ledger.ledger import Ledger
from arena.ledger.manifest import Diagnosis, manifest_of, save, session, stored_manifest, versions
from arena.ledger.record import GameRecord, ProbeRecord, ProbeTask, SuiteAnswer, Task
from arena.ledger.repair import SPENT
from arena.play.course import Course
from arena.play.logs import write_logs
from arena.play.match import play as play_game
from arena.play.plan import Plan
from arena.play.probe import ONE_PLY, Question, answers, question_name
from arena.play.probe import measure as measure_search
from arena.play.suite import puzzle_texts
from arena.play.workers import Workers, pin, run
from arena.rules.game import Termination
from arena.rules.notation import fen
from arena.rules.result import NO_RESULT

INCIDENTS = "incidents"
"""The folder of the bundles, in the run's."""
_BUNDLES = 20
"""Bundles of one player, at most: its first failures."""
_FENS = 1000
"""Openings whose FEN is kept, of those that games were last played from."""


def begin(
    plan: Plan,
    ledger: Ledger,
    workers: Workers,
    *,
    force: bool = False,
    found: Iterable[Diagnosis] = (),
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Record in the run's manifest that it begins, or resumes, with `workers` workers.

    When it begins, what was `found` of players, and who was `left_out`, is recorded, too. Raises VersionsChanged
    if it began with other versions of packages, unless `force` is true, and StoreError if the manifest cannot be
    read or written.
    """
    manifest, now = stored_manifest(ledger), session(sum(ledger.scores().values()), workers)
    if manifest is None:
        new = manifest_of(plan.experiment, plan.facts.files, plan.men, now)
        save(ledger, new._replace(found=tuple(found), left_out=left_out))
        return
    here = versions()
    others = [
        f"{name} {then} then, {here[name]} now" for name, then in manifest.versions.items() if here[name] != then
    ]
    if others and not force:
        raise VersionsChanged(
            f"{ledger.path.parent}: the run began with other versions ({'; '.join(others)}), so players may play "
            "differently; --force resumes it all the same; or give this run another name or --out, or delete "
            "that folder"
        )
    forced = "; ".join(others) or manifest.forced
    save(ledger, manifest._replace(file=str(plan.experiment.path.resolve()), session=now, forced=forced))


def conduct(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[ProbeRecord | GameRecord]:
    """Make the searches of the probe that the ledger lacks, then play the games: see `measure` and `play`."""
    yield from measure(plan, ledger, workers, stopping)
    if len(ledger.probed()) == plan.searches:
        yield from play(plan, ledger, workers, stopping)


def measure(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[ProbeRecord]:
    """Make the searches of the probe that the ledger lacks, storing each before it is yielded.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time. Raises WorkerDied if a search ends the process that makes it.
    """
    for record in run(measure_search, probe_tasks(plan, ledger.probed()), workers, stopping, _search_name):
        ledger.add_probe(record)
        yield record


def probe_tasks(plan: Plan, finished: set[tuple[str, int]]) -> Iterator[ProbeTask]:
    """The searches still to make, as workers receive them; `finished` has players and numbers of positions."""
    settings = plan.experiment.probe
    if settings is None:
        return
    for number, position in enumerate(plan.probes, start=1):
        first = number % len(plan.players)
        for spec in plan.players[first:] + plan.players[:first]:
            if (spec.name, number) not in finished:
                yield ProbeTask(
                    spec,
                    number,
                    plan.variant,
                    position,
                    settings.depth,
                    plan.experiment.seed,
                    plan.experiment.allowance,
                )


def solve(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[SuiteAnswer]:
    """Have players answer the questions of suites that the ledger lacks, storing each answer before it is yielded.

    Raises WorkerDied and EngineError as `arena.play.workers.run` does.
    """
    for made in run(answers, unanswered(plan, ledger), workers, stopping, question_name):
        for answer in made:
            ledger.add_answer(answer)
            yield answer


def unanswered(plan: Plan, ledger: Ledger) -> list[Question]:
    """The questions of suites that the ledger lacks answers to; players that are withdrawn are not asked.

    Answers to positions that a suite no longer has are removed from the ledger.
    """
    for suite in plan.suites:
        positions = [(n, *puzzle_texts(plan.variant, puzzle)) for n, puzzle in enumerate(suite.puzzles, start=1)]
        ledger.remove_other_answers(suite.name, positions)
    done = {row[:3] for row in ledger.answered()}
    return [
        it
        for it in questions(plan)
        if (it.player.name, it.suite, it.number) not in done and it.player.name not in ledger.annulled
    ]


def questions(plan: Plan) -> Iterator[Question]:
    """Each position of the suites for each player under its own limit, and for ONE_PLY beside them."""
    asked = [*plan.players, *([] if ONE_PLY.name in plan.names else [ONE_PLY])]
    seed, allowance = plan.experiment.seed, plan.experiment.allowance
    for suite in plan.suites:
        for number, puzzle in enumerate(suite.puzzles, start=1):
            for spec in asked:
                yield Question(spec, (spec.limit,), suite.name, suite.variant, number, puzzle, seed, allowance)


class RunStopped(Exception):
    """A player failed too often for the run to continue; the message is one line."""


class VersionsChanged(Exception):
    """A run began with other versions of Python or of packages; the message is one line."""


class RunPaused(RunStopped):
    """Nobody failed, but the run cannot continue now; the message is one line."""


def play(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    Which games they are is the `Course`: they are the same for any number of workers. Once a sequential test is
    decided no game begins, and the games behind the deciding pair are removed. A failure leaves a bundle in the
    ledger's folder.

    Raises RunStopped, when what is under way is stored, if failures are to stop the run: the games with the last
    ones are not stored. Raises RunPaused then, if a player is not reachable, whose game is not stored, or the
    budget is spent. Raises
    WorkerDied, when all other games of the batch are stored, for games that end the
    process that plays them; EngineError if the workers are lost; and any exception that `arena.play.match.play`
    raises; StoreError if another program changed games in the ledger meanwhile. Finished games are kept in any
    case.
    """
    folder = ledger.path.parent
    work, store = work_of(plan, workers), storing(plan, ledger)
    course = Course(plan, ledger.results())
    spent, budget = ledger.spent(), plan.experiment.budget or {}
    enough = lambda: bool(course.stopped) or course.decided or stopping() or bool(_used_up(spent, budget))  # noqa: E731
    while (batch := course.batch()) is not None:
        if ledger.repaired:
            course.forget(ledger.remove_others(_drawn(plan, batch)))
        for record in run(work, course.tasks(), workers, enough, _game_name):
            if numbers := [*record.uncounted, *filter(None, [record.extras])]:
                add_named(spent, numbers)
                ledger.put(SPENT, spent)
            for each in (taken := course.take(record)):
                write_bundle(folder, each, course.failures)
                write_logs(folder, each, plan.names)
                store(each)
            if record.incident is not None:
                ledger.annul(course.annulled)
            if taken:
                yield record
        if course.stopped:
            for record in course.stopped:
                write_bundle(folder, record, course.failures)
            paused = all(record.result == NO_RESULT for record in course.stopped)
            raise (RunPaused if paused else RunStopped)(f"game {record.pairing.game}: {record.error}")
        if course.missing and (used := _used_up(spent, budget)):
            raise RunPaused(f"the budget is spent: {listed(used)}; a larger one lets the run continue")
        for record in () if stopping() else course.rulings():
            store(record)
            yield record
        ledger.annul(course.annulled)
    if course.decided:
        ledger.remove_after(course.tested)
    ledger.verify()
    if course.order is not None:
        ledger.finish([(plan.names[it.player], it.figures) for it in course.order])


def storing(plan: Plan, ledger: Ledger) -> Callable[[GameRecord], None]:
    """Return a function that stores a game in a ledger, replacing a played one if it is lost unplayed."""
    names = plan.names
    opening_fen = lru_cache(_FENS)(lambda opening: fen(plan.variant, plan.openings[opening]))

    def store(record: GameRecord) -> None:
        pairing, replace = record.pairing, record.termination == Termination.WITHDRAWN
        opening = opening_fen(pairing.opening)
        ledger.add(record, names[pairing.white], names[pairing.black], opening, replace=replace)

    return store


def work_of(plan: Plan, workers: Workers) -> Callable[[Task], GameRecord]:
    """A worker's job for a game."""
    if plan.experiment.pin and not isinstance(workers, str):
        return _pinned
    return play_game


def bundle_of(folder: Path, game: int) -> Path:
    """The bundle of a failed game in a run's folder."""
    return folder / INCIDENTS / f"game-{game}.yaml"


def write_bundle(folder: Path, record: GameRecord, failures: Mapping[str, int]) -> Path | None:
    """Write what is known of a game's failure into a run's folder; None without one.

    None, too, if the player has enough bundles, by how often each player has failed, in this game, too. Raises
    OSError.
    """
    incident, game = record.incident, record.pairing.game
    if incident is None or failures[incident.player] > _BUNDLES:
        return None
    path = bundle_of(folder, game)
    path.parent.mkdir(exist_ok=True)
    document = {
        "game": game,
        **incident._asdict(),
        "moves": " ".join(incident.moves),
        "replay": shlex.join(["arena", "replay", str(folder), str(game)]),
    }
    return replace(path, partial(write_text, yaml_text(document)))


def _used_up(spent: Mapping[str, float], budget: Mapping[str, float]) -> list[str]:
    """The numbers of a budget that are used up, in words."""
    used = {name: spent.get(name, 0.0) for name in budget}
    return [f"{used[name]:,.10g} of {most:,.10g} {name}" for name, most in budget.items() if used[name] >= most]


def _drawn(plan: Plan, batch: Iterable[Pairing]) -> Iterator[tuple[int, str, str, int]]:
    return ((it.game, plan.names[it.white], plan.names[it.black], it.opening + 1) for it in batch)


def _pinned(task: Task) -> GameRecord:
    pin()
    return play_game(task)


def _game_name(task: Task) -> str:
    return f"game {task.pairing.game} ({task.white.name} against {task.black.name})"


def _search_name(task: ProbeTask) -> str:
    return f"the search of position {task.number} by {task.player.name}"
