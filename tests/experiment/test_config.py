"""Configurations: what loads, and the errors of files that are none."""

import json
import re
from dataclasses import replace

import pytest
import yaml

from arena.experiment.load import KEPT_CONFIG, as_yaml, load
from arena.experiment.yaml.values import ConfigError
from players.loading import located
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import one_line
from tests.helpers.configs import EXAMPLE, MINIMAL, errors, loaded


def places(lines: list[str]) -> list[str]:
    """Line and column of each error."""
    return [":".join(line.split(":")[:2]) for line in lines]


def test_the_example_becomes_an_experiment(tmp_path):
    experiment = loaded(tmp_path, EXAMPLE)
    assert (experiment.name, experiment.variant, experiment.seed) == ("heuristics", "english", 2026)
    assert (experiment.openings.random_plies, experiment.openings.count) == (6, 20)
    assert (experiment.max_plies, experiment.anchor) == (200, {"simple-d6": 0.0})
    weights = {"linear": {"man": 100, "king": 160.5, "back_row": -6}}
    assert experiment.players == (
        PlayerSpec("random", "random"),
        PlayerSpec("simple-d6", "negamax", Limit(depth=6), {"evaluation": "simple"}),
        PlayerSpec("mine-d6", "negamax", Limit(depth=6), {"evaluation": "my_heuristic.py:advance"}),
        PlayerSpec("weights-d6", "negamax", Limit(depth=6), {"evaluation": weights}),
    )
    assert experiment.path == tmp_path / "run.yaml"


def test_an_entry_without_a_name_is_named_by_its_settings_and_a_file_by_what_plays_in_it(tmp_path):
    (tmp_path / "own.py").write_text("@evaluator\ndef racer(position, rules): ...\ndef helper(): ...\n")
    players = ["simple@d2", {"type": "negamax", "evaluation": "simple", "depth": 4}, {"type": "mcts"}, "own.py@d2"]
    experiment = loaded(tmp_path, yaml.safe_dump({"name": "a", "variant": "english", "players": players}))
    assert [player.name for player in experiment.players] == ["simple d2", "simple d4", "mcts", "racer d2"]
    assert experiment.players[3].options["evaluation"] == "own.py:racer"
    (tmp_path / "hub").touch()
    (player, _) = loaded(tmp_path, f"{MINIMAL.replace('{name: x, type: random}', './hub@d3')}  - greedy\n").players
    assert (player.name, player.options) == ("hub d3", {"command": ["./hub"], "folder": "."})
    (tmp_path / "own.py").write_text("def racer(position, rules): ...\nclass Bot: ...\n")
    [line] = errors(tmp_path, f"{MINIMAL}  - own.py@d2\n")
    assert "it has: Bot, racer" in line


def test_as_dict_is_json_and_loads_to_the_same_experiment(tmp_path):
    experiment = loaded(tmp_path, EXAMPLE)
    stored = json.loads(json.dumps(experiment.as_dict(), allow_nan=False))
    assert stored == experiment.as_dict()
    assert stored["players"][3] == yaml.safe_load(EXAMPLE)["players"][3]
    again = loaded(tmp_path, yaml.safe_dump(stored))
    assert again.as_dict() == stored
    assert again.players == experiment.players


def test_workers_are_processes_or_an_address_or_left_to_the_machine(tmp_path):
    for workers in (4, None, "tcp://host:8786"):
        assert loaded(tmp_path, f"workers: {workers or 'null'}\n{EXAMPLE}").workers == workers


def test_options_keep_names_that_python_or_pydantic_use(tmp_path):
    options = ["_x", "model_config", "copy", "self", "__class__", "__init__", "limit", "options", "sweeps"]
    text = MINIMAL.replace("random}", "mine.py:Mine, " + ", ".join(f"{key}: 1" for key in options) + "}")
    experiment = loaded(tmp_path, text)
    assert experiment.players[0].options == dict.fromkeys(options, 1)
    assert experiment.as_dict()["players"][0] == {"name": "x", "type": "mine.py:Mine"} | dict.fromkeys(options, 1)


