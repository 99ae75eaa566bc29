"""The doctor: planted faults are all found in one list, and sound configurations have none."""

import re
from pathlib import Path

import pytest

from arena.experiment.load import load
from arena.experiment.yaml.values import ConfigError
from arena.play.pilot import diagnose
from arena.play.prepare import prepare
from players.loading import SAME_FILE, UNBUILT, Finding
from tests.helpers.command_line import invoke

pytestmark = pytest.mark.full

MOVE_TIMEOUT = 4.0
"""Seconds that a player may take here."""
FAULTY = """\
import os
import random
import time
from arena import Choice, evaluator, features

@evaluator
def wrong_sign(position, rules):
    return features.pieces(position, rules, 1 - position.turn) - features.pieces(position, rules, position.turn)

@evaluator
def endless(position, rules):
    while position.turn == position.turn:
        pass
    return 1.0

class First:
    def __init__(self, variant, level: int = 1): ...
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])

class Raises(First):
    def __init__(self, variant):
        raise RuntimeError("no weights")

class Divides(First):
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[1 // (len(game.moves) < 5) - 1])

class Illegal(First):
    def choose(self, game, limit, rng):
        return Choice(12345)

class Late(First):
    def choose(self, game, limit, rng):
        time.sleep(0.4)
        return Choice(game.legal_moves[0])

class Unlimited(First):
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], depth=1, nodes=31_000)

class Chance(First):
    def choose(self, game, limit, rng):
        return Choice(random.SystemRandom().choice(game.legal_moves))

class Remembers(First):
    games = 0
    def __init__(self, variant):
        Remembers.games += 1
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[Remembers.games % len(game.legal_moves)])

class Later(First):
    def __init__(self, variant, at: int, how: str):
        self.at, self.how = at, how
    def choose(self, game, limit, rng):
        time.sleep(0.25)
        if len(game.moves) // 2 + 1 == self.at:
            {"dies": lambda: os._exit(4), "hangs": lambda: time.sleep(60)}[self.how]()
        return Choice(game.legal_moves[0])
"""
PLANTED = {
    "missing": ("type: negamx, depth: 3", r"faulty.yaml:\d+:\d+: unknown player 'negamx'"),
    "option": ('type: "faulty.py:First", levl: 3', r"faulty.yaml:\d+:\d+: unknown option 'levl'"),
    "raises": ('type: "faulty.py:Raises"', r"Raises cannot be built: line \d+: RuntimeError: no weights"),
    "divides": ('type: "faulty.py:Divides"', r"raised ZeroDivisionError: .* at ply [56]"),
    "illegal": ('type: "faulty.py:Illegal"', "returned the illegal move 12345 at ply [12]"),
    "late": ('type: "faulty.py:Late", seconds: 0.1', r"took \d+\.\d+ s, \d+\.\d+ s more than it had, at ply [12]"),
    "unlimited": ('type: "faulty.py:Unlimited", nodes: 900', "reports nodes 31000 where its limit is 900"),
    "chance": ('type: "faulty.py:Chance"', "does not play the same from the same seed"),
    "remembers": ('type: "faulty.py:Remembers"', "plays a game differently after other games"),
    "wrong_sign": ('type: negamax, depth: 3, evaluation: "faulty.py:wrong_sign"', r"falls in \d+ .*is the sign"),
}
"""Faulty players, and what is said of each and of no other."""
FATAL = {
    "dies_later": ('type: "faulty.py:Later", at: 10, how: dies', r"\(exit code 4\) at ply (19|20)"),
    "hangs_later": (
        'type: "faulty.py:Later", at: 5, how: hangs',
        r"no answer within 4 s: it is at .* at ply (9|10)",
    ),
    "endless": ('type: greedy, evaluation: "faulty.py:endless"', "endless did not end within 5 s while valuing"),
}
"""Those that would end or hold up the process that they are in."""


