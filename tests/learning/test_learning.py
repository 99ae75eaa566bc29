"""Learning runs of all methods: what they leave, how they resume, what is refused."""

import csv
import json
import math
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import yaml

from arena.experiment.load import load
from arena.experiment.openings.sources import OpeningsError
from arena.learning.config import load_learning
from arena.learning.games import LEARNING_GAMES, STORE_FILE, GameStore, Played, job_of, points_of_pairs
from arena.learning.logistic import Loss
from arena.learning.loop import prepare_learning, rehearsal
from arena.learning.method import LearningSession
from arena.learning.report import caution
from arena.learning.terms import LearningError, RandomOpenings
from arena.ledger.store import StoreError
from arena.ratings.match import match_summary
from arena.rules.result import pentanomial
from arena.rules.variants import VARIANTS
from arena.watch.observer import Observer
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke, one_line, refused
from tests.helpers.needed import needed

ENGLISH = VARIANTS["english"]
VERDICT = "(beat|lost to|did not differ measurably from)"
TERMS = "name: tiny\nvariant: english\nopenings: {random_plies: 6, balanced: false}\nmax_plies: 60\n"
TEXEL = f"""{TERMS}player: {{preset: alphabeta, depth: 2}}
learn: {{method: texel, features: [man, king], games: 12, rounds: 3, positions: 6, check: 4}}
"""
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
player: {type: "own.py:Toy"}
learn:
  method: spsa
  numbers: {aim: {least: -2, most: 8, step: 1}}
  steps: 8
  pairs: 4
  check: 10
"""
NETWORK = f"""{TERMS}seed: 3
player: {{preset: full, evaluation: simple, tt: 0, nodes: 30}}
learn: {{method: network, games: 40, random_moves: 0.1, epochs: 4, batch: 64, check: 2}}
"""
RUNS = {"texel": TEXEL, "spsa": TOY, "network": NETWORK}
"""A small run of each method."""
METHODS = ["spsa", *(pytest.param(name, marks=pytest.mark.full) for name in ("texel", "network"))]


def written(folder: Path, text: str) -> Path:
    """A configuration of a learning run, beside the file with an own class."""
    (folder / "own.py").write_text(OWN)
    path = folder / "learning.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a small run of each method that nothing disturbed."""

    @cache
    def run(method: str) -> Path:
        if method == "network":
            needed("torch")
        folder = tmp_path_factory.mktemp(method)
        result = invoke("learn", written(folder, RUNS[method]), "--out", folder / "out", "--workers", 1)
        assert result.exit_code == 0, result.output
        return folder / "out"

    return run


def results(folder: Path) -> dict[str, bytes]:
    """What a run leaves, but its store and checkpoints, by file."""
    files = [path for path in folder.iterdir() if path.suffix in (".yaml", ".csv", ".md", ".png", ".npz")]
    return {path.name: path.read_bytes().replace(str(folder).encode(), b"") for path in files}


@pytest.mark.parametrize("method", METHODS)
def test_a_run_leaves_its_answer_its_path_and_a_player_to_use(
    whole: Callable[[str], Path], tmp_path: Path, method: str
) -> None:
    folder = whole(method)
    network = {"network.npz"} if method == "network" else set()
    assert set(results(folder)) == {"learned.yaml", "path.csv", "path.png", "summary.md"} | network
    entry = (folder / "learned.yaml").read_text()
    config = written(tmp_path, "name: use\nvariant: english\nplayers:\n" + entry)
    assert load(config).players[0].name == "learned"
    rows = list(csv.DictReader((folder / "path.csv").open()))
    steps = {"texel": range(4), "spsa": range(9), "network": range(1, 5)}
    assert [int(row["step"]) for row in rows] == list(steps[method])
    for path in folder.glob("*.[cmy]*"):
        assert not re.search(r"\b(nan|inf)\b", path.read_text(), re.IGNORECASE), path


@pytest.mark.full
def test_texel_weighs_a_man_100_and_meets_the_start_and_the_heuristic(whole: Callable[[str], Path]) -> None:
    folder = whole("texel")
    text = (folder / "summary.md").read_text()
    assert re.match(rf".* {VERDICT} \+7/\+5/\+3 \(.*\) and {VERDICT} the start \(", text)
    [entry] = yaml.safe_load((folder / "learned.yaml").read_text())
    weights = entry["evaluation"]["linear"]
    assert list(weights) == ["man", "king"] and abs(weights["man"]) == 100
    rows = list(csv.DictReader((folder / "path.csv").open()))
    assert [float(rows[0][name]) for name in weights] == [100, 100]
    assert [float(rows[-1][name]) for name in weights] == list(weights.values())
    assert all(float(row["loss"]) < float(row["held_out"]) for row in rows[1:])


