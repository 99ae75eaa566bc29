"""A game at the board in a terminal or a pipe: a line is read, obeyed and answered."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.base import ArenaError
from arena.base.files import replaces_lines
from arena.base.wording import counted, cut, joined, nearest
from arena.board.game import BoardGame, Request
from arena.board.pdn import append_game
from arena.board.sides import ADVICE_SECONDS, Side, adviser, program_of, side_of
from arena.board.words import (
    ending_text,
    is_like_move,
    legal_line,
    must_capture,
    numbered_move,
    outlook_lines,
    pass_text,
    read_move,
    seen_text,
)
from arena.commands.drawing import run_analysis, show_board
from arena.commands.output import echo
from arena.commands.waiting import GRACE_SECONDS, line_of, watched
from arena.experiment.load import player_spec
from arena.hosting.analysis import Analysis
from arena.rules.move_text import move_squares
from arena.rules.moves import points
from arena.rules.position import COLOURS
from arena.rules.result import points_text
from players.player import HUMAN, Limit

_PLIES_SHOWN = 12
"""Of a line."""
_QUIET_SECONDS = 0.3
"""Seconds that a player may think before a line says so."""
_ALARM_SECONDS = 0.02
"""Seconds after the end of a clock at which it is looked at."""
_HELP = """\
A move is its squares, 11-15 or 22x15x8 or 22 15, or the first of them that no other move has. Four or more
numbers with only spaces between them are rows and columns from 0 at the top left, as White sees the board:
5 2 4 3; so are pairs in brackets. Where the moves are listed, a number alone selects one. Or type one of these:

  pass          where there is no other move
  undo          take back your last move and what followed
  hint          a good move, its score for you in men, and what it leads to
  moves, fen    the legal moves; the position
  flip          turn the board
  save FILE     write the game into a PDN file, behind others
  resign        give up
  white PLAYER  who plays White: human, level 4, simple@d6; black PLAYER alike
  swap          change sides
  new, quit     another game; leave

