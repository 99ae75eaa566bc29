"""How many positions tell two players apart, and how many games."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from time import perf_counter

import numpy as np
from scipy.special import ndtri

from arena.bench.rates import Rate
from arena.board.sides import Opponent
from arena.commands.bench import show_rows
from arena.experiment.openings.sources import random_openings
from arena.play.match import Task, play
from arena.ratings.errors import cluster_variance
from arena.ratings.interval import Floats, Ints
from arena.rules.endgame.retrograde import make
from arena.rules.endgame.tables import EndgameTables
from arena.rules.game import Game
from arena.rules.movegen import after_move
from arena.rules.notation import NotationError, fen
from arena.rules.position import Position
from arena.rules.result import points_of
from arena.rules.variants import VARIANTS, Variant
from players.player import Limit, PlayerSpec

PLAYERS = [(name, depth) for name in ("simple", "strong", "neural") for depth in (1, 5, 11)]
PAIRS = ((("simple", 5), ("strong", 5)), (("simple", 5), ("simple", 7)))
PIECES = 4
LEAST = 0.2
"""Share of a position's moves that lose value, at least."""


def separating(name: str = "english", positions: int = 840, pairs: int = 300, seed: int = 3) -> Iterator[Rate]:
    """Error rates in random endings, and what tells PAIRS apart with 80 % power: positions put to both, or games.

    Endings of PIECES pieces, any of them men or kings, in which LEAST of the moves or more lose value. Raises
    RuntimeError if a player fails.
    """
    variant = VARIANTS[name]
    tables, rng = make(variant, PIECES), random.Random(seed)
    chosen = [_ending(variant, tables, rng) for _ in range(positions)]
    by_chance = np.mean([np.mean(list(errs.values())) for _, errs in chosen])
    yield Rate("random", name, None, positions, 0.0, f"{100 * by_chance:.1f} % errors", "")
    errors: dict[tuple[str, int], np.ndarray] = {}
    spent: dict[tuple[str, int], float] = {}
    for player in dict.fromkeys([*PLAYERS, *(player for pair in PAIRS for player in pair)]):
        errors[player], spent[player] = _errors(variant, _entry(player), chosen)
        rate = f"{100 * errors[player].mean():.1f} % errors"
        yield Rate(_name(player), name, player[1], positions, spent[player], rate, "")
    for first, second in PAIRS:
        needed = _to_separate(errors[first] - errors[second], np.arange(positions), 0.0)
        seconds = needed / positions * (spent[first] + spent[second])
        what = f"{_name(first)} - {_name(second)}"
        yield Rate(what, name, None, positions, seconds, f"{needed:.0f} positions", "time of so many")
        points, plies, played = _match(variant, first, second, pairs, seed)
        games = _to_separate(points, np.arange(len(points)) // 2, 0.5)
        note = f"time of so many; {100 * points.mean():.1f} % of {len(points)} games"
        yield Rate(what, name, None, plies, games / len(points) * played, f"{games:.0f} games", note)


def _to_separate(values: Floats, cluster: Ints, level: float) -> float:
    """Values after which a two-sided test at 5 % tells their mean from `level` with a power of 80 %.

    n = (z_0.975 + z_0.8)² variance / difference².
    """
    variance, distance = cluster_variance(values, cluster), float(values.mean()) - level
    return float(ndtri(0.975) + ndtri(0.8)) ** 2 * variance / distance**2


def _ending(variant: Variant, tables: EndgameTables, rng: random.Random) -> tuple[str, Mapping[str, bool]]:
    """A position as FEN, and which of its moves lose value."""
    while True:
        bits = rng.sample(list(variant.bits), PIECES)
        white = sum(bits[: rng.choice((1, 2, 2, 3))])
        kings = sum(bit for bit in bits if rng.random() < 0.5)
        text = fen(variant, Position(white, sum(bits) - white, kings, rng.randrange(2)))
        try:
            game = Game(variant, text)
        except NotationError:
            continue
        after = [tables.value(after_move(variant.rules, game.position, move)[0]) for move in game.legal_moves]
        results = [-value.result for value in after if value is not None]
        errs = [result < max(results) for result in results]
        if errs and np.mean(errs) >= LEAST:
            return text, dict(zip(map(game.text, game.legal_moves), errs, strict=True))


def _errors(
    variant: Variant, spec: PlayerSpec, chosen: list[tuple[str, Mapping[str, bool]]]
) -> tuple[np.ndarray, float]:
    """Whether the player errs in each position, and the seconds that it took."""
    erred = []
    with Opponent({"type": spec.type, **spec.options, "depth": spec.limit.depth}, variant) as player:
        player.choose(Game(variant))
        start = perf_counter()
        for text, errs in chosen:
            game = Game(variant, text)
            erred.append(errs[game.text(player.choose(game).move)])
        return np.array(erred, float), perf_counter() - start


def _match(
    variant: Variant, player: tuple[str, int], other: tuple[str, int], pairs: int, seed: int
) -> tuple[np.ndarray, int, float]:
    """The points of the first player, the plies of all games, and the seconds that they took."""
    first, second = _entry(player), _entry(other)
    points, plies, seconds = [], 0, 0.0
    for pair, opening in enumerate(random_openings(variant, 6, pairs, seed)):
        for side, (white, black) in enumerate(((first, second), (second, first))):
            key = 2 * pair + side
            start = fen(variant, opening.position)
            record = play(Task(key, variant, start, pair, white, black, seed, max_plies=200))
            if record.error:
                raise RuntimeError(record.error)
            points.append(points_of(record.result) if not side else 1 - points_of(record.result))
            plies, seconds = plies + record.plies, seconds + record.seconds
    return np.array(points), plies, seconds


def _entry(player: tuple[str, int]) -> PlayerSpec:
    name, depth = player
    return PlayerSpec(_name(player), "negamax", Limit(depth=depth), {"preset": "full", "evaluation": name})


def _name(player: tuple[str, int]) -> str:
    return f"{player[0]} d{player[1]}"


if __name__ == "__main__":
    for one in sys.argv[1:] or ["english"]:
        show_rows(separating(one))
