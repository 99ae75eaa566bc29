"""What the READMEs promise, executed: their code, configurations and tables; their commands exist.

Tables are found by their headings in any README of the project, so that they may move from one to another.
"""

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from arena import Game, Limit
from arena.commands.cli import COMMANDS
from arena.experiment.formats import FORMATS
from arena.experiment.load import load_all
from arena.rules.variants import VARIANTS
from players.evaluation.evaluator import Evaluator
from players.evaluation.mix import PARTS
from players.table import PLAYERS
from tests.helpers.command_line import invoke

ROOT = Path(__file__).parents[2]
FOLDERS = (".", "arena", "arena/*", "configs", "configs/*", "docs", "players", "reports", "reports/*", "tests")
READMES = sorted({file for folder in FOLDERS for file in ROOT.glob(f"{folder}/*.md") if file.name != "summary.md"})

BASE = """\
name: readme
variant: english
openings: {random_plies: 4, count: 2}
players:
  - {name: a, type: random}
  - {name: b, type: random}
"""
"""What a part of a configuration in a README is put into."""


class Block(NamedTuple):
    """The text between ``` and ```, and its language."""

    language: str
    text: str


class Row(NamedTuple):
    """A row of a table in Markdown."""

    file: Path
    header: tuple[str, ...]
    cells: tuple[str, ...]


def blocks() -> Iterator[Block]:
    for file in READMES:
        for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", file.read_text(), flags=re.M | re.S):
            yield Block(language, text)


def rows() -> Iterator[Row]:
    for file in READMES:
        header: tuple[str, ...] = ()
        for line in re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.M | re.S).splitlines():
            if not line.startswith("|"):
                header = ()
                continue
            cells = tuple(cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            if not header:
                header = cells
            elif set("".join(cells)) - set("-: "):
                yield Row(file, header, cells)


BLOCKS, ROWS = list(blocks()), list(rows())
YAML = [block for block in BLOCKS if block.language == "yaml"]


def table(*header: str) -> list[tuple[str, ...]]:
    """The rows of all tables whose first columns have these headings."""
    return [row.cells for row in ROWS if row.header[: len(header)] == header]


def place(*header: str) -> str:
    """The files whose tables have these headings, for the message of a test that misses a row."""
    found = {str(row.file.relative_to(ROOT)) for row in ROWS if row.header[: len(header)] == header}
    return f"the table with the column {header[0]!r} in {' and '.join(sorted(found)) or 'no README'}"


def code(cell: str) -> list[str]:
    """What stands between back quotes."""
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the files of the Python blocks that begin with their name, and submissions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "submissions").mkdir()
    for number in range(8):
        (tmp_path / "submissions" / f"s{number}.py").write_text("class Alice:\n    def choose(self, *_): ...\n")
    for block in BLOCKS:
        if block.language == "python" and (named := re.match(r"# (\w+\.py)", block.text)):
            (tmp_path / named[1]).write_text(block.text)
    return tmp_path


# --- code


@pytest.mark.full
@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "python"], ids=lambda b: b.text[:30]
)
def test_python_runs_and_its_evaluations_and_players_do_what_they_are_for(folder, block):
    if (run := re.search(r'"reports/(\w+)', block.text)) is not None:
        (folder / "run.yaml").write_text(BASE.replace("readme", run[1]))
        assert invoke("run", "run.yaml", "--workers", "1").exit_code == 0
    made: dict[str, Any] = {}
    exec(compile(block.text, "README", "exec"), made)  # what users are told to copy
    english = VARIANTS["english"]
    for thing in [thing for name, thing in made.items() if not name.startswith("_")]:
        if isinstance(thing, Evaluator):
            assert isinstance(thing(english.start, english.rules), float)
        elif isinstance(thing, type) and hasattr(thing, "choose") and not thing.__module__.startswith("arena."):
            game = Game(english)
            choice = thing(english).choose(game, Limit(depth=1), random.Random(0))
            assert choice.move in game.legal_moves


@pytest.mark.parametrize("block", YAML, ids=lambda block: block.text[:30])
def test_yaml_is_a_configuration_or_a_part_of_one(folder, block):
    given = yaml.safe_load(block.text)
    if isinstance(given, list):
        given = {"players": given}
    file = folder / "readme.yaml"
    if {"name", "players"} <= set(given):
        file.write_text(block.text)
    else:
        file.write_text(yaml.safe_dump({**yaml.safe_load(BASE), **given}, sort_keys=False))
    assert all(experiment.name for experiment in load_all(file).values())


OWN = [block for block in YAML if ".py:" in block.text and "openings:" in block.text]


@pytest.mark.full
@pytest.mark.parametrize("block", OWN, ids=lambda block: block.text[:14])
def test_nothing_is_wrong_with_an_experiment_of_an_own_heuristic(folder, block, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 0.5)
    (folder / "mine.yaml").write_text(re.sub(r"count: \d+", "count: 1", block.text))
    result = invoke("check", "mine.yaml", "--workers", "1")
    assert result.exit_code == 0, result.output


def test_commands_name_commands_and_configurations_that_there_are():
    lines = [line for block in BLOCKS if block.language == "bash" for line in block.text.splitlines()]
    calls = [words.split() for line in lines for words in re.findall(r"(?:^|/|\s)arena (\w+[^&|]*)", line)]
    assert calls and {name for name, *_ in calls} <= set(COMMANDS)
    files = [word for _, *words in calls for word in words if word.endswith(".yaml") and "/" in word]
    assert [file for file in files if not (ROOT / file).exists()] == []


# --- tables of names


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        (("`type`",), FORMATS),
        (("type",), (*PLAYERS, "file.py:Class", "package.module:Class")),
        (("key", "what it limits"), Limit._fields),
        (("key of `mix`",), PARTS),
    ],
)
def test_a_table_has_a_row_for_each_name(heading, names):
    found = [name for cells in table(*heading) for name in code(cells[0])]
    assert sorted(found) == sorted(names), place(*heading)


def test_the_keys_of_configurations_are_those_that_the_command_prints():
    assert (ROOT / "configs" / "keys.md").read_text(encoding="utf-8") == invoke("list", "keys").stdout


@pytest.mark.full
def test_the_documents_of_a_ledger_are_those_that_it_has(tmp_path):
    (tmp_path / "run.yaml").write_text(BASE)
    assert invoke("run", tmp_path / "run.yaml", "--out", tmp_path / "out", "--workers", "1").exit_code == 0
    with closing(sqlite3.connect(tmp_path / "out" / "ledger.sqlite")) as ledger:
        names = {name for (name,) in ledger.execute("SELECT name FROM meta")}
    assert {name for row in table("`name`", "`document`") for name in code(row[0])} == names


def test_the_map_names_every_room_and_files_that_there_are():
    files = [ROOT / "arena" / file for cells in table("a new ...") for file in code(cells[1])]
    assert [file for file in files if not Path(str(file).replace("<name>.py", "")).exists()] == []
    named = {name.rstrip("/").removeprefix("../") for cells in table("room") for name in code(cells[0])}
    assert {path.parent.name for path in (ROOT / "arena").glob("*/*.py")} <= named


def test_every_configuration_that_comes_along_has_its_row_and_result():
    folders = (ROOT / "configs", ROOT / "configs" / "studies")
    files = {path.name for folder in folders for path in folder.iterdir() if path.suffix in (".yaml", ".ipynb")}
    named = {name for cells in table("file", "question") for name in code(cells[0])}
    assert named == files, place("file", "question")
