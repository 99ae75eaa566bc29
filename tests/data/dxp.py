"""A program that speaks DXP as http://www.mesander.nl/damexchange has it, as the Follower.

What it does is its first argument, the port its second, `connects` its third if the other side listens. It
shuttles with its one king, and knows nothing of the arena; only to play by the rules it takes
the legal moves from there."""

import os
import random
import socket
import sys
import time

BEYOND = {46: 41, 41: 46, 1: 6, 6: 1}


class Line:
    """The connection: messages that end with a zero byte."""

    def __init__(self, port: int, connects: bool) -> None:
        if connects:
            self.socket = socket.create_connection(("127.0.0.1", port))
        else:
            listener = socket.create_server(("127.0.0.1", port))
            self.socket = listener.accept()[0]
        self.rest = b""

    def say(self, text: str) -> None:
        self.socket.sendall(text.encode("ascii") + b"\0")

    def hear(self) -> str:
        while b"\0" not in self.rest:
            part = self.socket.recv(1000)
            if not part:
                sys.exit()
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        text = message.decode("ascii")
        if not 1 <= len(text) <= 127:
            sys.exit(f"a message of {len(text)} characters")
        return text


class King:
    """One side's only king, which goes to and fro."""

    def __init__(self, squares: str, white: bool) -> None:
        self.at = squares.index("W" if white else "Z") + 1

    def hear(self, text: str) -> None:
        assert len(text) == 11 and text[9:] == "00", text

    def move(self) -> str:
        origin, self.at = self.at, BEYOND[self.at]
        return f"M0003{origin:02}{self.at:02}00"


class ByTheRules:
    """A random legal move of international draughts; the other side's must be legal, too, and whole."""

    def __init__(self, squares: str, first: str) -> None:
        from arena import Game

        of = {letter: [n for n, found in enumerate(squares, start=1) if found == letter] for letter in "wWzZ"}
        sides = [
            ",".join([*map(str, of[man]), *(f"K{n}" for n in of[man.upper()])]) for man in "wz"
        ]  # fmt: skip
        self.game = Game("international", f"{'B' if first == 'Z' else 'W'}:W{sides[0]}:B{sides[1]}")
        self.rng = random.Random(1)

    def texts(self) -> dict[str, int]:
        """The legal moves by what the protocol writes of them, without time and with captured squares in order."""
        from arena.rules.move_text import move_squares

        found = {}
        for move in self.game.legal_moves:
            of = move_squares(self.game.variant, self.game.position, move)
            numbers = [of.origin, of.target, len(of.captured), *sorted(of.captured)]
            found["".join(f"{number:02}" for number in numbers)] = move
        return found

    def hear(self, text: str) -> None:
        assert text[:5].startswith("M0"), text
        captured = sorted(text[n : n + 2] for n in range(11, len(text), 2))
        self.game.push(self.texts()[text[5:11] + "".join(captured)])

    def move(self) -> str:
        text, move = self.rng.choice(sorted(self.texts().items()))
        captured = [text[n : n + 2] for n in range(6, len(text), 2)]
        self.rng.shuffle(captured)
        self.game.push(move)
        return "M0000" + text[:6] + "".join(captured)


START = "z" * 20 + "e" * 10 + "w" * 20
SAYS = {
    "moves illegally": "M0003461200",
    "sends a wrong length": "M00034641",
    "gives up": "E10",
    "claims a draw": "E20",
    "asks for a game": "R01me".ljust(35) + "W060000A",
    "asks for an earlier move": "B005Z",
}
"""What programs say in place of a move."""


def answer(what: str, line: Line, board: King | ByTheRules) -> None:
    """The answer when it is its turn."""
    if what == "crashes":
        os.write(2, b"no weights\n")
        os._exit(7)
    elif what == "closes the connection":
        line.socket.close()
        time.sleep(1000)
    elif what == "is silent":
        time.sleep(1000)
    elif what == "writes no end of message":
        line.socket.sendall(b"M" * 1000)
        time.sleep(1000)
    elif what == "is late":
        time.sleep(0.6)
    elif what == "chats":
        print("an evaluation\n" * 10_000, flush=True)
        line.say("CWhat do you think about move 35?")
    line.say(SAYS.get(what) or board.move())


def main(what: str, port: int, connects: bool) -> None:
    if what == "shuttles":  # as programs that keep a log of their own
        os.close(1)
        os.close(2)
    if what == "listens nowhere":
        print("DXP is off", flush=True)
        time.sleep(1000)
    line = Line(port, connects)
    board: King | ByTheRules | None = None
    left = 0
    while True:
        text = line.hear()
        if text[0] == "R":
            assert board is None and text[1:3] == "01" and text[3] != " " and len(text) in (43, 94), text
            name, white, minutes, moves, placed = text[3:35], text[35] == "W", text[36:39], text[39:42], text[42]
            assert name.strip() and text[35] in "WZ" and 1 <= int(minutes) <= 999, text
            if what == "refuses":
                line.say("A" + "me".ljust(32) + "2")
                continue
            left = int(moves) or 1000
            first, squares = ("W", START) if placed == "A" else (text[43], text[44:])
            board = ByTheRules(squares, first) if what == "plays by the rules" else King(squares, white)
            line.say("A" + "me".ljust(32) + "0")
            goes = white == (first == "W")
        else:
            assert text[0] == "M" and board is not None, text
            board.hear(text)
            goes = True
        if goes:
            left -= 1
            if left < 0:
                line.say("E00")  # as Scan and Moby Dam when all moves are made
            else:
                answer(what, line, board)


main(sys.argv[1], int(sys.argv[2]), "connects" in sys.argv[3:])
