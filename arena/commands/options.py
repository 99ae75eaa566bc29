"""Types and options that several commands have."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.base.errors import ArenaError
from arena.experiment.model import checked_workers
from arena.experiment.yaml.values import inline
from arena.rules.custom import build_variant
from arena.rules.variants import VARIANTS


class Parsed(click.ParamType):
    """A value that a function reads from a word; its ValueError says what is wrong with the word."""

    def __init__(self, read: Callable[[str], Any], name: str = "text") -> None:
        self.name, self._read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._read(value) if isinstance(value, str) else value
        except ArenaError:
            raise
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _VariantType(Parsed):
    """Rules: a name, or YAML as `variant:` of a configuration has it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in VARIANTS if name.startswith(incomplete)]


def _workers(word: str) -> int | str:
    workers: int | str = checked_workers(int(word) if word.isdecimal() else word)
    return workers


def _finite(word: str, least: float = -math.inf) -> float:
    """A number above the least one, and not infinite."""
    try:
        number = float(word)
    except ValueError:
        raise ValueError(f"{word!r} is not a valid number") from None
    if not least < number < math.inf:
        raise ValueError(f"{word} is not a finite number{' above 0' * (least == 0)}")
    return number


def _games(word: str) -> int:
    """A number of games, or all."""
    if word != "all" and not word.isdecimal():
        raise ValueError(f"{word!r} is neither all nor a number of games")
    return sys.maxsize if word == "all" else int(word)


VARIANT = _VariantType(lambda word: build_variant(inline(word, "VARIANT")), "variant")
FINITE, POSITIVE = Parsed(_finite), Parsed(partial(_finite, least=0))
MOST_NODES = 2**63 - 1
"""Positions of a search, which kernels count in 64 bits."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="The source of all chance [0]."
)
workers_option = click.option(
    "--workers",
    type=Parsed(_workers),
    metavar="N|ADDRESS",
    help="Processes that play games, or a Dask scheduler [one process a core].",
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


def report_options(command: Any) -> Any:
    """The options of a report, which `arena run` and `arena report` have alike."""
    for decorator in (
        click.option("--sheets", is_flag=True, help="With a file for each submission, in DIR/sheets."),
        click.option("--png", is_flag=True, help="With the charts as PNG, too."),
        click.option("--pdf", is_flag=True, help="With the charts as PDF, too."),
        click.option("--moves", is_flag=True, help="With moves.csv and games.pdn of a large run, too."),
        click.option(
            "--games", type=Parsed(_games), metavar="all|N", help="Games on the page's board [as many as fit]."
        ),
        click.option("--fen", is_flag=True, help="With positions in moves.csv."),
    ):
        command = decorator(command)
    return command
