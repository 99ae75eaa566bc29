"""`arena show --best`: the best moves of a position, by every kind of player, until a limit or Ctrl-C."""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import Game, Opponent, PlayerSpec
from arena.commands import waiting
from arena.hosting.analysis import Analysis, Candidate, Findings
from arena.rules.notation import fen, parse_fen
from arena.rules.position import COLOURS
from arena.rules.result import score_text
from arena.rules.variants import VARIANTS
from players.player import Limit
from tests.helpers.command_line import invoke, refused

WINS = json.loads((Path(__file__).parents[1] / "data" / "wins.json").read_text())
ENGLISH_WINS = [row for row in WINS["rows"] if row["variant"] == "english"]
ENDING = "W:WK5,9,17,31:B2,16,K18"
START = fen(VARIANTS["english"], VARIANTS["english"].start)
OWN = """\
from arena import Choice

class Counts:
    def __init__(self, variant): self.variant = variant
    def choose(self, game, limit, rng):
        white, black = (game.position.white.bit_count(), game.position.black.bit_count())
        return Choice(game.legal_moves[0], score=float((white - black) * (1 - 2 * game.turn)), nodes=1)

class Silent(Counts):
    def choose(self, game, limit, rng): return Choice(game.legal_moves[0])

class Fails(Counts):
    def choose(self, game, limit, rng): raise RuntimeError("tired")

class Cheats(Counts):
    def choose(self, game, limit, rng): return Choice(12345)
"""


