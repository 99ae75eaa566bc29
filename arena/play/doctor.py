"""The doctor: everything that is wrong with a configuration, found before its first game."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import players
from arena.apart import Lost, Stage, apart
from arena.experiment.model import Experiment
from arena.formats.base import Pairing
from arena.openings.sources import OpeningsError, random_openings
from arena.play.match import play
from arena.play.plan import draw_openings
from arena.play.probe import ProbeError, positions
from arena.player import Limit, PlayerSpec
from arena.record import GameRecord, Task
from arena.rules.custom import build_variant
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import Variant
from players.evaluation.examine import Finding, examined, name_of

PATIENCE = 60.0
"""Seconds for a move of a player without a limit of time, and for a player to be built."""
GAME_BYTES, REPORT_BYTES = 1000, 10 * 2**20
"""Bytes on the disk that a game takes in the ledger, about, and a report."""
_OPENINGS = 3
"""Openings that a player of a user's own is tried on, with either colour."""
_PLIES = (4, 40)
"""Plies of the first game of a player, whose pace nobody knows yet, and at most of the others."""
_BUDGET = 3.0
"""Seconds that all games of a player may take, about, but the first and one more of each."""
_BUILT_IN_LIMIT = Limit(nodes=5000, seconds=0.5, clock=10.0)
"""What built-in players are held to besides their own limits."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")


class Trial(NamedTuple):
    """A player to be tried, in plain data."""

    player: PlayerSpec
    variant: Variant
    openings: tuple[Position, ...]
    seed: int
    time_margin: float
    patience: float
    """Seconds for a move of a player without a limit of time."""


def diagnose(
    experiment: Experiment,
    say: Callable[[str], None] = lambda _: None,
    thorough: bool = True,
    patience: float = PATIENCE,
) -> Iterator[Finding]:
    """What is wrong with a configuration, each finding as soon as it is made; none that is `ok`.

    Openings, positions to search and the room on the disk are looked at, every player is built, and the evaluations
    of a user's own are examined. Then `thorough` has every player play some short games; otherwise only those of
    a user's own play one. `say` is told what is done next, where it takes seconds.

    What is of a user's own runs in a process of its own, and is given up when it takes longer than it may: `patience`
    is the seconds for a move that has no limit of time.
    """
    variant = build_variant(experiment.variant)
    yield from _of_openings(experiment, variant)
    yield from _of_disk(experiment)
    openings = tuple(opening.position for opening in random_openings(variant, 4, _OPENINGS, seed=0, balanced=False))
    known: dict[str, list[Finding]] = {}
    for index, entry in enumerate(experiment.players):
        spec = players.located(entry, experiment.path.parent)
        trial = Trial(spec, variant, openings, experiment.seed, experiment.time_margin, patience)
        if is_own(spec):
            say(f"trying {spec.name}")
        found = list(_of_player(trial, thorough))
        refused = [it for it in found if isinstance(it, players.PlayerError)]
        for error in refused:
            place = experiment.error(("players", index, *error.keys), str(error))
            yield Finding("error", str(place), spec.name)
        yield from (it._replace(where=spec.name) for it in found if isinstance(it, Finding))
        if not refused:
            yield from (it._replace(where=spec.name) for it in _of_evaluation(spec, variant, known))


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs code of a user's own: its class, or its evaluation."""
    return ":" in spec.type or any(isinstance(value, str) and ":" in value for value in spec.options.values())


def _of_openings(experiment: Experiment, variant: Variant) -> Iterator[Finding]:
    """Whether there are the openings and the positions to search that the configuration asks for."""
    try:
        count = len(draw_openings(experiment, variant))
        needed = experiment.format.openings_needed(len(experiment.players))
        if count < needed:
            yield Finding("error", f"{experiment.format.type} needs {needed} openings, not {count}", "openings")
    except OpeningsError as error:
        yield Finding("error", str(experiment.error(("openings", error.key), str(error))), "openings")
    try:
        if (probe := experiment.probe) is not None:
            positions(variant, probe.positions, probe.plies, experiment.seed)
    except ProbeError as error:
        yield Finding("error", str(experiment.error(("probe", "positions"), str(error))), "probe")
