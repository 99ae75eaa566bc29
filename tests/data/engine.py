"""An engine that speaks the Hub protocol and shuttles with its one king on the 8x8 board; what else it does is its
first argument. It knows nothing of the arena."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

BEYOND = {32: "28", 28: "32", 1: "5", 5: "1"}


def say(text: str, end: str = "\n") -> None:
    os.write(1, (text + end).encode())


def king(line: str) -> str:
    """The move of the side to move, from a line `pos`."""
    quoted = line.replace('"', "").split("pos=", 1)[1].split(" moves=")
    white, board = quoted[0][0] == "W", dict(enumerate(quoted[0][1:], start=1))
    for move in quoted[1].split() if len(quoted) > 1 else []:
        origin, target = map(int, move.split("-"))
        board[target], board[origin], white = board[origin], "e", not white
    [at] = [square for square, piece in board.items() if piece == ("W" if white else "B")]
    return f"{at}-{BEYOND[at]}"


def begin(what: str) -> None:
    """The answer to `hub`, `set-param` and `init`."""
    if what == "crashes at start":
        for part in (b'cannot open "', b"net.bin", b'"'):
            os.write(2, part)
            time.sleep(0.01)
        sys.exit(1)
    if what == "starts twice":  # before the run, and for its first game
        with Path("started").open("a+") as file:
            if file.tell() == 2:
                sys.exit(3)
            file.write("x")
    for line in sys.stdin:
        command = line.split()[0]
        if command == "hub" and what == "speaks otherwise":
            say(f"unknown command: {line.strip()}")
        elif command == "hub":
            version = Path("version").read_text() if Path("version").exists() else "1"
            say(f'id name=scripted version={version} author="Nobody at all" country=""')
            say('param name=variant value=english type=enum values="english russian"')
            say("param name=level value=3 type=int min=1 max=9")
            say("wait")
        elif command == "set-param" and what == "refuses parameters":
            say('error message="no such level"')
        elif command == "init":
            if what == "crashes in init":
                os.kill(os.getpid(), signal.SIGSEGV)
            if what == "needs memory":
                bytearray(1 << 40)
            say("init eval")
            if what != "is never ready":
                say("ready")
            return


def think(what: str, position: str) -> None:
    """The answer to `go think`."""
    move = king(position)
    if what != "informs late":
        say(f"info depth=3 score=-0.25 nodes=1234 time=0.012 pv={move}")
    if what == "crashes":
        os.write(2, b"no weights\n")
        os._exit(7)
    if what == "starts twice":
        sys.exit(1)
    if what in ("is silent", "heeds no stop"):
        time.sleep(1000)
    while what == "writes no end of line":
        say("x" * 1000, end="")
    if what == "closes its input":
        os.close(0)
        say(f"done move={move}")
        time.sleep(1000)
    if what in SAYS:
        say(SAYS[what])
        return
    if what == "waits for stop":
        assert next(sys.stdin).strip() == "stop"
    if what != "informs late":
        say(f'info depth=5 nodes=99\ndone move={move} ponder="" more=1')
        return
    say(f"done move={move}")
    time.sleep(0.05)
    say(f"info depth=7 nodes=777 time=-1 pv={move}")


SAYS = {
    "moves illegally": "done move=1-32",
    "refuses positions": 'error message="bad position"',
    "gives up": "done move=resign",
}
"""What programs say in place of a move."""


def burn() -> None:
    while True:
        sum(range(1000))


def main(what: str) -> None:
    begin(what)
    if what == "ponders":
        threading.Thread(target=burn, daemon=True).start()
    position = ""
    for line in sys.stdin:
        command = line.split()[0]
        if command == "pos":
            position = line.strip()
        elif command == "ping":
            say("pong")
        elif command == "go":
            think(what, position)
        elif command == "quit":
            return


main(sys.argv[1])
