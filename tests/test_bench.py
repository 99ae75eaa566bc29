"""Tests of the benchmarks, on a clock of their own: what is counted, which run is kept, what rivals' rows say."""

from __future__ import annotations

import json
import random
import sys
from importlib.metadata import PackageNotFoundError
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bench import rates, timing
from arena.bench.overhead import overhead
from arena.bench.rates import random_games, rules, search
from arena.bench.timing import three_figures
from arena.commands.bench import rows
from arena.experiment.formats.base import Pairing
from arena.ledger.record import Task
from arena.play.match import play
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves, perft
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.evaluation.build import EVALUATORS
from players.loading import load_object
from players.negamax.player import Negamax
from players.player import Limit, PlayerSpec
from tests.benchmarks import rivals as bench_rivals
from tests.benchmarks.environments import environments
from tests.benchmarks.rivals import RIVALS, Rival, rivals
from tests.benchmarks.workers import engines

PUBLISHED = json.loads((Path(__file__).parent / "data" / "perft.json").read_text())["rows"]
INTERNATIONAL = VARIANTS["international"]


class Clock:
    """A clock on which the first run takes 1 s, the second 2 s, the third 3 s, the fourth 1 s again."""

    def __init__(self) -> None:
        self.now = 0.0
        self._running = False
        self._lengths = cycle((1.0, 2.0, 3.0))

    def perf_counter(self) -> float:
        """The time; every second reading ends a run."""
        self.now += next(self._lengths) if self._running else 0.0
        self._running = not self._running
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock that the benchmarks read."""
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


@pytest.fixture
def install(monkeypatch):
    """A function that makes exactly the given distributions, name to version, appear installed."""

    def install(**versions):
        def version(name):
            if name.replace("-", "_") not in versions:
                raise PackageNotFoundError(name)
            return versions[name.replace("-", "_")]

        fake = SimpleNamespace(version=version, PackageNotFoundError=PackageNotFoundError)
        monkeypatch.setattr(bench_rivals, "metadata", fake)

    return install


@pytest.fixture
def rival(monkeypatch, install):
    """A function that makes one program, installed and with the given perft, the only rival."""

    def rival(count):
        install(some_draughts="1.2")
        only = Rival("some-draughts", "json", "its own perft", lambda module: count)
        monkeypatch.setattr(bench_rivals, "RIVALS", (only,))

    return rival


def published(name):
    """Node counts of a variant's start position from depth 1 on."""
    variant = VARIANTS[name]
    rows = (row for row in PUBLISHED if row["variant"] == name)
    return next(row["nodes"] for row in rows if parse_fen(variant, row["fen"]) == variant.start)


def international_perft(depth):
    return perft(INTERNATIONAL, INTERNATIONAL.start, depth)


# --- rules


@pytest.mark.parametrize("name", ["english", "brazilian", "international"])
@pytest.mark.parametrize("depth", [1, 3])
def test_perft_counts_are_the_published_ones_at_the_depth_of_the_row(clock, name, depth):
    [row] = rules([VARIANTS[name]], seconds_per_variant=depth)
    assert (row.what, row.variant, row.depth) == ("perft", name, depth)
    assert row.nodes == published(name)[depth - 1]


@pytest.mark.parametrize(("seconds", "depth"), [(0, 1), (1, 1), (1.5, 2), (2.5, 3), (3, 3)])
def test_depth_is_the_first_that_takes_long_enough(clock, seconds, depth):
    [row] = rules([VARIANTS["english"]], seconds_per_variant=seconds)
    assert row.depth == depth


@pytest.mark.parametrize(("repeat", "best"), [(1, 3.0), (2, 1.0), (3, 1.0)])
def test_the_fastest_of_the_repeated_runs_is_kept(clock, repeat, best):
    [row] = rules([VARIANTS["english"]], seconds_per_variant=2, repeat=repeat)
    assert row.seconds == best
    assert row.rate == {3.0: "0.0000163 M nodes/s", 1.0: "0.0000490 M nodes/s"}[best]


def test_rows_come_in_the_order_asked_for(clock):
    names = ["international", "english"]
    variants = [VARIANTS[name] for name in names]
    assert [row.variant for row in rules(variants, seconds_per_variant=0)] == names
    found = [row.variant for row in search(variants, seconds_per_variant=0)]
    assert found == [name for name in names for _ in range(2)]


# --- search


def test_search_enters_the_nodes_that_the_player_reports_with_either_evaluation(clock):
    built_in, user = search([VARIANTS["english"]], seconds_per_variant=3)
    english = VARIANTS["english"]
    nodes = Negamax(english, "simple", "alphabeta").choose(Game(english), Limit(depth=3), random.Random(0)).nodes
    assert (built_in.depth, user.depth) == (3, 3)
    assert (built_in.nodes, user.nodes) == (nodes, nodes)
    assert "DIFFER" not in user.note


def test_both_evaluations_run_in_turn_and_are_compared_by_their_best(clock):
    built_in, user = search([VARIANTS["english"]], seconds_per_variant=2, repeat=1)
    assert (built_in.seconds, user.seconds) == (3.0, 1.0)
    assert user.note == "3.00 of the built-in's speed"


