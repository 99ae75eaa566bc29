"""Players that do wrong: classes in processes of their own, and programs that speak Hub or DXP."""

import sys
from pathlib import Path
from typing import Any

import pandas as pd

import arena
from arena.experiment.load import load
from arena.ledger.record import GameRecord
from arena.play.match import play
from arena.play.prepare import prepare
from arena.rules.variants import VARIANTS
from players.player import Allowance, Limit, PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.report_data import repeatable
from tests.helpers.runs import play_whole

OWN = '''\
import ctypes
import mmap
import os
import re
import signal
import subprocess
import sys
import threading
import time

from arena import Choice


class Good:
    """The first legal move."""

    def __init__(self, variant):
        pass

    def choose(self, game, limit, rng):
        if len(game.moves) >= 2:
            self.misbehave(game)
        return self.answer(game)

    def misbehave(self, game):
        pass

    def answer(self, game):
        return Choice(game.legal_moves[0])


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError


def does(name, what, answer=Good.answer):
    globals()[name] = type(name, (Good,), {"misbehave": lambda self, game: what(game)})


def answers(name, **fields):
    globals()[name] = type(
        name, (Good,), {"answer": lambda self, game: Choice(**{"move": game.legal_moves[0], **fields})}
    )


def raise_(error):
    raise error


def stay():
    time.sleep(1000)


def release():
    ctypes.CDLL(None).prctl(1, 0)  # PR_SET_PDEATHSIG


def keep_stopped():
    supervisor = int(open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[1])
    while True:
        os.kill(supervisor, signal.SIGSTOP)
        time.sleep(0.001)


def escape():
    if not os.fork():
        os.setsid()
        if not os.fork():
            stay()
        os._exit(0)


def share():
    memory = mmap.mmap(-1, 400 << 20)
    for _ in range(400):
        memory.write(bytes(1 << 20))
    stay()


def share_a_file():
    file = os.memfd_create("table")
    for _ in range(400):
        os.write(file, bytes(1 << 20))
    stay()


def forge(text):
    for descriptor in range(3, 1000):
        try:
            os.write(descriptor, text + b"\\n")
        except OSError:
            pass


does("Forges", lambda game: forge(b'["chose", "soon", 0, [1, 2]]'))
does("ForgesAMove", lambda game: forge(b'["chose", 1e999, {}, [99, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, [], 0, null]]'))
does("Exits", lambda game: (print("a worry", file=sys.stderr), sys.exit()))
does("Interrupts", lambda game: raise_(KeyboardInterrupt()))
does("RaisesUnspeakably", lambda game: raise_(Unspeakable()))
does("RaisesBackwards", lambda game: raise_(ValueError("\\u202eno \\x1b[2Jscreen")))
does("RaisesSurrogates", lambda game: raise_(ValueError("\\ud800 is half a character")))
does("EndsItsProcess", lambda game: os._exit(7))
does("Segfaults", lambda game: ctypes.string_at(0))
does("ClosesEverything", lambda game: os.closerange(0, 1000))
does("Sleeps", lambda game: stay())
does("HangsInARegularExpression", lambda game: re.match("(a+)+$", 40 * "a" + "b"))
does("HangsInNativeCode", lambda game: ctypes.CDLL(None).pause())
does("StopsItself", lambda game: os.kill(os.getpid(), signal.SIGSTOP))
does("StopsItsGroup", lambda game: os.kill(0, signal.SIGSTOP))
does("StopsItsSupervisor", lambda game: os.kill(os.getppid(), signal.SIGSTOP))
does("StopsAllAbove", lambda game: (os.kill(os.getppid(), signal.SIGSTOP), os.kill(0, signal.SIGSTOP)))
does("KeepsItsSupervisorStopped", lambda game: len(game.moves) < 4 and (os.fork() or keep_stopped()))
does("KillsItsSupervisor", lambda game: (release(), os.kill(os.getppid(), signal.SIGKILL), stay()))
does("ForksWithoutEnd", lambda game: [os.fork() for _ in iter(int, 1)])
does("EscapesIntoSessions", lambda game: [escape() for _ in range(20)] and stay())
does("Pushes", lambda game: game.push(game.legal_moves[0]))
does("Replaces", lambda game: setattr(game, "position", game.position._replace(kings=0, white=1)))
does("ForgetsMoves", lambda game: game.moves.clear())
does("PrintsForEver", lambda game: [print(1000 * "x") for _ in iter(int, 1)])
does("Leaks", lambda game: [bytearray(10**7) for _ in iter(int, 1)])
does("SharesMemory", lambda game: share())
does("SharesAFile", lambda game: share_a_file())
does("SetsHandlers", lambda game: [signal.signal(number, signal.SIG_IGN) for number in (2, 15)])
does("LimitsRecursion", lambda game: sys.setrecursionlimit(400))
does("LeavesAThread", lambda game: len(game.moves) < 4 and threading.Thread(target=stay).start())
does("LeavesAChild", lambda game: subprocess.Popen(["tail", "-f", __file__], start_new_session=True))
does("Forks", lambda game: os.fork())
answers("TooManyNodes", nodes=2**80)
answers("NotANumber", score=float("nan"))
answers("HugeMove", move=5_000_000 * "x")
answers("UnpicklableMove", move=Unspeakable())
Nothing = type("Nothing", (Good,), {"answer": lambda self, game: None})
'''

