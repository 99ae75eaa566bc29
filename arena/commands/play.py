"""The command that sits down to a game: play."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.board.entering import must_capture
from arena.commands.common import GRACE_SECONDS, announcing_compilation, preparing
from arena.commands.dialogue.inputs import run_command
from arena.commands.dialogue.lines import clock_text
from arena.commands.dialogue.terminal import TerminalGame
from arena.commands.seating import (
    Seating,
    can_begin,
    prepare,
    seated_of,
    seating_options,
    sitting_of,
    words_of,
)
from arena.commands.waiting import line_of
from arena.rules.jit.kernel import compiling_meanwhile
from arena.rules.position import COLOURS

_ALARM_SECONDS = 0.02
"""Seconds after the end of a clock at which it is looked at."""
_AFTERWARDS = "`new` begins another game, `save FILE` keeps this one, `quit` leaves"


@click.command()
@click.argument("variant", required=False)
@seating_options
@click.option("--browser", is_flag=True, help="Play in the browser, on a page of this machine (arena serve).")
@click.option("--flip", is_flag=True, help="Turn the board.")
@click.option(
    "--moves/--no-moves",
    default=None,
    help="List the legal moves, numbered, at each turn of a person; a number selects one. On for checkers-ai.",
)
def play(browser: bool, flip: bool, moves: bool | None, **options: Any) -> None:
    """Play a game at the board, by the rules of VARIANT: a name, or YAML as {base: english, promotion: never}.

    Each side is a person or any player, as `--white human --black '{type: negamax, preset: full, seconds: 1}'`.
    Without any you have the colour that moves first, against the published program of the rules or a low level.
    Moves and commands are read from the standard input; `help` lists them.
    """
    seating = Seating(**options)
    if browser:
        from arena.commands.serve import open_board

        if flip:
            raise ArenaError("--flip works only in the terminal; the page has a button")
        if moves is not None:
            raise ArenaError("--moves works only in the terminal; the page marks the pieces that can move")
        open_board(seating, is_begun=True)
        return
    with announcing_compilation():
        with preparing():
            sitting = sitting_of(seating)
            _ = sitting.game.legal_moves  # compiles the rules
            waits = not can_begin(sitting, seating)
            if waits:
                prepare(sitting)
            else:
                sitting.begin_turn()
        words, seated = words_of(seating, sitting), seated_of(seating, sitting)
        game = TerminalGame(sitting, seated, words, flip=flip)
        if moves is not None:
            game.lists_moves = moves
        if seating.from_file is not None and seating.game is None:
            game.saved = (seating.from_file, sitting.version)
        sides = (f"{COLOURS[colour].capitalize()} {side.name}" for colour, side in enumerate(sitting.sides))
        game.print(f"{sitting.variant.name}: {', '.join(sides)}; `help` says what you can type")
        with nullcontext() if waits else compiling_meanwhile(sitting.build):
            game_loop(game)


def game_loop(game: TerminalGame) -> None:
    """Play games until the person leaves or the input ends."""
    interrupts = 0
    while not game.has_left:
        try:
            game.print_news()
            sitting = game.sitting
            if sitting.outcome is None and not sitting.side.is_person and not game.is_paused:
                _think(game)
                continue
            _invite(game)
            text = line_of(_prompt(game), _seconds_left(game))
            interrupts = 0
            if text is not None:
                run_command(game, text)
            else:
                game.leave()
        except TimeoutError:
            game.print("")
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 1:
                game.print("")
                game.leave()
            else:
                game.print("", "Ctrl-C once more, or `quit`, leaves the game")
    closing = threading.Thread(target=game.sitting.close, daemon=True)
    closing.start()
    closing.join(GRACE_SECONDS)


def _think(game: TerminalGame) -> None:
    if not game.has_person:
        game.show_once()
    try:
        game.think()
    except KeyboardInterrupt:
        game.leave()


def _invite(game: TerminalGame) -> None:
    sitting = game.sitting
    if game.invited_at == sitting.version:
        return
    game.invited_at = sitting.version
    if sitting.outcome is not None:
        game.print(_AFTERWARDS)
        return
    game.show_once()
    if game.is_paused:
        game.print("paused; press Enter to continue")
    elif game.lists_moves or must_capture(sitting.game) or len(sitting.game.legal_moves) == 1:
        game.show_moves()


def _seconds_left(game: TerminalGame) -> float | None:
    """Seconds until the clock of the person to move has run out, and it shows; None where none runs."""
    sitting = game.sitting
    clocks = sitting.clocks()
    if clocks is None or sitting.outcome is not None or not sitting.side.is_person:
        return None
    return clocks[sitting.game.turn] + _ALARM_SECONDS


def _prompt(game: TerminalGame) -> str:
    if game.sitting.outcome is not None:
        return "over> "
    if game.is_paused:
        return "paused> "
    clocks = game.sitting.clocks()
    left = f" {clock_text(clocks[game.sitting.game.turn])}" if clocks else ""
    return f"{game.colour()}{left}> "
