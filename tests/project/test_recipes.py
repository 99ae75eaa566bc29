"""Tests of the scripts in `configs/recipes`: each at a small size, and stopped and gone on with."""

import importlib.util
import random
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from arena.experiment.openings.sources import random_line
from players.evaluation.build import build_evaluation
from tests.helpers.needed import needed
from tests.helpers.runs import StoredRun

pytestmark = [pytest.mark.full, pytest.mark.compiled]
RECIPES = Path(__file__).parents[2] / "configs" / "recipes"
ENGLISH = arena.VARIANTS["english"]


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "run", partial(arena.run, workers=1, quiet=True))


def recipe(name: str) -> Any:
    """The module of a recipe."""
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def games(run: arena.Run) -> set[tuple[str, ...]]:
    """The players, the opening and the worker's time of each game, which another play would change."""
    columns = run.games[["white", "black", "opening_fen", "began"]]
    return {tuple(map(str, row)) for row in columns.itertuples(index=False)}


def test_texel_finds_weights_in_a_run_that_goes_on_with_its_stored_players(tmp_path):
    texel, out = recipe("texel"), str(tmp_path / "run")
    first = texel.tuned(out, rounds=1, openings=4)
    run = texel.tuned(out, rounds=2, openings=4)
    assert [player.name for player in run.experiment.players] == ["simple", "round 0", "round 1", "round 2"]
    assert len(run.games) == 6 * 8 and games(first) < games(run)
    weights = run.experiment.players[-1].options["evaluation"]["linear"]
    assert set(weights) == set(arena.features.VOCABULARY) and weights["man"] == 100


def test_spsa_moves_numbers_in_a_run_that_goes_on_with_its_stored_games(tmp_path):
    spsa, out = recipe("spsa"), str(tmp_path / "run")
    spsa.PLAYER["nodes"] = 50
    play = spsa.played

    def stopped(players: list[dict[str, Any]], *rest: Any) -> arena.Run:
        if len(players) > 3:
            raise KeyboardInterrupt
        run: arena.Run = play(players, *rest)
        return run

    spsa.played = stopped
    with pytest.raises(KeyboardInterrupt):
        spsa.tuned(out, steps=2, openings=4, check=1)
    before, spsa.played = games(arena.load(out)), play
    start, tuned = (player.options for player in spsa.tuned(out, steps=2, openings=4, check=1).experiment.players)
    assert before < games(arena.load(out)) and len(games(arena.load(out))) == 4 * 8
    assert start["exploration"] == spsa.NUMBERS["exploration"].start and start != tuned
    assert all(number.least <= tuned[name] <= number.most for name, number in spsa.NUMBERS.items())


def test_a_network_learns_from_a_run_and_plays(tmp_path):
    needed("torch")
    check = recipe("network").learned(str(tmp_path / "run"), openings=20, epochs=1, check=1)
    assert sorted(check.standings["player"]) == ["material", "network"] and len(check.games) == 2


def test_the_file_of_a_network_has_the_values_that_pytorch_gives(tmp_path):
    torch, network = needed("torch"), recipe("network")
    torch.manual_seed(1)
    made, path = network.Network(35), tmp_path / "network.npz"
    made.save(path, unit=100.0)
    rng = random.Random(1)
    positions = [game.position for game in (random_line(ENGLISH, plies, rng) for plies in range(60))]
    boards, phases = network.views(ENGLISH, positions)
    logits = made(torch.from_numpy(boards), torch.from_numpy(phases)).detach().numpy()
    values = build_evaluation(str(path), ENGLISH).values(ENGLISH.rules, positions)
    assert np.abs(values - 100 * logits).max() < 5 and np.corrcoef(values, logits)[0, 1] > 0.99


def test_the_adapter_is_an_environment_of_gymnasium(tmp_path):
    environment = recipe("gymnasium_adapter").OneAgent(opponent="greedy", max_plies=40)
    observation, info = environment.reset(seed=1)
    assert environment.observation_space.contains(observation) and info["fen"]
    ended = False
    while not ended:
        action = int(np.flatnonzero(observation["action_mask"])[0])
        observation, reward, terminated, truncated, _ = environment.step(action)
        assert environment.observation_space.contains(observation) and reward in (-1, 0, 1)
        ended = terminated or truncated


def test_the_table_in_latex_compiles(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with StoredRun(tmp_path / "reports" / "quickstart", ("50 % & a_b#", "simple^{d1}", "out")) as stored:
        for result in ("white", "white", "draw", "black"):
            stored.add("50 % & a_b#", "simple^{d1}", result)
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    exec(text.partition("## A table in LaTeX")[2].split("```python\n")[1].partition("```")[0], {})
    table = capsys.readouterr().out
    elo = arena.load("reports/quickstart").standings.iloc[0]
    assert rf"${elo['elo']:+.0f} \pm {(elo['elo_high'] - elo['elo_low']) / 2:.0f}$ & 4 \\" in table
    assert "nan" not in table
    document = rf"\documentclass{{article}}\begin{{document}}{table}\end{{document}}"
    (tmp_path / "table.tex").write_text(document)
    if shutil.which("pdflatex"):
        subprocess.run(["pdflatex", "-halt-on-error", "table.tex"], check=True, capture_output=True)
