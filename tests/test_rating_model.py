"""The key `rating` of a configuration: which model the tables of a run are made by."""

import shutil

import numpy as np
import pytest

import arena
from arena.experiment.schema import experiment_schema
from arena.ratings.joint import rate
from arena.ratings.match import elo_from_score
from tests.helpers.command_line import invoke

RUN = """\
name: tiny
variant: english
max_plies: 40
openings: {{random_plies: 4, count: 10}}
format: {format}
rating: {{model: {model}}}
players:
  - {{name: a, type: negamax, depth: 3, evaluation: simple}}
  - {{name: b, type: negamax, depth: 1, evaluation: simple}}
"""


def written(folder, model="bradley-terry", format="match"):
    path = folder / "tiny.yaml"
    path.write_text(RUN.format(model=model, format=format))
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run by each model."""
    folder = tmp_path_factory.mktemp("runs")
    for model in ("bradley-terry", "davidson"):
        path = written(folder, model)
        assert invoke("run", path, "--out", folder / model, "--workers", 1, "--no-report").exit_code == 0
    yield {model: arena.load(folder / model) for model in ("bradley-terry", "davidson")}
    shutil.rmtree(folder)


def test_the_standings_of_a_run_are_by_the_model_of_its_configuration(runs):
    for model, run in runs.items():
        assert run.ratings.model == run.experiment.rating.model == model
        expected = rate(run.rated_games, ["a", "b"], first="black", model=model)
        np.testing.assert_array_equal(run.standings["elo"], expected.table["elo"])
    assert any("Davidson" in note for note in runs["davidson"].ratings.notes)
    assert not any("Davidson" in note for note in runs["bradley-terry"].ratings.notes)


def test_the_standings_of_a_played_match_differ_by_the_elo_of_the_score(runs):
    elo, score = (runs["bradley-terry"].standings.set_index("player")[column] for column in ("elo", "score"))
    assert 0.5 < score["a"] < 0.95 and len(runs["bradley-terry"].openings) == 10
    assert elo["a"] - elo["b"] == pytest.approx(elo_from_score(score["a"]), abs=2.5)
    assert runs["bradley-terry"].standings["score_elo"][0] == pytest.approx(elo_from_score(score.max()))


def test_a_wrong_model_is_one_line_with_the_choices(tmp_path):
    result = invoke("run", written(tmp_path, "elo"))
    assert result.exit_code == 2 and "tiny.yaml:6" in result.output
    assert "bradley-terry" in result.output and "davidson" in result.output


def test_the_schema_has_the_models():
    schema = experiment_schema()
    section = schema["properties"]["rating"]
    described = section if "properties" in section else schema["$defs"]["Rating"]
    assert described["properties"]["model"]["enum"] == ["bradley-terry", "davidson"]
