"""The `arena` command: a group whose commands are imported when they are used."""

from __future__ import annotations

import errno
import gc
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.wording import unknown
from arena.commands.output import STOPPED, say, write_whatever_comes

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Play": {
        "play": ("play:play", "a game against any player, in the terminal or the browser"),
        "serve": ("serve:serve", "the page: a board to play on, and runs to watch"),
        "hub": ("hub:hub", "offer a player to programs that speak Hub"),
    },
    "Tournaments": {
        "init": ("init:init", "write an example configuration and heuristic"),
        "list": ("catalogue:list_group", "players and their options, rule sets, the JSON schema"),
        "match": ("tournaments:match", "a match of players named in the line"),
        "place": ("tournaments:place", "the Elo of a player on the scale of a pool"),
        "doctor": ("check:doctor", "list what is wrong with a configuration"),
        "plan": ("check:plan", "how long a run will take, what it can detect"),
        "run": ("tournaments:run", "play a tournament, or resume it; write its report"),
        "grade": ("grade:grade_command", "judge every move: better ones, and their gain"),
        "replay": ("replay:replay", "play a game of a run again, and compare"),
    },
    "Look": {
        "status": ("status:status", "how far a run is, and who leads; follow it"),
        "report": ("report:report", "write the report of a run again; list all runs"),
        "rate": ("ratings:rate", "rate the players of PDN, CSV and runs"),
        "compare": ("ratings:compare", "compare two runs or files"),
    },
    "Positions": {
        "show": ("show:show", "a position on a board, as text or SVG"),
        "analyse": ("analyse:analyse", "the best moves of a position"),
        "solve": ("solve:solve", "how many positions of a suite players solve"),
        "openings": ("openings:openings", "list or draw openings"),
        "tables": ("grade:tables", "solve every ending of few pieces"),
    },
    "Develop": {
        "check": ("check:check", "examine an evaluation for mistakes"),
        "learn": ("learning:learn", "weights, numbers of a player or a network, from games"),
        "bench": ("bench:bench", "speeds of this machine, perft, the searches' signature"),
    },
}
"""The commands in the order of the help: file and function in this folder, and the line in the help."""

COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}

SOURCE = Path(__file__).parents[2]
"""The folder that holds the packages: a checkout, or where packages are installed."""


class Commands(click.Group):
    """Commands in groups, whose ends are one line: by errors of the file system or of options, and by Ctrl-C."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        file, _, function = COMMANDS[cmd_name][0].partition(":")
        # Next to nothing that an import makes is garbage: to look for it takes an eighth of the time.
        gc.disable()
        command: click.Command = getattr(import_module(f"{__package__}.{file}"), function)
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
        except OSError as error:
            if error.filename is None:
                # Else Python would write the rest at the end of the process, and fail again.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            message = f"{error.filename or _without_name(error)}: {error.strerror or error}"
        except (MemoryError, ImportError, RuntimeError) as error:
            if not (message := _lack(error)):
                raise
        say(message)
        sys.exit(2)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return super().parse_args(ctx, args)
        with _one_line():
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            raise ArenaError(f"{unknown('command', args[0], COMMANDS)}; arena --help explains them")
        return super().resolve_command(ctx, args)

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


def _without_name(error: OSError) -> str:
    """What failed where the system names no file: a new process, the memory that workers share, or a stream."""
    if error.errno == errno.EAGAIN:
        return "no further process can be started (ulimit -u)"
    shared = Path("/dev/shm")
    if sys.platform == "linux" and not os.access(shared, os.W_OK):
        return f"{shared}, which workers need, cannot be written to"
    return "input or output failed"


def _lack(error: Exception) -> str:
    """The means of the system that an error is for want of, in words; "" for another error."""
    if isinstance(error, RuntimeError):
        is_thread = "start new thread" in str(error)
        return "no further thread can be started (ulimit -u, ulimit -v)" if is_thread else ""
    is_bounded = False
    if sys.platform != "win32":
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        is_bounded = most != resource.RLIM_INFINITY
    if isinstance(error, ModuleNotFoundError) or not (is_bounded or isinstance(error, MemoryError)):
        return ""
    return "not enough memory" + (f": this process may have {most / 1e6:.0f} MB (ulimit -v)" if is_bounded else "")


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
    from importlib.metadata import version

    commit = ""
    if (SOURCE / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            asked = ["git", "-C", str(SOURCE), "describe", "--always", "--dirty", "--exclude=*"]
            commit = subprocess.run(asked, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    click.echo(f"arena {version('draughts-arena')}{commit and f' (commit {commit})'}")
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
