"""Pattern evaluation: the places of weights against a slow count, files of weights, and who may use them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arena.rules.game import Game
from arena.rules.position import Position, square_of
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import appraise, build_evaluation, value_of
from players.evaluation.patterns import (
    BLOCKS,
    COUNTS,
    KING,
    MAN,
    SIZE,
    SQUARES,
    TABLES,
    TURN,
    learned,
    learned_variants,
    load_weights,
    save_weights,
    weight_count,
)
from players.loading import PlayerError

ENGLISH, INTERNATIONAL = VARIANTS["english"], VARIANTS["international"]


def positions(variant: Variant, games: int = 4) -> list[Position]:
    """All positions of some random games, kings among them."""
    rng, found = random.Random(7), []
    for _ in range(games):
        game = Game(variant)
        while game.outcome is None:
            found.append(game.position)
            game.push(rng.choice(game.legal_moves))
    return found


def squares(bits: int, variant: Variant) -> list[tuple[int, int]]:
    """Row and place within the row of each square of a mask."""
    h = variant.rules.per_row
    numbers = [square_of(1 << i, h) for i in range(64) if bits >> i & 1]
    return [divmod(number, h) for number in numbers]


def slow_value(variant: Variant, position: Position, weights: np.ndarray) -> float:
    """The module's text, word by word."""
    rules = variant.rules
    men = [squares(side & ~position.kings, variant) for side in (position.white, position.black)]
    kings = [side & position.kings for side in (position.white, position.black)]
    total = np.zeros(2)

    def add(place: int, sign: int) -> None:
        total.__iadd__(sign * weights[place : place + 2])

    for sign, side in ((1, 0), (-1, 1)):
        for _ in men[side]:
            add(MAN, sign)
        for i in (i for i in range(64) if kings[side] >> i & 1):
            add(KING, sign)
            last = variant.rules.board.bit_length() - 1
            add(SQUARES + 2 * (i if side == 0 else last - i), sign)
    counts = [min(len(men[0]), 7), min(len(men[1]), 7), min(kings[0].bit_count(), 7), min(kings[1].bit_count(), 7)]
    add(COUNTS + 2 * int(np.ravel_multi_index(counts, (8, 8, 8, 8))), 1)
    block = 0
    for row in range(rules.rows - 3):
        for column in range(rules.per_row - 1):
            index = 0
            for i, square in enumerate((row + r, column + c) for r in range(4) for c in range(2)):
                index += 3**i * (1 if square in men[0] else 2 if square in men[1] else 0)
            add(BLOCKS + 2 * (block * SIZE + index), 1)
            block += 1
    total *= 1 if position.turn == 0 else -1
    add(TURN, 1)
    share = (position.white | position.black).bit_count() / (2 * variant.men)
    return float(total @ [share, 1 - share])


@pytest.mark.parametrize("variant", [ENGLISH, INTERNATIONAL], ids=lambda variant: variant.name)
def test_the_kernel_finds_the_weights_that_a_slow_count_finds(variant, tmp_path):
    weights = np.random.default_rng(3).normal(size=weight_count(variant.rules))
    save_weights(tmp_path / "w.npz", weights)
    evaluation = build_evaluation(str(tmp_path / "w.npz"), variant)
    for position in positions(variant)[::5]:
        found = value_of(*evaluation, variant.constants, position)
        assert found == pytest.approx(slow_value(variant, position, evaluation.weights))


def test_weights_come_back_from_their_file_to_a_twentieth(tmp_path):
    weights = np.linspace(-900, 900, 1001)
    save_weights(tmp_path / "w.npz", weights)
    assert np.abs(load_weights(tmp_path / "w.npz") - weights).max() <= 0.5 / 20 + 1e-9
    np.savez(tmp_path / "short.npz", weights=weights[::2].astype(np.float32))
    found = load_weights(tmp_path / "short.npz")
    assert found.dtype == np.float64 and found.flags.c_contiguous


@pytest.mark.parametrize("name", [path.stem for path in TABLES.glob("*.npz")])
def test_learned_weights_value_a_man_at_about_a_hundred_and_the_start_at_about_nothing(name):
    variant = VARIANTS[name]
    values, _ = appraise(variant, variant.start, "patterns")
    assert abs(values["patterns"]) < 20
    _, other = (variant.start.white, variant.start.black)[:: 1 if variant.start.turn == 0 else -1]
    gains = []
    for bit in (1 << i for i in range(64) if other >> i & 1):
        start = variant.start._replace(white=variant.start.white & ~bit, black=variant.start.black & ~bit)
        gains.append(appraise(variant, start, "patterns")[0]["patterns"] - values["patterns"])
    assert 95 < np.mean(gains) < 105


@pytest.mark.parametrize("name", [path.stem for path in TABLES.glob("*.npz")])
def test_learned_weights_are_alike_for_both_colours(name):
    variant = VARIANTS[name]
    last = variant.rules.board.bit_length() - 1

    def turned(bits: int) -> int:
        return sum(1 << (last - i) for i in range(last + 1) if bits >> i & 1)

    gaps, values = [], []
    for position in positions(variant)[::7]:
        other = Position(turned(position.black), turned(position.white), turned(position.kings), 1 - position.turn)
        one, two = (appraise(variant, p, "patterns")[0]["patterns"] for p in (position, other))
        gaps.append(one - two)
        values.append(one)
    assert np.std(gaps) < 0.25 * np.std(values)


def test_variants_of_the_same_rules_share_the_tables():
    assert {"english", "international"} <= set(learned_variants())
    assert learned(VARIANTS["cis300"].rules) is learned(ENGLISH.rules)
    assert learned(VARIANTS["italian"].rules) is None


def test_where_nothing_was_learned_the_error_says_for_what_there_is():
    with pytest.raises(PlayerError, match=r"rules of english, international, not for italian"):
        build_evaluation("patterns", VARIANTS["italian"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"PK", "no file of weights"),
        (10, "holds weights for no board, not for 8x8"),
    ],
)
def test_a_wrong_file_of_weights_is_named(tmp_path, content, message):
    path = tmp_path / "w.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        save_weights(path, np.zeros(content))
    with pytest.raises(PlayerError, match=rf"w\.npz.*{message}"):
        build_evaluation(str(path), ENGLISH)