def test_limits_are_given_together_and_null_is_no_limit_and_no_anchor(tmp_path):
    limits = "depth: 9, nodes: 5000, seconds: 0.5, clock: 60.0, increment: 0.6"
    players = f"random, depth: null}}\n  - {{name: y, type: random, {limits}}}"
    experiment = loaded(tmp_path, MINIMAL.replace("random}", players) + "anchor:\n")
    assert [player.limit for player in experiment.players] == [Limit(), Limit(9, 5000, 0.5, 60.0, 0.6)]
    assert experiment.anchor == {}
    assert experiment.as_dict()["players"][0] == {"name": "x", "type": "random"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *(("1_000", 1000), ("0x1F", 31), ("1.0e+3", 1000.0), ("true", True), ("'no'", "no"), ("'012'", "012")),
        *(("e3", "e3"), ("2.0.1", "2.0.1"), ("&w {man: 3}, y: *w", {"man": 3})),
    ],
)
def test_unambiguous_values_are_taken_as_written(tmp_path, written, value):
    options = loaded(tmp_path, MINIMAL.replace("random}", f"mine.py:Mine, x: {written}}}")).players[0].options
    assert list(options.values()) == [value] * len(options) and type(options["x"]) is type(value)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    text = b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode()
    assert loaded(tmp_path, text).as_dict() == loaded(tmp_path, EXAMPLE).as_dict()
    assert errors(tmp_path, text.replace(b"seed: 2026", b"seed: -1"))[0].startswith("3:1: ")


@pytest.mark.parametrize(
    "word", ["no", "Off", "012", "1:30", "1:30.5", "2026-11-21", "1e3", "-1.5E3", ".5e3", "08", "0o17"]
)
def test_a_word_that_yaml_misreads_is_refused_wherever_it_stands(tmp_path, word):
    found = [
        line
        for old, new in (("seed: 2026", f"seed: {word}"), ("name: random", f"name: {word}"), ("160.5", word))
        for line in errors(tmp_path, EXAMPLE.replace(old, new))
    ]
    assert places(found) == ["3:1", "8:6", "14:37"]
    (message,) = {line.split(": ", 1)[1] for line in found}
    one_line(message)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("# only a comment\n", "1:1"),
        ("- a\n", "1:1"),
        (b"name: \xc3\xa9\nvariant: a\xff\n", "2:11"),
        ("name: é\nseed: \x00", "2:7"),
        ("name: {a: 1\nseed: 5\n", "2:5"),
        ("a:\n\t- b\n", "2:1"),
        ("a: 1\n--- \nb: 1\n", "2:1"),
        ('a: "\\ud800"\n', "1:1"),
        ('\na: "\\Uffffffff"', r"2:\d+"),
        (f"\na: {500 * '['}", r"2:\d+"),
        (f"a: 1\nseed: {10**5 * 'x'}\n", "2:1"),
        (f"players: *{10**5 * 'x'}\n", "1:10"),
    ],
)
def test_a_file_that_is_no_configuration_is_an_error_of_readable_length_at_its_place(tmp_path, text, place):
    found = errors(tmp_path, text)
    assert any(re.fullmatch(place, found_at) for found_at in places(found))
    one_line(*found)


@pytest.mark.parametrize("path", ["missing.yaml", ".", "a\0b", "/dev/zero"])
def test_what_is_no_file_of_sensible_size_is_an_error(tmp_path, path):
    with pytest.raises(ConfigError, match=": cannot read the file: ") as caught:
        load(str(tmp_path / path))
    one_line(caught.value)


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        (("players", 1, "evaluation"), "9:48"),
        (("players", 3, "evaluation", "linear", "king"), "14:37"),
        (("players", 3, "evaluation", "linear", "queen"), "14:18"),
        (("players", 9), "7:1"),
        (("openings", "file"), "4:1"),
        (("sprt",), "1:1"),
    ],
)
def test_a_later_error_stands_at_the_nearest_key_of_the_file(tmp_path, keys, position):
    error = loaded(tmp_path, EXAMPLE).error(keys, "no such thing")
    assert isinstance(error, ConfigError)
    assert str(error) == f"{tmp_path}/run.yaml:{position}: no such thing"


def test_what_a_run_keeps_of_its_configuration_is_the_same_experiment(tmp_path):
    (tmp_path / "lines.txt").write_text("W:W21-32:B1-12\n")
    (tmp_path / "own.py").write_text("class Own:\n    pass\n")
    text = """\
name: all
variant: {base: english, men_capture_kings: false}
openings: {file: lines.txt}
process: {readable: [lines.txt]}
grade: {judge: {type: negamax, depth: 3}}
anchor: own
players:
  - {name: own, type: "own.py:Own", depth: 2}
  - {name: "{depth}", type: negamax, sweep: {depth: {from: 1, to: 3}}}
"""
    experiment = loaded(tmp_path, text)
    file = tmp_path / "reports" / "all" / KEPT_CONFIG
    file.parent.mkdir(parents=True)
    file.write_text(as_yaml(experiment, file.parent))
    again = load(file)
    own = again.players[0]
    assert located(own, file.parent) == located(experiment.players[0], tmp_path)
    players = (replace(own, type="own.py:Own"), *again.players[1:])
    there = {"players": players, "process": experiment.process, "openings": experiment.openings}
    assert again.model_copy(update=there).model_dump() == experiment.model_dump()
    for path in (again.process.readable[0], again.openings.file):
        assert (file.parent / str(path)).resolve() == tmp_path / "lines.txt"
