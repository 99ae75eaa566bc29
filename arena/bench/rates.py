"""Rates of the arena's own code: move generation, searches and whole games.

Rates move by as much as a quarter from run to run, with the machine's load and clock: compare within one run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import count

from arena.bench.timing import Row, Work, best_runs, first_depth, millions, spell, three_figures
from arena.experiment.formats.base import Pairing
from arena.play.match import Task, play
from arena.rules.game import Game
from arena.rules.jit.cache import cache_folder
from arena.rules.movegen import perft
from arena.rules.variants import Variant
from players.evaluation.build import has_network
from players.player import Limit, PlayerSpec
from players.table import build_player

USER_EVALUATION = '''"""The +7/+5/+3 heuristic, as a user would write it."""

from players.evaluation.evaluator import evaluator
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


def rules(variants: Sequence[Variant], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """Perft from each start position: the best of `repeat` runs.

    The depth is the first that takes at least `seconds_per_variant`. Moves at the last ply are counted, not made.
    """
    for variant in variants:
        counting = perft_of(variant)
        depth = first_depth(counting, seconds_per_variant)
        [(nodes, seconds)] = best_runs(depth, repeat, counting)
        yield Row("perft", variant.name, depth, nodes, seconds, millions(nodes, seconds), "bulk counting")


def search(variants: Sequence[Variant], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """Plain alpha-beta from each start position, with the evaluation `simple` and the same one from a user's file.

    Each row is the best of `repeat` runs, at the first depth that takes the built-in one `seconds_per_variant`.
    """
    digest = sha256(USER_EVALUATION.encode()).hexdigest()[:8]
    path = cache_folder() / f"user_evaluation_{digest}.py"
    if not path.is_file():
        path.write_text(USER_EVALUATION, encoding="utf-8")
    for variant in variants:
        built_in = _negamax(variant, "simple")
        user = _negamax(variant, f"{path}:seven_five_three")
        depth = first_depth(built_in, seconds_per_variant)
        (nodes, seconds), (user_nodes, user_seconds) = best_runs(depth, repeat, built_in, user)
        yield Row(
            "negamax, built-in",
            variant.name,
            depth,
            nodes,
            seconds,
            millions(nodes, seconds),
            "alpha-beta, simple",
        )
        note = f"{seconds / user_seconds:.2f} of the built-in's speed"
        if user_nodes != nodes:
            note = f"NODES DIFFER: the same evaluation built in enters {nodes:,}"
        rate = millions(user_nodes, user_seconds)
        yield Row("negamax, user-written", variant.name, depth, user_nodes, user_seconds, rate, note)


def full_search(variants: Sequence[Variant], seconds_per_variant: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """The preset `full` from each start position, with an empty table: with `simple`, and with what was learned.

    Each is searched to the first depth that takes it `seconds_per_variant`; rows as those of `search`.
    """
    for variant in variants:
        simple = 0.0
        for evaluation in ("simple", "neural") if has_network(variant) else ("simple",):
            work = partial(_afresh, variant, evaluation)
            depth = first_depth(work, seconds_per_variant)
            [(nodes, seconds)] = best_runs(depth, repeat, work)
            note = f"{nodes / seconds / simple:.2f} of the rate with simple" if simple else "all techniques, 16 MB"
            simple = simple or nodes / seconds
            yield Row(
                f"negamax, full, {evaluation}", variant.name, depth, nodes, seconds, millions(nodes, seconds), note
            )


def tree_search(variant: Variant, simulations: int = 50_000, repeat: int = 3) -> Row:
    """Tree search by random games from the start position, each time from nothing: the best of `repeat` runs."""
    player = build_player(PlayerSpec("mcts", "mcts", Limit(nodes=1), {"keep_tree": False, "tree": 256}), variant)
    game = Game(variant)
    player.choose(game, Limit(nodes=1), random.Random(0))
    [(nodes, seconds)] = best_runs(
        simulations, repeat, lambda nodes: player.choose(game, Limit(nodes=nodes), random.Random(0)).nodes
    )
    rate = f"{three_figures(nodes / seconds)} games/s"
    return Row(
        "mcts, random games", variant.name, None, nodes, seconds, rate, "a simulation each, the tree included"
    )


def random_games(variant: Variant, seconds: float = 1.0, max_plies: int = 300) -> Row:
    """Random against random from the start position, recorded as in a tournament; games begin for `seconds`.

    One process plays at least one game. The cost of a ply is wall time, the players' own included.
    """
    _play_random(variant, 0, max_plies)
    numbers = count(1)
    plies, elapsed = spell(lambda: _play_random(variant, next(numbers), max_plies), seconds)
    games = next(numbers) - 1
    note = f"{games:,} games, {1e6 * elapsed / plies:.1f} µs a ply"
    return Row(
        "random games", variant.name, None, plies, elapsed, f"{three_figures(games / elapsed)} games/s", note
    )


def perft_of(variant: Variant) -> Work:
    """Perft of a variant's start position."""
    return partial(perft, variant, variant.start)


def _negamax(variant: Variant, evaluation: str, preset: str = "alphabeta") -> Work:
    spec = PlayerSpec("negamax", "negamax", Limit(depth=1), {"evaluation": evaluation, "preset": preset})
    player = build_player(spec, variant)
    game, rng = Game(variant), random.Random(0)
    return lambda depth: player.choose(game, Limit(depth), rng).nodes


def _afresh(variant: Variant, evaluation: str, depth: int) -> int:
    """Nodes of `full` from the start position, with an empty table."""
    return _negamax(variant, evaluation, "full")(depth)


def _play_random(variant: Variant, game: int, max_plies: int) -> int:
    spec = PlayerSpec("random", "random")
    pairing = Pairing(game, pair=game, round=1, white=0, black=1, opening=0)
    record = play(Task(pairing, variant, variant.start, spec, spec, seed=1, max_plies=max_plies))
    return len(record.table())
