"""Run a tournament: the schedule less what the ledger has, through the executor, into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import players
from arena import match, probe, schedule
from arena.config import Experiment
from arena.executor import run
from arena.formats import Adaptive, Gauntlet, Knockout, Ladder, Sprt, Swiss
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
from arena.rules.position import BLACK, COLOURS, Position
from arena.rules.variants import Variant, build_variant
from arena.schedule import Pairing, Schedule
from arena.stats import sprt
from arena.swiss import swiss

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""Points of White by result."""


class Plan(NamedTuple):
    """A configuration made ready: everything that a run needs, checked and built once."""

    experiment: Experiment
    variant: Variant
    players: tuple[PlayerSpec, ...]
    openings: tuple[Position, ...]
    probes: tuple[Position, ...] = ()
    """Positions that every player searches to the depth of the configuration's probe."""

    def schedule(self) -> Schedule:
        """The tournament's games in its format, in batches."""
        names = [spec.name for spec in self.players]
        players, openings = len(names), len(self.openings)
        match self.experiment.format:
            case Gauntlet(seeds=seeds):
                return schedule.static(schedule.gauntlet([names.index(seed) for seed in seeds], players), openings)
            case Swiss() as settings:
                return swiss(players, settings)
            case Knockout() as settings:
                return schedule.knockout(players, settings)
            case Ladder() as settings:
                return schedule.ladder(players, settings)
            case Adaptive() as settings:
                from arena.adaptive import adaptive

                first: Literal["white", "black"] = "black" if self.variant.first == BLACK else "white"
                return adaptive(names, openings, settings, first, self.experiment.anchor)
        return schedule.static(schedule.everyone(players), openings)

    @property
    def games(self) -> int:
        """The most games that the whole tournament can have, exact for formats that know them all before."""
        return self.experiment.format.most_games(len(self.players), len(self.openings))

    @property
    def exact(self) -> bool:
        """Whether exactly so many games are played, whatever their results."""
        settings = self.experiment.format
        return self.experiment.sprt is None and not isinstance(settings, Knockout | Adaptive)

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
            "games_exact": self.exact,
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
    needed = experiment.format.openings_needed(len(specs))
    if len(openings) < needed:
        message = (
            f"with {len(specs)} players, {experiment.format.type} needs {needed} openings, not {len(openings)}"
        )
        raise experiment.error(("openings", "count"), message)
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
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    A batch of the schedule is begun when all games of those before are stored. A sequential test is decided by
    the first pairs of the schedule, whatever was finished first; when it is, no game is begun and the games behind
    the deciding pair are removed, so that the games are the same for any number of workers.

    Raises WorkerDied if a game ends the process that plays it; finished games are kept in any case.
    """
    names = [spec.name for spec in plan.players]
    fens = [fen(plan.variant, opening) for opening in plan.openings]
    points = {game: POINTS[result] for game, result in ledger.results().items()}
    test = SequentialTest(plan.experiment.sprt)
    games = plan.schedule()
    batch = next(games, None)
    order: list[schedule.Place] = []
    while batch is not None:
        test.advance(points)
        missing = tasks(plan, [pairing for pairing in batch if pairing.game not in points])
        for record in run(match.play, missing, workers, lambda: test.decided or stopping(), _game_name):
            pairing = record.pairing
            ledger.add(record, names[pairing.white], names[pairing.black], fens[pairing.opening])
            points[pairing.game] = POINTS[record.result]
            test.advance(points)
            yield record
        if test.decided:
            ledger.remove_after(test.games)
            break
        if any(pairing.game not in points for pairing in batch):
            return
        try:
            batch = games.send([points[pairing.game] for pairing in batch])
        except StopIteration as end:
            batch, order = None, end.value
    ledger.finish([(names[place.player], place.reason) for place in order])


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule; without settings never decided."""

    def __init__(self, settings: Sprt | None) -> None:
        self._settings = settings.model_dump() if settings else None
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.decided = False

    def advance(self, points: Mapping[int, float]) -> None:
        """Take in the next pairs as far as both games are known, until decided.

        `points` are White's by number of the game. The first player is White in the first game of each pair.
        """
        if self._settings is None:
            return
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            self._counts[round(2 * (points[self.games + 1] + 1 - points[self.games + 2]))] += 1
            self.games += 2
            self.decided = sprt(self._counts, **self._settings).verdict != "continue"


def tasks(plan: Plan, pairings: Iterable[Pairing]) -> Iterator[Task]:
    """Games as workers receive them."""
    for pairing in pairings:
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
