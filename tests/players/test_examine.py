"""Examinations of evaluations find the classic mistakes, crashes and hangs, and raise no false alarm."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from arena.commands import check
from arena.hosting.handle import LocalPlayer
from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from players.evaluation.build import EVALUATORS, has_network
from players.evaluation.sample import FROM_GAMES, THINNED, positions_of
from players.examine import Examination, examination_stages, examine
from players.player import Limit, PlayerSpec
from tests.helpers import naive
from tests.helpers.command_line import invoke, one_line
from tests.helpers.rule_sets import BY_NAME, RULE_SETS

ENGLISH = VARIANTS["english"]
OWN = """\
import numpy as np
from arena import evaluator, features, kernel

@kernel
def ahead(position, rules, side):
    return 1.0 * (features.pieces(position, rules, side) - features.pieces(position, rules, 1 - side))

@evaluator
def good(position, rules):
    return 100 * ahead(position, rules, position.turn) + 3

@evaluator
def wrong_sign(position, rules):
    return ahead(position, rules, 1 - position.turn)

@evaluator
def whites_view(position, rules):
    return ahead(position, rules, 0)

@evaluator
def whites_rows(position, rules):
    return ahead(position, rules, position.turn) + (position.white & 15)

@evaluator
def division_in_endings(position, rules):
    many = features.pieces(position, rules, 0) + features.pieces(position, rules, 1) - 4
    return ahead(position, rules, position.turn) / many

@evaluator
def too_large(position, rules):
    return 1e6 * ahead(position, rules, position.turn)

@evaluator
def by_chance(position, rules):
    return np.random.random()

@evaluator
def nothing(position, rules):
    return 0.0

@evaluator
def raising(position, rules):
    if position.kings:
        raise ValueError("bad luck")
    return ahead(position, rules, position.turn)

@evaluator
def endless(position, rules):
    while position.kings:
        pass
    return 1.0

@evaluator
def out_of_bounds(position, rules):
    return np.ones(3)[10**12 + position.turn]

@kernel
def of_list(position, rules, side):
    values = [0.0]
    values.append(ahead(position, rules, side))
    return values[1]

@evaluator
def lists(position, rules):
    return of_list(position, rules, position.turn)
"""
FOUND = {
    "lists": ("warning", "memory"),
    "wrong_sign": ("error", r"(\d+) of \1 positions"),
    "whites_view": ("error", r"in \d+ of 300 .*\(W:W.*White's view"),
    "whites_rows": ("warning", r"in \d+ of 300 positions \(.*\), -?\d+ and -?\d+ \("),
    "division_in_endings": ("error", r"in \d\d? of 300 .*: line 27: ZeroDivisionError: "),
    "too_large": ("error", r"\de\+06 in \d+ of 300 .*900000"),
    "by_chance": ("error", "in 300 of 300 positions"),
    "nothing": ("warning", "is 0 in all positions"),
    "raising": ("error", "line 44: ValueError: bad luck"),
}
"""The one finding on each evaluation of OWN."""
LOST = {
    "own.py:endless": r"end within 5 s while valuing [BW]:W.*:B.*K",
    "own.py:out_of_bounds": r"\(SIGSEGV\) while valuing .* \(is an index",
    "dies.py:good": r"\(exit code 7\) while it was being loaded and compiled",
    "loops.py:good": r"end within 2 s while it was being loaded and compiled",
}
"""The findings on those whose process does not come to its end."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the files of a user."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "dies.py").write_text("import os\nos._exit(7)\n")
    (tmp_path / "loops.py").write_text("while True:\n    pass\n")
    return tmp_path


def examination(description: Any, name: str = "english") -> Examination:
    """An examination in this process."""
    *_, last = examination_stages(description, BY_NAME[name])
    assert isinstance(last, Examination)
    return last


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("name", [rules.name for rules in RULE_SETS])
def test_built_in_evaluations_pass_under_all_rules(name):
    names = [evaluation for evaluation in EVALUATORS if evaluation not in ("linear", "neural")]
    names += ["neural"] if has_network(BY_NAME[name]) else []
    for evaluation in names:
        assert {finding.level for finding in examination(evaluation, name).findings} == {"ok"}, evaluation


