"""Commands about tournaments: plan, run, report."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.common import WorkersType, announce_workers, fail, interruptible, say

if TYPE_CHECKING:
    from arena.play.pilot import Expectation
    from arena.play.plan import Plan
    from arena.record import GameRecord
    from arena.report.run import Run
    from arena.store.ledger import Ledger


INCIDENTS, STOPPED = 3, 130
"""Exit codes of a run: it is complete, but players failed in games; it is not complete."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@click.option(
    "--workers", type=WorkersType(), help="Processes that play games, or a Dask scheduler [one process a core]."
)
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@click.option("--force", is_flag=True, help="Go on even if players play otherwise than when the run began.")
def run(config: Path, out: Path | None, workers: int | str | None, quiet: bool, force: bool) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, as the report's first lines say; 130: stopped.
    """
    _with_one_thread()
    prepared = _prepared(config)
    folder = out or Path("reports") / prepared.experiment.name
    _examine(prepared, folder)
    code = _play(prepared, folder, workers or prepared.experiment.workers or os.cpu_count() or 1, force)
    if quiet:
        click.echo(f"no report; arena report {folder} writes it")
    else:
        _report(folder)
    if code == STOPPED:
        click.echo("stopped; the same command goes on from here")
    sys.exit(code)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--pilot", "games", type=click.IntRange(1), help="Games to play [some seconds of them].")
@click.option("--workers", type=click.IntRange(1), help="Processes that will play games [one a core].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(config: Path, games: int | None, workers: int | None, as_json: bool) -> None:
    """Say how long the tournament of CONFIG will take and what differences in Elo it can resolve.

    A short pilot measures time and draws; its games are not kept.
    """
    from arena.play.pilot import expectation, pilot

    prepared = _prepared(config)
    given = prepared.experiment.workers
    processes = workers or (given if isinstance(given, int) else os.cpu_count()) or 1
    if prepared.games == 0:
        fail(f"{config}: one player alone has no games to plan")
    expected = expectation(prepared, pilot(prepared, games), processes)
    if as_json:
        document = {"name": prepared.experiment.name, "format": prepared.experiment.format.type}
        click.echo(json.dumps(document | {"workers": processes} | expected._asdict()))
        return
    _print_plan(prepared, expected, processes)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--latex", is_flag=True, help="With tables for papers: standings.tex and others, for booktabs.")
@click.option("--moves", is_flag=True, help="With moves.csv and games.pdn, which a large run has not otherwise.")
@click.option("--pdf", is_flag=True, help="With the charts as PDF, too.")
def report(folder: Path, latex: bool, moves: bool, pdf: bool) -> None:
    """Write the tables, charts and the page of the run in FOLDER again, also while it is being played."""
    _with_one_thread()
    _report(folder, latex=latex, moves=moves, pdf=pdf)


def _with_one_thread() -> None:
    """Have linear algebra use one thread, if nothing else is set, before numpy is imported.

    Matrices are small here, and further threads would take the workers' cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _prepared(config: Path) -> Plan:
    """The tournament that a file describes, ready to play; exits with what is wrong."""
    from arena.experiment.load import load
    from arena.yaml.errors import ConfigError

    try:
        experiment = load(config)
        from arena.play.plan import prepare

        told: set[str] = set()

        def compiling(what: str) -> None:
            if what not in told:
                told.add(what)
                say(f"compiling {what}: some seconds, kept for later runs")

        return prepare(experiment, compiling)
    except ConfigError as error:
        fail(str(error))


def _examine(plan: Plan, folder: Path) -> None:
    """Say what is found wrong with code of a user's own before the first game.

    The run goes on: what a player does wrong harms no other.
    """
    from arena.play.doctor import diagnose, is_own
    from arena.store.ledger import FILE

    if (folder / FILE).exists() or not any(map(is_own, plan.players)):
        return
    found = list(diagnose(plan.experiment, folder, drawn=len(plan.openings)))
    for finding in found:
        say(f"{finding.where}: {finding.message}")
    if found:
        say(f"the run goes on; arena doctor {plan.experiment.path} looks closer")


def _play(plan: Plan, folder: Path, workers: int | str, force: bool) -> int:
    """Play what is missing and show progress; returns an exit code: 0, INCIDENTS or STOPPED."""
    from arena.play.engine import EngineError
    from arena.play.executor import WorkerDied
    from arena.play.tournament import RunStopped, play
    from arena.progress import Progress
    from arena.store.ledger import Ledger, failures_of_complete
    from arena.store.store import StoreError

    names = plan.names
    announce_workers(workers)
    try:
        opened = Ledger(folder, plan.experiment, plan.facts)
    except StoreError as error:
        failures = failures_of_complete(folder, plan.experiment, plan.facts)
        if failures is None:
            fail(str(error))
        say(f"the run in {folder} is complete: nothing is played ({error})")
        return INCIDENTS if failures else 0
    try:
        with opened as ledger:
            if ledger.repaired:
                say(ledger.repaired)
            if ledger.complete:
                return _code(ledger)
            _begin(plan, ledger, workers, force)
            if not _measure(plan, ledger, workers):
                return STOPPED
            with Progress(plan.games, exact=plan.exact) as progress:
                progress.resume(ledger.scores())
                told: set[str] = set()
                with interruptible(progress.say) as stopping:
                    for record in play(plan, ledger, workers, stopping):
                        white, black = names[record.pairing.white], names[record.pairing.black]
                        progress.add(white, black, record.result)
                        for line in _once(record, folder, told):
                            progress.say(line)
                progress.end(ledger.scores(), ledger.complete)
            return _code(ledger)
    except RunStopped as error:
        say(f"stopped, as on_failure says: {error}")
        return INCIDENTS
    except StoreError as error:
        fail(str(error))
    except EngineError as error:
        fail(f"{error}; all that is finished is kept in {folder}, and the same command goes on from there")
    except WorkerDied as error:
        fail(f"{error} ends the process that plays it; all that is finished is kept in {folder}")


