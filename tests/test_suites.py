"""Suites: their files, what players solve of them, the tables and the chart of it, and those that ship."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from arena.experiment.openings.lines import Shots
from arena.play.probe import SuiteAnswer, in_order, solve
from arena.play.suite import (
    ENDING_PLIES,
    SHOT_STRATA,
    Puzzle,
    Suite,
    make,
    read_suite,
    shipped,
    sorted_suite,
    written,
)
from arena.ratings.errors import wilson
from arena.report.charts.effort import plot_solved
from arena.report.tables.suites import (
    ALL,
    RANDOM,
    shares,
    shares_text,
    solutions,
    solutions_text,
    strata_text,
)
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.negamax.score import LIMIT
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke
from tests.helpers.endings import tables_of

ENGLISH = VARIANTS["english"]
LINES = """\
# two positions
variant: english
W:W18,24:B12 ; 18-15, 24-19 ; quiet

B:W14,17,21:B1,10 ; 10-15
"""
OWN = """\
import os

from arena import Choice


class First:
    def __init__(self, variant):
        self.process = os.getpid()

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=limit.depth)


class Raises(First):
    def choose(self, game, limit, rng):
        raise ValueError("no idea")


class Late(First):
    def choose(self, game, limit, rng):
        import time

        time.sleep(limit.seconds + 0.2)
        return Choice(game.legal_moves[0])
