"""The command that serves a page with a board, and runs to watch: serve."""

from __future__ import annotations

import getpass
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.commands.common import announcing_compilation, fail, say, variant_named

if TYPE_CHECKING:
    from arena.rules.variants import Variant
    from arena.sitting.sides import Side
    from arena.sitting.sitting import Sitting
    from arena.web.games import GameRoom

USUAL_FOLDER = Path("reports")
"""What is served where no folder is named, if it is there."""
_WAIT_SECONDS = 0.3
"""Seconds after which the browser is opened, so that the server answers by then."""


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default="any that is free")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--variant", help="Begin a game by these rules.")
@click.option("--white", help="Who plays White: human, or an entry of `players:`, as YAML.")
@click.option("--black", help="Who plays Black.")
@click.option("--level", type=click.IntRange(1, 12), help="Play against a level.")
@click.option("--fen", help="The position that the game begins from.")
@click.option("--from", "source", type=click.Path(path_type=Path), help="Go on with the first game of a PDN file.")
@click.option("--clock", help="Time of each side: minutes, or minutes+seconds a move, as 5+3.")
@click.option("--player", "players", multiple=True, help="A player to offer beside those of the arena, as YAML.")
@click.option("--record", type=click.Path(path_type=Path), help="Keep games that count as a run in this folder.")
@click.option("--name", help="Your name in that run [that of your login].")
def serve(
    folder: Path | None,
    port: int,
    no_open: bool,
    variant: str | None,
    white: str | None,
    black: str | None,
    level: int | None,
    fen: str | None,
    source: Path | None,
    clock: str | None,
    players: tuple[str, ...],
    record: Path | None,
    name: str | None,
) -> None:
    """Serve a page on this machine: a board to play on, and the runs in FOLDER [reports] to watch.

    The page answers on 127.0.0.1 alone, to whoever has the token in its address. Ctrl-C ends it.
    """
    from arena.commands.position import scene  # noqa: F401
    open_board(
        folder=folder,
        port=port,
        no_open=no_open,
        variant=variant,
        white=white,
        black=black,
        level=level,
        fen=fen,
        source=source,
        clock=clock,
        players=players,
        record=record,
        name=name,
    )


def open_board(
    *,
    folder: Path | None = None,
    port: int = 0,
    no_open: bool = False,
    variant: str | None = None,
    white: str | None = None,
    black: str | None = None,
    level: int | None = None,
    fen: str | None = None,
    source: Path | None = None,
    game: int = 1,
    clock: str | None = None,
    players: Sequence[str] = (),
    record: Path | None = None,
    name: str | None = None,
) -> None:
    """Serve the page until Ctrl-C; with a game begun if anything is said of one. Exits for what is wrong.

    The arguments are the texts of the options of `arena serve`; `game` is which one of the PDN file `source`.
    """
    from arena.web.games import GameRoom
    from arena.web.offer import Offer
    from arena.web.serving import place, serve

    if folder is not None and not folder.is_dir():
        fail(f"{folder} is no folder")
    if folder is None and USUAL_FOLDER.is_dir():
        folder = USUAL_FOLDER
    kept_in = None if record is None else (record, name or getpass.getuser())
    room = GameRoom(Offer([_side(entry, "--player") for entry in players]), folder, kept_in, say)
    asked = (variant, white, black, level, fen, source, clock)
    first = None
    if any(value is not None for value in asked):
        with announcing_compilation():
            first = _first_game(variant, white, black, level, fen, source, game, clock)
    try:
        at = place(port)
    except OSError as error:
        fail(f"--port {port}: {error.strerror}")
    click.echo(at.address)
    serve(room, at, say)


def _side(entry: str, given_as: str) -> Side:
    """Who is meant by an entry; exits for what is none."""
    from arena.sitting.sides import side_of
    from arena.yaml.errors import ConfigError
    from players import PlayerError

    try:
        return side_of(entry, given_as)
    except ConfigError as error:
        fail(str(error))
    except PlayerError as error:
        fail(f"{given_as}: {error}")
