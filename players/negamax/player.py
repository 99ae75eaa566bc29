"""The negamax player: its switches and limits, and what it reports of the compiled search."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.endgame.tables import EndgameError, EndgameTables, opened
from arena.rules.game import Game
from arena.rules.jit.kernel import is_compiling
from arena.rules.result import Draws
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation, evaluator_of, unshared
from players.evaluation.evaluator import Evaluation
from players.evaluation.sample import man_at_start, man_value
from players.loading import PlayerError, changed_when
from players.negamax.deepening import compiled_search
from players.negamax.score import wins_in
from players.negamax.state import HISTORY, MAX_DEPTH, PLIES, draw_rules
from players.negamax.switches import DEFAULT_PRESET, KINDS, PresetName, Switches, stored, switches_of
from players.negamax.workspace import Workspace, stored_settings, with_weights
from players.options import takes
from players.player import AnswerError, Choice, Limit

_RESERVE = 0.0005
"""Seconds of a move that are kept for what happens around the search."""
_KEPT_SETTINGS = 256
"""Players of different settings that a process need not check again."""

_KEPT_MEGABYTES = 64
"""The most memory of a player that is kept between games."""
_NONE = np.zeros((0, 4), np.int64)


class Settings(NamedTuple):
    """The parts common to all players of one description: checked and compiled once."""

    switches: Switches
    stored: Any
    """The switches and what else the state holds of a player: `players.negamax.state.stored_settings`."""
    evaluation: Evaluation
    tables: EndgameTables | None
    """Kept here, as the state has only the addresses of their arrays."""
    search: Any
    """`players.negamax.deepening.search`, compiled."""


class Negamax:
    """Negamax with each technique a switch: a `preset` (minimax, alphabeta, iddfs, pvs, mtdf, full) and changes.

    `evaluation` values the leaves; `players.negamax.switches.Switches` says what each switch does. When a limit
    ends an iteration, its best move so far counts with `partial`, else that of the last iteration.
    """

    @takes(KINDS)
    def __init__(
        self,
        variant: Variant,
        evaluation: Description = "simple",
        preset: PresetName = DEFAULT_PRESET,
        **switches: Any,
    ) -> None:
        self._settings = settings_of(variant, evaluation, preset, switches)
        self.switches = self._settings.switches
        self._sees_history = self.switches.draws or self.switches.repetition_penalty != 0
        self._workspace = Workspace(self.switches.tt)
        self._variant, self._rules = variant, variant.constants
        self.kept = is_kept(evaluation, self.switches.tt)
        self.begin()

    def begin(self) -> None:
        """Forget what was found in earlier games."""
        self._workspace.begin_game(self._settings.stored)

    @property
    def man(self) -> float | None:
        """What a man is worth in the evaluation's unit."""
        return man_value(self._variant, self._settings.evaluation)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search until the first limit is met and choose the best move.

        The clock is spent as `budget` says. Raises ValueError as `check_limit`; AnswerError if no move has a
        value, as the evaluation has none.
        """
        self.check_limit(limit)
        workspace = self._workspace
        soft, hard = budget(limit)
        workspace.clear_answer()
        score = self._settings.search(
            self._rules,
            workspace.states,
            game.position,
            earlier_positions(game) if self._sees_history else _NONE,
            (game.without_progress, game.without_capture),
            give_moves(game, workspace.states),
            limit.depth or MAX_DEPTH,
            limit.nodes or 2**62,
            soft,
            hard,
        )
        *counted, completed, found, tie_count, line_length = workspace.answer()
        if not found:
            if not workspace.states[0]["stopped"]:
                raise AnswerError("has an evaluation that is not a number (nan)")
            return Choice._make((game.legal_moves[0], None, 0, *counted, (), 0, None))
        line = workspace.line(line_length)
        if tie_count:
            move = rng.choice(workspace.tied_moves(tie_count))
            line = line if line[0] == move else [move]
        return Choice._make((line[0], score, completed, *counted, tuple(line), wins_in(score, completed), None))

    def progress(self) -> Choice | None:
        """The findings so far of the current search, without its score, for another thread; None if nothing yet.

        Its line may be half another one if the search writes it just then.
        """
        *counted, completed, found, _, length = self._workspace.answer()
        if not found or not 0 < length < PLIES:
            return None
        line = self._workspace.line(length)
        return Choice._make((line[0], None, completed, *counted, tuple(line), 0, None))

    def stop(self) -> None:
        """End the search under way, from another thread; what is found so far is its answer."""
        self._workspace.stop()

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError for a limit that the search cannot do with."""
        if limit.depth is not None and not 1 <= limit.depth <= MAX_DEPTH:
            raise ValueError(f"negamax searches 1 to {MAX_DEPTH} plies, not {limit.depth}")
        if limit.depth is None and not self.switches.iterative:
            raise ValueError("negamax without iterative deepening needs the limit 'depth'")
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("negamax needs a limit: depth, nodes, seconds or clock")


