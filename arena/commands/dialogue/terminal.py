"""TerminalGame: a game at the terminal; shows the board and has players think."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from arena.base.writing import replaces_lines
from arena.board.game import BoardGame, Thought
from arena.board.published import program_of
from arena.board.sides import ADVICE_SECONDS, adviser
from arena.board.words import ending_text
from arena.commands.board import show_board
from arena.commands.dialogue.lines import beside, legal_lines, turn_lines
from arena.commands.output import echo
from arena.commands.seating import Seated, not_built
from arena.commands.waiting import watched
from arena.hosting.analysis import Analysis, Candidate
from arena.rules.move_text import move_squares
from arena.rules.position import COLOURS, Position
from players.player import Limit

_QUIET_SECONDS = 0.3
"""Seconds that a player may think before a line says so."""


class TerminalGame:
    """A game at the terminal, and the next ones: `sitting` is the one that is played."""

    def __init__(self, sitting: BoardGame, seated: Seated, given: Sequence[str], *, flip: bool) -> None:
        """`seated` are the sides, `given` the command line's other words."""
        self.sitting = sitting
        self._seated = seated
        self._next: Seated | None = None
        """The players of the next game, if they were named after the end of this one."""
        self.is_turned = flip
        """Whether the board stands the other way than whoever plays would have it."""
        self.lists_moves = program_of(sitting.variant).lists_moves
        """Whether the legal moves are listed, numbered, at each turn of a person."""
        self.is_paused = False
        """Whether players that play alone wait for a person."""
        self.has_left = False
        self.invited_at = -1
        """The version of the sitting at which a person was asked for a move."""
        self.saved: tuple[Path, int] | None = None
        """Where the game was saved last, and its version then."""
        self._given = given
        self._shown_plies = len(sitting.turns)
        """Plies whose lines were printed."""
        self._ended_at = -1
        """The version of the sitting whose end was printed."""
        self._shown: tuple[int, Position, bool] | None = None
        """The board shown last: its plies, its position, whether Black was below."""

    @property
    def has_person(self) -> bool:
        """Whether a person plays a side."""
        return any(side.is_person for side in self.sitting.sides)

    @property
    def seated(self) -> Seated:
        """The players; after the end, those of the next game."""
        is_over = self.sitting.outcome is not None
        return self._next if is_over and self._next is not None else self._seated

    def print(self, *lines: str) -> None:
        """Print lines."""
        for line in lines:
            echo(line)

    def print_news(self) -> None:
        """Print the moves that were not printed yet, and the end of the game."""
        sitting = self.sitting
        sitting.clocks()
        self._shown_plies = min(self._shown_plies, len(sitting.turns))
        for ply in range(self._shown_plies + 1, len(sitting.turns) + 1):
            self.print(*turn_lines(sitting, ply))
        self._shown_plies = len(sitting.turns)
        if sitting.outcome is None or self._ended_at == sitting.version:
            return
        self.show_once()
        if sitting.failure:
            self.print(sitting.failure)
        self.print(
            *program_of(sitting.variant).ending(sitting.outcome), ending_text(sitting.game, sitting.outcome)
        )
        self._ended_at = sitting.version

    def show(self) -> None:
        """Print the board, the last move and what it captured marked; on a terminal with the sides beside it."""
        sitting = self.sitting
        captured: tuple[int, ...] = ()
        if sitting.turns:
            before = sitting.game.positions[-2]
            captured = move_squares(sitting.variant, before, sitting.turns[-1].move).captured
        board = sitting.game.board(flip=self.flip, marks=captured)
        show_board(board, "\n".join(beside(sitting)), edges=program_of(sitting.variant).numbers_edges)
        self._shown = (len(sitting.turns), sitting.game.position, self.flip)

    def show_moves(self) -> None:
        """Print the legal moves, as a numbered list if they are listed at each turn, else in a line."""
        self.print(*legal_lines(self.sitting.game, self.lists_moves))

    def show_once(self) -> None:
        """Print the board if it is not the one that was printed last."""
        if self._shown != (len(self.sitting.turns), self.sitting.game.position, self.flip):
            self.show()

    @property
    def flip(self) -> bool:
        """Whether Black is below: where it is the only person, or the board was turned.

        The boards whose rows are numbered have row 0 on top, whoever plays.
        """
        white, black = self.sitting.sides
        is_blacks = black.is_person and not white.is_person
        return (is_blacks and not program_of(self.sitting.variant).numbers_edges) != self.is_turned

    def think(self) -> None:
        """Have the player to move play; Ctrl-C has it answer now, and pauses a game without persons.

        Raises KeyboardInterrupt for the second Ctrl-C.
        """
        sitting, began = self.sitting, time.monotonic()
        request = sitting.request()

        def answer() -> Iterator[Thought]:
            yield request.answer()

        hurried = False

        def hurry() -> None:
            nonlocal hurried
            hurried = True
            self.is_paused = not self.has_person
            sitting.stop()

        def note() -> None:
            doing = "is to move now" if hurried else "thinks"
            keys = "Ctrl-C once more leaves" if hurried else "Ctrl-C: move now"
            self._note(f"{sitting.side.name} {doing}, {time.monotonic() - began:.0f} s; {keys}")

        try:
            for thought in watched(answer(), hurry):
                if thought is not None:
                    sitting.accept(request, thought)
                elif time.monotonic() - began > _QUIET_SECONDS:
                    note()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            sitting.fail(request, error)
        finally:
            self._note("")

    def advice(self) -> tuple[Analysis, Candidate] | None:
        """The best move found by the strongest player in ADVICE_SECONDS; None if it found nothing."""
        player = adviser(self.sitting.variant, Limit(seconds=ADVICE_SECONDS))
        analysis = Analysis(player, self.sitting.game.copy())
        found = None
        with suppress(KeyboardInterrupt):
            for findings in watched(analysis.findings(), analysis.stop):
                found = findings or found
        return (analysis, found.lines[0]) if found is not None and found.lines else None

    def seat(self, seated: Seated) -> None:
        """Continue with those sides; after the end of the game they play the next one.

        Raises ValueError, in one line, for a player that cannot be built; then the old ones stay.
        """
        if self.sitting.outcome is not None:
            self._next = seated
            return
        before = self.sitting.sides
        self.sitting.seat(seated.sides)
        try:
            _prepare(self.sitting)
        except BaseException:
            self.sitting.seat(before)
            raise
        self._seated, self._next = seated, None

    def begin_again(self) -> None:
        """Begin another game between the sides, from where this one began.

        Raises ValueError, in one line, for a player that cannot be built; then the game before stays.
        """
        last, seated = self.sitting, self._next or self._seated
        last.release()
        sitting = BoardGame(last.variant, seated.sides, last.game.start, clock=last.clock, seed=last.seed + 1)
        try:
            _prepare(sitting)
        except BaseException:
            sitting.release()
            raise
        self.sitting, self._seated, self._next = sitting, seated, None
        self._shown_plies, self._ended_at, self._shown = 0, -1, None
        self.invited_at = -1
        self.saved, self.is_paused = None, False

    def leave(self) -> None:
        """End it; the command that resumes the game is printed."""
        self.has_left = True
        sitting = self.sitting
        if sitting.outcome is None and sitting.turns:
            kept = "" if self._is_saved else " (`save` would have kept its moves)"
            self.print(f"the game is not over{kept}; to resume it:\n{self._how_to_go_on()}")

    def colour(self) -> str:
        """The colour to move, as it begins a sentence."""
        return COLOURS[self.sitting.game.turn].capitalize()

    @property
    def _is_saved(self) -> bool:
        return self.saved is not None and self.saved[1] == self.sitting.version

    def _how_to_go_on(self) -> str:
        white, black = self._seated.entries
        words = ["arena", "play", *self._given, *(["--flip"] if self.is_turned else [])]
        if self.lists_moves != program_of(self.sitting.variant).lists_moves:
            words.append("--moves" if self.lists_moves else "--no-moves")
        words += ["--white", white, "--black", black]
        if self.saved is not None and self._is_saved:
            words += ["--from", str(self.saved[0])]
        else:
            words += ["--fen", self.sitting.game.fen]
        return shlex.join(words)

    def _note(self, text: str) -> None:
        if replaces_lines(sys.stdout):
            click.echo(f"\r\x1b[K{text}", nl=False)


def _prepare(sitting: BoardGame) -> None:
    try:
        sitting.prepare()
    except Exception as error:
        raise ValueError(not_built(error)) from None
