"""Commands about games at the board and the players there: play, hub."""

from __future__ import annotations

import getpass
import os
import re
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base import ArenaError
from arena.board.game import BoardGame, Clock, build
from arena.board.pdn import saved_game
from arena.board.sides import program_of, side_of
from arena.commands.options import PATH, VARIANT, Parsed, refuse, seed_option
from arena.commands.output import echo, put, say
from arena.commands.terminal_game import TerminalGame, sides_for
from arena.commands.waiting import announcing_compilation
from arena.experiment.load import player_spec
from arena.experiment.yaml.values import inline
from arena.rules.custom import build_variant, without_draws
from arena.rules.hub import variant_words
from arena.rules.jit.kernel import compiling_meanwhile
from arena.rules.position import COLOURS
from arena.rules.result import result_text
from arena.rules.variants import Variant
from players.loading import PlayerError, located
from players.player import HUMAN

_HUB_PLAYER = "{preset: full, evaluation: neural}"


def _clock(word: str) -> Clock:
    """The clock of `5+3`: minutes for the game, and seconds more a move."""
    match = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)(?:\+([0-9]{1,4}(?:\.[0-9]{1,3})?))?", word)
    if not match or not float(match[1]):
        raise ValueError(f"{word!r} is no clock, as 5+3 is: 5 minutes, and 3 seconds more a move")
    return Clock(60 * float(match[1]), float(match[2] or 0))


@click.command()
@click.argument("variant", required=False)
@click.option("--white", metavar="PLAYER", help="Who plays White: human, level 4, simple@d6, file.py:Class, YAML.")
@click.option("--black", metavar="PLAYER", help="Who plays Black, in the same words.")
@click.option("--level", metavar="N", help="Play against this level of cis300, 1 to 12.")
@click.option("--fen", help="Begin from this position.")
@click.option("--from", "from_file", type=PATH, help="Continue a game of a PDN.")
@click.option("--game", type=click.IntRange(1), metavar="N", help="Which game of the file [the last].")
@click.option("--clock", type=Parsed(_clock), metavar="M+S", help="Minutes, and seconds more a move: 5+3.")
@click.option("--no-draws", is_flag=True, help="No draws by repetition or by counting moves.")
@seed_option
@click.option("--name", help="Your name [your account's].")
@click.option("--browser", is_flag=True, help="Play in the browser, on a page of this machine.")
@click.option("--player", "players", multiple=True, help="Offer this player there, too: simple@d6 or YAML.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Its port [any that is free].")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def play_command(
    browser: bool, players: tuple[str, ...], port: int, no_open: bool, name: str | None, **given: Any
) -> None:
    """Play a game at the board, by the rules of VARIANT, a name or YAML: {base: english, rows: 6}.

    Each side is a person or any player. Without any you have the colour that moves first, against the published
    program of the rules or a low level. Moves and commands are read from the standard input; `help` lists them.

    With --browser a page on 127.0.0.1 has the board. It answers only to who has the token in the address that is
    printed; Ctrl-C ends it.
    """
    if not browser:
        refuse("is for --browser", player=players, port=port, no_open=no_open)
    offered = [side_of(entry, "--player") for entry in players]
    if any(side.is_person for side in offered):
        raise ArenaError("--player human: a person can always play; name a player")
    person = _account() if name is None else name
    with announcing_compilation():
        game, entries = board_game(person, **given)
        is_unbuilt = _begin_first_turn(game, entries)
        if browser:
            from arena.web.serving import open_page

            open_page(game, person, say, put, players=offered, port=port, opens=not no_open)
            return
        if entries.count(HUMAN) != 1:
            refuse("is for a person against a player", name=name)
        rules = [given["variant"] or game.variant.name, *["--no-draws"] * given["no_draws"]]
        sides = (f"{colour.capitalize()} {side.name}" for colour, side in zip(COLOURS, game.sides, strict=True))
        scores = "" if entries == (HUMAN, HUMAN) else "; scores are from the view of the player that moved"
        echo(f"{game.variant.name}: {', '.join(sides)}{scores}; `help` says what you can type")
        with compiling_meanwhile(partial(build, game.players)) if is_unbuilt else nullcontext():
            TerminalGame(game, entries, rules).play()


