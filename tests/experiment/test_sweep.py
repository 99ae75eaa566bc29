"""Sweeps: which players they make, and under which names."""

from pathlib import Path
from typing import Any

import pytest

from arena.experiment.expand import MAX_PLAYERS
from arena.experiment.load import load
from players.player import Limit
from tests.helpers.configs import errors, loaded

EVALUATORS = "from arena import evaluator\n" + "".join(
    f"\n\n@evaluator\ndef {name}(position, rules):\n    return 0.0\n" for name in ("fast", "slow", "simple")
)
HEAD = "name: a\nvariant: english\nplayers:\n"


def entry(sweep: str, name: str | None = "{evaluation} d{depth}", more: str = "") -> str:
    """A configuration with one entry, each line of `sweep` a key of its sweep."""
    first = (
        f'  - name: "{name}"\n    type: negamax\n' if name is not None else "  - type: negamax\n    preset: pvs\n"
    )
    keys = "".join(f"      {line}\n" for line in sweep.splitlines())
    return f"{HEAD}{first}{more}    sweep:\n{keys}"


def made(folder: Path, text: str) -> dict[str, dict[str, Any]]:
    """The players as the ledger describes them, by name, without name and type."""
    players = loaded(folder, text).as_dict()["players"]
    return {p["name"]: {k: v for k, v in p.items() if k not in ("name", "type")} for p in players}


def test_a_grid_is_every_combination_in_the_order_written(tmp_path):
    players = made(tmp_path, entry("evaluation: [simple, cis300]\ndepth: {from: 1, to: 3}"))
    assert players == {
        f"{evaluation} d{depth}": {"evaluation": evaluation, "depth": depth}
        for evaluation in ("simple", "cis300")
        for depth in (1, 2, 3)
    }
    assert list(players)[:4] == ["simple d1", "simple d2", "simple d3", "cis300 d1"]


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("{from: 3, to: 3}", [3]),
        ("{from: 2, to: 9, step: 3}", [2, 5, 8]),
        ("{from: 1000, to: 64000, factor: 2}", [1000, 2000, 4000, 8000, 16000, 32000, 64000]),
        ("{from: 3, to: 100, factor: 3}", [3, 9, 27, 81]),
        ("{from: 0.1, to: 0.7, step: 0.1}", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        ("{from: 0.005, to: 0.04, factor: 2}", [0.005, 0.01, 0.02, 0.04]),
    ],
)
def test_a_range_has_both_ends_where_its_steps_lead_there(tmp_path, written, values):
    key = "nodes" if isinstance(values[0], int) else "seconds"
    players = made(tmp_path, entry(f"{key}: {written}", f"{{{key}}}"))
    assert [player[key] for player in players.values()] == values
    assert list(players) == list(map(str, values))


LINEAR = "{linear: {man: 100, king: %d}}"


@pytest.mark.parametrize(
    ("sweep", "template", "names"),
    [
        ("depth: [4]\ntt: [0, 16]\npartial: [true, false]", None,
         [f"depth 4, tt {tt}, {partial}" for tt in (0, 16) for partial in ("partial", "no partial")]),
        ("evaluation: [simple, a.py:fast, a.py:slow, b.py:slow, b.py:simple]\ndepth: [4]", "{evaluation} d{depth}",
         ["simple d4", "fast d4", "a.py:slow d4", "b.py:slow d4", "b.py:simple d4"]),
        (f"evaluation: [simple, {LINEAR % 130}, {LINEAR % 160}]", None, ["simple", "king 130", "king 160"]),
        (f"evaluation: [simple, {LINEAR % 130}]", None, ["simple", "linear"]),
        ("depth: [4]", "{{x}} {type} {preset} {depth}", ["{x} negamax pvs 4"]),
    ],
)  # fmt: skip
def test_a_name_is_the_templates_or_says_what_tells_players_apart(tmp_path, sweep, template, names):
    for file in ("a.py", "b.py"):
        (tmp_path / file).write_text(EVALUATORS)
    more = "    preset: pvs\n" * (template is not None)
    assert list(made(tmp_path, entry(sweep, template, more))) == names


