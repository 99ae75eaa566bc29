"""The command about a tournament before it is played: plan."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from arena.base.number import percent
from arena.base.wording import counted, listed
from arena.commands.check import rehearsed
from arena.commands.common import announcing_compilation
from arena.commands.output import echo, fail, say
from arena.experiment.load import load_all
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.learning.driver import Rehearsal
from arena.ledger.ledger import Ledger
from arena.ledger.record import GameRecord
from arena.play.doctor import TakingPart, diagnose, is_own, taking_part
from arena.play.engine import EngineError
from arena.play.executor import WorkerDied, usual_workers
from arena.play.expectation import Costs, Expectation, expectation
from arena.play.pilot import Pilot, pilot
from arena.play.plan import Plan, prepare
from arena.play.signature import signatures
from arena.play.tournament import RunPaused
from arena.report.load import load as load_run
from arena.report.write import write
from arena.rules.notation import fen
from arena.watch.words import duration
from players.engines.program import waiting_announced

LONG = 600.0
"""Seconds of a run beside which those of its report need not be measured."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--pilot", "games", type=click.IntRange(1), help="Games to play [some seconds of them].")
@click.option("--workers", type=click.IntRange(1), help="Processes that will play games [one a core].")
@click.option(
    "--elo",
    "differences",
    type=float,
    multiple=True,
    help="Assumed difference at which a sequential test's length is wanted [elo0, elo1 and halfway].",
)
@click.option("--no-report", "quiet", is_flag=True, help="Without the time of the report.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(
    config: Path,
    games: int | None,
    workers: int | None,
    differences: tuple[float, ...],
    quiet: bool,
    as_json: bool,
) -> None:
    """Say how long CONFIG, a tournament, a tuning or a training, will take and what Elo it can resolve.

    A short pilot measures time and draws on as many processes as the run will have, and its report, which is not
    kept. It measures the machine as it is, with what else runs on it.
    """
    began = time.perf_counter() - time.process_time()
    rehearsal = rehearsed(config)
    experiments = {"": rehearsal.experiment} if rehearsal else loaded_all(config)
    documents: dict[str, dict[str, Any]] = {}
    for run, given in experiments.items():
        compiled: list[str] = []
        folder = Path("reports") / given.name / run
        experiment = given if rehearsal else taking_part_of(given, folder).experiment
        prepared = prepared_of(experiment, compiled.append)
        _check(prepared, config, games, differences)
        usual = experiment.workers
        processes = workers or (usual if isinstance(usual, int) else usual_workers(experiment.players))
        report = rehearsal is None and not quiet
        expecting = partial(expectation, differences=differences)
        expected = _measured(prepared, processes, games, began, expecting, compiled=bool(compiled), report=report)
        began = time.perf_counter()
        if rehearsal:
            expected = _of_all(expected, rehearsal)
        document = {"name": experiment.name, "format": experiment.format.type, "workers": processes}
        documents[run] = document | expected._asdict() | {"sprt": [it._asdict() for it in expected.sprt]}
        if as_json:
            continue
        if rehearsal:
            _print_learning(prepared, expected, rehearsal, processes)
        else:
            _print(prepared, expected, processes, run)
    if as_json:
        click.echo(json.dumps(documents.get("", documents)))
    elif len(documents) > 1:
        echo(f"all {len(documents)} runs: {duration(sum(one['seconds'] for one in documents.values()))}")


def _check(plan: Plan, config: Path, games: int | None, differences: tuple[float, ...]) -> None:
    """Exit if there is nothing to measure, if it would cost money, or if `differences` are of no test."""
    if plan.games == 0:
        fail(f"{config}: one player alone has no games to plan")
    if plan.costly and games is None:
        echo(f"{plan.experiment.name}: {'' if plan.exact else 'at most '}{plan.games} games")
        fail(f"{listed(sorted(plan.costly))} would cost money: --pilot GAMES measures that many games")
    if differences and plan.experiment.sprt is None:
        fail(f"{config}: '--elo' is about a sequential test, and this run has none: 'sprt' makes one")


def loaded_all(config: Path) -> dict[str, Experiment]:
    """The tournaments in a file by the names of their runs, as `load_all` reads them; exits with what is wrong."""
    try:
        return load_all(config)
    except ConfigError as error:
        fail(str(error))


def taking_part_of(experiment: Experiment, folder: Path) -> TakingPart:
    """Who takes part in a tournament whose run is kept in `folder`; exits if they are too few."""
    try:
        with announcing_compilation():
            return taking_part(experiment, folder, say)
    except ConfigError as error:
        fail(str(error))


def prepared_of(experiment: Experiment, compiled: Callable[[str], object] = lambda _: None) -> Plan:
    """A tournament ready to play; exits with what is wrong.

    `compiled` is called with the names of what had to be compiled for it.
    """
    try:
        announced: set[str] = set()

        def compiling(what: str) -> None:
            compiled(what)
            if what not in announced:
                announced.add(what)
                say(f"compiling {what}: some seconds, kept for later runs")

        with waiting_announced(say):
            return prepare(experiment, compiling)
    except ConfigError as error:
        fail(str(error))


def _measured(
    plan: Plan,
    workers: int,
    games: int | None,
    began: float,
    expecting: Callable[[Plan, Pilot, Costs], Expectation],
    *,
    compiled: bool,
    report: bool,
) -> Expectation:
    """The expectation after a pilot and its report, for a command that began at `began` (`time.perf_counter`).

    Where something was compiled, the time to the first game is taken from the workers, which find it compiled.
    """
    ready = time.perf_counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        examined = _examination_seconds(plan, folder)
        try:
            with Ledger(folder, plan.experiment, plan.facts) as ledger:
                found = pilot(plan, workers, games, _storing(plan, ledger))
        except WorkerDied as error:
            fail(f"{error} ends the process that plays it")
        except (EngineError, RunPaused) as error:
            fail(str(error))
        start = examined + (found.start_seconds if compiled else ready - began)
        without = expecting(plan, found, Costs(start))
        if not report:
            return without
        measured = _report_seconds(folder) if without.seconds < LONG else None
        return expecting(plan, found, Costs(start, measured))