"""


def attempt(position, player, at, solved, *, suite="s", stratum="", nodes=10, legal=4, best=1, error=""):
    limit, found = ("depth", at) if at is not None else ("", None)
    return SuiteAnswer(
        suite, position, stratum, player, limit, found, legal, best, "", solved, 1, nodes, 0.5, error
    )


def table(*rows):
    return pd.DataFrame(rows, columns=list(SuiteAnswer._fields))


def suite_of(text, tmp_path, name="mine.txt"):
    path = tmp_path / name
    path.write_text(text)
    return read_suite(str(path))


def test_a_line_is_a_position_with_its_best_moves_and_a_stratum(tmp_path):
    suite = suite_of(LINES, tmp_path)
    assert (suite.name, suite.variant) == ("mine", ENGLISH)
    game = Game(ENGLISH, "W:W18,24:B12")
    assert suite.puzzles[0] == Puzzle(game.position, (game.move("18-15"), game.move("24-19")), "quiet")
    assert suite.puzzles[1].stratum == ""
    (tmp_path / "again.txt").write_text(written(suite))
    assert read_suite(str(tmp_path / "again.txt")).puzzles == suite.puzzles


def test_the_games_of_a_pdn_begin_with_the_solution(tmp_path):
    game = '[GameType "20"]\n[FEN "W:W27,32:B18"]\n[Stratum "one"]\n\n1. 27-22 18x38 0-1\n'
    suite = suite_of(game, tmp_path, "mine.pdn")
    assert suite.variant == VARIANTS["international"]
    position = parse_fen(suite.variant, "W:W27,32:B18")
    assert suite.puzzles == (Puzzle(position, (Game(suite.variant, position).move("27-22"),), "one"),)


@pytest.mark.parametrize(
    "text",
    [
        "variant: english\nW:W18,24:B12 ; 18-16\n",
        "W:W18,24:B12\n",
        "W:W18,24:B12 ;  ; x\n",
        "W:W18,24:B52 ; 18-15\n",
        "variant: englsh\n",
        "# nothing\n",
    ],
)
def test_a_broken_file_is_one_line_with_its_place(text, tmp_path, words):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    result = invoke("solve", path)
    assert result.exit_code == 2
    words(error_line(result.stderr))


@pytest.mark.parametrize(
    "arguments",
    [
        ("english-shot",),
        ("english-shots", "--depth", "9-1"),
        ("english-shots", "--depth", "x"),
        ("english-shots", "--depth", "1", "--nodes", "10"),
        ("english-shots", "--player", "{evaluation: strng}"),
        ("english-shots", "--player", "{depth: 99}"),
        ("english-shot", "--make"),
        ("englsh-shots", "--make"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(arguments, words):
    result = invoke("solve", *arguments)
    assert result.exit_code == 2
    words(error_line(result.stderr))


def test_a_part_of_a_suite_is_spread_over_it():
    suite = Suite("s", ENGLISH, tuple(Puzzle(ENGLISH.start, (number,)) for number in range(10)))
    assert [puzzle.best[0] for puzzle in suite.spread(4).puzzles] == [0, 2, 5, 7]
    assert suite.spread(20) is suite


def test_a_move_is_solved_if_it_is_among_the_best_and_each_answer_is_of_a_fresh_player(tmp_path):
    suite = read_suite("english-shots").spread(6)
    spec = PlayerSpec("deep", "negamax", Limit(), {"evaluation": "material", "preset": "full"})
    limits = [Limit(depth=1), Limit(depth=5)]
    made = in_order(solve(suite, [(spec, limits)]), [spec])
    assert [(row.position, row.at) for row in made] == [(i, depth) for i in range(1, 7) for depth in (1, 5)]
    for row, puzzle in zip(made[1::2], suite.puzzles, strict=True):
        player = Negamax(ENGLISH, "material", "full")
        choice = player.choose(Game(ENGLISH, puzzle.position), Limit(depth=5), random.Random(0))
        assert (row.nodes, row.depth) == (choice.nodes, choice.depth)
        assert row.solved == (choice.move in puzzle.best)
        assert row.move == Game(ENGLISH, puzzle.position).text(choice.move)
    assert 0 < sum(row.solved for row in made) < len(made)


@pytest.mark.compiled
def test_the_number_of_workers_does_not_change_what_is_found():
    suite = read_suite("english-shots").spread(12)
    asked = [
        (PlayerSpec("a", "negamax", Limit(), {"evaluation": "simple"}), [Limit(depth=3)]),
        (PlayerSpec("random", "random"), [Limit()]),
    ]
    specs = [spec for spec, _ in asked]
    one, two = (in_order(solve(suite, asked, 7, workers), specs) for workers in (1, 2))
    assert [row._replace(seconds=0) for row in one] == [row._replace(seconds=0) for row in two]


def test_own_code_is_asked_by_its_path_and_its_failure_does_not_stop_the_others(tmp_path, words):
    (tmp_path / "own.py").write_text(OWN)
    entries = [f"{tmp_path}/own.py:{name}" for name in ("First", "Raises")]
    players = [part for entry in entries for part in ("--player", entry)]
    result = invoke("solve", "english-shots", *players, "--count", 4, "--depth", "1-2", "--workers", 1, "--json")
    assert result.exit_code == 3
    words(error_line(result.stderr))
    rows = [row for row in json.loads(result.stdout)["shares"] if row["stratum"] == ALL]
    by_name = {row["player"]: row for row in rows if row["at"] in (None, 2)}
    assert list(by_name) == [RANDOM, "own.py:First", "own.py:Raises", "one ply (greedy)"]
    assert by_name["own.py:First"]["nodes"] == 2 and by_name["own.py:First"]["failures"] == 0
    assert by_name["own.py:Raises"]["solved"] == 0 and by_name["own.py:Raises"]["failures"] == 4


def test_an_answer_that_is_late_does_not_count(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    suite = suite_of("W:W18,24:B12 ; 18-15, 24-20, 18-14, 24-19", tmp_path)
    late = PlayerSpec("late", f"{tmp_path}/own.py:Late", in_process=True)
    [row] = in_order(solve(suite, [(late, [Limit(seconds=0.01)])]), [late])
    assert row.move and not row.solved and row.error.startswith("took")


def test_shares_are_of_all_and_of_each_stratum_and_chance_is_the_share_of_best_moves():
    rows = [
        attempt(i, "a", depth, i <= depth, stratum="xy"[i % 2], legal=i + 1) for i in (1, 2, 3) for depth in (1, 2)
    ]
    found = {(row["player"], row["at"], row["stratum"]): row for row in shares(table(*rows)).to_dict("records")}
    chance = {stratum: row for (player, _, stratum), row in found.items() if player == RANDOM}
    assert (found["a", 2.0, ALL]["positions"], found["a", 2.0, ALL]["solved"]) == (3, 2)
    assert (found["a", 1.0, "x"]["positions"], found["a", 1.0, "x"]["solved"]) == (1, 0)
    assert chance[ALL]["share"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert chance["y"]["share"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    low, high = wilson(np.array([2 / 3]), np.array([3.0]))
    assert found["a", 2.0, ALL]["share_low"] == low[0] and found["a", 2.0, ALL]["share_high"] == high[0]


def test_a_position_is_solved_from_the_depth_on_at_which_no_deeper_search_errs():
    solved = {1: (True, True, True), 2: (True, False, True), 3: (False, True, False)}
    rows = [
        attempt(position, "a", depth, ok, nodes=10**depth)
        for position, oks in solved.items()
        for depth, ok in enumerate(oks, start=1)
    ]
    [row] = solutions(table(*rows, attempt(1, "b", 3, True))).to_dict("records")
    assert (row["player"], row["positions"], row["solved"]) == ("a", 3, 2)
    assert (row["at"], row["nodes"]) == (3.0, 1000.0)
    hard = [attempt(position, "a", depth, False) for position in (4, 5) for depth in (1, 2, 3)]
    assert math.isnan(solutions(table(*rows, *hard))["at"].item())


def test_people_read_a_row_for_each_player_and_a_column_for_each_limit():
    rows = [attempt(i, "a", depth, i <= depth, stratum="xy"[i % 2]) for i in (1, 2, 3, 4) for depth in (1, 2)]
    rows += [attempt(i, "one ply", None, i == 1, stratum="xy"[i % 2]) for i in (1, 2, 3, 4)]
    found = shares(table(*rows))
    assert shares_text(found).to_dict("list") == {
        "Player": [RANDOM, "a", "one ply"],
        "depth 1": ["25", "25 ± 45", "25 ± 45"],
        "depth 2": ["25", "50 ± 35", "25 ± 45"],
    }
    assert strata_text(found).to_dict("list") == {
        "Stratum": ["y", "x"],
        "n": ["2", "2"],
        RANDOM: ["25", "25"],
        "a": ["50 ± 41", "50 ± 41"],
        "one ply": ["50 ± 41", "0 ± 66"],
    }
    assert solutions_text(solutions(table(*rows))).iloc[0, :3].tolist() == ["a", "50.0 %", ""]


def test_the_chart_has_a_line_for_each_player_and_dashes_for_those_without_a_limit():
    rows = [attempt(i, name, depth, i <= depth) for i in (1, 2, 3) for depth in (1, 2) for name in "ab"]
    ax = plot_solved(shares(table(*rows, *(attempt(i, "one ply", None, False) for i in (1, 2, 3)))))
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels == ["a", "b", RANDOM, "one ply"]
    assert ax.get_lines()[0].get_ydata() == pytest.approx([1 / 3, 2 / 3])


def test_the_command_writes_tables_and_chart(tmp_path):
    arguments = ("--player", "{evaluation: simple}", "--depth", "1,3", "--count", 4, "--workers", 1)
    result = invoke("solve", "english-shots", *arguments, "--out", tmp_path)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["Player", "depth", "1", "depth", "3"] in lines
    assert {path.name for path in tmp_path.iterdir()} == {
        "answers.csv", "shares.csv", "solutions.csv", "solved.png", "solved.svg",
    }  # fmt: skip
    assert len(pd.read_csv(tmp_path / "answers.csv")) == 4 * 3


def test_what_ships_is_whole_and_in_equal_strata():
    assert {"english-shots"} <= set(shipped())
    for name in shipped():
        suite = read_suite(name)
        assert suite.variant.name == name.rpartition("-")[0]
        assert len(set(suite.puzzles)) == len(suite.puzzles)
        assert all(len(puzzle.best) == 1 for puzzle in suite.puzzles)
        if name.endswith("-shots"):
            assert Counter(puzzle.stratum for puzzle in suite.puzzles) == dict.fromkeys(SHOT_STRATA, 50)
        else:
            assert len(suite.puzzles) == 1000


@pytest.mark.parametrize("name", [name for name in shipped() if name.endswith("-shots")])
def test_a_shot_gives_material_and_wins_more_by_plain_minimax(name):
    """The searches here order and prune nothing that the finder's do."""
    suite = read_suite(name)
    player = Negamax(suite.variant, "material", "alphabeta", quiescence="captures")
    rules = suite.variant.constants
    for puzzle in random.Random(1).sample(suite.puzzles[:100], 6):
        game = Game(suite.variant, puzzle.position)
        before = player.choose(game, Limit(depth=1), random.Random(0)).score
        assert before is not None
        after = apply(rules, puzzle.position, puzzle.best[0])
        assert all(
            len([bit for bit in range(64) if (position.white | position.black) >> bit & 1])
            < (after.white | after.black).bit_count()
            for position in (apply(rules, after, reply) for reply in legal_moves(rules, after))
        )
        values = {
            move: -(player.choose(Game(suite.variant, apply(rules, puzzle.position, move)), Limit(depth=6),
                                  random.Random(0)).score or 0.0)
            for move in game.legal_moves
        }  # fmt: skip
        best = values.pop(puzzle.best[0])
        assert best >= max(values.values()) + 1


