"""Bad configurations: each has a line for what is wrong, at its place, with what was probably meant."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.experiment.load import load_all
from arena.experiment.yaml.values import ConfigError
from tests.helpers.configs import CHOOSES, EXAMPLE
from tests.helpers.schedules import FOUR, HEAD

TWO = "players:\n  - {name: a, type: random}\n  - {name: b, type: negamax}\n"


def _changed(text: str) -> str:
    old, new = text.split(" => ")
    assert EXAMPLE.count(old) == 1
    return EXAMPLE.replace(old, new)


def _swept(sweep: str, name: str = "") -> str:
    keys = "".join(f"      {line}\n" for line in sweep.splitlines())
    first = f'  - name: "{name}"\n    type: negamax\n' if name else "  - type: negamax\n    preset: pvs\n"
    return f"name: a\nvariant: english\nplayers:\n{first}    sweep:\n{keys}"


CONFIGS: dict[str, Callable[[str], str]] = {
    "example": _changed,
    "players": lambda text: f"name: a\nvariant: english\n{text}\n",
    "sweep": _swept,
    "template": lambda text: _swept("evaluation: [simple, cis300]\ndepth: [4, 6]", text),
    "files": lambda text: _swept(f"evaluation: {text}"),
    "format": lambda text: f"{HEAD}{text}\n{FOUR}",
    "rules": lambda text: f"name: a\n{text}\n{TWO}",
    "limits": lambda text: f"name: a\nvariant: english\nlimits: {text}\n{TWO}",
    "entry": lambda text: f"name: a\nvariant: english\nplayers:\n  - {{name: r, type: random}}\n  - {text}\n",
}
"""Whole configurations with the texts of a part of BAD."""
BAD: dict[str, list[tuple[str, ...]]] = {
    "example": [
        ("seed: 2026 => sede: 2026", "3:1", "did you mean 'seed'?"),
        ("seed: 2026 => games: 20", "3:1", "did you mean 'openings: {count: 20}'?"),
        ("seed: 2026 => time: 1", "3:1", "did you mean 'players: [{seconds: ...}]'?"),
        ("seed: 2026 => seed: '5'", "3:1"),
        ("seed: 2026 => seed: 9223372036854775808", "3:1"),
        ("random_plies: 6, => balanced: true, file: openings.txt,", "4:12"),
        ("random_plies: 6, => set: english-2-move, file: openings.txt,", "4:1"),
        ("name: heuristics => name: my run", "1:1"),
        ("variant: english => variant: englsh", "2:1", "did you mean 'english'?"),
        ("variant: english => variant: {base: english, promotoin: never}", "2:26", "did you mean 'promotion'?"),
        ("anchor: simple-d6 => anchor: simple-d7", "6:1", "did you mean 'simple-d6'?"),
        ("type: random} => kind: random}", "8:20"),
        ("variant: english\n => ", "1:1"),
        ("type: random} => type: simple}", "8:20"),
        ("{name: random, type: random} => [random]", "8:5"),
        ("name: mine-d6 => name: random", "10:6"),
        ('name: random => name: "a\\nb"', "8:6"),
        ("    depth: 6 =>     moves: 75", "13:5"),
        ("seed: 2026 => workers: many", "3:1"),
        ("seed: 2026 => name: b", "3:1"),
        ("man: 100 => 1: 100", "14:27"),
        ("type: random} => type: random, x: !py eval}", "8:34"),
        ("seed: 2026 => seed: !!int x", "3:1"),
        ("my_heuristic.py:advance => my\\0.py:advance", "10:46"),
        ("seed: 2026 => grade: {peices: 4}", "3:9", "did you mean 'pieces'?"),
        ("seed: 2026 => faulty: leave-out", "3:1", "did you mean 'failures: {faulty: ...}'?"),
    ],
    "players": [
        ("", "1:1"),
        ("players: []", "3:1"),
        ("players: [{type: engine, command: x, port: 5}, {type: engine, command: y, port: 5}]", "3:75"),
        ("limits: {a: {depth: 2}, b: {depth: 3}}\nplayers: [random, simple@d3]", "3:1"),
        ("limits: {a: {depth: 2}, b: {depth: 3}}\nplayers: [{type: negamax, sweep: {tt: 3}}]", "4:35"),
    ],
    "sweep": [
        ("depth: []", "7:7"),
        ("depth: {from: 1, too: 10}", "7:24", "did you mean 'to'?"),
        ("depth: {from: 1}", "7:7"),
        ("depth: {from: 5, to: 3}", "7:24"),
        ("depth: {from: 0, to: 3, factor: 2}", "7:31"),
        ("depth: {from: 1, to: 3, step: 1, factor: 2}", "7:40"),
        ("preset: [pvs, full]", "7:7"),
        ("name: [x, y]", "7:7"),
        ("preset.x: [1]", "7:7"),
        ("depth: [4, 4]", "6:5"),
        ("depth: [4]\nlimit: [{depth: 6}]", "8:7"),
        ("limit: [6]", "7:15"),
        ("limit: [{depth: 6}, {depth: 0}]", "7:28"),
        ("evaluation: [simple, simpel]\ndepth: [2]", "7:28", "did you mean 'simple'?"),
        ("depth: {from: 1, to: 1000000000}", "7:7"),
        ("depth: {from: 1.0e-310, to: 9, factor: 2}", "7:7"),
        ("depth: {from: 1, to: 20}\nnodes: {from: 1, to: 11}", "6:5"),
    ],
    "template": [
        ("{evaluatoin}", "4:5", "did you mean 'evaluation'?"),
        ("{depth:03}", "4:5", "did you mean 'depth'?"),
        ("d{depth", "4:5"),
        ("{evaluation}", "4:5"),
    ],
    "files": [
        ('{files: "rusn/*.npz"}', "7:20", "did you mean 'runs'?"),
        ('{files: "runs/*.npy"}', "7:20"),
        ('{files: "empty/*.npz"}', "7:20"),
        ('{files: "runs/*", step: "x"}', "7:37"),
    ],
    "format": [
        ("format: swis", "6:1", "did you mean 'swiss'?"),
        ("format: swiss", "6:1"),
        ("format: match", "6:1"),
        ("format: {type: swiss, rounds: 4}", "6:23"),
        ("format: {type: gauntlet, seeds: [a, e]}", "6:37"),
        ("format: {type: gauntlet, seeds: [a, a]}", "6:37"),
        ("format: {type: gauntlet, seeds: [a, b, c, d]}", "6:26"),
        ("sprt: {elo0: 0, elo1: 5}", "6:1"),
        ("format: knockout\nsprt: {elo0: 0, elo1: 5}", "7:1"),
        ("sprt: {elo0: 5, elo1: 5}", "6:17"),
        ("sprt: {elo0: 0, elo1: 5, alpha: 0.96}", "6:1"),
        ("sprt: {elo0: 0, elo1: 5, model: elo}", "6:26"),
        ("format: {type: swiss, rounds: 3}\nuntil: {error: 9}", "7:1"),
    ],
    "rules": [
        ("variants: english", "2:1"),
        ("variants: [english, english]", "2:21"),
        ("variants: {a/b: english, c: russian}", "2:12"),
        ("variants: {a: english, c: {base: russian, captur: free}}", "2:43", "did you mean 'no_capture'?"),
        ("variant: english\nvariants: [english, russian]", "3:1"),
        ("variants: [english, russian]\nopenings: {set: {rusian: russian-table}}", "3:18", "did you mean 'russi"),
        ("variants: [english, russian]\nopenings: {set: {russian: russian-tables}}", "3:18", "did you mean 'russ"),
        ("variants: {a: english, a-b: russian}\nlimits: {b-c: {depth: 2}, c: {depth: 3}}", "3:27"),
    ],
    "limits": [
        ("{d2: {depth: 2}, d3: 3}", "3:26"),
        ("{d2: {depth: 2}, d3: {depht: 3}}", "3:31", "did you mean 'depth'?"),
        ("{d2: {depth: 2}, d3: {increment: 1}}", "3:31"),
        ("{d2: 012, d3: {depth: 3}}", "3:10"),
    ],
    "entry": [
        ("{type: submision/*.py}", "5:6", "did you mean 'submissions'?"),
        ("{type: submissions/z*.py, depth: 3}", "5:6"),
        ("{type: submissions/_*.py}", "5:6"),
        ("{evaluation: 'submissions/*.txt', type: negamax}", "5:6"),
        ("{name: me, type: submissions/*.py}", "5:6"),
        ("{name: '{fiel}', type: submissions/*.py}", "5:6", "did you mean 'file'?"),
        ("{type: submissions/*.py, depth: 65}", "5:30"),
        ("{type: submissions/*.py, sweep: {depth: [1, 2]}}", "5:6"),
        ("simpel@d6", "5:5", "did you mean 'simple'?"),
        (f"{300 * 'n'}@d6", "5:5"),
        (f"{{name: {300 * 'n'}, type: random}}", "5:6"),
        ("simple@6", "5:5"),
        ("submissions/dore.py:Dora", "5:5", "did you mean submissions/dora.py?"),
        ("submissions/two.py", "5:5"),
        ("{name: 'x{depth}', type: negamax, sweeep: {depth: [1, 2]}}", "5:39", "did you mean 'sweep'?"),
        ("{name: x, type: randm}", "5:15", "unknown player 'randm'; did you mean 'random'?"),
        ("{name: x, type: greedy, depht: 3}", "5:29", "unknown option 'depht'; did you mean 'depth'?"),
        ("{name: x, type: negamax, depth: 2, preset: ful}", "5:40", "did you mean 'full'?"),
        ("{name: x, type: negamax, depth: 2, tt: big}", "5:40"),
        ("{name: x, type: greedy, evaluation: {linear: {kng: 2}}}", "5:51", "did you mean 'king'?"),
        ("{name: x, type: greedy, evaluation: {mix: {safety: a}}}", "5:48"),
        ("{name: x, type: engine}", "5:5"),
        ("{name: r1, type: greedy, depth: 4}\n  - {name: r1, type: random}", "6:6"),
        ("{<<: {type: random}, name: y}", "5:6"),
    ],
}
"""Texts, line and column of their error, and what was meant."""
CASES = [(part, text, place, "".join(meant)) for part, cases in BAD.items() for text, place, *meant in cases]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Submissions, and files of a training."""
    made = tmp_path_factory.mktemp("bad")
    codes = {"dora": CHOOSES.format("Dora"), "two": CHOOSES.format("A") + CHOOSES.format("B"), "__init__": ""}
    for path in ("submissions", "runs", "empty"):
        (made / path).mkdir()
    for name, code in codes.items():
        (made / "submissions" / f"{name}.py").write_text(code)
    (made / "runs" / "a-1.npz").touch()
    return made


