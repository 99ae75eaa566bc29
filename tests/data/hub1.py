"""A program that speaks the Hub protocol, version 1, as Scan 2.0 does, and ends at any line of another form.

What it does is its first argument. It shuttles with its one king, and knows nothing of the arena; only to play by
the rules it takes the legal moves from there. It keeps what it hears in the file of its second argument."""

import os
import random
import re
import sys
import time
from pathlib import Path

BEYOND = {46: 41, 41: 46, 1: 6, 6: 1}
INTRODUCTION = "Partner 1.0 by Nobody\nname Partner 1.0\nauthor Nobody at all\ncountry France\nwait"


def say(text: str, end: str = "\n") -> None:
    os.write(1, (text + end).encode())


class King:
    """A board on which each side has one king, which goes to and fro."""

    def __init__(self, white: bool, squares: str) -> None:
        self.white, self.squares = white, dict(enumerate(squares, start=1))

    def push(self, text: str) -> None:
        origin, target = map(int, text.split("-"))
        self.squares[target], self.squares[origin] = self.squares[origin], "e"
        self.white = not self.white

    def move(self) -> str:
        [at] = [square for square, piece in self.squares.items() if piece == ("W" if self.white else "B")]
        return f"{at}-{BEYOND[at]}"


class ByTheRules:
    """A random legal move of international draughts; the moves that it hears must be legal, too, and whole."""

    def __init__(self, white: bool, squares: str) -> None:
        from arena import Game

        of = {letter: [n for n, found in enumerate(squares, start=1) if found == letter] for letter in "wWbB"}
        sides = [",".join([*map(str, of[man]), *(f"K{n}" for n in of[man.upper()])]) for man in "wb"]
        self.game = Game("international", f"{'W' if white else 'B'}:W{sides[0]}:B{sides[1]}")

    def texts(self) -> dict[str, int]:
        """The legal moves as the protocol writes them, the captured squares in order."""
        from arena.rules.move_text import move_squares

        found = {}
        for move in self.game.legal_moves:
            of = move_squares(self.game.variant, self.game.position, move)
            numbers = [of.origin, of.target, *sorted(of.captured)]
            found[("x" if of.captured else "-").join(map(str, numbers))] = move
        return found

    def push(self, text: str) -> None:
        self.game.push(self.texts()[text])

    def move(self) -> str:
        move = random.Random(len(self.game.legal_moves)).choice(sorted(self.texts()))
        origin, *captured = re.split("[-x]", move)
        target = captured.pop(0)
        return "x".join([origin, target, *captured[::-1]]) if captured else move


class Partner:
    """A session: what was set, the board, and the limits, which `pos` resets."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.settings: dict[str, str] = {}
        self.is_ready = False
        self.board: King | ByTheRules | None = None
        self.limits: set[str] = set()

    def hear(self, line: str) -> None:
        """Run a command, whose words must be of the right number and kind."""
        command, *words = line.split(" ")
        if command == "hub":
            assert not words and not self.is_ready, line
            introduction = INTRODUCTION if self.what != "does not wait" else INTRODUCTION.rpartition("\n")[0]
            say(introduction)
        elif command == "set":
            assert len(words) == 2 and not self.is_ready, line
            self.settings[words[0]] = words[1]
        elif command == "init":
            self.initialise()
        elif not self.is_ready:
            sys.exit(f"{command} before init")
        elif command == "new":
            assert not words and not self.board, line
        elif command == "pos":
            [text] = words
            assert re.fullmatch("[wb][wbWBe]{50}", text), line
            kind = ByTheRules if self.what == "plays by the rules" else King
            self.board, self.limits = kind(text[0] == "w", text[1:]), set()
        elif command == "move":
            assert self.board is not None and len(words) == 1 and not self.limits, line
            self.board.push(words[0])
        elif command in ("depth", "time", "level"):
            assert len(words) == (3 if command == "level" else 1) and all(map(str.isdecimal, words)), line
            assert not self.limits & {command, "time" if command == "level" else "level"}, line
            self.limits.add(command)
        elif command == "go":
            assert self.board is not None and self.limits and not words, line
            think(self.what, self.board.move())
            self.board = None
        elif command == "quit":
            sys.exit()
        else:
            assert command == "stop", line

    def initialise(self) -> None:
        if self.what == "crashes in init":
            sys.exit("unable to open file")
        if self.what == "refuses to start":
            say("error no bitbases")
        if self.what == "is never ready":
            time.sleep(1000)
        if self.what == "plays by the rules":
            ByTheRules(True, "e" * 50)
        if self.settings.get("book", "false") not in ("true", "false"):
            sys.exit("not a boolean: variable book")
        say("init eval\nready")
        self.is_ready = True


def think(what: str, move: str) -> None:
    """The answer to `go`."""
    say(f"info 3 2.8 -25 1234 0.01 0.1 {move}")
    if what == "crashes":
        os.write(2, b"out of memory\n")
        os._exit(7)
    elif what == "is silent":
        time.sleep(1000)
    elif what == "writes half an answer":
        say(f"move {move}", end="")
        time.sleep(1000)
    elif what == "heeds no stop":
        time.sleep(1000)
    elif what == "waits for stop":
        assert next(sys.stdin).strip() == "stop"
        say('input "stop"')
    while what == "writes for ever":
        say("info 1 1.0 0 1 0.00 0.0\n" * 100)
    while what == "writes no end of line":
        say("x" * 1000, end="")
    if what == "babbles":
        os.write(1, b"\xff\xfe \x00\n\n")
        say("info\ninfo x y z\ninfo -3 nan 1e999 -1 soon 0 99-98 x\nmoves 1\ndone move=1-2\n 12/10.0 +0.25")
    say(SAYS.get(what, f"info 5 4.9 -25 99 0.12 1.0 {move} 1-6\nmove {move} 1-6"))


SAYS = {
    "moves off the board": "move 46-99",
    "moves illegally": "move 46-12",
    "captures nothing": "move 46x41x23",
    "moves nothing": "move",
    "refuses positions": "error bad position",
}


def main(what: str, notes: str) -> None:
    if what == "crashes at start":
        sys.exit("no weights")
    partner = Partner(what)
    with Path(notes).open("a") as kept:
        for line in sys.stdin:
            kept.write(line)
            kept.flush()
            partner.hear(line.removesuffix("\n"))


main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.devnull)
