"""Players in processes of their own: how long they live, what bounds them, what is left of them, and sandboxes."""

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.base.process import ON_LINUX
from arena.hosting import player_process, sandbox
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import PlayerHandle, begin_game, close_players
from arena.play.match import play as play_game
from arena.report.together import read_results
from arena.rules.game import Game, Termination
from arena.rules.jit.cache import cache_folder
from arena.rules.variants import VARIANTS
from players.engines.program import program_is_slow
from players.identity import hash_of
from players.player import Allowance, Choice, Limit, PlayerSpec, Resign
from tests.helpers.asking import First, assert_first_lost, task_of
from tests.helpers.command_line import invoke, printed_lines
from tests.helpers.failing import configured, every_game, game_of, run
from tests.helpers.watched import read_status

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="such processes need Linux")

ENGLISH = VARIANTS["english"]
in_a_sandbox = pytest.mark.skipif(bool(sandbox.unavailable()), reason="no sandbox here")


def begun(kind: str, seed: str = "1", allowance: Allowance | None = None, **entry: Any) -> PlayerHandle:
    """A player of this file, its game begun."""
    spec = PlayerSpec("p", f"{__name__}:{kind}", **entry)
    return begin_game(spec, ENGLISH, ENGLISH.start, seed, allowance or Allowance())


def asked(player: PlayerHandle, limit: Limit = Limit()) -> Choice:  # noqa: B008  it is a constant
    """The choice of a player at the start."""
    return player.choose(Game(ENGLISH), limit, random.Random(0)).choice


class Where(First):
    """Says in which process it is."""

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=os.getpid())


# --- which process it is in, and for how long


def test_a_player_keeps_its_process_from_game_to_game_and_has_two_against_itself():
    assert asked(begun("Where")).nodes == asked(begun("Where")).nodes != os.getpid()
    spec = PlayerSpec("p", f"{__name__}:Where")
    record = play_game(task_of(ENGLISH, spec, spec, max_plies=4))
    assert record.error == "" and len({*record.table()["nodes"].tolist(), os.getpid()}) == 3


WHERE = """\
import os
from arena import Choice

class Where:
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=os.getpid())
"""


def test_a_player_of_a_run_with_other_files_takes_the_place_of_the_one_before(tmp_path):
    file = tmp_path / "where.py"

    def process_of(text: str) -> int:
        file.write_text(text)
        spec = PlayerSpec("p", f"{file}:Where", files={str(file): hash_of(file)})
        return asked(begin_game(spec, ENGLISH, ENGLISH.start, "1", Allowance())).nodes

    first, same, other = process_of(WHERE), process_of(WHERE), process_of(f"{WHERE}# edited\n")
    assert first == same != other
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


class Kept:
    """Writes down what is done with it."""

    kept = True

    def __init__(self, variant, log: str) -> None:
        self.log = Path(log)
        self.say("built")

    def say(self, word: str) -> None:
        with self.log.open("a") as file:
            file.write(word + "\n")

    def begin(self) -> None:
        self.say("begun")

    def choose(self, game, limit, rng):
        if limit.depth == 13:
            raise ValueError("no")
        if limit.depth == 15:
            raise Resign
        return Choice(99 if limit.depth == 14 else game.legal_moves[0])

    def close(self) -> None:
        self.say("closed")


class Anew(Kept):
    """The same, built for every game."""

    kept = False


LIVES = {
    ("Kept", 0): "built begun begun begun closed",
    ("Kept", 13): "built begun begun begun closed built begun closed",
    ("Kept", 14): "built begun begun begun closed built begun closed",
    ("Kept", 15): "built begun begun begun begun closed",
    ("Anew", 0): "built begun closed built begun closed built begun closed",
}
"""What is done with a player in three games, and in a fourth if it fails or resigns at a depth, by its kind."""


@pytest.mark.full
@pytest.mark.parametrize(("life", "local"), [*((life, False) for life in LIVES), (("Kept", 13), True)])
def test_a_kept_player_plays_until_it_fails_and_any_other_one_game(local, life, tmp_path, monkeypatch):
    if local:
        monkeypatch.setattr("arena.hosting.player_process.without_own_code", lambda spec: spec)
    kind, failing = life
    for depth in (0, 0, failing, *([0] if failing else [])):
        player = begun(kind, options={"log": str(tmp_path / "log")})
        with pytest.raises((PlayerFailure, ValueError, Resign)) if depth else nullcontext():
            asked(player, Limit(depth or None))
    close_players()
    assert (tmp_path / "log").read_text().split() == LIVES[life].split()


