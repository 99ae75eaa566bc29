"""The DamExchange Protocol, version 01: an outside program that is asked for moves over a TCP connection.

http://www.mesander.nl/damexchange defines its messages; the address is the loopback. The arena is the Initiator
of every game, as it sets the start and the colours, and the program the Follower; either may listen.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, NoReturn, cast

from arena.base.supervisor import tell
from arena.base.wording import quoted
from arena.rules.game import Game
from arena.rules.hub import parse_hub_move, position_text
from arena.rules.moves import sides, target_of
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.engines.program import Program, ProgramError
from players.loading import PlayerError
from players.player import AnswerError, Choice, Limit, Resign

PORT = 27531
"""The port of the protocol, and the first that is tried where a program may have any."""
_PORTS = 1000
_HOST = "127.0.0.1"
_MINUTE = 60
_MOST_MINUTES = 999
_SQUARES = 50
_LONGEST = 127
"""Characters of a message, at most."""
_END_SECONDS = 10.0
"""Seconds for the answer to GAMEEND, and for a move after its time is over."""
_TRY_SECONDS = 0.02
_ENDS = {"2": "claimed a draw", "3": "claimed a win"}
_ACCEPTED, _CANNOT_GO_BACK, _GAME_OVER, _NO_MORE = "0", "K1", "E00", "E01"

Listens = Literal["program", "arena"]


class Dxp:
    """Talks to an outside program by DXP; `start` starts it with the words of a command."""

    def __init__(
        self,
        start: Callable[[Sequence[str]], Program],
        words: Sequence[str],
        variant: Variant,
        port: int,
        listens: Listens,
    ) -> None:
        """For port 0, any free one is taken.

        Raises PlayerError if the protocol has no such boards, or the program cannot know its port.
        """
        if variant.squares != _SQUARES or variant.rules.passes:
            needs = f"it is for boards of {_SQUARES} squares, where nobody passes"
            raise PlayerError(f"protocol dxp does not play {variant.name}: {needs}", "protocol")
        if not port and not any("{port}" in word for word in words):
            message = "the command must have {port} where the program takes its port; or give the port that it has"
            raise PlayerError(message, "command")
        self._start, self._words, self._variant, self._port, self._listens = start, words, variant, port, listens
        self._reserved: list[socket.socket] = []
        self._connection: socket.socket | None = None
        self._begun = b""
        self._game: tuple[Position, list[int]] | None = None
        """Start and moves of the game that the program plays, its own move last; None between games."""
        self._leaves = False
        self._moved = 0.0
        self.program: Program | None = None

    def open(self) -> None:
        """Start the program and connect to it. Raises PlayerError, and ProgramError if it ends."""
        self._leaves, self._begun, self._game = False, b"", None
        if self._listens == "arena":
            with self._bound(self._port) as listener:
                listener.listen(1)
                program = self._started(listener.getsockname()[1])
                program.wait(listener.fileno())
                self._connection = listener.accept()[0]
            return
        port = self._reserve()
        program = self._started(port)
        while self._connection is None:
            try:
                self._connection = socket.create_connection((_HOST, port))
            except OSError:
                program.pass_over(_TRY_SECONDS)

    def begin(self) -> None:
        """End the last game; start a program again that wants no more. Raises PlayerError and ProgramError."""
        if self._game is not None:
            try:
                self._end_game()
            except ProgramError:
                self._leaves = True
        if self._leaves:
            self.close()
            self.open()

    @staticmethod
    def check_limit(limit: Limit) -> None:
        """Raise ValueError unless the limit is a clock of whole minutes, all that the protocol can state."""
        minutes, rest = divmod(limit.clock or 0.0, _MINUTE)
        if limit != Limit(clock=limit.clock) or rest or not 1 <= minutes <= _MOST_MINUTES:
            most = _MOST_MINUTES * _MINUTE
            raise ValueError(
                f"protocol dxp needs a clock of whole minutes, 60 to {most} seconds, and no other limit"
            )

    def choose(self, game: Game, limit: Limit) -> Choice:
        """Give the program the opponent's move, or a new game, and wait for its move.

        Raises AnswerError for any other answer, and if there is none 10 s after the clock ran out; ProgramError.
        """
        deadline = None if limit.longest is None else time.perf_counter() + limit.longest + _END_SECONDS
        if self._game is not None and self._game != (game.start, game.moves[:-1]):
            self._end_game()
        if self._game is None:
            self._request(game, limit, deadline)
        if game.moves:
            seconds = int(time.perf_counter() - self._moved) if self._moved else 0
            self._send(move_message(self._variant, game.positions[-2], game.moves[-1], seconds))
        self._game = game.start, list(game.moves)
        text = self._answer(deadline)
        self._moved = time.perf_counter()
        if text[0] == "E":
            self._ended(text)
        seconds, written = parsed_move(text)
        move = parse_hub_move(self._variant, game.position, written, game.legal_moves)
        if move is None:
            return Choice(cast(Any, written))
        self._game[1].append(move)
        return Choice(move, extra={"said_ms": 1000 * seconds})

    def close(self) -> None:
        """Say that there are no more games, if one is played, and end the program."""
        if self._connection is not None:
            with suppress(ProgramError):
                if self._game is not None:
                    self._send(_NO_MORE)
            self._connection.close()
        self._connection = self._game = None
        if self.program is not None:
            self.program.close()
        self.program = None
        while self._reserved:
            self._reserved.pop().close()

    def _started(self, port: int) -> Program:
        self.program = self._start([word.replace("{port}", str(port)) for word in self._words])
        return self.program

    def _reserve(self) -> int:
        """A free port on which the program can listen, and no other player's program does meanwhile."""
        for port in [self._port] if self._port else range(PORT, PORT + _PORTS):
            if self._is_ours(port):
                with suppress(PlayerError):
                    self._bound(port).close()
                    return port
                self._reserved.pop().close()
        if self._port:
            _refuse(self._port)
        raise PlayerError(f"no port from {PORT} to {PORT + _PORTS - 1} is free", "port")

    def _is_ours(self, port: int) -> bool:
        """Whether no player on this machine has the port, nor will until this one is closed.

        Its mark is UDP's port of that number, which no program of the protocol uses.
        """
        mark = socket.socket(type=socket.SOCK_DGRAM)
        try:
            mark.bind((_HOST, port))
        except OSError:
            mark.close()
            return False
        self._reserved.append(mark)
        return True

    def _bound(self, port: int) -> socket.socket:
        listener = socket.socket()
        if port == self._port != 0:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
        except OSError:
            listener.close()
            _refuse(port)
        return listener

    def _request(self, game: Game, limit: Limit, deadline: float | None) -> None:
        """Ask for a game that begins before the opponent's last move, so that a book knows the usual start."""
        before = game.positions[max(len(game.moves) - 1, 0)]
        minutes = min(max(int((limit.clock or 0.0) // _MINUTE), 1), _MOST_MINUTES)
        self._moved = 0.0
        self._send(game_request(self._variant, before, game.position.turn, minutes))
        text = self._answer(deadline)
        if text[0] != "A" or len(text) != len(f"A{'':32}0"):
            raise AnswerError(f"answered the request for a game with {quoted(text)}")
        if text[-1] != _ACCEPTED:
            raise AnswerError(f"refused the game (GAMEACC {text[-1]})")

    def _answer(self, deadline: float | None) -> str:
        """The next message that is not only to be read or declined. Raises AnswerError at the deadline."""
        while True:
            text = self._message(deadline)
            if text is None:
                raise AnswerError(f"sent nothing, {_END_SECONDS:g} s after its time was over")
            if text.startswith("B"):
                self._send(_CANNOT_GO_BACK)
            elif text.startswith("R"):
                raise AnswerError("asked for a game itself (GAMEREQ), but must be the Follower")
            elif text and text[0] != "C":
                return text

    def _ended(self, text: str) -> NoReturn:
        """Confirm a GAMEEND that came in place of a move."""
        self._send(_GAME_OVER)
        self._game = None
        if text[1:2] == "1":
            raise Resign
        reason = _ENDS.get(text[1:2], "ended the game")
        raise AnswerError(f"{reason} in place of a move (GAMEEND {text[1:2]})")

    def _end_game(self) -> None:
        """Have the program leave its game, in which it is the arena's turn."""
        self._game = None
        self._send(_GAME_OVER)
        deadline = time.perf_counter() + _END_SECONDS
        while (text := self._message(deadline)) is not None:
            if text.startswith("E"):
                self._leaves = text[2:] == "1"
                return
        raise AnswerError(f"did not confirm the end of its last game (GAMEEND) within {_END_SECONDS:g} s")

    def _send(self, text: str) -> None:
        assert self._connection is not None and self.program is not None
        tell(f"> {text}\n")
        try:
            self._connection.sendall(text.encode() + b"\0")
        except OSError:
            raise ProgramError(self.program.ending("connection")) from None

    def _message(self, deadline: float | None) -> str | None:
        """The next message; None if there is none by the deadline. Raises ProgramError."""
        assert self._connection is not None and self.program is not None
        while b"\0" not in self._begun[: _LONGEST + 1]:
            if len(self._begun) > _LONGEST:
                tell(f"{self._begun.decode('ascii', 'backslashreplace')}\n")
                raise ProgramError(f"sent {_LONGEST + 1} characters without the end of a message")
            if not self.program.wait(self._connection.fileno(), deadline):
                return None
            with suppress(ConnectionError):
                part = self._connection.recv(_LONGEST + 1)
                self._begun += part
                if part:
                    continue
            raise ProgramError(self.program.ending("connection"))
        message, _, self._begun = self._begun.partition(b"\0")
        text = message.decode("ascii", "backslashreplace")
        tell(f"{text}\n")
        return text


def game_request(variant: Variant, start: Position, follower: int, minutes: int) -> str:
    """GAMEREQ: the Follower's colour, the minutes of each player for the game, no limit of moves, the start."""
    usual = VARIANTS["international"]
    is_usual = variant.squares == usual.squares and start == usual.start
    placed = "A" if is_usual else "B" + position_text(variant, start).translate(_BLACK)
    return f"R01{'draughts-arena':32}{'WZ'[follower]}{minutes:03}000{placed}"


_BLACK = str.maketrans("bB", "zZ")
"""Hub's letters of Black's pieces to DXP's."""


def move_message(variant: Variant, position: Position, move: int, seconds: int) -> str:
    """MOVE: the seconds that it took, the squares from and to, and the captured squares."""
    own, other = sides(position)
    ends = [variant.numbers[move & own], variant.numbers[target_of(variant.rules, own, other, move)]]
    captured = [number for bit, number in variant.numbers.items() if bit & move & other]
    numbers = "".join(f"{number:02}" for number in (*ends, len(captured), *captured))
    return f"M{min(seconds, 9999):04}{numbers}"


def parsed_move(text: str) -> tuple[int, str]:
    """The seconds and the move of MOVE, written as Hub writes moves. Raises AnswerError."""
    match = re.fullmatch(r"M([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})((?:[0-9]{2})*)", text, re.ASCII)
    if match is None or len(match[5]) != 2 * int(match[4]):
        raise AnswerError(f"sent {quoted(text)}, which is not a move of the protocol")
    captured = re.findall("..", match[5])
    squares = (str(int(number)) for number in (match[2], match[3], *captured))
    return int(match[1]), ("x" if captured else "-").join(squares)


def _refuse(port: int) -> NoReturn:
    advice = "write {port} into the command if it can have another one, or play with one worker"
    raise PlayerError(f"port {port} is taken, perhaps by another process of the same program: {advice}", "port")
