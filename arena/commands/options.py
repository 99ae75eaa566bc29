"""Types of options, and options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.base import ArenaError
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

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The rule sets that begin so, where rules are asked for."""
        names = VARIANTS if self.name == "variant" else ()
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


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


VARIANT = Parsed(lambda word: build_variant(inline(word, "VARIANT")), "variant")
"""Rules: a name, or YAML as `variant:` of a configuration has it."""
FINITE, POSITIVE = Parsed(_finite), Parsed(partial(_finite, least=0))
PATH = click.Path(path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Seed of random numbers [0]."
)
_PROCESSES = "Processes that play games, or a Dask scheduler [one process a core]."
workers_option = click.option("--workers", type=Parsed(_workers), metavar="N|ADDRESS", help=_PROCESSES)
_WATCHED = "Play again whenever a player's file is saved, and compare with the version before, until Ctrl-C."
watch_option = click.option("--watch", "is_watched", is_flag=True, help=_WATCHED)
first_option = click.option(
    "--first",
    type=click.Choice(["white", "black"]),
    help="Who moves first [as the run or the PDN's GameType says, else white].",
)


def refuse(why: str, **given: Any) -> None:
    """Raise ArenaError for the first option that was given where it would do nothing, and say why."""
    for name, value in given.items():
        if value not in (None, False, (), 0):
            raise ArenaError(f"--{name.removeprefix('as_').replace('_', '-')} {why}")
