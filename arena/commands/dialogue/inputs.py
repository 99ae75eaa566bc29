"""Input at the board: moves, and commands as `undo` and `hint`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import cut, nearest
from arena.board.entering import entered_move, is_like_move, legal_line, numbered_move
from arena.board.pdn import append_game
from arena.board.sides import Side, level_of, side_of
from arena.board.words import outlook_lines
from arena.commands.dialogue.lines import PLIES_SHOWN
from arena.commands.dialogue.terminal import TerminalGame
from arena.commands.output import width_of
from arena.hosting.analysis import Analysis, Candidate
from arena.rules.position import COLOURS

_LISTING = _SHOWN, _HIDDEN = ("shown", "hidden")
"""What `moves` takes: whether the legal moves are listed at each turn."""
_HELP_WIDTH = 80
"""Columns of what help explains, at most."""
_ABOUT_MOVES = """\
Type a move by its squares, 11-15 or 22x15x8 or 22 15, or by a beginning that no other move has: 11, 22x. \
Four or more numbers with only spaces between them are rows and columns from 0 at the top left, as White sees \
the board: 5 2 4 3. So are pairs in brackets: (5, 2) (4, 3). Type `pass` where there is no other move. Where the \
moves are listed, a number alone selects one of them."""
_ABOUT_COMMANDS = """\
Commands can be shortened. An empty line shows the board. Ctrl-C makes a thinking player move now; pressed \
twice at the prompt, it leaves."""


class Input(NamedTuple):
    """A command."""

    run: Callable[[TerminalGame, str], None]
    """Does it, with the words behind it. Raises ValueError, in one line, where it cannot be done."""
    about: str
    argument: str = ""


def run_command(game: TerminalGame, text: str) -> None:
    """Run the command of a line, or print what is wrong with it."""
    sitting = game.sitting
    version = sitting.version
    sitting.clocks()
    word, _, argument = text.partition(" ")
    is_move = is_like_move(text) or (sitting.game.legal_moves == [0] and "pass".startswith(text.lower()))
    if sitting.version != version:
        game.print_news()
        if is_move or not text:
            return
    try:
        if not text:
            game.is_paused = False
            game.show()
        elif is_move:
            is_number = game.lists_moves and text.isdecimal() and any(sitting.game.legal_moves)
            sitting.play((numbered_move if is_number else entered_move)(sitting.game, text))
        elif name := _named(word.lower()):
            if argument.strip() and not COMMANDS[name].argument:
                raise ValueError(f"{name} takes nothing behind it")
            COMMANDS[name].run(game, argument.strip())
        else:
            raise ValueError(
                f"{cut(text)!r} is no move and no command that `help` lists; {legal_line(sitting.game)}"
            )
    except OSError as error:
        game.print(f"{error.filename}: {error.strerror}")
    except (ValueError, ArenaError) as error:
        game.print(" ".join(str(error).split()))


def _named(word: str) -> str:
    """The command that is a word, or alone begins with it; empty if none is. Raises ValueError for several."""
    if word in COMMANDS:
        return word
    begun = [name for name in COMMANDS if name.startswith(word)]
    if len(begun) > 1:
        raise ValueError(f"{word!r} can be {' or '.join(begun)}")
    if begun:
        return begun[0]
    if close := nearest(word, COMMANDS):
        raise ValueError(f"unknown command {cut(word)!r}; did you mean {close!r}?")
    return ""


def _undo(game: TerminalGame, _: str) -> None:
    plies = game.sitting.undo()
    game.print(f"took back {plies} {'ply' if plies == 1 else 'plies'}")


def _hint(game: TerminalGame, _: str) -> None:
    analysis, line = _advice(game)
    texts = analysis.texts(line)
    score = analysis.score(line)
    game.print(f"hint: {texts[0]} ({score}, depth {line.depth}; line: {' '.join(texts[:PLIES_SHOWN])})")
    game.print(*outlook_lines(analysis.outlook()))


def _eval(game: TerminalGame, _: str) -> None:
    analysis, line = _advice(game)
    turn = game.sitting.game.turn
    if line.plies_to_win:
        winner = turn if line.plies_to_win > 0 else 1 - turn
        words = f"{COLOURS[winner].capitalize()} wins in {abs(line.plies_to_win)} plies"
    elif analysis.known(line):
        words = "a draw"
    else:
        men = round((line.score or 0.0) / (analysis.man_value or 1.0), 2)
        ahead = COLOURS[turn if men > 0 else 1 - turn].capitalize()
        words = f"{ahead} is ahead by {abs(men):.2f} men" if men else "even"
    game.print(f"{words} (depth {line.depth})")


def _moves(game: TerminalGame, argument: str) -> None:
    if argument not in ("", *_LISTING):
        raise ValueError(f"`moves`, `moves {_SHOWN}` or `moves {_HIDDEN}`, not {cut(argument)!r}")
    if argument:
        game.lists_moves = argument == _SHOWN
    if argument == _HIDDEN:
        game.print("the legal moves are no longer listed; `moves` shows them once")
    else:
        game.show_moves()


def _flip(game: TerminalGame, _: str) -> None:
    game.is_turned = not game.is_turned
    game.show()


def _save(game: TerminalGame, argument: str) -> None:
    if not argument:
        raise ValueError("save where? `save FILE`")
    try:
        path = Path(argument).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{argument}: {error}") from None
    number = append_game(path, game.sitting)
    game.saved = (path, game.sitting.version)
    game.print(f"saved as game {number} of {path}")


def _fen(game: TerminalGame, _: str) -> None:
    game.print(game.sitting.game.fen)


def _resign(game: TerminalGame, _: str) -> None:
    game.sitting.resign(_persons_colour(game))


def _draw(game: TerminalGame, _: str) -> None:
    colour = _persons_colour(game)
    if not game.sitting.offer_draw(colour):
        game.print(f"{game.sitting.sides[1 - colour].name} declines the draw")


def _new(game: TerminalGame, _: str) -> None:
    game.begin_again()


def _level(game: TerminalGame, argument: str) -> None:
    if not any(side.is_person for side in game.seated.sides):
        raise ValueError("no person plays: `white level 3` says which side")
    if not argument:
        raise ValueError("which level? `level 3`")
    side = level_of(argument)
    _seat(game, 1 - _persons_colour(game), side, side.name)


def _white(game: TerminalGame, argument: str) -> None:
    _seat_entry(game, 0, argument)


def _black(game: TerminalGame, argument: str) -> None:
    _seat_entry(game, 1, argument)


def _swap(game: TerminalGame, _: str) -> None:
    game.seat(game.seated.swapped())
    white, black = game.seated.sides
    game.print(f"White: {white.name}, Black: {black.name}{_from_when(game)}")


def _quit(game: TerminalGame, _: str) -> None:
    game.leave()


def _help(game: TerminalGame, _: str) -> None:
    rows = [(f"{name} {command.argument}".strip(), command.about) for name, command in COMMANDS.items()]
    width = max(len(name) for name, _about in rows)
    game.print(_paragraph(_ABOUT_MOVES), *(f"  {name:<{width}}  {about}" for name, about in rows))
    game.print(_paragraph(_ABOUT_COMMANDS))


def _paragraph(text: str) -> str:
    return textwrap.fill(text, min(width_of(sys.stdout) or _HELP_WIDTH, _HELP_WIDTH), break_on_hyphens=False)


COMMANDS: Mapping[str, Input] = {
    "undo": Input(_undo, "take back your last move and what followed"),
    "hint": Input(_hint, "a good move, and what it leads to"),
    "moves": Input(_moves, "the legal moves; listed at each turn, or no longer", f"[{'|'.join(_LISTING)}]"),
    "flip": Input(_flip, "turn the board"),
    "eval": Input(_eval, "who is ahead, in men"),
    "save": Input(_save, "write the game into a PDN file, behind others", "FILE"),
    "fen": Input(_fen, "the position as FEN"),
    "resign": Input(_resign, "give up"),
    "draw": Input(_draw, "offer a draw"),
    "new": Input(_new, "another game"),
    "level": Input(_level, "play against a level, 1 to 12", "N"),
    "white": Input(_white, "who plays White: human, level N, {type: mcts, ...}", "PLAYER"),
    "black": Input(_black, "who plays Black", "PLAYER"),
    "swap": Input(_swap, "change sides"),
    "quit": Input(_quit, "leave"),
    "help": Input(_help, "this"),
}


def _advice(game: TerminalGame) -> tuple[Analysis, Candidate]:
    if game.sitting.outcome is not None:
        raise ValueError("the game is over")
    found = game.advice()
    if found is None:
        raise ValueError("nothing was found before the search was stopped")
    return found


def _persons_colour(game: TerminalGame) -> int:
    turn = game.sitting.game.turn
    for colour in (turn, 1 - turn):
        if game.seated.sides[colour].is_person:
            return colour
    raise ValueError("no person plays")


def _seat_entry(game: TerminalGame, colour: int, argument: str) -> None:
    if not argument:
        raise ValueError("who? `white human`, `white level 3`, `white greedy`")
    _seat(game, colour, side_of(argument, COLOURS[colour]), argument)


def _seat(game: TerminalGame, colour: int, side: Side, entry: str) -> None:
    game.seat(game.seated.replaced(colour, side, entry))
    game.print(f"{COLOURS[colour].capitalize()} is played by {side.name}{_from_when(game)}")


def _from_when(game: TerminalGame) -> str:
    return "" if game.sitting.outcome is None else " in the next game, which `new` begins"
