"""The probe: every player searches the same positions to one depth, before the games.

Each search is made by a player begun for it alone, so that nothing is left over from another position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from arena.base.errors import ArenaError
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import is_even, random_line
from arena.ledger.ledger import PROBES, Ledger
from arena.ledger.packing import NO_SEARCH, search_values
from arena.ledger.record import ProbeRecord
from arena.play.options.option import Option
from arena.play.ready import Tournament
from arena.play.solving import Question
from arena.play.suite import Puzzle
from arena.play.workers import carry_through, is_here
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.player import Limit

PROBE_PLIES = (6, 40)
"""Random plies to the first and to the last position of a probe where a configuration does not say how many: from
the opening to positions of 9 or 10 pieces on the small boards."""
_TRIES = 1000
"""Random lines tried for each position of a probe before giving up."""


class Probe(Option):
    """The probe of a run."""

    key = "probe"

    @staticmethod
    def prepare(experiment: Experiment) -> tuple[Position, ...]:
        """The positions of the probe; none without one."""
        if (probe := experiment.probe) is None:
            return ()
        try:
            return tuple(probe_positions(experiment.rule_set, probe.positions, probe.plies, experiment.seed))
        except ArenaError as error:
            raise experiment.error(("probe", "positions"), str(error)) from None

    @staticmethod
    def plan(tournament: Tournament) -> str:
        """How many searches there are, and how deep."""
        if (probe := tournament.experiment.probe) is None:
            return ""
        searches = len(tournament.players) * len(tournament.prepared[Probe.key])
        return f"before them {searches:,} searches to depth {probe.depth}"

    def before(self) -> bool:
        """Make the searches that the ledger lacks; whether nobody stopped it.

        The observer hears the first failure of each player. Raises EngineError if a search ends the process that
        makes it.
        """
        tournament, ledger, workers, observer = self.run
        told: set[str] = set()

        def store(record: ProbeRecord) -> None:
            ledger.insert(PROBES, record.row)
            if record.error and record.player not in told:
                told.add(record.player)
                observer.say(f"{record.player} cannot be measured at position {record.position}: {record.error}")

        tasks = list(probe_tasks(tournament, probed(ledger)))
        here = is_here(workers, tournament.players)
        return not tasks or carry_through(
            "searches", measure, tasks, len(tasks), store, workers, observer, here=here
        )


def measure(question: Question) -> ProbeRecord:
    """Make a search of a probe; a player's failure is the record's error."""
    answer, error = question.answer()
    search = NO_SEARCH if answer is None else search_values(answer.choice, answer.seconds, answer.cpu_seconds)
    text = fen(question.variant, question.puzzle.position)
    return ProbeRecord(question.player.name, question.number, text, search, error)


def probed(ledger: Ledger) -> set[tuple[str, int]]:
    """Player and number of the position of every search that is stored."""
    return set(ledger.rows("SELECT player, position FROM probes"))


def probe_tasks(tournament: Tournament, finished: set[tuple[str, int]]) -> Iterator[Question]:
    """The searches still to make; `finished` has players and numbers of positions.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time.
    """
    experiment, players = tournament.experiment, tournament.players
    if (probe := experiment.probe) is None:
        return
    for number, position in enumerate(tournament.prepared[Probe.key], start=1):
        first = number % len(players)
        for spec in players[first:] + players[:first]:
            if (spec.name, number) not in finished:
                searching, puzzle = replace(spec, limit=Limit(depth=probe.depth)), Puzzle(position, ())
                rest = puzzle, experiment.seed, experiment.allowance
                yield Question(searching, Probe.key, tournament.variant, number, *rest)


def probe_positions(variant: Variant, count: int, plies: int | None, seed: int) -> list[Position]:
    """`count` distinct positions after `plies` random plies, spread evenly over PROBE_PLIES for None.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.sources.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ArenaError if fewer are found.
    """
    rng = random.Random(f"probe {seed}")
    first, last = PROBE_PLIES if plies is None else (plies, plies)
    positions: dict[Position, None] = {}
    for number in range(count):
        length = first + round(number * (last - first) / max(count - 1, 1))
        lines = (random_line(variant, length, rng) for _ in range(_TRIES))
        new = (game.position for game in lines if game.position not in positions and _worth_searching(game))
        if (position := next(new, None)) is None:
            raise ArenaError(
                f"only {number} of {count} balanced positions were found, none more after {length} random plies"
            )
        positions[position] = None
    return list(positions)


def _worth_searching(game: Game) -> bool:
    if game.outcome is not None or len(game.legal_moves) < 2:
        return False
    return is_even(game.variant, game.position)
