"""The Hub protocol: its lines, positions and moves, and a player of ours that speaks it."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.experiment.openings.sources import random_line
from arena.hosting.hub import ENDLESS, Server, limit_of
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.hub import (
    Line,
    hub_move,
    line,
    parse_hub_move,
    parse_line,
    parse_position,
    position_text,
    variant_words,
)
from arena.rules.notation import NotationError, parse_fen
from arena.rules.variants import VARIANTS
from players.player import Choice, Limit, PlayerSpec, Resign
from tests.helpers.command_line import one_line, refused
from tests.helpers.rule_sets import RULE_SETS, by_values

ENGLISH, INTERNATIONAL = VARIANTS["english"], VARIANTS["international"]
START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
ENGLISH_START = position_text(ENGLISH, ENGLISH.start)


# --- text


def test_a_line_is_read_as_it_was_written():
    arguments = {"name": "Scan", "author": "A B", "none": "", "flag": None, "on": True, "time": 0.25}
    text = line("id", arguments)
    assert text == 'id name=Scan author="A B" none="" flag on=true time=0.25'
    read = {"name": "Scan", "author": "A B", "none": "", "flag": "", "on": "true", "time": "0.25"}
    assert parse_line(text) == Line("id", read)
    assert line("error", {"message": 'a "b"\nc'}) == "error message=\"a 'b' c\""


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
def test_positions_and_moves_are_read_as_they_were_written(rules):
    rng = random.Random(1)
    for _ in range(10):
        game = random_line(rules, 100, rng)
        while game.moves:
            game.pop()
            assert parse_position(rules, position_text(rules, game.position)) == game.position
            texts = [hub_move(rules, game.position, move, game.legal_moves) for move in game.legal_moves]
            assert len(set(texts)) == len(texts)
            for text, move in zip(texts, game.legal_moves, strict=True):
                assert parse_hub_move(rules, game.position, text, game.legal_moves) == move


def test_positions_moves_and_names_are_as_the_protocol_writes_them():
    game = Game(INTERNATIONAL)
    assert position_text(INTERNATIONAL, game.position) == START
    for text in ("32-28", "19-23", "28x19x23", "14x23x19"):
        move = parse_hub_move(INTERNATIONAL, game.position, text, game.legal_moves)
        assert move is not None and hub_move(INTERNATIONAL, game.position, move, game.legal_moves) == text
        game.push(move)
    names = ("international", "antidraughts", "breakthrough")
    assert [variant_words(VARIANTS[name])[0] for name in names] == ["normal", "losing", "bt"]
    assert variant_words(VARIANTS["frysk"]) == ["frysk", "frisian"]
    assert variant_words(by_values(build_variant({"base": "international", "rows": 8}))) == ["brazilian"]
    assert variant_words(build_variant("international-6x6")) == []


def test_captured_squares_come_in_any_order_and_may_be_left_out_where_the_ends_are_enough():
    position = parse_fen(INTERNATIONAL, "W:W32,48:B28,18,8")
    legal = Game(INTERNATIONAL, position).legal_moves
    [capture] = legal
    assert hub_move(INTERNATIONAL, position, capture, legal) == "32x3x8x18x28"
    for text in ("32x3x28x8x18", "32x3"):
        assert parse_hub_move(INTERNATIONAL, position, text, legal) == capture
    others = ["", "32", "pass", "48-42", "32x99", "32x3x28", "3x32x8x18x28", "32x3x8x18x28x29", "32x3x28x8x18x"]
    for text in others:
        assert parse_hub_move(INTERNATIONAL, position, text, legal) is None


def test_a_wrong_position_is_refused():
    for text in ("", START[:-1], START + "e", "X" + START[1:], START.replace("e", "x"), "Ww" + START[2:]):
        with pytest.raises(NotationError):
            parse_position(INTERNATIONAL, text)


# --- the server


class Talk:
    """A server and what it wrote."""

    def __init__(self, **options: object) -> None:
        self.lines: list[str] = []
        self._written = threading.Condition()
        spec = PlayerSpec("p", str(options.pop("type", "negamax")), options=options)
        self.server = Server(spec, ENGLISH, self._write)

    def _write(self, text: str) -> None:
        with self._written:
            self.lines += text.splitlines()
            self._written.notify_all()

    def say(self, *lines: str) -> bool:
        return all(self.server.answer(text) for text in lines)

    def wait(self, command: str, seconds: float = 20.0) -> Line:
        """The next line of a command, and forget those up to it."""
        with self._written:
            assert self._written.wait_for(lambda: command in self._commands(), seconds), self.lines
            number = self._commands().index(command)
            read = parse_line(self.lines[number])
            del self.lines[: number + 1]
            return read

    def _commands(self) -> list[str]:
        return [parse_line(text).command for text in self.lines]


@pytest.fixture
def talk() -> Iterator[Talk]:
    begun = Talk(preset="iddfs")
    assert begun.say("hub", "init")
    yield begun
    begun.server.close()


def test_it_introduces_itself_and_declares_its_parameters(talk):
    words = [parse_line(text) for text in talk.lines]
    assert [read.command for read in words] == ["id", "param", "param", "wait", "ready"]
    assert words[1].arguments["value"] == "english" and "losing" in words[1].arguments["values"].split()


def test_a_search_is_answered_with_what_it_counted_and_a_move(talk):
    assert talk.say(f'pos pos={ENGLISH_START} moves="11-15 22-18 15x22x18"', "level depth=4", "go think")
    info, done = talk.wait("info").arguments, talk.wait("done").arguments
    assert int(info["depth"]) == 4 and int(info["nodes"]) > 4 and float(info["time"]) >= 0
    assert done["move"] in ("25x18x22", "26x17x22") and info["pv"].split()[0] == done["move"]


@pytest.mark.parametrize("options", [{"preset": "iddfs"}, {"type": "mcts"}, {"type": "hybrid"}], ids=str)
def test_a_search_without_end_answers_while_it_thinks_and_is_stopped(options):
    talk = Talk(**options)
    assert talk.say("init", f"pos pos={ENGLISH_START}", "level infinite", "go analyze", "ping")
    talk.wait("pong", 60)
    time.sleep(0.1)
    assert not any(text.startswith("done") for text in talk.lines)
    assert talk.say("stop", "ping")
    assert int(talk.wait("info", 60).arguments["nodes"]) > 10
    assert talk.wait("done", 60).arguments["move"]
    assert talk.say("level infinite", "go think", "stop") and talk.wait("done")
    assert talk.say("level nodes=50", "go think") and int(talk.wait("info").arguments["nodes"]) <= 50
    talk.server.close()


@pytest.mark.parametrize(
    "lines",
    [
        ["pos pos=W"],
        [f'pos pos={ENGLISH_START} moves="11-15 1-2"'],
        ["pos pos=W" + 32 * "e", "level depth=2", "go think"],
        [f"pos pos={ENGLISH_START}", "go think"],
        ["level depth=0"],
        ["level depth=0.5"],
        ["level nodes=1e300"],
        ["set-param name=variant value=chess"],
        ["set-param name=tt value=3"],
    ],
)
def test_a_wrong_command_is_an_error_in_one_line(talk, lines):
    assert talk.say(*lines)
    errors = [parse_line(text).arguments["message"] for text in talk.lines if text.startswith("error")]
    one_line(errors[-1])


def test_the_seed_decides_what_a_random_player_does():
    def moves(seed: str) -> list[str]:
        talk = Talk(type="random")
        assert talk.say(f"set-param name=seed value={seed}", "init", "new-game", "level depth=1")
        chosen = []
        for _ in range(8):
            assert talk.say(f"pos pos={ENGLISH_START}", "go think")
            chosen.append(talk.wait("done").arguments["move"])
        return chosen

    assert moves("1") == moves("1") != moves("2")


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("level depth=9", Limit(depth=9)),
        ("level depth=200", Limit(depth=64)),
        ("level nodes=100 move-time=0.5", Limit(nodes=100, seconds=0.5)),
        ("level moves=75 time=1200", Limit(clock=1200.0, increment=0.0, moves=75)),
        ("level infinite", ENDLESS),
        ("level", None),
    ],
)
def test_a_level_is_a_limit(text, limit):
    assert limit_of(parse_line(text)) == limit


class Own:
    """Raises, resigns, moves illegally, or prints what it does and chooses the first move."""

    def __init__(self, variant, how: str) -> None:
        self.how = how

    def choose(self, game, limit, rng):
        if self.how == "raises":
            raise RuntimeError("tired")
        if self.how == "resigns":
            raise Resign
        print("thinking")
        return Choice(99 if self.how == "moves illegally" else game.legal_moves[0])


@pytest.mark.parametrize(
    ("how", "command", "argument"),
    [
        ("raises", "error", "RuntimeError: tired"),
        ("moves illegally", "error", "the illegal move 99"),
        ("resigns", "done", "resign"),
    ],
)
def test_a_players_failure_is_an_error_and_its_resignation_a_move(how, command, argument):
    talk = Talk(type="tests.players.test_hub:Own", how=how)
    assert talk.say("init", f"pos pos={ENGLISH_START}", "level depth=1", "go think")
    [value] = talk.wait(command).arguments.values()
    assert argument in value


@pytest.mark.full
def test_the_command_ends_with_its_input_and_prints_the_protocol_alone():
    commands = f"hub\ninit\npos pos={ENGLISH_START}\nlevel depth=3\ngo think\n"
    player = "{type: 'tests.players.test_hub:Own', how: prints}"
    command = [sys.executable, "-m", "arena", "hub", player, "--variant", "english"]
    done = subprocess.run(command, input=commands, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    printed = {text.split()[0] for text in done.stdout.splitlines()}
    assert printed == {"id", "param", "wait", "ready", "info", "done"} and "thinking" in done.stderr


@pytest.mark.parametrize("player", ["{preset: ful}", "full", "{depth: six}"])
def test_a_wrong_player_is_one_line(player):
    refused("hub", player)
