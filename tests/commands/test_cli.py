"""The command line: what it prints, and what broken input gets."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import Result

from arena.base.writing import cell_text, write_csv
from arena.commands.cli import COMMANDS, main
from arena.commands.output import show_table, wrapped
from tests.helpers.at_terminal import Terminal
from tests.helpers.command_line import error_line, invoke
from tests.helpers.configs import BROKEN, GOOD

pytestmark = pytest.mark.usefixtures("no_pictures")
ROOT = Path(__file__).parents[2]
BAD_CONFIGURATIONS = [
    GOOD + '  - {name: b, type: "broken.py:Crashes", level: x}',
    GOOD + '  - {name: b, type: "nowhere.py:Player"}',
    GOOD.replace("english", "englsh"),
    "name: t\nvariant: [english\n",
]
"""More than the README shows, whose table `test_readme` tries."""


def assert_one_clear_line(result: Result, text: str = "") -> None:
    """Assert that a command ended with one line, which has a text."""
    assert result.exit_code == 2, result.output
    assert text in error_line(result.stderr)
    assert "Traceback" not in result.output


@pytest.mark.parametrize("text", BAD_CONFIGURATIONS)
def test_a_broken_configuration_gets_one_line_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    config = tmp_path / "bad.yaml"
    config.write_text(text)
    result = invoke("run", config, "--out", tmp_path / "out")
    assert_one_clear_line(result)
    assert error_line(result.stderr).startswith(f"{config}:")
    assert not (tmp_path / "out").exists()


def test_a_folders_name_is_of_letters_from_a_to_z(tmp_path: Path) -> None:
    config = tmp_path / "t.yaml"
    config.write_text(GOOD.replace("name: t", "name: mäx", 1) + "  - {name: b, type: random}\n", encoding="utf-8")
    result = invoke("doctor", config)
    assert "t.yaml:1:" in result.output and "mäx" in result.output and "a to z" in result.output


def test_a_missing_configuration_is_named() -> None:
    assert_one_clear_line(invoke("run", "nowhere.yaml"), "nowhere.yaml:1:1: cannot read the file")


def test_an_output_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    config = tmp_path / "good.yaml"
    config.write_text(GOOD + "  - {name: b, type: random}\n")
    (tmp_path / "file").touch()
    result = invoke("run", config, "--out", tmp_path / "file" / "out")
    assert_one_clear_line(result, "file/out cannot be written to: Not a directory")


def test_another_experiment_is_not_mixed_into_a_folder(tmp_path: Path) -> None:
    config = tmp_path / "good.yaml"
    config.write_text(GOOD + "  - {name: b, type: random}\n")
    assert invoke("run", config, "--out", tmp_path / "out", "--workers", 1).exit_code == 0
    config.write_text("seed: 5\n" + config.read_text())
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", 1)
    assert_one_clear_line(result, "holds another experiment (changed: seed)")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "perft", "englisch"],
        ["bench", "perft", "english", "--fen", "W:W1:B2"],
        ["bench", "perft", "english", "--fen", "W:W33:B2"],
        ["report", "nowhere"],
        ["statsu", "nowhere"],
        ["--versoin"],
        ["list", "nothing"],
        ["status", "nowhere", "--follow", "--json"],
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str]) -> None:
    assert_one_clear_line(invoke(*arguments))


def test_a_player_that_raises_loses_its_games_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    config = tmp_path / "crash.yaml"
    config.write_text(GOOD + '  - {name: b, type: "broken.py:Crashes"}\n')
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", 1)
    assert result.exit_code == 3
    assert "b raised ZeroDivisionError: division by zero at ply 1" in result.stderr
    with (tmp_path / "out" / "games.csv").open(newline="") as file:
        ends = [row["termination"] for row in csv.DictReader(file)]
    assert ends == ["error", "error", "error", "disqualified"]


CLASS = """\
name: class
variant: english
openings: {random_plies: 4, count: 2}
max_plies: 20
players:
  - {name: a, type: random}
  - {name: b, type: greedy}
  - {name: sign, type: greedy, evaluation: "own.py:wrong_sign"}
"""
WRONG_SIGN = """\
from arena import evaluator, features

@evaluator
def wrong_sign(position, rules):
    own, other = position.turn, 1 - position.turn
    return features.pieces(position, rules, other) - features.pieces(position, rules, own)
