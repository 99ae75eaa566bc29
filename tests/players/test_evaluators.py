"""Evaluations and their features: published figures, naive counts, and errors of broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.rules.game import Game
from arena.rules.notation import fen, parse_fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant
from players.evaluation import features
from players.evaluation.build import EVALUATORS, build_evaluation, explained_value
from players.evaluation.features import VOCABULARY
from players.evaluation.linear import FEATURES, FLYING, FLYING_10, SHORT, UNCROWNED
from players.evaluation.sample import positions_of
from players.loading import PlayerError
from tests.helpers import naive
from tests.helpers.command_line import invoke, one_line, refused

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "evaluations.json").read_text())["rows"]
ENGLISH, INTERNATIONAL = VARIANTS["english"], VARIANTS["international"]
BROKEN = """\
from arena import evaluator, features, kernel
from players.evaluation.features import men

def twice(number):
    return 2 * number

@kernel
def says(position):
    print(position.white)
    return 1.0

WORTH = {"man": 1.0, "king": 2.0}
COUNT = 0

@evaluator
def infinite(position, rules):
    return 1e300 * 1e300

@evaluator
def too_few(position):
    return 1.0

def undecorated(position, rules):
    return 1.0
"""
WRONG = {
    "in_a_loop": (
        "for side in (0, 1):\n        worth = 1.0 * side\n        worth += bonus\n    return worth",
        "line 30",
    ),
    "of_a_kernel": (
        "return 1.0 + inner(position)\n\n@kernel\ndef inner(position):\n    return position.whites",
        "line 32: .*did you mean 'white'",
    ),
    "unknown_name": ("return 1.0 + bonus", "line 28: .*'bonus'"),
    "text": ("return 'good'", "line 28"),
    "attribute": ("return position.whites", "line 28: .*did you mean 'white'"),
    "plain_call": ("return twice(men(position, rules, 0))", "line 28: .*'twice'"),
    "prints": ("return 1.0 + says(position)", "line 9: print"),
    "without_module": ("return 1.0 * mobility(position, rules, 0)", "did you mean 'features.mobility'"),
    "misspelt_feature": ("return 1.0 * features.mobilty(position, rules, 0)", "did you mean 'mobility'"),
    "by_dict": ("return WORTH['man'] * men(position, rules, 0)", "line 28: .*'WORTH'"),
    "opens": ("return 1.0 * len(open('values.txt').read())", "open"),
    "without_side": ("return 1.0 * men(position, rules)", "3 arguments"),
    "changes": ("global COUNT; COUNT += 1; return 1.0", "line 28"),
}
"""The body of a user's function, and what its error names."""


def value(variant: Variant, description: Any, position: Position) -> float:
    """The compiled evaluation of a position."""
    return float(build_evaluation(description, variant).values(variant.rules, [position])[0])


def game3(rules: Rules, state: naive.State) -> float:
    """Man 1, king 3, and 10 for each piece."""
    return naive.own_minus_other(state, lambda square, piece: 13 if piece.king else 11)


def checkers_ai(rules: Rules, state: naive.State) -> float:
    """The two phases as published, by rows and columns; 25 in the place of 37 on 6x6, 53 on 10x10."""
    last = rules.rows - 1
    sign = {state.turn: 1, 1 - state.turn: -1}
    placed = [(square, piece, sign[piece.colour]) for square, piece in state.pieces.items()]
    if all(piece.king for _, piece, _ in placed) and len(placed) <= 5:
        ahead = sum(sign for _, _, sign in placed)
        corners = {(0, 1), (1, 0), (last, last - 1), (last - 1, last)}
        distances = sum(
            abs(one[0] - other[0]) + abs(one[1] - other[1])
            for one, _, own in placed
            for other, _, theirs in placed
            if own == 1 and theirs == -1
        )
        cornered = sum(sign for square, _, sign in placed if square in corners)
        return 50 * ahead * (6 - len(placed)) - ahead * distances + 50 * cornered + 3
    material = sum(sign * (1.5 if piece.king else 1) for _, piece, sign in placed)
    total = sum(1.5 if piece.king else 1 for _, piece, _ in placed)
    value = 5 * material * ({6: 25, 8: 37, 10: 53}[rules.rows] - total)
    for (row, column), piece, own in placed:
        advanced = abs(row - naive.far_row(rules, 1 - piece.colour))
        value += 20 * own * (advanced >= 3)
        value += 20 * own * bool(piece.king and 2 <= row <= last - 2 and 2 <= column <= last - 2)
        value += 10 * own * (advanced == 0)
    return value + 3


