"""Commands that look before anything is played: check, doctor, plan."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.base.number import duration
from arena.base.wording import counted, cut, listed
from arena.commands.options import VARIANT, json_option, workers_option
from arena.commands.output import echo, say
from arena.commands.waiting import CheckProgress, Terminal
from arena.experiment.code import playing_in
from arena.experiment.load import load_all
from arena.experiment.yaml.errors import ConfigError
from arena.experiment.yaml.values import inline
from arena.play.carry_out import available
from arena.play.cluster import worker_count
from arena.play.parts import diagnose
from arena.play.pilot import Expectation, expectation, pilot
from arena.play.prepare import Tournament, prepare
from arena.play.workers import Workers, kept_workers
from arena.rules.board import board_text
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from arena.watch.observer import announcing
from players.examine import examined
from players.finding import Finding

_PRINTED_LINES = 5
"""Lines of what a player printed that the doctor shows, the last ones."""


@click.command()
@click.argument("evaluation")
@click.argument("variant", type=VARIANT, default="english")
def check_command(evaluation: str, variant: Variant) -> None:
    """Examine an EVALUATION, file.py:function or what else a configuration takes, on positions of VARIANT.

    Of a file alone its only @evaluator is examined.

    Is it finite, below the scores of wins, right in sign, from the side to move's view, and how fast is it? The
    exit code is 1 if something is wrong.
    """
    names = list(playing_in(Path(evaluation), "evaluation")) if evaluation.endswith(".py") else []
    evaluation = f"{evaluation}:{names[0]}" if len(names) == 1 else evaluation
    examination = examined(inline(evaluation, "EVALUATION"), variant)
    echo(f"{evaluation}, {variant.name}")
    for finding in examination.findings:
        echo(f"  {finding.level:8} {finding.words}")
    if examination.nanoseconds is not None:
        echo(f"  {examination.nanoseconds:.0f} ns a call, {examination.simple:.0f} ns for simple")
    for position, value in examination.shown:
        echo(f"\n{board_text(variant, position)}, value for {COLOURS[position.turn].capitalize()}: {value:.6g}")
    _end(examination.findings)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
def doctor_command(config: Path) -> None:
    """List everything that is wrong with CONFIG before it is played.

    Every player is built, and your own play a few short games: are their moves legal, their limits kept, and their
    moves the same from the same seed, whatever they played before? Evaluations are examined as `arena check` does.
    The last lines that a player printed are shown.
    The exit code is 1 if there are problems.
    """
    findings: list[Finding] = []
    try:
        experiments = load_all(config)
    except ConfigError as error:
        try:
            experiments = load_all(config, are_tried=True)
        except ConfigError:
            raise error from None
        for problem in error.problems:
            if problem.keys[-1:] == ("name",):
                echo(problem.in_line())
                findings.append(Finding("error", said=problem.message))
    looking = CheckProgress()
    with announcing(looking.say):
        for run, experiment in experiments.items():
            about = f"{run}: " if run else ""

            def say_of_run(text: str, about: str = about) -> None:
                looking.say(about + text)

            folder = Path("reports") / experiment.name / run
            for finding in diagnose(experiment, folder, say_of_run, looking):
                findings.append(finding)
                warning = " (warning)" if finding.level == "warning" else ""
                printed = [f"  | {cut(line)}" for line in finding.output.splitlines()[-_PRINTED_LINES:]]
                echo("\n".join([f"{about}{finding.where}: {finding.words}{warning}", *printed]))
    _end(findings)


def _end(findings: Sequence[Finding]) -> None:
    """Print how many problems there are, and exit with 1 if there is an error."""
    errors = sum(finding.level == "error" for finding in findings)
    warnings = sum(finding.level == "warning" for finding in findings)
    also = f", {counted(warnings, 'warning')}" if warnings else ""
    echo(f"\n{counted(errors, 'problem') if errors else 'no problems'}{also}")
    sys.exit(1 if errors else 0)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--pilot", "games", type=click.IntRange(1), metavar="N", help="Games to play [some seconds of them]."
)
@workers_option
@json_option
@kept_workers()
def plan_command(config: Path, games: int | None, workers: Workers | None, as_json: bool) -> None:
    """Say how long CONFIG will take and what Elo it can resolve.

    A few games, on the workers that the run will have, measure time and draws; they are not kept.
    """
    documents = {}
    seconds = 0.0
    experiments = load_all(config)
    folder = Path("reports") / next(iter(experiments.values())).name
    tournaments = {run: prepare(experiment, folder / run, Terminal()) for run, experiment in experiments.items()}
    for run, tournament in tournaments.items():
        experiment = tournament.experiment
        _check_pilot(tournament, config, games)
        used = available(workers or experiment.workers, say, experiment.players)
        processes = used if isinstance(used, int) else worker_count(used)
        if not processes:
            raise ArenaError(f"{used} has no workers yet, on which games would be measured")
        expected = expectation(tournament, pilot(tournament, used, games), processes)
        seconds += expected.seconds
        document = {"name": experiment.name, "format": experiment.format.type, "workers": processes}
        documents[run] = document | expected._asdict()
        if not as_json:
            name = f"{experiment.name}/{run}" if run else experiment.name
            variant = tournament.variant.name
            echo(f"{name}: {experiment.format.type}, {variant}, {len(tournament.players)} players")
            echo(f"  {_parts(tournament, expected)}")
            for line in tournament.openings.notes:
                echo(f"  {line}")
            _print_expected(expected, processes, _most(tournament))
    if as_json:
        click.echo(json.dumps(documents.get("", documents)))
    elif len(documents) > 1:
        echo(f"all {len(documents)} runs: {duration(seconds)}")


def _check_pilot(tournament: Tournament, config: Path, games: int | None) -> None:
    """Raise ArenaError if there is nothing to measure, or if a pilot would cost money."""
    if tournament.info.games == 0:
        raise ArenaError(f"{config} has no games to plan")
    if tournament.costly and games is None:
        echo(f"{tournament.experiment.name}: {_most(tournament)}{tournament.info.games} games")
        players = listed(tournament.costly)
        raise ArenaError(f"{players} would cost money: --pilot GAMES measures that many games")


def _most(tournament: Tournament) -> str:
    return "" if tournament.info.exact else "at most "


def _parts(tournament: Tournament, expected: Expectation) -> str:
    """What a tournament consists of, besides its games the searches after them."""
    most, players = _most(tournament), len(tournament.players)
    all_meet = tournament.info.games == expected.games_per_pairing * math.comb(players, 2)
    whom = "any two players" if all_meet else "two players who meet"
    parts = [f"{most}{tournament.info.games} games, {most}{expected.games_per_pairing} of {whom}"]
    if searches := len(tournament.questions([])):
        names = listed([suite.name for suite in tournament.suites])
        parts.append(f"{searches:,} searches of the positions of {names}")
    return "; ".join(parts)


def _print_expected(expected: Expectation, workers: int, most: str) -> None:
    error = expected.seconds_per_game_error
    each = f"{expected.seconds_per_game:.3g}" + ("" if error is None else f" ± {error:.2g}")
    share = "" if error is None else f" ± {100 * error * expected.games / workers / expected.seconds:.0f} %"
    pilot_games = f"{counted(expected.pilot_games, 'game')}, {100 * expected.draw_rate:.0f} % draws"
    echo(f"  {most}{duration(expected.seconds)}{share} on {counted(workers, 'worker')}")
    if expected.loading is None:
        loading = (
            "with what each worker loads before its first one: --pilot GAMES with more of them tells these apart"
        )
    else:
        loading = f"and {duration(expected.loading)} for each worker to load what it needs"
    echo(f"  {each} s a game, by a pilot of {pilot_games}, {loading}")
    echo(f"  one pairing's games show a difference of {expected.pairing_elo:.0f} Elo with a chance of 80 %")
