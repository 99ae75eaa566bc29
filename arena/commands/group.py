"""The group of all commands."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

import click

from arena.commands.common import fail


class Commands(click.Group):
    """Commands whose errors are one line: of the file system, as a full disk under the output, and of options."""

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
