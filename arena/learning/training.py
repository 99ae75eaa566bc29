"""A training from its configuration to its outcome: games, the fit of their positions, and a match that checks it.

Everything that chance decides follows from the seed, so that the number of workers and interruptions change
nothing; a fit resumes after its last finished epoch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.base.files import replace
from arena.experiment.openings.sources import OpeningsError
from arena.learning.config import Training
from arena.learning.driver import (
    LearningError,
    Metrics,
    Rehearsal,
    StageProgress,
    match_experiment,
    match_jobs,
    play_stage,
)
from arena.learning.fit import Epoch, Fit, FitSettings, unit_of, views_of
from arena.learning.games import Terms, play_scored, points_of_pairs
from arena.learning.pattern_fit import FitError, Samples, round_samples
from arena.learning.sources import games_of_run, samples_of_pdn
from arena.learning.store import GameStore
from arena.learning.terms import check_openings
from arena.play.executor import Workers
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.position import Position
from arena.rules.result import pentanomial
from arena.rules.variants import Variant
from players.evaluation.neural import NetworkFile
from players.loading import PlayerError, fingerprints
from players.player import PlayerSpec
from players.table import build_player

GAMES, AGAINST = "games", "against"
"""Stages: the games that positions are taken from, and those against the evaluation `against`."""
NETWORK = "network.npz"
SNAPSHOTS = "snapshots"
"""The folder of the networks that are kept on the way."""
DEFAULT_EVALUATION = "simple"
"""The player's evaluation where none is given."""


class TrainingPlan(NamedTuple):
    """A configuration made ready: everything that a training needs, checked and built once."""

    config: Training
    terms: Terms
    openings: tuple[Position, ...]
    """Those of the match in the end, in which no material is won."""
    description: dict[str, Any]
    """The training as the store keeps it: the configuration, and the files that it reads."""

    @property
    def player(self) -> PlayerSpec:
        """Who plays the games."""
        evaluation = self.config.player.options.get("evaluation", DEFAULT_EVALUATION)
        return self.terms.player("player", evaluation=evaluation)

    @property
    def opponent(self) -> PlayerSpec:
        """Whom the network meets."""
        return self.terms.player(AGAINST, evaluation=self.config.against)

    def found(self, names: tuple[str, ...]) -> list[Path]:
        """Files and folders that the configuration names, beside it or in the working directory."""
        paths = [(self.terms.folder / name, Path(name)) for name in names]
        return [beside if beside.exists() else other for beside, other in paths]


class Learning(NamedTuple):
    """The fit begins, or resumes."""

    positions: int
    """Distinct positions that it learns from."""
    held_out: int
    """Distinct positions that it is judged by."""
    epoch: int
    """Epochs that are done."""


class TrainingOutcome(NamedTuple):
    """The findings of a finished training."""

    learning: Learning
    epochs: list[Epoch]
    against: Summary
    """The network against the evaluation `against`."""


def prepare(config: Training) -> TrainingPlan:
    """Build the players once, which also compiles what they need, and draw the openings of the match in the end.

    Raises ConfigError, at the key to blame, for players, files or openings that cannot be had.
    """
    variant = build_variant(config.variant)
    terms = Terms(variant, config.player, config.openings, config.seed, config.max_plies, config.path.parent)
    plan = TrainingPlan(config, terms, (), {})
    for key in ("runs", "pdn"):
        names = getattr(config.positions, key)
        for name, path in zip(names, plan.found(names), strict=True):
            if not path.exists():
                raise config.error(("positions", key), f"there is no {'run' if key == 'runs' else 'file'} {name}")
    for place, spec in (("player", plan.player), ("against", plan.opponent)):
        try:
            build_player(spec, variant)
        except PlayerError as error:
            ours = place == "against" and error.keys[:1] == ("evaluation",)
            raise config.error(("against",) if ours else ("player", *error.keys), str(error)) from None
    try:
        even = config.openings.model_copy(update={"balanced": True})
        openings = check_openings(variant, even, config.check, config.seed)
    except OpeningsError as error:
        raise config.error(("openings", "random_plies"), str(error)) from None
    files = fingerprints(plan.player) | fingerprints(plan.opponent)
    return plan._replace(openings=tuple(openings), description=config.as_dict() | {"files": files})


