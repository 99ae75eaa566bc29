"""SPSA over numbers of a player's entry: what it climbs, bounds, whole numbers, and tunings of an own player."""

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.experiment.load import load
from arena.learning.games import Job, Terms
from arena.learning.method import Step
from arena.learning.numbers import Number, NumberError, PlayerNumbers, TunedNumber, tuned_number
from arena.learning.spsa import Spsa, slope
from arena.learning.store import Played
from arena.learning.terms import RandomOpenings
from arena.rules.variants import VARIANTS
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke, one_line
from tests.helpers.tunings import games_stored, mark_games, refusal_of, written

ENGLISH = VARIANTS["english"]
FILE = "tuning.sqlite"
FULL = PlayerSpec("a", "negamax", Limit(nodes=500), {"preset": "full", "tt": 1})
OWN = """\
from arena.rules.variants import Variant
from players.baselines import Random
from players.negamax.player import Negamax
from players.player import Limit


class Toy:
    \"\"\"Plays well as often as `aim` is near 3.\"\"\"

    def __init__(self, variant: Variant, aim: float = 0.0, width=2, calm: bool = False) -> None:
        self.skill = 0.5 ** ((aim - 3) / width) ** 2
        self.players = Negamax(variant, "material", "alphabeta"), Random(variant)

    def choose(self, game, limit, rng):
        return self.players[rng.random() >= self.skill].choose(game, Limit(depth=2), rng)
"""
TOY = """\
name: toy
variant: english
seed: 4
openings: {random_plies: 4, balanced: false}
max_plies: 60
player: {type: "own.py:Toy", in_process: true}
tuning:
  method: spsa
  numbers: {aim: {least: -2, most: 8, step: 1}}
  steps: 8
  pairs: 4
  check: 10
"""


def terms(spec: PlayerSpec) -> Terms:
    return Terms(ENGLISH, spec, RandomOpenings(), 1, 100, Path())


class Judge:
    """Plays a tuning's games by a strength that options have, and keeps them as a store does."""

    def __init__(self, strength: Callable[[Mapping[str, Any]], float], noise: float = 0.0) -> None:
        self.strength, self.noise = strength, noise
        self.rng = np.random.default_rng(1)
        self.kept: dict[str, list[Played]] = {}
        self.jobs: list[Job] = []

    def play(self, stage: str, jobs: list[Job]) -> Generator[Any, None, bool]:
        self.kept[stage] = [self._played(job) for job in jobs]
        self.jobs += jobs
        return True
        yield

    def games(self, stage: str) -> list[Played]:
        return self.kept[stage]

    def _played(self, job: Job) -> Played:
        lead = self.strength(job.white.options) - self.strength(job.black.options)
        lead += self.rng.normal(0, self.noise) if self.noise else 0
        return Played(job.stage, job.game, "white" if lead > 0 else "black" if lead < 0 else "draw", "", 10, b"")


def tuned(method: Spsa, judge: Judge, spec: PlayerSpec = FULL) -> list[Step]:
    steps: list[Step] = []
    while len(steps) < method.step_count:
        run = method.step(terms(spec), judge.play, judge, steps)  # type: ignore[arg-type]
        with pytest.raises(StopIteration) as end:
            next(run)
        steps.append(end.value.value)
    return steps


def spsa(numbers: Mapping[str, Any], **settings: Any) -> Spsa:
    return Spsa.model_validate({"method": "spsa", "numbers": numbers, **settings})


def test_it_climbs_to_the_best_numbers_each_in_its_own_unit() -> None:
    numbers = {"aspiration": {"least": 0, "most": 2}, "contempt": {"least": -10, "most": 10, "start": 8}}

    def strength(options: Mapping[str, Any]) -> float:
        return -(((options["aspiration"] - 1.5) / 0.2) ** 2) - ((options["contempt"] + 4) / 2) ** 2

    steps = tuned(spsa(numbers, steps=150, pairs=4), Judge(strength, noise=1.0))
    assert steps[-1].theta == pytest.approx([1.5, -4], rel=0.2)


def signed(name: str, sign: int, options: Mapping[str, Any]) -> float:
    return sign * float(options[name])


def test_numbers_stay_inside_their_bounds_in_games_and_in_steps() -> None:
    for name, given, least, most in (
        ("aspiration", {"least": 0.2, "most": 0.8}, 0.2, 0.8),
        ("tables", {"start": 3, "step": 2}, 0, 6),
    ):
        for sign, end in ((1, most), (-1, least)):
            judge = Judge(partial(signed, name, sign))
            steps = tuned(spsa({name: given}, steps=30, pairs=2), judge)
            assert steps[-1].theta == [end]
            asked = [job.white.options[name] for job in judge.jobs]
            assert least <= min(asked) <= max(asked) <= most and end in asked
            assert all(least <= step.theta[0] <= most for step in steps)