@pytest.mark.parametrize(("part", "text", "place", "meant"), CASES)
def test_a_bad_configuration_has_its_error_at_its_place(folder, part, text, place, meant):
    path = folder / "run.yaml"
    path.write_text(CONFIGS[part](text))
    with pytest.raises(ConfigError) as caught:
        load_all(path)
    lines = str(caught.value).split("\n")
    assert len(lines) == len(caught.value.problems) and all(len(line) < 800 for line in lines)
    assert len(lines) == 1 or part in ("example", "format", "entry", "sweep")
    assert [line for line in lines if line.startswith(f"{path}:{place}: ") and meant in line], lines


def test_all_problems_of_a_file_are_found_at_once_in_options_evaluations_and_the_judge_too(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        "name: a\nvarient: english\nopenings: {count: -4}\ngrade: {judge: {type: negmax}}\nplayers:\n"
        "  - {name: a, type: negamax, depth: zero, evaluation: simpel, tt: big, kind: 1}\n"
        "  - {name: b, type: randm}\n"
        "  - {name: c, type: randm}\n"
    )
    with pytest.raises(ConfigError) as caught:
        load_all(path)
    places = [(problem.line, problem.column) for problem in caught.value.problems]
    assert places == [(1, 1), (2, 1), (3, 12), (4, 17), (6, 30), (6, 43), (6, 63), (6, 72), (7, 15), (8, 15)]
