"""The group of all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import click

from arena.commands.common import fail


class Commands(click.Group):
    """Commands in groups, whose errors are one line: of the file system, as a full disk, and of options."""

    groups: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Titles and the names of their commands, as help lists them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group with a line for each command, none of them cut."""
        widest = max(map(len, self.commands))
        for title, names in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", self.commands[name].short_help or "") for name in names])

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            return super().main(*args, **options)
        except OSError as error:
            if error.filename is None:
                # Else what could not be written would be tried again, and fail again, at the end of the process.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            fail(f"{error.filename or 'input or output failed'}: {error.strerror or error}")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if error.ctx is None or error.ctx is ctx:
                raise
            message = " ".join(error.format_message().split()).removesuffix(".")
            fail(f"{message}; {error.ctx.command_path} --help lists what there is")
