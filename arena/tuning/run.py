"""Tune the weights of an evaluation: stages of games, a step after each, and a match that checks the result.

Everything that chance decides follows from the seed and a game's number, and a stage's games are read in order, so
that the number of workers and interruptions change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

import players
from arena.openings.sources import OpeningsError
from arena.play.executor import run
from arena.player import Limit, PlayerSpec
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.position import WHITE, Position
from arena.rules.variants import Variant
from arena.tuning.columns import MAN, Columns
from arena.tuning.config import Patterns, Spsa, Texel, Tuning
from arena.tuning.games import Failed, Job, check_openings, pair_points, pentanomial, play_job, play_scored
from arena.tuning.patterns import FitError, fit, loss, samples
from arena.tuning.regression import Floats, logistic_fit
from arena.tuning.spsa import Gains, random_design, scale_of, spsa_step
from arena.tuning.store import Played, Store
from arena.wording import unknown
from players.evaluation.linear import FEATURES
from players.evaluation.patterns import save_weights

TUNED, START, AGAINST = "tuned", "start", "against"
"""Players of the last matches, the latter two also the names of these stages."""


class TuningError(Exception):
    """A tuning that cannot go on; one line that says why."""


class Plan(NamedTuple):
    """A configuration made ready: everything that a tuning needs, checked and built once."""

    config: Tuning
    variant: Variant
    columns: Columns
    """Those of a linear evaluation; without a feature if tables are learned."""
    start: Floats
    """Theta to begin with, empty for tables."""
    first: Any
    """The evaluation to begin with."""
    check_openings: tuple[Position, ...]

    def player(self, name: str, evaluation: Any) -> PlayerSpec:
        """The configured player with another evaluation."""
        search = self.config.player
        options = {**search.options, "evaluation": evaluation}
        spec = PlayerSpec(name, "negamax", Limit(depth=search.depth, nodes=search.nodes), options)
        return players.located(spec, self.config.path.parent)

    def weighed(self, name: str, theta: Floats) -> PlayerSpec:
        """The configured player with the weights `theta`."""
        return self.player(name, {"linear": self.columns.weights(theta)})

    def tables(self, name: str, number: int, folder: Path) -> PlayerSpec:
        """The configured player with the tables of a round, which are in `folder`; 0 is the start."""
        return self.player(name, str(tables_file(folder, number).resolve()) if number else self.first)

    def tuned(self, step: Step, folder: Path) -> PlayerSpec:
        """The configured player with what a step found, as it is written out."""
        if isinstance(self.config.tuning, Patterns):
            return self.tables(TUNED, step.number, folder)
        return self.weighed(TUNED, self.columns.scaled(np.array(step.theta)))

    @property
    def steps(self) -> int:
        """How many steps, or rounds, there are."""
        settings = self.config.tuning
        return settings.steps if isinstance(settings, Spsa) else settings.rounds

    def description(self) -> dict[str, Any]:
        """What the store keeps of the tuning: the configuration, and the files of the user's own that it uses."""
        against = self.player(AGAINST, self.config.tuning.against)
        files = players.fingerprints(against) | players.fingerprints(self.player(START, self.first))
        return self.config.as_dict() | {"files": files}

    def job(
        self, stage: str, game: int, white: PlayerSpec, black: PlayerSpec, pair: int, positions: int = 0
    ) -> Job:
        """A game of a stage, whose opening the stage and the pair decide."""
        config = self.config
        rules = (config.openings, config.seed, config.max_plies)
        return Job(stage, game, pair, self.variant, white, black, *rules, positions)


class Progress(NamedTuple):
    """How far a stage is."""

    stage: str
    games: int
    """Games that are stored."""
    planned: int


class Fitting(NamedTuple):
    """The fit of a round's tables begins."""

    number: int
    """Of the round, from 1."""
    positions: int
    """Positions that it learns from or is judged by."""


class Step(NamedTuple):
    """What one step found, as it is stored."""

    number: int
    """From 1."""
    theta: list[float]
    """The weights that the next step plays with; see `arena.tuning.columns`. Empty for tables."""
    errors: list[float]
    """Their standard errors; only from Texel's fit."""
    games: int
    """Games played for it."""
    positions: int
    """Positions of the fit, from these and earlier games; 0 for SPSA."""
    loss: float | None
    """Of Texel's fit: the mean cross-entropy of the results, in nats. Of tables: the last of `losses`."""
    losses: Sequence[float] = ()
    """By the start and the tables of each round so far: the mean cross-entropy of the targets of all positions
    held out so far, in nats."""


Stage: TypeAlias = Generator[Progress, None, bool]
"""Plays a stage's games that are missing; whether none is missing any more."""


class Play(Protocol):
    """Plays the games of a stage that are missing, each as `work` does."""

    def __call__(
        self, stage: str, jobs: list[Job], work: Callable[[Job], Played | Failed] = play_job
    ) -> Stage: ...


