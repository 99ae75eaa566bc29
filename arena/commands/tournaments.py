"""The command that plays tournaments: run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.commands.common import (
    announce_workers,
    interruptible,
    lost_workers,
    workers_option,
    workers_used,
)
from arena.commands.grade import grade_as_configured
from arena.commands.output import STOPPED, echo, fail, say
from arena.commands.plan import loaded_all, prepared_of, taking_part_of
from arena.commands.report import begin_joint, latex_option, png_option, write_joint_report, write_report
from arena.commands.solve import solve_as_configured
from arena.experiment.model import Experiment
from arena.ledger.ledger import Ledger, complete_with_failures
from arena.ledger.manifest import Diagnosis, stored_manifest
from arena.ledger.record import GameRecord, ProbeRecord
from arena.ledger.store import StoreError
from arena.play.doctor import TakingPart, diagnose, is_own, reported, unguarded
from arena.play.plan import Plan
from arena.play.tournament import RunPaused, RunStopped, VersionsChanged, begin, bundle_of, conduct, unanswered
from arena.rules.endgame.tables import EndgameError
from arena.watch.display import Display

INCIDENTS = 3
"""Exit code of a run that is complete, but players failed in games."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@latex_option
@png_option
@click.option("--force", is_flag=True, help="Resume even if players play differently now than at the start.")
def run(
    config: Path, out: Path | None, workers: int | str | None, quiet: bool, latex: bool, png: bool, force: bool
) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or a mistake was found in an evaluation, as the report's first notes say; 130:
    stopped.
    """
    sys.exit(played(config, out, workers, quiet=quiet, latex=latex, png=png, force=force))


def played(
    config: Path,
    out: Path | None,
    workers: int | str | None,
    *,
    quiet: bool = False,
    latex: bool = False,
    png: bool = False,
    force: bool = False,
) -> int:
    """Play the runs of a configuration and write their reports unless `quiet`; returns the exit code."""
    experiments = loaded_all(config)
    first = next(iter(experiments.values()))
    folder = out or Path("reports") / first.name
    used = workers_used(workers, first.workers)
    parts = [_part(experiment, folder / name, reports=not quiet) for name, experiment in experiments.items()]
    if len(parts) > 1:
        begin_joint(folder, first.name, list(experiments))
    codes = [0]
    for number, (name, part) in enumerate(zip(experiments, parts, strict=True), start=1):
        if len(parts) > 1:
            say(f"{name}, run {number} of {len(parts)}:")
        codes.append(_run(part, used, force))
        if not quiet:
            write_report(part.folder, latex=latex, png=png)
        if codes[-1] == STOPPED or not part.complete:
            break
    if quiet:
        echo(f"no report; arena report {folder} writes it")
    elif len(parts) > 1:
        write_joint_report(folder, png=png)
    if STOPPED in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


class _Part(NamedTuple):
    """A run that the command plays: the only one of its file, or one of several."""

    folder: Path
    taking: TakingPart
    plan: Plan
    reports: bool
    """Whether its report is written afterwards."""

    @property
    def complete(self) -> bool:
        return complete_with_failures(self.folder, self.plan.experiment, self.plan.facts) is not None


def _part(experiment: Experiment, folder: Path, *, reports: bool) -> _Part:
    taking = taking_part_of(experiment, folder)
    return _Part(folder, taking, prepared_of(taking.experiment), reports)


def _run(part: _Part, workers: int | str, force: bool) -> int:
    """Play, grade, and solve what is missing; returns the exit code."""
    folder, taking, plan, _ = part
    code = _play(part, workers, force)
    if code != STOPPED and not (
        grade_as_configured(taking.experiment, folder, workers) and solve_as_configured(plan, folder, workers)
    ):
        code = STOPPED
    return code


def _examined(plan: Plan, folder: Path) -> tuple[Diagnosis, ...]:
    """Print and return what is found wrong with a user's own code before the first game.

    The run goes on: what a player does wrong harms no other.
    """
    if plan.experiment.sandbox or not any(map(is_own, plan.players)):
        return ()
    if line := unguarded(plan.experiment):
        say(line)
    found = reported(diagnose(plan.experiment, folder, drawn=len(plan.openings)), say)
    if found:
        say(f"the run continues; arena doctor {plan.experiment.path} looks closer")
    return tuple(one for one in found if one.player in plan.names)


def _play(part: _Part, workers: int | str, force: bool) -> int:
    """Play what is missing and show progress; returns an exit code: 0, INCIDENTS or STOPPED."""
    folder, taking, plan, reports = part
    announce_workers(workers)
    try:
        opened = Ledger(folder, plan.experiment, plan.facts)
    except StoreError as error:
        failed = complete_with_failures(folder, plan.experiment, plan.facts)
        if failed is None:
            fail(str(error))
        why = "" if reports else f" ({error})"  # which the report says
        say(f"the run in {folder} is complete: nothing is played{why}")
        return INCIDENTS if failed else 0
    try:
        with lost_workers(folder), opened as ledger:
            if ledger.repaired:
                say(ledger.repaired)
            if ledger.complete:
                say(f"the run in {folder} is complete: nothing is played")
                if unanswered(plan, ledger):
                    _begin(plan, ledger, workers, force, taking)
                return _code(ledger)
            for line in plan.warnings():
                say(line)
            found = _examined(plan, folder) if taking.found is None else taking.found
            _begin(plan, ledger, workers, force, taking._replace(found=found))
            with Display(folder) as display, interruptible(display.say) as stopping:
                shown: set[Any] = set()
                for record in conduct(plan, ledger, workers, stopping):
                    display.tick()
                    for line in _once(record, folder, shown):
                        display.say(line)
            return _code(ledger)
    except EndgameError as error:
        fail(str(error))
    except RunPaused as error:
        say(str(error))
        return STOPPED
    except RunStopped as error:
        say(f"stopped, as 'failures' says: {error}")
        return INCIDENTS
    except StoreError as error:
        fail(str(error))


def _code(ledger: Ledger) -> int:
    if not ledger.complete:
        return STOPPED
    manifest = stored_manifest(ledger)
    return INCIDENTS if ledger.has_failures or (manifest is not None and manifest.faulty) else 0


def _once(record: ProbeRecord | GameRecord, folder: Path, shown: set[Any]) -> Iterator[str]:
    """A line on a player's failure in a search or a game, or its withdrawal: of each kind the first."""
    if isinstance(record, ProbeRecord):
        key = record.player
        line = f"{key} cannot be measured at position {record.position}: {record.error}"
    elif record.incident is not None:
        key, number = record.incident.player, record.pairing.game
        line = f"game {number}: {record.error}; it loses ({bundle_of(folder, number)})"
    else:
        key, line = record.error, f"game {record.pairing.game} and later: {record.error}"
    if record.error and (type(record), key) not in shown:
        shown.add((type(record), key))
        yield line


def _begin(plan: Plan, ledger: Ledger, workers: int | str, force: bool, taking: TakingPart) -> None:
    try:
        begin(plan, ledger, workers, force=force, found=taking.found or (), left_out=taking.left_out)
    except VersionsChanged as error:
        fail(str(error))