@pytest.mark.full
def test_a_kept_player_is_closed_when_the_process_that_keeps_it_is_killed(tmp_path):
    log = tmp_path / "log"
    code = (
        f"import os, signal\nfrom {__name__} import begun\n"
        f"begun('Kept', options={{'log': {str(log)!r}}})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 60
    while "closed" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert log.read_text().split() == ["built", "begun", "closed"]


class Clings(Where):
    """Never returns from being closed."""

    def close(self):
        time.sleep(1000)


@pytest.mark.full
def test_a_player_that_does_not_come_to_an_end_when_closed_is_killed():
    pid = asked(begun("Clings")).nodes
    close_players()
    assert not Path(f"/proc/{pid}").exists()


class Draws(Where):
    """Draws from Python's, numpy's and its own random stream."""

    def choose(self, game, limit, rng):
        of_numpy = int(np.random.randint(1000))  # noqa: NPY002
        number = random.randrange(1000) + 1000 * of_numpy + 10**6 * rng.randrange(1000)
        return Choice(game.legal_moves[number % len(game.legal_moves)], nodes=number)


def test_every_random_stream_of_a_process_comes_from_the_seed():
    assert asked(begun("Draws")) == asked(begun("Draws")) != asked(begun("Draws", seed="2"))


# --- its time


class Slow(Where):
    """Takes its time to be built."""

    def __init__(self, variant, seconds) -> None:
        time.sleep(seconds)


@pytest.mark.full
@pytest.mark.parametrize(("seconds", "silent", "most"), [(0.0, 60, 60), (0.4, 0.1, 60), (60.0, 0.1, 0.5)])
def test_a_player_that_is_long_in_being_built_is_named(seconds, silent, most, monkeypatch):
    begun("Where")  # which loads what every player needs
    monkeypatch.setattr(player_process, "SILENT_SECONDS", silent)
    lines: list[str] = []
    with program_is_slow.heard_by(lines.append), pytest.raises(PlayerFailure) if seconds > most else nullcontext():
        begun("Slow", limit=Limit(seconds=seconds), allowance=Allowance(move_timeout=most))
    close_players()
    assert lines == (silent < most) * [f"p is still being built, for {most:g} s at most"]


class Dawdles(Where):
    """Takes its time to move."""

    def choose(self, game, limit, rng):
        time.sleep(0.4)
        return super().choose(game, limit, rng)


def test_all_moves_of_a_game_have_a_time_together():
    player = begun("Dawdles", allowance=Allowance(game_timeout=1.0))
    with pytest.raises(PlayerFailure, match="gave no answer within") as caught:
        deque(asked(player) for _ in range(3))
    assert caught.value.termination == Termination.TIME


@pytest.mark.full
def test_a_move_under_a_limit_of_time_is_waited_for_until_it_has_lost_and_not_longer(tmp_path):
    began = time.perf_counter()
    record = game_of(tmp_path, "Sleeps", Limit(clock=0.1, increment=0.1), move_timeout=1000)
    assert record.termination == "time" and time.perf_counter() - began < 100
    assert "bad gave no answer within" in record.error


PONDERS = """\
import os, signal, threading
from arena import Choice


def burn():
    while True:
        sum(range(1000))


class Ponders:
    def __init__(self, variant, how):
        self.child = os.fork() if how == "child" else 0
        if how == "thread":
            threading.Thread(target=burn, daemon=True).start()
        elif not self.child:
            burn()

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])

    def close(self):
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
"""
"""A player that computes without end."""


@pytest.mark.full
@pytest.mark.parametrize(("how", "inside"), [("thread", False), pytest.param("child", True, marks=in_a_sandbox)])
def test_what_a_player_computes_in_its_opponents_time_is_counted(how, inside, tmp_path):
    (tmp_path / "own.py").write_text(PONDERS)
    own = PlayerSpec("own", f"{tmp_path}/own.py:Ponders", options={"how": how})
    slow = PlayerSpec("slow", "negamax", Limit(nodes=100_000))
    allowance = Allowance(sandbox=() if inside else None)
    record = play_game(task_of(ENGLISH, slow, own, max_plies=8, allowance=allowance))
    assert record.error == ""
    table = record.table()
    assert np.isnan(table["pondered_seconds"][1::2]).all() and table["pondered_seconds"][0] == 0
    assert table["pondered_seconds"][2::2].sum() > 0.01
    close_players()


# --- its evaluation

EVALUATIONS = {
    "return float('nan')": "own has an evaluation that is nan, not a finite number, in ",
    "while position.turn >= 0: pass\n    return 0.0": (
        "own gave no answer within 8 s: it is in its evaluation mine.py:mine at ply "
    ),
    "return np.zeros(1)[1 << 40 + position.turn]": "own ended its process (SIGSEGV) at ply 1",
}
"""The last lines of evaluations, and how games of players that use them are lost."""


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("code", EVALUATIONS)
def test_a_player_whose_evaluation_fails_loses_by_it(code, tmp_path):
    text = "import numpy as np\nfrom arena import evaluator\n\n@evaluator\ndef mine(position, rules):\n"
    (tmp_path / "mine.py").write_text(f"{text}    {code}\n")
    own = PlayerSpec("own", "negamax", Limit(depth=2), {"evaluation": f"{tmp_path}/mine.py:mine"})
    allowance = Allowance(move_timeout=8, folder=str(tmp_path))
    record = play_game(task_of(ENGLISH, own, PlayerSpec("r", "random"), allowance=allowance))
    assert record.error.startswith(EVALUATIONS[code]), record.error


# --- what is left of it


@pytest.fixture(scope="module")
def line_of_good(tmp_path_factory: pytest.TempPathFactory) -> int:
    return game_of(tmp_path_factory.mktemp("good"), "Good").line


@pytest.mark.full
@pytest.mark.parametrize("kind", ["SetsHandlers", "LimitsRecursion", "LeavesAThread", "LeavesAChild"])
def test_what_a_player_does_to_its_process_harms_nobody_and_is_not_left(kind, line_of_good, tmp_path):
    played = game_of(tmp_path, kind)
    assert (played.line, played.termination) == (line_of_good, "max_plies")
    close_players()
    assert not with_command_line(f"tail\0-f\0{tmp_path}")


@pytest.mark.full
def test_processes_that_have_ended_do_not_count_in_the_next_game(tmp_path):
    for _ in range(2):
        assert game_of(tmp_path, "Forks", processes=4).termination == "max_plies"
        time.sleep(0.5)  # they are counted meanwhile


@pytest.mark.full
@pytest.mark.parametrize("kind", ["ForksWithoutEnd", "EscapesIntoSessions"])
def test_no_process_is_left_of_a_player_that_starts_too_many(kind, tmp_path, monkeypatch):
    close_players()
    monkeypatch.chdir(tmp_path)
    failed = game_of(tmp_path, kind, processes=8)
    close_players()
    assert forks_from(tmp_path) == set()
    assert_first_lost(failed, "bad", "error", "started more than 8 processes at ply ")


def with_command_line(text: str) -> set[int]:
    """The processes in whose command line a text stands, parts separated by null characters."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if text.encode() in (path / "cmdline").read_bytes():
                found.add(int(path.name))
    return found


def forks_from(folder: Path) -> set[int]:
    """The other processes with the command line of this one, which forks have, and this working directory.

    Another worker of the tests has the same command line, and its own forks.
    """
    command_line, forks = Path("/proc/self/cmdline").read_bytes(), set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (path / "cmdline").read_bytes() == command_line and (path / "cwd").samefile(folder):
                forks.add(int(path.name))
    return forks - {os.getpid()}


@pytest.mark.full
def test_a_failure_is_recorded_and_games_of_a_withdrawn_player_are_void_in_every_table(tmp_path):
    out = tmp_path / "out"
    done = invoke("run", configured(tmp_path, "Exits"), "--out", out, "--workers", 1)
    assert done.exit_code == 3, done.stderr
    assert sum("'sandbox: true' prevents it" in line for line in done.stderr.splitlines()) == 1
    assert done.stderr.count("bad raised SystemExit (own.py, line ") == 1 and "bad is withdrawn: " in done.stderr

    played = arena.load(out)
    failed = played.void_games.iloc[0]
    assert f"game {failed['id']}: {failed['error']}" in done.stderr
    assert "sys.exit()" in failed["traceback"] and "handle.py" not in failed["traceback"]
    assert failed["output"] == "a worry\n"
    assert len(played.games) == 12 and played.standings["games"].tolist() == [8, 8, 8, 0]
    assert {*played.pairings["player"], *played.pairings["opponent"]} == {*played.players} - {"bad"}
    assert set(played.moves["player"]) == set(played.players)
    written = pd.read_csv(out / "games.csv")
    assert written["game"].tolist() == every_game(played)["game"].tolist()
    is_void = (written["white"] == "bad") | (written["black"] == "bad")
    assert (written["result"] == "*").tolist() == is_void.tolist()
    found = read_status(out)
    assert (found.games, found.withdrawn) == (len(written), played.data.withdrawn)
    assert [standing["games"] for standing in found.standings] == [8, 8, 8]
    rated = [read_results(path).results for path in (out, out / "games.csv")]
    assert [len(results.games) for results in rated] == [12, 12]


# --- sandboxes


SPY = """\
import os, socket
from pathlib import Path
from arena import Choice

LEDGER, OTHER, PORT, PID, CACHE = {ledger!r}, {other!r}, {port}, {pid}, {cache!r}


def works(what):
    try:
        what()
    except OSError:
        return False
    return True


def written(path):
    try:
        with open(path, "wb") as file:
            for _ in range(200):
                file.write(bytes(1 << 20))
                file.flush()
    except OSError:
        pass
    return os.path.getsize(path) if os.path.exists(path) else 0


class Spy:
    def __init__(self, variant):
        tries = [
            lambda: Path(LEDGER).read_bytes(),
            lambda: Path(OTHER).read_text(),
            lambda: socket.create_connection(("127.0.0.1", PORT), 1).close(),
            lambda: os.kill(PID, 0),
            lambda: Path(__file__).with_name("written").touch(),
        ]
        self.reached = sum(works(what) << bit for bit, what in enumerate(tries))
        Path(__file__).read_text()

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=self.reached)


