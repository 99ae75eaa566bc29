"""Tests of perft against published counts, and of the oracle against the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.rules.custom import build_variant, sizes_of
from arena.rules.movegen import perft
from arena.rules.notation import fen, parse_fen
from arena.rules.variants import VARIANTS
from tests.helpers import naive
from tests.helpers.rule_sets import COMPILED, by_constants, by_values

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text())["rows"]
ROWS = [row for row in PUBLISHED if row["variant"] != "turkish"]

FOR_THE_ORACLE = 1_500
QUICK = 300_000
DEEP = 1_000_000_000
"""Lines of play that a test of the oracle, a quick and a slow one count at most."""

every_row = pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=f"{row['variant']}-{row['fen'][:40]}") for row in ROWS],
)


def counts(row, low, high):
    return {depth: nodes for depth, nodes in enumerate(row["nodes"], start=1) if low <= nodes < high}


def check_counts(row, low, high):
    name = row["variant"]
    variant = by_constants(VARIANTS[name]) if name in COMPILED else by_values(build_variant(name))
    position = parse_fen(variant, row["fen"])
    published = counts(row, low, high)
    assert {depth: perft(variant, position, depth) for depth in published} == published
    assert perft(variant, position, 0) == 1


@pytest.mark.compiled
@every_row
def test_perft_is_as_published(row):
    check_counts(row, 0, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if counts(row, QUICK, DEEP)], ids=lambda row: row["variant"])
def test_deep_perft_is_as_published(row):
    check_counts(row, QUICK, DEEP)


@every_row
def test_the_oracles_perft_is_as_published(row):
    variant = build_variant(row["variant"])
    state = naive.state_of(variant.rules, parse_fen(variant, row["fen"]))
    published = counts(row, 0, FOR_THE_ORACLE)
    assert {depth: naive.perft(variant.rules, state, depth) for depth in published} == published


def test_every_rule_set_on_every_size_of_board_has_counts_of_its_start():
    counted = {(by_constants(build_variant(row["variant"])).rules, row["fen"]) for row in ROWS}
    sized = [by_constants(variant) for base in VARIANTS.values() for variant in sizes_of(base)]
    assert len(sized) == 3 * len(VARIANTS) - 1
    lacking = [variant.name for variant in sized if (variant.rules, fen(variant, variant.start)) not in counted]
    assert [name for name in lacking if name not in VARIANTS] == []
