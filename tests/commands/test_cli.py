"""The command line: what it prints, and what broken input gets."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import arena
from arena.base.files import cell_text, write_csv
from arena.commands.catalogue import variant_row
from arena.commands.cli import COMMANDS
from arena.commands.init import TEMPLATE_FILES
from arena.commands.output import show_table, wrapped
from arena.experiment.load import load_all
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS
from tests.helpers.command_line import error_line, invoke, refused
from tests.helpers.configs import BROKEN, GOOD
from tests.helpers.runs import fill

pytestmark = pytest.mark.usefixtures("no_pictures")
ROOT = Path(__file__).parents[2]


# --- what is wrong with a line


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("statsu x", "'status'"),
        ("--versoin", "--versoin"),
        ("list rules", "variants"),
        ("bench prft", "'prft'"),
        ("run", "CONFIG"),
        ("run nowhere.yaml", "nowhere.yaml: "),
        ("run --workers 0 good.yaml", "--workers"),
        ("run good.yaml --workers", "run --help"),
        ("run --out file/out good.yaml", "file/out"),
        ("report --games some folder", "--games"),
        ("run alone.yaml", "alone.yaml"),
        ("init file/sub", "file/sub"),
        ("init taken", "taken/my_heuristic.py"),
        ("status nowhere --follow --json", "--follow"),
        ("status folder", "folder"),
        ("grade folder", "folder"),
        ("hub --variant english-6x6", "--variant"),
        ("check simpel", "'simpel'"),
        ("bench {base:english", "VARIANT:1:"),
        ("show english-6x6 --evaluation neural", "neural"),
        ("show english --best 2 --player simple@n9223372036854775808", "--player"),
        ("match simple@n9223372036854775808 random", "nodes"),
        ("match random greedy --until inf", "--until"),
        ("match random greedy --sprt 0 nan", "--sprt"),
        ("rate folder", "folder"),
        ("rate file nowhere", "file"),
        ("match simple@d6", "two players"),
        ("match greedy 'm\ny.py:Last'", "y.py"),
        ("match greedy '{type: negamax'", "YAML"),
        ("match human greedy", "human"),
        ("match greedy random --openings 2-ply", "2-ply"),
        ("match greedy random 'level 4' --sprt 0 5", "--sprt"),
        ("play englsh", "'english'"),
        ("play --white nobody", "--white"),
        ("play --level 3 --white greedy", "--level"),
        ("play --fen W:W99:B1", "99"),
        ("play --fen W:W9:B1 --from x", "--from"),
        ("play --game 3", "--game"),
        ("play --from nowhere.pdn", "nowhere.pdn"),
        ("play --name ''", "--name"),
        ("play --clock 0", "--clock"),
        ("play --white greedy --black greedy --name ann", "--name"),
        ("play --browser --player human", "--player"),
        ("play --no-open", "--no-open"),
        ("show nowhere.pdn", "nowhere.pdn"),
        ("show english --ply 3", "--ply"),
        ("show games.pdn --ply 13", "2 plies"),
        ("show games.pdn --game 9", "no game 9"),
        ("show english --out board.png", "board.png"),
        ("show english --variant russian", "--variant"),
        ("show english --player simple@d3", "--player"),
        ("run good.yaml --watch --no-report", "--no-report"),
        ("run good.yaml --png", "--png"),
        ("check good.yaml russian", "russian"),
        ("check simple --json", "--json"),
        ("list players greedy", "'greedy'"),
        ("init . --class --recipe texel", "--class"),
        ("init . --recipe texl", "'texel'"),
        ("rate /dev/zero", "/dev/zero"),
        ("rate games.pdn --anchor dan", "'ann'"),
    ],
)
def test_what_is_wrong_gets_one_line_that_names_it(line, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "my_heuristic.py").write_text("mine")
    (tmp_path / "good.yaml").write_text(GOOD + "  - {name: b, type: random}\n")
    (tmp_path / "alone.yaml").write_text(GOOD)
    (tmp_path / "games.pdn").write_text('[White "ann"]\n[Black "bob"]\n[GameType "21"]\n1. 11-15 23-19 1-0\n')
    before = set(tmp_path.rglob("*"))
    result = invoke(*shlex.split(line))
    assert result.exit_code == 2 and place in error_line(result.stderr)
    assert not result.stdout and set(tmp_path.rglob("*")) == before


def test_a_broken_configuration_gets_a_line_with_its_place_for_each_mistake(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    file = tmp_path / "bad.yaml"
    players = ("{type: 'broken.py:Raises'}", "{type: 'nowhere.py:Player'}", "{type: negamx}", "{type: randm}")
    file.write_text(GOOD + "".join(f"  - {player}\n" for player in players))
    result = invoke("run", file, "--out", tmp_path / "out")
    assert result.exit_code == 2 and not (tmp_path / "out").exists()
    assert [line.split(":")[1] for line in result.stderr.splitlines() if line.startswith(str(file))] == ["8", "9"]
    assert f"{file}:6:" in invoke("check", file).output


# --- what is printed


def test_perft_counts_the_lines_of_each_depth():
    rows = json.loads(invoke("bench", "english", "--perft", "5", "--json").stdout)
    assert [(row["depth"], row["nodes"]) for row in rows] == [(1, 7), (2, 49), (3, 302), (4, 1469), (5, 7361)]
    few = json.loads(invoke("bench", "{base: english, men: 8}", "--perft", "4", "--json").stdout)
    assert [row["nodes"] for row in few] == [7, 49, 392, 3136]


def test_every_rule_set_has_its_rules_and_sources_in_the_list():
    rows = [*map(variant_row, VARIANTS.values())]
    assert [row["variant"] for row in rows] == list(VARIANTS)
    for row in rows:
        assert {name for name, cell in row.items() if not cell} <= {"GameType", "counted endings"}


@pytest.mark.full
def test_a_check_keeps_nothing_and_says_what_the_run_takes_and_can_tell(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 100.0)
    config = tmp_path / "good.yaml"
    config.write_text(GOOD.replace("count: 2", "count: 20") + "  - {name: b, type: random}\n")
    before = set(tmp_path.iterdir())
    result = invoke("check", config, "--workers", "1")
    assert result.exit_code == 0 and result.stdout.endswith("\n\nno problems\n")
    assert re.search(r"40 games, 40 of two.*\n  .* on 1 worker\n  .* by a pilot of 4 games, ", result.stdout)
    document = json.loads(invoke("check", config, "--workers", "1", "--json").stdout)["runs"][""]
    assert (document["games"], document["pilot_games"]) == (40, 4)
    assert document["pairing_elo"] > 0 and document["seconds"] > 0
    assert set(tmp_path.iterdir()) == before


@pytest.mark.full
def test_a_pilot_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 0.5)
    config = tmp_path / "slow.yaml"
    slow = "{type: negamax, preset: full, seconds: 2}"
    config.write_text(GOOD + f"  - {{name: b, {slow[1:]}\n  - {{name: c, {slow[1:]}\n")
    began = time.monotonic()
    result = invoke("check", config, "--workers", "1")
    assert time.monotonic() - began < 15
    assert "no game ended within" in result.stdout and result.exit_code == 0, result.output


def in_shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash in which `arena` is this program."""
    command = f'set -o pipefail; arena() {{ "{sys.executable}" -m arena "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


