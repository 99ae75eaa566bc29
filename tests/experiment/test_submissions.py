"""A folder of submissions: the players that a pattern makes."""

import json
import os
from pathlib import Path

import pytest
import yaml

from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.names import MAX_SOURCE
from arena.hosting import sandbox
from arena.ledger.info import Entrant
from arena.play import prepare
from arena.report.load import load_run
from arena.report.sentences.cautions import forfeits
from arena.watch.display import Display
from arena.watch.status import Observer
from players.loading import no_file
from tests.helpers.command_line import invoke
from tests.helpers.configs import CHOOSES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Submissions of one public class each, beside files that nobody submits."""
    for name, code in {
        "dora.py": CHOOSES.format("Dora"),
        "alice.py": "raise SystemExit\n" + CHOOSES.format("_Helper") + CHOOSES.format("Bot"),
        "carl.py": CHOOSES.format("_Base") + "class Mine(_Base):\n    pass\nclass Data:\n    pass\n",
        "bob.py": "def broken(:\n",
        "two.py": CHOOSES.format("A") + CHOOSES.format("B"),
        "heirs.py": CHOOSES.format("A") + "class B(A):\n    pass\n",
        "three.py": CHOOSES.format("A") + CHOOSES.format("Player") + CHOOSES.format("B"),
        "none.py": "import x\n",
        "idle.py": "class Idle:\n    pass\n",
        "__init__.py": "",
        ".ipynb_checkpoints/alice.py": CHOOSES.format("Bot"),
        "__MACOSX/alice.py": "",
        "notes.txt": "",
    }.items():
        path = tmp_path / "submissions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    return tmp_path


def loaded(folder: Path, players: str, more: str = "") -> Experiment:
    path = folder / "run.yaml"
    path.write_text(f"name: a\nvariant: english\n{more}players:\n{players}")
    return load(path)


def types(experiment: Experiment) -> dict[str, str]:
    return {player.name: player.type for player in experiment.players}


def test_a_pattern_is_a_player_for_each_file_in_the_order_of_their_names(folder):
    experiment = loaded(
        folder, "  - {name: r, type: random}\n  - {type: submissions/*.py, seconds: 0.5, book: b.txt}\n"
    )
    playing = {"alice": "Bot", "bob": "Player", "carl": "Mine", "dora": "Dora", "heirs": "Player", "idle": "Idle"}
    playing |= dict.fromkeys(("none", "three", "two"), "Player")
    expected = {name: f"submissions/{name}.py:{thing}" for name, thing in playing.items()}
    assert [*types(experiment).items()] == [("r", "random"), *expected.items()]
    assert {(player.limit.seconds, *player.options.items()) for player in experiment.players[1:]} == {
        (0.5, ("book", "b.txt"))
    }
    assert Experiment.model_validate(experiment.as_dict()).players == experiment.players
    named = types(loaded(folder, "  - {type: 'submissions/**/*.py:Bot'}\n"))
    assert len(named) == 9 and named["dora"] == "submissions/dora.py:Bot"


@pytest.mark.parametrize(
    ("pattern", "files", "names"),
    [
        ("s/*/player.py", ["s/a/player.py"], ["a"]),
        ("s/*/*.py", ["s/a/player.py", "s/b/player.py"], ["a", "b"]),
        ("s/*/*.py", ["s/a/bot.py", "s/b/bot.py", "s/b/x.py"], ["a/bot", "b/bot", "x"]),
        ("**/src/player.py", ["s/a/src/player.py", "s/b/src/player.py"], ["s/a/src", "s/b/src"]),
        ("s/*.py", [f"s/{50 * 'n'}{n}.py" for n in "12"], [f"{27 * 'n'}...{9 * 'n'}{n}" for n in "12"]),
        (
            "s/*.py",
            [f"s/{30 * 'n'}{n}{20 * 'n'}.py" for n in "12"],
            [27 * "n" + "...nnnnnn 2", 27 * "n" + "...nnnnnnnnnn"],
        ),
        ("s/*.py", ["s/a\tb\u202e.py"], ["a b\\u202e"]),
        ("s/*.py", ["s/anna.py", "s/random.py"], ["anna", "random.py"]),
        ("s/*/player.py", ["s/greedy/player.py"], ["greedy/player.py"]),
    ],
)
def test_players_have_the_names_of_files_or_of_folders_and_all_differ(tmp_path, pattern, files, names):
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(CHOOSES.format("Player"))
    experiment = loaded(tmp_path, f"  - {{type: '{pattern}'}}\n")
    assert [player.name for player in experiment.players] == names
    assert sorted(player.type for player in experiment.players) == sorted(f"{file}:Player" for file in files)


@pytest.mark.parametrize(
    ("pattern", "there", "missed"),
    [
        ("s/*.py", "s/ann.py", {"s/ed.PY": "s/ed.py", "s/eva.py.txt": "s/eva.py"}),
        ("s/*/player.py", "s/ann/player.py", {"s/ed/Player.py": "s/ed/player.py"}),
    ],
)
def test_a_file_whose_name_the_pattern_misses_is_a_player_that_cannot_be_built(tmp_path, pattern, there, missed):
    for file in (there, *missed, f"{there}c", str(Path(there).with_name("notes.txt"))):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(CHOOSES.format("Player"))
    experiment = loaded(tmp_path, f"  - {{type: '{pattern}'}}\n")
    wanted = [there, *missed.values()]
    assert sorted(player.type for player in experiment.players) == [f"{file}:Player" for file in wanted]
    for file, right in missed.items():
        assert no_file(tmp_path / right).endswith(f"{right}, but {Path(file).name}: rename it")


def test_heuristics_of_a_folder_are_players_with_the_search_of_the_entry(tmp_path):
    for name, code in {
        "a.py": "def first(p, r): ...\n@kernel\ndef f(p, r): ...\n@evaluator\ndef value(p, r): ...\n",
        "b.py": "@arena.kernel\ndef f(): ...\ndef worth(p, r): ...\n",
        "c.py": "@evaluator\ndef one(p, r): ...\n@evaluator\ndef two(p, r): ...\n",
    }.items():
        (tmp_path / name).write_text(code)
    (tmp_path / "d.npz").write_bytes(b"")
    entry = "  - {{type: negamax, name: '{{file}} d{{depth}}', evaluation: '{}', depth: 3}}\n"
    experiment = loaded(tmp_path, entry.format("*.py") + entry.format("?.npz"))
    assert {player.name: player.options["evaluation"] for player in experiment.players} == {
        "a d3": "a.py:value",
        "b d3": "b.py:worth",
        "c d3": "c.py:evaluate",
        "d d3": "d.npz",
    }
    named = loaded(tmp_path, entry.format("*.py:two"))
    assert {player.options["evaluation"] for player in named.players} == {"a.py:two", "b.py:two", "c.py:two"}


def test_no_code_or_name_of_a_submission_ends_or_holds_up_the_reading_of_all(tmp_path):
    chain = CHOOSES.format("C0") + "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, 1500))
    decorated = f"@{'.'.join(900 * 'x')}\ndef f(p, r): ...\n" + CHOOSES.format("Bot")
    codes = {
        "chain": (chain, "Player"),
        "decorated": (decorated, "Bot"),
        "large": (CHOOSES.format("Bot") + MAX_SOURCE * "#", "Player"),
        "nested": (f"x = {5000 * '('}1{5000 * ')'}\n", "Player"),
    }
    for name, (code, _) in codes.items():
        (tmp_path / f"{name}.py").write_text(code)
    Path(os.fsdecode(bytes(tmp_path) + b"/\xe9.py")).write_text(CHOOSES.format("Bot"))
    experiment = loaded(tmp_path, "  - {type: '*.py'}\n  - {type: greedy, evaluation: '*.py', name: 'e {file}'}\n")
    found = types(experiment)
    json.dumps(experiment.as_dict(), ensure_ascii=False).encode()
    assert found.pop(r"\udce9") == r"\udce9.py:Bot"
    own = {name: kind for name, kind in found.items() if not name.startswith("e ")}
    assert own == {name: f"{name}.py:{playing}" for name, (_, playing) in codes.items()}


@pytest.mark.parametrize("inside", [False, True])
def test_a_warning_says_once_what_submissions_can_do_outside_a_sandbox_before_they_are_tried(
    folder, monkeypatch, inside
):
    lines: list[str] = []
    more = f"failures: {{faulty: leave-out}}\nsandbox: {str(inside).lower()}\n"
    experiment = loaded(folder, "  - {type: submissions/*.py}\n", more)
    observer = Observer()
    monkeypatch.setattr(observer, "say", lines.append)
    monkeypatch.setattr(sandbox, "unavailable", lambda: "")

    def looked_at(*_: object, **__: object) -> dict[str, Entrant]:
        lines.append("tried")
        return {spec.name: Entrant() for spec in experiment.players}

    monkeypatch.setattr(prepare, "look_at", looked_at)
    prepare.prepare(experiment, folder / "out", observer)
    warnings = [place for place, line in enumerate(lines) if "'sandbox: true'" in line]
    assert len(warnings) == (not inside) and all(place < lines.index("tried") for place in warnings)
    assert all("alice.py and 8 more can read and write " in lines[place] for place in warnings)


PLAYS = (
    "from arena import Choice\n\n\nclass Mine:\n    def __init__(self, variant): ...\n\n"
    "    def choose(self, game, limit, rng):\n        return {}\n"
)
GOOD = PLAYS.format("Choice(game.legal_moves[0])")
FAULTY = {"illegal": PLAYS.format("Choice(12345)"), "syntax": "class Player(:\n", "no_class": "import random\n"}
HOMEWORK = """\
name: hw
variant: english
openings: {count: 1}
max_plies: 10
players: [{type: 'submissions/*.py'}]
"""


def handed_in(folder: Path, codes: dict[str, str], more: str) -> Path:
    """The configuration of a class with these submissions."""
    (folder / "submissions").mkdir()
    for name, code in codes.items():
        (folder / "submissions" / f"{name}.py").write_text(code)
    (folder / "hw.yaml").write_text(HOMEWORK + more)
    return folder / "hw.yaml"


@pytest.mark.full
def test_faulty_submissions_are_left_out_each_with_its_reason(tmp_path):
    good = {"alice": GOOD, "bob": PLAYS.format("Choice(rng.choice(game.legal_moves))")}
    homework = handed_in(tmp_path, good | FAULTY, "failures: {faulty: leave-out}\n")
    result = invoke("run", homework, "--out", tmp_path / "out", "--workers", 1, "--no-report")
    assert result.exit_code == 3, result.output
    lines = [line for line in result.stderr.splitlines() if " is left out: " in line]
    assert {line.split()[0] for line in lines} == {*FAULTY}
    played = load_run(tmp_path / "out")
    assert set(played.players) == {*good} and len(played.games) == 2 and not forfeits(played)


@pytest.mark.full
@pytest.mark.skipif(bool(sandbox.unavailable()), reason="no sandbox here")
def test_in_a_sandbox_submissions_are_tried_in_it_too(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 0.1)
    mark = tmp_path / "mark"
    evil = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{GOOD}"
    homework = handed_in(tmp_path, {"alice": GOOD, "evil": evil}, "sandbox: true\n")
    assert invoke("check", homework, "--workers", 1).exit_code == 0
    assert not mark.exists()


def test_a_message_names_a_format_that_shrinks_with_its_players(tmp_path, capsys):
    (tmp_path / "broken.py").write_text("class Player:\n    choose(\n")
    players = ["random", "greedy", {"name": "r", "type": "random"}, {"name": "b", "type": "broken.py:Player"}]
    config = {"name": "t", "variant": "english", "format": {"type": "swiss", "rounds": 3}, "players": players}
    (tmp_path / "t.yaml").write_text(yaml.safe_dump(config | {"failures": {"faulty": "leave-out"}}))
    tournament = prepare.prepare(load(tmp_path / "t.yaml"), tmp_path / "out", Display())
    assert tournament.experiment.format.model_dump()["rounds"] == 2
    assert "rounds 2, not 3" in capsys.readouterr().err