CONFIG = """\
name: failing
variant: english
seed: 3
openings: {{random_plies: 4, count: 2}}
max_plies: 12
process: {process}
players:
  - {{name: random, type: random}}
  - {{name: greedy, type: greedy}}
  - {{name: depth-1, type: negamax, preset: alphabeta, depth: 1}}
  - {{name: bad, type: "own.py:{kind}", depth: 1}}
"""

MALICE = (
    "Forges",
    "ForgesAMove",
    "StopsItsGroup",
    "StopsItsSupervisor",
    "StopsAllAbove",
    "KeepsItsSupervisorStopped",
    "KillsItsSupervisor",
    "SharesAFile",
)
"""The players of OWN that mean harm, which a sandbox meets; the others make mistakes."""
HANG = ("Sleeps", "HangsInARegularExpression", "HangsInNativeCode", "StopsItself", "PrintsForEver")
"""Those that give no answer: each costs a test the time of its move."""
DATA = Path(__file__).parents[1] / "data"


def configured(
    folder: Path, kind: str, more: str = "", move_timeout: float | None = None, processes: int = 64
) -> Path:
    """The file of a tournament with a player of OWN, which has half a second for a move if it hangs.

    A busy machine may take longer than that for what answers at once: a test of plies gives one that hangs more.
    """
    folder.mkdir(exist_ok=True)
    (folder / "own.py").write_text(OWN)
    path = folder / "config.yaml"
    if move_timeout is None:
        move_timeout = 0.5 if kind in HANG else 60
    process = f"{{move_timeout: {move_timeout}, memory: 160, processes: {processes}}}"
    path.write_text(CONFIG.format(kind=kind, process=process) + more)
    return path


def game_of(folder: Path, kind: str, limit: Limit = Limit(), **allowance: Any) -> GameRecord:  # noqa: B008
    """A game of a player of OWN, called bad, as White against random moves."""
    (folder / "own.py").write_text(OWN)
    bad, other = PlayerSpec("bad", f"{folder}/own.py:{kind}", limit), PlayerSpec("random", "random")
    given = {"move_timeout": 0.5 if kind in HANG else 60, "memory": 160, "folder": str(folder), **allowance}
    return play(task_of(VARIANTS["english"], bad, other, max_plies=12, allowance=Allowance(**given)))


def hub_program(kind: str, limit: Limit = Limit(depth=3), folder: str | Path = ".") -> PlayerSpec:  # noqa: B008
    """An engine of `data/engine.py`."""
    command = [sys.executable, "-S", "-E", str(DATA / "engine.py"), kind]
    return PlayerSpec(kind, "engine", limit, {"command": command, "folder": str(folder)})


def dxp_program(kind: str, clock: float = 60.0, **options: Any) -> PlayerSpec:
    """A program of `data/dxp.py`."""
    flags = [] if kind == "plays by the rules" else ["-S", "-E"]  # it alone imports the arena
    command = [sys.executable, *flags, str(DATA / "dxp.py"), kind, "{port}"]
    command += ["connects"] if options.get("listens") == "arena" else []
    settings = {"command": command, "folder": ".", "protocol": "dxp"} | options
    return PlayerSpec(kind, "engine", Limit(clock=clock), settings)


def run(path: Path, workers: int = 1) -> arena.Run:
    """Play the tournament of a file."""
    return play_whole(prepare(load(path)), path.parent / "out", workers)


def every_game(run: arena.Run) -> pd.DataFrame:
    """The games, those that do not count among them."""
    return pd.concat([run.games, run.void_games]).sort_values("game").reset_index(drop=True)


def assert_others_unharmed(found: arena.Run, well: arena.Run) -> None:
    """Assert that games and moves in which `bad` takes no part are those of the run in which it behaves."""
    for table in ("games", "moves"):
        one, other = (_without_bad(run, table) for run in (found, well))
        pd.testing.assert_frame_equal(repeatable(one), repeatable(other), check_categorical=False)


def _without_bad(run: arena.Run, table: str) -> pd.DataFrame:
    healthy = run.games.query("white != 'bad' and black != 'bad'")["game"]
    found: pd.DataFrame = getattr(run, table)
    return found[found["game"].isin(healthy)].reset_index(drop=True)
