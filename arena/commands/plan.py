"""The command about a tournament before it is played: plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arena.base.wording import counted, listed
from arena.commands.check import rehearsed
from arena.commands.common import announcing_compilation
from arena.commands.output import echo, fail, say
from arena.experiment.load import load_all
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.play.doctor import TakingPart, taking_part, unguarded
from arena.play.pilot import Expectation, expectation, pilot
from arena.play.plan import Plan, prepare
from arena.play.tournament import RunPaused
from arena.play.workers import EngineError, WorkerDied, usual_workers
from arena.watch.words import duration
from players.engines.program import waiting_announced


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--pilot", "games", type=click.IntRange(1), help="Games to play [some seconds of them].")
@click.option("--workers", type=click.IntRange(1), help="Processes that will play games [one a core].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(config: Path, games: int | None, workers: int | None, as_json: bool) -> None:
    """Say how long CONFIG, a tournament, a tuning or a training, will take and what Elo it can resolve.

    A few games, on as many processes as the run will have, measure time and draws; they are not kept.
    """
    rehearsal = rehearsed(config)
    experiments = {"": rehearsal.experiment} if rehearsal else loaded_all(config)
    documents: dict[str, dict[str, Any]] = {}
    for run, given in experiments.items():
        folder = Path("reports") / given.name / run
        taking = TakingPart(given) if rehearsal else taking_part_of(given, folder)
        experiment = taking.experiment
        prepared = prepared_of(experiment)
        _check(prepared, config, games)
        if taking.found is None and (line := unguarded(experiment)):
            say(line)
        usual = experiment.workers
        processes = workers or (usual if isinstance(usual, int) else usual_workers())
        expected = _measured(prepared, processes, games)
        if rehearsal:
            of_all = expected.seconds_per_game * rehearsal.games / processes
            expected = expected._replace(games=rehearsal.games, seconds=of_all)
        document = {"name": experiment.name, "format": experiment.format.type, "workers": processes}
        documents[run] = document | expected._asdict()
        if not as_json:
            name = f"{experiment.name}/{run}" if run else experiment.name
            parts = f"{rehearsal.games} games: {rehearsal.parts}" if rehearsal else _parts(prepared, expected)
            echo(f"{name}: {experiment.format.type}, {prepared.variant.name}, {len(prepared.players)} players")
            echo(f"  {parts}")
            _print(expected, processes, "" if prepared.exact else "at most ")
    if as_json:
        click.echo(json.dumps(documents.get("", documents)))
    elif len(documents) > 1:
        echo(f"all {len(documents)} runs: {duration(sum(one['seconds'] for one in documents.values()))}")


def _check(plan: Plan, config: Path, games: int | None) -> None:
    """Exit if there is nothing to measure, or if it would cost money."""
    if plan.games == 0:
        fail(f"{config}: one player alone has no games to plan")
    if plan.costly and games is None:
        echo(f"{plan.experiment.name}: {'' if plan.exact else 'at most '}{plan.games} games")
        fail(f"{listed(sorted(plan.costly))} would cost money: --pilot GAMES measures that many games")


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


def prepared_of(experiment: Experiment) -> Plan:
    """A tournament ready to play; exits with what is wrong."""
    try:
        announced: set[str] = set()

        def compiling(what: str) -> None:
            if what not in announced:
                announced.add(what)
                say(f"compiling {what}: some seconds, kept for later runs")

        with waiting_announced(say):
            return prepare(experiment, compiling)
    except ConfigError as error:
        fail(str(error))


def _measured(plan: Plan, workers: int, games: int | None) -> Expectation:
    """The expectation after a pilot; exits if its games cannot be played."""
    try:
        return expectation(plan, pilot(plan, workers, games), workers)
    except WorkerDied as error:
        fail(f"{error} ends the process that plays it")
    except (EngineError, RunPaused) as error:
        fail(str(error))


def _parts(plan: Plan, expected: Expectation) -> str:
    """What a tournament consists of, besides its games the searches before and after them."""
    most = "" if plan.exact else "at most "
    parts = [f"{most}{plan.games} games, {most}{expected.games_per_pairing} of any two players"]
    if (probe := plan.experiment.probe) is not None:
        parts.append(f"before them {plan.searches:,} searches to depth {probe.depth}")
    if plan.suites:
        names = listed([suite.name for suite in plan.suites])
        parts.append(f"after them {plan.questions:,} searches of the positions of {names}")
    return "; ".join(parts)


def _print(expected: Expectation, workers: int, most: str) -> None:
    error = expected.seconds_per_game_error
    each = f"{expected.seconds_per_game:.3g}" + ("" if error is None else f" ± {error:.2g}")
    share = "" if error is None else f" ± {100 * error / expected.seconds_per_game:.0f} %"
    pilot = f"{counted(expected.pilot_games, 'game')}, {100 * expected.draw_rate:.0f} % draws"
    echo(f"  {most}{duration(expected.seconds)}{share} of games on {counted(workers, 'worker')}")
    echo(f"  {each} s a game, by a pilot of {pilot}")
    echo(f"  one pairing's games can detect a difference of {expected.pairing_elo:.0f} Elo (95 %)")
    if expected.joint_elo is not None:
        echo(f"  the joint rating can detect {expected.joint_elo:.0f} Elo between any two players")
    needed = ", ".join(f"{count} for ±{elo} Elo" for elo, count in expected.games_needed.items())
    echo(f"  games that one pairing needs: {needed}")
