"""The doctor: everything that is wrong with a configuration, found before its first game."""

from __future__ import annotations

import os
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


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`: errors and warnings.

    Openings, positions to search and the folder are looked at, and all players as closely as can be. `say`
    receives what is done next. It ends where a user's own code needs a sandbox and there is none.
    """
    if line := unguarded(experiment):
        say(line)
    try:
        sandbox.check(experiment)
    except ConfigError as error:
        yield Finding("error", str(error), "sandbox")
        return
    variant = build_variant(experiment.variant)
    made, errors = parts_of(experiment, variant, say)
    for key, problems in errors.items():
        yield Finding("error", str(problems), key)
    _, unread = made.get("openings", ((), ()))
    for line in left_out_lines(unread)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    names = [spec.name for spec in experiment.players]
    place = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
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
