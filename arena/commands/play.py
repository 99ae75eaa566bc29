"""Commands about games at the board and the players there: play, hub."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.board.sides import Side, side_of
from arena.commands.game_options import GameOptions, begin_first_turn, board_game, clock
from arena.commands.inputs import answer_line
from arena.commands.options import VARIANT, Parsed, seed_option
from arena.commands.output import say
from arena.commands.terminal_game import TerminalGame, clock_text
from arena.commands.waiting import GRACE_SECONDS, announcing_compilation, line_of
from arena.experiment.load import player_spec
from arena.rules.hub import variant_words
from arena.rules.jit.kernel import compiling_meanwhile
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from players.loading import PlayerError, located

_ALARM_SECONDS = 0.02
"""Seconds after the end of a clock at which it is looked at."""


@click.command()
@click.argument("variant", required=False)
@click.option(
    "--white", metavar="PLAYER", help="Who plays White: human, level 4, simple@d6, file.py:Class or YAML."
)
@click.option("--black", metavar="PLAYER", help="Who plays Black, in the same words.")
@click.option("--level", metavar="N", help="Play against this level of cis300, 1 to 12.")
@click.option("--fen", help="Begin from this position.")
@click.option("--from", "from_file", type=click.Path(path_type=Path), help="Continue a game of a PDN.")
@click.option("--game", type=click.IntRange(1), metavar="N", help="Which game of the file [the last].")
@click.option(
    "--clock",
    type=Parsed(clock),
    metavar="MINUTES+SECONDS",
    help="Time for the game, and seconds more a move, as 5+3.",
)
@click.option("--no-draws", is_flag=True, help="No draws by repetition or by counting moves.")
@seed_option
@click.option("--name", help="Your name [that of your account].")
@click.option("--browser", is_flag=True, help="Play in the browser, on a page of this machine.")
@click.option("--player", "players", multiple=True, help="Offer this player there, too: simple@d6 or YAML.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Where to answer [any that is free]."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--flip", is_flag=True, help="Turn the board.")
def play_command(
    browser: bool,
    players: tuple[str, ...],
    port: int,
    no_open: bool,
    flip: bool,
    **options: Any,
) -> None:
    """Play a game at the board, by the rules of VARIANT, a name or YAML: {base: english, rows: 6}.

    Each side is a person or any player. Without any you have the colour that moves first, against the published
    program of the rules or a low level. Moves and commands are read from the standard input; `help` lists them.

    With --browser a page on 127.0.0.1 has the board. It answers only to who has the token in the address that is
    printed; Ctrl-C ends it.
    """
    chosen = GameOptions(**options)
    if browser and flip:
        raise ArenaError("--flip works only in the terminal; the page has a button")
    if not browser and (players or port or no_open):
        raise ArenaError("--player, --port and --no-open are for --browser")
    offered = [_offered(entry) for entry in players]
    with announcing_compilation():
        game, entries = board_game(chosen)
        is_unbuilt = begin_first_turn(game, entries)
        if browser:
            from arena.web.serving import open_page

            open_page(game, chosen.name, say, click.echo, players=offered, port=port, opens=not no_open)
            return
        rules = [chosen.variant or game.variant.name, *(["--no-draws"] if chosen.no_draws else [])]
        terminal = TerminalGame(game, entries, rules, is_turned=flip)
        named = (f"{COLOURS[colour].capitalize()} {side.name}" for colour, side in enumerate(game.sides))
        scores = (
            "" if all(side.is_person for side in game.sides) else "scores are those of the player that moved; "
        )
        terminal.print(f"{game.variant.name}: {', '.join(named)}; {scores}`help` says what you can type")
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
                try:
                    terminal.think()
                except KeyboardInterrupt:
                    terminal.leave()
                continue
            if terminal.is_paused:
                terminal.print("paused; press Enter to continue")
            text = line_of(_prompt(terminal), _seconds_left(terminal))
            interrupts = 0
            if text is not None:
                answer_line(terminal, text)
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


def _offered(entry: str) -> Side:
    side = side_of(entry, "--player")
    if side.is_person:
        raise ArenaError("--player human: a person can always play; name a player")
    return side


@click.command()
@click.option(
    "--variant",
    type=VARIANT,
    default="international",
    help="The rules, unless set-param changes them [international].",
)
@click.option(
    "--player",
    default="{preset: full, evaluation: neural}",
    help="A player: simple@d6, file.py:Class or YAML [full, neural].",
)
def hub_command(variant: Variant, player: str) -> None:
    """Offer a player to GUIs and servers that speak the Hub protocol, version 2, on standard input and output.

    The type is negamax if the entry names none, and its limits hold where the other program gives no level.
    """
    from arena.hosting.hub import Server

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
