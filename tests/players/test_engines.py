"""Outside programs: whatever an engine does, it alone loses by it; ours through our own adapter plays the same."""

import math
import random
import re
import shutil
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml

import arena
from arena.base.process import ON_LINUX
from arena.experiment.load import load
from arena.experiment.openings.sources import random_line
from arena.experiment.yaml.values import ConfigError
from arena.hosting import sandbox
from arena.hosting.analysis import Analysis
from arena.hosting.hub import limit_of
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import GameRecord
from arena.play.match import play
from arena.play.prepare import prepare
from arena.rules.game import Game
from arena.rules.hub import line, parse_line
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.engines import hub
from players.engines.hub import cautions, changed_settings, declaration
from players.engines.program import program_is_slow
from players.loading import PlayerError
from players.player import Allowance, Limit, PlayerSpec
from players.table import build_player
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke, one_line
from tests.helpers.failing import assert_others_unharmed, every_game, hub_program, run

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="such processes need Linux")

ENGLISH = VARIANTS["english"]
KINGS = parse_fen(ENGLISH, "W:WK32:BK1")
ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parents[1] / "data" / "engine.py"
CONFIG = """\
name: engines
variant: english
seed: 3
openings: {{file: openings.txt}}
max_plies: 8
process: {{move_timeout: {move_timeout}}}
players:
  - {{name: random, type: random}}
  - {{name: greedy, type: greedy}}
  - {{name: depth-1, type: negamax, preset: alphabeta, depth: 1}}
  - {{name: bad, type: engine, command: [{python}, -S, -E, {script}, {kind}], {more}}}
"""
LIMIT = Limit(depth=3)
AT_START = {
    "crashes at start": "(exit code 1) before it was ready; it wrote 'cannot open \"net.bin\"'",
    "crashes in init": "(SIGSEGV) before it was ready",
    "needs memory": "(exit code 1) with 2048 MB of memory at most (process: {memory: ...}) before it was ready",
    "refuses parameters": "python3 answers: 'no such level'",
    "speaks otherwise": "within 1 s while it was built; it wrote 'unknown command: hub'",
}


def configured(folder: Path, kind: str, more: str = "depth: 3", move_timeout: float = 1.0) -> Path:
    (folder / "openings.txt").write_text("W:WK32:BK1\nB:WK32:BK1\n")
    (folder / "python3").unlink(missing_ok=True)
    (folder / "python3").symlink_to(sys.executable)
    path = folder / "config.yaml"
    path.write_text(
        CONFIG.format(kind=kind, more=more, move_timeout=move_timeout, python="./python3", script=SCRIPT)
    )
    return path


def own_games(run: arena.Run) -> pd.DataFrame:
    games = every_game(run)
    return games[(games["white"] == "bad") | (games["black"] == "bad")]


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """The tournament in which `bad` behaves."""
    return run(configured(tmp_path_factory.mktemp("good"), "plays"))


def test_what_an_engine_says_of_its_search_is_recorded(well):
    assert set(own_games(well)["termination"]) <= {"max_plies", "repetition"}
    moves = well.moves[well.moves["player"] == "bad"]
    assert set(moves["move"]) <= {"32-28", "28-32", "1-5", "5-1"} and len(moves) > 40
    assert (moves[["depth", "nodes", "extra_said_ms"]] == [5, 99, 12]).all(axis=None)
    assert (moves["score"] == -0.25).all()


@pytest.mark.full
def test_what_an_engine_computes_in_its_opponents_time_is_counted():
    player, game = begin_game(hub_program("ponders"), ENGLISH, KINGS, "1", Allowance()), Game(ENGLISH, KINGS)
    for _ in range(2):
        player.choose(game, LIMIT, random.Random(0))
        time.sleep(0.3)
    assert player.choose(game, LIMIT, random.Random(0)).pondered_seconds > 0.01
    close_players()


def test_what_an_engine_says_after_its_move_is_not_of_the_next_one_nor_a_time_below_0_any():
    player, game = build_player(hub_program("informs late"), ENGLISH), Game(ENGLISH, KINGS)
    choices = [player.choose(game, LIMIT, random.Random(0)) for _ in range(3)]
    player.close()  # type: ignore[attr-defined]
    assert {(choice.nodes, choice.depth, choice.extra) for choice in choices} == {(0, 0, None)}


@pytest.mark.full
def test_an_engine_that_waits_is_told_to_stop_in_time(tmp_path):
    config = configured(tmp_path, "waits for stop", "seconds: 0.05")
    config.write_text(config.read_text() + "time_margin: 30\n")  # this machine may have other work
    tournament = run(config)
    assert set(own_games(tournament)["termination"]) <= {"max_plies", "repetition"}
    seconds = tournament.moves[tournament.moves["player"] == "bad"]["seconds"]
    assert (seconds > 0.049).all()