def test_a_user_evaluation_with_other_values_is_flagged(clock, monkeypatch):
    monkeypatch.setattr(rates, "USER_EVALUATION", rates.USER_EVALUATION.replace("value = 3.0", "value = -3.0"))
    built_in, user = search([VARIANTS["international"]], seconds_per_variant=3, repeat=1)
    assert user.nodes != built_in.nodes
    assert user.note == f"NODES DIFFER: the same evaluation built in enters {built_in.nodes:,}"


def test_the_user_evaluation_gives_the_values_of_the_built_in_one(tmp_path):
    path = tmp_path / "user_evaluation.py"
    path.write_text(rates.USER_EVALUATION)
    mine = load_object(f"{path}:seven_five_three", "evaluation", callable)
    rng = random.Random(3)
    values = set()
    for variant in VARIANTS.values():
        game = Game(variant)
        while game.outcome is None and len(game.moves) < 80:
            game.push(rng.choice(game.legal_moves))
            value = mine(game.position, variant.rules)
            assert value == EVALUATORS["simple"](game.position, variant.rules)
            values.add(value)
    assert len(values) > 10


# --- games


def test_games_begin_until_the_time_is_over(clock):
    row = random_games(VARIANTS["english"], seconds=2, max_plies=7)
    assert (row.depth, row.nodes, row.seconds) == (None, 21, 3.0)
    assert (row.rate, row.note) == ("1.00 games/s", "3 games, 142857.1 µs a ply")


def test_one_game_is_played_in_no_time(clock):
    variant, spec = VARIANTS["brazilian"], PlayerSpec("random", "random")
    record = play(Task(Pairing(1, 1, 1, 0, 1, 0), variant, variant.start, spec, spec, 1, 300))
    row = random_games(variant, seconds=0)
    assert row.nodes == record.plies
    assert row.nodes > 20


# --- overhead


@pytest.mark.full
def test_overhead_is_of_each_part_by_its_own_unit():
    rows = {(row.what, row.depth): row for row in overhead(VARIANTS["english"], seconds=0, repeat=1)}
    assert list(rows) == list(zip(OVERHEAD, (1, 2, 3, *[None] * len(OVERHEAD)), strict=False))
    assert (
        {row.nodes for (_, depth), row in rows.items() if depth}
        == {1}
        == {rows[what, None].nodes for what in ("build_player", "seat, pinned", "seat")}
    )
    assert all(rows[what, None].nodes > 20 for what in ("Game.push", "random game", "depth-1 game"))
    for row in rows.values():
        assert row.rate == f"{three_figures(1e6 * row.seconds / row.nodes)} µs" and row.seconds > 0


# --- rivals


def test_rivals_that_are_not_installed_have_rows_that_say_how_to_install_them(clock, install):
    install()
    ours, *others = rivals()
    assert ours.what == "perft: ours"
    assert [row.what for row in others] == ["perft: dame-rs", "perft: py-draughts", "perft: pydraughts"]
    for row in others:
        assert row.note == f"not installed: pip install {row.what.removeprefix('perft: ')}"
        assert (row.depth, row.nodes, row.seconds, row.rate) == (None, 0, 0.0, "")


def test_a_slow_rival_is_counted_at_a_depth_of_its_own_and_compared_by_rate(clock, rival):
    def count(depth):
        clock.now += 50.0
        return international_perft(depth)

    rival(count)
    ours, theirs = rivals(seconds_per_rival=3)
    assert (ours.depth, ours.nodes, ours.seconds) == (3, published("international")[2], 1.0)
    assert (theirs.depth, theirs.nodes, theirs.seconds) == (1, published("international")[0], 51.0)
    assert theirs.note == "version 1.2, its own perft; ours is 3,729 times as fast"


def test_a_slow_first_run_is_not_timed(clock, rival):
    calls: list[int] = []

    def count(depth):
        clock.now += 0.0 if calls else 100.0
        calls.append(depth)
        return international_perft(depth)

    rival(count)
    _, theirs = rivals(seconds_per_rival=3)
    assert (calls, theirs.seconds) == ([1, 1, 2, 3, 3, 3, 3], 1.0)


def test_a_rival_that_counts_otherwise_is_flagged_and_not_compared(clock, rival):
    rival(lambda depth: international_perft(depth) + (depth == 3))
    _, theirs = rivals(seconds_per_rival=3)
    assert theirs.nodes == 659
    assert theirs.note == "version 1.2, its own perft; COUNTS DIFFER: ours is 658"


def test_a_rival_that_counts_nothing_is_flagged(clock, rival):
    rival(lambda depth: 0)
    _, theirs = rivals(seconds_per_rival=1)
    assert (theirs.rate, theirs.note) == ("0 M nodes/s", "version 1.2, its own perft; COUNTS DIFFER: ours is 9")


