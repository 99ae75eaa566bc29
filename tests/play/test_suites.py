"""Suites: their files and random positions, what players answer, the tables of it, and those that ship."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

import arena
from arena.base import ArenaError
from arena.experiment.load import load
from arena.experiment.openings.sources import is_even
from arena.experiment.suite import SUITES_FOLDER, shipped
from arena.experiment.yaml.values import ConfigError
from arena.ledger.info import session
from arena.ledger.ledger import FILE, Ledger
from arena.ledger.read import ANSWER_COLUMNS, read
from arena.ledger.record import SuiteAnswer
from arena.play.pilot import expectation
from arena.play.prepare import Tournament, prepare
from arena.play.suites import ONE_PLY, PLIES, Puzzle, Suite, answer, questions, random_puzzles, read_suite, solve
from arena.ratings.errors import wilson
from arena.report.tables.grades import RANDOM_CHOICE, shares
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.negamax.score import LIMIT
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import invoke, one_line, refused
from tests.helpers.watched import Stopper
from tools.suites import lines

ENGLISH = VARIANTS["english"]
DEEP = Limit(depth=10)
LINES = """\
# two positions
variant: english
W:W18,24:B12 ; 18-15, 24-19

B:W14,17,21:B1,10 ; 10-15
"""
OWN = """\
import time

from arena import Choice


class Raises:
    def __init__(self, variant): ...

    def choose(self, game, limit, rng):
        raise ValueError("no idea")


class Timed(Raises):
    def choose(self, game, limit, rng):
        time.sleep(0.002)
        return Choice(game.legal_moves[0], nodes=round(1000 * limit.clock))


class Late(Raises):
    def choose(self, game, limit, rng):
        time.sleep(limit.seconds + 0.2)
        return Choice(game.legal_moves[0])
"""


def attempt(position, player, solved, legal):
    return SuiteAnswer("s", position, "", player, legal, 1, "", "", solved, 1, 10, 0.5, 0.5, "", "")


def suite_of(text, tmp_path, name="mine.txt"):
    path = tmp_path / name
    path.write_text(text)
    return read_suite(path)


def shipping(name):
    return read_suite(SUITES_FOLDER / f"{name}.txt")


def test_a_line_is_a_position_with_its_best_moves(tmp_path):
    suite = suite_of(LINES, tmp_path)
    assert (suite.name, suite.variant) == ("mine", ENGLISH)
    assert suite.puzzles[0] == Puzzle("W:W18,24:B12", "18-15 24-19")
    assert len(suite.puzzles) == 2


@pytest.mark.full
def test_the_games_of_a_pdn_begin_with_the_solution(tmp_path):
    tags = '[GameType "20"]\n[FEN "W:W27,32:B18"]\n'
    suite = suite_of(f"{tags}\n1. 27-22 18x38 0-1\n", tmp_path, "mine.pdn")
    assert suite.variant == VARIANTS["international"]
    assert suite.puzzles == (Puzzle("W:W27,32:B18", "27-22"),)


@pytest.mark.parametrize(
    "text", ["variant: english\nW:W18,24:B12 ; 18-16\n", "W:W18,24:B12 ; \n", "variant: englsh\n", "# none\n"]
)
def test_a_broken_file_is_one_line_with_its_place(text, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(ArenaError, match=r"mine\.txt") as caught:
        read_suite(path)
    one_line(caught.value)


def test_a_part_of_a_suite_is_spread_over_it():
    suite = Suite("s", ENGLISH, tuple(Puzzle("", str(number)) for number in range(10)))
    assert [puzzle.best for puzzle in suite.spread(4).puzzles] == ["0", "2", "5", "7"]
    assert suite.spread(20) == suite


def test_a_move_is_solved_if_it_is_among_the_best_and_each_answer_is_of_a_fresh_player(tmp_path):
    suite = shipping("english-shots").spread(6)
    spec = PlayerSpec("deep", "negamax", Limit(), {"evaluation": "material", "preset": "full"})
    limits = [Limit(depth=1), Limit(depth=5)]
    players = [replace(spec, limit=limit) for limit in limits]
    made = list(map(solve, questions(suite, players)))
    assert [(row.position, row.depth) for row in made] == [(i, depth) for i in range(1, 7) for depth in (1, 5)]
    for row, puzzle in zip(made[1::2], suite.puzzles, strict=True):
        player = Negamax(ENGLISH, "material", "full")
        choice = player.choose(game := Game(ENGLISH, puzzle.fen), Limit(depth=5), random.Random(0))
        assert (row.nodes, row.depth) == (choice.nodes, choice.depth)
        assert row.solved == (row.move in puzzle.best.split())
        assert row.move == game.text(choice.move)
    assert 0 < sum(row.solved for row in made) < len(made)


def test_an_answer_that_is_late_or_none_does_not_count(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    suite = suite_of("W:W18,24:B12 ; 18-15, 24-20, 18-14, 24-19", tmp_path)
    own = [PlayerSpec(name, f"{tmp_path}/own.py:{name}", Limit(seconds=0.01)) for name in ("Late", "Raises")]
    late, none = map(solve, questions(suite, own))
    assert late.move and not late.solved and late.error.startswith("took")
    assert not none.move and not none.solved and "no idea" in none.error


def test_each_position_of_a_suite_has_a_whole_clock(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    timed = PlayerSpec("timed", f"{tmp_path}/own.py:Timed", Limit(clock=9.0, increment=1.0))
    assert [row.nodes for row in map(solve, questions(suite_of(LINES, tmp_path), [timed]))] == [9000, 9000]


def test_a_share_has_wilsons_interval_and_chance_is_the_share_of_best_moves():
    table = shares(pd.DataFrame([attempt(i, "a", i <= 2, i + 1) for i in (1, 2, 3)]))
    chance, own = table.to_dict("records")
    assert (own["player"], own["positions"], own["solved"]) == ("a", 3, 2)
    low, high = wilson(np.array([2 / 3]), np.array([3.0]))
    assert (own["share_low"], own["share_high"]) == (low[0], high[0])
    assert chance["player"] == RANDOM_CHOICE
    assert chance["share"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)


@pytest.mark.parametrize("name", shipped())
def test_what_ships_is_whole(name):
    suite = shipping(name)
    assert suite.variant.name == name.rpartition("-")[0]
    assert len(set(suite.puzzles)) == len(suite.puzzles)
    assert all(len(puzzle.best.split()) == 1 for puzzle in suite.puzzles)
    assert len(suite.puzzles) == (200 if name.endswith("-shots") else 1000)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in shipped() if name.endswith("-shots")])
def test_a_shot_gives_material_and_wins_more_by_plain_minimax(name):
    """The searches here order and prune nothing that the finder's do."""
    suite = shipping(name)
    player = Negamax(suite.variant, "material", "alphabeta", quiescence="captures")
    rules = suite.variant.rules
    for puzzle in random.Random(1).sample(suite.puzzles[:100], 6):
        before = Game(suite.variant, puzzle.fen)
        after = apply(rules, before.position, before.move(puzzle.best))
        for position in (apply(rules, after, reply) for reply in legal_moves(rules, after)):
            assert (position.white | position.black).bit_count() < (after.white | after.black).bit_count()
        values = {}
        for move in before.legal_moves:
            game = Game(suite.variant, apply(rules, before.position, move))
            values[move] = -(player.choose(game, Limit(depth=6), random.Random(0)).score or 0.0)
        best = values.pop(before.move(puzzle.best))
        assert best >= max(values.values()) + 1