def _examination_seconds(plan: Plan, folder: Path) -> float:
    began = time.perf_counter()
    if any(map(is_own, plan.players)):
        list(diagnose(plan.experiment, folder, drawn=len(plan.openings)))
    signatures(plan)
    return time.perf_counter() - began


def _storing(plan: Plan, ledger: Ledger) -> Callable[[GameRecord], None]:
    def store(record: GameRecord) -> None:
        white, black = (plan.names[player] for player in (record.pairing.white, record.pairing.black))
        ledger.add(record, white, black, fen(plan.variant, plan.openings[record.pairing.opening]))

    return store


def _report_seconds(folder: Path) -> float:
    began = time.perf_counter()
    write(load_run(folder))
    return time.perf_counter() - began


def _print(plan: Plan, expected: Expectation, workers: int, run: str) -> None:
    experiment, most = plan.experiment, "" if plan.exact else "at most "
    name = f"{experiment.name}/{run}" if run else experiment.name
    echo(f"{name}: {experiment.format.type}, {plan.variant.name}, {len(plan.players)} players")
    echo(f"  {most}{plan.games} games, {most}{expected.games_per_pairing} of any two players")
    _print_seconds(expected, workers, most)
    if experiment.probe is not None:
        depth = experiment.probe.depth
        echo(f"  before them, every player searches {len(plan.probes)} positions to depth {depth}")
    if plan.suites:
        names, each = listed([suite.name for suite in plan.suites]), plan.questions // len(plan.players)
        echo(f"  after them, every player searches the {each:,} positions of {names}: {plan.questions:,} searches")
    echo(f"  one pairing's games can detect a difference of {expected.pairing_elo:.0f} Elo (95 %)")
    if expected.joint_elo is not None:
        echo(f"  the joint rating can detect {expected.joint_elo:.0f} Elo between any two players")
    needed = ", ".join(f"{count} for ±{elo} Elo" for elo, count in expected.games_needed.items())
    echo(f"  games that one pairing needs: {needed}")
    for line in _early_ends(plan, expected):
        echo(line)


def _early_ends(plan: Plan, expected: Expectation) -> Iterator[str]:
    """After how many pairs a sequential test, or intervals that are narrow enough, are expected to end the run."""
    test, until, openings = plan.experiment.sprt, plan.experiment.until, len(plan.openings)
    if test is not None:
        unit = "normalized Elo" if test.model == "normalized" else "Elo"
        yield f"  the sequential test, if {plan.names[0]} is stronger than {plan.names[1]} by"
        for it in expected.sprt:
            range_ = f"{it.pairs_low:.0f} to {it.pairs_high:.0f} in 9 of 10 tests"
            end = f", {percent(it.stays_open)} are open at the end" if it.stays_open >= 0.0005 else ""
            shown = f"{it.elo:g}".replace("-", "−")
            yield f"    {shown} {unit}: {it.pairs:.0f} pairs, {range_}; {percent(it.accepts_h1)} accept H1{end}"
    if until is not None and expected.until_pairs is not None:
        enough = "" if expected.until_pairs <= openings else f", more than the {counted(openings, 'opening')}"
        pairs = f"{expected.until_pairs} pairs of any two players"
        yield f"  intervals of ±{until.error:g} Elo are expected after {pairs}, if all are equal{enough}"


def _of_all(expected: Expectation, rehearsal: Rehearsal) -> Expectation:
    """The expectation for all games of a tuning or a training, without its fits, from a match's."""
    games = expected.games_seconds * rehearsal.games / expected.most_games
    seconds = expected.seconds - expected.games_seconds + games
    factor = seconds / expected.seconds
    return expected._replace(
        most_games=rehearsal.games,
        seconds=seconds,
        seconds_low=factor * expected.seconds_low,
        seconds_high=factor * expected.seconds_high,
        games_seconds=games,
    )


def _print_learning(plan: Plan, expected: Expectation, rehearsal: Rehearsal, workers: int) -> None:
    echo(f"{plan.experiment.name}: {plan.variant.name}, {rehearsal.games} games")
    echo(f"  {rehearsal.parts}")
    _print_seconds(expected, workers)
    echo("  without the fits between and after the games")
    echo(f"  a match in the end can detect a difference of {expected.pairing_elo:.0f} Elo (95 %)")


def _print_seconds(expected: Expectation, workers: int, most: str = "") -> None:
    between = f"{duration(expected.seconds_low)} to {duration(expected.seconds_high)} in 9 of 10 tries"
    pilot = f"{expected.pilot_games} games, {100 * expected.draw_rate:.0f} % draws"
    echo(f"  {most}{duration(expected.seconds)}, {between}, on {workers} processes (pilot: {pilot})")
    echo(f"  {_parts(expected)}")


def _parts(expected: Expectation) -> str:
    """`start 3 s, games 40 s, report 9 s; other programs take 12 % of the cores`."""
    parts = {
        "start": expected.start_seconds,
        "searches to a fixed depth": expected.probe_seconds,
        "games": expected.games_seconds,
        "suites": expected.suite_seconds,
        "report": expected.report_seconds,
    }
    text = ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts.items() if seconds)
    return f"{text}; other programs take {100 * expected.other_load:.0f} % of the cores"