def test_spsa_finds_the_number_of_an_own_player(whole: Callable[[str], Path]) -> None:
    folder = whole("spsa")
    assert (folder / "summary.md").read_text().startswith("The tuned numbers beat the start (+")
    [entry] = yaml.safe_load((folder / "learned.yaml").read_text())
    assert (entry["type"], entry["aim"]) == ("own.py:Toy", pytest.approx(3, abs=2))
    rows = list(csv.DictReader((folder / "path.csv").open()))
    assert (float(rows[0]["aim"]), float(rows[-1]["aim"])) == (0, entry["aim"])
    assert [row["games"] for row in rows] == [str(8 * step) for step in range(9)]


@pytest.mark.full
def test_the_number_of_workers_changes_nothing(whole: Callable[[str], Path], tmp_path: Path) -> None:
    result = invoke("learn", written(tmp_path, TEXEL), "--out", tmp_path / "out", "--workers", 2)
    assert result.exit_code == 0
    assert results(whole("texel")) == results(tmp_path / "out")


MARK = "marked"


def games_stored(folder: Path, *, marked: bool = False) -> int:
    """How many games a run has stored, all or those that are marked; 0 before it has begun."""
    if not (folder / STORE_FILE).exists():
        return 0
    with sqlite3.connect(folder / STORE_FILE, timeout=10) as connection:
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'games'").fetchone()
        query = f"SELECT count(*) FROM games{' WHERE opening = ' + repr(MARK) if marked else ''}"
        return connection.execute(query).fetchone()[0] if known else 0