class Fills:
    def __init__(self, variant):
        self.most = max(written(f"{{folder}}/x") for folder in ("/tmp", "/dev/shm", "/dev", "/", os.getcwd()))
        self.cached = sum("mine" in name for _, _, names in os.walk(CACHE) for name in names)

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=self.most, leaves=self.cached)
"""
"""Players that try to leave the sandbox, and to fill it."""


def spying(folder: Path, port: int = 0) -> None:
    """Write the file of SPY into a folder."""
    ledger, other, cache = map(str, (folder / "out" / "ledger.sqlite", folder / "own.py", cache_folder()))
    text = SPY.format(ledger=ledger, other=other, port=port, pid=os.getpid(), cache=cache)
    (folder / "spy.py").write_text(text)


@pytest.mark.full
@pytest.mark.parametrize("inside", [False, pytest.param(True, marks=in_a_sandbox)])
def test_a_player_in_a_sandbox_reaches_no_file_process_or_network(inside, tmp_path):
    config = configured(tmp_path, "Good", f"sandbox: {str(inside).lower()}\n")
    config.write_text(config.read_text().replace("own.py:Good", "spy.py:Spy"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        spying(tmp_path, server.getsockname()[1])
        played = run(config)
    assert set(played.games["error"]) == {""}
    assert set(played.moves[played.moves["player"] == "bad"]["nodes"]) == {16 if inside else 31}
    assert (tmp_path / "written").exists() != inside


@in_a_sandbox
@pytest.mark.full
def test_a_sandbox_bounds_the_files_written_in_it_and_shows_no_other_code(tmp_path, request):
    spying(tmp_path)
    (folder := cache_folder() / "0123456789abcdef" / "player_0123").mkdir(parents=True)
    request.addfinalizer(lambda: shutil.rmtree(folder.parent))
    (folder / "mine.secret_idea-5.py312.nbi").touch()
    allowance = Allowance(memory=100, sandbox=(), folder=str(tmp_path))
    spec = PlayerSpec("own", f"{tmp_path}/spy.py:Fills")
    choice = asked(begin_game(spec, ENGLISH, ENGLISH.start, "1", allowance))
    assert 90 << 20 < choice.nodes <= 100 << 20 and choice.leaves == 0


HELPED = """\
import {0}_helper
from arena import Choice