def _code(ledger: Ledger) -> int:
    """The exit code of a run whose games as far as they are played are stored."""
    if not ledger.complete:
        return STOPPED
    return INCIDENTS if any(ledger.failures()) else 0


def _once(record: GameRecord, folder: Path, told: set[str]) -> Iterator[str]:
    """A line on a game's failure, once for each player: when it fails, and when it is withdrawn."""
    from arena.play.failures import bundle_of

    incident, number = record.incident, record.pairing.game
    if incident is not None and incident.player not in told:
        told.add(incident.player)
        yield f"game {number}: {record.error}; it loses ({bundle_of(folder, number)})"
    elif incident is None and record.error and record.error not in told:
        told.add(record.error)
        yield f"game {number} and later: {record.error}"


def _begin(plan: Plan, ledger: Ledger, workers: int | str, force: bool) -> None:
    """Write in the manifest that the run begins or goes on; exits if a player changed, unless forced."""
    from arena.play.signature import PlayerChanged, begin

    try:
        changed = begin(plan, ledger, workers, force=force)
    except PlayerChanged as error:
        fail(str(error))
    for player, words in changed.items():
        say(f"{player} plays otherwise than when the run began ({words}); the manifest says so")


def _measure(plan: Plan, ledger: Ledger, workers: int | str) -> bool:
    """Make the searches of the probe that are missing; returns whether none is missing any more."""
    from arena.play.tournament import measure
    from arena.progress import Ticker

    done = len(ledger.probed())
    if done == plan.searches:
        return True
    at_fault: set[str] = set()
    ticker = Ticker()
    with interruptible(say) as stopping:
        for record in measure(plan, ledger, workers, stopping):
            done += 1
            if record.error and record.player not in at_fault:
                at_fault.add(record.player)
                say(f"{record.player} cannot be measured at position {record.position}: {record.error}")
            if ticker.due() or done == plan.searches:
                say(f"{done}/{plan.searches} searches to a fixed depth")
    return done == plan.searches


def _report(folder: Path, *, latex: bool = False, moves: bool = False, pdf: bool = False) -> None:
    """Write the report of the run in a folder and print what it says first."""
    from arena.report.charts.fonts import without_glyphs
    from arena.report.run import load as load_run
    from arena.report.write import write
    from arena.store.store import StoreError

    try:
        finished = load_run(folder)
        try:
            write(finished, latex=latex, moves=moves, pdf=pdf)
        except OSError as error:
            _print_standings(finished)
            fail(f"the report cannot be written to {folder}: {error.strerror or error}")
    except StoreError as error:
        fail(str(error))
    _print_standings(finished)
    if boxed := without_glyphs(finished.players):
        others = f" and {len(boxed) - 1} more" if len(boxed) > 1 else ""
        click.echo(
            f"no font here has all letters of {boxed[0]}{others}: boxes in PNG and PDF, whole in HTML and SVG"
        )
    click.echo(f"report: {folder / 'report.html'}")


def _print_plan(plan: Plan, expected: Expectation, workers: int) -> None:
    from arena.progress import duration
    from arena.ratings.match import Z95

    experiment, most = plan.experiment, "" if plan.exact else "at most "
    click.echo(f"{experiment.name}: {experiment.format.type}, {plan.variant.name}, {len(plan.players)} players")
    click.echo(f"  {most}{plan.games} games, {most}{expected.games_per_pairing} of any two players")
    error = Z95 * expected.seconds_per_game_error / expected.seconds_per_game * expected.seconds
    pilot = f"{expected.pilot_games} games, {100 * expected.draw_rate:.0f} % draws"
    click.echo(f"  {most}{duration(expected.seconds)} ± {duration(error)} on {workers} processes (pilot: {pilot})")
    if experiment.probe is not None:
        depth = experiment.probe.depth
        click.echo(f"  before them, every player searches {len(plan.probes)} positions to depth {depth}")
    click.echo(f"  the games of one pairing resolve {expected.pairing_elo:.0f} Elo between equal players (95 %)")
    if expected.joint_elo is not None:
        click.echo(f"  the joint rating resolves {expected.joint_elo:.0f} Elo between any two players")
    needed = ", ".join(f"{count} for ±{elo} Elo" for elo, count in expected.games_needed.items())
    click.echo(f"  games that one pairing needs: {needed}")


def _print_standings(finished: Run) -> None:
    from arena.report.sentences.facts import decisions
    from arena.report.sentences.forfeits import forfeits
    from arena.report.tables.text import standings_text

    for sentence in (*forfeits(finished), *decisions(finished)):
        click.echo(sentence)
    click.echo(standings_text(finished.standings).to_string(index=False))
