"""Endgame tables: against their definition by the oracle, published counts, damaged and missing files."""

import os
import random
import resource
import shutil
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import permutations, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena.rules.endgame.tables as endgame
from arena.base.files import lock_folder
from arena.rules.custom import build_variant
from arena.rules.endgame import retrograde
from arena.rules.endgame.retrograde import make, opened, solving
from arena.rules.endgame.tables import (
    NO_ENDING,
    EndgameError,
    EndgameTables,
    EndingValue,
    Material,
    folder_of,
    known_pieces,
    load,
    why_no_tables,
)
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER, Rules
from arena.rules.variants import VARIANTS, Variant
from arena.watch.status import announcing
from tests.helpers import naive
from tests.helpers.command_line import one_line
from tests.helpers.rule_sets import BY_NAME, by_values

pytestmark = pytest.mark.compiled
ENGLISH = VARIANTS["english"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the tables of this file, for all tests that do not damage them."""
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
_NAMED = [build_variant(f"{name}-6x6") for name in VARIANTS if not why_no_tables(VARIANTS[name])]
_OWN = [build_variant(description | {"rows": 6}) for description in OWN_RULES]
SMALL = list({variant.rules: by_values(variant) for variant in (*_NAMED, *_OWN)}.values())
"""Every rule set that has tables, and others, on 36 squares."""


def states_of_two(rules: Rules) -> Iterator[naive.State]:
    """All positions of a piece of each side, for either side to move."""
    for squares in permutations(naive.board_squares(rules), 2):
        for kings in product((False, True), repeat=2):
            pieces = [naive.Piece(*piece) for piece in zip((WHITE, BLACK), kings, strict=True)]
            placed = dict(zip(squares, pieces, strict=True))
            if all(may_stand(rules, *piece) for piece in placed.items()):
                yield from (naive.State(placed, turn) for turn in (WHITE, BLACK))


def may_stand(rules: Rules, square: naive.Square, piece: naive.Piece) -> bool:
    return piece.king or rules.promotion == NEVER or square[0] != naive.far_row(rules, piece.colour)


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
    values = [tables.value(naive.position_of(rules, later)) for later in after]
    won = [value.plies + 1 for value in values if value and value.result < 0]
    lost = [value.plies + 1 for value in values if value and value.result > 0]
    if not after:
        expected = EndingValue(1 if naive.final_value(rules, state, 0) > 0 else -1, 0)
    elif won:
        expected = EndingValue(1, min(won))
    else:
        expected = EndingValue(-1, max(lost)) if len(lost) == len(after) else EndingValue(0, 0)
    assert None not in values and tables.value(position) == expected, fen(variant, position)


def drawn(variant: Variant, pieces: int, count: int) -> list[Position]:
    """Random positions of some pieces, of both sides."""
    rng, squares, positions = random.Random(3), naive.board_squares(variant.rules), list[Position]()
    while len(positions) < count:
        colours = [WHITE, BLACK, *rng.choices((WHITE, BLACK), k=pieces - 2)]
        placed = zip(rng.sample(squares, pieces), colours, strict=True)
        board = {square: naive.Piece(colour, rng.random() < 0.5) for square, colour in placed}
        if all(may_stand(variant.rules, *piece) for piece in board.items()):
            position = naive.position_of(variant.rules, naive.State(board, rng.choice((WHITE, BLACK))))
            positions += [position] * (not is_over(variant, position))
    return positions


def all_of_two_pieces_follow(tables: EndgameTables, variant: Variant) -> int:
    """Every position of two pieces has the value that follows; returns how many there are."""
    positions = [naive.position_of(variant.rules, state) for state in states_of_two(variant.rules)]
    for position in positions:
        if not is_over(variant, position):
            follows(tables, variant, position)
    return len(positions)


def test_tables_follow_the_definition_in_every_position_of_two_pieces(home):
    assert all_of_two_pieces_follow(make(ENGLISH, 2), ENGLISH) > 3488


@pytest.mark.full
@pytest.mark.parametrize("small", SMALL, ids=lambda variant: variant.about)
def test_tables_follow_the_definition_on_a_small_board(home, small):
    tables = make(small, 4)
    assert all_of_two_pieces_follow(tables, small) > 500
    for pieces in (3, 4):
        for position in drawn(small, pieces, 200):
            follows(tables, small, position)


@pytest.mark.parametrize("name", ["english", "international", "thai-10x10"])
@pytest.mark.full(but=["english"])
def test_values_of_three_pieces_follow_from_those_after_the_moves(home, name):
    """On whole boards; the rules are all tried on small ones."""
    variant = BY_NAME[name]
    tables = make(variant, 3)
    for position in drawn(variant, 3, 200):
        follows(tables, variant, position)


@pytest.mark.full(only=["4"])
@pytest.mark.parametrize("pieces", [3, 4])
def test_english_positions_are_those_that_are_published_and_have_known_values(home, pieces):
    """Schaeffer et al. 2007 count boards, whoever is to move, those with pieces of one colour, too."""
    published = {2: 6_972, 3: 261_224, 4: 7_092_774}
    counts = {material: np.bincount(codes) for material, codes in make(ENGLISH, pieces).slices.items()}
    for total in range(2, pieces + 1):
        one_colour = sum(comb(28, men) * comb(32 - men, total - men) for men in range(total + 1))
        sizes = (codes[:NO_ENDING].sum() for material, codes in counts.items() if sum(material) == total)
        assert sum(sizes) + 2 * one_colour == published[total]
    kings = counts[Material(0, 1, 0, 1)][:NO_ENDING]
    assert (kings[1::2].sum(), kings[0], kings[2::2].sum()) == (108, 654, 230)
    assert max(np.flatnonzero(kings[2::2])) * 2 + 1 == 11


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for tables that a test may damage."""
    monkeypatch.setattr(endgame, "cache_folder", lambda: tmp_path / "kernels")
    opened.cache_clear()
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_damaged_file_is_named_and_made_again_alone(own_home):
    make(ENGLISH, 3)
    folder = folder_of(ENGLISH)
    sound, rng = contents(folder), random.Random(5)
    begun: list[tuple[int, int]] = []
    path = folder / "KvK.npy"
    last = sound[path.name]
    damaged = [last[:length] for length in (0, 7, 127, 128, len(last) - 1)]
    damaged += [bytes(128), rng.randbytes(300), b"PK" + last[2:], sound["MvM.npy"]]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(EndgameError) as caught:
            load(ENGLISH, 2)
        one_line(caught.value)
        assert f"{path} is missing or damaged" in str(caught.value)
        begun.clear()
        with solving.heard_by(lambda _, sizes, done: begun.append((done, sum(sizes)))):
            make(ENGLISH, 2)
        assert begun[0] == (3512 - 992, 3512)
        assert contents(folder) == sound
    for byte in range(128):
        path.write_bytes(last[:byte] + bytes([last[byte] ^ 1 << rng.randrange(8)]) + last[byte + 1 :])
        with suppress(EndgameError):
            assert load(ENGLISH, 2).slices[Material(0, 1, 0, 1)].tobytes() == last[128:]


def test_tables_are_made_where_they_are_opened_and_announced(own_home):
    announced: list[str] = []
    assert known_pieces(ENGLISH) == 0
    with announcing(announced.append):
        for pieces in (2, 3):
            assert opened(ENGLISH, pieces) is opened(ENGLISH, pieces) and known_pieces(ENGLISH) == pieces
    assert [line.partition(":")[0] for line in announced if "endings" in line] == [
        "solving 3,512 endings of english",
        "solving 198,768 endings of english",
    ]
    (folder_of(ENGLISH) / "KKvK.npy").write_bytes(b"")
    assert known_pieces(ENGLISH) == 2


@pytest.mark.parametrize("days", [1, 15])
def test_tables_of_other_code_are_not_read_and_are_deleted_when_they_were_long_unused(own_home, monkeypatch, days):
    make(ENGLISH, 2)
    before, used = folder_of(ENGLISH), time.time() - days * 24 * 3600
    os.utime(before, (used, used))
    monkeypatch.setattr(endgame, "_code", lambda: "other")
    with pytest.raises(EndgameError):
        load(ENGLISH, 2)
    make(ENGLISH, 2)
    assert before.exists() == (days == 1)


@pytest.mark.parametrize("calls", [1, 6])
def test_solving_that_was_interrupted_is_resumed(own_home, calls):
    reports: list[tuple[int, int]] = []

    def interrupt(_: Variant, sizes: Collection[int], done: int) -> None:
        reports.append((done, sum(sizes)))
        if len(reports) == calls:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), solving.heard_by(interrupt):
        make(ENGLISH, 3)
    kept = contents(folder_of(ENGLISH))
    (folder_of(ENGLISH) / ".KvK.npy.1.tmp").touch()
    assert bool(kept) == (calls > 1)
    reports, calls = [], 0
    with solving.heard_by(interrupt):
        make(ENGLISH, 3)
    assert (reports[0][0], reports[-1]) == (sum(map(len, kept.values())) - 128 * len(kept), (202_280, 202_280))
    resumed = contents(folder_of(ENGLISH))
    assert kept.items() <= resumed.items() and len(resumed) == 4 + 12
    shutil.rmtree(folder_of(ENGLISH))
    make(ENGLISH, 3)
    assert contents(folder_of(ENGLISH)) == resumed


def test_tables_that_another_process_solves_are_waited_for(own_home):
    lock = lock_folder(folder_of(ENGLISH).parent)
    with ThreadPoolExecutor() as threads:
        made = threads.submit(make, ENGLISH, 2)
        assert not wait([made], 0.3).done
        lock.release()
        assert made.result().pieces == 2


def test_a_folder_that_cannot_be_written_to_is_one_line(own_home):
    def refused(reason: str) -> None:
        with pytest.raises(EndgameError, match=reason) as caught:
            make(ENGLISH, 3)
        one_line(caught.value)

    make(ENGLISH, 2)  # what it compiles would be too large a file below
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        refused("File too large")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    shutil.rmtree(folder_of(ENGLISH))
    folder_of(ENGLISH).parent.chmod(0o500)
    if not os.access(folder_of(ENGLISH).parent, os.W_OK):
        refused("Permission denied")


def test_an_ending_that_is_too_long_for_a_byte_is_an_error(own_home, monkeypatch):
    monkeypatch.setattr(retrograde, "LONGEST", 12)
    with pytest.raises(EndgameError, match="more than 12 plies") as caught:
        make(ENGLISH, 2)
    one_line(caught.value)
