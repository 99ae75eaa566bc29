"""A benchmark of an evaluation by a fixed protocol, so that the figures of two people can be compared.

Games against the evaluations that come along, at equal depth, nodes and time; suites; errors in endings; the speed
of its search.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arena.bench.rates import perft_of
from arena.bench.timing import best_runs, first_depth
from arena.experiment.suite import shipped
from arena.ledger.record import SuiteAnswer
from arena.play.executor import Workers
from arena.play.probe import in_order, solve
from arena.play.runner import run
from arena.play.suite import Puzzle, Suite, moves_that_keep, read_suite, scattered
from arena.rules.endgame.tables import EndgameTables
from arena.rules.game import Game
from arena.rules.movegen import legal_moves
from arena.rules.result import points_of
from arena.rules.variants import Variant
from players.evaluation.build import Description, known_evaluations
from players.loading import PlayerError, located
from players.player import Limit, PlayerSpec
from players.table import build_player

VERSION = 2
"""Raised whenever the protocol changes: cards of different versions cannot be compared."""
MINE = "the evaluation"
"""The name of the player with the evaluation that is measured."""
RIVALS = ("material", "simple", "cis300", "strong", "patterns", "neural")
_TRIES = 300
"""Positions drawn by lot for each ending."""


class Protocol(NamedTuple):
    """How much is measured; cards are made with the values here."""

    terms: Mapping[str, Limit] = {
        "equal depth": Limit(depth=5),
        "equal nodes": Limit(nodes=2000),
        "equal time": Limit(seconds=0.01),
    }
    openings: int = 20
    """Random openings of 4 plies, each played twice against each rival."""
    depth: int = 5
    """Plies of the searches of suites."""
    positions: int | None = None
    """Positions of each suite, None for all."""
    endings: int = 1000
    """Decisions in endings that the endgame tables judge."""
    pieces: int = 4
    """Of these endings, at most."""
    seconds: float = 0.5
    """Of a measurement of speed, at least."""


class Score(NamedTuple):
    """The points of the evaluation against a rival on equal terms."""

    terms: str
    limit: str
    rival: str
    games: int
    points: float


class Speed(NamedTuple):
    """Rates of this machine, nodes a second."""

    perft: float
    """Of the generator from the start position."""
    simple: float
    """Of the preset full with `simple`."""
    mine: float
    """Of the preset full with the evaluation."""


def rivals(evaluation: Description, variant: Variant) -> list[str]:
    """The evaluations that one is measured against: those of RIVALS that there are, but itself."""
    known = known_evaluations(variant)
    return [name for name in RIVALS if name in known and name != evaluation]


def scores(
    evaluation: Description, variant: Variant, terms: str, protocol: Protocol, folder: Path, workers: Workers
) -> list[Score]:
    """Play the games on one of the protocol's terms, their run kept in a folder; the score against each rival.

    Raises PlayerError for an evaluation that cannot be built, and what `arena.play.runner.run` raises.
    """
    limit = {kind: value for kind, value in protocol.terms[terms]._asdict().items() if value is not None}
    names = {MINE: evaluation} | {name: name for name in rivals(evaluation, variant)}
    entry: dict[str, Any] = {"type": "negamax", "preset": "full", **limit}
    config = {
        "name": terms.replace(" ", "-"),
        "variant": variant.name,
        "seed": VERSION,
        "openings": {"random_plies": 4, "count": protocol.openings},
        "format": {"type": "gauntlet", "seeds": [MINE]},
        "players": [{"name": name, **entry, "evaluation": value} for name, value in names.items()],
    }
    try:
        games = run(config, folder, workers=workers).games
    except ValueError as error:
        raise PlayerError(str(error)) from None
    [text] = [f"{kind} {value}" for kind, value in limit.items()]
    found = []
    for rival in list(names)[1:]:
        rows = games[(games["white"] == rival) | (games["black"] == rival)]
        white = rows["result"].map(points_of).astype(float)
        points = float(white.where(rows["white"] == MINE, 1 - white).sum())
        found.append(Score(terms, text, rival, len(rows), points))
    return found


def suites_of(variant: Variant, protocol: Protocol) -> list[Suite]:
    """The suites that ship for a variant, as far as the protocol has their positions."""
    names = [name for name in shipped() if name.rpartition("-")[0] == variant.name]
    return [read_suite(name).spread(protocol.positions) for name in names]


def endings(variant: Variant, tables: EndgameTables, protocol: Protocol) -> Suite:
    """Endings drawn by lot, the same on each machine, in which a move can err: those that keep the value solve it.

    Values are those of the endgame tables, with best play by both. There are fewer where they are rare.
    """
    rng = random.Random(f"card {VERSION}")
    found: dict[Puzzle, None] = {}
    for _ in range(_TRIES * protocol.endings):
        position = scattered(variant, protocol.pieces, rng)
        best = moves_that_keep(variant, tables, position)
        if best and len(best) < len(legal_moves(variant.constants, position)):
            found[Puzzle(position, tuple(best))] = None
        if len(found) == protocol.endings:
            break
    return Suite("errors in endings", variant, tuple(found))


def solving(
    evaluation: Description, variant: Variant, suite: Suite, protocol: Protocol, workers: Workers
) -> tuple[Iterator[list[SuiteAnswer]], int]:
    """The answers of the evaluation and its rivals to the positions of a suite, as they come, and how many."""
    asked = [(spec, [Limit(depth=protocol.depth)]) for spec in players(evaluation, variant)]
    return solve(suite, asked, VERSION, workers), len(suite.puzzles) * len(asked)


def ordered(found: Iterable[list[SuiteAnswer]], evaluation: Description, variant: Variant) -> list[SuiteAnswer]:
    """The answers of `solving` in an order that does not depend on the workers."""
    return in_order(found, players(evaluation, variant))


def players(evaluation: Description, variant: Variant) -> list[PlayerSpec]:
    """The evaluation and its rivals as players of the preset full."""
    names: dict[str, Any] = {MINE: evaluation} | {name: name for name in rivals(evaluation, variant)}
    options = ({"preset": "full", "evaluation": value} for value in names.values())
    specs = (PlayerSpec(name, "negamax", Limit(), each) for name, each in zip(names, options, strict=True))
    return [located(spec, Path()) for spec in specs]


def speed(evaluation: Description, variant: Variant, protocol: Protocol) -> Speed:
    """The rates of the generator, and of searches from the start with `simple` and with the evaluation."""
    works = [perft_of(variant)]
    works += [partial(_nodes, variant, described) for described in ("simple", evaluation)]
    rates = []
    for work in works:
        [(nodes, seconds)] = best_runs(first_depth(work, protocol.seconds), 3, work)
        rates.append(nodes / seconds)
    return Speed(*rates)


def _nodes(variant: Variant, evaluation: Description, depth: int) -> int:
    """Nodes of `full` from the start position, with an empty table."""
    options = {"preset": "full", "evaluation": evaluation}
    player = build_player(PlayerSpec(MINE, "negamax", Limit(depth=1), options), variant)
    return player.choose(Game(variant), Limit(depth), random.Random(0)).nodes
