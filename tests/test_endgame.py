"""Endgame tables: against a slow solver, lines of play, published counts, damaged files."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from pathlib import Path
from typing import Any

import pytest

import arena.rules.endgame.tables as endgame
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import EndgameError, EndgameTables, Value, make, refusal
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER, Rules
from arena.rules.variants import VARIANTS, Variant
from tests.helpers import naive
from tests.helpers.command_line import invoke
from tests.helpers.rule_sets import by_values

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for tables of its own, for all tests that do not damage them."""
    folder = tmp_path_factory.mktemp("cache") / "kernels"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endgame, "cache_folder", lambda: folder)
        yield folder.parent


OWN_RULES: list[dict[str, Any]] = [
    {"base": "simplified", "score_decides": False},
    {"base": "english", "passes": True},
    {"base": "english", "promotion": "never"},
    {"base": "russian", "losing_wins": True},
    {"base": "frisian", "king_moves": 0},
]
_NAMED = [build_variant(f"{name}-6x6") for name in VARIANTS if not refusal(VARIANTS[name])]
_OWN = [build_variant(description | {"rows": 6}) for description in OWN_RULES]
SMALL = list({variant.rules: by_values(variant) for variant in (*_NAMED, *_OWN)}.values())
"""Every rule set that has tables, and others, on 36 squares."""


def states(rules: Rules, pieces: int) -> Iterator[naive.State]:
    """All positions of both sides with up to some pieces, for either side to move."""
    squares = naive.board_squares(rules)
    for count in range(2, pieces + 1):
        for chosen in combinations(squares, count):
            for kinds in product(product((WHITE, BLACK), (False, True)), repeat=count):
                placed = {square: naive.Piece(*kind) for square, kind in zip(chosen, kinds, strict=True)}
                has_both = {piece.colour for piece in placed.values()} == {WHITE, BLACK}
                if has_both and all(may_stand(rules, *it) for it in placed.items()):
                    yield from (naive.State(placed, turn) for turn in (WHITE, BLACK))


def may_stand(rules: Rules, square: naive.Square, piece: naive.Piece) -> bool:
    return piece.king or rules.promotion == NEVER or square[0] != naive.far_row(rules, piece.colour)


def solved(rules: Rules, pieces: int) -> dict[Position, Value]:
    """Every position's value, by the definition: won if a move leads to a loss, lost if all moves lead to wins."""
    after: dict[Position, list[Position]] = {}
    found: dict[Position, Value] = {}
    todo = list(states(rules, pieces))
    while todo:
        state = todo.pop()
        position = naive.position_of(rules, state)
        if position in after:
            continue
        following = [naive.play(rules, state, move) for move in naive.legal_moves(rules, state)]
        after[position] = [naive.position_of(rules, it) for it in following]
        todo += following
        if not following:
            found[position] = Value(1 if naive.final_value(rules, state, 0) > 0 else -1, 0)
    plies, undecided = 0, set(after) - set(found)
    while True:
        plies += 1
        new = {}
        for position in undecided:
            values = [found.get(it) for it in after[position]]
            if any(value and value.result < 0 for value in values):
                new[position] = Value(1, plies)
            elif all(value and value.result > 0 for value in values):
                new[position] = Value(-1, plies)
        if not new:
            return found | dict.fromkeys(undecided, Value(0, 0))
        found |= new
        undecided -= set(new)


def compare(variant: Variant, pieces: int) -> int:
    """Compare every position with `solved`; returns how many there are."""
    tables, expected = make(variant, pieces), solved(variant.rules, pieces)
    for position, value in expected.items():
        if not is_over(variant, position):
            assert tables.value(position) == value, fen(variant, position)
    return len(expected)


def is_over(variant: Variant, position: Position) -> bool:
    """Whether the side to move has won already, so that no game has the position with it to move."""
    return variant.rules.first_king_wins and bool(position.kings & sides(position)[0])


def follows(tables: EndgameTables, variant: Variant, position: Position) -> None:
    """A position's value is what the values after its moves, by the oracle, make of it.

    Where that is so of every position, all values are right: of the wrong ones, the one that is decided in the
    fewest plies would not follow.
    """
    rules, state = variant.rules, naive.state_of(variant.rules, position)
    after = [naive.play(rules, state, move) for move in naive.legal_moves(rules, state)]
    values = [tables.value(naive.position_of(rules, it)) for it in after]
    won = [value.plies + 1 for value in values if value and value.result < 0]
    lost = [value.plies + 1 for value in values if value and value.result > 0]
    if not after:
        expected = Value(1 if naive.final_value(rules, state, 0) > 0 else -1, 0)
    elif won:
        expected = Value(1, min(won))
    else:
        expected = Value(-1, max(lost)) if len(lost) == len(after) else Value(0, 0)
    assert None not in values and tables.value(position) == expected, fen(variant, position)


def drawn(variant: Variant, pieces: int, count: int) -> list[Position]:
    """Random positions of some pieces, of both sides."""
    rng, squares, found = random.Random(3), naive.board_squares(variant.rules), list[Position]()
    while len(found) < count:
        colours = [WHITE, BLACK, *rng.choices((WHITE, BLACK), k=pieces - 2)]
        placed = zip(rng.sample(squares, pieces), colours, strict=True)
        board = {square: naive.Piece(colour, rng.random() < 0.5) for square, colour in placed}
        if all(may_stand(variant.rules, *it) for it in board.items()):
            position = naive.position_of(variant.rules, naive.State(board, rng.choice((WHITE, BLACK))))
            found += [position] * (not is_over(variant, position))
    return found


def test_tables_say_what_the_definition_says_of_every_position_of_two_pieces(home):
    assert compare(VARIANTS["english"], 2) > 2 * 3488


@pytest.mark.parametrize("small", SMALL, ids=lambda variant: variant.about)
def test_tables_say_what_the_definition_says_on_a_small_board(home, small):
    assert compare(small, 2) > 500
    tables = make(small, 4)
    for pieces in (3, 4):
        for position in drawn(small, pieces, 500):
            follows(tables, small, position)


@pytest.mark.parametrize("small", SMALL[::5], ids=lambda variant: variant.about)
def test_tables_say_what_the_definition_says_of_every_position_of_three_pieces(home, small):
    assert compare(small, 3) > 10_000


def test_values_of_three_pieces_follow_from_those_after_the_moves(home, variant):
    if line := refusal(variant):
        with pytest.raises(EndgameError, match=re.escape(line)):
            make(variant, 3)
        return
    tables = make(variant, 3)
    for position in drawn(variant, 3, 500):
        follows(tables, variant, position)


def test_english_positions_are_those_that_are_published_and_have_known_values(home):
    """Schaeffer et al. 2007 count boards, whoever is to move, those with pieces of one colour, too."""
    published = {2: 6_972, 3: 261_224}
    counts = json.loads(invoke("tables", "english", "--pieces", 3, "--json").stdout)
    for row in counts["by_pieces"]:
        one_colour = sum(comb(28, men) * comb(32 - men, row["pieces"] - men) for men in range(row["pieces"] + 1))
        assert row["positions"] + 2 * one_colour == published[row["pieces"]]
        assert row["positions"] == row["won"] + row["drawn"] + row["lost"]
    [kings] = [row for row in counts["by_material"] if row["material"] == "KvK"]
    assert (kings["won"], kings["drawn"], kings["lost"], kings["longest_win"]) == (230, 654, 108, 11)
