"""Tests of perft against published counts, of the oracle against the same, and of divide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.rules.notation import parse_fen
from arena.rules.perft import divide, perft
from arena.rules.variants import VARIANTS
from tests.helpers import naive
from tests.helpers.rule_sets import by_constants

PUBLISHED = json.loads((Path(__file__).parent / "data" / "perft.json").read_text())["rows"]
ROWS = [row for row in PUBLISHED if row["variant"] in VARIANTS]

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
    variant = by_constants(VARIANTS[row["variant"]])
    position = parse_fen(variant, row["fen"])
    published = counts(row, low, high)
    assert {depth: perft(variant, position, depth) for depth in published} == published


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
    variant = VARIANTS[row["variant"]]
    state = naive.state_of(variant.rules, parse_fen(variant, row["fen"]))
    published = counts(row, 0, FOR_THE_ORACLE)
    assert {depth: naive.perft(variant.rules, state, depth) for depth in published} == published


def test_every_variant_has_published_counts(variant):
    assert any(row["variant"] == variant.name for row in ROWS)


def test_a_depth_of_0_is_one_line_of_no_moves(variant):
    assert perft(variant, variant.start, 0) == 1


def test_divide_adds_up_to_perft(variant, played):
    for position in played[::200]:
        parts = divide(variant, position, 3)
        assert sum(parts.values()) == perft(variant, position, 3)
        assert len(parts) == perft(variant, position, 1)