An empty line shows the board. Ctrl-C makes a thinking player move now; pressed twice at the prompt, it leaves."""
_TAKES = {"save": "FILE", "white": "PLAYER", "black": "PLAYER"}
"""What commands have behind them."""


def sides_for(entries: tuple[str, str], name: str) -> tuple[Side, Side]:
    """The sides of two entries; a person who plays against a program has a name."""
    white, black = (side_of(entry, f"--{colour}") for entry, colour in zip(entries, COLOURS, strict=True))
    if white.is_person == black.is_person:
        return white, black
    person = Side(player_spec({"name": name, "type": HUMAN}, "--name").name)
    return (person, black) if white.is_person else (white, person)


class TerminalGame:
    """A game at the terminal, and the next ones."""

    def __init__(self, game: BoardGame, entries: tuple[str, str], rules: list[str]) -> None:
        """`entries` are White's and Black's, `rules` as the command line has them."""
        self._program = program_of(game.variant)
        self._game, self._entries, self._rules = game, entries, rules
        self._is_turned = self._is_paused = self._has_left = False
        self._printed = (len(game.turns), -1)
        """The plies and the version of the game that were printed."""
        self._commands: dict[str, Callable[[str], None]] = {
            "undo": lambda _: echo(f"took back {counted(self._game.undo(), 'ply', 'plies')}"),
            "hint": lambda _: self._hint(),
            "moves": lambda _: echo(self._legal),
            "flip": lambda _: self._show(turned=True),
            "save": self._save,
            "fen": lambda _: echo(self._game.game.fen),
            "resign": lambda _: self._game.give_up(),
            "white": lambda entry: self._seat((entry, self._entries[1])),
            "black": lambda entry: self._seat((self._entries[0], entry)),
            "swap": lambda _: self._seat(self._entries[::-1]),
            "new": lambda _: self._begin_again(),
            "quit": lambda _: self._leave(),
            "help": lambda _: echo(_HELP),
        }

    def play(self) -> None:
        """Play games, a line of the input after the other, until the person leaves or the input ends."""
        interrupts = 0
        while not self._has_left:
            try:
                self._tell()
                game = self._game
                if game.outcome is None and not game.side.is_person and not self._is_paused:
                    self._think()
                    continue
                clocks = game.clocks() if game.outcome is None and game.side.is_person else None
                text = line_of(self._prompt(), clocks and clocks[game.game.turn] + _ALARM_SECONDS)
                interrupts = 0
                if text is None:
                    self._leave()
                else:
                    self._answer(text)
            except TimeoutError:
                echo("")
            except KeyboardInterrupt:
                interrupts += 1
                echo("\nCtrl-C once more, or `quit`, leaves the game" if interrupts == 1 else "")
                if interrupts > 1:
                    self._leave()
        closing = threading.Thread(target=self._game.close, daemon=True)
        closing.start()
        closing.join(GRACE_SECONDS)

    def _answer(self, text: str) -> None:
        """Play the move or run the command of a line, or print what is wrong with it."""
        game, version = self._game, self._game.version
        game.clocks()
        is_move = is_like_move(text) or (game.game.legal_moves == [0] and text.lower() == "pass")
        if game.version != version and (is_move or not text):
            return  # the time ran out before the line
        try:
            if is_move:
                is_number = self._program.lists_moves and text.isdecimal() and any(game.game.legal_moves)
                game.play((numbered_move if is_number else read_move)(game.game, text))
            elif text:
                self._obey(text)
            else:
                self._is_paused = False
                self._show()
        except OSError as error:
            echo(f"{error.filename}: {error.strerror}")
        except ArenaError as error:
            echo(" ".join(str(error).split()))

    def _obey(self, text: str) -> None:
        """Run the command that the first word is."""
        name, _, argument = text.partition(" ")
        if name not in self._commands:
            close, legal = nearest(name, self._commands), legal_line(self._game.game)
            meant = f"did you mean {close!r}?" if close else legal
            raise ArenaError(f"{cut(text)!r} is no move and no command that `help` lists; {meant}")
        if bool(argument.strip()) != (name in _TAKES):
            raise ArenaError(f"{name} takes {_TAKES.get(name, 'nothing')} behind it")
        self._tell()
        self._commands[name](argument.strip())

    def _hint(self) -> None:
        if self._game.outcome is not None:
            raise ArenaError("the game is over")
        limit = Limit(seconds=ADVICE_SECONDS)
        analysis = Analysis(adviser(self._game.variant, limit), self._game.game.copy())
        line = run_analysis(analysis, draws=False).lines[0]
        texts = analysis.texts(line)[:_PLIES_SHOWN]
        echo(f"hint: {texts[0]} ({analysis.score(line)}, depth {line.depth}; line: {' '.join(texts)})")
        for known in outlook_lines(analysis.outlook()):
            echo(known)

    @property
    def _legal(self) -> str:
        return legal_line(self._game.game, numbered=self._program.lists_moves)

    def _save(self, file: str) -> None:
        path = Path(os.path.expanduser(file))  # noqa: PTH111  Path's raises for a person who is not known
        echo(f"saved as game {append_game(path, self._game)} of {path}")

    def _seat(self, entries: tuple[str, str]) -> None:
        """Continue with those players; with the old ones if one cannot be built."""
        if self._game.outcome is not None:
            raise ArenaError("the game is over; `new` begins another, whose players can be changed")
        before = self._game.sides
        self._game.seat(sides_for(entries, next((side.name for side in before if side.is_person), HUMAN)))
        try:
            self._game.prepare()
        except BaseException:
            self._game.seat(before)
            raise
        self._entries = entries
        white, black = self._game.sides
        echo(f"White: {white.name}, Black: {black.name}")

    def _begin_again(self) -> None:
        """Begin another game from where this one began, which stays if a player cannot be built."""
        last = self._game
        last.release()
        game = BoardGame(last.variant, last.sides, last.game.start_fen, clock=last.clock, seed=last.seed + 1)
        game.prepare()
        self._game, self._is_paused, self._printed = game, False, (0, -1)

    def _leave(self) -> None:
        """End it; the command that plays on from the position is printed."""
        self._has_left = True
        game = self._game
        if game.outcome is None and game.turns:
            white, black = self._entries
            words = ["arena", "play", *self._rules, "--white", white, "--black", black]
            words += ["--clock", f"{game.clock.seconds / 60:g}+{game.clock.increment:g}"] if game.clock else []
            words += ["--seed", str(game.seed)] if game.seed else []
            resumes = shlex.join([*words, "--fen", game.game.fen])
            echo(f"the game is not over (`save` keeps its moves); to resume it:\n{resumes}")

    def _tell(self) -> None:
        """Print what has happened: moves; then the board with the end or what a person is to know of the turn."""
        game = self._game
        game.clocks()
        plies, version = self._printed
        if version == game.version:
            return
        self._printed = (len(game.turns), game.version)
        for ply in range(min(plies, len(game.turns)) + 1, len(game.turns) + 1):
            echo("\n".join(_turn_lines(game, ply)))
        if game.outcome is not None:
            self._show()
            over = "`new` begins another game, `save FILE` keeps this one, `quit` leaves"
            echo("\n".join(filter(None, [game.failure, ending_text(game.outcome), over])))
        elif game.side.is_person or HUMAN not in self._entries:
            self._show()
            is_forced = must_capture(game.game) or len(game.game.legal_moves) == 1
            if game.side.is_person and (self._program.lists_moves or is_forced):
                echo(self._legal)

    def _show(self, *, turned: bool = False) -> None:
        """Print the board, turned round if asked to, the last move and what it captured marked."""
        self._is_turned ^= turned
        game, marks = self._game, tuple[int, ...]()
        is_blacks = not game.sides[0].is_person and game.sides[1].is_person and not self._program.numbers_edges
        if game.turns:
            marks = move_squares(game.variant, game.game.positions[-2], game.turns[-1].move).captured
        board = game.game.board(flip=is_blacks != self._is_turned, marks=marks)
        show_board(board, edges=self._program.numbers_edges)
        if game.variant.rules.score_decides:
            echo(points_text(points(game.variant.rules, game.game.position)))

    def _prompt(self) -> str:
        game = self._game
        if game.outcome is not None:
            return "over> "
        if self._is_paused:
            echo("paused; press Enter to continue")
            return "paused> "
        clocks, turn = game.clocks(), game.game.turn
        left = f" {clock_text(clocks[turn])}" if clocks else ""
        return f"{COLOURS[turn].capitalize()}{left}> "

    def _think(self) -> None:
        """Have the player to move play. Ctrl-C has it answer now, and pauses two players; a second one leaves."""
        game, began, keys = self._game, time.monotonic(), "thinks, {}; Ctrl-C: move now"
        request = game.request()

        def hurry() -> None:
            nonlocal keys
            keys = "is to move now, {}; Ctrl-C once more leaves"
            self._is_paused = HUMAN not in self._entries
            game.stop()

        try:
            for thought in watched(map(Request.answer, [request]), hurry):
                if thought is not None:
                    game.accept(request, thought)
                elif (seconds := time.monotonic() - began) > _QUIET_SECONDS:
                    _note(f"{game.side.name} {keys.format(f'{seconds:.0f} s')}")
        except KeyboardInterrupt:
            self._leave()
        except BaseException as error:
            game.fail(request, error)
        finally:
            _note("")


def _note(text: str) -> None:
    """Replace the last line of a terminal."""
    if replaces_lines(sys.stdout):
        print(f"\r\x1b[K{text}", end="", flush=True)


def _turn_lines(game: BoardGame, ply: int) -> Iterator[str]:
    """Yield a move that was played, `ply` counted from 1, what it captured and what its player saw."""
    turn, before = game.turns[ply - 1], game.game.positions[ply - 1]
    captured = move_squares(game.variant, before, turn.move).captured
    number = (ply - 1 + (game.game.start.turn != game.variant.first)) // 2 + 1
    move = f"{COLOURS[before.turn].capitalize()} {turn.text}" if turn.move else pass_text(before.turn)
    yield f"{number}. {move}" + (f", captured {joined(map(str, captured))}" if captured else "")
    if turn.thought is not None:
        yield f"    {seen_text(turn.thought)}"
        if len(line := turn.thought.line) > 1:
            yield f"    line: {' '.join(line[:_PLIES_SHOWN])}{' ...' * (len(line) > _PLIES_SHOWN)}"


def clock_text(seconds: float) -> str:
    """`4:58`, below ten seconds `9.5`."""
    return f"{seconds:.1f}" if seconds < 10 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"