class Result(NamedTuple):
    """What a finished tuning came to."""

    steps: list[Step]
    theta: Floats
    """The tuned weights in hundredths of a man, empty for tables."""
    against_start: Summary
    """The tuned weights against the start's."""
    against: Summary
    """The tuned weights against the evaluation `against`."""


def prepare(config: Tuning) -> Plan:
    """Build the players once, which also compiles what they need, and draw the openings of the last matches.

    Raises ConfigError, at the key to blame, for weights, players or openings that cannot be had.
    """
    variant, settings = build_variant(config.variant), config.tuning
    if isinstance(settings, Patterns):
        plan, depth = Plan(config, variant, Columns((), False, 0), np.zeros(0), settings.start, ()), 1
    else:
        plan, depth = _linear_plan(config, settings, variant), 2
    for place, evaluation, below in ((START, plan.first, depth), (AGAINST, settings.against, 1)):
        try:
            players.build_player(plan.player(place, evaluation), variant)
        except players.PlayerError as error:
            ours = error.keys[:1] == ("evaluation",)
            keys = ("tuning", place, *error.keys[below:]) if ours else ("player", *error.keys)
            raise config.error(keys, str(error)) from None
    try:
        openings = check_openings(variant, config.openings, settings.check, config.seed)
    except OpeningsError as error:
        raise config.error(("openings", "random_plies"), str(error)) from None
    plan = plan._replace(check_openings=tuple(openings))
    if isinstance(settings, Patterns):
        return plan
    start = plan.columns.theta(plan.first["linear"])
    return plan._replace(start=start, first={"linear": plan.columns.weights(start)})


def tune(
    plan: Plan, store: Store, workers: int, stopping: Callable[[], bool] = lambda: False
) -> Generator[Progress | Fitting | Step, None, None]:
    """Do what the store lacks, storing each game and step before it is told of.

    Ends early once `stopping()` is true; `result` says whether all is done. Raises TuningError for a game that
    cannot be played and WorkerDied for one that ends its process.
    """
    play = partial(_play, store, workers, stopping)
    settings, steps = plan.config.tuning, _steps(store)
    for number in range(len(steps) + 1, plan.steps + 1):
        theta = np.array(steps[-1].theta) if steps else plan.start
        if isinstance(settings, Patterns):
            found = yield from _patterns(plan, settings, play, store, number)
        elif isinstance(settings, Texel):
            found = yield from _texel(plan, settings, play, store, number, theta)
        else:
            found = yield from _spsa(plan, settings, play, store, number, theta)
        if found is None:
            return
        store.add_step(number, found._asdict())
        steps.append(found)
        yield found
    tuned = plan.tuned(steps[-1], store.folder)
    for other in (plan.player(START, plan.first), plan.player(AGAINST, settings.against)):
        if not (yield from play(other.name, _match(plan, other, tuned))):
            return


def result(plan: Plan, store: Store) -> Result | None:
    """What a tuning came to, None if it is not finished."""
    steps = _steps(store)
    pairs = len(plan.check_openings)
    matches = [store.games(stage) for stage in (START, AGAINST)]
    if not steps or any(len(games) < 2 * pairs for games in matches):
        return None
    theta = plan.columns.scaled(np.array(steps[-1].theta))
    start, against = (summary(pentanomial(pair_points(games))) for games in matches)
    return Result(steps, theta, start, against)


def tables_file(folder: Path, number: int) -> Path:
    """Where the tables of a round are kept."""
    return folder / f"round_{number}.npz"


def write_tables(path: Path, weights: Floats) -> None:
    """Write tables to a file that is there in full or not at all. Raises OSError."""
    temporary = path.with_suffix(".tmp.npz")
    save_weights(temporary, weights)
    temporary.replace(path)


def _texel(
    plan: Plan, settings: Texel, play: Play, store: Store, number: int, theta: Floats
) -> Generator[Progress, None, Step | None]:
    """Games of the weights with themselves, and a fit of the results; None if it was stopped.

    Later fits leave out the first round, whose weights need not be any good, and learn from all rounds since.
    """
    player, stage = plan.weighed("weights", theta), f"round {number}"
    jobs = [
        plan.job(stage, game, player, player, game, settings.positions) for game in range(1, settings.games + 1)
    ]
    if not (yield from play(stage, jobs)):
        return None
    games = [game for past in range(min(number, 2), number + 1) for game in store.games(f"round {past}")]
    positions = np.concatenate([game.array() for game in games])
    if not len(positions):
        raise TuningError(f"{stage}: there is no quiet position in its games")
    owner = np.repeat(np.arange(len(games)), [len(game.array()) for game in games])
    white = np.array([game.white_points() for game in games])[owner]
    points = np.where(positions[:, 3] == WHITE, white, 1 - white)
    fit = logistic_fit(plan.columns.design(plan.variant.constants, positions), points, owner, settings.penalty)
    if not fit.theta.any():
        raise TuningError(f"{stage}: its results tell nothing about the features; play more games")
    errors = fit.errors * MAN / plan.columns.unit(fit.theta)
    scaled = plan.columns.scaled(fit.theta)
    return Step(number, scaled.tolist(), errors.tolist(), len(jobs), len(positions), fit.loss)


