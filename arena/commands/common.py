"""Shared by the commands: errors, names of variants, and interruption."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.base.errors import ArenaError
from arena.base.wording import unknown
from arena.base.writing import replaces_lines
from arena.commands.output import STOPPED, say
from arena.experiment.model import checked_workers
from arena.experiment.yaml.values import inline
from arena.play.workers import EngineError, Stopped
from arena.rules.custom import build_variant
from arena.rules.jit.kernel import compilation_announced
from arena.rules.pdn.result import WINNERS
from arena.rules.variants import VARIANTS, Variant
from arena.watch.observer import announcing

GRACE_SECONDS = 1.0
"""Seconds that a process has to end by itself after the second Ctrl-C."""
_END = b"\0"
"""The byte that ends the thread that watches signals; no signal has that number."""


class WorkersType(click.ParamType):
    """Processes of this machine, or the address of a Dask scheduler."""

    name = "workers"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N|ADDRESS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if "://" not in str(value):
            return click.IntRange(1).convert(value, param, ctx)
        try:
            return str(checked_workers(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


workers_option = click.option(
    "--workers", type=WorkersType(), help="Processes that play games, or a Dask scheduler [one process a core]."
)


results_option = click.option(
    "--results",
    type=click.Choice(WINNERS),
    help="Whose win 1-0 is [the first mover's in PDN, White's in CSV].",
)


class Finite(click.FloatRange):
    """A number within bounds that is not infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


NODES = click.IntRange(1, 2**63 - 1)
"""A limit of positions, which kernels count in 64 bits."""


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


def report_options(command: Any) -> Any:
    """The options of a report, which `arena run` and `arena report` have alike."""
    for decorator in (
        click.option("--sheets", is_flag=True, help="With a file for each submission, in DIR/sheets."),
        click.option("--png", is_flag=True, help="With the charts as PNG, too."),
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


@contextmanager
def lost_workers(folder: Path) -> Iterator[None]:
    """Exit with one line if the workers are lost or one dies of its work; `folder` keeps what is finished."""
    try:
        yield
    except EngineError as error:
        kept = f"; all that is finished is kept in {folder}; rerun the same command to resume"
        raise ArenaError(f"{error}{kept if folder.exists() else ''}") from None


class VariantType(click.ParamType):
    """Rules: a name, or YAML as `variant:` of a configuration has it."""

    name = "variant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Variant:
        return value if isinstance(value, Variant) else variant_given(str(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in VARIANTS if name.startswith(incomplete)]


VARIANT = VariantType()


class EncodingType(click.ParamType):
    """The name of an encoding that Python knows."""

    name = "encoding"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            "a".encode(value)
        except (LookupError, ValueError):
            self.fail(unknown("encoding", value, _ENCODINGS), param, ctx)
        return str(value)


_ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1250", "cp1251", "cp1252", "koi8-r", "cp866", "iso8859-5", "cp437")
"""Encodings that a message names."""
ENCODING = click.option(
    "--encoding", type=EncodingType(), help="Of files, such as cp1251 [UTF-8, UTF-16 or the likeliest]."
)


def variant_given(text: str) -> Variant:
    """The rules that a person names or describes; exits with what is wrong."""
    return build_variant(described_variant(text))


def described_variant(text: str) -> Any:
    """The name or the mapping that a person gives as rules; exits if that is no YAML."""
    return inline(text, "VARIANT")


announcing_compilation = partial(announcing, say)
"""Say so if anything has to be compiled, or an outside program is long in answering."""


@contextmanager
def preparing() -> Iterator[None]:
    """Show the seconds that are spent if anything has to be compiled; Ctrl-C exits with code 130."""
    done = threading.Event()

    def tick() -> None:
        began = time.monotonic()
        while not done.wait(1):
            click.echo(f"\r\x1b[K{time.monotonic() - began:.0f} s; Ctrl-C ends it", nl=False, err=True)
        click.echo("\r\x1b[K", nl=False, err=True)

    ticker = threading.Thread(target=tick, daemon=True)
    try:
        with compilation_announced(ticker.start if replaces_lines(sys.stderr) else lambda: None):
            try:
                yield
            finally:
                done.set()
                if ticker.ident is not None:
                    ticker.join()
    except KeyboardInterrupt:
        say("stopped; the kernels compiled so far are kept")
        sys.exit(STOPPED)


@contextmanager
def interruptible(say: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Finish current games after the first Ctrl-C; end the process after the second, SIGTERM or SIGHUP.

    Yields a function: whether to begin nothing more; `say` prints a line, from another thread. The process ends by
    the exception Stopped in the main thread, with exit code 130 for Ctrl-C, 143 and 129 for the others; if native
    code holds that up, it ends without it after GRACE_SECONDS.
    """
    received: list[int] = []

    def stopping() -> bool:
        if (code := _exit_code(received)) is not None:
            raise Stopped(code)
        return bool(received)

    def handle(number: int, _frame: Any) -> None:
        received.append(number)
        stopping()

    before = {number: signal.signal(number, handle) for number in _signals()}
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # on Windows from Python 3.12 on
        os.set_blocking(writer, False)
    outer = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, list(before), say), daemon=True).start()
    try:
        yield stopping
    except Stopped as stopped:
        say("stopped at once; rerun the same command to resume")
        sys.exit(stopped.code)
    finally:
        signal.set_wakeup_fd(outer)
        for number, handler in before.items():
            signal.signal(number, handler)
        if _exit_code(received) is None:
            os.write(writer, _END)
        os.close(writer)


def _watch(reader: int, signals: Sequence[int], say: Callable[[str], None]) -> None:
    """Say what the first Ctrl-C does, and end a process that does not end by itself.

    It reads the numbers of signals that Python's C code writes when they arrive, whatever the main thread does.
    """
    received: list[int] = []
    while byte := os.read(reader, 1):
        if byte == _END:
            break
        if byte[0] not in signals:
            continue
        received.append(byte[0])
        if (code := _exit_code(received)) is not None:
            time.sleep(GRACE_SECONDS)
            for child in multiprocessing.active_children():
                child.terminate()  # joblib's have no `kill`
            os._exit(code)
        if received == [signal.SIGINT]:
            say("finishing current games; press Ctrl-C again to stop now")
    os.close(reader)


def _signals() -> list[int]:
    """The signals to watch: not SIGHUP, where `nohup` has it ignored."""
    hangup = getattr(signal, "SIGHUP", None)
    kept = [] if hangup is None or signal.getsignal(hangup) == signal.SIG_IGN else [hangup]
    ctrl_break = getattr(signal, "SIGBREAK", None)  # of Windows, which has no SIGTERM from elsewhere
    return [signal.SIGINT, signal.SIGTERM, *kept, *([ctrl_break] if ctrl_break is not None else [])]


def _exit_code(received: Sequence[int]) -> int | None:
    """The exit code after those signals, None while current games may finish."""
    if len(received) > 1:
        return 128 + received[-1]
    return None if received in ([], [signal.SIGINT]) else 128 + received[0]
