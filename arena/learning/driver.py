"""Shared by tunings and trainings: stages of games, and the match in the end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from arena.base.errors import ArenaError
from arena.experiment.model import Experiment, entry_of
from arena.experiment.openings import MAX_OPENINGS
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.learning.games import Failed, Job, Terms, play_job
from arena.learning.store import GameStore, Played
from arena.learning.terms import GameTerms
from arena.play.workers import Workers, run
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.loading import PlayerError, is_class
from players.player import Allowance, PlayerSpec
from players.table import build_player


class LearningError(ArenaError):
    """A tuning or a training that cannot continue; one line that says why."""


class StageProgress(NamedTuple):
    """How far a stage is."""

    stage: str
    games: int
    """Games that are stored."""
    planned: int


StageRun: TypeAlias = Generator[StageProgress, None, bool]
"""Plays a stage's games that are missing; whether none is missing any more."""


class Play(Protocol):
    """Plays the games of a stage that are missing, each as `work` does."""

    def __call__(
        self, stage: str, jobs: list[Job], work: Callable[[Job], Played | Failed] = play_job
    ) -> StageRun: ...


class Rehearsal(NamedTuple):
    """Checks before the first game whether a tuning or a training can be done, and how long its games take."""

    experiment: Experiment
    """A match of its players as a tournament."""
    games: int
    """Games that the whole tuning or training has."""
    parts: str
    """What these are."""


def check_player(spec: PlayerSpec, variant: Variant) -> None:
    """Build a player once, which also compiles what it needs; one of a user's own class as in games.

    Raises PlayerError.
    """
    if not is_class(spec.type):
        build_player(spec, variant)
        return
    try:
        begin_game(spec, variant, variant.start, "0", Allowance())
    except PlayerFailure as error:
        raise PlayerError(f"{spec.type} {error}", "type") from None
    finally:
        close_players()


def match_experiment(config: GameTerms, specs: Sequence[PlayerSpec], pairs: int) -> Experiment:
    """Pairs of games of two players on the terms of a tuning or a training, as a tournament of the same file."""
    openings = {"random_plies": config.openings.random_plies, "count": min(pairs, MAX_OPENINGS)}
    terms = {key: getattr(config, key) for key in ("name", "variant", "seed", "max_plies")}
    return config.beside(Experiment, {**terms, "openings": openings, "players": [entry_of(it) for it in specs]})


def match_jobs(terms: Terms, openings: Sequence[Position], first: PlayerSpec, other: PlayerSpec) -> list[Job]:
    """Pairs of games of a player against another, from some openings; the stage has the other one's name."""
    jobs = []
    for pair, opening in enumerate(openings, start=1):
        for game, white, black in ((2 * pair - 1, first, other), (2 * pair, other, first)):
            jobs.append(terms.job(other.name, game, white, black, pair)._replace(opening=opening))
    return jobs


def play_stage(
    store: GameStore,
    workers: Workers,
    stopping: Callable[[], bool],
    stage: str,
    jobs: list[Job],
    work: Callable[[Job], Played | Failed] = play_job,
) -> StageRun:
    """Play the games of a stage that the store lacks, and store each; see StageRun.

    Raises LearningError for a game that cannot be played and EngineError for one that ends its process.
    """
    finished = store.finished(stage)
    missing = [job for job in jobs if job.game not in finished]
    for spec in (missing[0].white, missing[0].black) if missing else ():
        if not is_class(spec.type):
            build_player(spec, missing[0].variant)  # compiled here once, not by every worker at once
    done = len(finished)
    for played in run(work, missing, workers, stopping, _job_name):
        if isinstance(played, Failed):
            raise LearningError(played.reason)
        store.add(played)
        done += 1
        yield StageProgress(stage, done, len(jobs))
    return done == len(jobs)


def _job_name(job: Job) -> str:
    return f"{job.stage}, game {job.game}"
