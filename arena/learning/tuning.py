"""A tuning from its configuration to its outcome: stages of games, a step after each, and matches that check it.

Everything that chance decides follows from the seed and a game's number, and a stage's games are read in order, so
that the number of workers and interruptions change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, NamedTuple

from arena.experiment.openings.sources import OpeningsError
from arena.learning.config import Tuning
from arena.learning.driver import Metrics, Rehearsal, StageProgress, match_experiment, match_jobs, play_stage
from arena.learning.games import Terms, points_of_pairs
from arena.learning.method import Fitting, Method, Step
from arena.learning.store import GameStore
from arena.learning.terms import check_openings
from arena.play.executor import Workers
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.position import Position
from arena.rules.result import pentanomial
from players.loading import PlayerError, fingerprints
from players.player import PlayerSpec
from players.table import build_player

TUNED, START, AGAINST = "tuned", "start", "against"
"""Players of the last matches, the latter two also the names of these stages."""


class TuningPlan(NamedTuple):
    """A configuration made ready: everything that a tuning needs, checked and built once."""

    config: Tuning
    terms: Terms
    openings: tuple[Position, ...]
    """Those of the last matches."""
    description: dict[str, Any]
    """The tuning as the store keeps it: the configuration, and the user's own files."""

    @property
    def method(self) -> Method:
        """How weights are found."""
        return self.config.tuning

    def opponent(self, stage: str) -> PlayerSpec:
        """Whom the tuned player meets in the stages START and AGAINST."""
        first = self.method.first(self.terms.variant)
        return self.terms.player(stage, first if stage == START else self.method.against)


class TuningOutcome(NamedTuple):
    """The findings of a finished tuning."""

    steps: list[Step]
    against_start: Summary
    """The tuned evaluation against the start's."""
    against: Summary
    """The tuned evaluation against the evaluation `against`."""


def prepare(config: Tuning) -> TuningPlan:
    """Build the players once, which also compiles what they need, and draw the openings of the last matches.

    Raises ConfigError, at the key to blame, for weights, players or openings that cannot be had.
    """
    variant, method = build_variant(config.variant), config.tuning
    for keys, message in method.problems():
        raise config.error(("tuning", *keys), message)
    terms = Terms(variant, config.player, config.openings, config.seed, config.max_plies, config.path.parent)
    for place, evaluation, above in ((START, method.given, method.start_keys), (AGAINST, method.against, ())):
        try:
            build_player(terms.player(place, evaluation), variant)
        except PlayerError as error:
            ours = error.keys[:1] == ("evaluation",)
            keys = ("tuning", place, *error.keys[1 + len(above) :]) if ours else ("player", *error.keys)
            raise config.error(keys, str(error)) from None
    try:
        openings = check_openings(variant, config.openings, method.check, config.seed)
    except OpeningsError as error:
        raise config.error(("openings", "random_plies"), str(error)) from None
    plan = TuningPlan(config, terms, tuple(openings), {})
    files = fingerprints(plan.opponent(AGAINST)) | fingerprints(plan.opponent(START))
    return plan._replace(description=config.as_dict() | {"files": files})


def rehearsal(plan: TuningPlan) -> Rehearsal:
    """The match of the start against the evaluation `against`, and the games of a tuning."""
    method = plan.method
    steps, match = f"{method.step_count} {method.noun}s of {method.step_games} games", 2 * method.check
    specs = (plan.opponent(START), plan.opponent(AGAINST))
    return Rehearsal(
        match_experiment(plan.config, specs, method.check),
        method.step_count * method.step_games + 2 * match,
        f"{steps}, and 2 matches of {match} games",
    )


def tune(
    plan: TuningPlan, store: GameStore, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Generator[StageProgress | Fitting | Step, None, TuningOutcome | None]:
    """Do what the store lacks, storing each game and step before it is yielded.

    Returns what was found, None if it ended early because `stopping()` was true. Each step is also a line of the
    file of `Metrics`. Raises LearningError for a game that cannot be played and WorkerDied for one that ends its
    process.
    """
    play = partial(play_stage, store, workers, stopping)
    method, steps = plan.method, _steps(store)
    metrics = Metrics(store.folder, (_metrics(plan, step) for step in steps))
    while len(steps) < method.step_count:
        found = yield from method.step(plan.terms, play, store, steps)
        if found is None:
            return None
        store.add_step(found.number, found._asdict())
        steps.append(found)
        metrics.add_step(_metrics(plan, found))
        yield found
    tuned = plan.terms.player(TUNED, method.found(plan.terms, steps[-1], store.folder))
    for stage in (START, AGAINST):
        if not (yield from play(stage, match_jobs(plan.terms, plan.openings, tuned, plan.opponent(stage)))):
            return None
        metrics.add_match(stage, summary(pentanomial(points_of_pairs(store.games(stage)))))
    return outcome(plan, store)


def outcome(plan: TuningPlan, store: GameStore) -> TuningOutcome | None:
    """The findings of a tuning, None if it is not finished."""
    steps = _steps(store)
    matches = [store.games(stage) for stage in (START, AGAINST)]
    if not steps or any(len(games) < 2 * len(plan.openings) for games in matches):
        return None
    start, against = (summary(pentanomial(points_of_pairs(games))) for games in matches)
    return TuningOutcome(steps, start, against)


def _metrics(plan: TuningPlan, step: Step) -> dict[str, Any]:
    """A step as a line of `Metrics`; weights are in hundredths of a man, and tables have none."""
    names, weights = plan.method.weight_names(), plan.method.weights(plan.terms.variant, step)
    found = {
        "step": step.number,
        "games": step.games,
        "positions": step.positions,
        "loss": step.loss,
        "losses": list(step.losses),
        "weights": {name: float(weight) for name, weight in zip(names, weights, strict=True)},
    }
    return {name: value for name, value in found.items() if value not in (None, [], {})}


def _steps(store: GameStore) -> list[Step]:
    return [Step(**document) for document in store.steps()]