def mark_games(folder: Path) -> None:
    """Give all stored games an opening by which they are known again."""
    with sqlite3.connect(folder / STORE_FILE) as connection:
        games = [Played(*row[:-1])._replace(opening=MARK) for row in connection.execute(LEARNING_GAMES.query)]
        connection.executemany(f"REPLACE {LEARNING_GAMES.insertion}", map(LEARNING_GAMES.stored, games))


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "number", "code"),
    [("texel", signal.SIGKILL, -9), ("spsa", signal.SIGINT, 130)],
)
def test_a_run_that_was_stopped_goes_on_where_it_was(
    whole: Callable[[str], Path], tmp_path: Path, method: str, number: signal.Signals, code: int
) -> None:
    folder, config, out = whole(method), written(tmp_path, RUNS[method]), tmp_path / "out"
    command = [sys.executable, "-m", "arena", "learn", str(config), "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ)
    while games_stored(out) < 13:
        assert process.poll() is None, "the run was over before it could be stopped"
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert not (out / "learned.yaml").exists()
    before = games_stored(out)
    mark_games(out)
    assert invoke("learn", config, "--out", out, "--workers", 1).exit_code == 0
    assert games_stored(out, marked=True) == before, "stored games are not played again"
    assert results(out) == results(folder)


@pytest.mark.full
def test_a_finished_run_plays_nothing_and_writes_the_same_again(
    whole: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(whole("spsa"), tmp_path / "out")
    mark_games(tmp_path / "out")
    again = invoke("learn", written(tmp_path, TOY), "--out", tmp_path / "out", "--workers", 1)
    assert (again.exit_code, again.stderr) == (0, "")
    assert games_stored(tmp_path / "out", marked=True) == games_stored(tmp_path / "out")
    assert results(tmp_path / "out") == results(whole("spsa"))


@pytest.mark.full
def test_a_damaged_game_and_a_damaged_step_are_made_again(whole: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole("texel"), out)
    with sqlite3.connect(out / STORE_FILE) as connection:
        games = set(connection.execute("SELECT * FROM games"))
        connection.execute("UPDATE games SET result = '*' WHERE stage = 'round 1' AND game = 2")
        connection.execute("UPDATE steps SET document = '{}' WHERE step = 2")
    result = invoke("learn", written(tmp_path, TEXEL), "--out", out, "--workers", 1)
    assert result.exit_code == 0
    said = f"{STORE_FILE} was damaged (games round 1 2; steps 2): {len(games) - 1} games, 2 steps are intact"
    assert said in result.stderr
    with sqlite3.connect(out / STORE_FILE) as connection:
        assert set(connection.execute("SELECT * FROM games")) == games
    assert results(out) == results(whole("texel"))


@pytest.mark.full
def test_later_fits_leave_out_the_first_round_and_keep_the_others(whole: Callable[[str], Path]) -> None:
    with sqlite3.connect(whole("texel") / STORE_FILE) as connection:
        steps = [json.loads(row[0]) for row in connection.execute("SELECT document FROM steps ORDER BY step")]
        query = "SELECT positions FROM games WHERE stage = ?"
        stages = [connection.execute(query, (f"round {n}",)).fetchall() for n in (1, 2, 3)]
    taken = [sum(len(zlib.decompress(packed)) // 40 for (packed,) in games) for games in stages]
    assert [step["positions"] for step in steps] == [taken[0], taken[1], taken[1] + taken[2]]
    assert [step["games"] for step in steps] == [12, 12, 24]


@pytest.mark.full
def test_a_folder_belongs_to_one_run_and_one_process(whole: Callable[[str], Path], tmp_path: Path) -> None:
    result = invoke("learn", written(tmp_path, "seed: 5\n" + TEXEL), "--out", whole("texel"))
    assert result.exit_code == 2
    assert "holds another learning run (changed: seed)" in result.stderr
    store = GameStore(tmp_path / "out", {})
    with pytest.raises(StoreError, match="is in use by another arena"):
        GameStore(tmp_path / "out", {})
    store.close()


@pytest.mark.parametrize(
    ("points", "held_out", "facts"),
    [
        ([2, 2, 1] * 20, Loss(0.6900, 0.0030), []),
        ([0, 2] * 100, None, ["the start", "400 games", "1,200", "check: 800"]),
        ([2] * 5, None, ["the start", "10 games", "check: 20"]),
        ([2, 2, 1] * 20, Loss(0.6920, 0.0050), ["a coin", "0.6920 ± 0.0050", "0.6931", "about 3,000 games"]),
        ([2, 2, 1] * 20, Loss(0.5, math.inf), ["a coin", "0.5000 of one game", "about 3,000 games"]),
        (None, None, ["the start", "about 3,000 games"]),
    ],
)
def test_what_is_no_better_than_a_coin_or_the_start_is_told_with_the_games_that_it_needs(
    points: list[float] | None, held_out: Loss | None, facts: list[str]
) -> None:
    text = caution("the start", match_summary(pentanomial(points)) if points else None, 1000, held_out)
    assert (text == "") == (not facts)
    assert [fact for fact in facts if fact not in text] == []
    assert text.count("\n") == bool(facts)


def test_openings_of_the_matches_are_never_learned_from() -> None:
    openings = RandomOpenings(random_plies=2, balanced=False)
    kept = openings.draw_for_matches(ENGLISH, 15, seed=1)
    drawn = {openings.draw(ENGLISH, f"seed {i}") for i in range(300)}
    assert len(set(kept)) == 15
    assert len(drawn) > 15
    assert not drawn & set(kept)
    with pytest.raises(OpeningsError, match="raise random_plies or lower check"):
        openings.draw_for_matches(ENGLISH, 60, seed=1)


def test_pairs_are_counted_from_the_first_players_view() -> None:
    results = ["white", "black", "white", "draw", "black", "black", "black", "white"]
    points = points_of_pairs([Played("start", 1, result, "", b"") for result in results])
    assert points == [2, 1.5, 1, 0]
    assert pentanomial(points) == [1, 0, 1, 1, 1]


FULL = TOY.replace('{type: "own.py:Toy"}', "{preset: full, tt: 1, nodes: 100}").replace(
    "aim: {least: -2, most: 8, step: 1}", "aspiration: {most: 2}"
)
BROKEN = {
    TEXEL: [
        ("method: texel", "method: texl", "did you mean 'texel'"),
        ("[man, king]", "[man, kng]", "did you mean 'king'"),
        ("[man, king]", "[man, man]", "none twice"),
        ("check: 4", "against: {linear: {kng: 1}}", "unknown feature 'kng'"),
        ("check: 4", "start: {edge: 3}", "'features' must list edge"),
        ("depth: 2", "seconds: 1", "depend on the machine"),
        ("preset: alphabeta", "evaluation: simple", "'evaluation' is tuned here"),
    ],
    FULL: [
        ("{aspiration: {most: 2}}", "{}", "at least one number"),
        ("{most: 2}", "{}", "needs a 'step'"),
        ("{most: 2}", "{mist: 2}", "did you mean 'most'"),
        ("{most: 2}", "{most: 2, least: -1}", "aspiration"),
        ("{most: 2}", "{most: 2, least: 3}", "'least' must be below 'most'"),
        ("{most: 2}", "{most: 2, start: 3}", "'start' must be at least 0 and at most 2"),
        ("{most: 2}", "{most: 0.4}", "give a 'start'"),
        ("aspiration: {most: 2}", "tables: {most: 4.5}", "must be whole"),
        ("aspiration: {most: 2}", "tables: {most: 6, step: 0.1}", "0.5 or more"),
        ("{preset: full, tt: 1, nodes: 100}", "simple@0.1s", "depend on the machine"),
    ],
    TOY: [
        ("aim: {", "aims: {", "did you mean 'aim'"),
        ("aim: {", "nodes: {", "'nodes' is a limit"),
        ("aim: {", "calm: {", "'calm' is not a number"),
        ("aim: {least: -2, most: 8, step: 1}", "width: {start: 0.5, least: 0, most: 1}", "must be whole"),
        ('"own.py:Toy"', '"own.py:Toy", aim: much', "aim"),
        ('"own.py:Toy"', '"own.py:Toy", width: 0', "ZeroDivisionError"),
    ],
    NETWORK: [
        ("games: 40", "games: 0", "there are no positions to learn: give games, runs or pdn"),
        ("games: 40", "games: 40, pdn: [none.pdn]", "there is no file none.pdn"),
        ("games: 40", "games: 40, earlier: [40, 10]", "greater than or equal to 20"),
        ("games: 40", "games: 0, earlier: [40], runs: [.]", "the last round has no games: give games"),
        ("epochs: 4", "epochs: 4, width: 100", "'width' must be 64, 128 or 256, not the whole number 100"),
    ],
}


@pytest.mark.parametrize(
    ("text", "old", "new", "words"), [(text, *case) for text, cases in BROKEN.items() for case in cases]
)
def test_a_broken_configuration_gets_one_line_with_its_place(
    tmp_path: Path, text: str, old: str, new: str, words: str
) -> None:
    if text == NETWORK:
        needed("torch")
    broken = text.replace(old, new)
    assert broken != text
    config = written(tmp_path, broken)
    result = invoke("learn", config, "--out", tmp_path / "out")
    assert result.exit_code == 2, result.output
    line = error_line(result.stderr)
    one_line(line)
    assert line.startswith(f"{config}:") and words in line
    assert not (tmp_path / "out").exists()


def test_a_pytorch_that_does_not_load_is_told_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libgomp.so: cannot open shared object file')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("torch", "arena.learning.fit"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    config = written(tmp_path, NETWORK)
    for command in (("doctor", config), ("learn", config, "--out", tmp_path / "out")):
        line = refused(*command)
        assert line.startswith(f"{config}:7:") and "PyTorch, which does not load: libgomp.so: cannot" in line
    assert not (tmp_path / "out").exists()


@pytest.mark.full
def test_a_game_that_cannot_be_played_loses_no_other_one(tmp_path: Path) -> None:
    terms = load_learning(written(tmp_path, TOY))
    good, bad = PlayerSpec("a", "random"), PlayerSpec("b", "negamax", Limit(depth=99))
    jobs = [job_of(terms, "step 1", game, game, good, bad if game == 30 else good) for game in range(1, 61)]
    with GameStore(tmp_path / "out", {}) as store:
        with pytest.raises(LearningError, match=r"^step 1, game 30: b was not built: "):
            LearningSession(terms, store, 1, Observer()).play("games", jobs)
        assert store.finished("step 1") >= set(range(1, 30))


def test_the_games_of_a_run_are_counted(tmp_path: Path) -> None:
    counted = rehearsal(prepare_learning(load_learning(written(tmp_path, TEXEL))))
    assert (counted.games, counted.parts) == (36 + 2 * 8, "36 in 3 rounds, and 2 matches of 8 games")