ORACLES: dict[str, naive.Evaluate] = {
    "simple": naive.simple,
    "material": naive.material,
    "cis300": naive.cis300,
    "game3": game3,
    "checkers-ai": checkers_ai,
}


def counts(rules: Rules, state: naive.State, side: int) -> dict[str, int]:
    """Every feature of one side, square by square."""
    last, forward = rules.rows - 1, naive.forward(side)
    home = naive.far_row(rules, 1 - side)
    own = {square: piece for square, piece in state.pieces.items() if piece.colour == side}
    other = {square: piece for square, piece in state.pieces.items() if piece.colour != side}
    men = [square for square, piece in own.items() if not piece.king]
    kings = [square for square, piece in own.items() if piece.king]
    advanced = {square: abs(square[0] - home) for square in own}

    def on_edge(square: naive.Square) -> bool:
        return square[0] in (0, last) or square[1] in (0, last)

    def backed(row: int, column: int) -> int:
        return sum((row - forward, column + aside) in own for aside in (-1, 1))

    def passed(row: int, column: int) -> bool:
        return not any((r - row) * forward >= max(1, abs(c - column)) for r, c in other)

    def taken_on(row: int, column: int) -> bool:
        """Whether a piece beside a square could capture a king of `side` that stepped to it."""
        for down, right in naive.DIAGONALS:
            taker = other.get((row - down, column - right))
            behind = (row + down, column + right)
            free = behind not in state.pieces or behind in kings
            if taker and free and behind in naive.board_squares(rules):
                sees = taker.king or down == -forward or rules.men_capture_backward
                if sees and (taker.king or rules.men_capture_kings):
                    return True
        return False

    def has_exit(row: int, column: int) -> bool:
        beside = [(row + down, column + right) for down, right in naive.DIAGONALS]
        free = [at for at in beside if at in naive.board_squares(rules) and at not in state.pieces]
        return any(not taken_on(*square) for square in free)

    ahead = len(own) > len(other) and len(state.pieces) <= 8
    guards = range(1, last + 1, 4) if side == BLACK else range(last - 1, -1, -4)
    corners = ((0, 1), (1, 0), (last, last - 1), (last - 1, last))
    return {
        "man": len(men),
        "king": len(kings),
        "back_row": sum(rows == 0 for rows in advanced.values()),
        "far_row": sum(rows == last for rows in advanced.values()),
        "far_half": sum(rows > last / 2 for rows in advanced.values()),
        "edge": sum(map(on_edge, own)),
        "centre": sum(2 <= row <= last - 2 and 2 <= column <= last - 2 for row, column in own),
        "advancement": sum(advanced[square] for square in men),
        "tempo": int(side == state.turn),
        "mobility": len(naive.legal_steps(rules, state._replace(turn=side))),
        "connected": sum(backed(*square) > 0 for square in men),
        "protected": sum(on_edge(square) or backed(*square) == 2 for square in men),
        "guard": int(all((home, column) in own for column in guards)),
        "runaway": sum(passed(*square) for square in men),
        "trapped": sum(not has_exit(*square) for square in kings),
        "distance": ahead * sum(abs(r - row) + abs(c - column) for r, c in kings for row, column in other),
        "double_corner": sum(square in corners for square in kings),
        "long_diagonal": sum(row + column == last for row, column in kings),
    }


three_variants = pytest.mark.parametrize(
    "variant", [ENGLISH, VARIANTS["italian"], INTERNATIONAL], ids=lambda variant: variant.name, indirect=True
)
"""Where every rule that a feature looks at is on and off."""


