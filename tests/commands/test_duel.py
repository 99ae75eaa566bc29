"""`arena match`: the configuration that it writes, runs of equal names, exit codes, pools."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import arena
from arena.commands.catalogue import POOLS
from arena.experiment.load import load
from arena.ratings.joint import rate
from tests.helpers.command_line import invoke, refused

pytestmark = pytest.mark.usefixtures("no_pictures")
OWN = """\
class Last:
    limits = ()

    def __init__(self, variant):
        pass

    def choose(self, game, limit, rng):
        from arena import Choice
        return Choice(game.legal_moves[-1])
"""


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches end with their games: their reports are others' tests."""
    monkeypatch.setattr("arena.commands.reports.write_report", lambda *_, **__: 0)


def match(*arguments: object) -> Any:
    result = invoke("match", *arguments, "--workers", 1)
    assert result.exit_code == 0, result.stderr
    return result


def games(folder: str) -> pd.DataFrame:
    return arena.load(folder).games[["white", "black", "opening_fen", "result", "termination", "plies"]]


@pytest.mark.full
def test_a_match_writes_its_report_and_the_configuration_that_plays_the_same_games_again(empty):
    (empty / "my.py").write_text(OWN)
    result = match("greedy", "my.py:Last", "--openings", 2, "--seed", 3)
    file = Path("reports/greedy-Last/experiment.yaml")
    assert str(file.parent) in result.stdout
    assert file.with_name("report.html").is_file()
    document = yaml.safe_load(file.read_text())
    assert document["players"][1] == {"name": "Last", "type": "../../my.py:Last"}
    assert (document["openings"]["count"], document["seed"], document["format"]) == (2, 3, {"type": "match"})
    again = invoke("run", file, "--out", "again", "--workers", 1)
    assert again.exit_code == 0
    pd.testing.assert_frame_equal(games("again"), games("reports/greedy-Last"))
    (row,) = arena.load("again").comparisons.to_dict("records")
    assert (row["value"], row["reference"]) == ("Last", "greedy"), "the own code against the built-in player"


def test_the_same_match_is_complete_and_one_of_another_seed_has_a_number(empty, no_report):
    duel = ("random", "greedy", "--openings", 1)
    match(*duel)
    assert "is complete: nothing is played" in match(*duel).stderr
    match(*duel, "--seed", 1)
    assert {folder.name for folder in Path("reports").iterdir()} == {"random-greedy", "random-greedy-2"}


@pytest.mark.full
def test_more_than_two_players_meet_all_others_and_names_differ(empty, no_report):
    match("random", "greedy", "random", "--openings", 1, "--variant", "international", "--out", "three")
    experiment = load("three/experiment.yaml")
    assert [player.name for player in experiment.players] == ["random", "greedy", "random 2"]
    assert experiment.name == "random-greedy-random-2-international" and experiment.variant == "international"
    assert len(games("three")) == 6
    assert "three" in refused("match", "random", "greedy", "--out", "three")


@pytest.mark.full(but=["900-1500-4"])
@pytest.mark.parametrize(("elo0", "elo1", "code"), [(-500, 0, 0), (900, 1500, 4), (0, 0.001, 5)])
def test_a_sequential_test_ends_with_the_exit_code_of_its_verdict(elo0, elo1, code, no_report):
    played = ("match", "greedy", "random", "--sprt", elo0, elo1, "--openings", 20)
    for _ in ("played", "complete"):
        assert invoke(*played, "--workers", 1).exit_code == code
    (row,) = arena.load("reports/greedy-random").comparisons.to_dict("records")
    assert (row["value"], row["reference"]) == ("greedy", "random")
    assert row["elo_difference_low"] < row["elo_difference"] < row["elo_difference_high"]


@pytest.mark.full
def test_a_player_that_fails_comes_before_the_verdict_of_a_test(empty, no_report):
    (empty / "my.py").write_text(OWN.replace("Choice(game.legal_moves[-1])", "7"))
    played = ("match", "random", "my.py:Last", "--sprt", -500, 0, "--openings", 20)
    result = invoke(*played, "--workers", 1)
    assert result.exit_code == 3 and "not a Choice (return Choice(move))" in result.stderr


# --- pools that ship, and a newcomer placed against one


NEWCOMER = "{name: level 4, type: greedy, evaluation: strong}"


@pytest.mark.parametrize("file", sorted(POOLS.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_pool_is_a_configuration_in_which_every_player_has_its_elo(file):
    experiment = load(file)
    assert list(experiment.anchor) == [player.name for player in experiment.players]
    assert experiment.anchor["level 4"] == 0
    assert all(player.limit.longest is None for player in experiment.players)
    assert "full" not in file.read_text()


def test_a_pool_is_shown_with_the_elo_of_its_players():
    for name in ("english", "international-2026"):
        result = invoke("list", "pools", name)
        assert result.exit_code == 0 and "level 4" in result.stdout


def test_a_wrong_line_or_a_pool_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    for line in (("simple", "--pool", "englisch"), ("simpel@d3", "--pool", "english")):
        refused("match", *line)
    for unfit in ("simple", "--openings 5", "--variant russian", "--watch", "--sprt 0 5"):
        assert "--pool" in refused("match", "greedy", *unfit.split(), "--pool", "english")
    monkeypatch.setattr("arena.commands.catalogue.POOLS", tmp_path)
    (tmp_path / "own-2026.yaml").write_text("name: [x")
    for words in (["list", "pools", "own"], ["match", "simple", "--pool", "own"]):
        assert str(tmp_path / "own-2026.yaml") in refused(*words)


@pytest.mark.full
def test_a_newcomer_plays_a_gauntlet_against_a_pool_whose_elo_is_fixed(tmp_path):
    folder = tmp_path / "placed"
    result = match(NEWCOMER, "--pool", "english", "--until", 200, "--seed", 3, "--out", folder)
    document = yaml.safe_load((folder / "experiment.yaml").read_text())
    newcomer = document["players"][0]["name"]
    assert document["format"] == {"type": "gauntlet", "seeds": [newcomer]} and newcomer != "level 4"
    run = arena.load(folder)
    table = run.standings.set_index("player")
    assert table["elo"].drop(newcomer).to_dict() == pytest.approx(run.experiment.anchor)
    alone = rate(run.games, run.players, first=run.data.first, anchor=run.anchor).table.set_index("player")
    by_games, in_all = (each["elo_high"][newcomer] - each["elo"][newcomer] for each in (alone, table))
    assert 0 < by_games <= 200 and by_games <= in_all, "opponents differ in more than Elo"
    answers = [line for line in result.stdout.splitlines() if line.startswith(newcomer) and line.endswith(" Elo.")]
    assert len(answers) == 1