@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["english-endings", pytest.param("international-endings", marks=pytest.mark.slow)]
)
def test_the_move_of_a_won_ending_wins_by_search_and_no_other_does(name):
    """A search that knows no tables."""
    suite = shipping(name)
    player = Negamax(suite.variant, "material", "full", draws=False)
    won = 0
    for puzzle in random.Random(1).sample(suite.puzzles, 16):
        winning = set()
        before = Game(suite.variant, puzzle.fen)
        for move in before.legal_moves:
            after = Game(suite.variant, apply(suite.variant.rules, before.position, move))
            if after.outcome is not None or (player.choose(after, DEEP, random.Random(0)).score or 0.0) < -LIMIT:
                winning.add(before.text(move))
        assert not winning or winning == set(puzzle.best.split())
        won += bool(winning)
    assert won >= 3


@pytest.mark.slow
@pytest.mark.compiled
def test_endings_that_ship_are_made_again_from_their_seed():
    assert (SUITES_FOLDER / "english-endings.txt").read_text().splitlines() == list(lines("english-endings"))


# --- the key `suite` of a configuration

CONFIG = """\
name: solving
variant: english
seed: 5
openings: {count: 1}
max_plies: 40
suite: [{name: english-shots, count: 12}, mine.txt]
players:
  - {name: random, type: random}
  - {name: "{depth} plies", type: negamax, sweep: {depth: [1, 2, 4]}}
"""
NAMES = ["random", "1 plies", "2 plies", "4 plies"]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a run that was played without suites, and its configuration with them."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "mine.txt").write_text(LINES)
    (folder / "run.yaml").write_text(CONFIG)
    plain = yaml.safe_load(CONFIG)
    del plain["suite"]
    arena.run(plain, folder / "run", workers=1, quiet=True)
    return folder


@pytest.fixture
def folder(played, tmp_path):
    """A copy of it."""
    (tmp_path / "run").mkdir()
    for name in ("run.yaml", "mine.txt", f"run/{FILE}"):
        (tmp_path / name).write_bytes((played / name).read_bytes())
    return tmp_path