@pytest.mark.parametrize("name", ["english-endings", "international-endings"])
def test_the_move_of_a_won_ending_wins_by_search_and_no_other_does(name):
    """A search that knows no tables, two plies beyond the win."""
    suite = read_suite(name)
    player = Negamax(suite.variant, "material", "full", draws=False)
    won = [puzzle for puzzle in suite.puzzles if puzzle.stratum.endswith("1-9 plies")]
    for puzzle in random.Random(1).sample(won, 12):
        game = Game(suite.variant, puzzle.position)
        for move in game.legal_moves:
            after = apply(suite.variant.constants, puzzle.position, move)
            score = 0.0
            if legal_moves(suite.variant.constants, after):
                score = player.choose(Game(suite.variant, after), Limit(depth=10), random.Random(0)).score or 0.0
            assert (score < -LIMIT) == (move in puzzle.best) or not legal_moves(suite.variant.constants, after)


def test_endings_are_of_the_pieces_and_plies_of_their_stratum():
    suite = read_suite("english-endings")
    tables = tables_of(ENGLISH)
    for puzzle in suite.puzzles:
        own, other = sides(puzzle.position)
        pieces, worth = puzzle.stratum.split(", ")
        assert pieces == f"{own.bit_count()} v {other.bit_count()}"
        value = tables.value(puzzle.position)
        if value is not None:
            assert worth == next(name for name, most in ENDING_PLIES.items() if value.plies <= most)
            after = (
                tables.value(apply(ENGLISH.constants, puzzle.position, move))
                for move in legal_moves(ENGLISH.constants, puzzle.position)
            )
            assert sum(theirs is not None and theirs.result == -value.result for theirs in after) == 1


