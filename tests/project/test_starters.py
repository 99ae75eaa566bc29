"""The starters of `configs/starters`, built as their README says, where their compilers are installed."""

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from arena.base.process import ON_LINUX
from arena.experiment.openings.sources import random_line
from arena.rules.game import Game
from arena.rules.hub import game_line, parse_hub_move, position_text
from arena.rules.movegen import apply
from arena.rules.position import Position
from arena.rules.variants import VARIANTS
from tests.helpers.command_line import invoke

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="such processes need Linux")

ENGLISH = VARIANTS["english"]
FOLDER = Path(__file__).parents[2] / "configs" / "starters"
ROW = re.compile(r"^\| \[`\S+`\]\((\S+)\) \| (?:`(.+?)`|nothing) \| `(.+?)` \|", re.MULTILINE)
BUILDS = {
    file: (build.split(), command) for file, build, command in ROW.findall((FOLDER / "README.md").read_text())
}
"""The command that builds a file, and that which plays it, as the README has them."""
LONG = ["W:W30:B26,18,10,9,17,25", "W:WK2:B6,14,15,7,23,24", "B:W27,26,19,18,11,10:BK32,1"]
"""Positions in which men and kings take several pieces in one move, some in a circle."""


Starter = tuple[Path, str]
"""The folder in which a starter is built, and the command that plays it there."""


@pytest.fixture(scope="module", params=sorted(BUILDS))
def starter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Starter:
    folder, (build, command) = tmp_path_factory.mktemp("starter"), BUILDS[request.param]
    for tool in {*build[:1], command.split()[0]}:
        if not tool.startswith("./") and shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    shutil.copy(FOLDER / request.param, folder)
    if build:
        done = subprocess.run(build, cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder, command


def answers(starter: Starter, lines: list[str]) -> list[str]:
    folder, command = starter
    text = "\n".join([*lines, "quit", ""])
    done = subprocess.run(command.split(), cwd=folder, input=text, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def scattered(rng: random.Random) -> Position:
    """Up to twelve pieces a side anywhere, half of them kings."""
    squares = rng.sample(ENGLISH.bits, rng.randint(2, 24))
    cut = rng.randint(1, len(squares) - 1)
    white, black = sum(squares[:cut][:12]), sum(squares[cut:][:12])
    kings = sum(bit for bit in squares if rng.random() < 0.5)
    kings |= white & sum(ENGLISH.bits[:4]) | black & sum(ENGLISH.bits[-4:])
    return Position(white, black, kings & (white | black), rng.randint(0, 1))


def games() -> Iterator[Game]:
    rng = random.Random(5)
    yield from (random_line(ENGLISH, rng.randint(0, 120), rng) for _ in range(100))
    yield from (Game(ENGLISH, scattered(rng)) for _ in range(400))
    yield from (Game("english", fen) for fen in LONG)


def lead(position: Position, side: int) -> int:
    """How far a side is ahead, in hundredths of a man, a king being worth one and a half."""
    white, black = (
        100 * held.bit_count() + 50 * (held & position.kings).bit_count()
        for held in (position.white, position.black)
    )
    return black - white if side else white - black


@pytest.mark.full
def test_every_answer_is_a_legal_move_after_which_the_material_is_best(starter):
    asked = [game for game in games() if game.outcome is None]
    captured = [len(game.squares(move).captured) for game in asked for move in game.legal_moves]
    assert max(captured) >= 6 and sum(number >= 3 for number in captured) >= 20
    lines = answers(starter, [line for game in asked for line in (game_line(game), "level depth=1", "go think")])
    for game, answer in zip(asked, lines, strict=True):
        move = parse_hub_move(ENGLISH, game.position, answer.removeprefix("done move="), game.legal_moves)
        assert move is not None, (game.fen, answer)
        values = {legal: lead(apply(ENGLISH.rules, game.position, legal), game.turn) for legal in game.legal_moves}
        assert values[move] == max(values.values()), (game.fen, answer)


@pytest.mark.full
def test_the_protocol_is_answered_line_by_line(starter):
    start = f"pos pos={position_text(ENGLISH, ENGLISH.start)}"
    settings = ("set-param name=x value=1", start, 'level time=60 inc="1"')
    lines = ["hub", "init", "", "new-game", *settings, "go", "ping"]
    *first, wait, ready, done, pong = answers(starter, lines)
    assert first[0].startswith("id name=") and "param name=variant value=english type=enum" in first[1]
    assert (wait, ready, pong) == ("wait", "ready", "pong") and re.fullmatch(r"done move=\d+-\d+", done)


@pytest.mark.full
def test_nothing_is_found_wrong_in_the_file_that_plays_the_one_in_python(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 0.5)
    shutil.copy(FOLDER / "starter.py", tmp_path)
    config = yaml.safe_load((FOLDER / "starters.yaml").read_text())
    players = [entry for entry in config["players"] if "starter.py" in entry.get("command", "starter.py")]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(config | {"players": players}))
    done = invoke("check", tmp_path / "mine.yaml", "--workers", "1")
    assert len(players) == 3 and done.exit_code == 0, done.output


def test_the_readme_the_configuration_and_the_folder_have_the_same_programs():
    config = yaml.safe_load((FOLDER / "starters.yaml").read_text())
    commands = {entry["command"] for entry in config["players"] if entry["type"] == "engine"}
    assert commands == {command for _, command in BUILDS.values()}
    assert {*BUILDS} == {
        file.name for file in FOLDER.iterdir() if file.suffix in (".c", ".java", ".rs", ".js", ".py")
    }