def prepared(folder) -> Tournament:
    return prepare(load(folder / "run.yaml"))


def solved(folder, workers=1, after=10**9):
    """Solve the suites of a run, or only until there are some answers; returns those that are new."""
    plan = prepared(folder)
    with Ledger(folder / "run", plan.experiment, plan.info) as ledger:
        ledger.begin(plan.info, session(0, workers))
        query = "SELECT player, suite, position, fen, best FROM answers"
        before = set(ledger.rows(query))
        answer(plan.questions([]), ledger, workers, Stopper(after))
        new = {row[:3] for row in set(ledger.rows(query)) - before}
    answers = stored(folder).itertuples(index=False)
    return [answer for answer in answers if (answer.player, answer.suite, answer.position) in new]


def stored(folder) -> pd.DataFrame:
    return read(folder / "run").answers


def test_every_player_and_the_baseline_answer_each_position_once(folder):
    assert len(solved(folder)) == 5 * (12 + 2) and solved(folder) == []
    table = stored(folder)
    assert set(table["player"]) == {*NAMES, ONE_PLY.name}
    places = list(zip(table["suite"], table["position"], strict=True))
    assert places == sorted(places)
    suite, four = shipping("english-shots").spread(12), prepared(folder).players[3]
    alone = list(map(solve, questions(suite, [four], seed=5)))
    rows = table[(table["player"] == "4 plies") & (table["suite"] == "english-shots")]
    shown = [name for name in ANSWER_COLUMNS if name not in ("seconds", "cpu_seconds")]
    assert list(rows[shown].itertuples(index=False, name=None)) == [
        tuple(getattr(answer, name) for name in shown) for answer in alone
    ]
    assert rows["solved"].sum() == (rows["move"] == rows["best"]).sum() > 0


def test_a_position_that_changes_in_its_file_is_solved_again_and_one_that_goes_takes_its_answers_along(folder):
    solved(folder)
    before = stored(folder)
    first, *_ = (line for line in LINES.splitlines() if line.startswith("W:"))
    (folder / "mine.txt").write_text(f"{first.replace(', 24-19', '')}\n")
    assert [(answer.suite, answer.best) for answer in solved(folder)] == [("mine", "18-15")] * 5
    assert len(stored(folder)) == len(before) - 5
    (folder / "run.yaml").write_text(CONFIG.replace(", mine.txt", "").replace("12", "6"))
    assert 0 < len(solved(folder)) <= 5 * 6
    assert Counter(stored(folder)["suite"]) == {"english-shots": 30, "mine": 5}


@pytest.mark.full
def test_a_player_that_is_withdrawn_is_not_asked_and_the_answers_of_one_that_changed_do_not_count(folder):
    own = "  - {name: own, type: 'own.py:Raises'}\nfailures: {withdraw_after: 1, faulty: forfeit}\n"
    (folder / "run.yaml").write_text(CONFIG.replace("{name: english-shots, count: 12}, ", "") + own)
    (folder / "own.py").write_text(OWN)
    run = ("run", folder / "run.yaml", "--out", folder / "run", "--workers", 1, "--no-report")
    assert invoke(*run).exit_code == 3
    assert Counter(stored(folder)["player"]) == dict.fromkeys([*NAMES, ONE_PLY.name], 2)
    for text in (OWN.replace('raise ValueError("no idea")', "return Choice(game.legal_moves[0])"), OWN):
        (folder / "own.py").write_text(text)
        assert invoke(*run).exit_code == 3 * (text == OWN)
        assert ("own" in set(stored(folder)["player"])) == (text != OWN)


def test_a_check_says_how_many_searches_suites_add(folder):
    assert expectation(prepared(folder), [], workers=1).searches == 70


@pytest.mark.parametrize(
    "value",
    [
        *("english-shot", "international-shots", "[mine.txt, ./mine.txt]", "{name: 5}", "3", "broken.txt"),
        *(
            "{random: 0}",
            "{random: 2, count: 2}",
            "{name: mine.txt, depth: 2}",
            "[{random: 2}, {random: 3}]",
            "{}",
            "[{random: 2}, {random: 2, depth: 4}]",
        ),
    ],
)
def test_a_suite_that_cannot_be_is_refused_in_one_line_before_any_game(tmp_path, value):
    (tmp_path / "mine.txt").write_text(LINES)
    (tmp_path / "broken.txt").write_text("W:W18,24:B12 ; 18-16\n")
    config = CONFIG.replace("[{name: english-shots, count: 12}, mine.txt]", value)
    (tmp_path / "run.yaml").write_text(config)
    refused("run", tmp_path / "run.yaml", "--out", tmp_path / "run", "--workers", 1)
    assert not (tmp_path / "run").exists()


