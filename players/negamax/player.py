"""The negamax player: iterations, windows and limits around the compiled search of `players.negamax.tree`."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.player import Choice, Limit
from arena.rules.game import Game
from arena.rules.moves import new_buffer, sides
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key
from players.evaluation.build import Description, build_evaluation
from players.negamax.score import LIMIT, static_value
from players.negamax.state import COUNTED, HISTORY, MAX_DEPTH, Tools, new_state
from players.negamax.switches import DEFAULT_PRESET, RANDOM, PresetName, named_switches, stored, switches_of
from players.negamax.transposition import new_table
from players.negamax.tree import compile_search, root

_RESERVE = 0.0005
"""Seconds of a move that are kept for what happens around the search."""


class Negamax:
    """Negamax with each technique a switch: a `preset` (minimax, alphabeta, iddfs, pvs, mtdf, full) and changes.

    `evaluation` values the leaves; `players.negamax.switches.Switches` says what each switch does. When a limit
    ends an iteration, its best move so far counts with `partial`, else that of the last iteration.
    """

    @named_switches
    def __init__(
        self,
        variant: Variant,
        evaluation: Description = "simple",
        preset: PresetName = DEFAULT_PRESET,
        **switches: Any,
    ) -> None:
        self.switches = switches_of(preset, switches)
        self._variant = variant
        self._evaluation = build_evaluation(evaluation, variant)
        self._state = new_state()
        self._tools = Tools(
            self._evaluation.pointer,
            self._evaluation.weights,
            self._state,
            new_buffer(),
            new_table(self.switches.tt),
        )
        self._set_up()
        compile_search(variant.constants, self._tools, variant.start)
        key(variant.start)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search until the first limit is met and choose the best move.

        Raises ValueError if there is no limit, a depth is not 1 to MAX_DEPTH, or, without `iterative`, there is
        no depth. The clock is spent as `budget` says.
        """
        began = time.monotonic()
        self.check_limit(limit)
        soft, hard = budget(limit)
        self._begin(game, limit, began + hard)
        state = self._state
        count = len(game.legal_moves)
        root_key = key(game.position)
        found = Choice(game.legal_moves[0])
        last = limit.depth or MAX_DEPTH
        for depth in range(1 if self.switches.iterative else last, last + 1):
            state["depth"], state["horizon"] = depth, 0
            leaves = int(state["leaves"])
            score = self._iterate(game.position, root_key, depth, count, found.score)
            stopped, best = bool(state["stopped"]), int(state["best"])
            if best >= 0 and (not stopped or self.switches.partial or found.score is None):
                found = self._found(best, score, depth - stopped, count, rng)
            if stopped or (self.switches.stop_single and count == 1 and np.isfinite(hard)):
                break
            if self.switches.stop_half and time.monotonic() - began >= soft:
                break
            if self.switches.stop_complete and state["leaves"] == leaves and not state["horizon"]:
                break
            if self.switches.stop_decided and abs(score) > LIMIT:
                break
            if self.switches.root_order:
                self._sort_root(count, best)
        counted: dict[str, Any] = {name: int(state[name]) for name in COUNTED}
        return found._replace(**counted)

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError for a limit that the search cannot do with."""
        if limit.depth is not None and not 1 <= limit.depth <= MAX_DEPTH:
            raise ValueError(f"negamax searches 1 to {MAX_DEPTH} plies, not {limit.depth}")
        if limit.depth is None and not self.switches.iterative:
            raise ValueError("negamax without iterative deepening needs the limit 'depth'")
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("negamax needs a limit: depth, nodes, seconds or clock")

    def _set_up(self) -> None:
        """Write the switches into the state."""
        state, draws = self._state, self._variant.draws
        for name, value in stored(self.switches).items():
            state[name] = value
        if self.switches.draws:
            state["repetition"] = draws.repetition
            state["no_progress"], state["no_capture"] = draws.no_progress, draws.no_capture
        state["man"] = self._worth_of_a_man()

    def _worth_of_a_man(self) -> float:
        """What the start's evaluation rises by, on average, when the other side lacks a man; 1 if it falls."""
        rules, start = self._variant.constants, self._variant.start
        pointer, weights = self._evaluation

        def value(position: Position) -> float:
            return static_value(rules, pointer, weights, position, 0)

        before, rises = value(start), []
        _, other = sides(start)
        for bit in (1 << i for i in range(64) if other >> i & 1):
            less = start._replace(white=start.white & ~bit, black=start.black & ~bit)
            rises.append(value(less) - before)
        mean = sum(rises) / len(rises) if rises else 0.0
        return mean if 0 < mean < LIMIT else 1.0

    def _begin(self, game: Game, limit: Limit, deadline: float) -> None:
        """Prepare the state for a search of its own: limits, the root's moves, the game's last positions."""
        state = self._state
        for name in COUNTED:
            state[name] = 0
        state["stopped"] = 0
        state["node_limit"] = limit.nodes or 2**62
        state["deadline"], state["polled"] = deadline, time.monotonic()
        state["poll_every"] = state["poll_at"] = 64
        state["generation"] += 1
        state["history"] //= 8
        state["killers"] = -1
        count = len(game.legal_moves)
        self._tools.moves[:count] = game.legal_moves
        state["root_index"][:count] = range(count)
        known = game.positions[-HISTORY:]
        base = len(known) - 1
        state["base"] = base
        state["path"][: base + 1] = [(position.white, position.black, position.kings) for position in known]
        state["progress"][base] = (min(game.without_progress, base), game.without_capture)

    def _iterate(self, position: Position, root_key: int, depth: int, count: int, guess: float | None) -> float:
        """The value of a search to `depth`, by windows around the last value if so switched."""
        rules, tools, state = self._variant.constants, self._tools, self._state

        def search(alpha: float, beta: float) -> float:
            return root(rules, *tools, position, root_key, depth, alpha, beta, count)

        if guess is None or abs(guess) > LIMIT:
            return search(-np.inf, np.inf)
        if self.switches.mtdf:
            lower, upper, value = -np.inf, np.inf, guess
            while lower < upper and not state["stopped"]:
                beta = np.nextafter(value, np.inf) if value == lower else value
                value = search(np.nextafter(beta, -np.inf), beta)
                lower, upper = (lower, value) if value < beta else (value, upper)
            value = search(np.nextafter(value, -np.inf), np.inf)
            return value if state["best"] >= 0 or state["stopped"] else search(-np.inf, np.inf)
        width = self.switches.aspiration * float(state["man"])
        alpha, beta = (guess - width, guess + width) if width else (-np.inf, np.inf)
        while True:
            value = search(alpha, beta)
            if state["stopped"] or alpha < value < beta:
                return value
            width *= 4
            alpha, beta = (guess - width if value <= alpha else alpha), (guess + width if value >= beta else beta)
            if width > 64 * float(state["man"]):
                alpha, beta = -np.inf, np.inf

    def _found(self, best: int, score: float, depth: int, count: int, rng: random.Random) -> Choice:
        """The choice of a finished iteration, or of the part of one that was finished."""
        state, moves = self._state, self._tools.moves
        move = int(moves[best])
        pv = tuple(_line(state["pv"][0]))
        if state["ties"] == RANDOM:
            tied = sorted((int(state["root_index"][i]), int(moves[i])) for i in range(count) if state["tied"][i])
            move = rng.choice(tied)[1]
        return Choice(move, float(score), depth, pv=pv if pv[0] == move else (move,))

    def _sort_root(self, count: int, best: int) -> None:
        """Order the root's moves by their values, highest first, the best move before all."""
        state, moves = self._state, self._tools.moves
        values = state["root_values"][:count].copy()
        values[best] = np.inf
        order = np.argsort(-values, kind="stable")
        moves[:count] = moves[:count][order]
        state["root_index"][:count] = state["root_index"][:count][order]


def budget(limit: Limit) -> tuple[float, float]:
    """Seconds after which no iteration is begun, and after which the search stops.

    Of a clock, a twentieth of what is left and most of the increment is meant for a move: half of it is the
    first figure, three times as much the second, but never more than a third of what is left.
    """
    soft = hard = np.inf
    if limit.seconds is not None:
        hard = max(limit.seconds - _RESERVE, limit.seconds / 2)
        soft = limit.seconds / 2
    if limit.clock is not None:
        wanted = limit.clock / 20 + 0.8 * (limit.increment or 0.0)
        hard = min(hard, 3 * wanted, limit.clock / 3)
        soft = min(soft, wanted / 2)
    return soft, hard


def _line(row: Any) -> Iterator[int]:
    """The moves of a row of `pv`."""
    for move in row.tolist():
        if move == -1:
            return
        yield move
