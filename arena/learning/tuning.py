"""A tuning from its configuration to its outcome: stages of games, a step after each, and matches that check it.

Everything that chance decides follows from the seed and a game's number, and a stage's games are read in order, so
that the number of workers and interruptions change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from arena.experiment.openings.sources import OpeningsError
from arena.learning.config import Tuning
from arena.learning.driver import (
    Rehearsal,
    StageProgress,
    check_player,
    match_experiment,
    match_jobs,
    play_stage,
)
from arena.learning.games import Terms, points_of_pairs
from arena.learning.method import START, TUNED, Method, Step
from arena.learning.store import GameStore
from arena.learning.terms import check_openings
from arena.play.workers import Workers
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.position import Position
from arena.rules.result import pentanomial
from players.loading import PlayerError, fingerprints
from players.player import PlayerSpec


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
        """Whom the tuned player meets in the end in a stage."""
        return self.terms.player(stage, **self.method.opponents(self.terms)[stage])

    @property
    def stages(self) -> list[str]:
        """The matches in the end."""
        return list(self.method.opponents(self.terms))


class TuningOutcome(NamedTuple):
    """The findings of a finished tuning."""

    steps: list[Step]
    matches: dict[str, Summary]
    """The tuned player against each of the opponents, by the stage."""


def prepare(config: Tuning) -> TuningPlan:
    """Build the players once, which also compiles what they need, and draw the openings of the last matches.

    Raises ConfigError, at the key to blame, for weights, numbers, players or openings that cannot be had.
    """
    variant, method = build_variant(config.variant), config.tuning
    terms = Terms(variant, config.player, config.openings, config.seed, config.max_plies, config.path.parent)
    try:
        for keys, message in method.problems(terms):
            raise config.error(("tuning", *keys), message)
    except PlayerError as error:
        raise config.error(("player", *error.keys), str(error)) from None
    for keys, options, above in method.trials(terms):
        try:
            check_player(terms.player(START, **options), variant)
        except PlayerError as error:
            ours = error.keys[:1] == above[:1]
            blamed = ("tuning", *keys, *error.keys[len(above) :]) if ours else ("player", *error.keys)
            raise config.error(blamed, str(error)) from None
    try:
        openings = check_openings(variant, config.openings, method.check, config.seed)
    except OpeningsError as error:
        raise config.error(("openings", "random_plies"), str(error)) from None
    plan = TuningPlan(config, terms, tuple(openings), {})
    files = {name: mark for stage in plan.stages for name, mark in fingerprints(plan.opponent(stage)).items()}
    return plan._replace(description=config.as_dict() | {"files": files})


def rehearsal(plan: TuningPlan) -> Rehearsal:
    """The match of the start against the other opponent, if there is one, or itself, and the games of a tuning."""
    method, matches = plan.method, len(plan.stages)
    steps, match = f"{method.step_count} {method.noun}s of {method.step_games} games", 2 * method.check
    start = plan.opponent(START)
    specs = (start, plan.opponent(plan.stages[-1]) if matches > 1 else replace(start, name=TUNED))
    return Rehearsal(
        match_experiment(plan.config, specs, method.check),
        method.step_count * method.step_games + matches * match,
        f"{steps}, and {f'{matches} matches' if matches > 1 else 'a match'} of {match} games",
    )


def tune(
    plan: TuningPlan, store: GameStore, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Generator[StageProgress | Step, None, TuningOutcome | None]:
    """Do what the store lacks, storing each game and step before it is yielded.

    Returns what was found, None if it ended early because `stopping()` was true. Raises LearningError for a game
    that cannot be played and EngineError for one that ends its process.
    """
    play = partial(play_stage, store, workers, stopping)
    method, steps = plan.method, _steps(store)
    while len(steps) < method.step_count:
        found = yield from method.step(plan.terms, play, store, steps)
        if found is None:
            return None
        store.add_step(found.number, found._asdict())
        steps.append(found)
        yield found
    tuned = plan.terms.player(TUNED, **method.found(plan.terms, steps[-1]))
    for stage in plan.stages:
        if not (yield from play(stage, match_jobs(plan.terms, plan.openings, tuned, plan.opponent(stage)))):
            return None
    return outcome(plan, store)


def outcome(plan: TuningPlan, store: GameStore) -> TuningOutcome | None:
    """The findings of a tuning, None if it is not finished."""
    steps = _steps(store)
    played = {stage: store.games(stage) for stage in plan.stages}
    if not steps or any(len(games) < 2 * len(plan.openings) for games in played.values()):
        return None
    matches = {stage: summary(pentanomial(points_of_pairs(games))) for stage, games in played.items()}
    return TuningOutcome(steps, matches)


def _steps(store: GameStore) -> list[Step]:
    return [Step(**document) for document in store.steps()]
