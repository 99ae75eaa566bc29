"""A training from its configuration to its outcome: games, the fit of their positions, and a match that checks it.

Everything that chance decides follows from the seed, so that the number of workers and interruptions change
nothing; a fit resumes after its last finished epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from arena.base.files import replace
from arena.experiment.openings.sources import OpeningsError
from arena.learning.config import Training
from arena.learning.driver import (
    LearningError,
    Rehearsal,
    StageProgress,
    match_experiment,
    match_jobs,
    play_stage,
)
from arena.learning.fit import Epoch, Fit, unit_of, views_of
from arena.learning.games import Job, Terms, play_scored, points_of_pairs
from arena.learning.samples import SOURCE, Samples, games_of_run, round_samples, samples_of_pdn
from arena.learning.store import GameStore
from arena.learning.terms import check_openings
from arena.play.workers import Workers
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.position import Position
from arena.rules.result import pentanomial
from players.evaluation.neural import LANES, NetworkFile
from players.loading import PlayerError, fingerprints
from players.player import PlayerSpec
from players.table import build_player

GAMES, AGAINST = "games", "against"
"""Stages: the games that positions are taken from, of the first round, and those against `against`."""
NETWORK = "network.npz"
"""The file of the network that is learned."""
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
    """The fit of a network begins, or resumes."""

    name: str
    """The network's file, without suffix."""
    positions: int
    """Distinct positions that it learns from."""
    held_out: int
    """Distinct positions that it is judged by."""
    games: int
    """Games that all of these are from."""
    epoch: int
    """Epochs that are done."""
    notes: Sequence[str] = ()
    """Sentences on what is wrong with PDN files that it learns from."""


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
    match, games = 2 * plan.config.check, sum(plan.config.positions.rounds)
    return Rehearsal(
        match_experiment(plan.config, (plan.player, plan.opponent), plan.config.check),
        games + match,
        f"{games} games of the player with itself, and a match of {match} games",
    )


def train(
    plan: TrainingPlan, store: GameStore, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Generator[StageProgress | Learning | Epoch, None, TrainingOutcome | None]:
    """Do what is not done yet; returns what was found, None if it was stopped.

    Games are stored, and an epoch is kept, before they are yielded; the networks are left in the store's folder.
    Raises LearningError for games that cannot be played or learned from, StoreError for a run that cannot be read,
    and EngineError for a game that ends its process.
    """
    play, terms, player = partial(play_stage, store, workers, stopping), plan.terms, plan.player
    last, found = len(plan.config.positions.rounds), None
    for number in range(1, last + 1):
        if not (yield from play(stage_of(number), _jobs(plan, number, player), play_scored)):
            return None
        file = network_file(plan, store.folder, number)
        if number == last or not file.exists():
            found = yield from _fitted(plan, store, number, stopping)
            if found is None:
                return None
        player = terms.player("network", evaluation=str(file.resolve()))
    assert found is not None  # that of the last round
    if not (yield from play(AGAINST, match_jobs(terms, plan.openings, player, plan.opponent))):
        return None
    learning, epochs = found
    return TrainingOutcome(learning, epochs, summary(pentanomial(points_of_pairs(store.games(AGAINST)))))


def _jobs(plan: TrainingPlan, number: int, player: PlayerSpec) -> list[Job]:
    """The games of a round."""
    positions, stage = plan.config.positions, stage_of(number)
    return [
        plan.terms.job(stage, game, player, player, game)._replace(random_moves=positions.random_moves)
        for game in range(1, positions.rounds[number - 1] + 1)
    ]


def stage_of(number: int) -> str:
    """The stage of the games of a round."""
    return GAMES if number == 1 else f"{GAMES} {number}"


def network_file(plan: TrainingPlan, folder: Path, number: int) -> Path:
    """The file of the network that learns from the games of a round."""
    return folder / (NETWORK if number == len(plan.config.positions.rounds) else f"network-{number}.npz")


def _fitted(
    plan: TrainingPlan, store: GameStore, number: int, stopping: Callable[[], bool]
) -> Generator[Learning | Epoch, None, tuple[Learning, list[Epoch]] | None]:
    """Fit a network to the games of a round and to all other sources, and keep it; None if it was stopped.

    Beside it is the checkpoint of the last finished epoch. A network that only plays the next round has the least
    width, which is the fastest.
    """
    variant, settings = plan.terms.variant, plan.config.fit
    network, is_last = network_file(plan, store.folder, number), number == len(plan.config.positions.rounds)
    checkpoint = network.with_suffix(".pt")
    chosen = settings if is_last else settings.model_copy(update={"width": LANES})
    fit = Fit(variant.constants, chosen, plan.config.seed)
    notes: list[str] = []
    with TemporaryFile(dir=store.folder) as file:
        learned, judged, digest = views_of(variant, gathered(plan, store, number, notes), file)
        if not (len(learned.rows) and len(judged.rows)):
            raise LearningError("there are too few games to learn from some and to be judged by others; give more")
        fit.resume(checkpoint, digest)
        counts = len(learned.rows), len(judged.rows), sum(len(np.unique(it.games)) for it in (learned, judged))
        learning = Learning(network.stem, *counts, len(fit.epochs), notes)
        yield learning
        while len(fit.epochs) < fit.settings.epochs:
            if stopping():
                return None
            epoch = fit.descend(learned, judged)
            replace(checkpoint, partial(fit.save, digest))
            yield epoch
    numbers = fit.network.whole_numbers()
    replace(network, NetworkFile(numbers, unit_of(variant, numbers)).save)
    return learning, fit.epochs


def gathered(plan: TrainingPlan, store: GameStore, number: int, notes: list[str]) -> Iterator[Samples]:
    """The positions that the network of a round learns from, part by part.

    Each player's scores are put on the scale of its results. What is wrong with PDN files is added to the notes.

    Raises LearningError if nothing can be learned from them, StoreError for a run that cannot be read.
    """
    variant, positions = plan.terms.variant, plan.config.positions
    sources = [[store.games(stage_of(number))]] if positions.rounds[number - 1] else []
    sources += [games_of_run(folder, variant) for folder in plan.found(positions.runs)]
    players = [(source, games) for source, lists in enumerate(sources) for games in lists]
    for place, (source, games) in enumerate(players, 1):
        for samples in round_samples(place, games, plan.config.fit.results):
            yield samples._replace(games=samples.games + source * SOURCE)
    for source, path in enumerate(plan.found(positions.pdn), len(sources)):
        samples, wrong = samples_of_pdn(path, variant, positions.pdn_results)
        notes += wrong
        yield samples._replace(games=samples.games + source * SOURCE)