def test_a_pair_is_a_change_against_the_opposite_with_colours_swapped_from_one_opening() -> None:
    judge = Judge(lambda options: 0)
    tuned(spsa({"contempt": {"step": 2}}, steps=1, pairs=3), judge)
    for one, two in zip(judge.jobs[::2], judge.jobs[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white)
        assert one.pair == two.pair
        assert one.white.options["contempt"] == -one.black.options["contempt"]
        assert abs(one.white.options["contempt"]) == 2, "fishtest's c_end, in the last step"
    assert len({job.pair for job in judge.jobs}) == 3


def test_the_change_decays_to_the_step_in_the_end() -> None:
    method = spsa({"contempt": {"step": 2}}, steps=100)
    assert method.perturbation(100) == pytest.approx(1)
    assert method.perturbation(1) == pytest.approx(100**0.101)
    assert method.gain(90) == pytest.approx(20 / 100**0.602)


def test_of_a_linear_score_every_orthogonal_set_of_changes_shows_the_exact_slope() -> None:
    truth, deltas = np.array([0.2, -0.5]), np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    for change in (1.0, 1.3):
        assert slope(deltas, 2 * change * deltas @ truth, change) == pytest.approx(truth)


def test_whole_numbers_are_rounded_by_chance_in_games_and_to_the_nearest_when_written() -> None:
    number = TunedNumber("tt", 4.0, 0.0, 100.0, 2.0, whole=True)
    vector = PlayerNumbers((number,), FULL)
    draws = np.random.default_rng(3).random(4000)
    values = [vector.options(np.array([4.3]), np.array([draw]))["tt"] for draw in draws]
    assert set(values) == {4, 5} and all(type(value) is int for value in values)
    assert np.mean(values) == pytest.approx(4.3, abs=0.03)
    assert vector.shown(np.array([4.6])).tolist() == [5]
    assert vector.options(np.array([4.6]))["tt"] == 5
    assert (vector.text(np.array([4.6])), vector.traced(np.array([4.6]))) == ("tt 4.6", [4.6])
    below = PlayerNumbers((number._replace(name="contempt", least=-9.0),), FULL)
    assert (below.text(np.array([-4.6])), below.traced(np.array([-4.6]))) == ("contempt −4.6", [-4.6])


@pytest.mark.parametrize(
    ("spec", "name", "given", "expected"),
    [
        (FULL, "aspiration", {"most": 2}, (0.5, 0, 2, 0.1, False)),
        (FULL, "contempt", {"least": -10, "most": 10}, (0, -10, 10, 1, False)),
        (FULL, "tables", {}, (0, 0, 6, 0.5, True)),
        (
            PlayerSpec("a", "negamax", Limit(), {"contempt": 3.0}),
            "contempt",
            {"step": 2},
            (3, None, None, 2, False),
        ),
        (PlayerSpec("a", "mcts"), "exploration", {"most": 1}, (0.7, 0, 1, 0.05, False)),
        (PlayerSpec("a", "hybrid"), "trust", {"start": 50, "most": 1001}, (50, 1, 1001, 50, True)),
        (
            PlayerSpec("a", "mcts", Limit(), {"rollout": {"depth": 2}}),
            "rollout.depth",
            {"least": 0, "most": 8},
            (2, 0, 8, 0.5, True),
        ),
    ],
)
def test_what_is_left_out_is_the_players(
    spec: PlayerSpec, name: str, given: dict[str, float], expected: tuple[Any, ...]
) -> None:
    found = tuned_number(name, Number(**given), spec)
    infinite = {0: -np.inf, 1: np.inf}
    start, least, most, step, whole = expected
    ends = [infinite[i] if end is None else end for i, end in enumerate((least, most))]
    assert found == (name, start, *ends, pytest.approx(step), whole)


def test_a_number_within_a_mapping_leaves_the_rest_of_it() -> None:
    spec = PlayerSpec("a", "negamax", Limit(), {"evaluation": {"linear": {"man": 100, "king": 150}}})
    number = tuned_number("evaluation.linear.king", Number(step=10), spec)
    found = PlayerNumbers((number,), spec).options(np.array([161.5]))
    assert found == {"evaluation": {"linear": {"man": 100, "king": 162}}}
    assert spec.options["evaluation"] == {"linear": {"man": 100, "king": 150}}
    inside = PlayerSpec("a", "negamax", Limit(), {"evaluation": "simple"})
    with pytest.raises(NumberError, match=r"so .* has no place in it"):
        tuned_number("evaluation.linear.king", Number(start=1, step=1), inside)


def own_written(folder: Path, text: str) -> Path:
    """A configuration of a tuning, beside the file with its own class."""
    (folder / "own.py").write_text(OWN)
    return written(folder, text)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tuning of the own player that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    result = invoke("tune", own_written(folder, TOY), "--out", folder / "out", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("The tuned numbers beat the start (+")
    assert f"tuned: {folder / 'out' / 'tuned.yaml'}, report: {folder / 'out' / 'summary.md'}" in result.stdout
    assert "step 8/8: aim " in result.stderr
    return folder / "out"


def test_a_tuning_of_an_own_player_finds_its_number_and_writes_it_to_use(whole: Path, tmp_path: Path) -> None:
    config = tmp_path / "use.yaml"
    (tmp_path / "own.py").write_text(OWN)
    config.write_text("name: use\nvariant: english\nplayers:\n" + (whole / "tuned.yaml").read_text())
    (spec,) = load(config).players
    assert (spec.name, spec.type, spec.in_process) == ("tuned", "own.py:Toy", True)
    assert spec.options == {"aim": pytest.approx(3, abs=2)}
    rows = list(csv.DictReader((whole / "path.csv").open()))
    assert [row["step"] for row in rows] == [str(n) for n in range(9)]
    assert (float(rows[0]["aim"]), float(rows[-1]["aim"])) == (0, spec.options["aim"])


def test_the_report_has_the_match_the_table_the_entry_and_the_chart(whole: Path) -> None:
    summary = (whole / "summary.md").read_text()
    assert summary.startswith("The tuned numbers beat the start")
    entry = (whole / "tuned.yaml").read_text().partition("\n")[2]
    assert f"```yaml\n{entry}```" in summary
    assert "| aim | 0 |" in summary and " | −2 | 8 | 1 |" in summary
    assert summary.count("\n| the start | 20 |") == 1
    assert "+7/+5/+3" not in summary, "numbers meet those of the start alone"


def same_outcome(first: Path, second: Path) -> bool:
    names = ("tuned.yaml", "path.csv", "summary.md", "path.png")
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


@pytest.mark.full
def test_the_number_of_workers_changes_nothing(whole: Path, tmp_path: Path) -> None:
    assert invoke("tune", own_written(tmp_path, TOY), "--out", tmp_path / "out", "--workers", 2).exit_code == 0
    assert same_outcome(whole, tmp_path / "out")


@pytest.mark.full
def test_a_tuning_that_was_stopped_resumes_within_its_step(whole: Path, tmp_path: Path) -> None:
    config, out = own_written(tmp_path, TOY), tmp_path / "out"
    command = [sys.executable, "-m", "arena", "tune", str(config), "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    while games_stored(out / FILE) < 13:
        assert process.poll() is None, "the tuning was over before it could be stopped"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    before = games_stored(out / FILE)
    mark_games(out / FILE)
    assert invoke("tune", config, "--out", out, "--workers", 1).exit_code == 0
    assert games_stored(out / FILE, plies=999) == before, "stored games are not played again"
    assert same_outcome(whole, out)


NEGAMAX = TOY.replace('{type: "own.py:Toy", in_process: true}', "{preset: full, tt: 1, nodes: 100}").replace(
    "aim: {least: -2, most: 8, step: 1}", "aspiration: {most: 2}"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{most: 2}", "{mist: 2}"),
        ("{most: 2}", "3"),
        ("{most: 2}", "{most: two}"),
        ("{most: 2}", "{}"),
        ("{most: 2}", "{most: 2, least: 3}"),
        ("{most: 2}", "{most: 2, least: -1}"),
        ("{most: 2}", "{most: 2, start: 3}"),
        ("{most: 2}", "{most: 0.4}"),
        ("{most: 2}", "{most: 2, step: 0}"),
        ("aspiration: {most: 2}", "tables: {most: 4.5}"),
        ("aspiration: {most: 2}", "tables: {most: 6, step: 0.1}"),
        ("{aspiration: {most: 2}}", "{}"),
        ("method: spsa", "method: spsa\n  against: material"),
        ("nodes: 100", "seconds: 1"),
        ("preset: full", "preset: ful"),
        ("{preset: full, tt: 1, nodes: 100}", "{type: negamx, nodes: 100}"),
        ("{preset: full, tt: 1, nodes: 100}", "simple@0.1s"),
        ("{preset: full, tt: 1, nodes: 100}", "{preset: minimax, depth: 2}"),
    ],
)
def test_a_broken_configuration_gets_one_line_with_its_place(tmp_path: Path, old: str, new: str) -> None:
    text = NEGAMAX.replace(old, new)
    assert text != NEGAMAX
    one_line(refusal_of(own_written(tmp_path, text)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("aim: {", "aims: {"),
        ("aim: {", "calm: {"),
        ("aim: {", "nodes: {"),
        ("least: -2, most: 8, step: 1", "most: 8"),
        ("aim: {least: -2, most: 8, step: 1}", "width: {start: 0.5, least: 0, most: 1}"),
        ("own.py:Toy", "own.py:Tiy"),
        ("in_process: true", "in_process: true, aim: much"),
        ("in_process: true", "width: 0"),
    ],
)
def test_an_own_players_numbers_are_checked_as_its_entry_is(tmp_path: Path, old: str, new: str) -> None:
    result = invoke("tune", own_written(tmp_path, TOY.replace(old, new)), "--out", tmp_path / "out")
    assert result.exit_code == 2, result.output
    error_line(result.stderr)
