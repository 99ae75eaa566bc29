"""`arena play`: whole games through a pipe and in a pseudo-terminal, what can be typed, what is printed."""

import random
import re
import shlex
import socket
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result

from arena import Game
from arena.board import sides
from arena.board.game import BoardGame
from arena.board.pdn import pdn_text
from arena.board.sides import Side, level
from arena.commands.cli import main
from arena.commands.terminal_game import clock_text
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS
from players.player import HUMAN
from tests.helpers.at_terminal import Terminal, listed_moves

END = r"^((?:White|Black) wins(?: by \d+ points? to \d+)?|Draw): .*$"
PEOPLE = ("--white", "human", "--black", "human")
LONGEST = 120
"""Moves of a person who resigns then."""
OWN = """\
import time
from arena import Choice

class ReadyOnce:
    begun = 0
    def __init__(self, variant): pass
    def begin(self):
        ReadyOnce.begun += 1
        if ReadyOnce.begun > 1:
            raise RuntimeError("worn out")
    def choose(self, game, limit, rng): return Choice(game.legal_moves[0])

class Stubborn:
    def __init__(self, variant): pass
    def choose(self, game, limit, rng):
        time.sleep(600)

class Waits:
    def __init__(self, variant): self.stopped = False
    def stop(self): self.stopped = True
    def choose(self, game, limit, rng):
        while not self.stopped:
            time.sleep(0.01)
        self.stopped = False
        return Choice(game.legal_moves[0])
"""


@pytest.fixture(autouse=True)
def short_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "ADVICE_SECONDS", 0.02)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    return file


