"""The DamExchange Protocol, version 01: an outside program that is asked for moves over a TCP connection.

http://www.mesander.nl/damexchange defines its messages. The arena is the Initiator of every game, as it sets the
start and the colours, the program the Follower; either may listen, at the loopback.
"""

from __future__ import annotations

import re
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from arena.base.process import tell
from arena.base.wording import quoted
from arena.rules.game import Game
from arena.rules.hub import parse_hub_move, position_text
from arena.rules.move_text import move_squares
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.engines.program import PATIENCE, Program, ProgramError, Starter, program_is_slow, tell_sent
from players.loading import PlayerError
from players.player import AnswerError, Choice, Limit, Resign

_HOST, _SQUARES, _MINUTE = "127.0.0.1", 50, 60
_MOST = 999  # minutes of a game, and moves in them
_LONGEST = 127  # characters of a message
_END_SECONDS = 10.0  # seconds for a move after its time is over
_TRY_SECONDS = 0.02

Listens = Literal["program", "arena"]


class Dxp:
    """A conversation with an outside program, which `start` starts for each game by the words of a command."""

    version = ""

    def __init__(
        self, start: Starter, words: Sequence[str], variant: Variant, port: int, listens: Listens
    ) -> None:
        """For port 0 a free one is taken. Raises PlayerError if board or port do not fit the protocol."""
        if variant.squares != _SQUARES or variant.rules.passes:
            needs = f"it is for boards of {_SQUARES} squares, where nobody passes"
            raise PlayerError(f"protocol dxp does not play {variant.name}: {needs}", "protocol")
        if not port and "{port}" not in " ".join(words):
            message = "the command must have {port} where the program takes its port; or give the port that it has"
            raise PlayerError(message, "command")
        self._start, self._words, self._variant, self._port, self._listens = start, words, variant, port, listens
        self.program: Program | None = None
        self._connection = socket.socket()
        self._buffer = b""
        self._game: tuple[Position, list[int]] | None = None  # start and moves of the program's game, if any
        self._left: int | None = None  # moves that the program has left in it, if these are limited

    def open(self) -> None:
        """Start the program and connect to it. Raises PlayerError, and ProgramError if it ends."""
        with socket.socket() as own:
            try:
                own.bind((_HOST, self._port))
            except OSError:
                advice = "write {port} into the command if it can have another one, or play with one worker"
                message = f"port {self._port} is taken, perhaps by another process of the same program: {advice}"
                raise PlayerError(message, "port") from None
            port, is_awaited = own.getsockname()[1], self._listens == "arena"
            own.settimeout(_TRY_SECONDS)
            own.listen(1) if is_awaited else own.close()
            self.program = program = self._start([word.replace("{port}", str(port)) for word in self._words])
            soon = time.perf_counter() + PATIENCE
            while True:
                with suppress(OSError):
                    self._connection = own.accept()[0] if is_awaited else socket.create_connection((_HOST, port))
                    break
                if program.has_ended:
                    raise ProgramError(program.ending("connection"))
                if time.perf_counter() > soon:
                    name, soon = Path(self._words[0]).name, float("inf")
                    program_is_slow(f"waiting for {name} to connect at port {port}{program.wrote}")
                program.forget()
                time.sleep(_TRY_SECONDS)
        # closed so, it leaves nothing at the port, where a program could not listen again for a minute (TIME_WAIT)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def begin(self) -> None:
        """Start the program, again if it has played. Raises PlayerError and ProgramError."""
        if self._game is not None:
            self.close()
        if self.program is None:
            self.open()

    @staticmethod
    def check_limit(limit: Limit) -> None:
        """Raise ValueError unless the limit is a clock of whole minutes, perhaps for some moves."""
        minutes, rest = divmod(limit.clock or 0.0, _MINUTE)
        fits = 1 <= minutes <= _MOST and not rest and (limit.moves or 0) <= _MOST
        if not fits or limit != Limit(clock=limit.clock, moves=limit.moves):
            clock = f"whole minutes, 60 to {_MOST * _MINUTE} seconds, for a game or for {_MOST} moves at most"
            raise ValueError(f"protocol dxp needs a clock of {clock}, and no other limit")

    def choose(self, game: Game, limit: Limit) -> Choice:
        """Give the program the opponent's move, or a new game, and wait for its move.

        By the protocol a game is over with the moves of its clock; another one goes on from there. Raises
        AnswerError for any other answer, and if there is none 10 s after the clock ran out; Resign; ProgramError.
        """
        clock = limit.clock or 0.0
        deadline = time.perf_counter() + clock + _END_SECONDS
        if self._left == 0 or self._game != (game.start, game.moves[:-1]):
            self.begin()
            self._left = limit.moves
            # it begins before the opponent's last move, so that the program's book knows the usual start
            start, minutes = game.positions[max(len(game.moves) - 1, 0)], int(clock // _MINUTE)
            self._send(game_request(self._variant, start, game.position.turn, minutes, limit.moves or 0))
            text = self._message(deadline)
            if not text.startswith("A") or text[33:] != "0":
                raise AnswerError(f"answered the request for a game with {quoted(text)}")
        if game.moves:
            self._send(move_message(self._variant, game.positions[-2], game.moves[-1]))
        self._game = game.start, list(game.moves)
        text = self._message(deadline)
        if text.startswith("E1"):
            raise Resign
        if text.startswith("E"):
            raise AnswerError(f"ended the game in place of a move (GAMEEND {text[1:2]})")
        seconds, written = parsed_move(text)
        move = parse_hub_move(self._variant, game.position, written, game.legal_moves)
        if move is None:
            return Choice(cast(Any, written))
        self._game[1].append(move)
        self._left = self._left and self._left - 1
        return Choice(move, extra={"said_ms": 1000 * seconds})

    def close(self) -> None:
        """End the connection and the program."""
        self._game, self._buffer = None, b""
        self._connection.close()
        if self.program is not None:
            self.program.close()
        self.program = None

    def _send(self, text: str) -> None:
        assert self.program is not None
        tell_sent(text)
        try:
            self._connection.sendall(text.encode() + b"\0")
        except OSError:
            raise ProgramError(self.program.ending("connection")) from None

    def _message(self, deadline: float) -> str:
        """The next message that is no chat. Raises AnswerError at the deadline, and ProgramError."""
        assert self.program is not None
        text = "C"
        while text[:1] in ("", "C"):
            while b"\0" not in self._buffer:
                if len(self._buffer) > _LONGEST:
                    raise ProgramError(f"sent {_LONGEST + 1} characters without the end of a message")
                if not self.program.wait(self._connection, deadline):
                    raise AnswerError(f"sent nothing, {_END_SECONDS:g} s after its time was over")
                part = b""
                with suppress(ConnectionError):
                    part = self._connection.recv(_LONGEST + 1)
                if not part:
                    raise ProgramError(self.program.ending("connection"))
                self._buffer += part
            message, _, self._buffer = self._buffer.partition(b"\0")
            text = message.decode("ascii", "backslashreplace")
            tell(f"{text}\n")
        return text


def game_request(variant: Variant, start: Position, follower: int, minutes: int, moves: int = 0) -> str:
    """GAMEREQ: the Follower's colour, each player's minutes and moves, 0 for no limit of these, and the start."""
    squares = position_text(variant, start).translate(str.maketrans("bB", "zZ"))
    placed = "A" if start == VARIANTS["international"].start else f"B{squares}"
    return f"R01{'draughts-arena':32}{'WZ'[follower]}{min(max(minutes, 1), _MOST):03}{moves:03}{placed}"


def move_message(variant: Variant, position: Position, move: int) -> str:
    """MOVE: 0 seconds, as the arena keeps the time, the squares from and to, and the captured squares."""
    origin, target, captured = move_squares(variant, position, move)
    return "M0000" + "".join(f"{number:02}" for number in (origin, target, len(captured), *captured))


def parsed_move(text: str) -> tuple[int, str]:
    """The seconds and the move of MOVE, written as Hub writes moves. Raises AnswerError."""
    match = re.fullmatch(r"M(\d{4})((?:\d\d){3,})", text, re.ASCII)
    numbers = [int(number) for number in re.findall("..", match[2])] if match else []
    if match is None or len(numbers) != 3 + numbers[2]:
        raise AnswerError(f"sent {quoted(text)}, which is not a move of the protocol")
    origin, target, _, *captured = numbers
    return int(match[1]), ("x" if captured else "-").join(map(str, (origin, target, *captured)))
