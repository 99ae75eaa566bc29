"""Fixtures: every variant, and its positions from random play and scattered at random.

Also how the suite stays short: which tiers there are, and that each kernel is compiled once.
"""

import os
import random
import re
import shutil
import signal
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER, Rules
from arena.rules.variants import VARIANTS, Variant
from tests.helpers import naive
from tests.helpers.needed import needed
from tests.helpers.rule_sets import POSITIONS, RULE_SETS, UNCOMPILED

for _number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:  # as a shell leaves it to what it runs in the background
        signal.signal(_number, signal.SIG_DFL if _number != signal.SIGINT else signal.default_int_handler)


os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # readline sets it behind os.environ, and a command wraps its lines by it in a pipe, too

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("reproducible")


TIERS = ("quick", "rest", "full", "slow")
QUICK_RULES = ("english", "international")
"""Of a test that has a rule set as a parameter, the quick tier runs these; in `tests/players` the first alone, as
a search is compiled for each rule set."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier",
        choices=TIERS,
        help="quick (the default), full (quick and what it leaves out), rest (full without quick), "
        "or slow (the slow tests alone); the default is full where files or tests are named",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose the tier: who names a file or a test asks for all of it."""
    if config.option.tier is None:
        config.option.tier = "full" if any(".py" in argument for argument in config.args) else "quick"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """In the quick tier leave out files, with what they import, all of whose tests are of other tiers."""
    if config.option.tier != "quick" or collection_path.suffix != ".py":
        return None
    marks = re.search(r"^pytestmark = (.*)", collection_path.read_text(encoding="utf-8"), re.MULTILINE)
    return True if marks and re.search(r"mark\.(full|slow)\b", marks[1]) else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Keep the tests of the tier; without compiled kernels leave out what needs them."""
    yield
    tiers = ("quick", "rest") if config.option.tier == "full" else (config.option.tier,)
    kept = [
        item
        for item in items
        if tier_of(item) in tiers and not (UNCOMPILED and item.get_closest_marker("compiled"))
    ]
    config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = kept


def tier_of(item: pytest.Item) -> str:
    """The tier of a test: slow, rest (full without quick) or quick.

    `@pytest.mark.full` leaves a test to the full tier, `full(only=[...])` these parameters of it,
    `full(but=[...])` all others.
    """
    if item.get_closest_marker("slow"):
        return "slow"
    parameters = getattr(item, "callspec", None)
    if marker := item.get_closest_marker("full"):
        name = parameters.id if parameters else ""
        if name in marker.kwargs.get("only", [name]) and name not in marker.kwargs.get("but", []):
            return "rest"
    quick = QUICK_RULES[:1] if item.path.parent.name == "players" else QUICK_RULES
    values = parameters.params.values() if parameters else ()
    return "rest" if any(_is_of_another_rule_set(value, quick) for value in values) else "quick"


def _is_of_another_rule_set(value: object, quick: tuple[str, ...]) -> bool:
    """Whether a test's parameter is a rule set outside `quick`, the name of one or a row about one."""
    if isinstance(value, Mapping):
        value = value.get("variant")
    name = value.name if isinstance(value, Variant) else value
    return isinstance(name, str) and name not in quick and bool({name, name.rpartition("-")[0]} & set(VARIANTS))


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A worker that needs a kernel which another one is compiling waits, and loads it from the cache."""
    if "PYTEST_XDIST_WORKER" not in os.environ:  # whose folder would be that of all runs of this machine
        yield
        return
    shared = tmp_path_factory.getbasetemp().parent
    compile_now = Dispatcher.compile

    def compile_locked(self: Dispatcher, signature: Any) -> Any:
        rules = str(signature[0]) if isinstance(signature, tuple) and signature else ""
        if "Constants_" not in rules and "Values(" not in rules:
            return compile_now(self, signature)
        # numba's lock first: a kernel that another one calls is compiled while this thread holds it
        with global_compiler_lock, FileLock(shared / f"{zlib.crc32(rules.encode())}.lock", is_singleton=True):
            return compile_now(self, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_locked)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_worker_is_this_process() -> Iterator[None]:
    """One worker starts no process, for a user's code neither, but where a test asks for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.play.workers.own_code", lambda _spec: ())
        yield


@pytest.fixture(scope="module")
def no_pictures() -> Iterator[None]:
    """A report's pictures are empty files: saving them takes most of its time. `test_page` has real ones."""
    import arena.report.charts.style

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena.report.charts.style, "svg", lambda axes: '<svg width="9pt"></svg>')
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium that is installed on this machine, driven by playwright; without one the tests are skipped."""
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        pytest.skip("no Chromium is installed: what a page does in a browser is not tested")
    playwright = needed("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found[0], args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session", params=RULE_SETS, ids=lambda variant: variant.name)
def variant(request: pytest.FixtureRequest) -> Variant:
    """Each variant in turn; of those with the same rules the first."""
    chosen: Variant = request.param
    return chosen


@pytest.fixture(scope="session")
def played(variant: Variant) -> list[Position]:
    """POSITIONS positions of games in which the oracle moves at random, finished ones among them."""
    return list(_played(variant.rules, variant.start))


@pytest.fixture(scope="session")
def scattered(variant: Variant) -> list[Position]:
    """POSITIONS positions of 2 to 20 pieces on any squares, from few kings to most; see `most_pieces`."""
    return list(_scattered(variant.rules))


@cache
def _played(rules: Rules, start: Position) -> tuple[Position, ...]:
    """The positions of `played`, once for all files: pytest drops a fixture's value when the variant changes."""
    rng = random.Random(1)
    positions: dict[Position, None] = {}
    state = naive.state_of(rules, start)
    plies = 0
    while len(positions) < POSITIONS:
        positions[naive.position_of(rules, state)] = None
        moves = sorted(naive.legal_moves(rules, state), key=repr)
        if moves and plies < 150:
            state, plies = naive.play(rules, state, rng.choice(moves)), plies + 1
        else:
            state, plies = naive.state_of(rules, start), 0
    return tuple(positions)


@cache
def _scattered(rules: Rules) -> tuple[Position, ...]:
    rng = random.Random(2)
    squares = naive.board_squares(rules)
    positions = []
    for _ in range(POSITIONS):
        kings, white = rng.choice((0.1, 0.4, 0.8)), rng.choice((0.2, 0.5, 0.8))
        pieces = {
            square: naive.Piece(WHITE if rng.random() < white else BLACK, rng.random() < kings)
            for square in rng.sample(squares, rng.randint(2, most_pieces(rules)))
        }
        positions.append(legal_position(rules, pieces, rng.choice((WHITE, BLACK))))
    return tuple(positions)


def most_pieces(rules: Rules) -> int:
    """How many pieces to put anywhere: the oracle does not end where kings capture many in eight directions."""
    return 10 if rules.straight_captures else min(20, rules.rows * rules.per_row * 2 // 3)


def legal_position(rules: Rules, pieces: Mapping[naive.Square, naive.Piece], turn: int) -> Position:
    """The position of some pieces, with a man where it would have been crowned made a king."""

    def king(square: naive.Square, piece: naive.Piece) -> bool:
        crowned = piece.king or square[0] == naive.far_row(rules, piece.colour)
        return crowned and rules.promotion != NEVER

    placed = {square: piece._replace(king=king(square, piece)) for square, piece in pieces.items()}
    return naive.position_of(rules, naive.State(placed, turn))