PRINTS = """\
from arena import Choice

class Prints:
    def choose(self, game, limit, rng):
        if len(game.moves) < 4:
            print(f"at ply {len(game.moves)}")
        return Choice(game.legal_moves[0])
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the files of a user."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY)
    return tmp_path


def configured(players: dict[str, str], more: str = "", move_timeout: float = MOVE_TIMEOUT) -> Path:
    """The file of a configuration with players of these names and keys."""
    file = Path("faulty.yaml")
    entries = "".join(f"  - {{name: {name}, {keys}}}\n" for name, keys in players.items())
    head = f"name: faulty\nvariant: english\nprocess: {{move_timeout: {move_timeout}}}\n{more}\n"
    file.write_text(f"{head}players:\n{entries}")
    return file


def diagnosed(file: Path) -> list[Finding]:
    """What the doctor finds."""
    return [found for found in diagnose(load(file), Path("out")) if isinstance(found, Finding)]


@pytest.mark.compiled
def test_planted_faults_are_found_in_one_list():
    planted = {name: keys for name, (keys, _) in PLANTED.items()}
    file = configured(planted | {"sound": "type: negamax, depth: 3"}, "openings: {file: nowhere.txt}")
    result = invoke("check", str(file))
    assert result.exit_code == 1
    *lines, _, total = result.stdout.splitlines()
    assert total == f"{len(PLANTED) + 1} problems"
    assert lines[0].startswith("openings: faulty.yaml:4:12: nowhere.txt cannot be read")
    for line, (name, (_, message)) in zip(lines[1:], PLANTED.items(), strict=True):
        assert re.match(f"{name}: .*?{message}", line), line
    assert not Path("reports").exists()


@pytest.mark.compiled
@pytest.mark.parametrize("name", FATAL)
def test_a_player_that_ends_or_holds_up_its_process_is_a_line_of_the_list(name):
    keys, message = FATAL[name]
    [finding] = diagnosed(configured({name: keys, "sound": "type: random"}))
    assert finding.where == name
    assert re.search(message, finding.words), finding.words


@pytest.mark.compiled
def test_a_sound_configuration_has_no_problems():
    file = configured(
        {
            "first": 'type: "faulty.py:First", depth: 2',
            "random": "type: random",
            "timed": "type: negamax, seconds: 0.01",
            "clock": "type: negamax, preset: full, clock: 60, increment: 0.1",
            "published": "type: cis300",
            "weights": "type: negamax, nodes: 3000, evaluation: {linear: {man: 100, king: 160}}",
        },
        "suite: {random: 3, depth: 2}",
        move_timeout=60.0,
    )
    assert diagnosed(file) == []


@pytest.mark.compiled
def test_what_a_player_prints_is_shown_by_the_doctor_and_kept_beside_the_run():
    Path("faulty.py").write_text(PRINTS)
    file = configured({"prints": 'type: "faulty.py:Prints"', "sound": "type: random"}, "openings: {count: 1}")
    [finding] = diagnosed(file)
    assert (finding.where, finding.level) == ("prints", "ok") and finding.output.endswith("at ply 3\n")
    assert invoke("run", str(file), "--out", "out", "--workers", "1").exit_code == 0
    logs = {path.name: path.read_text() for path in Path("out/logs").iterdir()}
    assert logs.keys() == {"prints.txt"}
    assert re.findall(r"as (\w+)\nat ply (\d)", logs["prints.txt"]) == [("white", "1"), ("black", "0")]


@pytest.mark.compiled
def test_players_of_one_name_are_tried_all_the_same():
    file = configured({"twin": 'type: "faulty.py:Illegal"', "sound": "type: random"})
    file.write_text(file.read_text() + "  - {name: twin, type: negamx}\n")
    result = invoke("check", str(file))
    assert result.exit_code == 1, result.output
    said = "faulty.yaml:8:6: .*twin.* line 6.*\ntwin: .*illegal.*\ntwin 2: .*'negamx'.*\n\n3 problems\n"
    assert re.fullmatch(said, result.stdout)


@pytest.mark.compiled
def test_too_few_openings_and_positions_and_a_folder_that_cannot_be_written_are_problems(monkeypatch):
    monkeypatch.setattr("arena.play.suites.PLIES", (0, 0))
    more = "openings: {random_plies: 2, count: 60}\nsuite: {random: 2}"
    Path("out").touch()
    findings = diagnosed(configured({"a": "type: random", "b": "type: random"}, more))
    assert [finding.where for finding in findings] == ["openings", "suite", "disk"]
    assert findings[2].words == "out cannot be written to"
    assert "faulty.yaml:4:29: 60 distinct openings of 2 random plies" in findings[0].words
    assert "faulty.yaml:5:1: only 1 of 2 balanced positions" in findings[1].words


COPIED = """\
import random
from arena import Choice

class {}:
    def choose(self, game, limit, rng):
        return Choice({})
"""
FIRST = "game.legal_moves[0]"


@pytest.mark.compiled
def test_copies_are_files_of_one_content(folder):
    (folder / "all").mkdir()
    for name, title in zip(("ann", "bob", "cid"), "AAC", strict=True):
        (folder / "all" / f"{name}.py").write_text(COPIED.format(title, FIRST))
    for name in ("dan.PY", "eve.py.txt"):
        (folder / "all" / name).write_text(name)
    file = Path("class.yaml")
    file.write_text("name: class\nvariant: english\nplayers: [random, {type: all/*.py, seconds: 1}]\n")
    findings = [(finding.where, finding.kind, finding.words) for finding in diagnosed(file)]
    assert findings[:2] == [
        ("ann", SAME_FILE, "has the same file as bob"),
        ("bob", SAME_FILE, "has the same file as ann"),
    ]
    assert [(where, kind) for where, kind, _ in findings[2:]] == [("dan", UNBUILT), ("eve", UNBUILT)]


@pytest.mark.compiled
def test_a_syntax_error_has_its_column_and_its_file_as_the_configuration_names_it(folder):
    (folder / "all").mkdir()
    (folder / "all" / "ann.py").write_text("class Ann:\n    def choose(self, game)\n        pass\n")
    (folder / "helper.py").write_text("x = 1\nprint(\n")
    (folder / "all" / "bob.py").write_text("import sys\nsys.path.append('.')\nimport helper\n")
    file = Path("class.yaml")
    file.write_text("name: class\nvariant: english\nplayers: [random, greedy, {type: all/*.py}]\n")
    found = diagnosed(file)
    ann, bob = (finding.words.partition(": ")[2] for finding in found)
    assert ann.startswith("all/ann.py cannot be loaded: line 2, column 27: SyntaxError: ")
    assert bob.startswith("all/bob.py cannot be loaded: line 3: helper.py, line 2, column 6: SyntaxError: ")
    with pytest.raises(ConfigError) as refused:
        prepare(load(file))
    assert ann in str(refused.value) and bob in str(refused.value)


@pytest.mark.parametrize(
    ("limit", "margin", "places"), [("seconds", 0, ["time_margin"]), ("depth", 0, []), ("seconds", 0.1, [])]
)
def test_a_time_limit_with_no_time_to_spare_is_warned_of(tmp_path, limit, margin, places):
    file = tmp_path / "timed.yaml"
    players = f"[random, {{name: late, type: negamax, preset: full, {limit}: 1}}]"
    file.write_text(f"name: timed\nvariant: english\ntime_margin: {margin}\nplayers: {players}\n")
    found = diagnosed(file)
    assert [(finding.where, finding.level) for finding in found] == [(place, "warning") for place in places]
