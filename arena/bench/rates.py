"""Node rates: move generation, search, whole games, and other programs in the same run.

Every function yields rows and prints nothing. Rates move by as much as a quarter from run to run, with the
machine's load and clock: compare within one run.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from arena.formats.base import Pairing
from arena.play.match import play
from arena.player import Limit, PlayerSpec
from arena.record import Task, move_dtype
from arena.rules.game import Game
from arena.rules.jit.cache import cache_folder
from arena.rules.perft import perft
from arena.rules.variants import VARIANTS, Variant
from players import build_player

Work = Callable[[int], int]
"""What is timed: from a depth in plies to a number of nodes."""
USER_EVALUATION = '''"""The +7/+5/+3 heuristic, as a user would write it."""

from players import evaluator
from players.evaluation.features import far_half, far_row, pieces


@evaluator
def seven_five_three(position, rules):
    own, other = position.turn, 1 - position.turn
    value = 3.0 * (pieces(position, rules, own) - pieces(position, rules, other))
    value += 2.0 * (far_half(position, rules, own) - far_half(position, rules, other))
    value += 2.0 * (far_row(position, rules, own) - far_row(position, rules, other))
    return value
'''
"""A file of a user's own, with the same values as the built-in evaluation `simple`."""


class Row(NamedTuple):
    """One measurement; where there is none, numbers are 0, `rate` is empty and `note` says why."""

    what: str
    variant: str
    depth: int | None
    """Plies; None for whole games."""
    nodes: int
    """Lines counted by a perft, positions entered by a search, plies of games."""
    seconds: float
    """Wall time that `nodes` took."""
    rate: str
    """With its unit: million nodes, or games, per second, or the share of moves in time."""
    note: str


def rows(what: str, variants: Sequence[str]) -> Iterator[Row]:
    """The rows of the benchmark `rules`, `search`, `games` or `rivals`, or of `all`.

    The rivals play international draughts: `all` has them if that is among the variants.
    """
    if what in ("all", "rules"):
        yield from rules(variants)
    if what in ("all", "search"):
        yield from search(variants)
        yield from full_search(variants)
    if what in ("all", "games"):
        yield from map(random_games, variants)
    if what == "rivals" or (what == "all" and "international" in variants):
        from arena.bench.rivals import rivals

        yield from rivals()


def rules(variants: Sequence[str], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """Perft from each start position: the best of `repeat` runs.

    The depth is the first that takes at least `seconds_per_variant`. Moves at the last ply are counted, not made.
    """
    for name in variants:
        counting = _own_perft(VARIANTS[name])
        depth = _depth(counting, seconds_per_variant)
        [(nodes, seconds)] = _best(depth, repeat, counting)
        yield Row("perft", name, depth, nodes, seconds, _millions(nodes, seconds), "bulk counting")


def search(variants: Sequence[str], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """Plain alpha-beta from each start position, with the evaluation `simple` and the same one from a user's file.

    Each row is the best of `repeat` runs, at the first depth that takes the built-in one `seconds_per_variant`.
    """
    digest = sha256(USER_EVALUATION.encode()).hexdigest()[:8]
    path = cache_folder() / f"user_evaluation_{digest}.py"
    if not path.is_file():
        path.write_text(USER_EVALUATION)
    for name in variants:
        built_in = _negamax(VARIANTS[name], "simple")
        user = _negamax(VARIANTS[name], f"{path}:seven_five_three")
        depth = _depth(built_in, seconds_per_variant)
        (nodes, seconds), (user_nodes, user_seconds) = _best(depth, repeat, built_in, user)
        yield Row(
            "negamax, built-in", name, depth, nodes, seconds, _millions(nodes, seconds), "alpha-beta, simple"
        )
        note = f"{seconds / user_seconds:.2f} of the built-in's speed"
        if user_nodes != nodes:
            note = f"NODES DIFFER: the same evaluation built in enters {nodes:,}"
        rate = _millions(user_nodes, user_seconds)
        yield Row("negamax, user-written", name, depth, user_nodes, user_seconds, rate, note)


def full_search(variants: Sequence[str], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """The preset `full` with `simple` from each start position, with an empty table; rows as those of `search`."""
    for name in variants:
        work = partial(_afresh, VARIANTS[name])
        depth = _depth(work, seconds_per_variant)
        [(nodes, seconds)] = _best(depth, repeat, work)
        yield Row("negamax, full", name, depth, nodes, seconds, _millions(nodes, seconds), "all techniques, 16 MB")


def random_games(variant: str, seconds: float = 1.0, max_plies: int = 300) -> Row:
    """Random against random from the start position, recorded as in a tournament; games begin for `seconds`.

    One process plays at least one game. The cost of a ply is wall time, the players' own included.
    """
    _play_random(variant, 0, max_plies)
    began = time.perf_counter()
    plies = games = 0
    elapsed = 0.0
    while games == 0 or elapsed < seconds:
        games += 1
        plies += _play_random(variant, games, max_plies)
        elapsed = time.perf_counter() - began
    note = f"{games:,} games, {1e6 * elapsed / plies:.1f} µs a ply"
    return Row("random games", variant, None, plies, elapsed, f"{_three_figures(games / elapsed)} games/s", note)


def _own_perft(variant: Variant) -> Work:
    return partial(perft, variant, variant.start)


def _negamax(variant: Variant, evaluation: str, preset: str = "alphabeta") -> Work:
    """Nodes of a search from the start position."""
    spec = PlayerSpec("negamax", "negamax", Limit(depth=1), {"evaluation": evaluation, "preset": preset})
    player = build_player(spec, variant)
    game, rng = Game(variant), random.Random(0)
    return lambda depth: player.choose(game, Limit(depth), rng).nodes


def _afresh(variant: Variant, depth: int) -> int:
    """Nodes of `full` from the start position, with an empty table."""
    return _negamax(variant, "simple", "full")(depth)


def _play_random(variant: str, game: int, max_plies: int) -> int:
    """Play one game and return its plies."""
    chosen, spec = VARIANTS[variant], PlayerSpec("random", "random")
    pairing = Pairing(game, pair=game, round=1, white=0, black=1, opening=0)
    record = play(Task(pairing, chosen, chosen.start, spec, spec, seed=1, max_plies=max_plies))
    return len(record.moves) // move_dtype(int(record.dtype)).itemsize


def _depth(work: Work, seconds: float) -> int:
    """The first depth at which `work` takes at least `seconds`; a first run that may compile is not timed."""
    work(1)
    return next(depth for depth in count(1) if _timed(work, depth)[1] >= seconds)


def _best(depth: int, repeat: int, *works: Work) -> list[tuple[int, float]]:
    """(nodes, seconds) of the fastest of `repeat` runs of each, taken in turn: a slow spell meets all alike."""
    runs = [[_timed(work, depth) for work in works] for _ in range(repeat)]
    return [min(of_one, key=lambda run: run[1]) for of_one in zip(*runs, strict=True)]


def _timed(work: Work, depth: int) -> tuple[int, float]:
    began = time.perf_counter()
    nodes = work(depth)
    return nodes, time.perf_counter() - began


def _millions(nodes: int, seconds: float) -> str:
    return f"{_three_figures(nodes / seconds / 1e6)} M nodes/s"


def _three_figures(number: float) -> str:
    """A number of at least 0 to three significant figures, all digits before the point kept, without exponent."""
    decimals = 2 - math.floor(math.log10(number)) if number else 0
    return f"{number:,.{max(decimals, 0)}f}"