def is_kept(evaluation: Description, megabytes: int) -> bool:
    """Whether a player is kept between games: not if it takes much memory, or its evaluation is a file."""
    return megabytes <= _KEPT_MEGABYTES and not (isinstance(evaluation, str) and evaluation.endswith(".npz"))


def settings_of(variant: Variant, evaluation: Description, preset: str, switches: Mapping[str, Any]) -> Settings:
    """The settings of a player of this description, with its own memory where the evaluation keeps something.

    Raises PlayerError for a mistake in it.
    """
    changed: Any = None
    if isinstance(evaluation, str) and os.path.isfile(evaluation):  # noqa: PTH113  a Path raises for a long name
        changed = changed_when(Path(evaluation))
    elif isinstance(evaluation, str) and ":" in evaluation:
        changed = evaluator_of(evaluation)
    shared = _settings(variant, json.dumps(evaluation), changed, preset, json.dumps(switches))
    own = unshared(shared.evaluation)
    if own is shared.evaluation:
        return shared
    return shared._replace(evaluation=own, stored=with_weights(shared.stored, own.weights))


@lru_cache(_KEPT_SETTINGS)
def _settings(variant: Variant, evaluation: str, _changed: Any, preset: str, given: str) -> Settings:
    """`settings_of`, of JSON documents; `_changed` tells an evaluation's file, or code, from what it was."""
    switches = switches_of(preset, json.loads(given))
    built = build_evaluation(json.loads(evaluation), variant)
    state: dict[str, Any] = {**stored(switches), **draw_rules(variant.draws if switches.draws else Draws())}
    state["mirrored"] = variant.mirrored
    state["man"] = man_at_start(variant, built)
    state["evaluation"] = built.address
    state["weights"] = built.weights.ctypes.data if is_compiling() else built.weights
    state["weight_count"] = built.weights.size
    tables = _tables(variant, switches.tables)
    state["endings"] = 0 if tables is None else tables.address
    search, state["search"] = compiled_search(variant.constants)
    return Settings(switches, stored_settings(state), built, tables, search)


def _tables(variant: Variant, pieces: int) -> EndgameTables | None:
    if not pieces:
        return None
    try:
        return opened(variant, pieces)
    except EndgameError as error:
        raise PlayerError(str(error), "tables") from None


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


def earlier_positions(game: Game) -> NDArray[np.int64]:
    """The game's positions before this one that a draw may depend on, `int64[n, 4]`, the oldest first."""
    known = min(game.without_progress, HISTORY - 1)
    return np.array(game.positions[-1 - known : -1], np.int64).reshape(known, 4)


def give_moves(game: Game, states: Any) -> int:
    """Write the legal moves into the one state and return how many; 0 if the generator knows them itself."""
    if not game.variant.king_moves:
        return 0
    count = len(game.legal_moves)
    states[0]["moves"][:count] = game.legal_moves
    return count
