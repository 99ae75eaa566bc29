"""The doctor: everything that is wrong with a configuration, found before its first game."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.experiment.model import Experiment
from arena.experiment.openings.sources import left_out_lines
from arena.experiment.yaml.errors import ConfigError
from arena.hosting import sandbox
from arena.play.prepare import parts_of, unguarded
from arena.play.trial import Extent, look_at
from arena.rules.custom import build_variant
from players.examine import Finding

GAME_BYTES, REPORT_BYTES = 1000, 10 * 2**20
"""Bytes on the disk that a game takes in the ledger, about, and that a report takes."""


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], object] = lambda _: None,
    games: int | None = None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`: errors and warnings.

    Openings, positions to search and the room on the disk are looked at, and all players as closely as can be.
    `say` receives what is done next. `games` are those that the disk has to hold [those of the tournament].
    Nothing more is looked for where a user's own code needs a sandbox and there is none.
    """
    if line := unguarded(experiment):
        say(line)
    try:
        sandbox.check(experiment)
    except ConfigError as error:
        yield Finding("error", str(error), "sandbox")
        return
    variant = build_variant(experiment.variant)
    made, errors = parts_of(experiment, variant)
    for key, problems in errors.items():
        yield Finding("error", str(problems), key)
    openings, unread = made.get("openings", ((), ()))
    for line in left_out_lines(unread)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    names = [spec.name for spec in experiment.players]
    if games is None:
        games = experiment.format.most_games(names, len(openings)) if openings and len(names) > 1 else 0
    if games:
        say(f"{games} games at most, about {_megabytes(_space(games))} MB on the disk")
    yield from _of_disk(folder, games)
    looks = look_at(experiment, variant, Extent.GAMES, say, everyone=True)
    for index, look in enumerate(looks):
        for finding in look.problems:
            message = finding.message
            if look.error is not None and message == str(look.error):
                message = str(experiment.error(("players", index, *look.error.keys), message))
            yield finding._replace(message=message, where=names[index])
    if (rules := experiment.adjudicate) is not None:
        for line in rules.unusable([look.man_value for look in looks], experiment.max_plies):
            yield Finding("warning", line, "adjudicate")


def _of_disk(folder: Path, games: int) -> Iterator[Finding]:
    """Yield what prevents a run of so many games from being kept in a folder."""
    place = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    needed, free = _space(games), shutil.disk_usage(place).free
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
    elif free < needed:
        there = f"{folder} needs about {_megabytes(needed)} MB for {games} games"
        yield Finding("error", f"{there}, {_megabytes(free)} MB are free", "disk")


def _space(games: int) -> int:
    """Bytes that so many games and their report take, about."""
    return REPORT_BYTES + games * GAME_BYTES


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f}"