def test_a_rival_that_raises_says_so_and_the_next_is_measured(clock, rival, monkeypatch):
    def count(depth):
        raise AttributeError("no such\nmethod")

    rival(count)
    monkeypatch.setattr(bench_rivals, "RIVALS", (*bench_rivals.RIVALS, RIVALS[0]))
    _, broken, absent = rivals()
    assert (broken.nodes, broken.note) == (0, "failed: AttributeError: no such method")
    assert absent.note == "not installed: pip install dame-rs"


def test_programs_that_share_an_import_name_are_not_mistaken_for_each_other(clock, install):
    install(py_draughts="1.10.1", pydraughts="0.6.7")
    _, _, first, second = rivals()
    assert first.note == "not measured: pydraughts is installed too, and both are imported as draughts"
    assert second.note == "not measured: py-draughts is installed too, and both are imported as draughts"


class Board:
    """A board with moves to make and take back, as `push` and `pop` of other programs do."""

    def __init__(self):
        self._positions = [INTERNATIONAL.start]

    def moves(self):
        return legal_moves(INTERNATIONAL.constants, self._positions[-1])

    def push(self, move):
        self._positions.append(apply(INTERNATIONAL.constants, self._positions[-1], move))

    def pop(self):
        self._positions.pop()


class BoardWithProperty(Board):
    legal_moves = property(Board.moves)


class BoardWithMethod(Board):
    legal_moves = Board.moves


class BoardWithoutMoves:
    pass


def dame_perft(board, depth):
    assert isinstance(board, BoardWithoutMoves)
    return international_perft(depth)


@pytest.mark.parametrize(
    ("distribution", "module", "content"),
    [
        ("dame-rs", "dame", {"Board": BoardWithoutMoves, "perft": dame_perft}),
        ("py-draughts", "draughts", {"Board": BoardWithProperty}),
        ("pydraughts", "draughts", {"Board": BoardWithMethod}),
    ],
)
def test_each_rival_is_asked_through_its_own_interface(clock, install, monkeypatch, distribution, module, content):
    install(**{distribution.replace("-", "_"): "9.9"})
    monkeypatch.setitem(sys.modules, module, SimpleNamespace(**content))
    measured = [row for row in rivals(seconds_per_rival=3) if row.note.startswith("version 9.9")]
    assert [(row.what, row.depth, row.nodes) for row in measured] == [(f"perft: {distribution}", 3, 658)]
    assert measured[0].note.endswith("ours is 1.00 times as fast")


def test_programs_with_import_names_of_their_own_are_measured_together(clock, install, monkeypatch):
    install(dame_rs="0.2.0", py_draughts="1.10.1")
    monkeypatch.setitem(sys.modules, "dame", SimpleNamespace(Board=BoardWithoutMoves, perft=dame_perft))
    monkeypatch.setitem(sys.modules, "draughts", SimpleNamespace(Board=BoardWithProperty))
    assert [row.nodes for row in rivals(seconds_per_rival=3)] == [658, 658, 658, 0]


# --- environments


def test_steps_of_environments_are_counted_and_others_say_why_not(clock):
    ours, wrapped, *others = environments("frysk", seconds=1)
    for row in (ours, wrapped):
        assert row.what.startswith("steps: ours")
        assert row.nodes > 0
        assert row.rate == f"{timing.three_figures(row.nodes / row.seconds)} steps/s"
    assert others
    for row in others:
        assert (row.nodes, row.rate) == (0, "")
        assert row.note.startswith(("not installed: pip install ", "failed: ValueError: it has English"))


# --- all of them


SEARCHES = [
    "negamax, built-in",
    "negamax, user-written",
    *(f"negamax, full, {evaluation}" for evaluation in ("simple", "neural")),
    "mcts, random games",
]
OVERHEAD = [
    *("search", "search", "search", "build_player", "seat, pinned", "seat", "engine"),
    *("Game.push", "random game", "depth-1 game"),
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("what", "names", "expected"),
    [
        ("rules", ["english"], ["perft"]),
        ("overhead", ["english"], OVERHEAD),
        ("search", ["english"], SEARCHES),
        ("games", ["english"], ["random games"]),
        (
            "all",
            ["english"],
            ["perft", *SEARCHES, "random games", *OVERHEAD],
        ),
    ],
)
def test_a_benchmark_is_chosen_by_its_name(clock, install, what, names, expected):
    install()
    assert [row.what for row in rows(what, [VARIANTS[name] for name in names])] == expected


@pytest.mark.full
def test_workers_of_each_kind_play_the_same_games():
    rows = {row.what: row for row in engines(games=3)}
    assert list(rows) == ["one process", "2 processes", "2 Dask workers"]
    played = [row for row in rows.values() if not row.note.startswith("not measured")]
    assert len(played) >= 2 and len({row.nodes for row in played}) == 1 and played[0].nodes > 20


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.00116, "0.00116"),
        (0.5, "0.500"),
        (9.0, "9.00"),
        (28.34, "28.3"),
        (104.2, "104"),
        (129310.3, "129,310"),
    ],
)
def test_figures_are_never_written_in_powers_of_ten(number, text):
    assert timing.three_figures(number) == text
