"""The `arena` command: a group whose commands are imported when they are used."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from arena.base import ArenaError
from arena.base.wording import unknown
from arena.commands.output import STOPPED, put, say, write_whatever_comes

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Play": {
        "play": ("play", "a game against any player, in the terminal or the browser"),
        "hub": ("play", "offer a player to programs that speak Hub"),
    },
    "Prepare": {
        "init": ("init", "write an example configuration and heuristic, or a recipe"),
        "list": ("catalogue", "what a configuration can name: players, rule sets, openings, keys"),
        "check": ("check", "what is wrong before a run, how long it takes, what it can tell"),
    },
    "Tournaments": {
        "match": ("match", "a match of players named in the line, or of one against a pool"),
        "run": ("tournaments", "play a tournament, or resume it; write its report"),
        "status": ("tournaments", "how far a run is, and who leads; follow it"),
        "report": ("reports", "write the report of a run again, with more files"),
        "rate": ("ratings", "rate players of runs, PDN and CSV; compare runs"),
        "grade": ("tournaments", "judge every move: better ones, and their gain"),
    },
    "Positions": {
        "show": ("show", "a position on a board, as text or SVG; its best moves"),
        "bench": ("bench", "speeds of this machine, perft"),
    },
}
"""The commands in the order of the help: the file that has NAME_command, and the line in the help."""

COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}

_MEANT = {**dict.fromkeys(("players", "variants", "openings", "schema"), "list"), "perft": "bench"}
"""Commands that these words probably mean."""
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory")
"""Texts of the ImportError of a library for which there is no memory."""


class Commands(click.Group):
    """A group of commands. A wrong option, an error of the file system and Ctrl-C end one with a single line."""

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            raise ArenaError(f"{unknown('command', args[0], COMMANDS, _MEANT)}; arena --help explains them")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group with a line for each command, none of them cut."""
        widest = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", line) for name, (_, line) in group.items()])

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command, and end with its exit code, or with 2 and one line that says what was wrong."""
        _prepare()
        try:
            options["standalone_mode"] = False
            sys.exit(super().main(*args, **options))
        except click.exceptions.NoArgsIsHelpError as error:
            put(error.format_message(), err=True)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "arena"
            message = " ".join(error.format_message().split()).removesuffix(".")
            say(f"{message}; {command} --help lists what there is")
        except click.Abort:  # Ctrl-C before a command had begun
            sys.exit(STOPPED)
        except ArenaError as error:
            say(str(error))
        except (OSError, MemoryError, ImportError, RuntimeError) as error:
            if not (message := _refused(error)):
                raise
            if isinstance(error, OSError) and error.filename is None:
                # Else Python would write the rest at the end of the process, and fail again.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            say(message)
        sys.exit(2)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name is not None else None
            if error.ctx is None and command is not None:  # as of an option without its value
                error.ctx = click.Context(command, ctx, name)
            raise
        except KeyboardInterrupt:
            say("stopped")
            ctx.exit(STOPPED)


def _refused(error: Exception) -> str:
    """What the system refused: a file, a process, a thread or memory; "" for an error of another kind."""
    if isinstance(error, BlockingIOError) or "start new thread" in str(error):
        return "no further process or thread can be started (ulimit -u, ulimit -v)"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror or error}"
    if isinstance(error, OSError):
        shared = Path("/dev/shm")
        if sys.platform == "linux" and not os.access(shared, os.W_OK):
            return f"{shared}, which workers need, cannot be written to"
        return f"input or output failed: {error.strerror or error}"
    is_memory = isinstance(error, MemoryError) or any(text in str(error) for text in _NO_MEMORY)
    return "not enough memory (ulimit -v)" if is_memory else ""


def _prepare() -> None:
    """Set up the standard streams and the libraries before a command is imported."""
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
    put(f"arena {version_of()}{found and f' (commit {found})'}")
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