"""


@pytest.mark.full
def test_a_mistake_found_in_an_evaluation_is_in_manifest_report_and_exit_code(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(WRONG_SIGN)
    config = tmp_path / "class.yaml"
    config.write_text(CLASS)
    out = tmp_path / "out"
    for _ in range(2):
        result = invoke("run", config, "--out", out, "--workers", 1)
        assert result.exit_code == 3
        first = result.stdout.splitlines()[0]
        assert first.startswith("Found before the first game: sign: its evaluation falls in ")
        assert first.endswith("when the opponent lacks a man: is the sign right?")
        assert first in (out / "summary.md").read_text() and first in (out / "report.html").read_text()
    found = json.loads((out / "manifest.json").read_text())["found"]
    assert [(one["player"], one["level"]) for one in found] == [("sign", "error")]


@pytest.mark.full
def test_a_run_without_faulty_players_says_who_they_are_and_decides_the_same_when_resumed(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(WRONG_SIGN)
    (tmp_path / "none.py").write_text("class Player\n")
    config = tmp_path / "class.yaml"
    text = CLASS + '  - {name: none, type: "none.py:Player"}\n  - {name: c, type: random}\n'
    config.write_text(text)
    arguments = ("run", config, "--out", tmp_path / "out", "--workers", 1)
    assert invoke(*arguments).exit_code == 2
    config.write_text(text + "failures: {faulty: leave-out}\n")
    result = invoke(*arguments)
    assert result.exit_code == 3, result.output
    assert "\nsign is left out: its evaluation falls in " in result.stderr
    assert "(none.py, line 1)" not in result.stderr
    assert "\nnone is left out: none.py cannot be loaded: line 1: SyntaxError" in result.stderr.replace(
        f"{tmp_path}/", ""
    )
    assert "\nleft out: 2 of 5 players\n" in result.stderr
    assert result.stdout.startswith("none was left out as faulty: ") and "SyntaxError" in result.stdout
    assert "\nsign was left out as faulty: its evaluation falls in " in result.stdout
    standings = (tmp_path / "out" / "standings.csv").read_text()
    assert sorted(row["player"] for row in csv.DictReader(standings.splitlines())) == ["a", "b", "c"]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["left_out"].keys() == {"sign", "none"}
    (tmp_path / "own.py").write_text(WRONG_SIGN.replace("other) -", "own) -").replace("own)\n", "other)\n"))
    assert invoke(*arguments).exit_code == 3
    assert (tmp_path / "out" / "standings.csv").read_text() == standings
    (tmp_path / "none.py").unlink()
    assert invoke(*arguments).exit_code == 3
    config.write_text(text + "failures: {faulty: forfeit}\n")
    assert_one_clear_line(invoke(*arguments), "holds another experiment (changed: failures)")


def test_games_of_faulty_players_that_forfeit_are_void_once_they_failed_in_the_first_and_the_run_says_why(
    tmp_path: Path,
) -> None:
    (tmp_path / "none.py").write_text("class Player\n")
    config = tmp_path / "class.yaml"
    text = CLASS.replace("evaluation: ", "depth: 1, evaluation: ")[: CLASS.index("  - {name: sign")]
    config.write_text(text + '  - {name: none, type: "none.py:Player"}\nfailures: {faulty: forfeit}\n')
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", 1)
    assert result.exit_code == 3, result.output
    assert "SyntaxError" in result.stderr
    games = list(csv.DictReader((tmp_path / "out" / "games.csv").read_text().splitlines()))
    own = [game for game in games if "none" in (game["white"], game["black"])]
    assert own and {game["result"] for game in own} == {"*"}
    assert {game["termination"] for game in own} <= {"error", "disqualified"}
    assert "SyntaxError" in own[0]["error"]
    assert invoke("run", config, "--out", tmp_path / "out", "--workers", 1).exit_code == 3


def test_leaving_out_all_players_but_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(WRONG_SIGN)
    config = tmp_path / "class.yaml"
    config.write_text(CLASS.replace("  - {name: b, type: greedy}\n", "") + "failures: {faulty: leave-out}\n")
    result = invoke("run", config, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(f"{config}:5:1: one player alone has no games")


def test_all_players_that_cannot_be_built_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    config = tmp_path / "broken.yaml"
    config.write_text(
        GOOD + '  - {name: b, type: "broken.py:Raises"}\n  - {name: c, type: "nowhere.py:Player"}\n'
        "  - {name: d, type: negamx, depth: 1}\n"
    )
    result = invoke("run", config, "--out", tmp_path / "out")
    lines = [line for line in result.stderr.splitlines() if line.startswith(f"{config}:")]
    assert result.exit_code == 2 and [line.split(":")[1] for line in lines] == ["6", "7", "8"]


def test_perft_prints_json() -> None:
    document = json.loads(invoke("bench", "perft", "english", "--depth", "5", "--json").stdout)
    assert document["variant"] == "english"
    assert document["fen"].startswith("B:W21,22")
    assert document["nodes"] == [7, 49, 302, 1469, 7361]
    assert document["seconds"] >= 0


SMALL = "{base: english, rows: 6}"


@pytest.mark.full
def test_commands_about_positions_take_rules_as_a_configuration_has_them() -> None:
    document = json.loads(invoke("bench", "perft", SMALL, "--depth", "4", "--json").stdout)
    assert (document["variant"], document["nodes"]) == ("english-6x6", [5, 25, 106, 369])
    start = "B:W13,14,15,16,17,18:B1,2,3,4,5,6"
    assert len(invoke("openings", SMALL, "--random-plies", "2", "--count", "3").stdout.splitlines()) == 3
    assert json.loads(invoke("show", SMALL, "--json").stdout)["fen"] == start
    assert invoke("show", start, "--variant", SMALL).stdout.endswith(f"{start}\n")
    assert json.loads(invoke("list", "variants", SMALL, "--json").stdout)["board"] == "6x6"


SHOWING_RULES = (("bench", "perft"), ("openings",), ("list", "variants"), ("show",))


@pytest.mark.parametrize(
    "arguments",
    [
        *((*words, "{base: english, rows: 12}") for words in SHOWING_RULES),
        ("bench", "perft", "{base: english"),
        ("bench", "perft", "[1]"),
        ("openings", "englsh"),
        ("openings", "english-6x6", "--set", "english-3-move"),
        ("check", "simple", "english-7x7"),
        ("show", "english-6x6", "--evaluation", "neural"),
        ("show", "B:W13:B1", "--variant", "{base: nothing}"),
        ("bench", "rates", "--variant", "english-5x5"),
        ("hub", "--variant", "english-6x6"),
    ],
)
def test_rules_that_cannot_be_get_one_line(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2 and not result.stdout
    error_line(result.stderr)


def test_divide_adds_up_to_perft() -> None:
    document = json.loads(invoke("bench", "perft", "international", "--depth", "4", "--divide", "--json").stdout)
    assert sum(document["divide"].values()) == 4265
    assert len(document["divide"]) == 9


@pytest.mark.full
def test_a_plan_keeps_nothing_and_says_what_the_run_can_resolve(tmp_path: Path) -> None:
    config = tmp_path / "good.yaml"
    config.write_text(GOOD + "  - {name: b, type: random}\n")
    before = set(tmp_path.iterdir())
    result = invoke("plan", config, "--pilot", "4", "--workers", "2")
    assert result.exit_code == 0
    assert "4 games, 4 of any two players" in result.stdout
    assert re.search(r" % of games on 2 workers\n  .* ± .* s a game, by a pilot of 4 games, ", result.stdout)
    assert "one pairing's games can detect a difference of " in result.stdout
    document = json.loads(invoke("plan", config, "--pilot", "3", "--workers", "1", "--json").stdout)
    assert (document["games"], document["pilot_games"], document["format"]) == (4, 3, "round-robin")
    assert document["pairing_elo"] > 0 and document["seconds"] > 0
    assert set(tmp_path.iterdir()) == before


def test_one_player_alone_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    config = tmp_path / "good.yaml"
    config.write_text(GOOD)
    message = f"{config}:4:1: one player alone has no games: list two or more"
    for command in ("plan", "run"):
        result = invoke(command, config)
        assert result.exit_code == 2 and result.stderr.startswith(message)
    result = invoke("doctor", config)
    assert result.exit_code == 1 and f"players: {message}" in result.stdout
    config.write_text(GOOD.replace("type: random", "type: greedy") + "probe: {depth: 2}\n")
    assert invoke("plan", config).stderr == f"{config}: one player alone has no games to plan\n"


def test_the_schema_and_the_lists_are_printed() -> None:
    schema = json.loads(invoke("list", "schema").stdout)
    assert "learn" in schema["then"]["properties"]
    assert "players" in schema["else"]["properties"]
    assert "negamax" in invoke("list", "players").stdout
    assert "international" in invoke("list", "variants").stdout


def test_help_lists_every_command_once_in_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click.formatting, "FORCED_WIDTH", 80)
    shown = invoke("--help").stdout
    assert "..." not in shown.partition("Play:")[2] and max(map(len, shown.splitlines())) <= 80
    titles = re.findall(r"^(\w+):$", shown, re.MULTILINE)
    assert titles == ["Options", "Play", "Tournaments", "Look", "Positions", "Develop"]
    listed = re.findall(r"^  (\w+)  +\w", shown.partition("Play:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert len(command.get_help(click.Context(command, info_name=name, terminal_width=100)).splitlines()) <= 24


def test_the_schema_is_installed_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("init").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.yaml", "my_heuristic.py"]
    assert "# yaml-language-server: $schema=arena.schema.json" in invoke("list", "schema", "--install").stdout
    assert (tmp_path / "arena.schema.json").read_text() == invoke("list", "schema").stdout


def test_help_imports_nothing_heavy() -> None:
    heavy = "('numba', 'pandas', 'numpy')"
    code = f"import sys, arena.commands.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_table_is_aligned_in_a_pipe_and_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("english", "8"), ("international", "[10]"), ("−3 tied", "")]
    show_table(("variant", "rows"), rows)
    lines = ["variant        rows", "english        8", "international  [10]", "−3 tied"]
    assert capsys.readouterr().out.splitlines() == lines
    show_table(("player", "Elo"), [("a", "+9 ± 5"), ("b", "−10 ± 5")])
    assert capsys.readouterr().out.splitlines() == ["player      Elo", "a        +9 ± 5", "b       −10 ± 5"]
    monkeypatch.setenv("COLUMNS", "40")
    show_table(("variant", "rows"), rows)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == lines


NARROW = 50
"""Columns of a narrow terminal."""
_PARTED = re.compile(r"\d\n *(?:%|Elo|[kMG]?B|ms|min|s|h|plies|nodes|games|cutoffs|positions)\b")


def assert_narrow(text: str) -> None:
    """No line of several words is wider than NARROW, and no number is parted from its unit."""
    lines = text.splitlines()
    assert len(lines) > 1
    assert [line for line in lines if len(line) > NARROW and " " in line.strip()] == []
    assert not _PARTED.search(text)


def test_lines_wrap_between_words_and_numbers_stay_beside_their_units() -> None:
    text = "  after 1,234 ms and 12 plies the line 11-15 22x18 was left"
    assert wrapped(text, 14).splitlines() == [
        "  after", "    1,234 ms", "    and", "    12 plies", "    the line",
        "    11-15", "    22x18 was", "    left"
    ]  # fmt: skip
    fen = "W:W" + ",".join(map(str, range(21, 33)))
    assert wrapped(f"{fen} here", 14) == f"{fen}\n  here"


def test_a_table_that_is_too_wide_goes_on_in_further_blocks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    show_table(("name", "won", "games", "rate"), [("a", "1", "2", "50 %"), ("with a name", "3", "4", "75 %")])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["name", "won"], ["a", "1"], ["with", "a", "name", "3"],
        ["name", "games"], ["a", "2"], ["with", "a", "name", "4"],
        ["name", "rate"], ["a", "50", "%"], ["with", "a", "name", "75", "%"],
    ]  # fmt: skip


def test_a_table_in_a_very_narrow_terminal_loses_no_letter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    show_table(("set", "openings"), [("international-2-ply", "79 of 81")])
    shown = capsys.readouterr().out
    assert sorted("".join(shown.split())) == sorted("setopeningsinternational-2-ply79of81")


@pytest.mark.full
@pytest.mark.compiled
def test_what_is_printed_fits_a_narrow_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    config = tmp_path / "narrow.yaml"
    config.write_text(GOOD + "  - {name: a player with a long name, type: negamax, depth: 2}\n")
    out = tmp_path / "out"
    standings = invoke("run", config, "--out", out, "--workers", 1).stdout
    assert_narrow(standings.replace(str(out), "out"))
    for command in (
        ["list", "players"],
        ["list", "variants"],
        ["list", "variants", "simplified"],
        ["status", out],
        ["rate", out],
        ["show", out],
        ["analyse", "english", "--depth", 2, "--lines", 2],
        ["plan", config, "--pilot", 1, "--workers", 1],
    ):
        result = invoke(*command)
        assert result.exit_code == 0, result.output
        assert_narrow(result.stdout)
    failed = invoke("bench", "perft", "englisch")
    assert failed.exit_code == 2
    assert_narrow(failed.stderr)


@pytest.mark.full
@pytest.mark.compiled
def test_a_game_fits_a_real_terminal_of_50_columns() -> None:
    terminal = Terminal("play", "--level", 3, "--seed", 1, columns=NARROW)
    terminal.prompted()
    for line in ("help", "hint", "moves", "11-15", "eval"):
        terminal.type(line)
    terminal.press(b"quit\n")
    terminal.end()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.output).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1] for line in shown.splitlines()]
    assert_narrow("\n".join(line for line in lines if not line.startswith("arena play ")))  # to copy, so whole


def test_init_writes_nothing_where_a_file_of_its_is(tmp_path: Path) -> None:
    (tmp_path / "my_heuristic.py").write_text("mine")
    result = invoke("init", tmp_path)
    assert_one_clear_line(result, "my_heuristic.py exists already and is not overwritten; nothing was written")
    assert [path.name for path in tmp_path.iterdir()] == ["my_heuristic.py"]
    assert (tmp_path / "my_heuristic.py").read_text() == "mine"
    assert_one_clear_line(
        invoke("init", tmp_path / "my_heuristic.py" / "sub"), "cannot be written to: Not a directory"
    )


def test_a_file_of_another_command_names_the_right_one() -> None:
    file = ROOT / "configs" / "tuning.yaml"
    assert_one_clear_line(invoke("run", file), f"not a tournament: arena learn {file}")
    assert_one_clear_line(invoke("learn", ROOT / "configs" / "quickstart.yaml"), ": arena run ")


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "games"), [("tuning", 3 * 1500 + 2 * 400), ("train", 3000 + 200)])
def test_the_doctor_and_a_plan_take_a_learning_run(name: str, games: int) -> None:
    file = ROOT / "configs" / f"{name}.yaml"
    assert invoke("doctor", file).stdout == "\nno problems\n"
    planned = invoke("plan", file, "--pilot", 2, "--workers", 1)
    assert f"\n  {games} games: " in planned.stdout, planned.output
    assert " of games on 1 worker\n" in planned.stdout


@pytest.mark.full
@pytest.mark.compiled
def test_the_doctor_finds_what_is_wrong_with_the_players_of_a_learning_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from arena import evaluator\n\n@evaluator\ndef turned(position, rules):\n"
        "    return 1.0 * (position.white - position.white) / (position.kings - position.kings)\n"
    )
    text = (ROOT / "configs" / "tuning.yaml").read_text()
    (tmp_path / "tuning.yaml").write_text(text.replace("against: simple", 'against: "own.py:turned"'))
    result = invoke("doctor", tmp_path / "tuning.yaml")
    assert result.exit_code == 1
    assert "against: its evaluation is " in result.stdout


def test_what_a_font_lacks_is_no_line_of_a_command(caplog: pytest.LogCaptureFixture) -> None:
    from matplotlib.font_manager import FontProperties, fontManager

    invoke("list", "variants")
    fontManager.findfont(FontProperties(family="No Such Font", weight=650))
    assert caplog.messages == []


def test_ctrl_c_ends_any_command_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.commands.catalogue.catalogue", interrupted)
    result = invoke("list", "players")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "stopped\n")


WITH_MINUS = [sys.executable, "-m", "arena", "rate", "games.csv"]


@pytest.fixture
def some_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a file whose ratings have a minus, and a name that few encodings have."""
    (tmp_path / "games.csv").write_text("white,black,result\nA,Ж♛,1-0\nЖ♛,A,1/2-1/2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", ["−", "±", "Ж♛"]),
        ("latin-1", ["-", "±", r"\u0416\u265b"]),
        ("cp1252", ["-", "±", r"\u0416\u265b"]),
        ("koi8-r", ["-", "+/-", r"Ж\u265b"]),
    ],
)
def test_a_stream_gets_what_its_encoding_has(some_games: Path, encoding: str, expected: list[str]) -> None:
    for options in [], ["--json"]:
        environment = os.environ | {"PYTHONIOENCODING": encoding}
        done = subprocess.run([*WITH_MINUS, *options], capture_output=True, env=environment)
        assert done.returncode == 0, done.stderr
        output = done.stdout.decode(encoding)
        if options:
            assert "Ж♛" in json.dumps(json.loads(output), ensure_ascii=False)
        else:
            assert [text for text in expected if text not in output] == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_end_nothing_and_no_file_takes_their_place(some_games: Path, closed: str) -> None:
    command = [sys.executable, "-m", "arena", "match", "random", "greedy", "--openings", "1", "--out", "out"]
    done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *command], capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert (some_games / "out" / "report.html").exists()
    assert ("report:" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_folder_whose_name_is_not_text_takes_a_run_and_all_that_is_made_of_it(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"m\xe4x")
    assert invoke("match", "random", "greedy", "--openings", "1", "--out", folder / "run").exit_code == 0
    rates = ["rate", folder / "run" / "games.csv"]
    for command in (
        ["report", folder / "run"],
        ["status", folder / "run"],
        rates,
        ["run", folder / "run" / "match.yaml"],
    ):
        assert invoke(*command).exit_code == 0
    assert invoke("report", tmp_path).exit_code == 0
    assert 'href="m%E4x/run/report.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")


FORMULAS = ["=1+1", "+1+2", "-2+3", "@SUM(1)", " =1+1", "\t=1", "'=1", "＝1+1"]


def test_no_cell_of_a_csv_file_is_a_formula_and_names_are_read_back(tmp_path: Path) -> None:
    plain = ["-5", "+1.5e-3", "a=1", "'quoted'", "-"]
    table = pd.DataFrame({"player": [*FORMULAS, *plain], "=header()": 1.5})
    write_csv(table, tmp_path / "table.csv")
    header, *rows = csv.reader((tmp_path / "table.csv").open(encoding="utf-8"))
    assert header == ["player", "'=header()"]
    assert [cell for cell, _ in rows] == [*(f"'{name}" for name in FORMULAS), *plain]
    assert [cell_text(cell) for cell, _ in rows] == table["player"].to_list()


def test_names_that_are_formulas_are_none_in_any_file_of_a_report(tmp_path: Path) -> None:
    players = "".join(f"  - {{name: {json.dumps(name)}, type: random}}\n" for name in FORMULAS[:4])
    (tmp_path / "t.yaml").write_text(f"name: t\nvariant: english\nopenings: {{count: 1}}\nplayers:\n{players}")
    out = tmp_path / "out"
    assert invoke("run", tmp_path / "t.yaml", "--out", out).exit_code == 0
    files = sorted(out.glob("*.csv"))
    assert {"crosstable.csv", "games.csv", "moves.csv", "standings.csv"} <= {file.name for file in files}
    for file in files:
        for row in csv.reader(file.open(encoding="utf-8")):
            assert not [cell for cell in row if cell.startswith(("=", "@", "+1+2", "-2+3"))], file.name
    of_run, of_file = (json.loads(invoke("rate", path, "--json").stdout) for path in (out, out / "games.csv"))
    names = [{row["player"] for row in document["players"]} for document in (of_run, of_file)]
    assert names == [set(FORMULAS[:4])] * 2


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("analyse english --seconds inf", "--seconds"),
        ("analyse english --nodes 9223372036854775808", "--nodes"),
        ("solve english-shots --count 1 --player simple --seconds nan", "--seconds"),
        ("solve english-shots --count 1 --player simple --nodes 9223372036854775808", "--nodes"),
        ("match simple@n9223372036854775808 random", "nodes"),
        (f"match simple@{'9' * 400}s random", "seconds"),
        ("match random greedy --until inf", "--until"),
        ("match random greedy --sprt 0 nan", "--sprt"),
        ("place random --error inf", "--error"),
    ],
)
def test_a_limit_without_an_end_or_above_what_kernels_count_is_refused(command: str, key: str) -> None:
    assert_one_clear_line(invoke(*command.split()), key)


LIMITED = """\
import resource
resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20,) * 2)
from arena.commands.cli import main
main(["match", "random", "greedy", "--openings", "1", "--out", "out"])
"""
FAILURES = {
    **{
        f"{megabytes} MB": (LIMITED.format(megabytes=megabytes), "ulimit -v") for megabytes in (300, 380, 450, 590)
    },
    "ulimit -u": ("raise BlockingIOError(11, 'Resource temporarily unavailable')", "ulimit -u"),
    "threads": ("""raise RuntimeError("can't start new thread")""", "ulimit -u"),
    "memory": ("raise MemoryError", "not enough memory"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("failure", FAILURES)
def test_what_the_system_refuses_is_named_in_one_line(failure: str, tmp_path: Path) -> None:
    code, text = FAILURES[failure]
    if not failure.endswith("MB"):
        code = (
            "import arena.commands.catalogue as catalogue\nfrom arena.commands.cli import main\n"
            f"def fails(**_):\n    {code}\n"
            "catalogue.variants.callback = fails\nmain(['list', 'variants'])"
        )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60
    )
    assert done.returncode == 2 and text in error_line(done.stderr)
