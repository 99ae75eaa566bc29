"""The doctor, who lists all that keeps a tournament from being ready."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arena.base.wording import printable
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import left_out_lines
from arena.play.entrants import unguarded
from arena.play.inspection import as_written, inspected_players
from arena.play.match import TIME_RESERVE
from arena.play.prepare import parts_of
from arena.play.trials import of_source, trial_of
from players.finding import UNBUILT, Finding
from players.loading import located


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], object] = lambda _: None,
    looking: Callable[[Sequence[str]], object] = lambda _: None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`, and what its players printed.

    All that `prepare` makes is made, and every player of the user's own plays several games. `say` receives what
    is done next, `looking` the players that are still inspected. Where a user's own code needs a sandbox and there
    is none, its files are only read.
    """
    if line := unguarded(experiment):
        say(line)
    parts = parts_of(experiment, say)
    for key, problems in parts.errors.items():
        yield Finding("error", where=key, said=str(problems))
    if "sandbox" in parts.errors:
        say("without a sandbox players are read, but not tried")
        for spec in experiment.players:
            for finding in of_source(located(spec, experiment.path.parent)):
                said = as_written(finding.said, spec, experiment.path.parent)
                yield finding._replace(where=spec.name, said=said)
        return
    for line in left_out_lines(parts.openings.left_out)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    for line in parts.openings.notes:
        yield Finding("warning", line, "openings")
    existing = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
    inspector = trial_of(experiment, is_close=True)
    inspections = inspected_players(experiment, inspector, say, everyone=True, looking=looking)
    said_before = set[object]()
    for index, (spec, inspection) in enumerate(zip(experiment.players, inspections, strict=True)):
        for finding in inspection.problems:
            said = finding.said
            if inspection.error is not None and finding.kind == UNBUILT:
                refusal = experiment.error(("players", index, *inspection.error.keys), said)
                said = str(refusal)
                told = tuple((each.file, each.line, each.message) for each in refusal.problems)
                if told in said_before:
                    continue
                said_before.add(told)
            yield finding._replace(where=spec.name, said=said)
        if inspection.printed:
            yield Finding("ok", "printed in a game of its trial", spec.name, output=printable(inspection.printed))
    if experiment.is_timed and experiment.time_margin < TIME_RESERVE:
        margin = f"{experiment.time_margin:g} s to spare"
        late = f"moves are not timed here: with {margin} a player on a busy machine loses games by time"
        yield Finding("warning", late, "time_margin")
    if (rules := experiment.adjudicate) is not None:
        for line in rules.unusable([inspection.man_value for inspection in inspections], experiment.max_plies):
            yield Finding("warning", line, "adjudicate")
