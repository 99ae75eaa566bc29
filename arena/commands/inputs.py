"""Input at the board: moves, and commands as `undo` and `hint`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import counted, cut, nearest
from arena.board.entering import is_like_move, legal_line
from arena.board.pdn import append_game
from arena.board.words import outlook_lines
from arena.commands.output import width_of
from arena.commands.terminal_game import PLIES_SHOWN, TerminalGame
from arena.rules.position import COLOURS
from players.player import HUMAN

_HELP_WIDTH = 80
"""Columns of what help explains, at most."""
_ABOUT_MOVES = """\
Type a move by its squares, 11-15 or 22x15x8 or 22 15, or by first squares that no other move has: 11, 22x. \
Four or more numbers with only spaces between them are rows and columns from 0 at the top left, as White sees \
the board: 5 2 4 3. So are pairs in brackets: (5, 2) (4, 3). In game3 start and end can be two lines: 5 2, then \
4 3. Type `pass` where there is no other move. Where the moves are listed, a number alone selects one of them."""
_ABOUT_COMMANDS = """\
Commands can be shortened. An empty line shows the board. Ctrl-C makes a thinking player move now; pressed \
twice at the prompt, it leaves."""


class Input(NamedTuple):
    """A command."""

    run: Callable[[TerminalGame, str], None]
    """Does it, with the words behind it. Raises ArenaError where it cannot be done."""
    about: str
    argument: str = ""


def answer_line(terminal: TerminalGame, text: str) -> None:
    """Run the command of a line, or print what is wrong with it."""
    game = terminal.game
    version = game.version
    game.clocks()
    word, _, argument = text.partition(" ")
    is_move = is_like_move(text) or (game.game.legal_moves == [0] and "pass".startswith(text.lower()))
    if game.version != version and (is_move or not text):
        return  # the time ran out before the line
    try:
        if not text:
            terminal.is_paused, terminal.start = False, ""
            terminal.show()
        elif is_move:
            terminal.enter(text)
        elif name := _named(word.lower()):
            if argument.strip() and not _COMMANDS[name].argument:
                raise ArenaError(f"{name} takes nothing behind it")
            terminal.tell()
            _COMMANDS[name].run(terminal, argument.strip())
        else:
            raise ArenaError(f"{cut(text)!r} is no move and no command that `help` lists; {legal_line(game.game)}")
    except OSError as error:
        terminal.print(f"{error.filename}: {error.strerror}")
    except ArenaError as error:
        terminal.print(" ".join(str(error).split()))


def _named(word: str) -> str:
    """The command that is a word, or alone begins with it; empty if none is. Raises ArenaError for several."""
    if word in _COMMANDS:
        return word
    begun = [name for name in _COMMANDS if name.startswith(word)]
    if len(begun) > 1:
        raise ArenaError(f"{word!r} can be {' or '.join(begun)}")
    if not begun and (close := nearest(word, _COMMANDS)):
        raise ArenaError(f"unknown command {cut(word)!r}; did you mean {close!r}?")
    return begun[0] if begun else ""


def _undo(terminal: TerminalGame, _: str) -> None:
    plies = terminal.game.undo()
    terminal.print(f"took back {counted(plies, 'ply', 'plies')}")


def _hint(terminal: TerminalGame, _: str) -> None:
    analysis, line = terminal.advice()
    texts = analysis.texts(line)
    score = analysis.score(line)
    terminal.print(f"hint: {texts[0]} ({score}, depth {line.depth}; line: {' '.join(texts[:PLIES_SHOWN])})")
    terminal.print(*outlook_lines(analysis.outlook()))


def _flip(terminal: TerminalGame, _: str) -> None:
    terminal.is_turned = not terminal.is_turned
    terminal.show()


def _save(terminal: TerminalGame, argument: str) -> None:
    if not argument:
        raise ArenaError("save where? `save FILE`")
    try:
        path = Path(argument).expanduser()
    except RuntimeError as error:
        raise ArenaError(f"{argument}: {error}") from None
    number = append_game(path, terminal.game)
    terminal.print(f"saved as game {number} of {path}")


def _resign(terminal: TerminalGame, _: str) -> None:
    terminal.game.resign(_persons_colour(terminal))


def _draw(terminal: TerminalGame, _: str) -> None:
    colour = _persons_colour(terminal)
    if not terminal.game.offer_draw(colour):
        terminal.print(f"{terminal.game.sides[1 - colour].name} declines the draw")


def _level(terminal: TerminalGame, argument: str) -> None:
    if not terminal.has_person:
        raise ArenaError("no person plays: `white level 3` says which side")
    if not argument:
        raise ArenaError("which level? `level 3`")
    _seat(terminal, 1 - _persons_colour(terminal), f"level {argument}")


def _seat(terminal: TerminalGame, colour: int, entry: str) -> None:
    if not entry:
        raise ArenaError("who? `white human`, `white level 3`, `white greedy`")
    white, black = terminal.entries
    terminal.seat((white, entry) if colour else (entry, black))
    terminal.print(f"{COLOURS[colour].capitalize()} is played by {terminal.game.sides[colour].name}")


def _swap(terminal: TerminalGame, _: str) -> None:
    white, black = terminal.entries
    terminal.seat((black, white))
    white_side, black_side = terminal.game.sides
    terminal.print(f"White: {white_side.name}, Black: {black_side.name}")


def _help(terminal: TerminalGame, _: str) -> None:
    rows = [(f"{name} {command.argument}".strip(), command.about) for name, command in _COMMANDS.items()]
    width = max(len(name) for name, _about in rows)
    terminal.print(_paragraph(_ABOUT_MOVES), *(f"  {name:<{width}}  {about}" for name, about in rows))
    terminal.print(_paragraph(_ABOUT_COMMANDS))


def _paragraph(text: str) -> str:
    return textwrap.fill(text, min(width_of(sys.stdout) or _HELP_WIDTH, _HELP_WIDTH), break_on_hyphens=False)


_COMMANDS: Mapping[str, Input] = {
    "undo": Input(_undo, "take back your last move and what followed"),
    "hint": Input(_hint, "a good move, its score for you in men, and what it leads to"),
    "moves": Input(lambda terminal, _: terminal.show_moves(), "the legal moves"),
    "flip": Input(_flip, "turn the board"),
    "save": Input(_save, "write the game into a PDN file, behind others", "FILE"),
    "fen": Input(lambda terminal, _: terminal.print(terminal.game.game.fen), "the position as FEN"),
    "resign": Input(_resign, "give up"),
    "draw": Input(_draw, "offer a draw"),
    "new": Input(lambda terminal, _: terminal.begin_again(), "another game"),
    "level": Input(_level, "play against a level, 1 to 12", "N"),
    "white": Input(
        lambda terminal, entry: _seat(terminal, 0, entry), "who plays White: human, level 4, simple@d6", "PLAYER"
    ),
    "black": Input(lambda terminal, entry: _seat(terminal, 1, entry), "who plays Black", "PLAYER"),
    "swap": Input(_swap, "change sides"),
    "quit": Input(lambda terminal, _: terminal.leave(), "leave"),
    "help": Input(_help, "this"),
}


def _persons_colour(terminal: TerminalGame) -> int:
    turn = terminal.game.game.turn
    for colour in (turn, 1 - turn):
        if terminal.entries[colour] == HUMAN:
            return colour
    raise ArenaError("no person plays")