class Player:
    def choose(self, game, limit, rng):
        return Choice({0}_helper.first(game), nodes={0}_helper.peek({1!r}))
"""
HELPER = """\
from pathlib import Path


def first(game):
    return game.legal_moves[0]


def peek(other):
    return int(Path(other).exists())
"""


@in_a_sandbox
@pytest.mark.full
def test_a_submission_of_two_files_plays_in_a_sandbox_and_sees_none_of_another_one(tmp_path):
    files = {"ann": tmp_path / "all" / "ann.py", "bob": tmp_path / "all" / "bob" / "player.py"}
    for name, other in (("ann", "bob"), ("bob", "ann")):
        files[name].parent.mkdir(parents=True, exist_ok=True)
        files[name].write_text(HELPED.format(name, str(files[other])))
        files[name].with_name(f"{name}_helper.py").write_text(HELPER)
    players = "".join(f"  - {{name: {name}, type: '{files[name]}:Player'}}\n" for name in files)
    (tmp_path / "two.yaml").write_text(
        "name: two\nvariant: english\nsandbox: true\nmax_plies: 4\nopenings: {count: 1}\nplayers:\n" + players
    )
    played = run(tmp_path / "two.yaml")
    assert set(played.games["error"]) == {""} and set(played.moves["nodes"]) == {0}


@pytest.mark.parametrize(("command", "faulty", "code"), [("run", "stop", 2), ("check", "forfeit", 1)])
def test_a_sandbox_without_bubblewrap_is_one_line_before_any_player_is_tried(
    command, faulty, code, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = invoke(command, configured(tmp_path, "Good", f"sandbox: true\nfailures: {{faulty: {faulty}}}\n"))
    lines = printed_lines(result.stderr + result.stdout)
    said = [line for line in lines if re.search(r"config.yaml:\d+:1: 'sandbox' .*bubblewrap", line)]
    assert (result.exit_code, len(said)) == (code, 1)
    assert len(lines) == (3 if command == "check" else 1), "the check reads the files, which it says, and counts"
