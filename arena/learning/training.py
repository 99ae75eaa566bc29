"""A training from its configuration to its outcome: games, the fit of their positions, and a match that checks it.

Everything that chance decides follows from the seed, so that the number of workers and interruptions change
nothing; a fit resumes after its last finished epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryFile
from typing import Any, NamedTuple

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
from arena.learning.games import Job, Terms, play_scored, points_of_pairs
from arena.learning.samples import FitError, Samples, round_samples
from arena.learning.sources import games_of_run, samples_of_pdn
from arena.learning.store import GameStore
from arena.learning.terms import check_openings
from arena.play.executor import Workers
from arena.ratings.match import Summary, summary
from arena.rules.custom import build_variant
from arena.rules.jit.lanes import LANES
from arena.rules.position import Position
from arena.rules.result import pentanomial
from arena.rules.variants import Variant
from players.evaluation.neural import NetworkFile
from players.loading import PlayerError, fingerprints
from players.player import PlayerSpec
from players.table import build_player

GAMES, AGAINST = "games", "against"
"""Stages: the games that positions are taken from, of the first round, and those against `against`."""
NETWORK = "network.npz"
SNAPSHOTS = "snapshots"
"""The folder of the networks that are kept on the way."""
BY_GAMES, BY_WIDTH = Path("scaling", "games"), Path("scaling", "widths")
"""The folders of further networks, from fewer games and of other widths."""
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


class Aim(NamedTuple):
    """A network that is to be made."""

    file: Path
    round: int
    """From whose games, from 1."""
    width: int
    games: int | None = None
    """From how many of them, the first ones; None: all."""


class Learning(NamedTuple):
    """The fit of a network begins, or resumes."""

    name: str
    """The network's file, without suffix."""
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

    Games are stored, and an epoch is kept, before they are yielded; the network and the file of `Metrics` are left
    in the store's folder.
    Raises LearningError for games that cannot be played or learned from, StoreError for a run that cannot be read,
    and WorkerDied for a game that ends its process.
    """
    play, terms, network = partial(play_stage, store, workers, stopping), plan.terms, store.folder / NETWORK
    player, played, found = plan.player, 0, None
    for aim in aims(plan, store.folder):
        if aim.round > played:
            played = aim.round
            if not (yield from play(stage_of(played), _jobs(plan, played, player), play_scored)):
                return None
            player = terms.player("player", evaluation=str(aim.file.resolve()))
        if aim.file == network or not aim.file.exists():
            if (fitted := (yield from _fitted(plan, store, aim, stopping))) is None:
                return None
            found = fitted if aim.file == network else found
    assert found is not None  # the network is one of the aims
    learning, epochs = found
    for file in twins(plan, store.folder):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, partial(copyfile, network))
    metrics = Metrics(store.folder, [epoch.metrics for epoch in epochs])
    jobs = match_jobs(
        terms, plan.openings, terms.player("network", evaluation=str(network.resolve())), plan.opponent
    )
    if not (yield from play(AGAINST, jobs)):
        return None
    match = summary(pentanomial(points_of_pairs(store.games(AGAINST))))
    metrics.add_match(AGAINST, match)
    return TrainingOutcome(learning, epochs, match)


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


def aims(plan: TrainingPlan, folder: Path) -> list[Aim]:
    """The networks of a training in the order in which they are made: of each round, then those of `scaling`.

    Those that only play the next round have the least width, which is the fastest.
    """
    config, rounds = plan.config, plan.config.positions.rounds
    scaling, width = config.scaling, config.fit.width
    made = [Aim(folder / f"network-{number}.npz", number, LANES) for number in range(1, len(rounds))]
    made.append(Aim(folder / NETWORK, len(rounds), width))
    made += [
        Aim(folder / BY_GAMES / f"games-{games}.npz", len(rounds), width, games)
        for games in scaling.games
        if games != rounds[-1]
    ]
    made += [
        Aim(folder / BY_WIDTH / f"width-{other}.npz", len(rounds), other)
        for other in scaling.widths
        if other != width
    ]
    return made


def twins(plan: TrainingPlan, folder: Path) -> list[Path]:
    """Files of `scaling` that are the network itself."""
    scaling, games, width = plan.config.scaling, plan.config.positions.rounds[-1], plan.config.fit.width
    by_games = [folder / BY_GAMES / f"games-{games}.npz"] if scaling.games else []
    return [*by_games, *([folder / BY_WIDTH / f"width-{width}.npz"] if scaling.widths else [])]


def _fitted(
    plan: TrainingPlan, store: GameStore, aim: Aim, stopping: Callable[[], bool]
) -> Generator[Learning | Epoch, None, tuple[Learning, list[Epoch]] | None]:
    """Fit a network to the games of a round and to all other sources, and keep it; None if it was stopped.

    Beside it is the checkpoint of the last finished epoch.
    """
    variant, settings, is_last = plan.terms.variant, plan.config.fit, aim.file.name == NETWORK
    checkpoint = aim.file.with_suffix(".pt")
    aim.file.parent.mkdir(parents=True, exist_ok=True)
    chosen = FitSettings(settings.epochs, settings.batch, settings.rate, plan.config.seed, aim.width)
    fit = Fit(variant.constants, chosen)
    with TemporaryFile(dir=store.folder) as file:
        learned, judged, digest = views_of(variant, gathered(plan, store, aim), file)
        if not (len(learned.rows) and len(judged.rows)):
            raise LearningError("there are too few games to learn from some and to be judged by others; give more")
        fit.resume(checkpoint, digest)
        learning = Learning(aim.file.stem, len(learned.rows), len(judged.rows), len(fit.epochs))
        yield learning
        metrics = Metrics(store.folder, [epoch.metrics for epoch in fit.epochs]) if is_last else None
        while len(fit.epochs) < fit.settings.epochs:
            if stopping():
                return None
            epoch = fit.descend(learned, judged)
            if is_last and epoch.number in snapshot_epochs(plan.config):
                _keep(fit, variant, store.folder / SNAPSHOTS / f"epoch-{epoch.number}.npz")
            replace(checkpoint, partial(fit.save, digest))
            if metrics is not None:
                metrics.add_step(epoch.metrics)
            yield epoch
    _keep(fit, variant, aim.file)
    return learning, fit.epochs


def snapshot_epochs(config: Training) -> list[int]:
    """The epochs whose networks are kept, evenly spread; the last is among them, if any is."""
    epochs, count = config.fit.epochs, min(config.snapshots, config.fit.epochs)
    return [epochs * number // count for number in range(1, count + 1)]


def _keep(fit: Fit, variant: Variant, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    network = fit.network.whole_numbers()
    replace(path, NetworkFile(network, unit_of(variant, network)).save)


def gathered(plan: TrainingPlan, store: GameStore, aim: Aim) -> Iterator[Samples]:
    """The positions from which a network is to learn, part by part; each player's scores are put on the scale of
    its results.

    Raises LearningError if nothing can be learned from them, StoreError for a run that cannot be read.
    """
    variant, positions = plan.terms.variant, plan.config.positions
    played = store.games(stage_of(aim.round))[: aim.games] if positions.rounds[aim.round - 1] else []
    found = [played] if played else []
    for folder in plan.found(positions.runs):
        found += games_of_run(folder, variant)
    try:
        for place, games in enumerate(found, 1):
            yield from round_samples(place, games, plan.config.fit.results)
    except FitError as error:
        raise LearningError(str(error)) from None
    for path in plan.found(positions.pdn):
        yield samples_of_pdn(path, variant)
