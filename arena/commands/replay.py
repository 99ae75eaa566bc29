"""The command that plays a game of a run again, and what it finds: what is different."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.commands.common import announcing_compilation
from arena.commands.output import echo, show_table
from arena.experiment.formats.base import Pairing
from arena.ledger.game import StoredGame, stored_game
from arena.ledger.record import GameRecord
from arena.ledger.store import StoreError
from arena.play.match import Task, play
from arena.rules.custom import build_variant
from arena.rules.game import Termination
from arena.rules.notation import fen, parse_fen
from arena.rules.position import WHITE
from arena.rules.result import result_text
from players.loading import fingerprints, located
from players.player import EFFORT, PlayerSpec

_COUNTED = ("legal_moves", "pieces", *EFFORT, "score", "plies_to_win")
"""Columns that are the same whenever the same search is made."""


def task_of(stored: StoredGame) -> Task:
    """A worker's task: play a game of a run again.

    A player's relative files are looked for beside the configuration, then in the working directory. Raises
    StoreError if the game was not played, or needs a file that is missing.
    """
    record, experiment, number = stored.record, stored.experiment, stored.record.game
    if record.termination == Termination.DISQUALIFIED:
        raise StoreError(f"game {number} of {stored.folder} was not played: {record.error}")
    home = Path(stored.info.file).parent
    names = [spec.name for spec in experiment.players]
    places = names.index(record.white), names.index(record.black)
    white, black = (located(experiment.players[place], home) for place in places)
    for name, found in _files(white, black).items():
        if found == "missing":
            raise StoreError(f"game {number} of {stored.folder} needs {name}, which is not in {home} any more")
    variant = build_variant(experiment.variant)
    pairing = Pairing(number, record.pair, record.round, *places, record.opening - 1)
    opening = parse_fen(variant, record.opening_fen)
    given = experiment.seed, experiment.max_plies, experiment.allowance, experiment.adjudicate
    men = stored.info.men
    return Task(pairing, variant, opening, white, black, *given, (men.get(white.name), men.get(black.name)))


def changed_files(stored: StoredGame, task: Task) -> list[str]:
    """The user's own files that are not what they were when the run began, by name."""
    return [name for name, now in _files(task.white, task.black).items() if stored.info.files.get(name) != now]


def movers(task: Task) -> tuple[PlayerSpec, PlayerSpec]:
    """The player of the odd plies, then that of the even ones."""
    return (task.white, task.black) if task.opening.turn == WHITE else (task.black, task.white)


def timed(task: Task) -> list[str]:
    """The players with a time limit, under which a game may differ each time."""
    return [spec.name for spec in (task.white, task.black) if spec.limit.longest is not None]


def difference(task: Task, then: GameRecord, now: GameRecord) -> str:
    """The first difference between a stored game and the same one played again, in words; empty if there is none.

    What a player with a time limit counted is not compared, nor is any time.
    """
    for ply, (old, new) in enumerate(zip(then.table(), now.table(), strict=False)):
        spec = movers(task)[ply % 2]
        for column in ("move",) if spec.limit.longest is not None else ("move", *_COUNTED):
            if not _equal(old[column], new[column]):
                words = f"{_text(old[column])} in the run, {_text(new[column])} now"
                return f"ply {ply + 1}, {spec.name}: {column} {words}"
    ends = [f"{result_text(one.result)} by {one.termination} after {one.plies} plies" for one in (then, now)]
    return "" if ends[0] == ends[1] else f"the end: {ends[0]} in the run, {ends[1]} now"


def _files(white: PlayerSpec, black: PlayerSpec) -> dict[str, str]:
    return fingerprints(white) | fingerprints(black)


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) or (isinstance(one, np.floating) and bool(np.isnan(one) and np.isnan(other)))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return "none" if isinstance(value, np.floating) and np.isnan(value) else f"{value:.12g}"


_HEADER = ("ply", "player", "move", "nodes", "score", "seconds")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("game", type=click.IntRange(1))
def replay(run: Path, game: int) -> None:
    """Play game number GAME of the run in folder RUN again, from what its ledger has.

    Prints its moves, the result, and the first difference from the game that is stored. Exits with 1 if there is
    one. The run is left as it is.
    """
    stored = stored_game(run, game)
    task = task_of(stored)
    _print_head(task, changed_files(stored, task))
    with announcing_compilation():
        again = play(task)
    _print_moves(task, again)
    differs = difference(task, stored.record, again)
    echo(f"differs from the run at {differs}" if differs else "the same as in the run")
    if differs and timed(task):
        echo(f"with a time limit, as {' and '.join(timed(task))} had, a game may differ each time")
    if differs:
        sys.exit(1)


def _print_head(task: Task, changed: list[str]) -> None:
    pairing = task.pairing
    players = f"{task.white.name} (white) against {task.black.name} (black)"
    echo(f"game {pairing.game}, round {pairing.round}: {players}")
    echo(f"opening {pairing.opening + 1}: {fen(task.variant, task.opening)}")
    for name in changed:
        echo(f"{name} has changed since the run began")


def _print_moves(task: Task, again: GameRecord) -> None:
    names = [spec.name for spec in movers(task)]
    rows = [
        (
            str(ply + 1),
            names[ply % 2],
            move["move"].decode(),
            str(move["nodes"]),
            "" if math.isnan(move["score"]) else f"{move['score']:.6g}",
            f"{move['seconds']:.6f}",
        )
        for ply, move in enumerate(again.table())
    ]
    show_table(_HEADER, rows)
    echo(f"{result_text(again.result)} by {again.termination}, {again.plies} plies, {again.seconds:.3g} s")
    if again.error:
        echo(again.error)
