"""The command that begins a game at the board: play."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.commands.common import GRACE_SECONDS, announcing_compilation, preparing
from arena.commands.game_options import GameOptions, begin, game_of, game_options
from arena.commands.inputs import run_command
from arena.commands.output import say
from arena.commands.terminal_game import TerminalGame, clock_text
from arena.commands.waiting import line_of
from arena.rules.jit.kernel import compiling_meanwhile
from arena.rules.position import COLOURS

_ALARM_SECONDS = 0.02
"""Seconds after the end of a clock at which it is looked at."""


@click.command()
@click.argument("variant", required=False)
@game_options
@click.option("--browser", is_flag=True, help="Play in the browser, on a page of this machine (arena serve).")
@click.option("--flip", is_flag=True, help="Turn the board.")
@click.option("--as-printed", is_flag=True, help="The board of checkers-ai or simplified as it printed it.")
def play(browser: bool, flip: bool, as_printed: bool, **options: Any) -> None:
    """Play a game at the board, by the rules of VARIANT, a name or YAML: {base: english, rows: 6}.

    Each side is a person or any player. Without any you have the colour that moves first, against the published
    program of the rules or a low level. Moves and commands are read from the standard input; `help` lists them.
    """
    given = GameOptions(**options)
    if browser and (flip or as_printed):
        raise ArenaError("--flip and --as-printed work only in the terminal; the page has a button")
    with announcing_compilation():
        with nullcontext() if browser else preparing():
            game, entries = game_of(given)
            is_unbuilt = begin(game, entries)
        if browser:
            from arena.web.serving import open_page

            open_page(say, click.echo, game, given.name)
            return
        terminal = TerminalGame(game, entries, given.words(game.variant), is_turned=flip, as_printed=as_printed)
        if given.from_file is not None and given.game is None:
            terminal.saved = (given.from_file, game.version)
        players = (f"{COLOURS[colour].capitalize()} {side.name}" for colour, side in enumerate(game.sides))
        terminal.print(f"{game.variant.name}: {', '.join(players)}; `help` says what you can type")
        with compiling_meanwhile(game.build) if is_unbuilt else nullcontext():
            play_games(terminal)


def play_games(terminal: TerminalGame) -> None:
    """Play games until the person leaves or the input ends."""
    interrupts = 0
    while not terminal.has_left:
        try:
            terminal.tell()
            game = terminal.game
            if game.outcome is None and not game.side.is_person and not terminal.is_paused:
                _think(terminal)
                continue
            if terminal.is_paused:
                terminal.print("paused; press Enter to continue")
            text = line_of(_prompt(terminal), _seconds_left(terminal))
            interrupts = 0
            if text is not None:
                run_command(terminal, text)
            else:
                terminal.leave()
        except TimeoutError:
            terminal.print("")
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 1:
                terminal.print("")
                terminal.leave()
            else:
                terminal.print("", "Ctrl-C once more, or `quit`, leaves the game")
    closing = threading.Thread(target=terminal.game.close, daemon=True)
    closing.start()
    closing.join(GRACE_SECONDS)


def _think(terminal: TerminalGame) -> None:
    try:
        terminal.think()
    except KeyboardInterrupt:
        terminal.leave()


def _seconds_left(terminal: TerminalGame) -> float | None:
    """Seconds until the clock of the person to move has run out, and it shows; None where none runs."""
    game = terminal.game
    clocks = game.clocks()
    if clocks is None or game.outcome is not None or not game.side.is_person:
        return None
    return clocks[game.game.turn] + _ALARM_SECONDS


def _prompt(terminal: TerminalGame) -> str:
    game = terminal.game
    if game.outcome is not None:
        return "over> "
    if terminal.is_paused:
        return "paused> "
    clocks = game.clocks()
    left = f" {clock_text(clocks[game.game.turn])}" if clocks else ""
    return f"{terminal.colour}{left}{f' {terminal.start} to' if terminal.start else ''}> "