def test_limit_makes_one_player_at_equal_depth_nodes_and_time(tmp_path):
    experiment = loaded(tmp_path, entry("limit: [{depth: 6}, {nodes: 20000}, {clock: 9, increment: 0.1}]", None))
    limits = {spec.name: spec.limit for spec in experiment.players}
    assert limits == {
        "depth 6": Limit(depth=6),
        "nodes 20000": Limit(nodes=20000),
        "clock 9 increment 0.1": Limit(clock=9, increment=0.1),
    }


def test_dots_lead_into_a_mapping_that_other_players_do_not_share(tmp_path):
    weights = "    depth: 4\n    evaluation: {linear: {man: 100}}\n"
    players = made(tmp_path, entry("evaluation.linear.king: {from: 120, to: 160, step: 20}", None, weights))
    assert players == {
        f"king {king}": {"preset": "pvs", "depth": 4, "evaluation": {"linear": {"man": 100, "king": king}}}
        for king in (120, 140, 160)
    }


def trained(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def test_files_make_players_in_the_order_of_their_names(tmp_path):
    trained(tmp_path, "runs/b-2.npz", "runs/a-3.npz", "runs/notes.txt", "runs/9.npz/x")
    experiment = loaded(tmp_path, entry('evaluation: {files: "runs/*.npz"}\ndepth: [4]', None))
    assert [player.options["evaluation"] for player in experiment.players] == ["runs/a-3.npz", "runs/b-2.npz"]
    assert [player.name for player in experiment.players] == ["a-3.npz, depth 4", "b-2.npz, depth 4"]
    assert load(experiment.as_dict()).as_dict() == experiment.as_dict()
    named = loaded(tmp_path, entry('evaluation: {files: "runs/*.npz"}\ndepth: [1, 2]', "{evaluation} at {depth}"))
    assert [player.name for player in named.players][:2] == ["a-3.npz at 1", "a-3.npz at 2"]


def test_files_are_found_beside_the_configuration_else_in_the_working_directory(tmp_path, monkeypatch):
    work, beside = tmp_path / "work", tmp_path / "beside"
    trained(tmp_path, "work/runs/1.npz", "work/runs/2/3.npz", "beside/other")
    monkeypatch.chdir(work)

    def found(pattern: str, name: str | None = None) -> list[str]:
        players = loaded(beside, entry(f'evaluation: {{files: "{pattern}"}}', name)).players
        return [player.options["evaluation"] for player in players]

    assert found("runs/**/*.npz") == ["runs/1.npz", "runs/2/3.npz"]
    trained(beside, "runs/7.npz")
    assert found("runs/**/*.npz") == ["runs/7.npz"]
    assert found(f"{work}/runs/*.npz", name="net") == [f"{work}/runs/1.npz"]


def test_an_error_in_a_fixed_value_is_one_problem_and_a_wrong_sweep_hides_no_other_error(tmp_path):
    assert errors(tmp_path, entry("nodes: [1, 2, 3]", "n{nodes}", "    depth: 0\n")) == [
        "6:5: 'depth' must be greater than or equal to 1, not the whole number 0"
    ]
    found = errors(tmp_path, entry("depth: []", "d{depth}") + "  - {name: y, type: 5}\nanchor: d6\n")
    assert [line.split(":")[0] for line in found] == ["7", "8"]


def test_the_sweeps_of_all_entries_together_make_a_bounded_number_of_players(tmp_path):
    half = "depth: {from: 1, to: 10}\nnodes: {from: 1, to: 10}"
    text = entry(half, "a {depth} {nodes}") + entry(half, "b {depth} {nodes}").removeprefix(HEAD)
    assert len(loaded(tmp_path, text).players) == MAX_PLAYERS
    more = text + entry("depth: [1]", "c {depth}").removeprefix(HEAD)
    assert errors(tmp_path, more) == ["16:5: the sweeps and patterns make 201 players, more than 200"]
