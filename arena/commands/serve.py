"""The command that serves a page with a board, and runs to watch: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.board.sides import Side, side_of
from arena.commands.common import announcing_compilation
from arena.commands.game_options import GameOptions, begin, game_of, game_options
from arena.commands.output import say
from arena.web.serving import open_page

USUAL_FOLDER = Path("reports")
"""The folder that is served by default, if it exists."""
_BEGINS = ("variant", "white", "black", "level", "fen", "from_file", "game", "clock")
"""The options any of which has a game begun."""


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--variant", help="Begin a game by these rules: a name, or YAML.")
@game_options
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
    given, game = GameOptions(**options), None
    own = [_player(entry) for entry in players]
    with announcing_compilation():
        if given.no_draws or any(getattr(given, name) is not None for name in _BEGINS):
            game, entries = game_of(given)
            begin(game, entries)
        open_page(say, click.echo, game, given.name, folder=folder, own=own, port=port, opens=not no_open)


def _player(entry: str) -> Side:
    side = side_of(entry, "--player")
    if side.is_person:
        raise ArenaError("--player human: a person can always play; name a player")
    return side