def board_game(
    person: str,
    variant: str | None,
    white: str | None,
    black: str | None,
    level: str | None,
    fen: str | None,
    from_file: Path | None,
    game: int | None,
    clock: Clock | None,
    no_draws: bool,
    seed: int,
) -> tuple[BoardGame, tuple[str, str]]:
    """The game that the options of `arena play` mean, its players not yet built, and White's and Black's entries.

    Raises ArenaError where something is wrong with them.
    """
    rules = None
    if from_file is None or variant is not None or no_draws:
        rules = build_variant(inline(variant or "english", "VARIANT"))
        rules = without_draws(rules) if no_draws else rules
    if from_file is None:
        refuse("needs --from FILE", game=game)
        assert rules is not None
        entries = _entries_for(rules, white, black, level)
        return BoardGame(rules, sides_for(entries, person), fen, clock=clock, seed=seed), entries
    refuse("does not go with --from, which has its own start", fen=fen)
    pdn = saved_game(from_file, rules, game)
    entries = _entries_for(pdn.variant, white, black, level)
    board = BoardGame.of(pdn, sides_for(entries, person), clock=clock, seed=seed)
    words = f"game {pdn.number} of {pdn.count} of {from_file}"
    if pdn.result != "*" and board.outcome is None:
        words += f" ended: {result_text(pdn.result)}; it is played on from its last position"
    say(words)
    return board, entries


def _entries_for(variant: Variant, white: str | None, black: str | None, level: str | None) -> tuple[str, str]:
    """White's and Black's entry: a person has the colour that moves first, against the usual opponent."""
    entries = {colour: entry for colour, entry in enumerate((white, black)) if entry is not None}
    opponent = program_of(variant).entry
    if level is not None:
        if len(entries) == 2 or any(entry != HUMAN for entry in entries.values()):
            raise ArenaError("--level sets a person's opponent: leave out the other player")
        opponent = side_of(f"level {level}", "--level").name
    entries = entries or {variant.first: HUMAN}
    for colour in (0, 1):
        entries.setdefault(colour, opponent if entries.get(1 - colour) == HUMAN else HUMAN)
    return entries[0], entries[1]


def _begin_first_turn(game: BoardGame, entries: tuple[str, str]) -> bool:
    """Begin the first turn; return whether the players are still to be built.

    The board need not wait for them where a person moves first, without a clock, against a built-in player.
    """
    builds = all(
        entry in (HUMAN, program_of(game.variant).entry) or entry.startswith("level") for entry in entries
    )
    legal = game.game.legal_moves  # compiles the rules
    if builds and legal and game.outcome is None and game.side.is_person and game.clock is None:
        game.begin_turn()
        return True
    game.prepare()
    return False


def _account() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return HUMAN


@click.command()
@click.argument("player", default=_HUB_PLAYER)
@click.option("--variant", type=VARIANT, default="international", help="Unless set-param changes it.")
def hub_command(player: str, variant: Variant) -> None:
    """Offer PLAYER to GUIs and servers that speak the Hub protocol, version 2, on standard input and output.

    It is a player as simple@d6, file.py:Class or YAML [full, neural]. Its limits hold where the other program
    gives no level.
    """
    from arena.hosting.hub import Server

    if not variant_words(variant):
        raise ArenaError(f"--variant: the Hub protocol has no name for the rules of {variant.name}")
    output = os.dup(1)

    def write(text: str) -> None:
        os.write(output, f"{text}\n".encode())

    try:
        server = Server(located(player_spec(player, "PLAYER"), Path()), variant, write)
    except PlayerError as error:
        raise ArenaError(f"PLAYER: {error}") from None
    os.dup2(2, 1)
    for text in sys.stdin:
        if not server.answer(text):
            break
    server.close()
