"""The `arena` command: its parts are in `arena.commands`."""

from __future__ import annotations

import click

from arena.commands.analyse import analyse
from arena.commands.catalogue import bench, players, schema, variants
from arena.commands.check import check, doctor
from arena.commands.group import Commands
from arena.commands.hub import hub
from arena.commands.init import init
from arena.commands.live import status, watch
from arena.commands.plan import plan
from arena.commands.play import play
from arena.commands.ratings import compare, rate
from arena.commands.replay import replay
from arena.commands.reports import reports
from arena.commands.rules import evaluate, openings, perft
from arena.commands.serve import serve
from arena.commands.show import show
from arena.commands.tournaments import report, run
from arena.commands.training import train
from arena.commands.tuning import tune


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="draughts-arena")
def main() -> None:
    """Tournaments, benchmarks and Elo ratings for checkers and draughts programs."""


for command in (
    init,
    play,
    doctor,
    run,
    plan,
    report,
    reports,
    status,
    watch,
    replay,
    rate,
    compare,
    tune,
    train,
    perft,
    show,
    analyse,
    serve,
    evaluate,
    check,
    openings,
    hub,
    players,
    variants,
    schema,
    bench,
):
    main.add_command(command)