@pytest.mark.full
def test_an_engine_that_ended_is_started_again_and_loses_its_own_games_alone(well, tmp_path):
    tournament = run(configured(tmp_path, "starts twice"))
    assert_others_unharmed(tournament, well)
    games = own_games(tournament)
    assert games["termination"].tolist() == 3 * ["error"] and (games["result"] == "*").all()
    first, *others = games["error"]
    assert first.startswith("bad ended (exit code 1) at ply")
    for other in others:
        assert other.startswith("bad was not built: python3 ended (exit code 3) before it was ready")


@pytest.mark.full
@pytest.mark.parametrize("kind", AT_START)
def test_an_engine_that_does_not_start_is_named_before_the_first_game(kind, tmp_path):
    with pytest.raises(ConfigError) as caught:
        prepare(load(configured(tmp_path, kind, "depth: 3, parameters: {level: 4}")))
    one_line(caught.value)
    assert AT_START[kind] in str(caught.value) and f"{tmp_path}/config.yaml:11:" in str(caught.value)


@pytest.mark.full
def test_a_program_that_is_not_ready_soon_is_announced_once(tmp_path, monkeypatch):
    """In a run, where it is in a process of its own, and where the command asks it itself."""
    monkeypatch.setattr("players.engines.hub.PATIENCE", 0.2)
    line = "waiting for python3 to answer 'init'; it wrote 'init eval'"
    ran = invoke("run", configured(tmp_path, "is never ready", move_timeout=4), "--out", tmp_path / "out")
    assert ran.exit_code == 2 and ran.stderr.count(f"{line}\n") == 1

    def interrupt(text: str) -> None:
        if text == line:
            raise KeyboardInterrupt

    command = [str(tmp_path / "python3"), "-S", "-E", str(SCRIPT), "is never ready"]
    spec = PlayerSpec("e", "engine", LIMIT, {"command": command})
    with program_is_slow.heard_by(interrupt), pytest.raises(KeyboardInterrupt):
        Analysis(spec, Game(ENGLISH))


DEPTH = "depth: 3"
COMMAND = "command: [./python3, -S, -E, {script}, plays]"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (COMMAND, "command: ./nobody", "no program nobody"),
        (COMMAND, "command: ./text.txt", "chmod"),
        (COMMAND, "command: ./text", "Exec format error"),
        (COMMAND, "command: []", "the command is empty"),
        (COMMAND, "command: [./python3], folder: elsewhere", "no folder elsewhere"),
        (DEPTH, "depth: 3, parameters: {levl: 3}", "did you mean 'level'"),
        (DEPTH, "depth: 3, parameters: {level: 10}", "1 to 9, not 10"),
        (DEPTH, "depth: 3, parameters: {variant: thai}", "'thai'"),
        (DEPTH, "reserve: 0.01", "needs a limit"),
        ("english", "brazilian", "does not play brazilian (choices: english, russian)"),
        ("english", "english-6x6", "does not play english-6x6"),
    ],
)
def test_a_mistake_in_an_entry_is_told_in_one_line(old, new, message, tmp_path):
    path = configured(tmp_path, "plays")
    (tmp_path / "openings.txt").write_text("W:WK18:BK1\nB:WK18:BK1\n")
    for name, mode in (("text.txt", 0o644), ("text", 0o755)):
        (tmp_path / name).write_text("what?")
        (tmp_path / name).chmod(mode)
    lines = path.read_text().splitlines()
    text = "\n".join(line for line in lines if "greedy" not in line and "depth-1" not in line)  # both are compiled
    old = old.format(script=SCRIPT)
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        prepare(load(path))
    one_line(caught.value)
    assert message in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("line", "value", "text"),
    [
        ("param name=x type=real", 0.5, "0.5"),
        ("param name=x type=real min=0", 2, "2"),
        ("param name=x type=real", math.nan, ""),
        ("param name=x type=int", 2**62, str(2**62)),
        ("param name=x type=int", 10**40, ""),
        ('param name=x type=enum values="1 2 4"', 2, "2"),
        ('param name=x type=enum values="1 2 4"', 3, ""),
    ],
)
def test_a_program_is_given_values_of_the_type_that_it_declares(line, value, text):
    known = {"x": declaration(parse_line(line), "it")}
    if text:
        assert changed_settings(known, {"x": value}, VARIANTS["international"], "it") == {"x": text}
    else:
        with pytest.raises(PlayerError) as caught:
            changed_settings(known, {"x": value}, VARIANTS["international"], "it")
        assert caught.value.keys == ("parameters", "x")