def test_rules_without_endgame_tables_have_no_endings_in_one_line(words):
    result = invoke("solve", "simplified-endings", "--make")
    assert result.exit_code == 2
    words(error_line(result.stderr))


def test_the_finder_knows_the_depth_of_a_combination_and_nothing_in_a_quiet_position():
    assert Shots(ENGLISH).find(Game(ENGLISH)) == (0, 0)
    capture = "W:W17,27,30,31,32:B1,14,15,23"  # 27x9 wins three men and gives none
    assert Shots(ENGLISH).find(Game(ENGLISH, capture)) == (0, 0)
    puzzle = next(puzzle for puzzle in read_suite("english-shots").puzzles if puzzle.stratum == "5-6 plies")
    move, depth = Shots(ENGLISH).find(Game(ENGLISH, puzzle.position))
    assert move == puzzle.best[0] and depth in (5, 6)


@pytest.mark.compiled
def test_shots_are_made_the_same_from_the_same_seed_by_any_number_of_workers():
    made = []
    for workers in (1, 2):
        variant, number, puzzles = make("english-shots", 4, 3, workers)
        made.append(sorted_suite("english-shots", variant, puzzles))
        assert number == len(made[-1].puzzles) == 4
    assert made[0] == made[1]
    assert [puzzle.stratum for puzzle in made[0].puzzles] == list(SHOT_STRATA)
