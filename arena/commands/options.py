"""Types and options that several commands have."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.base.errors import ArenaError
from arena.experiment.model import checked_workers
from arena.experiment.yaml.values import inline
from arena.rules.custom import build_variant
from arena.rules.pdn.result import WINNERS
from arena.rules.variants import VARIANTS, Variant


class WorkersType(click.ParamType):
    """Processes of this machine, or the address of a Dask scheduler."""

    name = "workers"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N|ADDRESS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        workers: int | str
        try:
            workers = checked_workers(int(value) if str(value).isdecimal() else value)
            return workers
        except ValueError as error:
            self.fail(str(error), param, ctx)


class FiniteType(click.ParamType):
    """A number that is not infinite."""

    name = "number"

    def __init__(self, is_positive: bool = False) -> None:
        self._is_positive = is_positive

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(click.FLOAT.convert(value, param, ctx))
        if not math.isfinite(number) or (self._is_positive and number <= 0):
            self.fail(f"{value} is not a finite number{' above 0' * self._is_positive}", param, ctx)
        return number


class GamesType(click.ParamType):
    """A number of games, or all."""

    name = "games"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "all|N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value == "all":
            return sys.maxsize
        if not str(value).isdecimal():
            self.fail(f"{value!r} is neither all nor a number of games", param, ctx)
        return int(value)


class VariantType(click.ParamType):
    """Rules: a name, or YAML as `variant:` of a configuration has it."""

    name = "variant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Variant:
        return value if isinstance(value, Variant) else build_variant(inline(str(value), "VARIANT"))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in VARIANTS if name.startswith(incomplete)]


VARIANT, FINITE, POSITIVE = VariantType(), FiniteType(), FiniteType(is_positive=True)
MOST_NODES = 2**63 - 1
"""Positions of a search, which kernels count in 64 bits."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="The source of all chance [0]."
)
workers_option = click.option(
    "--workers", type=WorkersType(), help="Processes that play games, or a Dask scheduler [one process a core]."
)
watch_option = click.option(
    "--watch",
    "is_watched",
    is_flag=True,
    help="Play again whenever a player's file is saved, and compare with the version before, until Ctrl-C.",
)
first_option = click.option(
    "--first",
    type=click.Choice(["white", "black"]),
    help="Who moves first [as the run or the PDN's GameType says, else white].",
)
results_option = click.option(
    "--results",
    type=click.Choice(WINNERS),
    help="Whose win 1-0 is [the first mover's in PDN, White's in CSV].",
)
ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1250", "cp1251", "cp1252", "koi8-r", "cp866", "iso8859-2", "cp437")
encoding_option = click.option(
    "--encoding",
    type=click.Choice(ENCODINGS, case_sensitive=False),
    metavar="NAME",
    help="Of files, such as cp1251 [UTF-8, UTF-16 or the likeliest].",
)


def report_options(command: Any) -> Any:
    """The options of a report, which `arena run` and `arena report` have alike."""
    for decorator in (
        click.option("--sheets", is_flag=True, help="With a file for each submission, in DIR/sheets."),
        click.option("--png", is_flag=True, help="With the charts as PNG, too."),
        click.option("--pdf", is_flag=True, help="With the charts as PDF, too."),
        click.option("--moves", is_flag=True, help="With moves.csv and games.pdn of a large run, too."),
        click.option("--latex", is_flag=True, help="With tables for papers, for booktabs."),
        click.option("--games", type=GamesType(), help="Games on the page's board [as many as fit]."),
        click.option("--fen", is_flag=True, help="With positions in moves.csv."),
        click.option("--anonymous", is_flag=True, help="Without names, for publication, into DIR/anonymous."),
    ):
        command = decorator(command)
    return command


def check_report_options(wanted: Mapping[str, Any]) -> None:
    """Raise ArenaError if two options of a report exclude each other."""
    if wanted["sheets"] and wanted["anonymous"]:
        raise ArenaError("--sheets names the player of each sheet, --anonymous nobody: take one of them")
