"""The command that offers a player to other programs: hub."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.commands.common import VARIANT
from arena.experiment.load import player_spec
from arena.hosting.hub import Server
from arena.rules.hub import variant_words
from arena.rules.variants import Variant
from players.loading import PlayerError, located

DEFAULT_PLAYER = "{preset: full, evaluation: neural}"


@click.command()
@click.option(
    "--variant",
    type=VARIANT,
    default="international",
    show_default=True,
    help="The rules, unless set-param changes them.",
)
@click.option(
    "--player",
    default=DEFAULT_PLAYER,
    show_default=True,
    help="A player: simple@d6, file.py:Class or YAML.",
)
def hub(variant: Variant, player: str) -> None:
    """Offer a player to GUIs and servers that speak the Hub protocol, version 2, on standard input and output.

    The type is negamax if the entry names none, and its limits hold where the other program gives no level.
    """
    if not variant_words(variant):
        raise ArenaError(f"--variant: the Hub protocol has no name for the rules of {variant.name}")
    output = os.dup(1)

    def write(text: str) -> None:
        os.write(output, f"{text}\n".encode())

    try:
        server = Server(located(player_spec(player, "--player"), Path()), variant, write)
    except PlayerError as error:
        raise ArenaError(f"--player: {error}") from None
    os.dup2(2, 1)
    for text in sys.stdin:
        if not server.answer(text):
            break
    server.close()