def test_parameters_that_take_cores_from_others_are_said():
    [ponders, threads] = cautions({"book": True, "ponder": True, "threads": 10_000, "tt-size": 24})
    assert "'ponder: true'" in ponders and "'threads: 10000'" in threads


@pytest.mark.full(only=["True"])
@pytest.mark.parametrize("restart", [False, True])
def test_what_is_said_in_a_game_is_kept_beside_the_run_and_a_program_may_be_started_anew_for_each(
    restart, tmp_path
):
    run(configured(tmp_path, "plays", f"depth: 3, log: true, restart: {str(restart).lower()}"))
    [log] = (tmp_path / "out" / "logs").iterdir()
    games = re.split(r"^--- .*, as (?:white|black)\n", log.read_text(), flags=re.MULTILINE)[1:]
    assert len(games) > 3
    for number, game in enumerate(games):
        lines = game.splitlines()
        assert lines.count("> new-game") == 1 and "> level depth=3" in lines and lines[-1].startswith("done move=")
        assert ("> init" in lines) == restart or number == 0


def through_hub(spec: PlayerSpec, variant: str) -> PlayerSpec:
    """A player through the arena's own adapter, both ways."""
    entry = yaml.safe_dump({"type": spec.type, **spec.options}, default_flow_style=True, width=1000).strip()
    command = [sys.executable, "-m", "arena", "hub", entry, "--variant", variant]
    return replace(spec, type="engine", options={"command": command, "folder": str(ROOT)})


@pytest.mark.full
@pytest.mark.parametrize(
    ("variant", "limit"),
    [
        ("english", Limit(depth=5)),
        ("international", Limit(nodes=3000)),
        pytest.param("frisian", Limit(nodes=1000), marks=pytest.mark.slow),
    ],
)
def test_ours_against_ours_through_its_own_adapter_plays_the_same_games(variant, limit):
    rules = VARIANTS[variant]
    sides = [
        PlayerSpec("full", "negamax", limit, {"preset": "full"}),
        PlayerSpec("mtdf", "negamax", limit, {"preset": "mtdf", "evaluation": "material"}),
    ]
    adapted = [through_hub(side, variant) for side in sides]
    opening = random_line(rules, 4, random.Random(0)).position
    for step in (1, -1):
        direct = play(task_of(rules, *sides[::step], opening=opening))
        again = play(task_of(rules, *adapted[::step], opening=opening))
        assert again.error == "" and played(again) == played(direct)


@pytest.mark.parametrize(
    "limit", [Limit(clock=10.0, increment=0.1), Limit(clock=0.1, increment=0.1), Limit(clock=1200.0, moves=75)]
)
def test_a_program_is_told_the_clock_that_a_program_of_ours_understands(limit):
    level = hub.times(limit, reserve=0.0)
    assert limit_of(parse_line(line("level", level))) == limit._replace(increment=limit.increment or 0.0)
    assert level["time"] == pytest.approx((limit.clock or 0.0) - (limit.increment or 0.0))


def played(record: GameRecord) -> tuple[object, ...]:
    moves = record.table()[["move", "depth", "nodes"]].tolist()
    return record.result, record.termination, moves


HIDDEN = """\
import runpy, socket, sys
try:
    socket.create_connection(("127.0.0.1", {port}), 1)
    sys.exit("reached the network")
except OSError:
    runpy.run_path("engine.py")
"""
"""A program that plays by a file in its folder that its command does not name, where it has no network."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("inside", "folder", "message"),
    [(True, "programs", ""), (True, ".", "'folder'"), (False, "programs", "it wrote 'reached the network'")],
)
def test_a_program_in_a_sandbox_has_its_folder_and_no_network(inside, folder, message, tmp_path):
    if inside and (why := sandbox.unavailable()):
        pytest.skip(why)
    (tmp_path / "programs").mkdir()
    for place in (tmp_path / "programs", tmp_path):
        shutil.copy(SCRIPT, place / "engine.py")
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = HIDDEN.format(port=server.getsockname()[1])
        entry = {"command": [sys.executable, "-S", "-E", "-c", text, "plays"], "folder": folder, "depth": 3}
        path = configured(tmp_path, "plays")
        config = yaml.safe_load(path.read_text())
        config["players"] = [{"name": "bad", "type": "engine"} | entry, {"name": "random", "type": "random"}]
        path.write_text(yaml.safe_dump(config | {"sandbox": inside, "process": {"move_timeout": 60}}))
        if message:
            with pytest.raises(ConfigError) as caught:
                prepare(load(path))
            one_line(caught.value)
            assert message in str(caught.value)
        else:
            assert set(run(path).games["error"]) == {""}
    close_players()
