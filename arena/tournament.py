"""Run a tournament: the schedule less what the ledger has, through the executor, into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import players
from arena import match, probe
from arena.config import Experiment
from arena.executor import run
from arena.ledger import Ledger
from arena.match import GameRecord, Task
from arena.openings import (
    Opening,
    OpeningsError,
    ballot_openings,
    drawn,
    file_openings,
    random_openings,
)
from arena.player import PlayerSpec
from arena.probe import ProbeRecord, ProbeTask
from arena.rules.notation import fen
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant, build_variant
from arena.schedule import Pairing, round_robin


class Plan(NamedTuple):
    """A configuration made ready: everything that a run needs, checked and built once."""

    experiment: Experiment
    variant: Variant
    players: tuple[PlayerSpec, ...]
    openings: tuple[Position, ...]
    probes: tuple[Position, ...] = ()
    """Positions that every player searches to the depth of the configuration's probe."""

    def schedule(self) -> Iterator[Pairing]:
        """All games of the tournament, in their order."""
        return round_robin(len(self.players), len(self.openings))

    @property
    def games(self) -> int:
        """How many games the whole tournament has."""
        return len(self.players) * (len(self.players) - 1) * len(self.openings)

    @property
    def searches(self) -> int:
        """How many searches the probe has."""
        return len(self.players) * len(self.probes)

    def description(self) -> dict[str, Any]:
        """What the ledger keeps of the experiment: the configuration, and what reports need besides."""
        files: dict[str, str] = {}
        for spec in self.players:
            files |= players.fingerprints(spec)
        return self.experiment.as_dict() | {
            "first": COLOURS[self.variant.first],
            "gametype": self.variant.gametype,
            "start_fen": fen(self.variant, self.variant.start),
            "games_planned": self.games,
            "files": files,
        }


def prepare(experiment: Experiment) -> Plan:
    """Build every player once, which also compiles what they need, and draw the openings.

    Raises ConfigError, at the key to blame, if a player cannot be built or there are too few openings.
    """
    variant = build_variant(experiment.variant)
    folder = experiment.path.parent
    specs = tuple(players.located(spec, folder) for spec in experiment.players)
    for index, spec in enumerate(specs):
        try:
            players.build_player(spec, variant)
        except players.PlayerError as error:
            raise experiment.error(("players", index, *error.keys), str(error)) from None
    try:
        openings = draw_openings(experiment, variant)
    except OpeningsError as error:
        raise experiment.error(("openings", error.key), str(error)) from None
    probes: list[Position] = []
    if (settings := experiment.probe) is not None:
        try:
            probes = probe.positions(variant, settings.positions, settings.plies, experiment.seed)
        except probe.ProbeError as error:
            raise experiment.error(("probe", "positions"), str(error)) from None
    return Plan(experiment, variant, specs, tuple(opening.position for opening in openings), tuple(probes))


def draw_openings(experiment: Experiment, variant: Variant) -> list[Opening]:
    """The openings that a configuration asks for. Raises OpeningsError."""
    settings, seed = experiment.openings, experiment.seed
    if settings.file is not None:
        places = (experiment.path.parent / settings.file, Path(settings.file))
        path = next((place for place in places if place.is_file()), places[0])
        return drawn(file_openings(variant, path), settings.count, seed)
    if settings.ballots is not None:
        return drawn(ballot_openings(variant, settings.ballots, settings.barred), settings.count, seed)
    return random_openings(variant, settings.random_plies, settings.count or 50, seed, settings.balanced)


def measure(
    plan: Plan, ledger: Ledger, workers: int, stopping: Callable[[], bool] = lambda: False
) -> Iterator[ProbeRecord]:
    """Make the searches of the probe that the ledger lacks, storing each before it is yielded.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time. Raises WorkerDied if a search ends the process that makes it.
    """
    for record in run(probe.measure, probe_tasks(plan, ledger.probed()), workers, stopping, _search_name):
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
                yield ProbeTask(spec, number, plan.variant, position, settings.depth, plan.experiment.seed)


def play(
    plan: Plan, ledger: Ledger, workers: int, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded.

    Raises WorkerDied if a game ends the process that plays it; finished games are kept in any case.
    """
    names = [spec.name for spec in plan.players]
    fens = [fen(plan.variant, opening) for opening in plan.openings]
    for record in run(match.play, tasks(plan, ledger.finished()), workers, stopping, _game_name):
        pairing = record.pairing
        ledger.add(record, names[pairing.white], names[pairing.black], fens[pairing.opening])
        yield record


def tasks(plan: Plan, finished: set[int]) -> Iterator[Task]:
    """The games still to play, as workers receive them."""
    for pairing in plan.schedule():
        if pairing.game not in finished:
            yield Task(
                pairing,
                plan.variant,
                plan.openings[pairing.opening],
                plan.players[pairing.white],
                plan.players[pairing.black],
                plan.experiment.seed,
                plan.experiment.max_plies,
                plan.experiment.time_margin,
            )


def _game_name(task: Task) -> str:
    return f"game {task.pairing.game} ({task.white.name} against {task.black.name})"


def _search_name(task: ProbeTask) -> str:
    return f"the search of position {task.number} by {task.player.name}"