@pytest.mark.full(but=["wrong_sign", "whites_view", "division_in_endings"])
@pytest.mark.compiled
@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found_by_its_own_message(name):
    level, message = FOUND[name]
    [finding] = [finding for finding in examination(f"own.py:{name}").findings if finding.level != "ok"]
    assert finding.level == level
    one_line(finding.words)
    assert re.search(message, finding.words), finding.words


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("reference", LOST)
def test_an_evaluation_that_crashes_or_hangs_is_named_with_its_file(reference):
    [finding] = examine(reference, ENGLISH, build_seconds=2 if "loops" in reference else 60).findings
    assert finding.level == "error"
    assert finding.words.startswith(reference) and re.search(LOST[reference], finding.words)
    one_line(finding.words)


def test_a_sample_has_positions_of_all_phases_and_is_always_the_same(variant):
    positions = positions_of(variant)
    assert len(positions) == FROM_GAMES + THINNED and positions[0] == variant.start
    assert positions == positions_of.__wrapped__(variant)
    pieces = [(position.white | position.black).bit_count() for position in positions]
    assert (min(pieces), max(pieces)) == (2, 2 * variant.men)
    crowning = variant.rules.promotion and not variant.rules.first_king_wins
    assert bool(crowning) == any(position.kings for position in positions)
    for position in positions:
        state = naive.state_of(variant.rules, position)
        assert naive.legal_moves(variant.rules, state)
        assert position.white and position.black


@pytest.mark.full
@pytest.mark.compiled
def test_check_lists_what_was_found_with_boards_and_the_speed():
    result = invoke("check", "own.py:good")
    assert result.exit_code == 0
    assert " 29w       30w       31w       32w\nBlack to move, value for Black: 3\n" in result.stdout
    wrong = invoke("check", "own.py:wrong_sign", "english")
    assert wrong.exit_code == 1
    assert "is the sign right?" in wrong.stdout


def test_check_of_a_file_alone_examines_its_only_evaluation(monkeypatch):
    asked: list[Any] = []

    def examined_as(evaluation: Any, _: Any) -> Examination:
        asked.append(evaluation)
        return Examination(())

    monkeypatch.setattr(check, "examine", examined_as)
    Path("one.py").write_text("from arena import evaluator\n\n@evaluator\ndef f(p, r): ...\n\ndef helper(): ...\n")
    evaluators = (f"@evaluator\ndef f{i}(p, r): ...\n" for i in (1, 2))
    Path("two.py").write_text("\n".join(["from arena import evaluator\n", *evaluators]))
    for name in ("one.py", "two.py", "one.py:helper", "simple"):
        invoke("check", name)
    assert asked == ["one.py:f", "two.py", "one.py:helper", "simple"]


@pytest.mark.parametrize(
    ("evaluation", "variant"),
    [("simpel", "english"), ("simple", "englsh"), ("{linear: {mann: 1}}", "english"), ("own.py:goood", "english")],
)
def test_check_refuses_unknown_names_in_one_line(evaluation, variant):
    result = invoke("check", evaluation, variant)
    assert result.exit_code == 2
    one_line(result.stderr.splitlines()[-1])
    assert "Traceback" not in result.output


@pytest.mark.compiled
def test_an_evaluation_that_raises_in_a_game_fails_its_player():
    Path("rare.py").write_text(
        "from arena import evaluator, features\n@evaluator\ndef rare(position, rules):\n"
        "    return 6 // (features.men(position, rules, position.turn) - 11)\n"
    )
    spec = PlayerSpec("rare", "negamax", Limit(depth=6), {"evaluation": "rare.py:rare"})
    with pytest.raises(ZeroDivisionError):
        LocalPlayer(spec, ENGLISH).choose(Game(ENGLISH), spec.limit, random.Random(0))
