"""The time that the arena itself takes for a search, a move and a game, part by part."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.bench.timing import Row, spell, three_figures
from arena.experiment.formats.base import Pairing
from arena.experiment.model import Experiment
from arena.experiment.openings.lines import random_line
from arena.hosting.held import HeldPlayer
from arena.hosting.player_process import close_held, hold
from arena.ledger.ledger import Facts, Ledger
from arena.ledger.record import Task
from arena.play.match import play
from arena.rules.game import Game
from arena.rules.hub import variant_words
from arena.rules.notation import fen
from arena.rules.variants import Variant
from players.baselines import Random
from players.player import Allowance, Limit, PlayerSpec
from players.table import build_player

DEPTHS = (1, 2, 3)
"""Plies of the searches: so few that what surrounds them counts."""
MAX_PLIES = 200
_OPENING_PLIES, _OPENINGS = 8, 100

Part = Callable[[], int]
"""A piece of work to time; it returns the number of units done."""


def overhead(variant: Variant, seconds: float = 0.3, repeat: int = 3) -> Iterator[Row]:
    """Rows of microseconds a unit: a search, a player, a move made, and a ply of a game, players and record in.

    Each is the best of `repeat` spells of `seconds`; a row's nodes are the units of that spell. Rules without a
    name in the Hub protocol have no row for a program that speaks it.
    """
    searching = PlayerSpec("searching", "negamax", Limit(depth=1), {"preset": "alphabeta"})
    full = PlayerSpec("full", "negamax", Limit(depth=1), {"preset": "full"})
    for depth in DEPTHS:
        work = _asked(HeldPlayer(searching, variant), _opened(variant), Limit(depth))
        yield _row("search", variant, depth, "one position, alpha-beta, simple", work, seconds, repeat)
    yield _row("build_player", variant, None, "the preset full", lambda: _built(full, variant), seconds, repeat)
    outside = PlayerSpec("outside", f"{Random.__module__}:{Random.__name__}")
    note = "a move of a random player in its own process"
    with _one_core():
        held = hold(outside, variant, variant.start, "0", Allowance())
        work = _asked(held, Game(variant), Limit())
        yield _row("seat, pinned", variant, None, f"{note}, both on one core", work, seconds, repeat)
        close_held()
    held = hold(outside, variant, variant.start, "0", Allowance())
    yield _row("seat", variant, None, note, _asked(held, Game(variant), Limit()), seconds, repeat)
    if variant_words(variant):
        command = [sys.executable, "-m", "arena", "hub", "--player", "{type: random}"]
        program = PlayerSpec("program", "engine", Limit(depth=1), {"command": command})
        held = hold(program, variant, variant.start, "0", Allowance())
        note = "a move of arena hub with a random player, through its seat"
        yield _row("engine", variant, None, note, _asked(held, Game(variant), program.limit), seconds, repeat)
    close_held()
    yield _row("Game.push", variant, None, "a ply", _pushes(variant), seconds, repeat)
    for what, spec in (("random game", PlayerSpec("random", "random")), ("depth-1 game", searching)):
        with TemporaryDirectory() as folder, _ledger(Path(folder), variant) as ledger:
            work = _games(variant, spec, ledger)
            yield _row(what, variant, None, "a ply, played and stored", work, seconds, repeat)


def _row(
    what: str, variant: Variant, depth: int | None, note: str, work: Part, seconds: float, repeat: int
) -> Row:
    work()
    units, taken = min((spell(work, seconds) for _ in range(repeat)), key=lambda found: found[1] / found[0])
    return Row(what, variant.name, depth, units, taken, f"{three_figures(1e6 * taken / units)} µs", note)


def _asked(player: HeldPlayer, game: Game, limit: Limit) -> Part:
    """Moves of a player, always of one position, timed as in a game."""
    rng = random.Random(0)

    def work() -> int:
        player.ask(game, limit, rng)
        return 1

    return work


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process and those that it begins to one core, as `pin: true` does, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _built(spec: PlayerSpec, variant: Variant) -> int:
    build_player(spec, variant)
    return 1


def _pushes(variant: Variant) -> Part:
    """Plies of a random game, made again and again."""
    played = random_line(variant, MAX_PLIES, random.Random(0))

    def work() -> int:
        game = Game(variant)
        for move in played.moves:
            game.push(move)
        return len(played.moves)

    return work


def _games(variant: Variant, spec: PlayerSpec, ledger: Ledger) -> Part:
    numbers = count(1)
    openings = [_opened(variant, seed).position for seed in range(_OPENINGS)]

    def work() -> int:
        number = next(numbers)
        opening = openings[number % _OPENINGS]
        pairing = Pairing(number, pair=number, round=1, white=0, black=1, opening=0)
        record = play(Task(pairing, variant, opening, spec, spec, seed=1, max_plies=MAX_PLIES))
        ledger.add(record, "white", "black", fen(variant, opening))
        return record.plies

    return work


def _opened(variant: Variant, seed: int = 0) -> Game:
    return random_line(variant, _OPENING_PLIES, random.Random(seed))


def _ledger(folder: Path, variant: Variant) -> Ledger:
    entry = {"type": "random"}
    players = [{"name": name} | entry for name in ("white", "black")]
    experiment = Experiment.model_validate({"name": "overhead", "variant": variant.family, "players": players})
    return Ledger(folder, experiment, Facts("black", variant.gametype, "", 0, False, {}))