@pytest.fixture(autouse=True)
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default player without the endgame tables that may be on this machine."""
    monkeypatch.setattr("arena.board.sides.known_pieces", lambda _: 0)


def analysed(fen: str, lines: int = 1, variant: str = "english", **entry: Any) -> list[Findings]:
    limit = Limit(**{name: entry.pop(name) for name in Limit._fields if name in entry})
    spec = PlayerSpec("player", entry.pop("type", "negamax"), limit, entry)
    return list(Analysis(spec, Game(variant, fen), lines).findings())


def document(*arguments: object) -> dict[str, Any]:
    result = invoke("show", *arguments, "--json")
    assert result.exit_code == 0, result.output
    printed: dict[str, Any] = json.loads(result.stdout)
    return printed


# --- what is found


@pytest.mark.compiled
def test_of_several_lines_the_known_win_is_the_best_and_the_rest_are_in_order():
    for row in ENGLISH_WINS[:3]:
        position = parse_fen(VARIANTS["english"], row["fen"])
        count = len(Game("english", position).legal_moves)
        last = analysed(row["fen"], lines=99, depth=WINS["plies"])[-1]
        assert len(last.lines) == count == len({line.move for line in last.lines})
        assert Game("english", position).text(last.lines[0].move) == row["best"]
        assert last.lines[0].plies_to_win == WINS["plies"]
        values = [line.value for line in last.lines]
        assert values == sorted(values, reverse=True) and values[0] > values[1]


@pytest.mark.compiled
def test_each_line_has_the_score_of_the_position_after_its_move():
    last = analysed(ENDING, lines=99, depth=6, preset="alphabeta")[-1]
    for line in last.lines:
        game = Game("english", ENDING)
        game.push(line.move)
        (after,) = analysed(game.fen, depth=5, preset="alphabeta")[-1].lines
        assert (line.score, line.depth, line.pv) == (-(after.score or 0.0), 6, (line.move, *after.pv))


def test_one_line_is_what_the_player_chooses():
    (line,) = analysed(START, depth=5, preset="alphabeta")[-1].lines
    chosen = Opponent({"type": "negamax", "preset": "alphabeta", "depth": 5}).choose(Game("english"))
    assert line == Candidate(chosen.move, chosen.score, 0, 5, chosen.nodes, chosen.pv)


def test_moves_that_end_the_game_are_not_searched_and_a_certain_loss_is_counted_to_its_end():
    last = analysed("W:W29,30:B21", lines=3, depth=4)[-1]
    assert Game("english", "W:W29,30:B21").text(last.lines[0].move) == "29-25"
    assert (last.lines[0].plies_to_win, last.lines[0].depth) == (1, 0)
    assert all(line.depth >= 2 and line.score is not None for line in last.lines[1:])
    (line,) = analysed("B:W29,30:B21", lines=1, depth=4)[-1].lines
    assert (line.plies_to_win, Game("english", "B:W29,30:B21").text(line.move)) == (-2, "21-25")


# --- limits and stops


def test_an_analysis_can_be_stopped_from_another_thread():
    spec = PlayerSpec("player", "negamax", Limit(seconds=600), {"preset": "full"})
    analysis = Analysis(spec, Game("english"), 2)
    threading.Timer(0.5, analysis.stop).start()
    last = list(analysis.findings())[-1]
    assert not last.whole and len(last.lines) == 2 and last.seconds < 300


@pytest.mark.full
def test_an_analysis_that_has_ended_keeps_no_thread_and_no_memory():
    before, kept = threading.active_count(), []
    for _ in range(5):
        spec = PlayerSpec("player", "negamax", Limit(depth=2, seconds=600))
        analysis = Analysis(spec, Game("english"))
        kept.append(weakref.ref(analysis))
        list(analysis.findings())
        del analysis
    end = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    gc.collect()
    assert threading.active_count() <= before
    assert [analysis() for analysis in kept] == [None] * 5


@pytest.mark.slow
@pytest.mark.compiled
def test_ctrl_c_shows_what_there_is():
    command = [sys.executable, "-m", "arena", "show", "english", "--player", "simple@120s", "--best", "2"]
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=unbuffered, **pipes) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("B:W"):
            assert line
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    assert rest.splitlines()[-1].split()[0] == "2"


# --- players of every kind


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("lines", [1, 2])
def test_a_tree_search_has_twice_as_many_nodes_each_time_a_timed_one_its_time_and_greedy_is_asked_once(lines):
    rounds = analysed(START, lines=lines, type="mcts", nodes=3000)
    nodes = [findings.lines[-1].nodes for findings in rounds if findings.whole]
    assert nodes == [500, 1000, 2000, 3000] and len(rounds[-1].lines) == lines
    timed = analysed(START, lines=lines, preset="full", seconds=0.3)[-1]
    assert 0.2 < timed.seconds < 60 and len(timed.lines) == lines
    once = [findings for findings in analysed(ENDING, lines=lines, type="greedy", seconds=60) if findings.whole]
    assert len(once) == 1 and len(once[0].lines) == lines


# --- as it is printed


def test_the_best_lines_are_printed_below_the_board():
    result = invoke("show", ENDING, "--variant", "english", "--best", 2, "--player", "simple@d4")
    assert "\x1b" not in result.stdout
    *board, counts, viewpoint, header = result.stdout.splitlines()[:13]
    assert board == [*str(Game("english", ENDING)).splitlines(), Game("english", ENDING).fen]
    assert header.split() == ["score", "depth", "line"] and " nodes, " in counts
    assert COLOURS[Game("english", ENDING).turn].capitalize() in viewpoint and "men" in viewpoint
    rows = [line.split() for line in result.stdout.splitlines()[13:]]
    assert [(row[0], row[2]) for row in rows] == [("1", "4"), ("2", "4")]


def test_a_game_is_analysed_where_it_stands(tmp_path):
    (tmp_path / "g.pdn").write_text('[GameType "21,B,8,8,N1,0"]\n1. 11-15 23-19 2. 8-11 *\n')
    printed = document(tmp_path / "g.pdn", "--ply", 2, "--best", 1, "--player", "simple@d3")
    game = Game("english")
    for text in ("11-15", "23-19"):
        game.push(text)
    assert printed["fen"] == game.fen and printed["lines"][0]["moves"][0] in game.legal_texts


def test_scores_are_read_by_people():
    assert score_text(125.0, man=100.0) == "+1.25"
    assert score_text(-0.2, man=100.0) == "+0.00"
    assert score_text(-0.0) == "0"
    assert score_text(0.25) == "0.25"
    assert [score_text(of) for of in (0.0360723, -7.125, 999.7, 12345.6)] == ["0.0361", "-7.12", "1000", "12346"]
    assert (score_text(None), score_text(None, 7), score_text(-1.0, -8)) == ("", "wins in 7", "loses in 8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["english", "--player", "{depth: 99}"],
        ["english", "--player", "random"],
        ["english", "--player", "simple@d1"],
        ["W:W:B1", "--variant", "english"],
        ["englsh"],
        ["english", "--player", "OWN:Silent"],
        ["english", "--player", "OWN:Fails"],
        ["english", "--player", "OWN:Cheats"],
    ],
)
def test_what_cannot_be_analysed_gets_one_line(tmp_path, arguments):
    (tmp_path / "own.py").write_text(OWN)
    given = [re.sub("^OWN(.*)", f'{{type: "{tmp_path}/own.py\\1"}}', argument) for argument in arguments]
    refused("show", *given, "--best", 2)


# --- waiting for what another thread finds, and Ctrl-C meanwhile


def test_a_ctrl_c_that_takes_longer_than_a_look_is_followed_by_the_next_look():
    found = threading.Event()
    stopped: list[float] = []

    def interrupt_after(seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        return timer

    def items() -> Iterator[str]:
        interrupt_after(waiting._LOOK_SECONDS / 2)
        timers.append(interrupt_after(60))
        found.wait(120)
        yield "found"

    def stop() -> None:
        stopped.append(time.monotonic())
        time.sleep(2 * waiting._LOOK_SECONDS)

    timers: list[threading.Timer] = []
    seen = []
    for item in waiting.watched(items(), stop, end=TimeoutError("it looks no more")):
        seen.append(item)
        if stopped:
            found.set()
    timers[0].cancel()
    assert len(stopped) == 1
    assert seen[-1] == "found" and None in seen
