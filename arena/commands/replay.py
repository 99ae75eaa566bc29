"""The command that plays a game of a run again."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import click

from arena.commands.common import announcing_compilation
from arena.commands.output import echo, fail, show_table
from arena.ledger.game import stored_game
from arena.ledger.record import GameRecord, Task
from arena.ledger.store import StoreError
from arena.play.match import play
from arena.play.replay import changed_files, difference, movers, task_of, timed
from arena.rules.notation import fen

_HEADER = ("ply", "player", "move", "nodes", "score", "seconds")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("game", type=click.IntRange(1))
def replay(run: Path, game: int) -> None:
    """Play game number GAME of the run in folder RUN again, from what its ledger has.

    Prints its moves, the result, and the first difference from the game that is stored. Exits with 1 if there is
    one. The run is left as it is.
    """
    try:
        stored = stored_game(run, game)
        task = task_of(stored)
    except StoreError as error:
        fail(str(error))
    _print_head(task, changed_files(stored, task))
    with announcing_compilation():
        again = play(task)
    _print_moves(task, again)
    differs = difference(task, stored.record(task.pairing), again)
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
    echo(f"{again.result} by {again.termination}, {again.plies} plies, {again.seconds:.3g} s")
    if again.error:
        echo(again.error)