def _spsa(
    plan: Plan, settings: Spsa, play: Play, store: Store, number: int, theta: Floats
) -> Generator[Progress, None, Step | None]:
    """Pairs of games, each of the weights changed at random against changed the other way; None if stopped."""
    stability = settings.steps / 10 if settings.A is None else settings.A
    gains = Gains(settings.a, settings.c, stability, settings.alpha, settings.gamma)
    scale = scale_of(random_design(plan.columns, plan.variant), plan.columns.unit(plan.start))
    deltas = np.random.default_rng([plan.config.seed, number]).choice([-1.0, 1.0], (settings.pairs, len(theta)))
    stage = f"step {number}"
    jobs = []
    for pair, delta in enumerate(deltas, start=1):
        change = scale * gains.perturbation(number) * delta
        plus, minus = plan.weighed("plus", theta + change), plan.weighed("minus", theta - change)
        jobs += [plan.job(stage, 2 * pair - 1, plus, minus, pair), plan.job(stage, 2 * pair, minus, plus, pair)]
    if not (yield from play(stage, jobs)):
        return None
    scores = pair_points(store.games(stage)) - 1
    moved = spsa_step(theta, scale, gains, number, deltas, scores)
    return Step(number, moved.tolist(), [], len(jobs), 0, None)


def _patterns(
    plan: Plan, settings: Patterns, play: Play, store: Store, number: int
) -> Generator[Progress | Fitting, None, Step | None]:
    """Games of the last tables with themselves, and a fit of the games of all rounds; None if it was stopped."""
    player, stage = plan.tables("tables", number - 1, store.folder), f"round {number}"
    jobs = [plan.job(stage, game, player, player, game) for game in range(1, settings.games + 1)]
    if not (yield from play(stage, jobs, play_scored)):
        return None
    rounds = [store.games(f"round {one}") for one in range(1, number + 1)]
    try:
        data = samples(rounds, settings.results)
        yield Fitting(number, len(data.positions))
        weights = fit(plan.variant, data, settings, [plan.config.seed, number])
        write_tables(tables_file(store.folder, number), weights)
        evaluations = [plan.tables("tables", one, store.folder).options["evaluation"] for one in range(number + 1)]
        losses = [loss(plan.variant, data, evaluation) for evaluation in evaluations]
    except FitError as error:
        raise TuningError(str(error)) from None
    positions = sum(len(game.scored()) for game in rounds[-1])
    return Step(number, [], [], len(jobs), positions, losses[-1], losses)


def _linear_plan(config: Tuning, settings: Texel | Spsa, variant: Variant) -> Plan:
    """A plan still without theta and openings; raises ConfigError for features that cannot be had."""
    features = settings.features or tuple(settings.start or FEATURES)
    for number, name in enumerate(settings.features or ()):
        if name not in FEATURES:
            raise config.error(("tuning", "features", number), unknown("feature", name, FEATURES))
    given = dict.fromkeys(features, 1) if settings.start is None else settings.start
    for name in given:
        if name in FEATURES and name not in features:
            raise config.error(("tuning", "start", name), f"'features' must list {name}, which has a weight here")
    columns = Columns(features, settings.phases, 2 * variant.men)
    return Plan(config, variant, columns, np.zeros(0), {"linear": given}, ())


def _match(plan: Plan, other: PlayerSpec, tuned: PlayerSpec) -> list[Job]:
    """Pairs of games of the tuned player against another, from the openings kept for it."""
    jobs = []
    for pair, opening in enumerate(plan.check_openings, start=1):
        for game, white, black in ((2 * pair - 1, tuned, other), (2 * pair, other, tuned)):
            jobs.append(plan.job(other.name, game, white, black, pair)._replace(opening=opening))
    return jobs


def _play(
    store: Store,
    workers: int,
    stopping: Callable[[], bool],
    stage: str,
    jobs: list[Job],
    work: Callable[[Job], Played | Failed] = play_job,
) -> Stage:
    finished = store.finished(stage)
    missing = [job for job in jobs if job.game not in finished]
    for spec in (missing[0].white, missing[0].black) if missing else ():
        players.build_player(spec, missing[0].variant)  # compiled here once, not by every worker at once
    done = len(finished)
    for played in run(work, missing, workers, stopping, _job_name):
        if isinstance(played, Failed):
            raise TuningError(played.reason)
        store.add(played)
        done += 1
        yield Progress(stage, done, len(jobs))
    return done == len(jobs)


def _steps(store: Store) -> list[Step]:
    return [Step(**document) for document in store.steps()]


def _job_name(job: Job) -> str:
    return f"{job.stage}, game {job.game}"
