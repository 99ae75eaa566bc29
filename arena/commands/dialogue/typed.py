"""What a person at the board can type: moves, and commands as `undo` and `hint`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.base.wording import cut, nearest
from arena.commands.dialogue.host import Host
from arena.commands.dialogue.lines import PLIES_SHOWN
from arena.commands.output import width_of
from arena.rules.position import COLOURS
from arena.rules.scores import score_text

if TYPE_CHECKING:
    from arena.hosting.analysis import Analysis, Candidate
    from arena.sitting.sides import Side

_HELP_WIDTH = 80
"""Columns of what help explains, at most."""
_ABOUT_MOVES = """\
Type a move by its squares, 11-15 or 22x15x8 or 22 15, or by a beginning that no other move has: 11, 22x. \
Four or more numbers with only spaces between them are rows and columns from 0 at the top left, as White sees \
the board: 5 2 4 3. So are pairs in brackets: (5, 2) (4, 3). Type `pass` where there is no other move."""
_ABOUT_COMMANDS = """\
Commands can be shortened. An empty line shows the board. Ctrl-C makes a thinking player move now, except in \
a game that counts; pressed twice at the prompt, it leaves."""


class Typed(NamedTuple):
    """A command."""

    run: Callable[[Host, str], None]
    """Does it, with the words behind it. Raises ValueError, in one line, where it cannot be done."""
    about: str
    argument: str = ""


def obey(host: Host, text: str) -> None:
    """Do what a line says, or tell what is wrong with it."""
    from arena.experiment.yaml.errors import ConfigError
    from arena.sitting.entering import entered_move, is_like_move, legal_line
    from players.loading import PlayerError

    sitting = host.sitting
    version = sitting.version
    sitting.clocks()
    word, _, argument = text.partition(" ")
    is_move = is_like_move(text) or (sitting.game.legal_moves == [0] and "pass".startswith(text.lower()))
    if sitting.version != version:
        host.tell_news()
        if is_move or not text:
            return
    try:
        if not text:
            host.is_paused = False
            host.show()
        elif is_move:
            sitting.play(entered_move(sitting.game, text))
        elif name := _named(word.lower()):
            if argument.strip() and not COMMANDS[name].argument:
                raise ValueError(f"{name} takes nothing behind it")
            COMMANDS[name].run(host, argument.strip())
        else:
            raise ValueError(
                f"{cut(text)!r} is no move and no command that `help` lists; {legal_line(sitting.game)}"
            )
    except OSError as error:
        host.tell(f"{error.filename}: {error.strerror}")
    except (ValueError, ConfigError, PlayerError) as error:
        host.tell(" ".join(str(error).split()))


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


def _undo(host: Host, _: str) -> None:
    _refuse_if_it_counts(host, "no move is taken back")
    plies = host.sitting.undo()
    host.tell(f"took back {plies} {'ply' if plies == 1 else 'plies'}")


def _hint(host: Host, _: str) -> None:
    _refuse_if_it_counts(host, "there are no hints")
    analysis, line = _advice(host)
    texts = analysis.texts(line)
    score = score_text(line.score, line.wins_in, analysis.man)
    host.tell(f"hint: {texts[0]} ({score}, depth {line.depth}; line: {' '.join(texts[:PLIES_SHOWN])})")


def _eval(host: Host, _: str) -> None:
    _refuse_if_it_counts(host, "there is no evaluation")
    analysis, line = _advice(host)
    turn = host.sitting.game.turn
    if line.wins_in:
        winner = turn if line.wins_in > 0 else 1 - turn
        words = f"{COLOURS[winner].capitalize()} wins in {abs(line.wins_in)} plies"
    else:
        men = round((line.score or 0.0) / (analysis.man or 1.0), 2)
        ahead = COLOURS[turn if men > 0 else 1 - turn].capitalize()
        words = f"{ahead} is ahead by {abs(men):.2f} men" if men else "even"
    host.tell(f"{words} (depth {line.depth})")


def _moves(host: Host, _: str) -> None:
    from arena.sitting.entering import legal_line

    host.tell(legal_line(host.sitting.game))


def _flip(host: Host, _: str) -> None:
    host.is_turned = not host.is_turned
    host.show()


def _save(host: Host, argument: str) -> None:
    from arena.sitting.pdn import append_game

    if not argument:
        raise ValueError("save where? `save FILE`")
    try:
        path = Path(argument).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{argument}: {error}") from None
    number = append_game(path, host.sitting)
    host.saved = (path, host.sitting.version)
    host.tell(f"saved as game {number} of {path}")


def _fen(host: Host, _: str) -> None:
    host.tell(host.sitting.game.fen)


def _resign(host: Host, _: str) -> None:
    host.sitting.resign(_persons_colour(host))


def _draw(host: Host, _: str) -> None:
    colour = _persons_colour(host)
    if not host.sitting.offer_draw(colour):
        host.tell(f"{host.sitting.sides[1 - colour].name} declines the draw")


def _new(host: Host, _: str) -> None:
    if host.may_leave("new"):
        host.begin_again()


def _level(host: Host, argument: str) -> None:
    from arena.sitting.sides import level_of

    if not any(side.is_person for side in host.seated.sides):
        raise ValueError("no person plays: `white level 3` says which side")
    if not argument:
        raise ValueError("which level? `level 3`")
    side = level_of(argument)
    _seat(host, 1 - _persons_colour(host), side, side.name)


def _white(host: Host, argument: str) -> None:
    _seat_entry(host, 0, argument)


def _black(host: Host, argument: str) -> None:
    _seat_entry(host, 1, argument)


def _swap(host: Host, _: str) -> None:
    host.seat(host.seated.swapped())
    white, black = host.seated.sides
    host.tell(f"White: {white.name}, Black: {black.name}{_from_when(host)}")


def _quit(host: Host, _: str) -> None:
    if host.may_leave("quit"):
        host.leave()


def _help(host: Host, _: str) -> None:
    rows = [(f"{name} {command.argument}".strip(), command.about) for name, command in COMMANDS.items()]
    width = max(len(name) for name, _about in rows)
    host.tell(_paragraph(_ABOUT_MOVES), *(f"  {name:<{width}}  {about}" for name, about in rows))
    host.tell(_paragraph(_ABOUT_COMMANDS))


def _paragraph(text: str) -> str:
    return textwrap.fill(text, min(width_of(sys.stdout) or _HELP_WIDTH, _HELP_WIDTH), break_on_hyphens=False)


COMMANDS: Mapping[str, Typed] = {
    "undo": Typed(_undo, "take back your last move and what followed"),
    "hint": Typed(_hint, "a good move, and what it leads to"),
    "moves": Typed(_moves, "the legal moves"),
    "flip": Typed(_flip, "turn the board"),
    "eval": Typed(_eval, "who is ahead, in men"),
    "save": Typed(_save, "write the game into a PDN file, behind others", "FILE"),
    "fen": Typed(_fen, "the position as FEN"),
    "resign": Typed(_resign, "give up"),
    "draw": Typed(_draw, "offer a draw"),
    "new": Typed(_new, "another game"),
    "level": Typed(_level, "play against a level, 1 to 12", "N"),
    "white": Typed(_white, "who plays White: human, level N, {type: mcts, ...}", "PLAYER"),
    "black": Typed(_black, "who plays Black", "PLAYER"),
    "swap": Typed(_swap, "change sides"),
    "quit": Typed(_quit, "leave"),
    "help": Typed(_help, "this"),
}


def _advice(host: Host) -> tuple[Analysis, Candidate]:
    if host.sitting.outcome is not None:
        raise ValueError("the game is over")
    found = host.advice()
    if found is None:
        raise ValueError("nothing was found before the search was stopped")
    return found


def _refuse_if_it_counts(host: Host, words: str) -> None:
    if host.record is not None:
        raise ValueError(f"this game counts: {words}")


def _persons_colour(host: Host) -> int:
    """The colour to move if a person plays it, else that of the person there is."""
    turn = host.sitting.game.turn
    for colour in (turn, 1 - turn):
        if host.seated.sides[colour].is_person:
            return colour
    raise ValueError("no person plays")


def _seat_entry(host: Host, colour: int, argument: str) -> None:
    from arena.sitting.sides import side_of

    if not argument:
        raise ValueError("who? `white human`, `white level 3`, `white greedy`")
    _seat(host, colour, side_of(argument, COLOURS[colour]), argument)


def _seat(host: Host, colour: int, side: Side, entry: str) -> None:
    host.seat(host.seated.replaced(colour, side, entry))
    host.tell(f"{COLOURS[colour].capitalize()} is played by {side.name}{_from_when(host)}")


def _from_when(host: Host) -> str:
    return "" if host.sitting.outcome is None else " in the next game, which `new` begins"