@pytest.mark.full
def test_a_command_goes_on_when_nobody_reads_its_output_any_more(tmp_path):
    fill(tmp_path / "run", 12)
    done = in_shell("arena report run run | head -1", tmp_path)
    assert (done.returncode, done.stderr) == (0, b"") and (tmp_path / "run" / "report.html").is_file()


def test_help_lists_every_command_once():
    listed = re.findall(r"^  (\w+)  +\w", invoke("--help").stdout.partition("Play:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ("", ["player           Elo  set", "a             +9 ± 5  8", "with a name  −10 ± 5  [10]"]),
        ("22", ["player       Elo  set", "a         +9 ± 5  8", "with a   −10 ± 5  [10]", "name"]),
    ],
)  # fmt: skip
def test_a_table_is_aligned_in_a_pipe_and_wraps_long_cells_on_a_narrow_terminal(
    columns, lines, capsys, monkeypatch
):
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    show_table(("player", "Elo", "set"), [("a", "+9 ± 5", "8"), ("with a name", "−10 ± 5", "[10]")])
    shown = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in shown if line] == lines


def test_lines_wrap_between_words_and_numbers_stay_beside_their_units():
    text = "  after 1,234 ms and 12 plies the line 11-15 22x18 was left"
    assert wrapped(text, 14).splitlines() == [
        "  after", "    1,234 ms", "    and", "    12 plies", "    the line",
        "    11-15", "    22x18 was", "    left"
    ]  # fmt: skip
    fen = "W:W" + ",".join(map(str, range(21, 33)))
    assert wrapped(f"{fen} here", 14) == f"{fen}\n  here"


def test_ctrl_c_ends_any_command_with_one_line(monkeypatch):
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.commands.catalogue.preset_texts", interrupted)
    result = invoke("list", "players")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "stopped\n")


@pytest.mark.full
def test_letters_that_a_streams_encoding_lacks_are_written_as_escapes(tmp_path):
    (tmp_path / "games.csv").write_text("white,black,result\nA,Ж♛,1-0\nЖ♛,A,1/2-1/2\n", encoding="utf-8")
    done = in_shell("arena rate games.csv", tmp_path, PYTHONIOENCODING="koi8-r")
    output = done.stdout.decode("koi8-r")
    assert done.returncode == 0 and r"\xb1" in output and r"Ж\u265b" in output


