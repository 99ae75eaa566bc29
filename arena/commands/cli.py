"""The `arena` command: its parts are in `arena.commands`."""

from __future__ import annotations

import logging

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
    """Tournaments, benchmarks and Elo ratings for checkers and draughts programs.

    Begin with `arena play`, or with `arena init` and `arena run arena.yaml`.
    """
    # Weights that an installed font lacks are no news to whom reads a command's output.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


GROUPS = {
    "Play": {
        play: "a game against any player, in the terminal or the browser",
        serve: "the page: a board to play on, and runs to watch",
        hub: "offer a player to programs that speak Hub",
    },
    "Tournaments": {
        init: "write an example configuration and heuristic",
        doctor: "list what is wrong with a configuration",
        plan: "how long a run will take, what it can detect",
        run: "play a tournament, or resume it; write its report",
        replay: "play a game of a run again, and compare",
    },
    "Look": {
        report: "write the report of a run again",
        reports: "list all runs, with an index page",
        status: "how far a run is, and who leads",
        watch: "follow a run until it is complete",
        rate: "rate the players of PDN, CSV and runs",
        compare: "compare two runs or files",
    },
    "Positions": {
        show: "a position on a board, as text or SVG",
        analyse: "the best moves of a position",
        evaluate: "what a position is worth",
        perft: "count the move tree",
        openings: "list or draw openings",
    },
    "Learn": {
        check: "examine an evaluation for mistakes",
        tune: "find weights of an evaluation",
        train: "train a network",
    },
    "Develop": {
        players: "players, options, evaluations, features",
        variants: "the rule sets, or all rules of one",
        schema: "the JSON schema of configurations",
        bench: "measure speeds on this machine",
    },
}
"""The commands in the order of the help, each with its line there."""

for group in GROUPS.values():
    for command, line in group.items():
        command.short_help = line
        main.add_command(command)
main.groups = {title: [str(command.name) for command in group] for title, group in GROUPS.items()}
