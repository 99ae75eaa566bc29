"""Probes: positions that every player searches to one depth, which games at equal time do not measure.

A search is made by a player built for it alone, so that nothing is left over from another position.
"""

from __future__ import annotations

import random
from dataclasses import replace

from arena.base.wording import cut
from arena.experiment.openings.lines import is_even, random_line
from arena.hosting.held import failure_of
from arena.hosting.player_process import hold
from arena.ledger.record import NO_SEARCH, ProbeRecord, ProbeTask, search_values
from arena.play.match import REASON_CHARACTERS
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.player import Limit

PLIES = (6, 40)
"""Random plies to the first and to the last position where a configuration does not say how many: from the
opening to positions of 9 or 10 pieces on the small boards."""
_TRIES = 1000
"""Random lines tried for each position before giving up."""


class ProbeError(ValueError):
    """There are not the positions that were asked for."""


def positions(variant: Variant, count: int, plies: int | None, seed: int) -> list[Position]:
    """`count` distinct positions after `plies` random plies, spread evenly over PLIES for None.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.lines.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ProbeError if fewer are found.
    """
    rng = random.Random(f"probe {seed}")
    first, last = PLIES if plies is None else (plies, plies)
    found: dict[Position, None] = {}
    for number in range(count):
        length = first + round(number * (last - first) / max(count - 1, 1))
        lines = (random_line(variant, length, rng) for _ in range(_TRIES))
        position = next(
            (game.position for game in lines if game.position not in found and _worth_searching(game)), None
        )
        if position is None:
            raise ProbeError(
                f"only {number} of {count} balanced positions were found, none more after {length} random plies"
            )
        found[position] = None
    return list(found)


def measure(task: ProbeTask) -> ProbeRecord:
    """Search one position to the task's depth with no other limit; a player's failure is its record's error."""
    text = fen(task.variant, task.position)
    spec = replace(task.player, limit=Limit(depth=task.depth))
    seed = f"{task.seed} probe {task.number}"
    game = Game(task.variant, task.position)
    try:
        player = hold(spec, task.variant, task.position, seed, task.allowance)
        answer = player.ask(game, spec.limit, random.Random(seed))
        search = search_values(answer.choice, answer.seconds, answer.cpu_seconds)
    except Exception as raised:
        error = cut(str(failure_of(raised)), REASON_CHARACTERS)
        return ProbeRecord(spec.name, task.number, text, NO_SEARCH, error)
    return ProbeRecord(spec.name, task.number, text, search, "")


def _worth_searching(game: Game) -> bool:
    if game.outcome is not None or len(game.legal_moves) < 2:
        return False
    return is_even(game.variant, game.position)
