"""The `arena` command: a group whose commands are imported when they are used."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import click

from arena.base.errors import ArenaError
from arena.base.wording import unknown
from arena.commands.output import STOPPED, say, write_whatever_comes

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Play": {
        "play": ("play", "a game against any player, in the terminal or the browser"),
        "hub": ("play", "offer a player to programs that speak Hub"),
    },
    "Tournaments": {
        "init": ("init", "write an example configuration and heuristic"),
        "list": ("catalogue", "players and their options, rule sets, openings, the JSON schema"),
        "match": ("tournaments", "a match of players named in the line, or of one against a pool"),
        "doctor": ("doctor", "list what is wrong with a configuration"),
        "plan": ("doctor", "how long a run will take, what it can detect"),
        "run": ("tournaments", "play a tournament, or resume it; write its report"),
        "grade": ("grade", "judge every move: better ones, and their gain"),
    },
    "Look": {
        "status": ("status", "how far a run is, and who leads; follow it"),
        "report": ("report", "write the report of a run again; list all runs"),
        "rate": ("ratings", "rate players of runs, PDN and CSV; compare runs"),
    },
    "Positions": {
        "show": ("show", "a position on a board, as text or SVG"),
        "analyse": ("analyse", "the best moves of a position"),
    },
    "Develop": {
        "check": ("doctor", "examine an evaluation for mistakes"),
        "bench": ("develop", "speeds of this machine, perft"),
    },
}
"""The commands in the order of the help: the file that has NAME_command, and the line in the help."""

COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}

_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory")
"""What a library that cannot be loaded for want of memory says."""


class CommandGroup(click.Group):
    """A command of commands; an unknown one is answered with the nearest and all others."""

    synonyms: ClassVar[Mapping[str, str]] = {}
    """What words stand for that are unlike the command that they mean."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx):
            choices = unknown("command", args[0], self.list_commands(ctx), self.synonyms)
            raise ArenaError(f"{choices}; {ctx.command_path} --help explains them")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name is not None else None
            if error.ctx is None and command is not None:  # as of an option without its value
                error.ctx = click.Context(command, ctx, name)
            raise


class Commands(CommandGroup):
    """Commands in groups, whose ends are one line: by errors of the file system or of options, and by Ctrl-C."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "players": "list",
        "variants": "list",
        "schema": "list",
        "perft": "bench",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        # Next to nothing that an import makes is garbage: to look for it takes an eighth of the time.
        gc.disable()
        module = import_module(f"{__package__}.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        gc.freeze()
        gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group with a line for each command, none of them cut."""
        widest = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", line) for name, (_, line) in group.items()])

    def main(self, *args: Any, **options: Any) -> Any:
        _prepare()
        try:
            return super().main(*args, **options)
        except ArenaError as error:
            message = str(error)
        except (OSError, MemoryError, ImportError, RuntimeError) as error:
            if not (message := _refused(error)):
                raise
            if isinstance(error, OSError) and error.filename is None:
                # Else Python would write the rest at the end of the process, and fail again.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        say(message)
        sys.exit(2)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)
        with _one_line():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _one_line():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            say("stopped")
            ctx.exit(STOPPED)


@contextmanager
def _one_line() -> Iterator[None]:
    """Raise an error of a command's words as an ArenaError."""
    try:
        yield
    except click.UsageError as error:
        message = " ".join(error.format_message().split()).removesuffix(".")
        command = error.ctx.command_path if error.ctx else "arena"
        raise ArenaError(f"{message}; {command} --help lists what there is") from None


def _refused(error: Exception) -> str:
    """What the system refused: a file, a process, a thread or memory; "" for an error of another kind."""
    if isinstance(error, BlockingIOError):
        return "no further process can be started (ulimit -u)"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror or error}"
    if isinstance(error, OSError):
        shared = Path("/dev/shm")
        if sys.platform == "linux" and not os.access(shared, os.W_OK):
            return f"{shared}, which workers need, cannot be written to"
        return f"input or output failed: {error.strerror or error}"
    if "start new thread" in str(error):
        return "no further thread can be started (ulimit -u, ulimit -v)"
    is_memory = isinstance(error, MemoryError) or any(text in str(error) for text in _NO_MEMORY)
    return "not enough memory (ulimit -v)" if is_memory else ""


def _prepare() -> None:
    """Settle, before a command is imported, where its lines go, and what its packages do."""
    write_whatever_comes()
    # Linear algebra in one thread: matrices are small, and further threads would take the workers' cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A reader of a command's output need not know which weights a font lacks, or where fonts are listed.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, with the commit if the program runs from a checkout of git."""
    if not wanted or context.resilient_parsing:
        return
    from arena.base.files import commit, version_of

    found = commit()
    click.echo(f"arena {version_of()}{found and f' (commit {found})'}")
    context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, and the commit of a checkout.",
)
def main() -> None:
    """Tournaments, benchmarks and Elo ratings for checkers and draughts programs.

    Begin with `arena play`, or with `arena init` and `arena run arena.yaml`.
    """
