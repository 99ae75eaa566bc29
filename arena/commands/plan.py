"""The command about a tournament before it is played: plan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.wording import counted, listed
from arena.commands.check import rehearsed
from arena.commands.output import echo
from arena.commands.waiting import Terminal
from arena.experiment.load import load_all
from arena.learning.loop import Rehearsal
from arena.play.pilot import Expectation, expectation
from arena.play.pilot import pilot as pilot_games
from arena.play.prepare import Tournament, prepare
from arena.watch.words import duration


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--pilot", "games", type=click.IntRange(1), help="Games to play [some seconds of them].")
@click.option("--workers", type=click.IntRange(1), help="Processes that will play games [one a core].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(config: Path, games: int | None, workers: int | None, as_json: bool) -> None:
    """Say how long CONFIG, a tournament or a learning run, will take and what Elo it can resolve.

    A few games, on as many processes as the run will have, measure time and draws; they are not kept.
    """
    rehearsal = rehearsed(config)
    documents: dict[str, dict[str, Any]] = {}
    for run, tournament in _tournaments(config, rehearsal).items():
        experiment = tournament.experiment
        _check(tournament, config, games)
        usual = experiment.workers
        processes = workers or (usual if isinstance(usual, int) else os.cpu_count() or 1)
        expected = expectation(tournament, pilot_games(tournament, processes, games), processes)
        if rehearsal:
            of_all = expected.seconds_per_game * rehearsal.games / processes
            expected = expected._replace(games=rehearsal.games, seconds=of_all)
        document = {"name": experiment.name, "format": experiment.format.type, "workers": processes}
        documents[run] = document | expected._asdict()
        if not as_json:
            name = f"{experiment.name}/{run}" if run else experiment.name
            parts = f"{rehearsal.games} games: {rehearsal.parts}" if rehearsal else _parts(tournament, expected)
            variant = tournament.variant.name
            echo(f"{name}: {experiment.format.type}, {variant}, {len(tournament.players)} players")
            echo(f"  {parts}")
            _print(expected, processes, "" if tournament.exact else "at most ")
    if as_json:
        click.echo(json.dumps(documents.get("", documents)))
    elif len(documents) > 1:
        echo(f"all {len(documents)} runs: {duration(sum(one['seconds'] for one in documents.values()))}")


def _tournaments(config: Path, rehearsal: Rehearsal | None) -> dict[str, Tournament]:
    """The tournaments of a file by the names of their runs; exits with what is wrong."""
    if rehearsal:
        return {"": prepare(rehearsal.experiment, observer=Terminal())}
    experiments = load_all(config)
    folder = Path("reports") / next(iter(experiments.values())).name
    return {name: prepare(experiment, folder / name, Terminal()) for name, experiment in experiments.items()}


def _check(tournament: Tournament, config: Path, games: int | None) -> None:
    """Say what the pilot may do; exits if there is nothing to measure, or if it would cost money."""
    if tournament.games == 0:
        raise ArenaError(f"{config}: one player alone has no games to plan")
    if tournament.costly and games is None:
        most = "" if tournament.exact else "at most "
        echo(f"{tournament.experiment.name}: {most}{tournament.games} games")
        raise ArenaError(
            f"{listed(sorted(tournament.costly))} would cost money: --pilot GAMES measures that many games"
        )


def _parts(tournament: Tournament, expected: Expectation) -> str:
    """What a tournament consists of, besides its games the searches before and after them."""
    most = "" if tournament.exact else "at most "
    parts = [f"{most}{tournament.games} games, {most}{expected.games_per_pairing} of any two players"]
    if (probe := tournament.experiment.probe) is not None:
        parts.append(f"before them {tournament.searches:,} searches to depth {probe.depth}")
    if tournament.suites:
        names = listed([suite.name for suite in tournament.suites])
        parts.append(f"after them {tournament.questions:,} searches of the positions of {names}")
    return "; ".join(parts)


def _print(expected: Expectation, workers: int, most: str) -> None:
    error = expected.seconds_per_game_error
    each = f"{expected.seconds_per_game:.3g}" + ("" if error is None else f" ± {error:.2g}")
    share = "" if error is None else f" ± {100 * error / expected.seconds_per_game:.0f} %"
    pilot = f"{counted(expected.pilot_games, 'game')}, {100 * expected.draw_rate:.0f} % draws"
    echo(f"  {most}{duration(expected.seconds)}{share} of games on {counted(workers, 'worker')}")
    echo(f"  {each} s a game, by a pilot of {pilot}")
    echo(f"  one pairing's games can detect a difference of {expected.pairing_elo:.0f} Elo (95 %)")
