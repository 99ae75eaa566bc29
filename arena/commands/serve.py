"""The command that serves a page with a board, and runs to watch: serve."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.board.sides import side_of
from arena.commands.common import announcing_compilation
from arena.commands.output import say
from arena.commands.seating import Seating, can_begin, prepare, seating_options, sitting_of
from arena.web import serving
from arena.web.games import GameRoom
from arena.web.offer import Offer
from players.loading import PlayerError
from players.player import HUMAN

USUAL_FOLDER = Path("reports")
"""The folder that is served by default, if it exists."""
_BEGINS = ("variant", "white", "black", "level", "fen", "from_file", "game", "clock")
"""The options of a Seating any of which has a game begun."""


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--variant", help="Begin a game by these rules: a name, or YAML.")
@seating_options
@click.option("--player", "players", multiple=True, help="Offer this player, too: simple@d6 or YAML.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Where to answer [any that is free].",
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def serve(folder: Path | None, players: tuple[str, ...], port: int, no_open: bool, **options: Any) -> None:
    """Serve a page on this machine: a board to play on, and the runs in FOLDER [reports] to watch.

    It answers on 127.0.0.1 alone, and only to who has the token in the address that is printed. Ctrl-C ends it.
    """
    if folder is not None and not folder.is_dir():
        raise ArenaError(f"{folder} is not a folder")
    if folder is None and USUAL_FOLDER.is_dir():
        folder = USUAL_FOLDER
    seating = Seating(**options)
    is_begun = seating.no_draws or any(getattr(seating, name) is not None for name in _BEGINS)
    open_board(seating, is_begun=is_begun, folder=folder, players=players, port=port, opens=not no_open)


def open_board(
    seating: Seating,
    *,
    is_begun: bool,
    folder: Path | None = None,
    players: Sequence[str] = (),
    port: int = 0,
    opens: bool = True,
) -> None:
    """Serve the page until Ctrl-C, with the game of a Seating if it `is_begun`; exits where something is wrong.

    `folder` has the runs to watch, `players` are entries of further players, `opens` says whether to open the
    browser.
    """
    own = [_player(entry) for entry in players]
    room = GameRoom(Offer(own, seating.name or HUMAN), folder)
    way = ""
    with announcing_compilation():
        if is_begun:
            sitting = sitting_of(seating)
            if can_begin(sitting, seating):
                _ = sitting.game.legal_moves  # compiles the rules
                sitting.begin_turn()
            else:
                prepare(sitting)
            way = f"#/game/{room.begin_with(sitting)}"
        try:
            at = serving.endpoint(port)
        except OSError as error:
            raise ArenaError(f"--port {port}: {error.strerror}") from None
        click.echo(f"{at.address}{way}")
        if opens and _has_screen():
            webbrowser.open(f"{at.address}{way}")
        serving.serve(room, at, say)


def _player(entry: str) -> Any:
    try:
        side = side_of(entry, "--player")
    except (PlayerError, ValueError) as error:
        raise ArenaError(f"--player: {error}") from None
    if side.is_person:
        raise ArenaError("--player human: a person can always play; name a player")
    return side


def _has_screen() -> bool:
    """Whether a browser with windows can be opened: elsewhere Python may start one in the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
