"""The evaluation `neural`: its running sum, plain matrices, files, built-in networks."""

import random
from typing import Any

import numpy as np
import pytest

from arena.experiment.names import short_entry
from arena.experiment.openings.sources import random_line
from arena.rules.jit.kernel import is_compiling
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.evaluation.neural import (
    KINDS,
    LANES,
    NETWORK_PHASES,
    ONE,
    OUTPUTS,
    NetworkFile,
    network_size,
    neural,
    trained_variants,
)
from players.evaluation.sample import positions_of, rises
from players.loading import PlayerError, located
from players.player import NETWORKS, Limit, PlayerSpec
from tests.helpers.command_line import one_line

BOARDS = ("english", "international", "frisian")
ENGLISH = VARIANTS["english"]
COUNT = 300 if is_compiling() else 30


def drawn(variant: Variant, width: int = 64, seed: int = 1) -> NetworkFile:
    """A network of numbers drawn at random, small enough for its sums."""
    rng = np.random.default_rng(seed)
    return NetworkFile(rng.integers(-120, 120, network_size(variant.rules, width)).astype(np.int16), 0.01)


def values(variant: Variant, network: NetworkFile, positions: list[Position]) -> np.ndarray:
    """The values of positions, one after the other, in memory of their own."""
    evaluation = neural.compiled(variant.rules, network.runnable(variant.rules))
    return evaluation.values(variant.rules, positions)


def played(variant: Variant, seed: int) -> list[Position]:
    """The positions of random games, one after the other."""
    rng = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < COUNT:
        positions += random_line(variant, 120, rng).positions
    return positions[:COUNT]


def naive(variant: Variant, network: NetworkFile, width: int, position: Position) -> float:
    """The value of a position from scratch: a list of pieces, and plain matrices."""
    last = max(variant.bits).bit_length() - 1
    squares = last + 1
    numbers = network.network.astype(np.int64)
    rows, rest = np.split(numbers, [(KINDS * squares + 1) * width])
    rows = rows.reshape(-1, width)
    pieces = position.white | position.black
    full = 2 * variant.rules.per_row * (variant.rules.rows - 2) // 2
    phase = rest.reshape(NETWORK_PHASES, -1)[
        min(pieces.bit_count() * NETWORK_PHASES // (full + 1), NETWORK_PHASES - 1)
    ]
    views = []
    for viewer in (position.turn, 1 - position.turn):
        total = rows[-1].copy()
        for bit in range(squares):
            if pieces >> bit & 1:
                own = (position.white >> bit & 1) == (viewer == 0)
                kind = 2 * (not own) + (position.kings >> bit & 1)
                total += rows[kind * squares + (bit if viewer == 0 else last - bit)]
        views.append(total.clip(0, ONE))
    layer, biases, weights, bias = np.split(
        phase, [2 * width * OUTPUTS, (2 * width + 1) * OUTPUTS, (2 * width + 2) * OUTPUTS]
    )
    rows = layer.reshape(-1, OUTPUTS, 2, LANES).transpose(1, 2, 0, 3).reshape(OUTPUTS, -1)
    sums = rows @ np.concatenate(views) // ONE + biases
    return float(sums.clip(0, ONE) @ weights + bias[0] * ONE) * network.unit


@pytest.mark.parametrize("width", [64, 256])
@pytest.mark.parametrize("name", BOARDS)
def test_the_value_is_what_plain_matrices_give(name, width):
    variant, network = VARIANTS[name], drawn(VARIANTS[name], width)
    positions = [*played(variant, 1), *positions_of(variant)[-20:]]
    wanted = [naive(variant, network, width, position) for position in positions]
    assert len(set(wanted)) > COUNT // 4
    assert values(variant, network, positions).tolist() == wanted


@pytest.mark.parametrize("name", BOARDS)
def test_the_running_sum_is_the_sum_from_scratch(name):
    """Whatever was valued before: in the order of games, and in any other."""
    variant, network = VARIANTS[name], drawn(VARIANTS[name])
    positions = played(variant, 2)
    scratch = [float(values(variant, network, [position])[0]) for position in positions]
    order = random.Random(1).sample(range(len(positions)), len(positions))
    assert values(variant, network, positions).tolist() == scratch
    assert values(variant, network, [positions[i] for i in order]).tolist() == [scratch[i] for i in order]


@pytest.mark.parametrize("name", trained_variants())
def test_a_man_is_worth_a_hundred_to_a_built_in_network(name):
    variant = VARIANTS[name]
    assert (NETWORKS / f"{name}.npz").stat().st_size < 1_000_000
    worths = rises(build_evaluation("neural", variant), variant, variant.start)
    assert np.mean(worths) == pytest.approx(100) and min(worths) > 30


def test_a_built_in_network_is_named_by_its_file_from_any_folder(tmp_path):
    """For rules that have none of their own; a file of that name beside the configuration goes before."""
    spec = short_entry("international.npz@d3", tmp_path)
    player = PlayerSpec("guest", spec["type"], Limit(depth=3), {"evaluation": spec["evaluation"]})
    assert located(player, tmp_path).options["evaluation"] == str(NETWORKS / "international.npz")
    (tmp_path / "international.npz").write_bytes(b"")
    assert located(player, tmp_path).options["evaluation"] == str(tmp_path / "international.npz")


def test_a_file_holds_a_network(tmp_path):
    network = drawn(ENGLISH)
    np.savez_compressed(tmp_path / "network.npz", **network._asdict())
    positions = played(ENGLISH, 6)[:20]
    from_file = build_evaluation(str(tmp_path / "network.npz"), ENGLISH).values(ENGLISH.rules, positions)
    assert from_file.tolist() == values(ENGLISH, network, positions).tolist()


@pytest.mark.full
def test_a_network_serves_all_rules_of_its_board_and_no_other_board(tmp_path):
    np.savez_compressed(tmp_path / "network.npz", **drawn(ENGLISH)._asdict())
    assert build_evaluation(str(tmp_path / "network.npz"), VARIANTS["russian"]).weights.size
    with pytest.raises(PlayerError, match="holds weights for 8x8, not for 10x10"):
        build_evaluation(str(tmp_path / "network.npz"), VARIANTS["international"])


def test_a_file_that_holds_no_whole_network_is_refused_in_one_line(tmp_path):
    file, numbers = tmp_path / "bad.npz", np.zeros(4, np.int16)
    contents: list[dict[str, Any]] = [{"network": numbers}, {"network": np.zeros(4), "unit": np.float64(1)}]
    contents += [{"network": numbers, "unit": unit} for unit in (np.float64(np.nan), np.zeros(2))]
    bad = [b""]
    for content in contents:
        np.savez(file, **content)
        bad.append(file.read_bytes())
    np.savez_compressed(file, **drawn(ENGLISH)._asdict())
    whole = file.read_bytes()
    bad += [whole[:100], whole[:2000] + bytes(500) + whole[2500:]]
    for damaged in bad:
        file.write_bytes(damaged)
        with pytest.raises(PlayerError, match=r"bad\.npz") as caught:
            build_evaluation(str(file), ENGLISH)
        one_line(caught.value)