@pytest.fixture(scope="session")
def positions_from_everywhere(played: list[Position], scattered: list[Position]) -> list[Position]:
    """50 positions from play, finished ones among them, and 50 with pieces on any squares."""
    return played[::20] + scattered[::20]


@pytest.mark.parametrize("evaluation", ["game3", "checkers-ai", "simple", "cis300"])
def test_evaluations_are_as_published(evaluation):
    for row in PUBLISHED:
        position = parse_fen(ENGLISH, row["fen"])
        assert value(ENGLISH, evaluation, position) == row[evaluation], row["fen"]
        assert EVALUATORS[evaluation](position, ENGLISH.rules) == row[evaluation], row["fen"]


@pytest.mark.parametrize("evaluation", ORACLES)
def test_evaluations_are_the_oracles(variant, positions_from_everywhere, evaluation):
    for position in positions_from_everywhere:
        expected = ORACLES[evaluation](variant.rules, naive.state_of(variant.rules, position))
        assert EVALUATORS[evaluation](position, variant.rules) == expected, fen(variant, position)


@pytest.mark.compiled
@three_variants
@pytest.mark.parametrize("evaluation", [name for name in EVALUATORS if not EVALUATORS[name].weighted])
def test_evaluations_have_the_same_value_compiled(variant, positions_from_everywhere, evaluation):
    built = build_evaluation(evaluation, variant)
    expected = [EVALUATORS[evaluation](position, variant.rules) for position in positions_from_everywhere]
    assert built.values(variant.rules, positions_from_everywhere).tolist() == expected


def test_features_are_the_oracles(variant, positions_from_everywhere):
    seen = dict.fromkeys(FEATURES, 0)
    for position in positions_from_everywhere:
        state = naive.state_of(variant.rules, position)
        for side in (WHITE, BLACK):
            expected = counts(variant.rules, state, side)
            assert list(expected) == list(FEATURES)
            for name, count in VOCABULARY.items():
                assert count(position, variant.rules, side) == expected[name], (name, fen(variant, position))
                seen[name] += expected[name]
    never = (
        {"king", "trapped", "distance", "double_corner", "long_diagonal"} if not variant.rules.promotion else {""}
    )
    assert {name for name, total in seen.items() if total == 0} <= never


@pytest.mark.parametrize(
    ("variant", "names"),
    [
        pytest.param(VARIANTS["italian"], FEATURES, id="italian all"),
        pytest.param(ENGLISH, FEATURES[::2], id="english every other"),
        pytest.param(INTERNATIONAL, FEATURES[1::2], id="international every other"),
    ],
    indirect=["variant"],
)
def test_linear_weighs_each_feature_own_minus_other_from_the_opening_to_the_ending(
    variant, positions_from_everywhere, names
):
    """Every third weight is a pair: that of the start's pieces, and that of an empty board."""
    weights = {
        name: 3 * i + 1 if i % 3 else [6 * i, 2 - 9 * i] for i, name in enumerate(FEATURES) if name in names
    }
    evaluation = build_evaluation({"linear": weights}, variant)
    for position in positions_from_everywhere[::10]:
        state = naive.state_of(variant.rules, position)
        own, other = (counts(variant.rules, state, side) for side in (position.turn, 1 - position.turn))
        left, expected = len(state.pieces) / (2 * variant.men), 0.0
        for name, weight in weights.items():
            opening, ending = weight if isinstance(weight, list) else (weight, weight)
            expected += (left * opening + (1 - left) * ending) * (own[name] - other[name])
        assert evaluation.values(variant.rules, [position]).tolist() == [pytest.approx(expected)]
        assert EVALUATORS["linear"](position, variant.rules, evaluation.weights) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "weights"),
    [("english", SHORT), ("russian", FLYING), ("international", FLYING_10), ("simplified", UNCROWNED)],
)
def test_strong_is_linear_with_its_weights(name, weights):
    variant = VARIANTS[name]
    for text in (fen(variant, variant.start), "W:W19,23,26,27,28:B5,6,8,10,11", "B:W17,22:B6,7,15"):
        position = parse_fen(variant, text)
        assert value(variant, "strong", position) == value(variant, {"linear": weights}, position)


