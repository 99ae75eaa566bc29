"""Command `tables`: endgame tables, made if they are not there yet."""

from __future__ import annotations

import sys

import click

from arena.base.number import quantity
from arena.commands.common import VARIANT, announcing_compilation
from arena.commands.output import STOPPED, echo, say
from arena.commands.waiting import Terminal
from arena.play.grading import make_tables
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.tables import folder_of
from arena.rules.variants import Variant


@click.command()
@click.argument("variant", type=VARIANT, default="english")
@click.option(
    "--pieces", type=click.IntRange(2, MOST_PIECES), default=USUAL_PIECES, show_default=True, help="Of both sides."
)
def tables(variant: Variant, pieces: int) -> None:
    """Solve every ending of VARIANT with few pieces: win, draw or loss, and the plies to the end.

    What is solved is kept in the cache folder. Ctrl-C stops; the same command resumes.
    """
    try:
        with announcing_compilation():
            make_tables(variant, pieces, Terminal())
    except KeyboardInterrupt:
        say("stopped; what is solved is kept; rerun the same command to resume")
        sys.exit(STOPPED)
    folder = folder_of(variant)
    echo(f"{folder}: {quantity(sum(path.stat().st_size for path in folder.glob('*.npy')), 'B')}")
