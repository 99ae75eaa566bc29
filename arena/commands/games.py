"""Commands about the games of a run that was played: grade, replay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.number import is_nan
from arena.commands.options import workers_option
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal, announcing_compilation, lost_workers
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.load import player_spec
from arena.ledger.game import StoredGame, stored_game
from arena.ledger.ledger import Ledger
from arena.ledger.read import read
from arena.ledger.record import GameRecord
from arena.ledger.store import StoreError
from arena.play.carry_out import available
from arena.play.grading import GradingError, arranged, grade, graded_counts
from arena.play.match import Task, play
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.game import Termination
from arena.rules.notation import fen, parse_fen
from arena.rules.position import WHITE
from arena.rules.result import result_text
from players.identity import MISSING, changes, now, placed
from players.loading import files_of, located
from players.player import EFFORT, PlayerSpec

_COUNTED = ("legal_moves", "pieces", *EFFORT, "score", "plies_to_win")
"""Columns that are the same whenever the same search is made."""


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--pieces",
    type=click.IntRange(0, MOST_PIECES),
    metavar="N",
    help="Most pieces of a position that endgame tables judge; 0: none "
    f"[{USUAL_PIECES}, where the rules have tables].",
)
@click.option("--judge", metavar="ENTRY", help="A player for all other positions: neural@n20000, or YAML.")
@workers_option
def grade_command(folder: Path, pieces: int | None, judge: str | None, workers: int | str | None) -> None:
    """Judge every decision in the games of the run in folder RUN: is there a better move, and what does it gain?

    Endgame tables, made if they are missing, judge positions of few pieces. A judge, a player that looks deeper
    than those it grades, judges all others: `--judge neural@n20000`. Grades are stored in
    the run; with another judge its own are added. Rerun the same command to resume.
    """
    try:
        data = read(folder)
        judging = None if judge is None else player_spec(judge, "--judge")
        grading = arranged(data.experiment, pieces, judging, Path())
    except GradingError as error:
        raise ArenaError(f"--{error.key}: {error}") from None
    used = available(workers, say)
    with lost_workers(folder), announcing_compilation(), Ledger(folder, data.experiment, data.info) as ledger:
        is_whole = grade(grading, ledger, used, Terminal())
    echo(graded_counts(read(folder), grading))
    if not is_whole:
        say("stopped; rerun the same command to resume")
        sys.exit(STOPPED)
    echo(f"a report shows them:\narena report {folder}")


def task_of(stored: StoredGame) -> Task:
    """A worker's task: play a game of a run again.

    Raises StoreError if the game was not played, or needs a file that is missing.
    """
    record, experiment, number = stored.record, stored.experiment, stored.record.game
    if record.termination == Termination.DISQUALIFIED:
        raise StoreError(f"game {number} of {stored.folder} was not played: {record.error}")
    home = experiment.path.parent
    names = [spec.name for spec in experiment.players]
    places = names.index(record.white), names.index(record.black)
    white, black = (located(experiment.players[place], home) for place in places)
    for path, mark in (files_of(white) | files_of(black)).items():
        if mark == MISSING:
            raise StoreError(f"game {number} of {stored.folder} needs {path}, which is not there any more")
    variant = experiment.rule_set
    scheduled = ScheduledGame(number, record.pair, record.round, *places, record.opening - 1)
    opening = parse_fen(variant, record.opening_fen)
    return Task.of(experiment, scheduled, opening, (white, black), stored.info.men)


def changed_files(stored: StoredGame) -> list[str]:
    """The files of the run's players that are not what they were when it began, with their hashes."""
    home, before = Path(stored.info.file).parent, stored.info.files
    return changes(before, placed(now(before, home), home))


def players_by_ply(task: Task) -> tuple[PlayerSpec, PlayerSpec]:
    """The player of the odd plies, then that of the even ones."""
    return (task.white, task.black) if task.opening.turn == WHITE else (task.black, task.white)


def with_time_limit(task: Task) -> list[str]:
    """The players with a time limit, under which a game may differ each time."""
    return [spec.name for spec in (task.white, task.black) if spec.limit.longest is not None]


def difference(task: Task, then: GameRecord, now: GameRecord) -> str:
    """The first difference between a stored game and the same one played again, in words; empty if there is none.

    What a player with a time limit counted is not compared, nor is any time.
    """
    for ply, (old, new) in enumerate(zip(then.table(), now.table(), strict=False)):
        spec = players_by_ply(task)[ply % 2]
        for column in ("move",) if spec.limit.longest is not None else ("move", *_COUNTED):
            if not _equal(old[column], new[column]):
                words = f"{_text(old[column])} in the run, {_text(new[column])} now"
                return f"ply {ply + 1}, {spec.name}: {column} {words}"
    ended, ends = (
        f"{result_text(game.result)} by {game.termination} after {game.plies} plies" for game in (then, now)
    )
    return "" if ended == ends else f"the end: {ended} in the run, {ends} now"


def _equal(value: Any, other: Any) -> bool:
    return bool(value == other) or (is_nan(value) and is_nan(other))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return "none" if is_nan(value) else f"{value:.12g}"


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("game", type=click.IntRange(1))
def replay_command(run: Path, game: int) -> None:
    """Play game number GAME of the run in folder RUN again, from what its ledger has.

    Prints the result, and the first difference from the game that is stored, whose moves `arena show` has. Exits
    with 1 if there is one. The run is left as it is.
    """
    stored = stored_game(run, game)
    task = task_of(stored)
    scheduled = task.scheduled
    echo(f"game {game}, round {scheduled.round}: {task.white.name} (white) against {task.black.name} (black)")
    echo(f"opening {scheduled.opening + 1}: {fen(task.variant, task.opening)}")
    for line in changed_files(stored):
        echo(f"changed since the run began: {line}")
    with announcing_compilation():
        again = play(task)
    echo(f"{result_text(again.result)} by {again.termination}, {again.plies} plies, {again.seconds:.3g} s")
    if again.error:
        echo(again.error)
    differs = difference(task, stored.record, again)
    echo(f"differs from the run at {differs}" if differs else "the same as in the run")
    if differs and with_time_limit(task):
        echo(f"with a time limit, as {' and '.join(with_time_limit(task))} had, a game may differ each time")
    if differs:
        sys.exit(1)