def played(*arguments: object, lines: str | list[str] = "") -> Result:
    """What `arena play` ends with, after these lines of a pipe."""
    text = lines if isinstance(lines, str) else "\n".join(lines) + "\n"
    result = CliRunner().invoke(main, ["play", *map(str, arguments)], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def output(*arguments: object, lines: str | list[str] = "") -> str:
    """What `arena play` prints for these lines of a pipe."""
    result = played(*arguments, lines=lines)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    return result.stdout


# --- whole games


def script_of(name: str, file: Path) -> tuple[list[str], list[str], BoardGame]:
    """What a person types in a game against level 2, until it is saved and after it is loaded, and that game."""
    variant = VARIANTS[name]
    sides = [level(2), level(2)]
    sides[variant.first] = Side(HUMAN)
    game = BoardGame(variant, (sides[0], sides[1]))
    rng = random.Random(name)

    def answer() -> None:
        while game.outcome is None and not game.side.is_person:
            request = game.request()
            game.accept(request, request.answer())

    def move() -> str:
        chosen = rng.choice(game.game.legal_moves)
        text = game.game.text(chosen)
        game.play(chosen)
        answer()
        return text

    first = ["xyzzy", "1-1", "help", move(), move(), "undo", "hint"]
    game.undo()
    answer()
    first += [move(), "moves", "fen", "flip", f"save {file}", "quit"]
    again = BoardGame.of(read_pdn(pdn_text(game)).games[0], game.sides)
    game.close()
    game, second = again, list[str]()
    answer()
    while game.outcome is None:
        second.append(move() if len(second) < LONGEST else "resign")
        if second[-1] == "resign":
            game.resign(variant.first)
    return first, second, game


@pytest.mark.full(but=["english"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_whole_game_through_a_pipe(name, tmp_path):
    file = tmp_path / "games.pdn"
    first, second, game = script_of(name, file)
    shown = output(name, "--level", 2, lines=first)
    assert "'xyzzy' is no move and no command that `help` lists; " in shown
    assert "'1-1' is not a legal move; " in shown
    assert all(words in shown for words in ("hint: ", "took back ", "saved as game 1 of", "to resume it:"))

    shown = output("--from", file, "--level", 2, lines=[*second, f"save {file}"])
    outcome = game.outcome
    assert outcome is not None
    ended = re.search(END, shown, re.MULTILINE)
    assert ended and ended[1].split()[0].lower() == outcome.result
    last = read_pdn(file).games[-1]
    assert (last.number, last.moves, last.result) == (2, game.game.moves, outcome.result)
    game.close()


# --- in a terminal


@pytest.mark.full
@pytest.mark.compiled
def test_a_clock_that_runs_out_while_a_line_is_waited_for_ends_the_game():
    terminal = Terminal("play", "english", "--white", "human", "--black", "human", "--clock", "0.02")
    terminal.prompted()
    terminal.press(b"11-1")
    terminal.wait_for("White wins: out of time")
    assert terminal.prompted().endswith("over> ")
    terminal.press(b"quit\n")
    assert terminal.end() == 0


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("player", ["Waits", "Stubborn"])
def test_ctrl_c_has_a_player_move_now_and_a_second_one_leaves(own, player):
    terminal = Terminal("play", "english", "--white", f"{own}:{player}")
    terminal.prompted()
    terminal.press(b"11-15\n")
    terminal.wait_for("thinks, ")
    terminal.press(b"\x03")
    if player == "Waits":
        assert "1. White" in terminal.prompted()
        terminal.press(b"\x03")
        terminal.wait_for("leaves the game")
        terminal.prompted()
    else:
        terminal.wait_for("is to move now, .*; Ctrl-C once more leaves")
    terminal.press(b"\x03")
    terminal.wait_for(rf"to resume it:\s+arena play english --white .*:{player} --black human --fen")
    assert terminal.end() == 0


@pytest.mark.full
@pytest.mark.compiled
def test_ctrl_c_pauses_a_game_of_players(own):
    terminal = Terminal("play", "english", "--white", f"{own}:Waits", "--black", f"{own}:Waits")
    terminal.wait_for("thinks, ")
    terminal.press(b"\x03")
    assert "paused; press Enter to continue" in terminal.prompted()
    assert "took back 1 ply" in terminal.type("undo")
    terminal.press(b"\n")
    terminal.wait_for("thinks, ")
    terminal.press(b"\x03")
    terminal.prompted()
    terminal.press(b"\x04")
    assert terminal.end() == 0


# --- who plays


@pytest.mark.parametrize(
    ("arguments", "heading", "top"),
    [
        ("", "english: White level 3, Black ann; ", "32"),
        ("international", "international: White ann, Black level 3; ", "1"),
        ("--white human --level 9", "english: White ann, Black level 9; ", "1"),
        ("--white human --black human", "english: White human, Black human; ", "1"),
        ("'{base: english, men: 8}'", "{base: english, men: 8}: White level 3, Black ann; ", "32"),
        ("checkers-ai --no-draws", "{base: checkers-ai, repetition: 0, no_progress: 0}: White checkers-ai,", "32"),
    ],
)
def test_a_person_has_the_side_that_moves_first_and_its_board_below(arguments, heading, top):
    name = () if arguments.count("human") == 2 else ("--name", "ann")
    lines = output(*shlex.split(arguments), *name).splitlines()
    assert lines[0].startswith(heading) and lines[1].split()[0].rstrip("wb.") == top


@pytest.mark.parametrize(("arguments", "builds"), [([], 0), (["--clock", "5+3"], 1), (["--white", "greedy"], 1)])
def test_the_page_waits_only_for_players_that_may_not_build_or_move_first(arguments, builds, monkeypatch):
    served, built = Mock(), Mock()
    monkeypatch.setattr("arena.web.serving.run_server", served)
    monkeypatch.setattr("arena.web.serving._has_screen", lambda: False)
    monkeypatch.setattr("arena.board.game.BoardGame.prepare", built)
    assert played("--browser", *arguments).exit_code == 0
    assert served.call_count == 1 and built.call_count == builds


def test_the_page_is_at_the_port_that_is_named_and_offers_the_players_that_are_named(monkeypatch):
    served = Mock()
    monkeypatch.setattr("arena.web.serving.run_server", served)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "--port" in played("--browser", "--no-open", "--port", port).output
    shown = played("--browser", "--no-open", "--port", port, "--player", "simple@d9")
    assert shown.output.startswith(f"http://127.0.0.1:{port}/#/game/")
    offered = served.call_args[0][0].offer.document()["players"]
    assert [row["name"] for row in offered if row["group"] == "yours"] == ["simple d9"]


# --- what can be typed


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("11", "'11' can be 11-15 or 11-16"),
        ("12", "1. Black 12-16"),
        ("undoo", "'undoo' is no move and no command that `help` lists; did you mean 'undo'?"),
        ("undo", "there is no move to take back"),
        ("fen", Game("english").fen),
        ("save", "save takes FILE behind it"),
        ("save /nowhere/at/all.pdn", "/nowhere/at/all.pdn: No such file or directory"),
        ("white level 13", "'13' is not a level: 1 to 12, as in `level 3`"),
        ("white level 7", "White: level 7, Black: ann"),
        ("black level 2", "White: level 3, Black: level 2"),
        ("white {a", "white:1:3: YAML syntax"),
        ("white", "white takes PLAYER behind it"),
        ("swap", "White: ann, Black: level 3"),
        ("resign", "White wins: resignation"),
    ],
)
def test_a_line_is_answered(line, answer):
    shown = output("--name", "ann", lines=line + "\n")
    assert answer in shown, shown


def test_compulsory_captures_are_named():
    shown = output("--fen", "B:W18,32:B15,11", *PEOPLE, lines="11-16\n15\n")
    assert "'11-16' is not a legal move; you must capture: 15x22" in shown
    assert "1. Black 15x22, captured 18" in shown and "(18.)" in shown and "[22b]" in shown


def test_a_player_tells_what_it_saw():
    shown = output("--level", 4, lines="11-15\n")
    assert re.search(
        r"1\. White \S+\n    score \+\d\.\d\d men, depth 4, deepest ply \d+, \d+ nodes, "
        r"\d+ cutoffs \(\d+ max, \d+ min\), \d\.\d+ s\n",
        shown,
    )
    assert re.search(r"\n    line: \S+ \S+ \S+ \S+\n", shown)


@pytest.mark.full
@pytest.mark.parametrize(
    ("rules", "columns"), [("cis300", 8), ("game3", 8), ("{base: casual-10x10, no_capture: 30}", 10)]
)
def test_the_boards_of_three_published_programs_have_rows_and_columns_at_their_edges(rules, columns):
    numbers = list(map(str, range(columns)))
    lines = output(rules, *PEOPLE).splitlines()
    assert lines[1].split() == numbers
    assert [line.split()[0] for line in lines[2 : 2 + columns]] == numbers
    turned = output(rules, *PEOPLE, lines="flip\n").splitlines()
    assert [line.split() for line in turned].count(numbers[::-1]) == 1


@pytest.mark.full
def test_points_stand_below_the_board():
    shown = output("simplified", *PEOPLE, "--fen", "W:W6,3:B26", lines=["6-2", "26-31"])
    assert re.findall(r"^points: .*$", shown, re.MULTILINE) == [
        *("points: White 3, Black 1", "points: White 4, Black 1", "points: White 4, Black 2")
    ]


def test_the_legal_moves_are_listed_where_the_published_program_did_and_a_number_selects_one():
    shown = output("checkers-ai", *PEOPLE, lines=["3", "22-18", "11", "1"])
    assert "1) 9-13, 2) 10-14, 3) 11-15, " in shown and "1. Black 11-15\n" in shown
    assert "11 is not in the list of moves, 1 to 1" in shown and "2. Black 15x22" in shown
    ended = output("checkers-ai", *PEOPLE, "--fen", "W:W18:B14", lines=["1", "1"])
    assert "'1' is not a legal move; the game is over" in ended


def test_sides_change_in_the_next_game_and_not_after_the_end():
    lines = ["11-15", "resign", "white level 2", "new", "fen", "white level 2", "swap", "fen"]
    shown = output("--level", 1, "--name", "ann", lines=lines)
    assert Game("english").fen in shown.splitlines()
    assert "the game is over; `new` begins another, whose players can be changed" in shown
    assert "White: level 2, Black: ann" in shown and "White: ann, Black: level 2" in shown
    assert shown.count("White wins: resignation") == 1
    assert "1. Black" in shown.partition("White: ann")[2]


def test_a_player_that_cannot_be_built_is_one_line_and_the_game_stays(own):
    shown = output("--white", f"{own}:ReadyOnce", lines=["11-15", "new", f"white {own}:ReadyOnce"])
    assert shown.count("a player raised RuntimeError: worn out\n") == 2
    assert "to resume it:" in shown


def test_ctrl_c_while_a_new_game_is_prepared_is_as_at_the_prompt(monkeypatch):
    monkeypatch.setattr(BoardGame, "prepare", Mock(side_effect=KeyboardInterrupt))
    shown = output("--level", 1, lines=["11-15", "new", "fen"])
    assert "Ctrl-C once more, or `quit`, leaves the game" in shown
    assert "to resume it:" in shown.splitlines()[-2]


@pytest.mark.full(only=["arguments2-lines2-words2", "arguments3-lines3-words3"])
@pytest.mark.parametrize(
    ("arguments", "lines", "words"),
    [
        ([], ["white level 1"], ["english", "--white", "level 1", "--black", "human"]),
        (["--level", 2], ["swap"], ["english", "--white", "human", "--black", "level 2"]),
        (["{base: english, men: 12}"], [], ["{base: english, men: 12}", "--white", "level 3", "--black", "human"]),
        (
            ["frisian", "--no-draws", "--clock", "2.5+1", "--seed", 7, "--fen", "W:W40,K47:B1,K5"],
            ["47-41"],
            ["frisian", "--no-draws", "--white", "human", "--black", "level 3", "--clock", "2.5+1", "--seed", "7"],
        ),
    ],
)
def test_the_command_that_resumes_a_game_has_its_sides_rules_and_position(arguments, lines, words):
    moves = output(*arguments, lines="moves\n")
    first = listed_moves(moves[moves.index("legal moves") :])[0]
    shown = output("--name", "ann", *arguments, lines=[first, *lines, "quit"])
    resumed = shlex.split(shown.partition("to resume it:\n")[2].splitlines()[0])
    assert resumed[:-1] == ["arena", "play", *words, "--fen"] and "Traceback" not in output(*resumed[2:])


def test_a_game_is_saved_behind_others_and_any_of_them_goes_on(tmp_path):
    file = tmp_path / "my games.pdn"
    output(*PEOPLE, lines=[f"save {file}", "11-15", f"save {file}"])
    assert len(read_pdn(file).games) == 2
    assert "White to move" in output("--from", file, *PEOPLE)
    first = played("--from", file, "--game", 1, *PEOPLE)
    assert "Black to move" in first.stdout and f"game 1 of 2 of {file}\n" in first.stderr


@pytest.mark.full
def test_a_clock_is_shown_and_runs_out(monkeypatch):
    monkeypatch.setattr(sides, "ADVICE_SECONDS", 0.2)
    assert clock_text(298.9) == "4:58" and clock_text(9.54) == "9.5"
    assert "White wins: out of time" in output(*PEOPLE, "--clock", "0.001", lines="hint\n9-13\n")


def test_a_line_after_the_end_of_the_time_is_obeyed_unless_it_is_a_move(monkeypatch):
    lines = iter(["9-13", "fen", "quit"])

    def late(_prompt: str, _seconds: float | None) -> str:
        time.sleep(0.07)
        return next(lines)

    monkeypatch.setattr("arena.commands.terminal_game.line_of", late)
    shown = output(*PEOPLE, "--clock", "0.001")
    assert "out of time" in shown and "1. Black" not in shown and next(lines, None) is None
    assert shown.index("out of time") < shown.index(Game("english").fen)
    lines = iter(["quit", "fen"])
    assert "out of time" in output(*PEOPLE, "--clock", "0.001") and next(lines) == "fen"