@pytest.mark.full
def test_closed_streams_end_nothing_and_no_file_takes_their_place(tmp_path):
    (tmp_path / "good.yaml").write_text(GOOD + "  - {name: b, type: random}\n")
    done = in_shell("arena run good.yaml --no-report --workers 1 --out out <&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert len(arena.load(tmp_path / "out").games) == 4


HOSTILE = [
    *("a b", "é", "x/y", "..", '"quoted"', "it's", "a,b;c", "$x^2$", "=1+1", "%7e&#"),
    "<script>alert(1)</script>",
]


@pytest.mark.full
def test_a_run_of_hostile_names_in_a_folder_of_one_is_played_and_reported(tmp_path):
    folder, config = tmp_path / "a b é '\"<x>&#%", tmp_path / "hostile.yaml"
    players = [{"name": name, "type": "random"} for name in HOSTILE]
    document = {"name": "t", "variant": "english", "openings": {"count": 1}, "max_plies": 4, "players": players}
    config.write_text(json.dumps(document))
    before = {config, folder}
    assert invoke("run", config, "--out", folder, "--workers", 1).exit_code == 0
    assert {*tmp_path.iterdir()} == before and not [path for path in folder.rglob("*") if path.is_dir()]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    rows = csv.DictReader((folder / "standings.csv").open(encoding="utf-8"))
    assert {cell_text(row["player"]) for row in rows} == {*HOSTILE}
    games, problems = read_pdn(folder / "games.pdn")
    assert not problems and {game.tags["White"] for game in games} == {*HOSTILE}


FORMULAS = ["=1+1", "+1+2", "-2+3", "@SUM(1)", " =1+1", "\t=1", "'=1", "＝1+1"]


def test_no_cell_of_a_csv_file_is_a_formula_and_names_are_read_back(tmp_path):
    plain = ["-5", "+1.5e-3", "a=1", "'quoted'", "-"]
    table = pd.DataFrame({"player": [*FORMULAS, *plain], "=header()": 1.5})
    write_csv(table, tmp_path / "table.csv")
    header, *rows = csv.reader((tmp_path / "table.csv").open(encoding="utf-8"))
    assert header == ["player", "'=header()"]
    assert [cell for cell, _ in rows] == [*(f"'{name}" for name in FORMULAS), *plain]
    assert [cell_text(cell) for cell, _ in rows] == table["player"].to_list()


REFUSALS = {
    "raise BlockingIOError(11, 'Resource temporarily unavailable')": "ulimit -u",
    """raise RuntimeError("can't start new thread")""": "ulimit -u",
    "raise MemoryError": "ulimit -v",
    "raise ImportError('libx.so: failed to map segment from shared object')": "ulimit -v",
    "raise OSError(28, 'No space left on device', 'ledger.sqlite')": "ledger.sqlite: No space left",
}


@pytest.mark.parametrize("code", REFUSALS)
def test_what_the_system_refuses_is_named_in_one_line(code, monkeypatch):
    monkeypatch.setattr("arena.commands.catalogue.preset_texts", lambda: exec(code))
    assert REFUSALS[code] in refused("list", "players")


# --- arena init


OPTIONS = {"heuristic": (), "class": ("--class",), "engine": ("--engine",)}
PLAYERS = {"heuristic": 4, "class": 5, "engine": 4}


@pytest.mark.parametrize("kind", TEMPLATE_FILES)
def test_each_kind_is_a_configuration_and_is_not_overwritten(tmp_path, kind):
    assert invoke("init", tmp_path, *OPTIONS[kind]).exit_code == 0
    (experiment,) = load_all(tmp_path / TEMPLATE_FILES[kind][0].name).values()
    assert len(experiment.players) == PLAYERS[kind]
    config = tmp_path / TEMPLATE_FILES[kind][0].name
    config.write_text("mine")
    assert invoke("init", tmp_path, *OPTIONS[kind]).exit_code == 2 and config.read_text() == "mine"


def test_a_recipe_is_written_and_an_unknown_one_names_those_that_there_are(tmp_path):
    assert invoke("init", tmp_path, "--recipe", "texel").stdout.endswith("python texel.py\n")
    assert "import arena" in (tmp_path / "texel.py").read_text()
    assert "spsa" in refused("init", tmp_path, "--recipe", "texle")


@pytest.mark.full
@pytest.mark.compiled
def test_a_class_is_played_without_failures_and_random_moves_do_not_lead(tmp_path, monkeypatch):
    """What is written for heuristics is played in `test_installed`, the program of `engine` in `test_starters`."""
    monkeypatch.chdir(tmp_path)
    assert invoke("init", ".", "--class").exit_code == 0
    config = Path("class.yaml")
    config.write_text(config.read_text().replace("count: 10", "count: 1"))
    played = invoke("run", config, "--workers", "1")
    assert played.exit_code == 0, played.output
    table = [line.split() for line in played.stdout.splitlines() if line[:1].isdigit()]
    assert len(table) == PLAYERS["class"] and table[0][1] != "random"