@pytest.mark.parametrize(
    "variant", [ENGLISH, VARIANTS["italian"]], ids=lambda variant: variant.name, indirect=True
)
def test_shares_add_up_to_the_value(variant, positions_from_everywhere):
    for position in positions_from_everywhere[::5]:
        value, shares = explained_value(variant, position, "strong")
        assert sum(share.value for share in shares.values()) == pytest.approx(value)
        for share in shares.values():
            assert share.value == pytest.approx(share.weight * (share.own - share.other))


@pytest.mark.full(but=["unknown_name", "prints"])
@pytest.mark.compiled
@pytest.mark.parametrize("name", WRONG)
def test_an_evaluation_that_cannot_be_compiled_is_refused_with_its_line_and_the_reason(tmp_path, name):
    body, reason = WRONG[name]
    file = tmp_path / "heuristic.py"
    file.write_text(f"{BROKEN}\n@evaluator\ndef {name}(position, rules):\n    {body}\n")
    with pytest.raises(PlayerError, match=reason) as error:
        build_evaluation(f"{file}:{name}", ENGLISH)
    one_line(error.value)


@pytest.mark.parametrize("variant", [ENGLISH, VARIANTS["international"]], ids=str)
def test_a_table_of_squares_is_read_as_the_board_lies_before_each_side(variant):
    table = tuple(float(number * number) for number in range(variant.squares))
    for position in positions_of(variant)[::10]:
        pieces = Game(variant, position).pieces
        for side, man in enumerate("wb"):
            order = table if man == "w" else table[::-1]
            expected = sum(order[number - 1] for number, piece in pieces.items() if piece == man)
            men = features.men_mask(position, side)
            assert features.by_square(variant.rules, men, side, table) == expected


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (":too_few", "not (position)"),
        (":undecorated", "@evaluator"),
        (":nothing", "(it has: infinite, too_few)"),
        ("", "(it has: infinite, too_few)"),
    ],
)
def test_a_function_that_is_no_evaluation_is_refused_with_the_files_evaluations(tmp_path, name, reason):
    file = tmp_path / "heuristic.py"
    file.write_text(BROKEN)
    with pytest.raises(PlayerError) as error:
        build_evaluation(f"{file}{name}", ENGLISH)
    one_line(error.value)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    "evaluation",
    [
        *("linear", "nowhere.py:mine", {"linear": 3}, {"quadratic": {}}),
        *({"linear": {"man": weight}} for weight in (True, [1, 2, 3], [1, None])),
    ],
    ids=str,
)
def test_a_wrong_evaluation_is_refused_in_one_line(evaluation):
    with pytest.raises(PlayerError) as caught:
        build_evaluation(evaluation, ENGLISH)
    one_line(caught.value)


def test_show_prints_the_value_of_a_position_and_its_features(tmp_path):
    def document(evaluation: str) -> Any:
        return json.loads(invoke("show", "english", "--evaluation", evaluation, "--json").stdout)

    strong, linear = document("strong"), document("{linear: {tempo: 2.5, man: [1, 2]}}")
    assert list(strong["features"]) == list(FEATURES)
    assert sum(share["value"] for share in strong["features"].values()) == pytest.approx(strong["value"])
    assert (linear["value"], linear["features"]["tempo"]["weight"]) == (2.5, 2.5)
    (tmp_path / "broken.py").write_text(BROKEN)
    assert "is inf here" in refused("show", "english", "--evaluation", f"{tmp_path}/broken.py:infinite")


@pytest.mark.compiled
def test_the_cache_tells_the_code_of_linear_evaluations_apart_whose_bytecode_is_equal():
    position = parse_fen(ENGLISH, "W:W31,32:B1")
    for weights, value in ({"far_row": 5}, 0.0), ({"mobility": 7}, 14.0):
        evaluation = build_evaluation({"linear": weights}, ENGLISH)
        assert evaluation.values(ENGLISH.rules, [position]).tolist() == [value]
