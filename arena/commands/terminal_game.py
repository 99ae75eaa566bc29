"""TerminalGame: a game at the board in a terminal or a pipe; what is shown of it, and who thinks."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import click

from arena.base.errors import ArenaError
from arena.base.wording import counted, listed
from arena.base.writing import replaces_lines
from arena.board.entering import check_start, entered_move, is_place, legal_line, must_capture, numbered_move
from arena.board.game import BoardGame, Thought
from arena.board.published import program_of
from arena.board.sides import ADVICE_SECONDS, adviser
from arena.board.words import ending_text, pass_text, seen_text
from arena.commands.drawing import show_board
from arena.commands.game_options import sides_for
from arena.commands.output import echo, width_of
from arena.commands.waiting import watched
from arena.hosting.analysis import Analysis, Candidate
from arena.rules.move_text import move_squares
from arena.rules.position import COLOURS
from arena.rules.result import points, points_text
from players.player import Limit

PLIES_SHOWN = 12
"""Of a line."""
_QUIET_SECONDS = 0.3
"""Seconds that a player may think before a line says so."""
_INDENT = "    "
_LIST_WIDTH = 80
"""Columns of a list of moves where there is no terminal."""
_AFTERWARDS = "`new` begins another game, `save FILE` keeps this one, `quit` leaves"


class TerminalGame:
    """A game at the terminal, and the next ones: `game` is the one that is played."""

    def __init__(self, game: BoardGame, entries: tuple[str, str], rules: list[str], *, is_turned: bool) -> None:
        """`entries` are White's and Black's, `rules` as the command line has them."""
        self.program = program_of(game.variant)
        self.game, self.entries, self._rules, self.is_turned = game, entries, rules, is_turned
        self.is_paused = False
        """Whether players that play alone wait for a person."""
        self.has_left = False
        self.start = ""
        """The start of a move, where its end is asked for."""
        self._printed = (len(game.turns), -1)
        """The plies and the version of the game that were printed."""

    @property
    def has_person(self) -> bool:
        """Whether a person plays a side."""
        return any(side.is_person for side in self.game.sides)

    @property
    def colour(self) -> str:
        """The colour to move, as it begins a sentence."""
        return COLOURS[self.game.game.turn].capitalize()

    def print(self, *lines: str) -> None:
        """Print lines."""
        for line in lines:
            echo(line)

    def tell(self) -> None:
        """Print what has happened: moves; then the board with the end or what a person is to know of the turn."""
        game = self.game
        game.clocks()
        plies, version = self._printed
        if version == game.version:
            return
        self.start = ""
        for ply in range(min(plies, len(game.turns)) + 1, len(game.turns) + 1):
            self.print(*self._turn_lines(ply))
        self._printed = (len(game.turns), game.version)
        if game.outcome is not None:
            self.show()
            self.print(*filter(None, [game.failure]), ending_text(game.game, game.outcome), _AFTERWARDS)
        elif game.side.is_person or not self.has_person:
            self.show()
            if game.side.is_person and (
                self.program.lists_moves or must_capture(game.game) or len(game.game.legal_moves) == 1
            ):
                self.show_moves()

    def show(self) -> None:
        """Print the board, the last move and what it captured marked; on a terminal with the sides beside it."""
        game = self.game
        white, black = game.sides
        is_blacks = black.is_person and not white.is_person and not self.program.numbers_edges
        captured: tuple[int, ...] = ()
        if game.turns:
            captured = move_squares(game.variant, game.game.positions[-2], game.turns[-1].move).captured
        board = game.game.board(flip=is_blacks != self.is_turned, marks=captured)
        show_board(board, "\n".join(self._beside()), edges=self.program.numbers_edges)

    def show_moves(self) -> None:
        """Print the legal moves: in a line, or numbered in rows where each turn lists them."""
        game = self.game.game
        if not self.program.lists_moves or not any(game.legal_moves):
            self.print(legal_line(game))
            return
        cells = [f"{number:>3}) {text}" for number, text in enumerate(game.legal_texts, start=1)]
        size = max(map(len, cells)) + 2
        across = max((width_of(sys.stdout) or _LIST_WIDTH) // size, 1)
        self.print(f"{'you must capture' if must_capture(game) else 'legal moves'}, by number or squares:")
        for first in range(0, len(cells), across):
            self.print("".join(cell.ljust(size) for cell in cells[first : first + across]).rstrip())

    def enter(self, text: str) -> None:
        """Play the move that a person typed, or keep its start. Raises ArenaError for a text that is none."""
        game = self.game.game
        if self.program.asks_for_squares and is_place(game, text):
            if not self.start:
                check_start(game, text)
                self.start = text
                return
            text = f"({self.start}) ({text})"
        self.start = ""
        is_number = self.program.lists_moves and text.isdecimal() and any(game.legal_moves)
        self.game.play((numbered_move if is_number else entered_move)(game, text))

    def think(self) -> None:
        """Have the player to move play; Ctrl-C has it answer now, and pauses a game without persons.

        Raises KeyboardInterrupt for the second Ctrl-C.
        """
        game, began, hurried = self.game, time.monotonic(), False
        request = game.request()

        def answer() -> Iterator[Thought]:
            yield request.answer()

        def hurry() -> None:
            nonlocal hurried
            hurried = True
            self.is_paused = not self.has_person
            game.stop()

        try:
            for thought in watched(answer(), hurry):
                if thought is not None:
                    game.accept(request, thought)
                elif (seconds := time.monotonic() - began) > _QUIET_SECONDS:
                    doing = "is to move now" if hurried else "thinks"
                    keys = "Ctrl-C once more leaves" if hurried else "Ctrl-C: move now"
                    self._note(f"{game.side.name} {doing}, {seconds:.0f} s; {keys}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            game.fail(request, error)
        finally:
            self._note("")

    def advice(self) -> tuple[Analysis, Candidate]:
        """The best move found by the strongest player in ADVICE_SECONDS. Raises ArenaError if there is none."""
        if self.game.outcome is not None:
            raise ArenaError("the game is over")
        analysis = Analysis(adviser(self.game.variant, Limit(seconds=ADVICE_SECONDS)), self.game.game.copy())
        last = None
        with suppress(KeyboardInterrupt):
            for findings in watched(analysis.findings(), analysis.stop):
                last = findings or last
        if last is None or not last.lines:
            raise ArenaError("nothing was found before the search was stopped")
        return analysis, last.lines[0]

    def seat(self, entries: tuple[str, str]) -> None:
        """Continue with those players. Raises ArenaError for one that cannot be built; then the old ones stay."""
        if self.game.outcome is not None:
            raise ArenaError("the game is over; `new` begins another, whose players can be changed")
        before = self.game.sides
        persons = [side.name for side in before if side.is_person]
        self.game.seat(sides_for(entries, persons[0] if persons else None))
        try:
            self.game.prepare()
        except BaseException:
            self.game.seat(before)
            raise
        self.entries = entries

    def begin_again(self) -> None:
        """Begin another game between the sides, from where this one began.

        Raises ArenaError for a player that cannot be built; then the game before stays.
        """
        last = self.game
        last.release()
        game = BoardGame(last.variant, last.sides, last.game.start_fen, clock=last.clock, seed=last.seed + 1)
        try:
            game.prepare()
        except BaseException:
            game.release()
            raise
        self.game, self.is_paused, self._printed = game, False, (0, -1)

    def leave(self) -> None:
        """End it; the command that plays on from the position is printed."""
        self.has_left = True
        if self.game.outcome is None and self.game.turns:
            white, black = self.entries
            words = ["arena", "play", *self._rules, "--white", white, "--black", black]
            if (clock := self.game.clock) is not None:
                words += ["--clock", f"{clock.seconds / 60:g}+{clock.increment:g}"]
            words += ["--seed", str(self.game.seed)] if self.game.seed else []
            words += ["--fen", self.game.game.fen]
            self.print("the game is not over (`save` keeps its moves); to resume it:", shlex.join(words))

    def _turn_lines(self, ply: int) -> list[str]:
        """A move that was played, `ply` counted from 1, what it captured and what its player saw."""
        game = self.game
        turn, before = game.turns[ply - 1], game.game.positions[ply - 1]
        captured = move_squares(game.variant, before, turn.move).captured
        number = (ply - 1 + (game.game.start.turn != game.variant.first)) // 2 + 1
        mover = COLOURS[before.turn].capitalize()
        words = f"{number}. {f'{mover} {turn.text}' if turn.move else pass_text(before.turn)}"
        words += f", captured {listed(map(str, captured))}" if captured else ""
        return [words, *(_INDENT + line for line in _seen_lines(turn.thought))]

    def _beside(self) -> Iterator[str]:
        """What stands beside a board: on a terminal players, pieces and time; elsewhere points that decide."""
        game = self.game
        rules, position = game.variant.rules, game.game.position
        if not sys.stdout.isatty():
            if rules.score_decides:
                yield points_text(points(rules, position))
            return
        clocks = game.clocks()
        for colour, side in enumerate(game.sides):
            pieces = position.black if colour else position.white
            kings = (pieces & position.kings).bit_count()
            men = pieces.bit_count() - kings
            words = [counted(men, "man", "men")] if men or not kings else []
            words += [counted(kings, "king")] if kings else []
            words += [counted(points(rules, position)[colour], "point")] if rules.score_decides else []
            time_left = f", {clock_text(clocks[colour])}" if clocks else ""
            yield f"{COLOURS[colour].capitalize()}: {side.name}{time_left}"
            yield f"{_INDENT}{', '.join(words)}"

    def _note(self, text: str) -> None:
        if replaces_lines(sys.stdout):
            click.echo(f"\r\x1b[K{text}", nl=False)


def clock_text(seconds: float) -> str:
    """`4:58`, below ten seconds `9.5`."""
    if seconds < 10:
        return f"{seconds:.1f}"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _seen_lines(thought: Thought | None) -> list[str]:
    if thought is None:
        return []
    lines = [seen_text(thought)]
    if len(thought.line) > 1:
        more = " ..." if len(thought.line) > PLIES_SHOWN else ""
        lines.append(f"line: {' '.join(thought.line[:PLIES_SHOWN])}{more}")
    return lines