# --- positions drawn at random, and runs without games

SEARCHES = """\
name: searches
variant: english
seed: 3
openings: {count: 0}
suite: {random: 5, depth: 4}
players:
  - {name: alpha-beta, type: negamax, preset: alphabeta, depth: 1, nodes: 1}
  - {name: minimax, type: negamax, preset: minimax, depth: 2}
  - {name: greedy, type: greedy}
  - {name: needy, type: "own.py:Needy", nodes: 10}
  - {name: dies, type: "own.py:Dies", nodes: 10}
"""
NEEDY = '''\
import os

from arena import Choice


class Needy:
    """Needs a limit of nodes."""

    def __init__(self, variant): ...

    def check_limit(self, limit):
        if type(self) is Needy and limit.nodes is None:
            raise ValueError("it needs the limit 'nodes'")

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])


class Dies(Needy):
    def choose(self, game, limit, rng):
        os._exit(1)
'''


def drawn(count, seed):
    return [Game(ENGLISH, puzzle.fen).position for puzzle in random_puzzles(ENGLISH, count, seed)]


def test_random_positions_are_even_follow_their_seed_and_go_from_the_opening_to_endings():
    spread = drawn(16, 1)
    assert spread == drawn(16, 1) and len(set(spread)) == 16
    assert not set(spread) & set(drawn(6, 2))
    for position in spread:
        game = Game(ENGLISH, position)
        assert game.outcome is None and len(game.legal_moves) >= 2 and is_even(ENGLISH, position)
    pieces = [(position.white | position.black).bit_count() for position in spread]
    assert min(pieces[:3]) >= 24 - PLIES[0] and max(pieces[-3:]) <= 14
    assert {position.turn for position in spread} == {0, 1}


def test_too_few_random_positions_are_refused_at_their_key(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.suites.PLIES", (1, 1))
    path = tmp_path / "run.yaml"
    path.write_text("name: few\nvariant: english\nsuite:\n  random: 9\nplayers: [greedy, random]\n")
    with pytest.raises(ConfigError, match=r"run.yaml:3:1: only 7 of 9 balanced positions"):
        prepare(load(path))


@pytest.mark.full
def test_players_of_a_run_without_games_search_each_random_position_once_to_the_same_depth(tmp_path):
    (tmp_path / "own.py").write_text(NEEDY)
    (tmp_path / "run.yaml").write_text(SEARCHES)
    out = tmp_path / "out"
    assert invoke("run", tmp_path / "run.yaml", "--out", out, "--workers", 1).exit_code == 3
    one = arena.load(out)
    answers = one.data.answers
    assert not len(one.games) and not len(one.suites) and set(answers["suite"]) == {"random d4"}
    assert answers.groupby("position")["fen"].nunique().eq(1).all() and answers["fen"].nunique() == 5
    by_player = {name: rows.reset_index() for name, rows in answers.groupby("player")}
    assert by_player.keys() == {"alpha-beta", "minimax", "greedy", "needy", "dies"}
    assert (by_player["alpha-beta"]["nodes"] < by_player["minimax"]["nodes"]).all()
    assert (by_player["alpha-beta"]["depth"] == 4).all() and (by_player["greedy"]["depth"] == 1).all()
    assert by_player["needy"]["error"].str.contains("needs the limit 'nodes'").all()
    assert (by_player["dies"]["error"] == "ended its process (exit code 1)").all()
    cost = one.ablation.set_index("player")
    assert cost["positions"].tolist() == [5, 5, 0, 0, 0] and cost["elo_difference"].isna().all()


def test_searches_to_another_depth_are_made_anew_and_without_one_each_player_has_its_own_limit(tmp_path):
    (tmp_path / "run.yaml").write_text(SEARCHES.partition("  - {name: greedy")[0])
    assert len(solved(tmp_path)) == 10 and solved(tmp_path) == []
    for depth, title, depths in ((", depth: 3", "random d3", [3, 3]), ("", "random", [1, 2])):
        (tmp_path / "run.yaml").write_text(
            SEARCHES.partition("  - {name: greedy")[0].replace(", depth: 4", depth).replace(", nodes: 1}", "}")
        )
        new = solved(tmp_path)
        assert [(answer.suite, answer.depth) for answer in new] == 5 * [(title, depth) for depth in depths]


@pytest.mark.parametrize("text", ["openings: {count: 0}\nplayers: [greedy, random]", "players: [greedy]"])
def test_without_games_and_without_a_suite_there_is_nothing_to_play(tmp_path, text):
    (tmp_path / "run.yaml").write_text(f"name: nothing\nvariant: english\n{text}\n")
    assert "suite" in refused("run", tmp_path / "run.yaml", "--out", tmp_path / "run", "--workers", 1)
