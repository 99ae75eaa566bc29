"""Hub, version 1: what a program is sent, one that plays by it, and one that breaks it and alone loses by that."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.base.supervisor import are_supported
from arena.experiment.load import load
from arena.experiment.yaml.errors import ConfigError
from arena.hosting.player_process import close_held
from arena.play.match import play
from arena.play.plan import prepare
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.loading import PlayerError
from players.player import Limit, PlayerSpec
from players.table import build_player
from tests.helpers.asking import assert_first_lost, assert_plays_ten_games, column, task_of
from tests.helpers.command_line import one_line

pytestmark = pytest.mark.skipif(not are_supported(), reason="seats need Linux")

DATA = Path(__file__).parent / "data"
INTERNATIONAL = VARIANTS["international"]
KINGS = parse_fen(INTERNATIONAL, "W:WK46:BK1")
DEPTH = Limit(depth=3)
ERROR, TIME, ILLEGAL = "error", "time", "illegal_move"
FAILING = {
    "crashes": (ERROR, "ended (exit code 7) at ply 1"),
    "is silent": (TIME, "gave no answer within 1.15 s at ply 1"),
    "writes half an answer": (TIME, "gave no answer within 1.15 s at ply 1"),
    "writes for ever": (TIME, "gave no answer within 1.15 s at ply 1"),
    "heeds no stop": (TIME, "gave no answer within 1.15 s at ply 1"),
    "writes no end of line": (ERROR, "wrote 65536 bytes without an end of line at ply 1"),
    "moves off the board": (ILLEGAL, "returned the illegal move '46-99' at ply 1"),
    "moves illegally": (ILLEGAL, "returned the illegal move '46-12' at ply 1"),
    "captures nothing": (ILLEGAL, "returned the illegal move '46x41x23' at ply 1"),
    "moves nothing": (ILLEGAL, "returned the illegal move '' at ply 1"),
    "refuses positions": (ERROR, "answered the error 'bad position' at ply 1"),
}
"""What programs do -> how their game ends, and why."""
HARMLESS = ["babbles", "does not wait", "waits for stop"]


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    yield
    close_held()


def partner(
    what: str, limit: Limit = DEPTH, script: str = "hub1.py", notes: str = "/dev/null", **options: Any
) -> PlayerSpec:
    flags = () if what == "plays by the rules" else ("-S", "-E")
    command = [sys.executable, *flags, str(DATA / script), what, notes]
    return PlayerSpec(what, "engine", limit, {"command": command, "folder": ".", "protocol": "hub-1"} | options)


# --- what a program is sent


@pytest.mark.parametrize(
    ("limit", "lines"),
    [
        (Limit(depth=7), ["depth 7"]),
        (Limit(seconds=0.25), ["time 245"]),
        (Limit(depth=7, seconds=0.001), ["depth 7", "time 1"]),
        (Limit(clock=300.0), ["level 0 299995 0"]),
        (Limit(depth=9, clock=300.0, increment=2.5), ["depth 9", "level 0 297495 2500"]),
    ],
)
def test_a_search_is_asked_for_in_words_of_a_fixed_order(limit: Limit, lines: list[str], tmp_path: Path):
    notes = tmp_path / "notes"
    parameters = {"book": False, "bb-size": 0, "style": "wild"}
    player = build_player(partner("plays", limit, notes=str(notes), parameters=parameters), INTERNATIONAL)
    game = Game(INTERNATIONAL, parse_fen(INTERNATIONAL, "B:W31,K46:BK1,45"))
    player.begin()  # type: ignore[attr-defined]
    for text in ("1-6", "31-27", "6-1"):
        game.push(text)
    player.choose(game, limit, random.Random(0))
    player.close()  # type: ignore[attr-defined]
    squares = ["e"] * 51
    squares[0], squares[27], squares[46], squares[6], squares[45] = "bwWBb"
    begun = ["hub", "set book false", "set bb-size 0", "set style wild", "init", "new"]
    expected = [*begun, f"pos {''.join(squares)}", "move 6-1", *lines, "go", "quit"]
    assert [line for line in notes.read_text().splitlines() if line != "stop"] == expected


@pytest.mark.full
def test_a_limit_on_the_clock_is_heeded_by_stop(tmp_path: Path):
    notes = tmp_path / "notes"
    sides = (partner("waits for stop", Limit(seconds=0.05), notes=str(notes)), partner("plays"))
    record = play(task_of(INTERNATIONAL, *sides, opening=KINGS, max_plies=6))
    assert (record.error, record.plies) == ("", 6)
    assert notes.read_text().splitlines().count("time 45") == 3
    seconds = column(record, "seconds")[::2]
    assert (seconds > 0.049).all() and sorted(seconds)[1] < 0.08


# --- games


@pytest.mark.full(but=["depth"])
@pytest.mark.parametrize(
    "limit",
    [Limit(depth=3), Limit(seconds=9.0), Limit(depth=5, clock=60.0, increment=0.1)],
    ids=["depth", "seconds", "clock"],
)
def test_a_partner_that_knows_the_rules_plays_games_to_their_end(limit: Limit):
    assert_plays_ten_games(partner("plays by the rules", limit), INTERNATIONAL)


def test_what_a_program_says_of_its_search_is_recorded_in_men():
    record = play(task_of(INTERNATIONAL, partner("plays"), partner("plays"), opening=KINGS, max_plies=6))
    assert (record.error, record.termination, record.plies) == ("", "max_plies", 6)
    assert column(record, "move").tolist()[:4] == [b"46-41", b"1-6", b"41-46", b"6-1"]
    for name, value in {"depth": 5, "nodes": 99, "said_ms": 120, "score": -0.25}.items():
        assert (column(record, name) == value).all(), name


@pytest.mark.full
@pytest.mark.parametrize("what", HARMLESS)
def test_what_else_a_program_does_harms_nobody(what: str):
    sides = partner(what, Limit(seconds=0.05)), partner("plays")
    record = play(task_of(INTERNATIONAL, *sides, opening=KINGS, max_plies=6))
    assert (record.error, record.termination, record.plies) == ("", "max_plies", 6)


@pytest.mark.full(but=["moves nothing", "refuses positions"])
@pytest.mark.parametrize("what", FAILING)
def test_a_program_that_breaks_the_protocol_loses_its_game(what: str):
    termination, reason = FAILING[what]
    sides = partner(what, Limit(seconds=0.05 if termination == TIME else 50.0)), partner("plays")
    record = play(task_of(INTERNATIONAL, *sides, opening=KINGS, max_plies=8))
    assert_first_lost(record, what, termination, reason)


@pytest.mark.full
def test_a_program_that_ended_is_started_again_for_the_next_game():
    for _ in range(2):
        record = play(task_of(INTERNATIONAL, partner("plays"), partner("crashes"), opening=KINGS, max_plies=8))
        assert record.error.startswith("crashes ended (exit code 7) at ply 2"), record.error


# --- before the first game


@pytest.mark.parametrize(
    ("changes", "limit", "variant"),
    [
        ({}, Limit(nodes=1000), "international"),
        ({}, Limit(depth=9, nodes=1000), "international"),
        ({}, Limit(seconds=1, clock=60), "international"),
        ({}, Limit(), "international"),
        ({}, DEPTH, "english"),
        ({}, DEPTH, "frisian"),
        ({"parameters": {"book": "my book"}}, DEPTH, "international"),
        ({"parameters": {"": 3}}, DEPTH, "international"),
        ({"port": 27531}, DEPTH, "international"),
        ({"listens": "arena"}, DEPTH, "international"),
        ({"protocol": "hub1"}, DEPTH, "international"),
        ({"protocol": "hub"}, DEPTH, "international"),
        ({"script": "engine.py"}, DEPTH, "international"),
    ],
)
def test_a_wrong_entry_is_one_line(changes: dict[str, Any], limit: Limit, variant: str, tmp_path: Path):
    (tmp_path / "python3").symlink_to(sys.executable)
    spec = partner("plays", limit, **changes)
    command = ["./python3", *spec.options["command"][1:]]
    spec = replace(spec, options={**spec.options, "command": command, "folder": str(tmp_path)})
    with pytest.raises(PlayerError) as caught:
        build_player(spec, build_variant(variant))
    assert len(str(caught.value).splitlines()) == 1
    one_line(str(caught.value))


STARTS_BADLY = {
    "crashes at start": "python3 ended (exit code 1) before it was ready; it wrote 'no weights'",
    "crashes in init": "python3 ended (exit code 1) before it was ready; it wrote 'unable to open file'",
    "refuses to start": "python3 answers: 'no bitbases'",
    "is never ready": "partner gave no answer within 1 s while it was built",
    "plays": "python3 ended (exit code 1) before it was ready; it wrote 'not a boolean: variable book'",
}


@pytest.mark.full
@pytest.mark.parametrize("what", STARTS_BADLY)
def test_a_program_that_does_not_start_is_named_with_the_line_of_the_file(what: str, tmp_path: Path):
    (tmp_path / "python3").symlink_to(sys.executable)
    (tmp_path / "run.yaml").write_text(
        "name: run\nvariant: international\nopenings: {random_plies: 2, count: 1}\npatience: 1.0\nplayers:\n"
        "  - {name: random, type: random}\n"
        f"  - {{name: partner, type: engine, command: [./python3, -S, -E, {DATA}/hub1.py, {what}],"
        " protocol: hub-1, parameters: {book: perhaps}, depth: 3}\n"
    )
    with pytest.raises(ConfigError) as caught:
        prepare(load(tmp_path / "run.yaml"))
    text = str(caught.value)
    assert STARTS_BADLY[what] in text and f"{tmp_path}/run.yaml:7:" in text and len(text.splitlines()) == 1


@pytest.mark.full
def test_fewer_men_and_other_ends_are_played_as_the_rules_are_the_same():
    changed = build_variant({"base": "international", "men": 8, "first": "black", "repetition": 0})
    record = play(task_of(changed, partner("plays by the rules"), PlayerSpec("random", "random"), max_plies=200))
    assert record.error == "" and record.termination not in (ERROR, TIME, ILLEGAL) and record.plies > 20