def rehearsal(plan: TrainingPlan) -> Rehearsal:
    """The match of the player against the evaluation `against`, and the games of a training."""
    match, games = 2 * plan.config.check, plan.config.positions.games
    return Rehearsal(
        match_experiment(plan.config, (plan.player, plan.opponent), plan.config.check),
        games + match,
        f"{games} games of the player with itself, and a match of {match} games",
    )


def train(
    plan: TrainingPlan, store: GameStore, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Generator[StageProgress | Learning | Epoch, None, TrainingOutcome | None]:
    """Do what is not done yet; returns what was found, None if it was stopped.

    Games are stored, and an epoch is kept, before they are yielded; the network and the file of `Metrics` are left
    in the store's folder.
    Raises LearningError for games that cannot be played or learned from, StoreError for a run that cannot be read,
    and WorkerDied for a game that ends its process.
    """
    play, terms, wanted = partial(play_stage, store, workers, stopping), plan.terms, plan.config.positions.games
    jobs = [
        terms.job(GAMES, game, plan.player, plan.player, game)._replace(
            random_moves=plan.config.positions.random_moves
        )
        for game in range(1, wanted + 1)
    ]
    if not (yield from play(GAMES, jobs, play_scored)):
        return None
    data = gathered(plan, store)
    fit = Fit(terms.variant.constants, settings_of(plan))
    learned, judged = (views_of(terms.variant, data, held_out) for held_out in (False, True))
    fit.resume(store.checkpoint, digest_of(data))
    learning = Learning(len(learned.targets), len(judged.targets), len(fit.epochs))
    yield learning
    metrics = Metrics(store.folder, map(_metrics, fit.epochs))
    while len(fit.epochs) < fit.settings.epochs:
        if stopping():
            return None
        epoch = fit.descend(learned, judged)
        if epoch.number in snapshot_epochs(plan.config):
            _keep_snapshot(fit, terms.variant, store.folder / SNAPSHOTS)
        replace(store.checkpoint, partial(fit.save, digest_of(data)))
        metrics.add_step(_metrics(epoch))
        yield epoch
    network = fit.network.whole_numbers()
    file = NetworkFile(network, unit_of(terms.variant, network))
    path = replace(store.folder / NETWORK, file.save)
    jobs = match_jobs(terms, plan.openings, terms.player("network", evaluation=str(path.resolve())), plan.opponent)
    if not (yield from play(AGAINST, jobs)):
        return None
    match = summary(pentanomial(points_of_pairs(store.games(AGAINST))))
    metrics.add_match(AGAINST, match)
    return TrainingOutcome(learning, fit.epochs, match)


def snapshot_epochs(config: Training) -> list[int]:
    """The epochs whose networks are kept, evenly spread; the last is among them, if any is."""
    epochs, count = config.fit.epochs, min(config.snapshots, config.fit.epochs)
    return [epochs * number // count for number in range(1, count + 1)]


def _keep_snapshot(fit: Fit, variant: Variant, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    network = fit.network.whole_numbers()
    replace(folder / f"epoch-{len(fit.epochs)}.npz", NetworkFile(network, unit_of(variant, network)).save)


def _metrics(epoch: Epoch) -> dict[str, Any]:
    return {"step": epoch.number, "loss": epoch.loss, "held_out": epoch.held_out}


def settings_of(plan: TrainingPlan) -> FitSettings:
    """How the network of a training is fitted."""
    fit = plan.config.fit
    return FitSettings(fit.epochs, fit.batch, fit.rate, plan.config.seed, fit.width)


def gathered(plan: TrainingPlan, store: GameStore) -> Samples:
    """The positions of all sources; each player's scores are put on the scale of its results.

    Raises LearningError if nothing can be learned from them, StoreError for a run that cannot be read.
    """
    variant, positions = plan.terms.variant, plan.config.positions
    rounds = [store.games(GAMES)] if positions.games else []
    for folder in plan.found(positions.runs):
        rounds += games_of_run(folder, variant)
    try:
        parts = [round_samples(number, games, plan.config.fit.results) for number, games in enumerate(rounds, 1)]
    except FitError as error:
        raise LearningError(str(error)) from None
    parts += [samples_of_pdn(path, variant) for path in plan.found(positions.pdn)]
    data = Samples(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    if not data.held_out.any() or data.held_out.all():
        raise LearningError("there are too few games to learn from some and to be judged by others; give more")
    return data


def digest_of(data: Samples) -> str:
    """A digest of the positions, to recognise them when the fit resumes."""
    digest = hashlib.sha256()
    for part in data:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
